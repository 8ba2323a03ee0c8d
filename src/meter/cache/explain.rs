//! Why the recording shows a break.

use std::fmt;

use super::outcome::{Break, BreakReason};
use crate::transcript::{Tokens, Usage};

/// Why the recording shows a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Explanation {
    /// The simulation has a break here as well.
    Simulated(BreakReason),
    /// The file does not hold what changed, but the recorded usage shows where.
    Inferred(Hidden),
    /// Neither.
    Unexplained,
}

/// A change that a file does not hold, told by the recorded usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hidden {
    /// Less was read than the head has: the head changed, or the whole cache was gone.
    Head,
    /// The head alone was read: what follows it changed at its very beginning.
    Opening,
    /// The prompt became shorter though nothing was compacted.
    Shrunk,
}

impl Explanation {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simulated(reason) => reason.name(),
            Self::Inferred(Hidden::Head) => "hidden_head",
            Self::Inferred(Hidden::Opening) => "hidden_opening",
            Self::Inferred(Hidden::Shrunk) => "hidden_shrunk",
            Self::Unexplained => "unexplained",
        }
    }

    /// How it is known.
    pub fn basis(self) -> &'static str {
        match self {
            Self::Simulated(_) => "simulated",
            Self::Inferred(_) => "inferred",
            Self::Unexplained => "unexplained",
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Explains a recorded break that lost so many tokens. `prompt` is the size of the request before, `head` that of the
/// head. A simulated break explains it when it loses at least half as much.
pub(super) fn explain(
    usage: &Usage,
    (prompt, lost): (Tokens, Tokens),
    missed: Option<Break>,
    head: Tokens,
) -> Explanation {
    if let Some(missed) = missed.filter(|missed| missed.lost.0 * 2 >= lost.0) {
        return Explanation::Simulated(missed.reason);
    }
    let read = usage.cache_read;
    match () {
        // An inferred head is the largest it can be: a part of it may stand behind its breakpoint.
        () if read < head.0 / 2 => Explanation::Inferred(Hidden::Head),
        () if read <= head.0 + head.0 / 100 => Explanation::Inferred(Hidden::Opening),
        () if usage.prompt() < prompt => Explanation::Inferred(Hidden::Shrunk),
        () => Explanation::Unexplained,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorded_read_tells_where_something_changed() {
        let usage = |read, rest| Usage { cache_read: read, input: rest, ..Usage::default() };
        let why = |read, rest, lost, missed| {
            explain(&usage(read, rest), (Tokens(50_000), Tokens(lost)), missed, Tokens(10_000))
        };
        assert_eq!(why(0, 51_000, 50_000, None), Explanation::Inferred(Hidden::Head));
        assert_eq!(why(9_900, 41_000, 40_100, None), Explanation::Inferred(Hidden::Opening));
        assert_eq!(why(30_000, 19_000, 20_000, None), Explanation::Inferred(Hidden::Shrunk));
        assert_eq!(why(30_000, 21_000, 20_000, None), Explanation::Unexplained);
        let missed = |lost| {
            let (reason, none) = (BreakReason::Expired, Tokens(0));
            Some(Break {
                reason,
                lost: Tokens(lost),
                content: none,
                lifetime: Tokens(lost),
                granularity: none,
                placement: none,
            })
        };
        assert_eq!(why(0, 51_000, 50_000, missed(25_000)), Explanation::Simulated(BreakReason::Expired));
        // A few tokens that the simulation lost do not explain a break of thousands.
        assert_eq!(why(0, 51_000, 50_000, missed(24)), Explanation::Inferred(Hidden::Head));
    }
}
