//! The summary of a branch that is left (`/tree`): it is stored where the work goes on.

use super::{Completer, Exchange, LlmError, LlmRequest, Purpose, Summary, SummaryError};
use crate::engine::pi::{Rules, left_entries, prepare_branch, serialize};
use crate::engine::template::{Parts, Template};
use crate::transcript::{EntryIdx, JsonText, Message, Text, Tokens, Transcript};

/// Tokens of the window that the summary's input leaves free (`branchSummary.reserveTokens`).
const RESERVE: Tokens = Tokens(16_384);

/// The window of a model that states none.
const DEFAULT_WINDOW: Tokens = Tokens(128_000);

/// What the stored summary begins with. Pi has such a sentence too; this one is our own.
const LEAD: &str = "Another branch of this conversation was explored first. Summary of that branch:\n\n";

/// A move from one place of the tree to another.
#[derive(Clone, Copy, Debug)]
pub struct BranchJob<'a> {
    /// The session.
    pub transcript: &'a Transcript,
    /// The leaf that is left.
    pub leaf: EntryIdx,
    /// Where the work goes on.
    pub target: EntryIdx,
    /// The model's context window, where it is known.
    pub window: Option<Tokens>,
    /// The person's own words on what to look at.
    pub focus: Option<&'a str>,
    /// Seed, where the model takes one.
    pub seed: u64,
}

/// Summarizes what the move leaves; `None` when it leaves nothing that was said.
///
/// # Errors
/// When the call fails, or its answer cannot be used.
pub fn summarize_branch(
    job: &BranchJob<'_>,
    rules: &Rules,
    template: &Template,
    llm: &dyn Completer,
) -> Result<Option<Summary>, SummaryError> {
    let (entries, _) = left_entries(job.transcript, job.leaf, job.target);
    let budget = job.window.unwrap_or(DEFAULT_WINDOW).saturating_sub(RESERVE);
    let prepared = prepare_branch(job.transcript, &entries, (budget > Tokens(0)).then_some(budget), rules);
    if prepared.messages.is_empty() {
        return Ok(None);
    }
    let conversation = serialize(&prepared.messages, rules);
    let parts = Parts { conversation: &conversation, previous_summary: None, focus: job.focus };
    let prompt = template.render(Purpose::Branch, &parts).or_else(|| template.render(Purpose::Summary, &parts));
    let request = LlmRequest {
        max_output: rules.branch_cap,
        seed: job.seed,
        ..LlmRequest::new(Purpose::Branch, template.system().cloned(), prompt.unwrap_or_default())
    };
    let answer = llm.complete(&request);
    let exchanges = vec![Exchange { request, response: answer.as_ref().ok().cloned() }];
    let refused = |error| SummaryError { error, exchanges: exchanges.clone() };
    let response = answer.map_err(refused)?;
    if response.truncated && rules.refuses_truncated {
        return Err(refused(LlmError::Unusable("it ended at the output limit".to_owned())));
    }
    let lists = prepared.files.lists();
    let text = Text::new([LEAD, &*response.text, &lists.tags()].concat());
    let details = serde_json::to_string(&lists).ok().and_then(JsonText::new);
    let message = Some(Message::BranchSummary(text.clone()));
    Ok(Some(Summary { message, text, details, exchanges, ..Summary::default() }))
}
