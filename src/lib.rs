//! Offline evaluation and benchmarking of context compaction in coding agents.
//!
//! A recorded session is [read](import) into a [`Transcript`](transcript::Transcript); the [engine] holds the pluggable
//! stages of a compaction strategy. `ARCHITECTURE.md` gives the whole picture.

pub mod engine;
pub mod import;
pub mod measure;
pub mod meter;
pub mod replay;
pub mod results;
pub mod tokens;
pub mod transcript;
