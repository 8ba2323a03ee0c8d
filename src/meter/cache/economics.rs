//! What a compaction costs and saves, in the terms of the price of plain input.

use super::preset::Factors;
use crate::meter::price::{PriceRow, Rates};
use crate::replay::SummaryCall;
use crate::transcript::Tokens;

/// Prices as multiples of plain input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multiples {
    /// Reads and writes.
    pub factors: Factors,
    /// Input of the summary calls: each prompt has the price of its own tier.
    pub call_input: f64,
    /// Their output.
    pub call_output: f64,
    /// Reads of the prompt before a compaction, which may fall in a dearer tier than the one after it.
    pub read_before: f64,
    /// Output of a call with that prompt.
    pub output_before: f64,
}

impl Multiples {
    /// Those around a compaction: the prompts before and after it, and those of its summary calls, have the prices of their own
    /// tiers, as multiples of plain input in the lowest one; `None` when input is free.
    pub fn between(row: &PriceRow, before: Tokens, after: Tokens, calls: &[SummaryCall]) -> Option<Self> {
        let (dearer, rates) = (row.rates_for(before), row.rates_for(after));
        let times = |price: f64| price / row.rates.input;
        let write = rates.write.unwrap_or(rates.input);
        (row.rates.input > 0.0).then(|| Self {
            factors: Factors {
                read: times(rates.read.unwrap_or(rates.input)),
                write: times(write),
                write_long: times(rates.write_long.unwrap_or(write)),
            },
            call_input: times(mean(calls, row, |call| call.input, |rates| rates.input)),
            call_output: times(mean(calls, row, |call| call.output, |rates| rates.output)),
            output_before: times(dearer.output),
            read_before: times(dearer.read.unwrap_or(dearer.input)),
        })
    }
}

/// The mean price of the tokens of calls, each at the tier of its prompt; that of the lowest tier where there are none.
fn mean(calls: &[SummaryCall], row: &PriceRow, tokens: fn(&SummaryCall) -> Tokens, price: fn(&Rates) -> f64) -> f64 {
    let all = number(calls.iter().map(tokens).sum());
    let paid: f64 = calls.iter().map(|call| number(tokens(call)) * price(row.rates_for(call.input))).sum();
    if all > 0.0 { paid / all } else { price(&row.rates) }
}

/// A compaction, as far as money is concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Episode {
    /// The prompt before it, whatever was said since.
    pub before: Tokens,
    /// The same prompt as it leaves it.
    pub after: Tokens,
    /// Tokens of that which the next request reads.
    pub reused: Tokens,
    /// Plain input of the summary calls.
    pub summary_input: Tokens,
    /// Cached input of the summary calls.
    pub summary_read: Tokens,
    /// Output of the summary calls.
    pub summary_output: Tokens,
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn number(tokens: Tokens) -> f64 {
    tokens.0 as f64
}

impl Episode {
    /// The same with a summary call that sends the old prompt with an instruction at its end, and so reads it.
    #[must_use]
    pub fn riding(self) -> Self {
        Self { summary_input: Tokens(0), summary_read: self.before, ..self }
    }

    /// What it costs once, in tokens of plain input: the summary calls, and writing what would have been read.
    pub fn one_time(&self, price: &Multiples) -> f64 {
        let Factors { read, write, .. } = price.factors;
        // A call that reads the old prompt is as long as it.
        let output = if self.summary_read > Tokens(0) { price.output_before } else { price.call_output };
        let call = price.call_input * number(self.summary_input)
            + price.read_before * number(self.summary_read)
            + output * number(self.summary_output);
        call + (write - read) * number(self.after.saturating_sub(self.reused))
    }

    /// What every later request saves while the cache stays warm: it reads less.
    pub fn saving(&self, price: &Multiples) -> f64 {
        price.read_before * number(self.before) - price.factors.read * number(self.after)
    }

