//! Tidy CSV: one kind of row per file, a unit in every column name that has one, an empty field for a void.
//!
//! Text that a spreadsheet would run as a formula (it starts with `=`, `+`, `-`, `@`, one of their full-width forms, a tab or a line
//! break) gets a leading apostrophe, as OWASP advises against CSV injection. Only text columns are guarded: numbers are written as they
//! are, with a point and without marks between thousands whatever the locale, so a program reads `-0.12` as a number. `columns.csv` says this too, because a reader must know it.

mod against;
mod cache;
mod classes;
mod columns;
mod exam;
mod judgements;
#[cfg(feature = "parquet")]
mod parquet;
mod summary;
mod verdicts;

pub(super) use against::shift;
pub use judgements::judgements_csv;
#[cfg(feature = "parquet")]
pub use parquet::write_parquet;

use std::borrow::Cow;
use std::io::{self, Write};

use ::csv::{Writer, WriterBuilder};
use serde::Serialize;
use serde_json::Value;

use super::model::{Cell, number};
use super::{ReportError, ReportModel, Reporter};
use crate::results::{CellRecord, CompactionRecord, EventRecord, RequestRecord};

/// One of the CSV files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvFile {
    /// `verdicts.csv`: a row per setting: the answers that the page begins with.
    Verdicts,
    /// `cells.csv`: a row per cell, a column per measure.
    Cells,
    /// `measures.csv`: a row per cell and measure.
    Measures,
    /// `requests.csv`: a row per request.
    Requests,
    /// `compactions.csv`: a row per compaction.
    Compactions,
    /// `incidents.csv`: a row per overflow, trigger in vain, edit, and change of the model.
    Incidents,
    /// `items.csv`: a row per cell and annotated item.
    Items,
    /// `probes.csv`: a row per answer of a reader.
    Probes,
    /// `next_actions.csv`: a row per recorded tool call that a reader was to name.
    NextActions,
    /// `judgements.csv`: a row per judgement of a summary; only where a judge graded some.
    Judgements,
    /// `validity.csv`: a row per strategy and loss: does it go with what a reader still knows?
    Validity,
    /// `strategies.csv`: a row per strategy and setting, five columns per measure: mean, interval, least and greatest lineage.
    Strategies,
    /// `estimates.csv`: a row per strategy, setting and measure.
    Estimates,
    /// `contrasts.csv`: a row per strategy: its goal-loss against the least.
    Contrasts,
    /// `pareto.csv`: a row per point of the Pareto plots.
    Pareto,
    /// `transcripts.csv`: a row per transcript.
    Transcripts,
    /// `classes.csv`: a row per estimator and class of content.
    Classes,
    /// `gates.csv`: a row per gate of a comparison with a base.
    Gates,
    /// `moved.csv`: a row per mean that moved since the base.
    Moved,
    /// `newly_lost.csv`: a row per item that the base kept and the run lost.
    NewlyLost,
    /// `columns.csv`: a row per column of the other files.
    Columns,
}

impl CsvFile {
    /// All files.
    pub const ALL: [Self; 21] = [
        Self::Verdicts,
        Self::Cells,
        Self::Measures,
        Self::Requests,
        Self::Compactions,
        Self::Incidents,
        Self::Items,
        Self::Probes,
        Self::NextActions,
        Self::Judgements,
        Self::Validity,
        Self::Strategies,
        Self::Estimates,
        Self::Contrasts,
        Self::Pareto,
        Self::Transcripts,
        Self::Classes,
        Self::Gates,
        Self::Moved,
        Self::NewlyLost,
        Self::Columns,
    ];

    /// The files that a report has: those about a base, or of a judge, only where there is one.
    pub fn of(model: &ReportModel) -> Vec<Self> {
        let is_there = |file: &Self| match file {
            Self::Gates | Self::Moved | Self::NewlyLost => model.against.is_some(),
            Self::Judgements => !model.run.judgements.is_empty(),
            _ => true,
        };
        Self::ALL.into_iter().filter(is_there).collect()
    }

    /// Its first line, with its end.
    pub(super) fn header(self, model: &ReportModel) -> String {
        let names = columns::of(self, model).into_iter().map(|column| word(&column.name));
        names.collect::<Vec<_>>().join(",") + "\n"
    }

    /// Its name in the folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verdicts => "verdicts.csv",
            Self::Cells => "cells.csv",
            Self::Measures => "measures.csv",
            Self::Requests => "requests.csv",
            Self::Compactions => "compactions.csv",
            Self::Incidents => "incidents.csv",
            Self::Items => "items.csv",
            Self::Probes => "probes.csv",
            Self::NextActions => "next_actions.csv",
            Self::Judgements => "judgements.csv",
            Self::Validity => "validity.csv",
            Self::Strategies => "strategies.csv",
            Self::Estimates => "estimates.csv",
            Self::Contrasts => "contrasts.csv",
            Self::Pareto => "pareto.csv",
            Self::Transcripts => "transcripts.csv",
            Self::Classes => "classes.csv",
            Self::Gates => "gates.csv",
            Self::Moved => "moved.csv",
            Self::NewlyLost => "newly_lost.csv",
            Self::Columns => "columns.csv",
        }
    }
}

