//! Models that complete requests. Asynchronous code stays in here: the engine sees a [`Completer`], made by [`Blocking`].

mod blocking;
mod memo;
pub mod mock;

pub use blocking::Blocking;
pub use memo::Memo;
pub use mock::{Failure, KnobError, Mock, MockKnobs};

pub use crate::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse};

/// A model, real or not.
pub trait Llm: Send + Sync {
    /// Who answers, as records name it.
    fn name(&self) -> &str;

    /// Whether the answers are made up by rule and say nothing about a real model.
    fn is_mock(&self) -> bool;

    /// Completes one request. Implementations may write `async fn`.
    fn complete(&self, request: &LlmRequest) -> impl Future<Output = Result<LlmResponse, LlmError>> + Send;
}

#[cfg(test)]
mod tests;
