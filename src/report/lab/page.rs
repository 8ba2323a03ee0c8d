//! The page: facts, the table, and three kinds of plots.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::LabReport;
use super::table::{facts, overall};
use crate::lab::{Group, Scope};
use crate::report::ReportError;
use crate::report::html::{style, style_policy};
use crate::report::number::{Format, count, short};
use crate::report::palette::Style;
use crate::report::plot::{Dot, DotRow, dots, scatter, swatch};
use crate::report::text::visible;
use crate::transcript::class::ContentClass;

/// More arms than this cannot be told apart in one plot.
const DRAWN: usize = 7;

fn cell(value: Option<f64>, format: Format) -> Markup {
    html! { td class="num" { @match value { Some(value) => (format.write(value)), None => "–" } } }
}

/// The page as text.
pub(super) fn page(report: &LabReport<'_>) -> Result<String, ReportError> {
    let body = html! {
        (section("estimators", "Estimators", &estimators(report)))
        (section("classes", "Error by content class", &classes(report)?))
        (section("requests", "Estimate against truth", &requests(report)?))
        (section("triggers", "When compaction would start", &triggers(report)?))
        (section("cuts", "What would be kept", &cuts(report)))
        (section("reserves", "The safe reserve", &reserves(report)))
    };
    let style = style();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(style_policy(&style));
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(report.generator);
                title { "Token estimators – context compaction report" }
                style { (PreEscaped(&style)) }
            }
            body {
                header {
                    p class="kicker" { "Context compaction" }
                    h1 { "Token estimators against " (visible(report.truth)) }
                    ul class="facts" { @for fact in facts(report) { li { (visible(&fact)) } } }
                    p { code { (visible(report.command)) } }
                }
                main { (body) }
                footer { p { "Made by " (report.generator) ". Every number is in the CSV files beside this page." } }
            }
        }
    };
    Ok(page.into_string())
}

fn section(id: &str, title: &str, body: &Markup) -> Markup {
    html! { section id=(id) aria-labelledby={ (id) "-head" } { h2 id={ (id) "-head" } { (title) } (body) } }
}

fn table(head: &[&str], rows: &Markup) -> Markup {
    html! {
        div class="scroll" tabindex="0" {
            table {
                thead { tr { @for (at, name) in head.iter().enumerate() { th class=[(at > 0).then_some("num")] { (name) } } } }
                tbody { (rows) }
            }
        }
    }
}

fn estimators(report: &LabReport<'_>) -> Markup {
    let head = [
        "Estimator",
        "Requests",
        "Error %, mean over lineages",
        "from",
        "to",
        "Bias %",
        "|Error| %",
        "Under p50 %",
        "Under p95 %",
        "Under max %",
        "Over p95 %",
        "Over max %",
    ];
    let rows = html! {
        @for subject in &report.findings.subjects {
            @if let Some(row) = overall(report, subject, Scope::Request) {
                tr {
                    th scope="row" { (visible(subject)) }
                    td class="num" { (count(row.pairs)) }
                    (cell(row.lineage_total, Format::SignedPercent))
                    (cell(row.low, Format::SignedPercent))
                    (cell(row.high, Format::SignedPercent))
                    (cell(row.bias, Format::SignedPercent))
                    (cell(row.absolute, Format::Percent))
                    @for value in row.under { (cell(value, Format::Percent)) }
                    (cell(row.over[1], Format::Percent))
                    (cell(row.over[2], Format::Percent))
                }
            }
        }
    };
    html! {
        p {
            "A negative error: the estimator believes the context smaller than it is. Errors are of the messages; the head is on \
             both sides. Intervals are bootstrap-t over lineages, 95 %, and only as good as their number."
        }
        (table(&head, &rows))
    }
}

fn legend(report: &LabReport<'_>) -> Markup {
    html! {
        ul class="legend" {
            @for (index, subject) in report.findings.subjects.iter().enumerate().take(DRAWN) {
                li { (PreEscaped(swatch(Style::of(index)))) (visible(subject)) }
            }
        }
    }
}

fn classes(report: &LabReport<'_>) -> Result<Markup, ReportError> {
    let find = |subject: &str, class: &str| {
        report.findings.errors.iter().find(|row| {
            row.subject == *subject && row.scope == Scope::Message && row.group == Group::Class && row.value == *class
        })
    };
    let mut rows = Vec::new();
    for class in ContentClass::ALL {
        let subjects = report.findings.subjects.iter().enumerate().take(DRAWN);
        let dots: Vec<Dot> = subjects
            .filter_map(|(arm, subject)| {
                let row = find(subject, class.name())?;
                Some(Dot { style: Style::of(arm), at: row.lineage_total?, interval: row.low.zip(row.high) })
            })
            .collect();
        if !dots.is_empty() {
            rows.push(DotRow { label: class.name().to_owned(), dots });
        }
    }
    let drawing = dots("classes-plot", "Error by content class", &rows, (-1.0, 1.0), &|value| {
        format!("{} %", Format::SignedPercent.write(value))
    })?;
    Ok(html! {
        p {
            "Every message, by the class most of it is of. A dot is the mean over lineages of estimated over true tokens, less 1; \
             a line is its 95 % interval, drawn for five lineages or more. What lies outside is drawn at the edge. The first "
            (DRAWN) " estimators are drawn; " code { "errors.csv" } " has all."
        }
        (legend(report))
        figure { (PreEscaped(drawing)) }
    })
}

