//! Why the recording shows a break.

use std::fmt;

use super::outcome::{Break, BreakReason};
use crate::transcript::{Tokens, Usage};

/// Why the recording shows a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Explanation {
    /// Known from the file: times, models, settings, tools, compactions or messages changed, and the simulation, which sees only
    /// those, has a break here as well.
    Simulated(BreakReason),
    /// Inferred from usage: the file does not hold what changed, but what was recorded around the break tells where it did.
    Inferred(Hidden),
    /// Neither. A provider owes no hit: other machines, evictions and chance look like this.
    Unexplained,
}

/// A change that a file does not hold, told by the recorded usage. The first two are believed only where an agent begins to
/// work: that is when it makes its head and its opening, as after a restart. In the middle of its work it has no occasion to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hidden {
    /// Less was read than the head has: the head changed, or the whole cache was gone.
    Head,
    /// The head alone was read: what follows it changed at its very beginning.
    Opening,
    /// What was read ends, to the token, where a request before the last one had ended: the head or the opening is that
    /// request's again.
    Returned,
    /// The prompt became shorter though nothing was compacted.
    Shrunk,
    /// Nothing was read, and the file has no times: the entries may have ended their lives.
    Time,
}

impl Explanation {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simulated(reason) => reason.name(),
            Self::Inferred(Hidden::Head) => "hidden_head",
            Self::Inferred(Hidden::Opening) => "hidden_opening",
            Self::Inferred(Hidden::Returned) => "hidden_return",
            Self::Inferred(Hidden::Shrunk) => "hidden_shrunk",
            Self::Inferred(Hidden::Time) => "hidden_time",
            Self::Unexplained => "unexplained",
        }
    }

    /// How it is known: `known` from the file, `inferred` from usage, `unexplained`.
    pub fn basis(self) -> &'static str {
        match self {
            Self::Simulated(_) => "known",
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

/// A recorded break, and what the recording says around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded<'a> {
    pub(super) usage: &'a Usage,
    /// Size of the request before.
    pub(super) prompt: Tokens,
    /// Tokens that were cached and not read.
    pub(super) lost: Tokens,
    /// Size of the head.
    pub(super) head: Tokens,
    /// The agent begins to work with this request.
    pub(super) begins: bool,
    /// The time of the request, and of the one before, is known; or entries live for ever.
    pub(super) timed: bool,
    /// What requests before the last one had left cached.
    pub(super) earlier: &'a [Tokens],
}

/// Explains a recorded break. A simulated break explains it when it loses at least half as much.
pub(super) fn explain(recorded: &Recorded<'_>, missed: Option<Break>) -> Explanation {
    let Recorded { usage, prompt, lost, head, begins, timed, earlier } = *recorded;
    if let Some(missed) = missed.filter(|missed| missed.lost.0 * 2 >= lost.0) {
        return Explanation::Simulated(missed.reason);
    }
    let read = usage.cache_read;
    // An inferred head is the largest it can be: a part of it may stand behind its breakpoint.
    let head_alone = read <= head.0 + head.0 / 100;
    match () {
        () if read < head.0 / 2 && !timed => Explanation::Inferred(Hidden::Time),
        () if read < head.0 / 2 && begins => Explanation::Inferred(Hidden::Head),
        () if head_alone && begins => Explanation::Inferred(Hidden::Opening),
        () if !head_alone && earlier.contains(&Tokens(read)) => Explanation::Inferred(Hidden::Returned),
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
        let known = |begins, timed, read, rest, lost, missed| {
            let (prompt, head, earlier) = (Tokens(50_000), Tokens(10_000), [Tokens(20_000), Tokens(33_333)]);
            let usage = usage(read, rest);
            let lost = Tokens(lost);
            explain(&Recorded { usage: &usage, prompt, lost, head, begins, timed, earlier: &earlier }, missed)
        };
        let at = |begins, read, rest, lost, missed| known(begins, true, read, rest, lost, missed);
        assert_eq!(known(false, false, 0, 51_000, 50_000, None), Explanation::Inferred(Hidden::Time));
        assert_eq!(known(false, false, 9_900, 41_000, 40_100, None), Explanation::Unexplained);
        let why = |read, rest, lost, missed| at(true, read, rest, lost, missed);
        assert_eq!(why(0, 51_000, 50_000, None), Explanation::Inferred(Hidden::Head));
        assert_eq!(why(9_900, 41_000, 40_100, None), Explanation::Inferred(Hidden::Opening));
        assert_eq!(why(30_000, 19_000, 20_000, None), Explanation::Inferred(Hidden::Shrunk));
        assert_eq!(why(30_000, 21_000, 20_000, None), Explanation::Unexplained);
        // In the middle of its work an agent has no occasion to make another head.
        assert_eq!(at(false, 0, 51_000, 50_000, None), Explanation::Unexplained);
        assert_eq!(at(false, 9_900, 41_000, 40_100, None), Explanation::Unexplained);
        // To the token what an earlier request left, and one more.
        assert_eq!(at(false, 33_333, 20_000, 16_667, None), Explanation::Inferred(Hidden::Returned));
        assert_eq!(at(false, 33_334, 20_000, 16_666, None), Explanation::Unexplained);
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
