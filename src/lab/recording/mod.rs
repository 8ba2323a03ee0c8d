//! What is odd in a recording that was read without a fault, and how full its context is at the end.
//!
//! A finding of an importer says that a file is damaged. A [`Remark`] says that what the file holds, read whole, cannot be
//! taken at its word: usage that falls though nothing was removed, a result without its call, a summary that is longer
//! than what it replaced. Nothing is changed because of a remark, and `--strict` does not count it.

mod context;
mod pairs;
mod usage;

pub use context::{Opaque, Replaced, Standing};

use crate::engine::pi::{Path, Rules};
use crate::transcript::{EntryIdx, Transcript};

/// One thing that is odd.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// Line of the file, from 1.
    pub line: usize,
    /// What kind.
    pub kind: RemarkKind,
    /// What it is, in numbers.
    pub text: String,
}

/// Kinds of remarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RemarkKind {
    /// Usage that is no measure of its request, and why.
    UnusableUsage,
    /// Usage falls between two requests though nothing was removed between them.
    UsageFall,
    /// A request did not read from the cache what the one before had left there; that the cache expired is not excluded.
    CacheMismatch,
    /// A result in the context whose call is not before it. The finding `orphan-result` is of any branch of the file.
    OrphanResult,
    /// A call in the context that the conversation goes on without a result to. The finding `unanswered-call` also counts a call
    /// at the very end, and one that is answered late.
    UnansweredCall,
    /// A result that does not follow its call at once; strict providers refuse that.
    LateResult,
    /// A compaction that put more into the context than it took out.
    NoGain,
}

impl RemarkKind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnusableUsage => "unusable-usage",
            Self::UsageFall => "usage-fall",
            Self::CacheMismatch => "cache-mismatch",
            Self::OrphanResult => "orphan-in-context",
            Self::UnansweredCall => "unanswered-in-context",
            Self::LateResult => "late-result",
            Self::NoGain => "no-gain",
        }
    }
}

/// What a recording says beyond its messages.
#[derive(Debug)]
pub struct Recording {
    /// How full the context is at the end.
    pub standing: Standing,
    /// Signatures of thinking in that context.
    pub opaque: Opaque,
    /// What every compaction of the path took out and put in, in their order.
    pub replaced: Vec<Replaced>,
    /// What is odd, by line.
    pub remarks: Vec<Remark>,
}

impl Recording {
    /// Reads the path of a session, by the rules of Pi 1.6.0.
    pub fn of(transcript: &Transcript, indices: &[EntryIdx]) -> Self {
        let path = Path::new(transcript, indices, &Rules::V1_6);
        let context = path.context();
        let replaced = context::replaced(&path);
        let mut remarks = usage::remarks(transcript, indices);
        remarks.extend(pairs::remarks(&path, &context));
        remarks.extend(replaced.iter().filter_map(Replaced::remark));
        remarks.sort();
        Self { standing: Standing::of(&path, &context), opaque: Opaque::of(&context), replaced, remarks }
    }
}
