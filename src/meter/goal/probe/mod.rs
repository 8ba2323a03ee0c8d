//! Probes: questions about what a cut dropped, asked of a model that sees the whole history, the context after the cut,
//! or nothing.
//!
//! A [`Bank`] is made by rule from the annotated items and the transcript, for one cut: no model has a hand in it, and its
//! digest is in every record. Every answer is matched by rule, so there is no judge here. [`Sight`] watches a replay and
//! keeps what the last cut showed; [`probes`] and [`actions`] turn verdicts into measures.

mod action;
mod answer;
mod bank;
mod conversation;
mod gap;
mod invert;
mod prompt;
mod search;
mod sight;
mod tally;
mod toolset;

pub use action::{ActionVerdict, NextCall, judge_calls};
pub use answer::{Verdict, judge_answer};
pub use bank::{Bank, BankLimits, Expected, ProbeKind, Question};
pub use prompt::{
    Condition, action_prompt, action_prompt_in_words, probe_prompt, query_of, query_prompt, shared_bytes,
};
pub use search::search;
pub use sight::{ActionSight, CutSight, Sight};
pub use tally::{ProbeResult, actions, no_exam, probes};
pub use toolset::{ToolSource, Toolset};

pub(in crate::meter) use tally::DEFS;
