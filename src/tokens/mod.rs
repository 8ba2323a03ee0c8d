//! Exact counts: reference tokenizers, and tables of counts that are made once per transcript and shared.

mod count;
mod file;
mod long;
mod reference;
mod table;

pub use count::{CountTokens, IMAGE_BYTES, IMAGE_TOKENS, head_tokens, message_tokens, tools_json};
pub use file::{TokenizerFile, TokenizerFileError};
pub use reference::{Reference, UnknownReference};
pub use table::MessageTable;
