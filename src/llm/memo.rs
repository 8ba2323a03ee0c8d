//! Answers the same request again without asking.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

use super::{Completer, LlmError, LlmRequest, LlmResponse};

/// Remembers answers by the SHA-256 of the whole request, for as long as it lives.
///
/// Results are those of the inner completer: its name and its errors, which are not remembered, pass through. It is
/// not bounded: it holds one answer (some kilobytes), and no prompt, for every different request.
#[derive(Debug, Default)]
pub struct Memo<C> {
    inner: C,
    seen: Mutex<HashMap<[u8; 32], LlmResponse>>,
}

impl<C: Completer> Memo<C> {
    /// Wraps a completer.
    pub fn new(inner: C) -> Self {
        Self { inner, seen: Mutex::default() }
    }

    /// Number of different requests that were answered.
    pub fn len(&self) -> usize {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether nothing was answered yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<C: Completer> Completer for Memo<C> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn is_mock(&self) -> bool {
        self.inner.is_mock()
    }

    fn halted(&self) -> Option<String> {
        self.inner.halted()
    }

    fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        let key = key(request);
        if let Some(known) = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(known.clone());
        }
        // Not under the lock, so that threads do not wait for each other's calls. The first answer stays.
        let response = self.inner.complete(request)?;
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(seen.entry(key).or_insert(response).clone())
    }
}

/// Every field enters with its length or a mark, the prompt by its own digest, so that no two requests give the same bytes.
fn key(request: &LlmRequest) -> [u8; 32] {
    // What others share decides no answer.
    let LlmRequest { system, prompt, max_output, purpose, seed, tools, shared_bytes: _ } = request;
    let mut hasher = Sha256::new();
    let schemas = tools.iter().flat_map(|tool| [&*tool.name, &*tool.description, &*tool.parameters]).map(Some);
    for text in std::iter::once(system.as_deref()).chain(schemas) {
        hasher.update(text.map_or(u64::MAX, |text| text.len() as u64).to_le_bytes());
        hasher.update(text.unwrap_or_default());
    }
    hasher.update(prompt.digest());
    hasher.update([u8::from(max_output.is_some()), *purpose as u8]);
    hasher.update(max_output.map_or(0, |limit| limit.0).to_le_bytes());
    hasher.update(seed.to_le_bytes());
    hasher.finalize().into()
}
