//! What a reader was asked and answered: a row per answer.

use std::io::Write;

use ::csv::Writer;

use super::columns::Fixed;
use super::{key, maybe, word};
use crate::report::{ReportError, ReportModel};

pub(super) const PROBES: [Fixed; 14] = [
    ("replicate", "number", "Repetition of the cell, from 0."),
    ("reader", "text", "Who answered."),
    ("mock", "true or false", "The answer is a mock's: it says nothing about a real reader."),
    ("bank_sha256", "text", "SHA-256 of the question bank."),
    ("probe", "text", "Id of the question within the bank."),
    ("kind", "text", "recall, artifact, continuation, decision, constraint, update or negative."),
    ("question", "text", "The question."),
    ("item", "text", "The annotated item behind it; empty where there is none."),
    ("expected", "text", "The right answer; empty in runs that did not record it."),
    ("kept", "true or false", "It enters probe_effect_retention: the whole history answers it, and nothing does not."),
    ("condition", "text", "What the reader saw: full, view, empty, or search."),
    ("run", "number", "Run of the condition, from 0."),
    ("verdict", "text", "right, wrong, stale, abstained, unparsed, refused or overflow."),
    ("answer", "text", "The answer, as it was read from the reply."),
];

pub(super) const ACTIONS: [Fixed; 11] = [
    ("replicate", "number", "Repetition of the cell, from 0."),
    ("reader", "text", "Who answered."),
    ("mock", "true or false", "The answer is a mock's: it says nothing about a real reader."),
    ("request", "number", "The request, from 1."),
    ("line", "number", "Line of the recorded reply in its file."),
    ("condition", "text", "What the reader saw: view or full."),
    ("verdict", "text", "agrees, same_tool, differs, unparsed, refused or overflow."),
    ("recorded", "text", "The recorded calls, tool and target, a line each."),
    ("named", "text", "The call in the reply; empty when none can be read."),
    (
        "tools",
        "text",
        "Where the offered tools are known from: file, seen (names of recorded calls, without a schema), file_and_seen or unknown.",
    ),
    ("offered", "text", "How they were offered: protocol (its tool fields), or words (in the prompt)."),
];

pub(super) const VALIDITY: [Fixed; 8] = [
    ("strategy", "text", "The strategy; (all) for the mean over all of them."),
    ("loss", "text", "A loss that needs no model. What it means is listed under cells.csv."),
    (
        "spearman",
        "correlation",
        "Spearman's correlation of this loss and probe_loss over lineages; empty when it is void. Above 0: more loss, less known.",
    ),
    (
        "low",
        "correlation",
        "Lower bound of its 95 % interval (Bonett and Wright); empty where all ranks agree or all are opposite.",
    ),
    ("high", "correlation", "Upper bound."),
    ("lineages", "count", "Lineages that have both; empty when it is void."),
    ("void_reason", "text", "Why there is no correlation; empty when there is one."),
    ("mock", "true or false", "A reader was a mock: it says nothing about a real one."),
];

pub(super) fn validity(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for row in crate::report::validity(model.cells.iter().map(|cell| cell.record)) {
        let found = row.spearman.ok();
        let bounds = found.and_then(|found| found.interval);
        csv.write_record([
            word(&row.strategy),
            row.loss.to_owned(),
            maybe(found.map(|found| found.rho)),
            maybe(bounds.map(|[low, _]| low)),
            maybe(bounds.map(|[_, high]| high)),
            maybe(found.map(|found| found.n)),
            row.spearman.err().map_or_else(String::new, |why| why.to_string()),
            row.mock.to_string(),
        ])?;
    }
    Ok(())
}

pub(super) fn probes(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for cell in &model.cells {
        let Some(exam) = &cell.record.exam else { continue };
        for probe in &exam.probes {
            for answer in &probe.answers {
                let fields = [
                    cell.record.replicate.to_string(),
                    word(&exam.reader),
                    exam.mock.to_string(),
                    word(exam.bank_sha256.as_deref().unwrap_or_default()),
                    word(&probe.probe),
                    word(&probe.kind),
                    word(&probe.question),
                    word(probe.item.as_deref().unwrap_or_default()),
                    word(probe.expected.as_deref().unwrap_or_default()),
                    probe.kept.to_string(),
                    word(&answer.condition),
                    answer.run.to_string(),
                    word(&answer.verdict),
                    word(&answer.answer),
                ];
                csv.write_record(key(cell).into_iter().chain(fields))?;
            }
        }
    }
    Ok(())
}

pub(super) fn actions(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for cell in &model.cells {
        let Some(exam) = &cell.record.exam else { continue };
        for action in &exam.actions {
            let fields = [
                cell.record.replicate.to_string(),
                word(&exam.reader),
                exam.mock.to_string(),
                action.request.to_string(),
                action.line.to_string(),
                word(&action.condition),
                word(&action.verdict),
                word(&action.recorded.join("\n")),
                word(action.named.as_deref().unwrap_or_default()),
                word(&action.tools),
                word(&action.offered),
            ];
            csv.write_record(key(cell).into_iter().chain(fields))?;
        }
    }
    Ok(())
}
