//! How many tokens an agent believes its context to have.

pub mod chars;
pub mod langchain;
pub mod pi;

use super::view::ContextView;
use crate::transcript::{Head, Message, Tokens};

/// An estimate and what it rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The estimate.
    pub tokens: Tokens,
    /// The part that is reported usage, where the estimate is anchored to it.
    pub anchored: Option<Tokens>,
}

/// A token estimator. What it says of a message depends on the message alone, so that it is asked once per message.
pub trait Estimator: Send + Sync {
    /// Estimate of one message.
    fn message(&self, message: &Message) -> Tokens;

    /// Estimate of system prompt and tool schemas; `None` where the estimator leaves them out or they are unknown.
    fn head(&self, head: &Head) -> Option<Tokens>;

    /// Estimate of the context. The default is the head and the sum of the messages.
    fn context(&self, view: &ContextView<'_>) -> Estimate {
        Estimate { tokens: view.head().unwrap_or_default() + view.estimates().total(), anchored: None }
    }
}
