//! What a reader was asked after the last cut of a cell, what it answered in each condition, and which call it would make next.

use maud::{Markup, html};

use super::super::model::{EXAM_ROWS as ROWS, number};
use super::super::number::{Format, count};
use super::super::text::{shortened_line, visible};
use super::cell::{datum_at, how_to, mock_tag, scroll, strategy};
use super::critical::said_at;
use super::section::{Body, Page, Section};
use super::{ReportError, ReportModel};
use crate::results::{ActionRecord, AnswerRecord, ExamRecord, ProbeRecord};

pub(super) const SECTION: Section = Section { id: "questions", title: "Questions and answers", render };

/// Columns of the words of a search.
const QUERY: usize = 60;
/// The conditions, with their headers.
const CONDITIONS: [(&str, &str); 4] =
    [("full", "Whole history"), ("view", "Context after the cut"), ("search", "With one search"), ("empty", "Nothing")];
/// Measures that a cell's heading names.
const MEASURES: [(&str, &str); 3] = [
    ("probe_full_accuracy", "whole history"),
    ("probe_view_accuracy", "context after the cut"),
    ("probe_effect_retention", "effect retention"),
];

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.cells.iter().all(|cell| cell.record.exam.is_none()) {
        return Ok(Body::Absent("no reader was asked (run --probes)"));
    }
    let cells: Vec<usize> = page.details().flat_map(|(_, detail)| detail.cells.iter().copied()).collect();
    let asked: Vec<(usize, &ExamRecord)> =
        cells.iter().filter_map(|&cell| Some((cell, model.cells[cell].record.exam.as_deref()?))).collect();
    if asked.is_empty() {
        return Ok(Body::Absent("each transcript has a page of its own, see Transcripts"));
    }
    let how = html! {
        "After the last cut of a cell a reader was asked, one question a call, about what the cut dropped: with the whole history, \
         with the context after the cut, and with nothing. Answers are matched by rule. A question " b { "counts" }
        " in effect retention when the whole history answers it and nothing does not. “NOT KNOWN” is the right answer about what was \
         never said. " b { "×3" } ": three runs gave the same answer."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        @for (cell, exam) in asked { (of_cell(page, cell, exam)) }
    }))
}

fn of_cell(page: Page<'_, '_>, cell: usize, exam: &ExamRecord) -> Markup {
    html! {
        details {
            summary { (heading(page.model, cell, exam)) }
            @if let Some(why) = &exam.void { p class="soft" { "Nothing was asked: " (visible(why)) "." } }
            @if !exam.probes.is_empty() { (probes(page, cell, exam)) }
            @if !exam.actions.is_empty() { (actions(page, cell, exam)) }
            @if !exam.left_out.is_empty() {
                details {
                    summary { "Items of the dropped part that gave no question: " (exam.left_out.len()) }
                    ul { @for one in exam.left_out.iter().take(ROWS) { li { code { (visible(&one.item)) } ": " (visible(&one.reason)) } } }
                    (rest(exam.left_out.len(), "cells.jsonl"))
                }
            }
        }
    }
}

fn heading(model: &ReportModel, cell: usize, exam: &ExamRecord) -> Markup {
    let record = model.cells[cell].record;
    let measured = MEASURES.iter().filter_map(|&(name, words)| Some((name, words, number(record, name).ok()?)));
    html! {
        (strategy(model, model.cells[cell].label)) " on " b { (visible(&record.transcript)) }
        @if let Some(request) = exam.cut_request { ", cut before request " (count(request)) }
        span class="soft" {
            " · asked: " (visible(&exam.reader))
            @for (name, words, value) in measured {
                " · " (words) " " (datum_at(value, ("cells.csv", cell, name), &shown(model, name, value)))
                @if model.definition(name).is_some_and(|def| def.unit == "ratio") { " %" }
            }
        }
        @if exam.mock { (mock_tag()) }
    }
}

fn shown(model: &ReportModel, name: &str, value: f64) -> String {
    model.definition(name).map_or(Format::Score, Format::of).write(value)
}

fn probes(page: Page<'_, '_>, cell: usize, exam: &ExamRecord) -> Markup {
    let is_asked = |condition: &&(&str, &str)| {
        exam.probes.iter().flat_map(|probe| &probe.answers).any(|answer| answer.condition == condition.0)
    };
    let conditions: Vec<&(&str, &str)> = CONDITIONS.iter().filter(is_asked).collect();
    let table = html! {
        table class="sortable filtered" {
            caption { b { "Probes." } " As in " code { "probes.csv" } "." }
            thead { tr {
                th scope="col" { "Question" }
                th scope="col" { "Kind" }
                th scope="col" { "Counts" }
                th scope="col" { "Expected" }
                @for (_, head) in &conditions { th scope="col" { (head) } }
            } }
            tbody {
                @for probe in exam.probes.iter().take(ROWS) { (probe_row(page, cell, probe, &conditions)) }
            }
        }
    };
    html! { (scroll("Probes", &table)) (rest(exam.probes.len(), "probes.csv")) }
}

