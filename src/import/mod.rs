//! Files to transcripts. Bad content is a [`Finding`], never a panic and never silence.

mod finding;

pub use finding::{Finding, FindingKind, Imported};
