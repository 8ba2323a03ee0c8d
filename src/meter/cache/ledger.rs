//! What a bill remembers of requests and compactions, and the measures made of it.

use super::bill::ProviderBill;
use super::economics::{Episode, Multiples};
use super::outcome::{Break, Split};
use super::rules::Millis;
use crate::measure::Direction::{Higher, Lower, Neutral};
use crate::measure::Measure;
use crate::meter::price::Usd;
use crate::meter::{Def, Measures, mean, number};
use crate::transcript::Tokens;

/// How a request was billed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestLedger {
    /// Its number, from 1.
    pub request: u64,
    /// When it started.
    pub at: Millis,
    /// How its prompt was billed.
    pub split: Split,
    /// Why less was read than the request before had left.
    pub missed: Option<Break>,
    /// What the cache can serve of it from then on.
    pub cached: Tokens,
    /// What it cost; `None` without a price.
    pub usd: Option<Usd>,
    /// Milliseconds to the first token by the latency model that was chosen; `None`: none was.
    pub first_token_ms: Option<f64>,
}

/// What a compaction did to the cache, when the next request met it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompactionLedger {
    /// Its number among the compactions, from 0.
    pub ordinal: usize,
    /// Why less was read, and which part of it for which reason.
    pub missed: Option<Break>,
    /// The request after it, from 0.
    pub next: usize,
    /// Milliseconds between the requests around it.
    pub idle_ms: i64,
    /// What the cache could serve of the request before.
    pub cached_before: Tokens,
    /// The part of it that the next request does not read.
    pub invalidated: Tokens,
    /// The part of the next request that is not read.
    pub rewritten: Tokens,
    /// Sizes for the money.
    pub episode: Episode,
    /// Prices as multiples of plain input; `None` without a price.
    pub price: Option<Multiples>,
    /// Its summary calls: as they were made, and reading the old prompt from the cache. `None` without a price.
    pub summary_usd: Option<[Usd; 2]>,
    /// Requests until it has paid for itself; `None`: never, or there is no price.
    pub break_even: Option<f64>,
    /// The same for a summary call that rides on the old prefix.
    pub break_even_riding: Option<f64>,
}

pub(in crate::meter) const DEFS: &[Def] = &[
    Def("cache_hit_ratio", "ratio", Higher, "prompt tokens that the simulated cache serves / all prompt tokens"),
    Def("cache_read_tokens", "tokens", Neutral, "prompt tokens read from the simulated cache, summed"),
    Def("cache_write_tokens", "tokens", Lower, "prompt tokens written to it, summed; 0 where a provider bills none"),
    Def("cache_plain_tokens", "tokens", Lower, "prompt tokens that are neither, summed"),
    Def("cache_rewrite_ratio", "ratio", Lower, "tokens not read / largest prompt: 1 is a session that is sent once"),
    Def("cache_breaks_count", "count", Lower, "requests that read less than the request before had left, by any cause"),
    Def(
        "cache_invalidated_tokens",
        "tokens",
        Lower,
        "cached tokens that the request after a compaction does not read, summed over compactions",
    ),
    Def("cache_rewritten_tokens", "tokens", Lower, "tokens that the request after a compaction does not read, summed"),
    Def(
        "cache_warmup_requests",
        "requests",
        Lower,
        "requests after a compaction until the cached share is back to 95 % of that of the request before it, mean",
    ),
    Def(
        "cache_regrowth_requests",
        "requests",
        Higher,
        "requests until the context is as large as before, mean of those that regrow",
    ),
    Def(
        "cache_break_even_requests",
        "requests",
        Lower,
        "requests until a compaction has paid for itself, mean of those that do",
    ),
    Def(
        "cache_break_even_riding_requests",
        "requests",
        Lower,
        "the same if the summary call sent the old prompt with an instruction at its end, and read it from the cache",
    ),
    Def("cost_usd", "usd", Lower, "all requests and summary calls, output included"),
    Def("cost_read_usd", "usd", Lower, "cache reads"),
    Def("cost_write_usd", "usd", Lower, "cache writes"),
    Def("cost_plain_usd", "usd", Lower, "plain input"),
    Def("cost_output_usd", "usd", Neutral, "recorded replies"),
    Def("cost_summary_usd", "usd", Lower, "summary calls, as the strategy made them"),
    Def("cost_summary_riding_usd", "usd", Lower, "summary calls if they read the old prompt from the cache"),
    Def(
        "cost_over_none_usd",
        "usd",
        Lower,
        "above the bill of no compaction in a window without end; negative: cheaper",
    ),
    Def(
        "cost_over_oracle_usd",
        "usd",
        Lower,
        "above the cheapest schedule known afterwards: keeps the head and a summary alone, reads the head always, rides on the old prefix",
    ),
];

