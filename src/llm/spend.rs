//! What is spent, and what may be.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::config::LlmConfigError;
use crate::transcript::Usage;

/// Prices in USD per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Prompt.
    pub input_usd_per_mtok: f64,
    /// Answer.
    pub output_usd_per_mtok: f64,
    /// Prompt read from the cache; by default as the rest of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_usd_per_mtok: Option<f64>,
    /// Prompt written to the cache; by default as the rest of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_usd_per_mtok: Option<f64>,
    /// Prices of a whole call with a longer prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrice>,
}

/// Prices of a whole call whose prompt is longer than so many tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    /// Prompts longer than this.
    pub above_tokens: u64,
    /// Prompt.
    pub input_usd_per_mtok: f64,
    /// Answer.
    pub output_usd_per_mtok: f64,
    /// Prompt read from the cache; by default as the rest of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_usd_per_mtok: Option<f64>,
    /// Prompt written to the cache; by default as the rest of the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_usd_per_mtok: Option<f64>,
}

impl Price {
    /// The prices of a call with this prompt.
    fn for_prompt(&self, prompt: u64) -> LongPrice {
        self.long.filter(|long| prompt > long.above_tokens).unwrap_or(LongPrice {
            above_tokens: 0,
            input_usd_per_mtok: self.input_usd_per_mtok,
            output_usd_per_mtok: self.output_usd_per_mtok,
            cache_read_usd_per_mtok: self.cache_read_usd_per_mtok,
            cache_write_usd_per_mtok: self.cache_write_usd_per_mtok,
        })
    }

    /// Dollars of one call.
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
    pub fn of(&self, usage: &Usage) -> f64 {
        let price = self.for_prompt(usage.prompt().0);
        let input = price.input_usd_per_mtok;
        let parts = [
            (usage.input, input),
            (usage.cache_read, price.cache_read_usd_per_mtok.unwrap_or(input)),
            (usage.cache_write, price.cache_write_usd_per_mtok.unwrap_or(input)),
            (usage.output, price.output_usd_per_mtok),
        ];
        parts.into_iter().map(|(tokens, price)| tokens as f64 * price / 1e6).sum()
    }

    /// The most dollars that a call may cost: a cache write may cost more than plain input.
    pub fn at_most(&self, input: u64, output: u64) -> f64 {
        let plain = Usage { input, output, ..Usage::default() };
        let written = Usage { cache_write: input, output, ..Usage::default() };
        self.of(&plain).max(self.of(&written))
    }
}

/// What may be spent by one run. No limit where none is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Tokens, prompts and answers together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
}

impl Budget {
    pub(super) fn check(&self, price: Option<&Price>) -> Result<(), LlmConfigError> {
        let fault =
            |field, what: &str, hint: &str| Err(LlmConfigError { field, what: what.to_owned(), hint: hint.to_owned() });
        if self.usd.is_some_and(|usd| !(usd >= 0.0 && usd.is_finite())) {
            return fault("budget", "dollars must be 0 or more", "such as usd = 5.0");
        }
        if self.usd.is_some() && price.is_none() {
            let hint =
                "in [llm] of an experiment file, give price = { input_usd_per_mtok = 3.0, output_usd_per_mtok = 15.0 }";
            return fault("budget", "dollars cannot be counted: the price of the model is not known", hint);
        }
        let all = |price: &Price| [Some(price.for_prompt(0)), price.long];
        let prices = price.into_iter().flat_map(all).flatten().flat_map(|price| {
            let cached = [price.cache_read_usd_per_mtok, price.cache_write_usd_per_mtok];
            cached.into_iter().flatten().chain([price.input_usd_per_mtok, price.output_usd_per_mtok])
        });
        if prices.into_iter().any(|price| !(price >= 0.0 && price.is_finite())) {
            return fault("price", "is negative or not finite", "prices are USD per million tokens");
        }
        Ok(())
    }
}

/// What was spent so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Calls that were answered.
    pub calls: u64,
    /// Tokens of prompts.
    pub input_tokens: u64,
    /// Tokens of answers.
    pub output_tokens: u64,
    /// Dollars; `None` where the price is not known.
    pub usd: Option<f64>,
    /// Calls whose usage was not told, and is estimated.
    pub estimated_calls: u64,
}

/// Keeps the books. A call reserves its worst case first, so that many at once cannot pass the budget together.
#[derive(Debug)]
pub(super) struct Ledger {
    budget: Budget,
    price: Option<Price>,
    state: Mutex<(Spent, Worst)>,
}

/// The most that a call, or all calls in flight, may take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Worst {
    pub(super) tokens: u64,
    pub(super) usd: f64,
}

/// The budget does not hold the next call.
#[derive(Debug, thiserror::Error)]
#[error("the budget is used up: {0}")]
pub(super) struct OutOfBudget(String);

impl Ledger {
    pub(super) fn new(budget: Budget, price: Option<Price>) -> Self {
        let spent = Spent { usd: price.map(|_| 0.0), ..Spent::default() };
        Self { budget, price, state: Mutex::new((spent, Worst::default())) }
    }

