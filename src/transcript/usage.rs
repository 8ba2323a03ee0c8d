//! Token counts that a provider recorded.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Sub};

/// A number of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tokens(pub u64);

impl Tokens {
    /// `self - other`, or zero.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Tokens {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        // A recording may claim any number.
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Tokens {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self(0), Add::add)
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Recorded usage of one reply. `input` excludes cached tokens, whatever the source's own convention.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Prompt tokens that were neither read from nor written to a cache.
    pub input: u64,
    /// Tokens of the reply.
    pub output: u64,
    /// Prompt tokens read from the cache.
    pub cache_read: u64,
    /// Prompt tokens written to the cache.
    pub cache_write: u64,
    /// The part of `cache_write` that was written for one hour, where the source tells it apart.
    pub cache_write_1h: Option<u64>,
    /// The part of `output` that was reasoning, where the source tells it apart.
    pub reasoning: Option<u64>,
    /// The source's own total, where it gives one that is not zero.
    pub total: Option<u64>,
    /// Recorded dollars, where the source gives them.
    pub cost: Option<Cost>,
}

/// Recorded dollars of one reply, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Uncached input.
    pub input: f64,
    /// Output.
    pub output: f64,
    /// Cache reads.
    pub cache_read: f64,
    /// Cache writes.
    pub cache_write: f64,
    /// All of it.
    pub total: f64,
}

impl Usage {
    /// The prompt as the provider counted it.
    pub fn prompt(&self) -> Tokens {
        [self.cache_read, self.cache_write].map(Tokens).into_iter().fold(Tokens(self.input), Add::add)
    }

    /// The context after the reply: the source's total, or prompt and output together.
    pub fn context(&self) -> Tokens {
        self.total.map_or_else(|| self.prompt() + Tokens(self.output), Tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::{Tokens, Usage};

    #[test]
    fn a_missing_total_is_the_sum_of_the_parts() {
        let mut usage = Usage { input: 7, output: 300, cache_read: 9_000, cache_write: 2_500, ..Usage::default() };
        assert_eq!((usage.prompt(), usage.context()), (Tokens(11_507), Tokens(11_807)));
        usage.total = Some(12);
        assert_eq!(usage.context(), Tokens(12));
        let all = Usage { input: u64::MAX, output: 1, cache_read: u64::MAX, ..Usage::default() };
        assert_eq!((all.prompt(), all.context()), (Tokens(u64::MAX), Tokens(u64::MAX)));
    }
}
