//! The rules under test: estimates, triggers, cuts and what the summarizer is shown. Pure functions of what they are
//! given: no files, no clock, no randomness.

pub mod langchain;
