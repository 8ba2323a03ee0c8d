//! The files about a base: gates, means that moved, items newly lost.

use std::io::Write;

use ::csv::Writer;

use super::super::{ReportError, ReportModel};
use super::columns::{Fixed, direction};
use super::{maybe, word};
use crate::compare::{Difference, Judged, LostItem, Moved, Shift};

pub(super) const GATES: [Fixed; 26] = [
    ("strategy", "text", "Strategy of the base."),
    ("head_strategy", "text", "Strategy of the head, which is the run of this report."),
    ("model", "text", "Name of the model."),
    ("window_tokens", "tokens", "Context window."),
    ("history", "text", "full or recorded."),
    ("measure", "text", "The measure that decides."),
    ("unit", "text", "Its unit."),
    ("direction", "text", "lower, higher or neutral: which way is better."),
    ("margin", "see unit", "How much worse it may become."),
    ("verdict", "text", "pass, regress, inconclusive or void."),
    ("reason", "text", "Why."),
    ("base", "see unit", "Mean over lineages of the base."),
    ("head", "see unit", "Mean over lineages of the head."),
    ("difference", "see unit", "Mean over lineages of how much worse the head is; below 0 it is better."),
    ("low", "see unit", "Lower bound of its interval; empty when there is none."),
    ("high", "see unit", "Upper bound."),
    ("method", "text", "How the interval was made, or why there is none."),
    ("better_lineages", "count", "Lineages that got better."),
    ("tied_lineages", "count", "Lineages that stayed."),
    ("worse_lineages", "count", "Lineages that got worse."),
    ("p", "probability", "Two-sided sign-flip test."),
    ("adjusted_p", "probability", "The same, adjusted by Holm over all gates."),
    ("minimum_detectable", "see unit", "The least difference that so many lineages find with a power of 80 %."),
    ("pairs", "count", "Pairs of cells with numbers in both runs."),
    ("void_pairs", "count", "Pairs that are void in both."),
    ("half_void_pairs", "count", "Pairs that are void in one."),
];

pub(super) const MOVED: [Fixed; 16] = [
    ("strategy", "text", "Strategy of the head."),
    ("model", "text", "Name of the model."),
    ("window_tokens", "tokens", "Context window."),
    ("measure", "text", "The measure; what it means is listed under cells.csv."),
    ("unit", "text", "Its unit."),
    ("direction", "text", "lower, higher or neutral: which way is better."),
    ("base", "see unit", "Mean over the lineages that have a number in both runs, in the base."),
    ("head", "see unit", "The same in the head."),
    ("difference", "see unit", "Mean of how much worse the head is; how much more, where no way is better."),
    ("low", "see unit", "Lower bound of its interval; empty when there is none."),
    ("high", "see unit", "Upper bound."),
    ("better_lineages", "count", "Lineages that got better, or less."),
    ("tied_lineages", "count", "Lineages that stayed."),
    ("worse_lineages", "count", "Lineages that got worse, or more."),
    ("p", "probability", "Two-sided sign-flip test, not adjusted: these are described, not judged."),
    ("shift", "text", "better or worse where the interval lies on one side of 0; unclear; neutral: no way is better."),
];

pub(super) const NEWLY_LOST: [Fixed; 13] = [
    ("strategy", "text", "Strategy of the head."),
    ("model", "text", "Name of the model."),
    ("window_tokens", "tokens", "Context window."),
    ("transcript", "text", "Name of the transcript."),
    ("item", "text", "Id of the annotated item in its dataset."),
    ("category", "text", "Its category."),
    ("critical", "true or false", "Losing it is a veto."),
    ("text", "text", "The item in words."),
    ("source_lines", "text", "Lines of the session file that state it, with spaces between them."),
    ("base_fate", "text", "Its fate in the base."),
    ("head_fate", "text", "Its fate in the head."),
    ("lost_in", "count", "Repetitions in which it is newly lost."),
    ("repetitions", "count", "Repetitions: seeds and replicates."),
];

/// As the CSV and the page say it.
pub(in super::super) fn shift(shift: Shift) -> &'static str {
    match shift {
        Shift::Better => "better",
        Shift::Worse => "worse",
        Shift::Unclear => "unclear",
        Shift::Neutral => "neutral",
    }
}

pub(super) fn gates(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    let gates = model.against.iter().flat_map(|against| &against.comparison.gates);
    for gate in gates {
        csv.write_record(gate_fields(gate))?;
    }
    Ok(())
}

fn gate_fields(gate: &Judged) -> Vec<String> {
    let found = gate.difference.as_ref();
    let mut fields = vec![
        word(&gate.strategy),
        word(&gate.head_strategy),
        word(&gate.model),
        gate.window_tokens.to_string(),
        word(&gate.history),
        word(&gate.measure),
        word(&gate.unit),
        direction(gate.direction).to_owned(),
        maybe(gate.margin),
        gate.verdict.name().to_owned(),
        word(&gate.reason),
        maybe(gate.base_mean),
        maybe(gate.head_mean),
    ];
    fields.extend(difference(found));
    fields.push(word(found.map_or("", |found| &found.method)));
    fields.extend(lineages(found));
    fields.extend([
        maybe(found.map(|found| found.p)),
        maybe(found.and_then(|found| found.p_holm)),
        maybe(found.and_then(|found| found.minimum_detectable)),
        gate.pairs.to_string(),
        gate.void_pairs.to_string(),
        gate.half_void_pairs.to_string(),
    ]);
    fields
}

fn difference(found: Option<&Difference>) -> [String; 3] {
    let interval = found.and_then(|found| found.interval);
    [maybe(found.map(|found| found.mean)), maybe(interval.map(|[low, _]| low)), maybe(interval.map(|[_, high]| high))]
}

fn lineages(found: Option<&Difference>) -> [String; 3] {
    [
        maybe(found.map(|found| found.better)),
        maybe(found.map(|found| found.ties)),
        maybe(found.map(|found| found.worse)),
    ]
}

pub(super) fn moved(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for moved in model.against.iter().flat_map(|against| &against.comparison.moved) {
        csv.write_record(moved_fields(moved))?;
    }
    Ok(())
}

fn moved_fields(moved: &Moved) -> Vec<String> {
    let mut fields = vec![
        word(&moved.strategy),
        word(&moved.model),
        moved.window_tokens.to_string(),
        word(&moved.measure),
        word(&moved.unit),
        direction(moved.direction).to_owned(),
        moved.base.to_string(),
        moved.head.to_string(),
    ];
    fields.extend(difference(Some(&moved.difference)));
    fields.extend(lineages(Some(&moved.difference)));
    fields.extend([moved.difference.p.to_string(), shift(moved.shift()).to_owned()]);
    fields
}

pub(super) fn newly_lost(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for item in model.against.iter().flat_map(|against| &against.comparison.newly_lost) {
        csv.write_record(lost_fields(item))?;
    }
    Ok(())
}

fn lost_fields(item: &LostItem) -> [String; 13] {
    [
        word(&item.strategy),
        word(&item.model),
        item.window_tokens.to_string(),
        word(&item.transcript),
        word(&item.item),
        word(&item.category),
        item.critical.to_string(),
        word(&item.text),
        item.lines.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
        word(&item.base_fate),
        word(&item.head_fate),
        item.lost_in.to_string(),
        item.repetitions.to_string(),
    ]
}
