//! When to compact.

use super::message::ChatMessage;
use super::number::share;
use crate::transcript::Tokens;

/// A share of a model's input limit: above 0, up to 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Fraction(f64);

impl Fraction {
    /// `None` outside (0, 1].
    pub fn new(value: f64) -> Option<Self> {
        (value > 0.0 && value <= 1.0).then_some(Self(value))
    }

    /// `int(limit × fraction)`, at least 1.
    pub fn of(self, limit: Tokens) -> Tokens {
        share(limit, self.0).max(Tokens(1))
    }
}

/// An amount of context.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Size {
    /// Messages.
    Messages(usize),
    /// Tokens.
    Tokens(Tokens),
    /// A share of the model's input limit.
    Fraction(Fraction),
}

/// A fraction was given for a model whose input limit is not known: the package refuses to be built that way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a fraction needs the model's input limit, which is not known\nhint: give the limit, or use a number of tokens or messages"
)]
pub struct NoLimit;

impl Size {
    /// The token budget of a token or fraction size; `None` for messages.
    pub(super) fn budget(self, limit: Option<Tokens>) -> Result<Option<Tokens>, NoLimit> {
        match self {
            Self::Messages(_) => Ok(None),
            Self::Tokens(tokens) => Ok(Some(tokens.max(Tokens(1)))),
            Self::Fraction(fraction) => limit.map(|limit| Some(fraction.of(limit))).ok_or(NoLimit),
        }
    }
}

/// Conditions that must all hold. One without conditions never fires.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clause {
    /// At least so many tokens.
    pub tokens: Option<Tokens>,
    /// At least so many messages.
    pub messages: Option<usize>,
    /// At least this share of the input limit.
    pub fraction: Option<Fraction>,
}

impl From<Size> for Clause {
    fn from(size: Size) -> Self {
        match size {
            Size::Messages(messages) => Self { messages: Some(messages), ..Self::default() },
            Size::Tokens(tokens) => Self { tokens: Some(tokens), ..Self::default() },
            Size::Fraction(fraction) => Self { fraction: Some(fraction), ..Self::default() },
        }
    }
}

/// What a trigger looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Messages, without the system prompt where that is kept apart.
    pub messages: usize,
    /// The estimate, scaled by usage.
    pub total: Tokens,
    /// [`reported_usage`] of the last reply.
    pub reported: Option<Tokens>,
}

/// Clauses of which one must hold. An empty trigger never fires.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trigger(pub Vec<Clause>);

impl From<Size> for Trigger {
    fn from(size: Size) -> Self {
        Self(vec![size.into()])
    }
}

impl Trigger {
    /// Fails where the package's constructor would: a fraction without a limit.
    pub fn validate(&self, limit: Option<Tokens>) -> Result<(), NoLimit> {
        let needs_limit = self.0.iter().any(|clause| clause.fraction.is_some());
        if needs_limit && limit.is_none() { Err(NoLimit) } else { Ok(()) }
    }

    /// Whether to compact. Every comparison is "at least"; a token condition is met by the estimate or by reported usage.
    pub fn fires(&self, now: &Reading, limit: Option<Tokens>) -> bool {
        let enough = |tokens: Tokens| now.total >= tokens || now.reported.is_some_and(|reported| reported >= tokens);
        self.any(limit, |count| now.messages >= count, enough)
    }

    /// Whether the `compact_conversation` tool may be used: half of a clause, and for tokens reported usage alone.
    pub fn tool_allowed(&self, now: &Reading, limit: Option<Tokens>) -> bool {
        let half_count = |count: usize| now.messages >= (count / 2).max(1);
        let half = |tokens: Tokens| {
            let half = Tokens((tokens.0 / 2).max(1));
            now.reported.is_some_and(|reported| reported >= half)
        };
        self.any(limit, half_count, half)
    }

    /// The fewest tokens at which a clause holds whatever the number of messages.
    pub fn smallest(&self, limit: Option<Tokens>) -> Option<Tokens> {
        let of = |clause: &Clause| {
            let share = match clause.fraction {
                Some(fraction) => Some(fraction.of(limit?)),
                None => None,
            };
            clause.tokens.max(share).filter(|_| clause.messages.is_none())
        };
        self.0.iter().filter_map(of).min()
    }

    fn any(&self, limit: Option<Tokens>, count: impl Fn(usize) -> bool, tokens: impl Fn(Tokens) -> bool) -> bool {
        self.0.iter().any(|clause| {
            let of_limit = |fraction: Fraction| limit.is_some_and(|limit| tokens(fraction.of(limit)));
            *clause != Clause::default()
                && clause.messages.is_none_or(&count)
                && clause.tokens.is_none_or(&tokens)
                && clause.fraction.is_none_or(of_limit)
        })
    }
}

/// Total tokens that `last_reply`, the last assistant message, reports, if it came from the model's own `provider`.
/// Earlier replies are never looked at.
pub fn reported_usage(last_reply: Option<&ChatMessage<'_>>, provider: Option<&str>) -> Option<Tokens> {
    let reply = last_reply?;
    let own = provider.filter(|name| !name.is_empty())?;
    if reply.provider.as_deref() == Some(own) { reply.usage } else { None }
}

#[cfg(test)]
mod tests {
    use super::{Clause, Fraction, Reading, Size, Trigger};
    use crate::transcript::Tokens;

    fn reading(messages: usize, total: u64, reported: Option<u64>) -> Reading {
        Reading { messages, total: Tokens(total), reported: reported.map(Tokens) }
    }

    #[test]
    fn clauses_are_and_within_or_between() {
        let both = Clause { tokens: Some(Tokens(100)), messages: Some(5), fraction: None };
        let trigger = Trigger(vec![both, Size::Messages(50).into()]);
        assert!(trigger.fires(&reading(5, 100, None), None));
        assert!(!trigger.fires(&reading(4, 100, None), None));
        assert!(trigger.fires(&reading(50, 0, None), None));
        assert!(trigger.fires(&reading(5, 0, Some(100)), None), "reported usage stands in for the estimate");
        assert!(!Trigger::default().fires(&reading(1_000, 1_000_000, None), None));
    }

    #[test]
    fn a_fraction_needs_a_limit() {
        let trigger = Trigger::from(Size::Fraction(Fraction::new(0.85).unwrap()));
        assert!(trigger.validate(None).is_err());
        assert!(trigger.fires(&reading(1, 6_800, None), Some(Tokens(8_000))));
        assert!(!trigger.fires(&reading(1, 6_799, None), Some(Tokens(8_000))));
        // Half of 6,800, of reported usage alone.
        assert!(trigger.tool_allowed(&reading(1, 0, Some(3_400)), Some(Tokens(8_000))));
        assert!(!trigger.tool_allowed(&reading(1, 9_999, None), Some(Tokens(8_000))));
        // At least 1,000 tokens and 6,800 of 8,000; a clause with messages is not met by size alone.
        let both = Clause { tokens: Some(Tokens(1_000)), messages: None, fraction: Fraction::new(0.85) };
        let counted = Clause { tokens: Some(Tokens(10)), messages: Some(5), fraction: None };
        assert_eq!(Trigger(vec![both, counted]).smallest(Some(Tokens(8_000))), Some(Tokens(6_800)));
        assert_eq!(Trigger(vec![both, counted]).smallest(None), None);
        assert_eq!((Fraction::new(0.0), Fraction::new(1.5)), (None, None));
    }
}
