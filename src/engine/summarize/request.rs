//! One call of a model, as the engine sees it.

use std::sync::Arc;

use super::Prompt;
use crate::transcript::{Tokens, ToolSchema, Usage};

/// What a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A first summary.
    Summary,
    /// A summary that updates an older one.
    Update,
    /// The start of a split turn.
    TurnPrefix,
    /// A branch that is left.
    Branch,
    /// No summary, but a question: a probe, the next action, a judgement.
    Question,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LlmRequest {
    /// The system prompt.
    pub system: Option<Arc<str>>,
    /// The only user message.
    pub prompt: Prompt,
    /// The most tokens the answer may have; `None` leaves it to the model.
    pub max_output: Option<Tokens>,
    /// What it is for.
    pub purpose: Purpose,
    /// Seed, where the model takes one.
    pub seed: u64,
    /// Tools that the answer may call. Nothing runs them: the call itself is the answer.
    pub tools: Arc<[ToolSchema]>,
    /// Bytes at the beginning of the prompt that other requests share: a provider's cache is asked to keep them. 0: nothing is
    /// known of other requests. It decides no answer.
    pub shared_bytes: usize,
}

impl LlmRequest {
    /// A call with nothing but its prompts: no limit, no seed, no tools.
    pub fn new(purpose: Purpose, system: Option<Arc<str>>, prompt: impl Into<Prompt>) -> Self {
        let prompt = prompt.into();
        Self { system, prompt, max_output: None, purpose, seed: 0, tools: [].into(), shared_bytes: 0 }
    }
}

/// A tool call in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The tool.
    pub name: Arc<str>,
    /// Its arguments, as the model wrote them: JSON, if the answer is whole.
    pub arguments: Arc<str>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct LlmResponse {
    /// Its text. It may be empty where there are calls.
    pub text: Arc<str>,
    /// The tools that it calls, in order.
    pub calls: Vec<Called>,
    /// It ended at the output limit, so it is not whole.
    pub truncated: bool,
    /// Usage, where the model reports it.
    pub usage: Option<Usage>,
}

/// A call and its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// The call.
    pub request: LlmRequest,
    /// The answer; `None` when the call failed.
    pub response: Option<LlmResponse>,
}

/// A call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LlmError {
    /// The model or its provider failed.
    #[error("the model failed: {0}")]
    Failed(String),
    /// The prompt does not fit the model's window.
    #[error("the prompt does not fit the model's window: {0}")]
    Overflow(String),
    /// The answer cannot be used.
    #[error("the answer cannot be used: {0}")]
    Unusable(String),
}

/// Completes requests. Implemented outside of the engine, which does no I/O.
pub trait Completer: Sync {
    /// Who answers, as records name it.
    fn name(&self) -> &str;

    /// Whether the answers are made up by rule and say nothing about a real model.
    fn is_mock(&self) -> bool;

    /// Completes one request.
    ///
    /// # Errors
    /// When there is no answer.
    fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError>;

    /// Why no further request will be answered, if that is so: a budget that is used up, a key that is refused, an answer
    /// that a replay lacks. What was computed from then on is not a result.
    fn halted(&self) -> Option<String> {
        None
    }
}
