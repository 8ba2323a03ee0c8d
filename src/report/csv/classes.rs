//! `classes.csv`: where estimates fail.

use std::io::Write;

use ::csv::Writer;

use super::super::{ReportError, ReportModel};
use super::columns::Fixed;
use super::{maybe, word};

pub(super) const COLUMNS: [Fixed; 12] = [
    ("estimator", "text", "The token estimator, without its anchor to usage."),
    ("class", "text", "The class of content that most of a message is of."),
    ("messages", "count", "Messages of the class, over all transcripts."),
    ("reference_tokens", "tokens", "Their reference count."),
    ("estimate_tokens", "tokens", "Their estimate."),
    ("error", "ratio", "Mean over lineages of estimate / reference less 1; below 0 the estimate is too low."),
    ("low", "ratio", "Lower bound of its interval; empty when there is none."),
    ("high", "ratio", "Upper bound."),
    ("no_interval", "text", "Why there is none; empty when there is one."),
    ("least", "ratio", "The least lineage."),
    ("greatest", "ratio", "The greatest lineage."),
    ("lineages", "count", "Lineages that have such messages."),
];

pub(super) fn write(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for row in &model.classes.rows {
        let interval = row.interval.as_ref();
        csv.write_record([
            word(model.classes.estimators[row.estimator]),
            word(row.class),
            row.messages.to_string(),
            row.reference_tokens.to_string(),
            row.estimate_tokens.to_string(),
            maybe(row.error),
            maybe(interval.ok().map(|interval| interval.low)),
            maybe(interval.ok().map(|interval| interval.high)),
            interval.err().map(|reason| word(reason)).unwrap_or_default(),
            maybe(row.range.map(|(least, _)| least)),
            maybe(row.range.map(|(_, greatest)| greatest)),
            row.lineages.to_string(),
        ])?;
    }
    Ok(())
}
