//! The model of a recorded session. It depends on nothing else in the crate and does no I/O.
//!
//! A [`Transcript`] is a tree of [`Entry`] values. [`Transcript::path`] is the branch that ends at the leaf, the last
//! entry of the file. Text carries its lengths in every unit an estimator may want ([`Text`]), so that it is measured
//! once, when it is read.

pub mod class;
mod entry;
pub mod json;
mod message;
mod sent;
mod text;
mod touch;
mod tree;
mod usage;

pub use entry::{BranchSummary, Compaction, ContextEdit, Entry, EntryIdx, EntryKind};
pub use message::{
    Bash, Block, Content, Custom, Image, Message, Reply, Role, StopReason, System, ToolCall, ToolResult,
};
pub use sent::{Part, is_sent, joined_text, sent_parts, user_text};
pub use text::{JsonText, Text};
pub use touch::{Action, Touch, message_touches, touches};
pub use tree::{Head, Meta, ToolSchema, Transcript};
pub use usage::{Cost, Tokens, Usage};
