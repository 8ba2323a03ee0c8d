//! The compaction rules of the Pi coding agent, for three releases.
//!
//! Source: the packages `@mariozechner/pi-coding-agent` 0.58.3 and `@earendil-works/pi-coding-agent` 0.74.2 and 1.6.0,
//! whose own functions answered the golden files under `tests/golden/pi`. What differs between releases is data
//! ([`Rules`]); the algorithm stands here once.

mod branch;
mod context;
mod cut;
mod estimate;
mod files;
mod prepare;
mod rules;
mod serialize;

pub use branch::{BranchPreparation, left_entries, prepare_branch};
pub use context::{Item, Path};
pub use cut::{CutPoint, Positions, find_cut_point};
pub use estimate::{Estimate, estimate_context, estimate_projected, message_tokens, should_compact};
pub use files::{FileLists, FileOps};
pub use prepare::{Preparation, prepare};
pub use rules::Rules;
pub use serialize::serialize;
