//! Models that complete requests. Asynchronous code stays in here: the engine sees a [`Completer`], made by [`Blocking`].

mod address;
mod answer;
mod api;
mod blocking;
mod client;
mod config;
mod exec;
mod failure;
mod gateway;
mod http;
mod key;
mod limits;
mod memo;
pub mod mock;
mod spend;
mod sse;
mod store;
mod wait;
mod words;

pub use api::Reply;
pub use blocking::Blocking;
pub use client::Client;
pub use config::{Api, LlmConfig, LlmConfigError};
pub use failure::CallError;
pub use gateway::{Gateway, Mode, Traffic};
pub use limits::Limits;
pub use memo::Memo;
pub use mock::{Failure, KnobError, Mock, MockKnobs};

pub use spend::{Budget, LongPrice, Price, Spent};
pub use store::{Key, Store, StoreError, Stored};

pub use crate::engine::summarize::{Called, Completer, LlmError, LlmRequest, LlmResponse};

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