fn requests(report: &LabReport<'_>) -> Result<Markup, ReportError> {
    let mut panels = Vec::new();
    for (arm, subject) in report.findings.subjects.iter().enumerate().take(DRAWN) {
        let pairs: Vec<(f64, f64)> = report
            .sessions
            .iter()
            .flat_map(|one| &one.requests)
            .map(|row| (crate::report::number::real(row.truth.0), crate::report::number::real(row.estimates[arm].0.0)))
            .collect();
        let drawing = scatter(&format!("scatter-{arm}"), &format!("{subject} against the truth"), arm, &pairs)?;
        panels.push(html! { figure { (PreEscaped(drawing)) figcaption { b { (visible(subject)) } } } });
    }
    Ok(html! {
        p { "Below the dashed line the context is larger than believed. At most 400 requests are drawn per estimator." }
        div class="panels" { @for panel in &panels { (panel) } }
    })
}

fn triggers(report: &LabReport<'_>) -> Result<Markup, ReportError> {
    let mut rows: Vec<DotRow> = Vec::new();
    let mut widest = 1_000.0_f64;
    for row in &report.findings.triggers {
        let Some(at) = row.tokens[0] else { continue };
        widest = widest.max(at.abs());
        let label = format!("window {}", short(crate::report::number::real(row.window.0)));
        let arm = report.findings.subjects.iter().position(|subject| *subject == row.subject).unwrap_or(0);
        if arm >= DRAWN {
            continue;
        }
        let dot = Dot { style: Style::of(arm), at, interval: None };
        match rows.iter_mut().find(|one| one.label == label) {
            Some(one) => one.dots.push(dot),
            None => rows.push(DotRow { label, dots: vec![dot] }),
        }
    }
    let drawing = dots("triggers-plot", "Displacement of the trigger", &rows, (-widest, widest), &short)?;
    let head = [
        "Estimator",
        "Window",
        "Phases",
        "Same request",
        "Early",
        "Late",
        "Needless",
        "Overflows missed",
        "Mean requests",
        "Mean tokens",
        "p95 tokens",
    ];
    let table_rows = html! {
        @for row in &report.findings.triggers {
            tr {
                th scope="row" { (visible(&row.subject)) }
                @for number in [row.window.0, row.phases, row.same, row.early, row.late, row.needless, row.overflows] {
                    td class="num" { (count(number)) }
                }
                (cell(row.requests[0], Format::Tenth))
                (cell(row.tokens[0], Format::Whole))
                (cell(row.tokens[1], Format::Whole))
            }
        }
    };
    Ok(html! {
        p {
            "The same threshold, the window less its reserve, on estimates and on the truth. Right of zero the estimator fires \
             late: the context is larger by so many true tokens when it does. Only phases in which both fire are in the mean; \
             late ones that never fire, and overflows, are counted in the table."
        }
        (legend(report))
        figure { (PreEscaped(drawing)) }
        (table(&head, &table_rows))
    })
}

fn cuts(report: &LabReport<'_>) -> Markup {
    let head =
        ["Estimator", "Budget", "Cuts", "Mean messages", "p95 messages", "Kept min %", "Kept mean %", "Kept max %"];
    let rows = html! {
        @for row in &report.findings.cuts {
            tr {
                th scope="row" { (visible(&row.subject)) }
                td class="num" { (count(row.keep.0)) }
                td class="num" { (count(row.cuts)) }
                @for value in row.messages { (cell(value, Format::Tenth)) }
                @for value in row.kept { (cell(value, Format::Percent)) }
            }
        }
    };
    html! {
        p {
            "The same budget for the kept tail, walked from the end on estimates and on the tokenizer's counts, before any rule about \
             roles. Kept: the tail in the tokenizer's tokens as a part of the budget."
        }
        (table(&head, &rows))
    }
}

fn reserves(report: &LabReport<'_>) -> Markup {
    let head = [
        "Estimator",
        "Risk %",
        "Requests",
        "Lineages",
        "Reserve, % of the window",
        "from",
        "to",
        "Reserve, tokens",
        "from",
        "to",
        "Void because",
    ];
    let rows = html! {
        @for row in &report.findings.reserves {
            tr {
                th scope="row" { (visible(&row.subject)) }
                (cell(Some(row.risk), Format::Percent))
                td class="num" { (count(row.requests)) }
                td class="num" { (count(row.lineages)) }
                @for (margin, format) in [(row.window.as_ref().ok(), Format::Percent), (row.tokens.as_ref(), Format::Whole)] {
                    (cell(margin.map(|margin| margin.value), format))
                    (cell(margin.and_then(|margin| Some(margin.interval?.0)), format))
                    (cell(margin.and_then(|margin| Some(margin.interval?.1)), format))
                }
                td { @if let Err(reason) = &row.window { (reason) } }
            }
        }
    };
    html! {
        p {
            "The smallest part of the window that must stay free so that at most the risk of the requests is larger than the window \
             when the estimator believes it is not. An estimator that reads the whole context is wrong in proportion \
             to it; one that is anchored to usage is wrong by what came since, so its reserve is better read in tokens. Intervals: \
             percentiles over resampled lineages."
        }
        (table(&head, &rows))
    }
}
