//! The pieces that the tables share.

use maud::{Markup, PreEscaped, html};

use super::super::model::{Aggregate, Aggregation, Setting};
use super::super::number::{count, unit_label};
use super::super::plot::swatch;
use super::super::text::visible;
use super::ReportModel;
use crate::results::{Direction, MeasureDef};

/// A table in a container of its own that scrolls, also from the keyboard.
pub(super) fn scroll(label: &str, table: &Markup) -> Markup {
    html! { div class="scroll" role="region" tabindex="0" aria-label=(visible(label)) { (table) } }
}

/// The same for a table that is no wider than it needs.
pub(super) fn scroll_fit(label: &str, table: &Markup) -> Markup {
    html! { div class="scroll fit" role="region" tabindex="0" aria-label=(visible(label)) { (table) } }
}

/// The field of an aggregated measure.
pub(super) fn aggregate(model: &ReportModel, value: Option<&Aggregate<'_>>, extra: &str) -> Markup {
    let Some(value) = value else { return void(model, &[], extra) };
    let Some(number) = value.value else { return void(model, &value.reasons, extra) };
    html! {
        td class={ "num" (extra) } {
            (value.format.write(number))
            @if value.voids > 0 {
                span class="n" { "n " (value.n) "/" (value.n + value.voids) (marks(model, &value.reasons)) }
            }
        }
    }
}

/// The field of a missing number: a dash, the reasons on hover, and their footnotes.
pub(super) fn void(model: &ReportModel, reasons: &[&str], extra: &str) -> Markup {
    let title = reasons.iter().map(|reason| visible(reason)).collect::<Vec<_>>().join("; ");
    html! {
        td class={ "num void" (extra) } { abbr title={ "void: " (title) } { "–" } (marks(model, reasons)) }
    }
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

/// The header of a measure: its name, and below it unit, aggregation and the better direction.
pub(super) fn head(def: Option<&MeasureDef>, title: &str, how: bool, extra: &str) -> Markup {
    let (arrow, better) = match def.map(|def| def.direction) {
        Some(Direction::Lower) => (" ↓", "; less is better"),
        Some(Direction::Higher) => (" ↑", "; more is better"),
        _ => ("", ""),
    };
    let unit = def.map_or("", unit_label);
    let how = def.filter(|_| how).map(Aggregation::of).map(Aggregation::name);
    html! {
        th scope="col" class={ "num" (extra) } title=[def.map(|def| format!("{}{better}", visible(&def.about)))] {
            (title)
            span class="unit" { @if let Some(how) = how { (how) ", " } (visible(unit)) (arrow) }
        }
    }
}

/// The name of a strategy with its line and marker.
pub(super) fn strategy(model: &ReportModel, label: usize) -> Markup {
    html! { (PreEscaped(swatch(label))) (visible(&model.labels[label])) }
}

/// A setting in words.
pub(super) fn setting(setting: &Setting<'_>) -> String {
    format!("{}, window {} tokens, history {}", visible(setting.model), count(setting.window_tokens), setting.history)
}

/// A count in a table.
pub(super) fn tokens(value: u64) -> Markup {
    html! { td class="num" { (count(value)) } }
}

/// The sign that a mock wrote the summaries.
pub(super) fn mock_tag() -> Markup {
    html! { span class="tag mock" title="A mock wrote the summaries: they say nothing about a real model." { "MOCK" } }
}
