//! Chat-completions lists in the manner of OpenAI, and what carries them.

pub(super) mod content;
pub(super) mod message;
pub(super) mod usage;
