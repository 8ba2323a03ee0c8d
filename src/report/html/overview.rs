//! What was run, and what a reader must know before reading on.

use maud::{Markup, html};

use super::super::number::count;
use super::super::text::visible;
use super::ReportModel;
use super::cell::{scroll, tokens};
use crate::results::{Manifest, TranscriptRecord};

/// The size of the run in one line.
pub(super) fn facts(model: &ReportModel) -> Markup {
    let fact = |number: usize, one: &str, many: &str| html! { li { b { (number) } " " (if number == 1 { one } else { many }) } };
    let manifest = &model.run.manifest;
    html! {
        ul class="facts" {
            (fact(model.labels.len(), "strategy", "strategies"))
            (fact(manifest.transcripts.len(), "transcript", "transcripts"))
            (fact(model.settings().len(), "model and window", "models and windows"))
            (fact(model.cells.len(), "cell", "cells"))
            li { "counted with " b { (visible(&manifest.reference)) } }
        }
    }
}

/// The warning over a run with mock summaries.
pub(super) fn mock_banner() -> Markup {
    html! {
        p class="warn" role="note" {
            strong { "MOCK summaries: they say nothing about a real model." }
            " Triggers and cuts up to the first compaction are real. What depends on the text of a summary (goal-loss, the \
             fate of items) or on its length (the context after a compaction) only shows that the pipeline works."
        }
    }
}

pub(super) fn section(model: &ReportModel) -> Markup {
    let manifest = &model.run.manifest;
    let done = model.cells.len() as u64;
    html! {
        @if done < manifest.cells {
            p class="warn" role="note" {
                strong { "The run is not complete: " (done) " of " (manifest.cells) " cells." }
                " It was stopped; sums and means cover what is there."
            }
        }
        (provenance(manifest))
        @if !manifest.caveats.is_empty() {
            h3 { "What a reader must know" }
            ul { @for caveat in &manifest.caveats { li { (visible(caveat)) } } }
        }
        (transcripts(&manifest.transcripts))
        details {
            summary { "The experiment as it was configured" }
            pre { (visible(&manifest.config)) }
        }
    }
}

fn provenance(manifest: &Manifest) -> Markup {
    let history = match manifest.history.as_str() {
        "full" => "full: every recorded message is replayed as if it had never been compacted",
        "recorded" => "recorded: the replay follows the compactions that really happened",
        other => other,
    };
    html! {
        dl class="grid" {
            dt { "Program" } dd { (visible(&manifest.generator)) }
            dt { "History" } dd { (visible(history)) }
            dt { "Reference tokenizer" } dd { (visible(&manifest.reference)) }
            dt { "Cells" } dd { (count(manifest.cells)) }
            dt { "SHA-256 of the configuration" } dd { code { (visible(&manifest.config_sha256)) } }
        }
    }
}

fn transcripts(transcripts: &[TranscriptRecord]) -> Markup {
    let table = html! {
        table {
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
            tbody { @for transcript in transcripts { (row(transcript)) } }
        }
    };
    scroll("Transcripts", &table)
}

fn row(transcript: &TranscriptRecord) -> Markup {
    let short_hash: String = transcript.sha256.chars().take(12).collect();
    html! {
        tr {
            th scope="row" { (visible(&transcript.name)) }
            td { (visible(&transcript.lineage)) }
            td { (visible(&transcript.format)) }
            (tokens(transcript.messages))
            (tokens(transcript.requests))
            (tokens(transcript.reference_tokens))
            @match transcript.head_tokens {
                Some(head) => (tokens(head)),
                None => td class="num void" { abbr title="void: system prompt and tool schemas are unknown" { "–" } },
            }
            td {
                @for (index, (kind, times)) in transcript.findings.iter().enumerate() {
                    @if index > 0 { ", " }
                    (visible(kind)) " × " (count(*times))
                }
                @if transcript.findings.is_empty() { span class="soft" { "none" } }
            }
            td class="hash" { code title=(visible(&transcript.sha256)) { (visible(&short_hash)) } }
        }
    }
}