impl Reporter for CsvFile {
    fn render(&self, model: &ReportModel, out: &mut dyn Write) -> Result<(), ReportError> {
        let mut csv = WriterBuilder::new().from_writer(out);
        let described = columns::of(*self, model);
        csv.write_record(described.iter().map(|column| word(&column.name)))?;
        match self {
            Self::Verdicts => verdicts::write(model, &mut csv)?,
            Self::Cells => cells(model, &mut csv)?,
            Self::Measures => measures(model, &mut csv)?,
            Self::Items => items(model, &mut csv)?,
            Self::Probes => exam::probes(model, &mut csv)?,
            Self::NextActions => exam::actions(model, &mut csv)?,
            Self::Judgements => judgements::write(&model.run.judgements, &mut csv)?,
            Self::Validity => exam::validity(model, &mut csv)?,
            Self::Strategies => summary::strategies(model, &mut csv)?,
            Self::Estimates => summary::estimates(model, &mut csv)?,
            Self::Contrasts => summary::contrasts(model, &mut csv)?,
            Self::Pareto => summary::pareto(model, &mut csv)?,
            Self::Transcripts => summary::transcripts(model, &mut csv)?,
            Self::Classes => classes::write(model, &mut csv)?,
            Self::Gates => against::gates(model, &mut csv)?,
            Self::Moved => against::moved(model, &mut csv)?,
            Self::NewlyLost => against::newly_lost(model, &mut csv)?,
            Self::Columns => all_columns(model, &mut csv)?,
            Self::Requests | Self::Compactions | Self::Incidents => {
                for cell in &model.cells {
                    for event in &cell.events {
                        let Some(fields) = event_fields(*self, cell.record, event) else { continue };
                        csv.write_record(key(cell).into_iter().chain(fields))?;
                    }
                }
            }
        }
        csv.flush()?;
        Ok(())
    }
}

/// What a spreadsheet runs starts with one of these.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Guards text against being run as a formula. Text that looks guarded gets an apostrophe too, so that taking one off gives the text.
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    let is_formula = text.trim_start_matches('\'').starts_with(FORMULA);
    if is_formula { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

fn word(text: &str) -> String {
    guarded(text).into_owned()
}

/// Writes records, a row each, their fields as columns, with a header; what is not known is an empty field, and text is guarded as in the other files.
///
/// # Errors
/// When `out` cannot be written.
pub fn records_csv<T: Serialize>(records: &[T], out: impl Write) -> Result<(), ReportError> {
    let mut csv = WriterBuilder::new().from_writer(out);
    for (index, record) in records.iter().enumerate() {
        let Value::Object(fields) = serde_json::to_value(record).map_err(io::Error::from)? else { continue };
        if index == 0 {
            csv.write_record(fields.keys())?;
        }
        csv.write_record(fields.values().map(field))?;
    }
    csv.flush()?;
    Ok(())
}

fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => word(text),
        other => other.to_string(),
    }
}

fn maybe<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// What every row about a cell starts with.
fn key(cell: &Cell<'_>) -> [String; 6] {
    let record = cell.record;
    [
        word(&record.cell),
        word(&record.strategy),
        word(&record.transcript),
        word(&record.model),
        record.window_tokens.to_string(),
        record.seed.to_string(),
    ]
}

fn cells(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for cell in &model.cells {
        let record = cell.record;
        let about = [
            word(&record.lineage),
            word(record.mimics.as_deref().unwrap_or_default()),
            word(&record.history),
            word(&record.estimator),
            word(&record.summarizer),
            record.mock.to_string(),
            word(&record.reference),
        ];
        let values = model.measures.iter().map(|def| maybe(number(record, &def.name).ok()));
        csv.write_record(key(cell).into_iter().chain(about).chain(values))?;
    }
    Ok(())
}

fn measures(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for cell in &model.cells {
        for def in &model.measures {
            let (value, reason) = match number(cell.record, &def.name) {
                Ok(value) => (value.to_string(), String::new()),
                Err(reason) => (String::new(), word(reason)),
            };
            let direction = columns::direction(def.direction).to_owned();
            let fields = [word(&def.name), word(&def.unit), direction, value, reason];
            csv.write_record(key(cell).into_iter().chain(fields))?;
        }
    }
    Ok(())
}

fn items(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for cell in &model.cells {
        for item in &cell.record.items {
            let fields = [
                word(&item.item),
                word(&item.category),
                item.weight.to_string(),
                item.critical.to_string(),
                word(&item.fate),
                maybe(item.score),
                item.source_lines.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
                item.rounds_count.to_string(),
                item.lost.to_string(),
            ];
            csv.write_record(key(cell).into_iter().chain(fields))?;
        }
    }
    Ok(())
}

