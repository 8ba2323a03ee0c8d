//! What stands for the dropped part, and the request to a model that writes it.

pub mod article;
pub mod branch;
pub mod deepagents;
pub mod extract;
pub mod hook;
pub mod none;
pub mod original_prompt;
pub mod pi;
pub mod spec;

mod prompt;
mod request;

pub use prompt::Prompt;
pub use request::{Called, Completer, Exchange, LlmError, LlmRequest, LlmResponse, Purpose};

use super::cut::CutPlan;
use super::trigger::Checkpoint;
use super::view::ContextView;
use crate::transcript::{EntryIdx, JsonText, Message, Text, Tokens};

/// What is to be summarized.
#[derive(Clone, Copy, Debug)]
pub struct SummaryJob<'v, 'a> {
    /// The context before the compaction.
    pub context: &'v ContextView<'a>,
    /// The cut.
    pub plan: &'v CutPlan,
    /// All records of the path so far, also those that earlier compactions dropped.
    pub past: &'v [EntryIdx],
    /// The moment.
    pub checkpoint: Checkpoint,
    /// The person's own words on what to look at.
    pub instructions: Option<&'v str>,
    /// The model's context window.
    pub window: Tokens,
    /// Handed to the model where it takes one.
    pub seed: u64,
}

/// What stands for the dropped part.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// The message that enters the context, words around the summary included; `None` when nothing enters.
    pub message: Option<Message>,
    /// The summary itself.
    pub text: Text,
    /// Data stored beside it.
    pub details: Option<JsonText>,
    /// It came from an extension.
    pub from_hook: bool,
    /// What stands here is not what was asked for: why, in words.
    pub fallback: Option<String>,
    /// The calls that wrote it, in order.
    pub exchanges: Vec<Exchange>,
}

/// No summary could be had.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{error}")]
pub struct SummaryError {
    /// Why.
    pub error: LlmError,
    /// The calls that were made and paid for.
    pub exchanges: Vec<Exchange>,
}

/// A summarizer.
pub trait Summarizer: Send + Sync {
    /// Writes what stands for the dropped part.
    ///
    /// # Errors
    /// When a call fails, or its answer cannot be used.
    fn summarize(&self, job: &SummaryJob<'_, '_>, llm: &dyn Completer) -> Result<Summary, SummaryError>;
}
