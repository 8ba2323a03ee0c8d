//! The transcripts, and on which page the detail of each lies.

use maud::{Markup, html};

use super::super::model::TranscriptDetail;
use super::super::number::count;
use super::super::text::visible;
use super::ReportError;
use super::cell::{dash, scroll, tokens};
use super::section::{Body, Page, Section};
use crate::results::TranscriptRecord;

pub(super) const SECTION: Section = Section { id: "transcripts", title: "Transcripts", render };

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let details = &page.model.details;
    if details.is_empty() {
        return Ok(Body::Absent("the run names no transcript"));
    }
    let away = details.iter().filter(|detail| detail.page.is_some()).count();
    let table = html! {
        table class="sortable filtered" data-csv="transcripts.csv" {
            caption { b { "Transcripts." } " Head: system prompt and tool schemas; a dash means that they are unknown." }
            thead {
                tr {
                    th scope="col" { "Transcript" }
                    th scope="col" { "Lineage" }
                    th scope="col" { "Format" }
                    th scope="col" class="num" { "Messages" span class="unit" { "count" } }
                    th scope="col" class="num" { "Requests" span class="unit" { "count" } }
                    th scope="col" class="num" { "Messages" span class="unit" { "reference tokens" } }
                    th scope="col" class="num" { "Head" span class="unit" { "reference tokens" } }
                    th scope="col" { "Findings of the import" }
                    th scope="col" { "SHA-256" }
                }
            }
            tbody {
                @for detail in details {
                    @if let Some(record) = detail.record { (row(page, detail, record)) }
                }
            }
        }
    };
    Ok(Body::Shown(html! {
        @if away > 0 {
            p { "The detail of " (away) " of them (context, items, compactions, messages) lies on pages of their own, which \
                 the table links: this page would be too large." }
        }
        (scroll("Transcripts", &table))
    }))
}

fn row(page: Page<'_, '_>, detail: &TranscriptDetail<'_>, record: &TranscriptRecord) -> Markup {
    let short_hash: String = record.sha256.chars().take(12).collect();
    let at = page.model.run.manifest.transcripts.iter().position(|known| std::ptr::eq(known, record)).unwrap_or(0);
    html! {
        tr data-row=(at) {
            th scope="row" {
                @match &detail.page {
                    Some(file) => a href=(file) { (visible(detail.name)) },
                    None => (visible(detail.name)),
                }
            }
            td { (visible(&record.lineage)) }
            td { (visible(&record.format)) }
            (tokens(record.messages, "messages"))
            (tokens(record.requests, "requests"))
            (tokens(record.reference_tokens, "reference_tokens"))
            @match record.head_tokens {
                Some(head) => (tokens(head, "head_tokens")),
                None => td class="num void" { (dash(&["system prompt and tool schemas are unknown"])) },
            }
            td {
                @for (index, (kind, times)) in record.findings.iter().enumerate() {
                    @if index > 0 { ", " }
                    (visible(kind)) " × " (count(*times))
                }
                @if record.findings.is_empty() { span class="soft" { "none" } }
            }
            td class="hash" { code title=(visible(&record.sha256)) { (visible(&short_hash)) } }
        }
    }
}