fn rest(all: usize, file: &str) -> Markup {
    html! { @if all > ROWS { p class="soft" { (count((all - ROWS) as u64)) " more are in " code { (file) } "." } } }
}

fn probe_row(page: Page<'_, '_>, cell: usize, probe: &ProbeRecord, conditions: &[&(&str, &str)]) -> Markup {
    let detail = page.model.detail_of[cell];
    let known = probe
        .item
        .as_ref()
        .and_then(|item| page.model.details[detail].annotations.iter().find(|known| known.item == *item));
    html! {
        tr {
            th scope="row" class="asked" {
                (visible(&probe.question))
                small { code { (visible(&probe.probe)) } @if known.is_some() { " · said at " (said_at(page, detail, known)) } }
            }
            td { (visible(&probe.kind)) }
            td { @if probe.kept { "◆ yes" } @else { "no" } }
            td class="answer" {
                @match &probe.expected {
                    Some(expected) => (visible(expected)),
                    None => span class="soft" { "not recorded" },
                }
            }
            @for (condition, _) in conditions { td class="answer" { (answers(probe, condition)) } }
        }
    }
}

/// The answers of a condition; runs that answered alike are told once.
fn answers(probe: &ProbeRecord, condition: &str) -> Markup {
    let mut alike: Vec<(&AnswerRecord, usize)> = Vec::new();
    for answer in probe.answers.iter().filter(|answer| answer.condition == condition) {
        let same = |known: &AnswerRecord| {
            (&known.verdict, &known.answer, &known.query) == (&answer.verdict, &answer.answer, &answer.query)
        };
        match alike.iter_mut().find(|(known, _)| same(known)) {
            Some((_, times)) => *times += 1,
            None => alike.push((answer, 1)),
        }
    }
    html! {
        @if alike.is_empty() { span class="soft" { "not asked" } }
        @for (answer, times) in alike {
            p {
                (verdict(&answer.verdict)) @if times > 1 { " ×" (times) }
                @if !answer.answer.is_empty() { ": “" (visible(&answer.answer)) "”" }
                @if let Some(query) = &answer.query { span class="soft" { ", searched for “" (shortened_line(query, QUERY)) "”" } }
            }
        }
    }
}

/// A verdict with its sign: colour is never its only carrier.
fn verdict(name: &str) -> Markup {
    let (class, sign) = match name {
        "right" | "agrees" => ("kept", "●"),
        "same_tool" => ("partly", "◐"),
        "wrong" | "differs" => ("wrong", "✕"),
        "stale" => ("lost", "↶"),
        "abstained" => ("unknown", "○"),
        _ => ("unknown", "?"),
    };
    html! { span class={ "fate " (class) } { span aria-hidden="true" { (sign) } (visible(&name.replace('_', " "))) } }
}

fn actions(page: Page<'_, '_>, cell: usize, exam: &ExamRecord) -> Markup {
    let table = html! {
        table class="sortable filtered" {
            caption { b { "Next tool calls." } " What the reader would call next, beside what was recorded; as in " code { "next_actions.csv" } "." }
            thead { tr {
                th scope="col" class="num" { "Request" }
                th scope="col" { "Recorded at" }
                th scope="col" { "It saw" }
                th scope="col" { "Verdict" }
                th scope="col" { "Recorded" }
                th scope="col" { "Named" }
            } }
            tbody { @for action in exam.actions.iter().take(ROWS) { (action_row(page, cell, action)) } }
        }
    };
    html! { (scroll("Next tool calls", &table)) (rest(exam.actions.len(), "next_actions.csv")) }
}

fn action_row(page: Page<'_, '_>, cell: usize, action: &ActionRecord) -> Markup {
    let detail = page.model.detail_of[cell];
    let is_known = page.model.details[detail].message(action.line).is_some();
    let condition =
        CONDITIONS.iter().find(|(name, _)| *name == action.condition).map_or(&*action.condition, |(_, head)| head);
    html! {
        tr {
            th scope="row" class="num" { (count(action.request)) }
            td {
                @if is_known { a href=(page.link(detail, &Page::message(detail, action.line))) { "line " (action.line) } }
                @else { "line " (action.line) }
            }
            td { (visible(condition)) }
            td { (verdict(&action.verdict)) }
            td class="answer" { @for call in &action.recorded { p { code { (visible(call)) } } } }
            td class="answer" {
                @match &action.named {
                    Some(call) => code { (visible(call)) },
                    None => span class="soft" { "no call can be read" },
                }
            }
        }
    }
}
