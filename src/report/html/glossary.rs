//! The words of the report.

use maud::html;

use super::ReportError;
use super::section::{Body, Page, Section};

pub(super) const SECTION: Section = Section { id: "glossary", title: "Glossary", render };

/// Words that a reader meets on the page, in alphabetical order.
const WORDS: [(&str, &str); 23] = [
    (
        "Break-even",
        "The requests after which a compaction has paid for itself: each later one reads less, and the compaction cost a summary \
         call and writing the cache anew.",
    ),
    ("Cell", "One strategy on one transcript, with one model, window and seed."),
    (
        "Class of content",
        "What most of a message is: prose, code, JSON, a diff, a log, Chinese, Japanese or Korean, and so on.",
    ),
    (
        "Compaction",
        "The old part of a context is dropped, and a summary stands for it; the recent part stays as it was said.",
    ),
    ("Context", "Everything that one request sends to the model: system prompt, tool schemas and messages."),
    ("Critical item", "An annotated item whose loss alone would end the task."),
    ("Cut", "Where a compaction separates what is dropped from what is kept."),
    ("Dropped part", "The messages that a compaction takes out of the context."),
    ("Estimate", "What the strategy believes that a context holds, in tokens."),
    (
        "Goal-loss",
        "The weighted share of annotated items that the context does not say any more: 0 none, 1 all. Only items that were \
         dropped are scored.",
    ),
    (
        "Invalidated",
        "Tokens of the request before that the next one no longer shares as a prefix: a prompt cache holds them in vain.",
    ),
    ("Kept tail", "The messages that a compaction leaves as they were said."),
    ("Lineage", "Transcripts that share an origin. They say the same thing several times, so they count once."),
    (
        "Mock",
        "A stand-in for a model that fills a summary by rule. It shows that the pipeline works, and nothing about a model.",
    ),
    ("Overflow", "A request that did not fit the window of the model: it failed."),
    (
        "Pareto set",
        "The strategies that no other one beats: none is at least as good in both measures and better in one.",
    ),
    (
        "Price row",
        "A dated row of the price book, dollars per million tokens; every dollar of the report is by one that is named.",
    ),
    (
        "Read, written, uncached",
        "Parts of a prompt: served by the prompt cache, stored in it by this request, or neither.",
    ),
    ("Reference", "The exact count of a named tokenizer."),
    ("Strategy", "Estimator, trigger, cut, template, summarizer and recovery together."),
    ("Stuck", "A trigger fired, and there was nothing that could be dropped."),
    ("Transcript", "A recorded session of a coding agent."),
    ("Void", "A measure without a number, for a reason. It enters no mean, and is never counted as zero."),
];

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(_page: Page<'_, '_>) -> Result<Body, ReportError> {
    Ok(Body::Shown(html! {
        dl class="words" {
            @for (word, meaning) in WORDS { div { dt { (word) } dd { (meaning) } } }
        }
    }))
}
