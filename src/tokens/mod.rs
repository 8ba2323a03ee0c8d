//! Exact counts: reference tokenizers, and tables of counts that are made once per transcript and shared.

mod reference;
mod table;

pub use reference::{Reference, UnknownReference};
pub use table::{IMAGE_TOKENS, MessageTable};
