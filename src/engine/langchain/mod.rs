//! The rules of LangChain's and Deep Agents' compaction middleware.
//!
//! Read from, and checked against, deepagents 0.7.32, langchain 1.5.2 and langchain-core 1.8.3; the conformance test is
//! `tests/deepagents_golden.rs`. Everything here is a pure function of [`ChatMessage`] values. What a message costs is
//! measured once ([`Measure`]) and summed by a [`Ledger`], so that a trigger is answered in constant time and a cut in
//! O(log messages) plus the tool results around it.
//!
//! [`AgentCall`] is the whole Deep Agents middleware around one model call, put together from the other parts.

mod agent_call;
mod arguments;
mod calls;
mod clear;
mod clip;
mod cut;
mod estimate;
mod evict;
mod from_transcript;
mod ledger;
mod media;
mod message;
mod number;
mod patch;
mod preset;
mod preview;
mod recorded;
mod summary;
mod transcript_prefix;
mod transcript_xml;
mod trigger;
mod trim;
mod view;

pub use agent_call::{AgentCall, Answered, CallReport, ContextOverflow, Event, Model, Overflowed, Services};
pub use arguments::{TruncateArguments, Truncated};
pub use clear::{ClearToolUses, Cleared};
pub use clip::{Clipped, clip_tail};
pub use cut::{Effective, Messages, cut, safe_point};
pub use estimate::{Estimator, Measure, tool_chars, tool_schema_chars};
pub use evict::{EXEMPT_TOOLS, Evicted, Eviction, offload_path};
pub use from_transcript::{Dialect, from_transcript};
pub use ledger::Ledger;
pub use media::{MediaFile, offload_media};
pub use message::{Call, ChatMessage, Content, Image, Measured, Part, Role};
pub use patch::{Dangling, dangling_calls};
pub use preset::{Settings, input_budget};
pub use preview::{Preview, preview, split_lines};
pub use summary::{
    LONG_HISTORY_ANSWER, NO_HISTORY_ANSWER, SummaryInput, cut_middle, history_section, summarizer_input,
    summary_message,
};
pub use transcript_prefix::transcript_prefix;
pub use transcript_xml::transcript_xml;
pub use trigger::{Clause, Fraction, NoLimit, Reading, Size, Trigger, reported_usage};
pub use trim::trim_last;
pub use view::{chat_message, chat_messages};
