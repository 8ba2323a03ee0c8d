//! The rules of a prompt cache as plain data; one simulator interprets them.

use serde::{Deserialize, Serialize};

use crate::transcript::Tokens;

/// A span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Seconds(pub u64);

/// A moment: milliseconds since some fixed one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Millis(pub i64);

impl Millis {
    /// Later by `span`.
    #[must_use]
    pub fn plus(self, span: Seconds) -> Self {
        Self(self.0.saturating_add(i64::try_from(span.0.saturating_mul(1_000)).unwrap_or(i64::MAX)))
    }
}

/// How a prompt finds what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Entries at the breakpoints of earlier requests. A breakpoint looks at its own place and walks back.
    Breakpoints {
        /// Places a breakpoint looks at, its own included; `None`: all.
        look_back: Option<usize>,
        /// What a place is.
        places: Places,
        /// Breakpoints a request may have.
        most: usize,
    },
    /// Entries at stored places; the deepest that is contained in the prompt whole.
    Stored {
        /// Only so many of the newest entries are considered; `None`: all.
        latest: Option<usize>,
        /// The end of the prompt is stored without being marked.
        prompt_end: bool,
        /// So is the end of the answer.
        answer_end: bool,
        /// So is a prefix that the service notices two prompts to share: it serves the third.
        common_prefix: bool,
    },
    /// The longest prefix shared with any earlier prompt, in whole steps from the start.
    Prefix {
        /// Tokens of a step: 128, 64, a block of 16, a page; 1 for a radix tree.
        step: u64,
        /// The last token of a prompt is always computed anew, so that a whole prompt is never a hit.
        recomputes_last: bool,
    },
}

/// What counts as one place when a breakpoint walks back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Places {
    /// Every content block: the vendor's wording.
    Blocks,
    /// A run of calls and results counts once: the reading of a public simulator.
    Runs,
}

/// What restarts the lifetime of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refresh {
    /// A read of it, and of every entry of a breakpoint that lies in the part that is read.
    Marked,
    /// A read of it alone.
    Hit,
    /// Nothing: lifetimes count from the write.
    Never,
}

/// For how long an entry is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Life {
    /// The ordinary lifetime.
    Short,
    /// The long one, which costs more: 1 h, 12 h.
    Long,
}

/// The rules of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How a prompt finds what is stored.
    pub matching: Matching,
    /// Shorter prefixes are not stored and not read.
    pub minimum: Tokens,
    /// Ordinary lifetime; `None`: entries stay.
    pub short: Option<Seconds>,
    /// Long lifetime.
    pub long: Option<Seconds>,
    /// What restarts them. Prefix caches are always refreshed by use.
    pub refresh: Refresh,
    /// From the start of a request, after so long its entries can be read.
    pub propagation: Seconds,
    /// What fits; beyond it the least recently used ends go first. `None`: everything.
    pub capacity: Option<Tokens>,
    /// Writing is billed and counted apart; otherwise what is not read is plain input.
    pub bills_writes: bool,
}

impl Rules {
    /// The lifetime of an entry.
    pub fn lifetime(&self, life: Life) -> Option<Seconds> {
        match life {
            Life::Short => self.short,
            Life::Long => self.long.or(self.short),
        }
    }
}
