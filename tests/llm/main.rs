//! Real protocols against a server on this machine: what is sent, how faults are met, what is stored.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod adversary;
mod commands;
mod exam;
mod faults;
mod judging;
mod limits;
mod protocols;
mod replaying;
mod stub;
mod survival;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cutpoint::engine::summarize::Purpose;
use cutpoint::llm::{Api, Gateway, LlmConfig, LlmRequest, Mode};
use serde_json::{Value, json};

use stub::Stub;

pub(crate) fn request(prompt: &str, seed: u64) -> LlmRequest {
    let system = Some("You write summaries.".into());
    LlmRequest { seed, ..LlmRequest::new(Purpose::Summary, system, prompt) }
}

/// A model at the stub, whose faults are met quickly.
pub(crate) fn config(api: Api, stub: &Stub, stream: bool) -> LlmConfig {
    let mut config = LlmConfig::new(api, "m-1");
    (config.base_url, config.stream) = (Some(stub.url.clone()), stream);
    (config.limits.timeout_s, config.limits.first_byte_s, config.limits.idle_s) = (20.0, 10.0, 10.0);
    config.limits.attempts = 3;
    config
}

pub(crate) fn gateway(config: &LlmConfig, mode: Mode, store: &Path) -> Gateway {
    Gateway::new(config, mode, store, Arc::new(AtomicBool::new(false))).unwrap()
}

/// Asks the model itself, with no store.
pub(crate) fn live(config: &LlmConfig) -> Gateway {
    gateway(config, Mode::Live, Path::new("unused"))
}

/// A whole answer of chat completions.
pub(crate) fn chat(text: &str) -> Value {
    json!({"id": "c", "object": "chat.completion", "model": "m-1-2026",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}})
}