impl ProviderBill<'_> {
    pub(super) fn measures(&self) -> Measures {
        let total = |part: fn(&Split) -> Tokens| self.requests.iter().map(|one| part(&one.split).0).sum::<u64>();
        let tokens = |part| Measure::Value(number(total(part)));
        let largest = self.requests.iter().map(|one| one.split.prompt().0).max().unwrap_or(0);
        let share = |part: u64, whole: u64| {
            if whole == 0 { Measure::void("no request") } else { Measure::from(number(part) / number(whole)) }
        };
        let sum = |part: fn(&CompactionLedger) -> Tokens| {
            Measure::Value(number(self.compactions.iter().map(|one| part(one).0).sum::<u64>()))
        };
        let breaks = self.requests.iter().filter(|one| one.missed.is_some()).count() as u64;
        let mut measures = vec![
            ("cache_hit_ratio", share(total(|split| split.read), total(Split::prompt))),
            ("cache_read_tokens", tokens(|split| split.read)),
            ("cache_write_tokens", tokens(|split| split.write + split.write_long)),
            ("cache_plain_tokens", tokens(|split| split.plain)),
            ("cache_rewrite_ratio", share(total(|split| split.write + split.write_long + split.plain), largest)),
            ("cache_breaks_count", Measure::Value(number(breaks))),
            ("cache_invalidated_tokens", sum(|one| one.invalidated)),
            ("cache_rewritten_tokens", sum(|one| one.rewritten)),
            ("cache_warmup_requests", self.over_compactions(|one| self.warmup(one), "no compaction warmed up again")),
            ("cache_regrowth_requests", self.over_compactions(|one| self.regrowth(one), "no context grew back")),
            ("cache_break_even_requests", self.even(|one| one.break_even)),
            ("cache_break_even_riding_requests", self.even(|one| one.break_even_riding)),
        ];
        measures.extend(self.dollars());
        measures
    }

    /// The mean over the compactions that have a number.
    fn over_compactions(&self, of: impl Fn(&CompactionLedger) -> Option<f64>, none: &str) -> Measure {
        if self.compactions.is_empty() {
            return Measure::void("nothing was compacted before another request");
        }
        let (sum, count) =
            self.compactions.iter().filter_map(of).fold((0.0, 0), |(sum, count), one| (sum + one, count + 1));
        mean(sum, count, none)
    }

    fn even(&self, of: impl Fn(&CompactionLedger) -> Option<f64>) -> Measure {
        match self.input.price {
            Ok(_) => self.over_compactions(of, "no compaction pays for itself"),
            Err(reason) => Measure::void(reason),
        }
    }

    fn cached_share(&self, index: usize) -> f64 {
        let split = &self.requests[index].split;
        if split.prompt() == Tokens(0) { 0.0 } else { number(split.read.0) / number(split.prompt().0) }
    }

    /// Requests after a compaction until the cached share is back to 95 % of that of the request before it; `None`: it does
    /// not come back before the end.
    pub fn warmup(&self, one: &CompactionLedger) -> Option<f64> {
        let steady = self.cached_share(one.next.checked_sub(1)?);
        let after = (one.next..self.requests.len()).position(|index| self.cached_share(index) >= 0.95 * steady);
        after.map(|requests| number(requests as u64))
    }

    /// Requests after a compaction until the prompt is as large as before it; `None`: it never is.
    pub fn regrowth(&self, one: &CompactionLedger) -> Option<f64> {
        let after = self.requests[one.next..].iter().position(|later| later.split.prompt() >= one.episode.before);
        after.map(|requests| number(requests as u64))
    }

    fn dollars(&self) -> Measures {
        let all = self.bill.total() + self.summary.total();
        let usd = |usd: Usd| self.input.price.map_or_else(Measure::void, |_| Measure::from(usd.0));
        let against = |other: Option<Usd>, none: &'static str| match (self.input.price, other) {
            (Err(reason), _) => Measure::void(reason),
            (Ok(_), Some(other)) => Measure::from((all - other).0),
            (Ok(_), None) => Measure::void(none),
        };
        let full = self.input.full;
        let none = full.then(|| self.none.bill.total());
        let oracle = full.then(|| self.oracle()).flatten();
        vec![
            ("cost_usd", usd(all)),
            ("cost_read_usd", usd(self.bill.read)),
            ("cost_write_usd", usd(self.bill.write + self.bill.write_long)),
            ("cost_plain_usd", usd(self.bill.plain)),
            ("cost_output_usd", usd(self.bill.output)),
            ("cost_summary_usd", usd(self.summary.total())),
            ("cost_summary_riding_usd", usd(self.summary_riding.total())),
            ("cost_over_none_usd", against(none, "the recorded history is followed")),
            ("cost_over_oracle_usd", against(oracle, "the recorded history is followed, or there is no request")),
        ]
    }
}
