//! The columns of every file: one description serves the headers and `columns.csv`.

use std::borrow::Cow;

use super::super::ReportModel;
use super::{CsvFile, against, classes, exam, judgements, summary, verdicts};
use crate::results::Direction;

/// A column.
pub(super) struct Described {
    pub(super) name: Cow<'static, str>,
    pub(super) unit: Cow<'static, str>,
    pub(super) about: Cow<'static, str>,
}

impl Described {
    pub(super) fn fixed(&(name, unit, about): &Fixed) -> Self {
        Self { name: Cow::Borrowed(name), unit: Cow::Borrowed(unit), about: Cow::Borrowed(about) }
    }
}

/// Name, unit and meaning.
pub(super) type Fixed = (&'static str, &'static str, &'static str);

const KEY: [Fixed; 6] = [
    ("cell", "text", "Stable id of the cell; joins the files."),
    ("strategy", "text", "Name of the strategy."),
    ("transcript", "text", "Name of the transcript."),
    ("model", "text", "Name of the model."),
    ("window_tokens", "tokens", "Context window."),
    ("seed", "number", "Seed."),
];

const CELLS: [Fixed; 7] = [
    ("lineage", "text", "Transcripts that share an origin; the unit of statistics."),
    ("mimics", "text", "Version of the real system that the strategy mimics; empty for a baseline."),
    ("history", "text", "full or recorded."),
    ("estimator", "text", "The token estimator."),
    ("summarizer", "text", "Who wrote the summaries; none where nothing is summarized."),
    ("mock", "true or false", "The summaries are a mock's: they say nothing about a real model."),
    ("reference", "text", "The exact tokenizer behind every reference count."),
];

const MEASURES: [Fixed; 5] = [
    ("measure", "text", "Name of the measure; what it means is listed under cells.csv."),
    ("unit", "text", "Its unit."),
    ("direction", "text", "lower, higher or neutral: which way is better."),
    ("value", "see unit", "The number; empty when it is void."),
    ("void_reason", "text", "Why there is no number; empty when there is one."),
];

const REQUESTS: [Fixed; 16] = [
    ("request", "number", "Number of the request, from 1."),
    ("line", "number", "Line of the recorded reply in its file."),
    ("messages", "count", "Messages in the request."),
    ("estimate_tokens", "tokens", "The estimator's count; empty when the strategy asks none."),
    ("reference_tokens", "tokens", "Reference count of what is sent."),
    ("recorded_tokens", "tokens", "The provider's count, while the context is still the recorded one."),
    ("reused_tokens", "tokens", "Longest common prefix with the request before."),
    ("written_tokens", "tokens", "What follows that prefix."),
    ("overflow", "true or false", "It did not fit the window."),
    (
        "request_window_tokens",
        "tokens",
        "Context window of the model that it went to; a recorded change of the model can move it.",
    ),
    ("cache_read_tokens", "tokens", "Read from the simulated cache."),
    ("cache_write_tokens", "tokens", "Written to it; 0 where a provider bills no writes."),
    ("cache_plain_tokens", "tokens", "Neither read nor written."),
    ("cache_break", "text", "Why less was read than the request before had left; empty when it was not."),
    ("cost_usd", "usd", "Prompt and reply; empty without a price. The row of the price book is in cells.jsonl."),
    (
        "model_first_token_ms",
        "ms",
        "To the first token by a latency row: a model, no measurement; empty without a row.",
    ),
];

const COMPACTIONS: [Fixed; 39] = [
    ("request", "number", "The next request, from 1."),
    ("checkpoint", "text", "When the trigger was asked."),
    ("reason", "text", "Why it fired."),
    ("estimate_tokens", "tokens", "The estimate that fired it; empty when there is none."),
    ("before_tokens", "tokens", "Context before."),
    ("after_tokens", "tokens", "Context after."),
    ("dropped_messages", "count", "Messages dropped."),
    ("dropped_tokens", "tokens", "Tokens dropped."),
    ("kept_messages", "count", "Messages kept verbatim."),
    ("kept_tokens", "tokens", "Tokens kept verbatim."),
    ("summary_tokens", "tokens", "The summary message; its text is in events.jsonl of the run."),
    ("summary_requests", "count", "Calls that wrote the summary."),
    ("summary_input_tokens", "tokens", "Prompts of those calls."),
    ("summary_output_tokens", "tokens", "Answers of those calls."),
    ("invalidated_tokens", "tokens", "Of the request before, what the next one no longer shares."),
    ("split_turn", "true or false", "The cut split a turn."),
    ("no_gain", "true or false", "The context did not become smaller."),
    ("repaired_orphans", "count", "Calls and results without their partner that the replay removed."),
    ("from_hook", "true or false", "The summary came from an extension."),
    ("fallback", "text", "Why what stands for the dropped part is not what was asked for; empty when it is."),
    ("cached_before_tokens", "tokens", "What the simulated cache could serve of the request before."),
    (
        "cache_reusable_tokens",
        "tokens",
        "What the next request reads from it; empty, with what follows, when there is none.",
    ),
    ("cache_invalidated_tokens", "tokens", "What it could serve and the next request does not read."),
    ("cache_rewritten_tokens", "tokens", "What of the next request is not read."),
    ("lost_content_tokens", "tokens", "The invalidated part whose content differs."),
    ("lost_lifetime_tokens", "tokens", "The part that ended its life."),
    ("lost_granularity_tokens", "tokens", "The part that lies in no whole step of the cache."),
    ("lost_placement_tokens", "tokens", "The part where no entry ends, or none within reach."),
    ("idle_ms", "ms", "Between the requests before and after."),
    ("one_time_tokens", "tokens of plain input", "What it costs once: summary calls, and writing what would be read."),
    ("one_time_riding_tokens", "tokens of plain input", "The same if the summary call read the old prompt."),
    ("one_time_usd", "usd", "What it costs once, in dollars; empty without a price."),
    ("saving_tokens", "tokens of plain input", "What every later request saves while the cache stays warm."),
    ("break_even_requests", "requests", "Until it has paid for itself; empty when it never does, or without a price."),
    ("break_even_riding_requests", "requests", "The same if the summary call read the old prompt from the cache."),
    ("warmup_requests", "requests", "Until the cached share is back to 95 % of that before; empty when it is not."),
    ("regrowth_requests", "requests", "Until the prompt is as large as before; empty when it never is."),
    ("summary_usd", "usd", "Its summary calls as they were made; empty without a price."),
    ("summary_riding_usd", "usd", "The same if they read the old prompt from the cache."),
];

const INCIDENTS: [Fixed; 8] = [
    (
        "incident",
        "text",
        "overflow: a request did not fit. stuck: a trigger fired in vain. fired: it fired while the recorded history was \
         followed. edited: messages were shortened. switched: the session goes on with a model of another size.",
    ),
    ("request", "number", "The request, or the next one, from 1."),
    ("checkpoint", "text", "stuck, fired: when the trigger was asked."),
    ("reason", "text", "stuck: why nothing was dropped. fired: why it fired. switched: the model and its window."),
    ("reference_tokens", "tokens", "overflow: size of the request."),
    ("messages", "count", "edited: messages changed."),
    ("saved_tokens", "tokens", "edited: tokens saved."),
    ("invalidated_tokens", "tokens", "edited: tokens of the cached prefix made worthless."),
];

const ITEMS: [Fixed; 9] = [
    ("item", "text", "Id of the annotated item in its dataset."),
    ("category", "text", "Its category."),
    ("weight", "weight", "Its weight within the category."),
    ("critical", "true or false", "Losing it is a veto."),
    (
        "fate",
        "text",
        "kept, partly, lost, wrong; in_tail when it never left the kept part, superseded when another item replaced it, \
         off_path when it is said on another branch.",
    ),
    ("score", "score", "1, 0.5, 0 or -0.5; empty when it is not scored."),
    ("source_lines", "text", "Lines of the session file that state it, with spaces between them."),
    (
        "rounds_count",
        "count",
        "Cuts from the one that dropped its source on, up to the one that lost it or to the last.",
    ),
    ("lost", "true or false", "It was lost or wrong at the last of them; otherwise its life is censored."),
];

const COLUMNS: [Fixed; 4] = [
    ("file", "text", "The file."),
    ("column", "text", "The column."),
    ("unit", "text", "Unit. An empty field is a void, never zero."),
    (
        "about",
        "text",
        "What it means. In every file, text that starts with = + - @ (also full-width), a tab or a line break has a leading \
         apostrophe, so that no spreadsheet runs it.",
    ),
];

/// The columns of a file, in order.
pub(super) fn of(file: CsvFile, model: &ReportModel) -> Vec<Described> {
    let own: &[Fixed] = match file {
        CsvFile::Strategies => return summary::wide_columns(model),
        CsvFile::Judgements => return judgements::COLUMNS.iter().map(Described::fixed).collect(),
        CsvFile::Verdicts => return verdicts::COLUMNS.iter().map(Described::fixed).collect(),
        CsvFile::Estimates => return summary::columns(&summary::ESTIMATES),
        CsvFile::Contrasts => return summary::columns(&summary::CONTRASTS),
        CsvFile::Pareto => return summary::columns(&summary::PARETO),
        CsvFile::Transcripts => return summary::TRANSCRIPTS.iter().map(Described::fixed).collect(),
        CsvFile::Gates => return against::GATES.iter().map(Described::fixed).collect(),
        CsvFile::Moved => return against::MOVED.iter().map(Described::fixed).collect(),
        CsvFile::NewlyLost => return against::NEWLY_LOST.iter().map(Described::fixed).collect(),
        CsvFile::Validity => return exam::VALIDITY.iter().map(Described::fixed).collect(),
        CsvFile::Classes => return classes::COLUMNS.iter().map(Described::fixed).collect(),
        CsvFile::Cells => &CELLS,
        CsvFile::Measures => &MEASURES,
        CsvFile::Requests => &REQUESTS,
        CsvFile::Compactions => &COMPACTIONS,
        CsvFile::Incidents => &INCIDENTS,
        CsvFile::Items => &ITEMS,
        CsvFile::Probes => &exam::PROBES,
        CsvFile::NextActions => &exam::ACTIONS,
        CsvFile::Columns => &COLUMNS,
    };
    let key: &[Fixed] = if file == CsvFile::Columns { &[] } else { &KEY };
    let fixed = key.iter().chain(own).map(Described::fixed);
    let measures = model.measures.iter().filter(|_| file == CsvFile::Cells).map(|def| Described {
        name: Cow::Owned(def.name.clone()),
        unit: Cow::Owned(def.unit.clone()),
        about: Cow::Owned(def.about.clone()),
    });
    fixed.chain(measures).collect()
}

/// As the CSV says it.
pub(super) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Lower => "lower",
        Direction::Higher => "higher",
        Direction::Neutral => "neutral",
    }
}
