//! How many tokens an agent believes its context to have.

pub mod anchored;
pub mod calibrated;
pub mod chars;
pub mod codex;
pub mod exact;
pub mod gemini;
pub mod langchain;
pub mod length;
pub mod named;
pub mod opencode;
pub mod outside;
pub mod pi;
pub mod pieces;
pub mod spec;

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

    /// Estimates of many messages, in their order. The default asks for one after the other; an estimator that is slow or
    /// lives in another program takes them together.
    fn messages(&self, messages: &[&Message]) -> Vec<Tokens> {
        messages.iter().map(|message| self.message(message)).collect()
    }

    /// Estimate of system prompt and tool schemas; `None` where the estimator leaves them out or they are unknown.
    fn head(&self, head: &Head) -> Option<Tokens>;

    /// Estimate of the context. The default is the head and the sum of the messages.
    fn context(&self, view: &ContextView<'_>) -> Estimate {
        Estimate { tokens: view.head().unwrap_or_default() + view.estimates().total(), anchored: None }
    }

    /// What went wrong so far, where an estimator can fail: its numbers since then mean nothing. Built-in ones cannot.
    fn fault(&self) -> Option<String> {
        None
    }
}

/// Tokens, rounded up. Counts are far below 2^52, and never negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, far below 2^63")]
pub(crate) fn ceil(tokens: f64) -> Tokens {
    Tokens(tokens.ceil() as u64)
}

/// A length as a number to reckon with.
#[expect(clippy::cast_precision_loss, reason = "lengths of texts are far below 2^52")]
pub(crate) fn real(length: u64) -> f64 {
    length as f64
}
