//! Offline evaluation and benchmarking of context compaction in coding agents.
//!
//! A recorded session is read by [`import`] into a [`transcript::Transcript`]; [`engine`] holds the pluggable rules
//! that decide when and where a context is cut, and what the summarizer is shown. See `ARCHITECTURE.md` for the whole
//! design and for what is still missing.

pub mod engine;
pub mod import;
pub mod transcript;
