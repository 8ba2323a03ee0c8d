//! Why numbers are missing.

use maud::html;

use super::super::text::visible;
use super::ReportError;
use super::section::{Body, Page, Section};

pub(super) const SECTION: Section = Section { id: "voids", title: "Missing numbers", render };

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.voids.is_empty() {
        return Ok(Body::Absent("no number is missing"));
    }
    Ok(Body::Shown(html! {
        p { "A measure without a number is void for a reason. It is left out of every mean, and never counted as zero." }
        ol class="voids" {
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
    }))
}
