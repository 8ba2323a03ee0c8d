//! The pluggable stages of a compaction strategy: pure functions of what they are given, without I/O, clock or chance.

pub mod cut;
pub mod edit;
pub mod estimate;
pub mod langchain;
pub mod pi;
pub mod recover;
pub mod strategy;
pub mod summarize;
pub mod trigger;
pub mod view;
