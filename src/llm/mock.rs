//! A model made of rules: deterministic, offline, quick.
//!
//! It sees what a real model sees, the request, and nothing else: no annotation and no later message can reach it.
//! It reads the headings that the prompt asks for, whatever template they come from, and fills each with statements
//! that it copies from the conversation; a question it answers with the line that shares most words. What it writes says nothing about the quality of a real model.

mod ask;
mod compose;
mod conversation;
mod extract;
mod knobs;
mod limit;
mod question;
mod signals;
mod topic;

#[cfg(test)]
mod tests;

pub use knobs::{Failure, KnobError, MockKnobs};

use super::{Llm, LlmError, LlmRequest, LlmResponse};
use crate::engine::summarize::Purpose;

/// The mock.
#[derive(Clone, Debug)]
pub struct Mock {
    knobs: MockKnobs,
    name: String,
}

impl Default for Mock {
    fn default() -> Self {
        Self { knobs: MockKnobs::default(), name: MockKnobs::default().to_string() }
    }
}

impl Mock {
    /// A mock with these settings.
    ///
    /// # Errors
    /// When a setting is out of its range.
    pub fn new(knobs: MockKnobs) -> Result<Self, KnobError> {
        let knobs = knobs.check()?;
        Ok(Self { knobs, name: knobs.to_string() })
    }

    /// Its answer. The output limit is counted in `o200k_base` tokens.
    ///
    /// # Errors
    /// When its knobs say that it fails.
    pub fn answer(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        self.fail(request)?;
        if !request.tools.is_empty() {
            return Ok(question::next_call(&request.prompt));
        }
        if request.purpose == Purpose::Question
            && let Some(text) = question::answer(&request.prompt)
        {
            return Ok(LlmResponse { text: text.into(), calls: Vec::new(), truncated: false, usage: None });
        }
        let ask = ask::Ask::read(&request.prompt);
        let parts = conversation::parts(ask.conversation);
        let sections = compose::sections(&ask, &parts, &self.knobs, request.seed);
        let (mut text, mut truncated) = limit::write(&sections, request.max_output);
        if self.knobs.failure == Failure::Truncated {
            text.truncate(text.floor_char_boundary(text.len() / 2));
            truncated = true;
        }
        Ok(LlmResponse { text: text.into(), calls: Vec::new(), truncated, usage: None })
    }

    fn fail(&self, request: &LlmRequest) -> Result<(), LlmError> {
        match self.knobs.failure {
            Failure::OneIn(n) if hash(request.seed, request.prompt.as_bytes()).is_multiple_of(u64::from(n)) => {
                Err(LlmError::Failed(format!("the mock was set to fail for one request in {n}")))
            }
            Failure::OverflowAbove(most) => {
                let chars = bytecount::num_chars(request.prompt.as_bytes()) as u64;
                if chars > most {
                    let message = format!("{chars} characters, where the mock was set to take {most}");
                    return Err(LlmError::Overflow(message));
                }
                Ok(())
            }
            Failure::None | Failure::OneIn(_) | Failure::Truncated => Ok(()),
        }
    }
}

impl Llm for Mock {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_mock(&self) -> bool {
        true
    }

    async fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        self.answer(request)
    }
}

/// FNV-1a (64 bits) over seed and bytes, then the finalizer of `SplitMix64`, which spreads it over all bits.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let fnv = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    let mut hash = seed.to_le_bytes().iter().chain(bytes).fold(0xcbf2_9ce4_8422_2325, fnv);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
