//! The pluggable stages of a compaction strategy: pure functions of what they are given, without I/O, clock or chance.

pub mod cut;
pub mod edit;
pub mod estimate;
pub mod langchain;
pub mod pi;
pub mod preset;
pub mod recover;
pub mod registry;
#[cfg(test)]
pub(crate) mod sketch;
pub mod spec;
pub mod strategy;
pub mod summarize;
pub mod template;
pub mod trigger;
pub mod view;
