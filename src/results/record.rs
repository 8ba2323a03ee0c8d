//! The records of a run. Fields with a unit end in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CompactionCache, ExamRecord, Measure, MeasureDef, RequestCache};

/// One strategy × transcript × model × seed, and all that was measured on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellRecord {
    /// Version of the record.
    pub schema: u32,
    /// Stable id: hexadecimal, from strategy, transcript, model, window, history, seed and replicate, by name.
    pub cell: String,
    /// Digest of everything that decides the result, in hexadecimal; the same digest gives the same record.
    #[serde(default)]
    pub inputs: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Version of the real system that the strategy mimics; `None` for a baseline.
    pub mimics: Option<String>,
    /// Name of the transcript.
    pub transcript: String,
    /// Transcripts that share an origin.
    pub lineage: String,
    /// Name of the model.
    pub model: String,
    /// Context window.
    pub window_tokens: u64,
    /// `full` or `recorded`.
    pub history: String,
    /// Seed.
    pub seed: u64,
    /// Repetition of the same cell with draws of its own, from 0.
    #[serde(default)]
    pub replicate: u32,
    /// The estimator.
    pub estimator: String,
    /// Who wrote the summaries, such as `mock`; `none` where nothing is summarized.
    pub summarizer: String,
    /// The summaries are a mock's: they say nothing about the quality of a real model.
    pub mock: bool,
    /// The exact tokenizer behind every reference count.
    pub reference: String,
    /// The simulated cache; empty in runs before there was one.
    #[serde(default)]
    pub cache: String,
    /// The row of the price book behind every dollar; `None`: there are none.
    #[serde(default)]
    pub price: Option<String>,
    /// The latency row of the price book behind every time to the first token, which is a model's; `None`: none was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<String>,
    /// The measures, by name.
    pub measures: BTreeMap<String, Measure>,
    /// The fate of every annotated item; empty without annotations.
    pub items: Vec<ItemRecord>,
    /// SHA-256 of the annotated items that this cell was scored against; `None` without annotations.
    #[serde(default)]
    pub items_sha256: Option<String>,
    /// Version of the rules by which entities are found.
    #[serde(default)]
    pub extractor: Option<String>,
    /// Version of the rules of the second extractor, behind the measures named so.
    #[serde(default)]
    pub second_extractor: Option<String>,
    /// What the continuation needed of the dropped part, by kind of entity.
    #[serde(default)]
    pub future: Vec<FutureRecord>,
    /// What a reader was asked after the last cut; `None` where nobody asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exam: Option<Box<ExamRecord>>,
}

/// What the continuation needed of the dropped part, of one kind of entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FutureRecord {
    /// The kind, such as `path`.
    pub kind: String,
    /// Facts that it needed.
    pub needed_count: u64,
    /// Of those, the ones that the strategy kept.
    pub kept_count: u64,
}

/// What became of one annotated item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ItemRecord {
    /// The item's id in its dataset.
    pub item: String,
    /// Its category, such as `constraint`.
    pub category: String,
    /// Its weight within the category.
    pub weight: f64,
    /// Losing it is a veto.
    pub critical: bool,
    /// `kept`, `partly`, `lost`, `wrong`, or `in_tail` when it never left the kept part.
    pub fate: String,
    /// 1, 0.5, 0, -0.5; `None` when it is not scored.
    pub score: Option<f64>,
    /// Lines of the session file that state it.
    #[serde(default)]
    pub source_lines: Vec<u64>,
    /// Cuts from the one that dropped its source on, up to the one that lost it or to the last one.
    #[serde(default)]
    pub rounds_count: u32,
    /// It was lost or wrong at the last of them; otherwise it still lived.
    #[serde(default)]
    pub lost: bool,
    /// The item in words.
    #[serde(default)]
    pub text: String,
}

