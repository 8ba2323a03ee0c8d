//! What the measures mean, and why numbers are missing.

use maud::{Markup, html};

use super::super::model::Aggregation;
use super::super::text::visible;
use super::ReportModel;
use super::cell::scroll;
use crate::results::Direction;

pub(super) fn measures(model: &ReportModel) -> Option<Markup> {
    if model.measures.is_empty() {
        return None;
    }
    let table = html! {
        table {
            caption { "Every measure of the run. Ratios are shown as percentages here and as fractions in the CSV files." }
            thead {
                tr {
                    th scope="col" { "Measure" }
                    th scope="col" { "Unit" }
                    th scope="col" { "Better" }
                    th scope="col" { "Over cells" }
                    th scope="col" { "Meaning" }
                }
            }
            tbody {
                @for def in &model.measures {
                    tr {
                        th scope="row" { code { (visible(&def.name)) } }
                        td { (visible(&def.unit)) }
                        td {
                            @match def.direction {
                                Direction::Lower => "↓ less",
                                Direction::Higher => "↑ more",
                                Direction::Neutral => "neither",
                            }
                        }
                        td { (Aggregation::of(def).name()) }
                        td { (visible(&def.about)) }
                    }
                }
            }
        }
    };
    Some(scroll("Measures", &table))
}

pub(super) fn voids(model: &ReportModel) -> Option<Markup> {
    if model.voids.is_empty() {
        return None;
    }
    Some(html! {
        p { "A measure without a number is void for a reason. It is left out of every sum and mean, and never counted as zero." }
        ol {
            @for (index, note) in model.voids.iter().enumerate() {
                li id={ "void-" (index + 1) } {
                    (visible(note.reason))
                    span class="soft" {
                        " – " (note.cells) @if note.cells == 1 { " cell" } @else { " cells" }
                        @if !note.measures.is_empty() { ": " }
                        @for (index, measure) in note.measures.iter().enumerate() {
                            @if index > 0 { ", " }
                            code { (visible(measure)) }
                        }
                    }
                }
            }
        }
    })
}
