//! Offline evaluation and benchmarking of context compaction in coding agents.
//!
//! A recorded session is [read](import) into a [`Transcript`](transcript::Transcript); the [engine] holds the pluggable
//! stages of a compaction strategy; a [replay] drives the one through the other, request by request; [meters](meter)
//! observe it; an [experiment] does so for a grid of cells and leaves [results] on disk, which a [report] reads.
//! `ARCHITECTURE.md` gives the whole picture.

pub mod cli;
pub mod compare;
pub mod digest;
pub mod engine;
pub mod error;
pub mod experiment;
pub mod export;
pub mod import;
pub mod judge;
pub mod lab;
pub mod llm;
pub mod measure;
pub mod meter;
pub mod outside;
pub mod redact;
pub mod replay;
pub mod report;
pub mod results;
pub mod stats;
pub mod tokens;
pub mod transcript;
