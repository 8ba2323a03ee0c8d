//! The messages of the transcripts: where a loss leads to.

use maud::{Markup, html};

use super::super::model::TranscriptDetail;
use super::super::model::evidence::{Searched, places};
use super::super::number::count;
use super::super::text::visible;
use super::ReportError;
use super::opened::marked;
use super::section::{Body, Page, Section};
use crate::results::{AnnotationRecord, MessageRecord};

pub(super) const SECTION: Section = Section { id: "messages", title: "Messages", render };

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let shown: Vec<_> = page.details().filter(|(_, detail)| !detail.messages.is_empty()).collect();
    if shown.is_empty() {
        return Ok(Body::Absent(if page.model.run.sources.messages.is_empty() {
            "the run did not record them"
        } else {
            "each transcript has a page of its own, see Transcripts"
        }));
    }
    Ok(Body::Shown(html! {
        p { "What was said, in the order of the path; a long message is cut. What states an annotated item is marked." }
        @for (index, detail) in shown {
            details {
                summary { b { (visible(detail.name)) } " · " (count(detail.messages.len() as u64)) " messages" }
                ol class="messages" { @for message in detail.messages { (one(index, detail, message)) } }
            }
        }
    }))
}

fn one(index: usize, detail: &TranscriptDetail<'_>, message: &MessageRecord) -> Markup {
    let stated: Vec<&AnnotationRecord> =
        detail.annotations.iter().filter(|known| known.lines.contains(&message.line)).collect();
    let searched = Searched::new(&message.text);
    let evidence = places(&searched, stated.iter().flat_map(|known| known.must.iter().flatten()));
    let shown = message.text.chars().count() as u64;
    html! {
        li id=(Page::message(index, message.line)) tabindex="-1" {
            p class="who" {
                b { (visible(&message.role)) } " · line " (message.line)
                @for known in &stated { span class="tag" title=(visible(&known.text)) { "states " (visible(&known.item)) } }
            }
            pre tabindex=[(message.text.len() > 1_200).then_some("0")] { (marked(&message.text, &evidence, &[])) }
            @if message.chars > shown {
                p class="soft" { (count(message.chars)) " characters; the first " (count(shown)) " are shown." }
            }
        }
    }
}