    fn state(&self) -> MutexGuard<'_, (Spent, Worst)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn spent(&self) -> Spent {
        self.state().0
    }

    /// Sets the worst case of a call aside.
    pub(super) fn reserve(&self, input: u64, output: u64) -> Result<Worst, OutOfBudget> {
        let usd = self.price.map_or(0.0, |price| price.at_most(input, output));
        let call = Worst { tokens: input + output, usd };
        let (spent, reserved) = &mut *self.state();
        let tokens = spent.input_tokens + spent.output_tokens + reserved.tokens + call.tokens;
        if let Some(most) = self.budget.tokens.filter(|most| tokens > *most) {
            return Err(OutOfBudget(format!("{tokens} tokens with the next call, {most} allowed")));
        }
        let usd = spent.usd.unwrap_or(0.0) + reserved.usd + call.usd;
        if let Some(most) = self.budget.usd.filter(|most| usd > *most) {
            return Err(OutOfBudget(format!("{usd:.4} USD with the next call, {most} allowed")));
        }
        *reserved = Worst { tokens: reserved.tokens + call.tokens, usd: reserved.usd + call.usd };
        Ok(call)
    }

    /// Books what a call took: its usage, or its estimate where it was not told; nothing for a call that failed.
    pub(super) fn settle(&self, reserved: Worst, used: Option<(&Usage, bool)>) {
        let (spent, open) = &mut *self.state();
        open.tokens -= reserved.tokens;
        // Rounding must not leave a negative rest.
        open.usd = (open.usd - reserved.usd).max(0.0);
        if let Some((usage, is_told)) = used {
            spent.calls += 1;
            spent.input_tokens += usage.prompt().0;
            spent.output_tokens += usage.output;
            spent.estimated_calls += u64::from(!is_told);
            spent.usd = self.price.map(|price| spent.usd.unwrap_or(0.0) + price.of(usage));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price {
        input_usd_per_mtok: 3.0,
        output_usd_per_mtok: 15.0,
        cache_read_usd_per_mtok: Some(0.3),
        cache_write_usd_per_mtok: None,
        long: None,
    };

    fn used(input: u64, output: u64) -> Usage {
        Usage { input, output, ..Usage::default() }
    }

    #[test]
    fn a_call_costs_its_parts() {
        let usage = Usage { input: 1_000, output: 200, cache_read: 10_000, ..Usage::default() };
        assert!((PRICE.of(&usage) - (0.003 + 0.003 + 0.003)).abs() < 1e-12);
    }

    #[test]
    fn at_most_the_whole_prompt_is_written_to_the_cache() {
        let written = Price { cache_write_usd_per_mtok: Some(3.75), ..PRICE };
        assert!((written.at_most(1_000, 200) - (0.00375 + 0.003)).abs() < 1e-12);
        let cheap = Price { cache_write_usd_per_mtok: Some(1.0), ..PRICE };
        assert!((cheap.at_most(1_000, 200) - (0.003 + 0.003)).abs() < 1e-12);
    }

    #[test]
    fn a_call_with_a_long_prompt_is_dearer_as_a_whole() {
        let long = LongPrice {
            above_tokens: 1_000,
            input_usd_per_mtok: 6.0,
            output_usd_per_mtok: 22.5,
            cache_read_usd_per_mtok: Some(0.6),
            cache_write_usd_per_mtok: None,
        };
        let price = Price { long: Some(long), ..PRICE };
        // What was read from the cache counts: 400 + 601 tokens are long, 400 + 600 are not.
        let usage = |cache_read| Usage { input: 400, output: 100, cache_read, ..Usage::default() };
        assert!((price.of(&usage(600)) - (1_200.0 + 180.0 + 1_500.0) / 1e6).abs() < 1e-15);
        assert!((price.of(&usage(601)) - (2_400.0 + 360.6 + 2_250.0) / 1e6).abs() < 1e-15);
        let budget = Budget { tokens: None, usd: Some(1.0) };
        let wrong = Price { long: Some(LongPrice { input_usd_per_mtok: -1.0, ..long }), ..PRICE };
        assert!(budget.check(Some(&price)).is_ok() && budget.check(Some(&wrong)).is_err());
    }

    #[test]
    fn calls_in_flight_count_and_the_budget_is_never_passed() {
        let ledger = Ledger::new(Budget { tokens: Some(1_000), usd: None }, None);
        let first = ledger.reserve(300, 100).unwrap();
        let second = ledger.reserve(300, 100).unwrap();
        assert!(ledger.reserve(300, 100).is_err(), "1,200 would be more than 1,000");
        ledger.settle(first, Some((&used(250, 20), true)));
        ledger.settle(second, None);
        let third = ledger.reserve(300, 100).unwrap();
        ledger.settle(third, Some((&used(300, 100), false)));
        let spent = ledger.spent();
        assert_eq!((spent.calls, spent.input_tokens, spent.output_tokens, spent.estimated_calls), (2, 550, 120, 1));
        assert_eq!(spent.usd, None, "no price, no dollars");
    }

    #[test]
    fn dollars_stop_too_and_need_a_price() {
        let budget = Budget { tokens: None, usd: Some(0.01) };
        let ledger = Ledger::new(budget, Some(PRICE));
        let call = ledger.reserve(1_000, 400).unwrap();
        ledger.settle(call, Some((&used(1_000, 400), true)));
        assert!((ledger.spent().usd.unwrap() - 0.009).abs() < 1e-12);
        let error = ledger.reserve(1_000, 0).unwrap_err().to_string();
        assert!(error.contains("0.0120 USD with the next call, 0.01 allowed"), "{error}");
        assert!(budget.check(None).unwrap_err().to_string().contains("price"));
        assert!(budget.check(Some(&PRICE)).is_ok());
    }
}
