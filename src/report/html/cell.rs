//! The pieces that the tables share.

use std::fmt::Display;

use maud::{Markup, PreEscaped, html};

use super::super::model::{Aggregate, Setting, WindowStep};
use super::super::number::{count, unit_label};
use super::super::palette::Style;
use super::super::plot::swatch;
use super::super::text::{one_line, visible};
use super::ReportModel;
use crate::results::{Direction, MeasureDef};

/// A table in a container of its own that scrolls, also from the keyboard.
pub(super) fn scroll(label: &str, table: &Markup) -> Markup {
    html! { div class="scroll" role="region" tabindex="0" aria-label={ "Table: " (visible(label)) } { (table) } }
}

/// The same for a table that is no wider than it needs.
pub(super) fn scroll_fit(label: &str, table: &Markup) -> Markup {
    html! { div class="scroll fit" role="region" tabindex="0" aria-label={ "Table: " (visible(label)) } { (table) } }
}

/// A number as people read it, with the number as it stands in the CSV file: in this column of the row that the table
/// row names, of the file that the table names.
pub(super) fn datum(value: impl Display, column: &str, text: &str) -> Markup {
    html! { data value=(value) data-c=(visible(column)) { (text) } }
}

/// A number outside of a table, with its place in a CSV file.
pub(super) fn datum_at(value: impl Display, (file, row, column): (&str, usize, &str), text: &str) -> Markup {
    html! { data value=(value) data-csv=(file) data-row=(row) data-c=(visible(column)) { (text) } }
}

/// A count in a table.
pub(super) fn tokens(value: u64, column: &str) -> Markup {
    html! { td class="num" { (datum(value, column, &count(value))) } }
}

/// The field of an aggregated measure: the mean, below it the interval or the range, and how many cells are void.
pub(super) fn aggregate(model: &ReportModel, name: &str, value: Option<&Aggregate<'_>>, extra: &str) -> Markup {
    let Some(value) = value else { return void(model, &[], extra) };
    let Some(number) = value.value else { return void(model, &value.reasons, extra) };
    html! {
        td class={ "num" (extra) } {
            (datum(number, name, &value.format.write(number)))
            (spread(name, value))
            (partial(model, value))
        }
    }
}

/// The interval of the mean in brackets, or the least and the greatest lineage with a dash between.
pub(super) fn spread(name: &str, value: &Aggregate<'_>) -> Markup {
    let write = |bound: f64| value.format.write(bound);
    html! {
        @match (&value.interval, value.range()) {
            (Ok(interval), _) => span class="n" title=(format!("{interval}")) {
                "[" (datum(interval.low, &format!("{name}_low"), &write(interval.low))) ", "
                (datum(interval.high, &format!("{name}_high"), &write(interval.high))) "]"
            },
            (Err(reason), Some((least, greatest))) if value.units.len() > 1 => span class="n" title={ "no interval: " (reason) "; least and greatest lineage" } {
                (datum(least, &format!("{name}_least"), &write(least))) " … "
                (datum(greatest, &format!("{name}_greatest"), &write(greatest)))
            },
            _ => {}
        }
    }
}

/// How many cells have a number, where some have none.
pub(super) fn partial(model: &ReportModel, value: &Aggregate<'_>) -> Markup {
    html! {
        @if value.voids > 0 {
            span class="n" { "n " (value.n) "/" (value.n + value.voids) (marks(model, &value.reasons)) }
        }
    }
}

/// The field of a missing number: a dash, the reasons on hover, and their footnotes.
pub(super) fn void(model: &ReportModel, reasons: &[&str], extra: &str) -> Markup {
    html! { td class={ "num void" (extra) } { (dash(reasons)) (marks(model, reasons)) } }
}

/// A dash with the reasons, for eyes and for ears.
pub(super) fn dash(reasons: &[&str]) -> Markup {
    let title = reasons.iter().map(|reason| visible(reason)).collect::<Vec<_>>().join("; ");
    html! { abbr title={ "void: " (title) } { "–" } }
}

fn marks(model: &ReportModel, reasons: &[&str]) -> Markup {
    let mut notes: Vec<usize> = reasons.iter().filter_map(|reason| model.footnote(reason)).collect();
    notes.sort_unstable();
    html! {
        @for (index, note) in notes.into_iter().enumerate() {
            sup {
                @if index > 0 { "," }
                a href={ "#void-" (note) } aria-label={ "reason " (note) } { (note) }
            }
        }
    }
}

/// The header of a measure: its name, and below it the unit and the better direction.
pub(super) fn head(def: Option<&MeasureDef>, title: &str, extra: &str) -> Markup {
    let (arrow, better) = match def.map(|def| def.direction) {
        Some(Direction::Lower) => (" ↓", "; less is better"),
        Some(Direction::Higher) => (" ↑", "; more is better"),
        _ => ("", ""),
    };
    let unit = def.map_or("", unit_label);
    html! {
        th scope="col" class={ "num" (extra) } title=[def.map(|def| format!("{}{better}", visible(&def.about)))] {
            (title) span class="unit" { (visible(unit)) (arrow) }
        }
    }
}

/// The name of a strategy with its line and marker.
pub(super) fn strategy(model: &ReportModel, label: usize) -> Markup {
    html! { (PreEscaped(swatch(Style::of(label)))) bdi { (visible(&model.labels[label])) } }
}

/// A setting in words.
pub(super) fn setting(setting: &Setting<'_>) -> String {
    format!(
        "{}, window {} tokens, history {}",
        visible(setting.model),
        count(setting.window_tokens),
        visible(setting.history)
    )
}

/// Changes of the window that a caption names; a session may have very many.
const SAID: usize = 3;

/// Where the session goes on with a model of another size; nothing where it does not.
pub(super) fn changes(setting: &Setting<'_>, windows: &[WindowStep<'_>]) -> String {
    let is_own = |step: &WindowStep<'_>| step.request == 1 && step.tokens == setting.window_tokens;
    let changed = || windows.iter().filter(|step| !is_own(step));
    let said = |step: &WindowStep<'_>| {
        let (model, tokens) = (one_line(step.model), count(step.tokens));
        format!("; model {model} from request {} on, window {tokens} tokens", count(step.request))
    };
    let more = changed().count().saturating_sub(SAID);
    let more =
        if more > 0 { format!("; {} more changes, in incidents.csv", count(more as u64)) } else { String::new() };
    changed().take(SAID).map(said).chain([more]).collect()
}

/// The sign that a mock wrote the summaries.
pub(super) fn mock_tag() -> Markup {
    html! { span class="tag mock" title="A mock wrote the summaries: they say nothing about a real model." { "MOCK" } }
}

/// A list of strategies in a sentence.
pub(super) fn names(model: &ReportModel, labels: impl IntoIterator<Item = usize>) -> Markup {
    html! {
        @for (index, label) in labels.into_iter().enumerate() {
            @if index > 0 { ", " }
            b { (visible(&model.labels[label])) }
        }
    }
}

/// How to read a plot or a table.
pub(super) fn how_to(text: &Markup) -> Markup {
    html! { p class="how" { b { "How to read this. " } (text) } }
}
