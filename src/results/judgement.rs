//! Judgements of a run: `judgements.jsonl`, a line each.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::folder::maybe_lines;
use super::{EventRecord, Run, RunError};
use crate::digest::sha256;

const JUDGEMENTS: &str = "judgements.jsonl";

/// What a judge said of one summary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgementRecord {
    /// 16 hexadecimal digits, from cell, rubric and item.
    pub judgement: String,
    /// The cell.
    pub cell: String,
    /// Its strategy, which the judge was not told.
    pub strategy: String,
    /// Its transcript.
    pub transcript: String,
    /// The lineage of that.
    pub lineage: String,
    /// `strict`, or one of the six dimensions.
    pub rubric: String,
    /// The annotated item, for `strict`.
    pub item: Option<String>,
    /// Who judged.
    pub judge: String,
    /// The grade, 0 to `most`; `None` when it is void.
    pub grade: Option<u8>,
    /// The highest grade of the rubric.
    pub most: u8,
    /// Why there is no grade.
    pub void: Option<String>,
    /// The words of the summary that the grade rests on. A grade above 0 stands only if they stand in the summary.
    pub evidence: String,
    /// The judge is a mock, which knows words and not what they mean.
    #[serde(default)]
    pub mock: bool,
    /// SHA-256 of the summary that was judged, as it is recorded; `None` in judgements that did not say.
    #[serde(default)]
    pub summary_sha256: Option<String>,
    /// SHA-256 of the set of cases that the judge passed before.
    pub regression_sha256: String,
}

/// The last summary of a cell: what a judge grades.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastSummary<'run>(pub &'run str);

impl LastSummary<'_> {
    /// SHA-256 of it, in hexadecimal.
    pub fn sha256(self) -> String {
        sha256(self.0)
    }
}

impl Run {
    /// The last summary of every cell that has one, by the id of the cell.
    pub fn last_summaries(&self) -> HashMap<&str, LastSummary<'_>> {
        // Of several the last stays.
        self.events.iter().filter_map(summary_of).collect()
    }
}

fn summary_of(event: &EventRecord) -> Option<(&str, LastSummary<'_>)> {
    match event {
        EventRecord::Compaction(compaction) => Some((&compaction.cell, LastSummary(compaction.summary.as_deref()?))),
        _ => None,
    }
}

impl JudgementRecord {
    /// Whether it is about the summary of this digest; a judgement that does not say is taken to be.
    pub fn is_of(&self, summary_sha256: &str) -> bool {
        self.summary_sha256.as_ref().is_none_or(|judged| judged == summary_sha256)
    }

    /// The judgements of a run folder; none where nobody judged.
    pub fn read_all(folder: &Path) -> Result<Vec<Self>, RunError> {
        maybe_lines(&folder.join(JUDGEMENTS))
    }

    /// Writes the judgements of a run folder, in the place of earlier ones.
    pub fn write_all(records: &[Self], folder: &Path) -> Result<(), RunError> {
        let path = folder.join(JUDGEMENTS);
        let partial = folder.join(format!("{JUDGEMENTS}.partial"));
        let write = || -> io::Result<()> {
            let mut out = io::BufWriter::new(fs::File::create(&partial)?);
            for record in records {
                serde_json::to_writer(&mut out, record)?;
                out.write_all(b"\n")?;
            }
            out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            fs::rename(&partial, &path)
        };
        write().map_err(|source| RunError::Io { path: path.clone(), source })
    }
}