fn all_columns(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for file in CsvFile::of(model) {
        for column in columns::of(file, model) {
            csv.write_record([file.name(), &guarded(&column.name), &guarded(&column.unit), &guarded(&column.about)])?;
        }
    }
    Ok(())
}

/// The fields of an event in this file, if it belongs there.
fn event_fields(file: CsvFile, cell: &CellRecord, event: &EventRecord) -> Option<Vec<String>> {
    match (file, event) {
        (CsvFile::Requests, EventRecord::Request(request)) => Some(request_fields(cell, request)),
        (CsvFile::Compactions, EventRecord::Compaction(compaction)) => Some(compaction_fields(compaction)),
        (CsvFile::Incidents, event) => incident_fields(event),
        _ => None,
    }
}

fn request_fields(cell: &CellRecord, request: &RequestRecord) -> Vec<String> {
    let fields = [
        request.request.to_string(),
        request.line.to_string(),
        request.messages.to_string(),
        maybe(request.estimate_tokens),
        request.reference_tokens.to_string(),
        maybe(request.recorded_tokens),
        request.reused_tokens.to_string(),
        request.written_tokens.to_string(),
        request.overflow.to_string(),
        request.window_tokens.unwrap_or(cell.window_tokens).to_string(),
    ];
    fields.into_iter().chain(cache::request_fields(request.cache.as_ref())).collect()
}

fn compaction_fields(compaction: &CompactionRecord) -> Vec<String> {
    let fields = [
        compaction.request.to_string(),
        word(&compaction.checkpoint),
        word(&compaction.reason),
        maybe(compaction.estimate_tokens),
        compaction.before_tokens.to_string(),
        compaction.after_tokens.to_string(),
        compaction.dropped_messages.to_string(),
        compaction.dropped_tokens.to_string(),
        compaction.kept_messages.to_string(),
        compaction.kept_tokens.to_string(),
        compaction.summary_tokens.to_string(),
        compaction.summary_requests.to_string(),
        compaction.summary_input_tokens.to_string(),
        compaction.summary_output_tokens.to_string(),
        compaction.invalidated_tokens.to_string(),
        compaction.split_turn.to_string(),
        compaction.no_gain.to_string(),
        compaction.repaired_orphans.to_string(),
        compaction.from_hook.to_string(),
        word(compaction.fallback.as_deref().unwrap_or_default()),
    ];
    fields.into_iter().chain(cache::compaction_fields(compaction.cache.as_ref())).collect()
}

fn incident_fields(event: &EventRecord) -> Option<Vec<String>> {
    let none = String::new;
    match event {
        EventRecord::Overflow { request, reference_tokens, .. } => {
            let tokens = reference_tokens.to_string();
            Some(vec!["overflow".to_owned(), request.to_string(), none(), none(), tokens, none(), none(), none()])
        }
        EventRecord::Stuck { request, checkpoint, reason, .. } => Some(vec![
            "stuck".to_owned(),
            request.to_string(),
            word(checkpoint),
            word(reason),
            none(),
            none(),
            none(),
            none(),
        ]),
        EventRecord::Fired { request, checkpoint, reason, .. } => Some(vec![
            "fired".to_owned(),
            request.to_string(),
            word(checkpoint),
            word(reason),
            none(),
            none(),
            none(),
            none(),
        ]),
        EventRecord::Switched { request, model, window_tokens, .. } => Some(vec![
            "switched".to_owned(),
            request.to_string(),
            none(),
            word(&format!("{model}: window {window_tokens} tokens")),
            none(),
            none(),
            none(),
            none(),
        ]),
        EventRecord::Edited { request, messages, saved_tokens, invalidated_tokens, .. } => Some(vec![
            "edited".to_owned(),
            request.to_string(),
            none(),
            none(),
            none(),
            messages.to_string(),
            saved_tokens.to_string(),
            invalidated_tokens.to_string(),
        ]),
        EventRecord::Request(_) | EventRecord::Compaction(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::CacheRequestRecord;

    #[test]
    fn formulas_are_guarded_and_plain_text_is_not() {
        assert_eq!(guarded("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
        assert_eq!(guarded("@SUM(A1)"), "'@SUM(A1)");
        assert_eq!(guarded("'=a"), "''=a");
        for text in ["-1", "+1", "\t=1", "\r=1", "\n=1", "＝1", "＠x"] {
            assert_eq!(guarded(text), format!("'{text}"));
        }
        assert_eq!(guarded("a=b"), "a=b");
        assert_eq!(guarded(""), "");
    }

    #[test]
    fn a_void_is_empty_and_text_is_no_formula() {
        let record =
            CacheRequestRecord { session: "=1+1".to_owned(), recorded_read_tokens: Some(7), ..Default::default() };
        let mut bytes = Vec::new();
        records_csv(&[record], &mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let mut lines = text.lines();
        let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
        let fields: Vec<&str> = lines.next().unwrap().split(',').collect();
        let at = |name: &str| fields[columns.iter().position(|column| *column == name).unwrap()];
        assert_eq!((at("session"), at("recorded_read_tokens"), at("recorded_usd")), ("'=1+1", "7", ""));
    }
}