    /// Requests after which it has paid for itself; `None`: never.
    pub fn break_even(&self, price: &Multiples) -> Option<f64> {
        let saving = self.saving(price);
        (saving > 0.0).then(|| (self.one_time(price) / saving).ceil().max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meter::price::PriceBook;

    /// A worked example: 167,000 tokens before, a head of 20,000, a summary of 3,000, a tail of 20,000.
    fn episode(serialized: u64) -> Episode {
        let tokens = Tokens;
        Episode {
            before: tokens(167_000),
            after: tokens(43_000),
            reused: tokens(20_000),
            summary_input: tokens(serialized),
            summary_read: tokens(0),
            summary_output: tokens(3_000),
        }
    }

    /// Prices where no prompt is long.
    fn lowest(row: &PriceRow) -> Multiples {
        Multiples::between(row, Tokens(0), Tokens(0), &[]).unwrap()
    }

    #[test]
    fn a_worked_example() {
        let book = PriceBook::builtin().unwrap();
        // One-time cost of a riding call, saving per request, break-even riding, of the older part alone, of everything.
        for (model, one_time, saving, even) in [
            ("claude-opus-4-5", 58_150.0, 12_400.0, [5.0, 14.0, 17.0]),
            ("claude-opus-5-5", 50_950.0, 6_200.0, [9.0, 28.0, 34.0]),
            ("claude-fable-5", 47_350.0, 3_100.0, [16.0, 55.0, 68.0]),
            ("gpt-5", 61_400.0, 12_400.0, [5.0, 14.0, 18.0]),
            ("deepseek-flash", 37_880.0, 2_480.0, [16.0, 66.0, 82.0]),
        ] {
            let price = lowest(book.find(model, None).unwrap());
            let riding = episode(0).riding();
            assert!((riding.one_time(&price) - one_time).abs() < 1.0, "{model}: {}", riding.one_time(&price));
            assert!((riding.saving(&price) - saving).abs() < 1.0, "{model}");
            let found = [riding, episode(127_000), episode(167_000)].map(|one| one.break_even(&price));
            assert_eq!(found, even.map(Some), "{model}");
        }
    }

    #[test]
    fn leaving_a_dear_tier_is_saved_as_well() {
        let row = PriceBook::builtin().unwrap().find("gpt-6.1-sol", None).unwrap().clone();
        let from = |before, after| {
            let one =
                Episode { before: Tokens(before), after: Tokens(after), reused: Tokens(after), ..Episode::default() };
            one.saving(&Multiples::between(&row, one.before, one.after, &[]).unwrap())
        };
        // 300,000 tokens are read for $0.060 a request and 260,000 for $0.026: the price of 17,000 tokens of plain input.
        assert!((from(300_000, 260_000) - 17_000.0).abs() < 1e-6, "{}", from(300_000, 260_000));
        // On one side of the border of 272,000 it is the reads alone: 0.05 of 12,000, and 0.1 of 20,000.
        assert!((from(272_000, 260_000) - 600.0).abs() < 1e-6);
        assert!((from(300_000, 280_000) - 2_000.0).abs() < 1e-6);
    }

    #[test]
    fn a_summary_call_has_the_price_of_its_own_tier() {
        let row = PriceBook::builtin().unwrap().find("gpt-6.1-sol", None).unwrap().clone();
        let call = |input, output| SummaryCall { input: Tokens(input), output: Tokens(output) };
        let one_time = |calls: &[SummaryCall], is_riding: bool| {
            let sum = |of: fn(&SummaryCall) -> Tokens| calls.iter().map(of).sum();
            let (summary_input, summary_output) = (sum(|call| call.input), sum(|call| call.output));
            let (before, after) = (Tokens(300_000), Tokens(40_000));
            let made = Episode { before, after, reused: after, summary_input, summary_output, ..Episode::default() };
            let price = Multiples::between(&row, before, after, calls).unwrap();
            if is_riding { made.riding().one_time(&price) } else { made.one_time(&price) }
        };
        // Plain input is 2, output 10; above 272,000 they are 4 and 15. In tokens of plain input at 2:
        assert!((one_time(&[call(280_000, 1_000)], false) - (560_000.0 + 7_500.0)).abs() < 1e-6);
        // Two calls of which neither is long are cheap, however long they are together.
        assert!((one_time(&[call(200_000, 1_000), call(100_000, 500)], false) - (300_000.0 + 7_500.0)).abs() < 1e-6);
        assert!((one_time(&[call(280_000, 1_000), call(20_000, 500)], false) - (580_000.0 + 10_000.0)).abs() < 1e-6);
        // Riding reads all 300,000 at 0.20 and pays 15 for output.
        assert!((one_time(&[call(100_000, 1_000)], true) - (30_000.0 + 7_500.0)).abs() < 1e-6);
    }

    #[test]
    fn what_does_not_shrink_never_pays() {
        let price = lowest(PriceBook::builtin().unwrap().find("gpt-5", None).unwrap());
        let grown = Episode { after: Tokens(167_000), ..episode(0) };
        assert_eq!(grown.break_even(&price), None);
    }
}
