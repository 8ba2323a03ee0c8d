//! What a request costs.

use std::iter::Sum;
use std::ops::{Add, Sub};

use super::PriceRow;
use crate::meter::cache::Split;
use crate::transcript::{Tokens, Usage};

/// United States dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Usd(pub f64);

impl Add for Usd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sub for Usd {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Add::add)
    }
}

/// Dollars by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bill {
    /// Cache reads.
    pub read: Usd,
    /// Cache writes for the short lifetime.
    pub write: Usd,
    /// Cache writes for the long lifetime.
    pub write_long: Usd,
    /// Plain input.
    pub plain: Usd,
    /// Output.
    pub output: Usd,
}

impl Bill {
    /// All of it.
    pub fn total(&self) -> Usd {
        self.read + self.write + self.write_long + self.plain + self.output
    }
}

impl Add for Bill {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            read: self.read + other.read,
            write: self.write + other.write,
            write_long: self.write_long + other.write_long,
            plain: self.plain + other.plain,
            output: self.output + other.output,
        }
    }
}

impl Sum for Bill {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::default(), Add::add)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn dollars(tokens: Tokens, per_million: f64) -> Usd {
    Usd(tokens.0 as f64 * per_million / 1e6)
}

impl PriceRow {
    /// What a request with this prompt and this output costs: each class of tokens at its own price, all of it at the
    /// prices of the tier that the whole prompt falls in.
    pub fn bill(&self, split: &Split, output: Tokens) -> Bill {
        let rates = self.rates_for(split.prompt());
        Bill {
            read: dollars(split.read, rates.read.unwrap_or(rates.input)),
            write: dollars(split.write, rates.write.unwrap_or(rates.input)),
            write_long: dollars(split.write_long, rates.write_long.or(rates.write).unwrap_or(rates.input)),
            plain: dollars(split.plain, rates.input),
            output: dollars(output, rates.output),
        }
    }
}

impl From<&Usage> for Split {
    /// Recorded usage by class. A write that the source does not tell apart was for the short lifetime.
    fn from(usage: &Usage) -> Self {
        let long = usage.cache_write_1h.unwrap_or(0).min(usage.cache_write);
        Self {
            read: Tokens(usage.cache_read),
            write: Tokens(usage.cache_write - long),
            write_long: Tokens(long),
            plain: Tokens(usage.input),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::PriceBook;
    use super::*;

    fn close(have: Usd, want: f64) {
        assert!((have.0 - want).abs() < 1e-12, "{have:?} {want}");
    }

    #[test]
    fn each_class_has_its_price() {
        let book = PriceBook::builtin().unwrap();
        let row = book.find("claude-sonnet-4-5", None).unwrap();
        let split =
            Split { read: Tokens(1_000_000), write: Tokens(200_000), write_long: Tokens(300_000), plain: Tokens(10) };
        let bill = row.bill(&split, Tokens(1_000));
        close(bill.read, 0.3);
        close(bill.write, 0.75);
        close(bill.write_long, 1.8);
        close(bill.plain, 0.000_03);
        close(bill.output, 0.015);
        close(bill.total(), 0.3 + 0.75 + 1.8 + 0.000_03 + 0.015);
    }

    #[test]
    fn a_tier_is_for_the_whole_request() {
        let book = PriceBook::builtin().unwrap();
        let row = book.find("gpt-6.1-sol", None).unwrap();
        let read = |read| row.bill(&Split { read: Tokens(read), ..Split::default() }, Tokens(0)).total();
        // The examples of the source: a turn reads 300,000 tokens for $0.060, 260,000 for $0.026.
        close(read(300_000), 0.06);
        close(read(260_000), 0.026);
        close(read(272_000), 0.0272);
    }

    #[test]
    fn the_border_of_a_tier_belongs_to_the_lower_one() {
        let book = PriceBook::builtin().unwrap();
        let bill = |model: &str, split| book.find(model, None).unwrap().bill(&split, Tokens(1_000));
        let plain = |plain| Split { plain: Tokens(plain), ..Split::default() };
        // 200,000 at $1.25 and output at $10; one token more, and all of it costs $2.50, output $15.
        close(bill("gemini-2.5-pro", plain(200_000)).total(), 0.25 + 0.01);
        close(bill("gemini-2.5-pro", plain(200_001)).total(), 0.500_002_5 + 0.015);
        // What is read and written counts towards the border: 100,001 tokens at five times the price.
        let split = Split { read: Tokens(90_000), write: Tokens(10_000), plain: Tokens(1), ..Split::default() };
        close(bill("claude-haiku-5-5", split).total(), (90_000.0 * 0.05 + 10_000.0 * 0.625 + 0.5 + 2_500.0) / 1e6);
    }

    #[test]
    fn with_equal_prices_the_bill_is_that_of_no_cache() {
        let book = PriceBook::parse("[[row]]\nname='m'\nmodels=['m']\ninput=2.0\nread=2.0\nwrite=2.0\nwrite_long=2.0\noutput=1.0\nsource='s'\ndate='2026-01-01'", "test").unwrap();
        let row = book.find("m", None).unwrap();
        let split = Split { read: Tokens(5), write: Tokens(7), write_long: Tokens(11), plain: Tokens(13) };
        let plain = Split { plain: split.prompt(), ..Split::default() };
        close(row.bill(&split, Tokens(3)).total(), row.bill(&plain, Tokens(3)).total().0);
    }
}
