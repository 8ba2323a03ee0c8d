//! The program's own form of a session, for other programs: JSON Lines with one record an entry.
//!
//! The first record has `"type":"transcript"` and `"format":"cutpoint-jsonl"` with its `version`, the source's `meta` data
//! and the `head` (system prompt and tool schemas, each left out where unknown). Every further record is an entry:
//!
//! | field | meaning |
//! |---|---|
//! | `type` | `message`, `model_change`, `thinking_level_change`, `compaction`, `branch_summary`, `context_edit`, `note` |
//! | `index`, `parent` | position of the entry, from 0, and that of the entry it follows; no `parent` is a root |
//! | `on_path` | whether it is on the current branch, the one that ends at the last entry |
//! | `id`, `line`, `timestamp`, `time_ms` | the source's id, its line from 1, the entry's and the message's time |
//! | `message` | of messages: `role`, `content` (blocks), `plain` (the source had one string), and what comes with a role |
//! | `message.reply` | of the assistant: `api`, `provider`, `model`, `stop`, `error`, `usage` (tokens; input without the cache) |
//! | `message.result` | of a tool: `call_id`, `tool`, `is_error`, `details`, `nested_calls` |
//! | `size` | what of the message reaches a model: `utf16`, `chars`, `bytes`, `images`, and `tokens` if they were asked for |
//! | `compaction` | `summary`, `first_kept` (an id; none: nothing was kept), `tokens_before`, `replacement` (messages), … |
//! | `model_change`, `level`, `branch`, `edit`, `note` | of the other types; `extra` holds fields without a place |
//!
//! `size`, `index` and `on_path` are for readers with other tools; reading takes them from the content. What is missing is
//! not known, or empty. Unknown fields are passed over, so that newer files can be read.

mod block;
mod entry;
mod read;
mod record;
mod usage;
mod write;

pub(super) use self::block::one_line;
pub use self::read::read;
pub(super) use self::read::{read_from, sniff};
pub(super) use self::record::{HeadRecord, MessageRecord};
pub use self::write::{Sizes, write};

/// The name in the first record.
const FORMAT: &str = "cutpoint-jsonl";
/// The version written, and the newest one read.
const VERSION: u32 = 1;
