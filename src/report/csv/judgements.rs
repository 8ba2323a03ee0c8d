//! What a judge said: a row per judgement.

use std::io::Write;

use ::csv::Writer;

use super::columns::Fixed;
use super::{maybe, word};
use crate::report::ReportError;
use crate::results::JudgementRecord;

pub(super) const COLUMNS: [Fixed; 15] = [
    ("judgement", "text", "Stable id, from cell, rubric and item."),
    ("cell", "text", "Stable id of the cell; joins the files."),
    ("strategy", "text", "Name of the strategy, which the judge was not told."),
    ("transcript", "text", "Name of the transcript."),
    ("lineage", "text", "Transcripts that share an origin; the unit of statistics."),
    ("rubric", "text", "strict, or one of the six dimensions."),
    ("item", "text", "The annotated item; empty for a dimension."),
    ("judge", "text", "Who judged."),
    ("mock", "true or false", "The judge is a mock, which knows words and not what they mean."),
    ("grade", "number", "The grade; empty when it is void."),
    ("most", "number", "The highest grade of the rubric."),
    ("void_reason", "text", "Why there is no grade; empty when there is one."),
    ("evidence", "text", "The words of the summary that the grade rests on."),
    ("summary_sha256", "text", "SHA-256 of the summary that was judged; empty where it was not recorded."),
    ("regression_sha256", "text", "SHA-256 of the set of cases that the judge passed before."),
];

/// Writes `judgements.csv` of these records.
///
/// # Errors
/// When `out` cannot be written.
pub fn judgements_csv(records: &[JudgementRecord], out: impl Write) -> Result<(), ReportError> {
    let mut csv = Writer::from_writer(out);
    csv.write_record(COLUMNS.map(|(name, ..)| name))?;
    write(records, &mut csv)?;
    csv.flush()?;
    Ok(())
}

pub(super) fn write(records: &[JudgementRecord], csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for record in records {
        csv.write_record(fields(record))?;
    }
    Ok(())
}

fn fields(record: &JudgementRecord) -> [String; 15] {
    [
        word(&record.judgement),
        word(&record.cell),
        word(&record.strategy),
        word(&record.transcript),
        word(&record.lineage),
        word(&record.rubric),
        word(record.item.as_deref().unwrap_or_default()),
        word(&record.judge),
        record.mock.to_string(),
        maybe(record.grade),
        record.most.to_string(),
        word(record.void.as_deref().unwrap_or_default()),
        word(&record.evidence),
        word(record.summary_sha256.as_deref().unwrap_or_default()),
        word(&record.regression_sha256),
    ]
}
