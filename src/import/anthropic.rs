//! Anthropic's form of messages.

pub(super) mod content;
pub(super) mod usage;