/// One event of a replay, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventRecord {
    /// One call of the model.
    Request(RequestRecord),
    /// A compaction.
    Compaction(Box<CompactionRecord>),
    /// The context did not fit the window: the request failed and is paid for where the provider charges for it.
    Overflow {
        /// The cell.
        cell: String,
        /// The request, from 1.
        request: u64,
        /// Reference count of the request.
        reference_tokens: u64,
    },
    /// A trigger fired and there was nothing to drop.
    Stuck {
        /// The cell.
        cell: String,
        /// The next request, from 1.
        request: u64,
        /// The checkpoint.
        checkpoint: String,
        /// Why.
        reason: String,
    },
    /// A trigger fired in a replay of the recorded history, where it never acts.
    Fired {
        /// The cell.
        cell: String,
        /// The next request, from 1.
        request: u64,
        /// The checkpoint.
        checkpoint: String,
        /// The estimate.
        estimate_tokens: u64,
        /// Why.
        reason: String,
    },
    /// The session went on with a model of another size; only in cells that have windows by recorded model.
    Switched {
        /// The cell.
        cell: String,
        /// The next request, from 1.
        request: u64,
        /// The recorded name of the model; the cell's where the session does not say.
        model: String,
        /// Context window from here on.
        window_tokens: u64,
        /// The most tokens a reply may have from here on.
        max_output_tokens: u64,
    },
    /// Messages were shortened or masked in place.
    Edited {
        /// The cell.
        cell: String,
        /// The next request, from 1.
        request: u64,
        /// Messages changed.
        messages: u64,
        /// Reference tokens saved.
        saved_tokens: u64,
        /// Tokens of the cached prefix that the change made worthless.
        invalidated_tokens: u64,
    },
}

impl EventRecord {
    /// The cell it belongs to.
    pub fn cell(&self) -> &str {
        match self {
            Self::Compaction(record) => &record.cell,
            Self::Request(RequestRecord { cell, .. })
            | Self::Overflow { cell, .. }
            | Self::Stuck { cell, .. }
            | Self::Fired { cell, .. }
            | Self::Switched { cell, .. }
            | Self::Edited { cell, .. } => cell,
        }
    }
}

/// One call of the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestRecord {
    /// The cell.
    pub cell: String,
    /// Number of the request, from 1.
    pub request: u64,
    /// Line of the recorded reply in its file.
    pub line: u64,
    /// Messages in the request.
    pub messages: u64,
    /// The estimator's count; `None` when the strategy asks no estimator.
    pub estimate_tokens: Option<u64>,
    /// Reference count of what is sent: the head, where it is known, and the messages.
    pub reference_tokens: u64,
    /// The prompt as the provider counted it, while the replayed context is still the recorded one.
    pub recorded_tokens: Option<u64>,
    /// Reference tokens of the longest common prefix with the request before.
    pub reused_tokens: u64,
    /// Reference tokens after that prefix: they are written anew.
    pub written_tokens: u64,
    /// Context window of the model that it went to; `None`: the cell has no windows by recorded model, so it is the cell's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_tokens: Option<u64>,
    /// It did not fit the window.
    pub overflow: bool,
    /// How the simulated cache bills it; runs before there was one have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<RequestCache>,
}

/// A compaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompactionRecord {
    /// The cell.
    pub cell: String,
    /// Number of the next request, from 1.
    pub request: u64,
    /// When the trigger was asked: `before_request`, `after_response`, `turn_end`, `overflow`, `manual`.
    pub checkpoint: String,
    /// Why it fired, in words.
    pub reason: String,
    /// The estimate that fired it.
    pub estimate_tokens: Option<u64>,
    /// Reference count of the context before.
    pub before_tokens: u64,
    /// Reference count of the context after.
    pub after_tokens: u64,
    /// Messages dropped.
    pub dropped_messages: u64,
    /// Reference tokens dropped.
    pub dropped_tokens: u64,
    /// Messages kept verbatim.
    pub kept_messages: u64,
    /// Reference tokens kept verbatim.
    pub kept_tokens: u64,
    /// Reference tokens of the summary message.
    pub summary_tokens: u64,
    /// Calls that wrote the summary.
    pub summary_requests: u64,
    /// Reference tokens of the prompts of those calls.
    pub summary_input_tokens: u64,
    /// Reference tokens of their answers.
    pub summary_output_tokens: u64,
    /// Reference tokens of the previous request that the next one no longer shares.
    pub invalidated_tokens: u64,
    /// The cut split a turn.
    pub split_turn: bool,
    /// The context did not become smaller.
    pub no_gain: bool,
    /// Orphan calls and results that the strategy left and the replay removed.
    pub repaired_orphans: u64,
    /// The summary came from an extension.
    pub from_hook: bool,
    /// Data stored beside the summary, such as file lists, as JSON.
    pub details: Option<String>,
    /// What stands for the dropped part is not what was asked for: why, in words.
    pub fallback: Option<String>,
    /// The text that stands for the dropped part, where there is one.
    pub summary: Option<String>,
    /// What it did to the simulated cache; `None` where no request followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CompactionCache>,
    /// Lines of the recorded messages that were dropped, in the order of the path.
    #[serde(default)]
    pub dropped_lines: Vec<u64>,
    /// The fate of every annotated item after this compaction, by id; empty where it was not scored.
    #[serde(default)]
    pub fates: BTreeMap<String, String>,
}

