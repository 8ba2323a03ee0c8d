//! The pluggable stages of a compaction strategy: pure functions of what they are given, without I/O, clock or chance.

pub mod cut;
pub mod edit;
pub mod estimate;
pub mod recover;
pub mod summarize;
pub mod template;
pub mod trigger;
pub mod view;
