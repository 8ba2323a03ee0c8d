//! What was run, and what a reader must know.

use maud::{Markup, html};

use super::super::CsvFile;
use super::super::number::count;
use super::super::text::visible;
use super::section::{Body, Page, Section};
use super::{ReportError, ReportModel};
use crate::results::Manifest;

pub(super) const SECTION: Section = Section { id: "run", title: "What was run", render };

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

/// What stands above everything else: the mock, a run that was stopped, and what a replay cannot know.
pub(super) fn warnings(model: &ReportModel) -> Markup {
    let manifest = &model.run.manifest;
    let done = model.cells.len() as u64;
    let is_counterfactual = model.histories.iter().any(|history| {
        history.setting.history == "full" && (!history.compactions.is_empty() || history.edits.edits > 0)
    });
    html! {
        @if model.mock {
            p class="warn" role="note" {
                strong { "MOCK summaries: they say nothing about a real model." }
                " Triggers and cuts up to the first compaction are real. What depends on the text of a summary (goal-loss, the \
                 fate of items) or on its length (the context after a compaction) only shows that the pipeline works."
            }
        }
        @if done < manifest.cells {
            p class="warn" role="note" {
                strong { "The run is not complete: " (done) " of " (manifest.cells) " cells." }
                " It was stopped; means cover what is there."
            }
        }
        @if is_counterfactual {
            p class="note" role="note" {
                strong { "Counterfactual after the first compaction." }
                " The recorded agent saw another context; what it would have done with this one is not known."
            }
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let manifest = &page.model.run.manifest;
    Ok(Body::Shown(html! {
        (provenance(manifest))
        @if !manifest.caveats.is_empty() {
            h3 { "What a reader must know" }
            ul { @for caveat in &manifest.caveats { li { (visible(caveat)) } } }
        }
        details {
            summary { "The experiment as it was configured" }
            pre tabindex="0" { (visible(&manifest.config)) }
        }
        p class="soft" {
            "The tables as files, beside this page, where " code { "columns.csv" } " describes every column: "
            @for file in CsvFile::of(page.model) { (link(file.name())) ", " }
            "and " (link("report.json")) " and " (link("report.md")) "."
        }
    }))
}

fn link(file: &str) -> Markup {
    html! { a href=(file) { (file) } }
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