/// One replayed transcript, as the manifest names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TranscriptRecord {
    /// Its name.
    pub name: String,
    /// Its lineage.
    pub lineage: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// The format it was read as.
    pub format: String,
    /// Messages on the path.
    pub messages: u64,
    /// Requests on the path.
    pub requests: u64,
    /// Reference tokens of all messages on the path.
    pub reference_tokens: u64,
    /// Reference tokens of system prompt and tool schemas; `None` when they are unknown.
    pub head_tokens: Option<u64>,
    /// Findings of the import, by kind.
    pub findings: BTreeMap<String, u64>,
}

/// Where a run comes from. It holds no time and no path of the machine, so that equal inputs give equal bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the records.
    pub schema: u32,
    /// The program and its version.
    pub generator: String,
    /// Name of the experiment.
    pub experiment: String,
    /// The experiment, whole, as TOML.
    pub config: String,
    /// SHA-256 of `config`.
    pub config_sha256: String,
    /// `full` or `recorded`.
    pub history: String,
    /// The exact tokenizer behind every reference count.
    pub reference: String,
    /// Some summaries are a mock's.
    pub mock: bool,
    /// The transcripts.
    pub transcripts: Vec<TranscriptRecord>,
    /// Cells the grid has; fewer in `cells.jsonl` means that the run was stopped.
    pub cells: u64,
    /// The part of the grid that this run holds, where it is not the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// What each measure means.
    pub measures: Vec<MeasureDef>,
    /// What a reader must know, one sentence each.
    pub caveats: Vec<String>,
}

/// A part of a grid: contiguous, so that the cells of a transcript mostly stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shard {
    /// Which part, from 1.
    pub part: u64,
    /// Of how many.
    pub of: u64,
}

impl Shard {
    /// The positions of its cells in a grid of so many.
    pub fn range(self, cells: u64) -> std::ops::Range<u64> {
        let of = self.of.max(1);
        let start =
            |part: u64| u64::try_from(u128::from(cells) * u128::from(part.min(of)) / u128::from(of)).unwrap_or(cells);
        start(self.part.saturating_sub(1))..start(self.part)
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((part, of)) if (1..=of).contains(&part) => Ok(Self { part, of }),
            _ => Err(format!("{text:?} is no shard; the second of four is 2/4")),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Shard;

    #[test]
    fn a_shard_is_read_and_written() {
        assert_eq!("2/4".parse(), Ok(Shard { part: 2, of: 4 }));
        assert_eq!(Shard { part: 2, of: 4 }.to_string(), "2/4");
        assert!(["0/4", "5/4", "1/0", "2", "a/b", ""].iter().all(|text| text.parse::<Shard>().is_err()));
    }

    proptest! {
        #[test]
        fn shards_cover_the_grid_once_and_in_order(cells in 0_u64..5_000, of in 1_u64..50) {
            let mut next = 0;
            for part in 1..=of {
                let range = Shard { part, of }.range(cells);
                prop_assert_eq!(range.start, next);
                prop_assert!(range.end - range.start <= cells / of + 1);
                next = range.end;
            }
            prop_assert_eq!(next, cells);
        }
    }
}
