//! How many calls at once, how many per minute, and how long each may take.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::config::LlmConfigError;

/// Limits of an endpoint. The defaults are cautious.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Calls at the same time.
    pub concurrency: usize,
    /// Calls per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<u64>,
    /// Tokens per minute, prompts and the room for their answers together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<u64>,
    /// Attempts per call, the first included.
    pub attempts: u32,
    /// Seconds a call may take.
    pub timeout_s: f64,
    /// Seconds until a streamed answer begins.
    pub first_byte_s: f64,
    /// Seconds between two parts of a streamed answer.
    pub idle_s: f64,
    /// Longest wait that a provider may ask for, in seconds.
    pub longest_wait_s: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            concurrency: 8,
            requests_per_minute: None,
            tokens_per_minute: None,
            attempts: 6,
            timeout_s: 600.0,
            first_byte_s: 120.0,
            idle_s: 60.0,
            longest_wait_s: 300.0,
        }
    }
}

impl Limits {
    pub(super) fn check(&self) -> Result<(), LlmConfigError> {
        let times = [self.timeout_s, self.first_byte_s, self.idle_s, self.longest_wait_s];
        let counts = [Some(self.concurrency as u64), Some(self.attempts.into())];
        let rates = [self.requests_per_minute, self.tokens_per_minute];
        let is_time = |time: f64| time > 0.0 && time < 1e6;
        if times.into_iter().all(is_time) && counts.into_iter().chain(rates).flatten().all(|number| number > 0) {
            return Ok(());
        }
        let what = "every limit must be above 0, and every time below 1000000 s".to_owned();
        Err(LlmConfigError { field: "limits", what, hint: "leave a limit out to have the default".to_owned() })
    }
}

/// Share of a minute's allowance that may be used at once after a pause.
const BURST: f64 = 0.1;

/// The generic cell rate algorithm: a leaky bucket that remembers one instant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    per_unit: Duration,
    burst: Duration,
    full_at: Option<Instant>,
}

impl Pace {
    /// So many units per minute.
    pub(super) fn per_minute(units: u64) -> Self {
        let minute = Duration::from_mins(1);
        #[expect(clippy::cast_precision_loss, reason = "rates are far below 2^52")]
        let per_unit = minute.div_f64(units.max(1) as f64);
        // One unit must always fit.
        Self { per_unit, burst: minute.mul_f64(BURST).max(per_unit), full_at: None }
    }

    /// Takes units at `now`; returns the instant at which they may be used.
    pub(super) fn take(&mut self, units: u64, now: Instant) -> Instant {
        let cost = self.cost(units);
        let from = self.full_at.map_or(now, |at| at.max(now));
        self.full_at = Some(from + cost);
        // More than the bucket holds waits until it is empty, and no longer.
        (from + cost.min(self.burst)).checked_sub(self.burst).map_or(now, |at| at.max(now))
    }

    /// Gives back what was taken for more than was used, or takes the rest.
    pub(super) fn settle(&mut self, taken: u64, used: u64) {
        if let Some(at) = self.full_at {
            let settled = if used >= taken {
                Some(at + self.cost(used - taken))
            } else {
                at.checked_sub(self.cost(taken - used))
            };
            self.full_at = settled;
        }
    }

    fn cost(&self, units: u64) -> Duration {
        #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
        self.per_unit.mul_f64(units as f64)
    }
}

/// Wait before the next attempt: doubling from half a second to a minute, between half of it and all of it by chance
/// (0 to 1), and never less than the provider asks for.
pub(super) fn backoff(attempt: u32, asked: Option<Duration>, chance: f64) -> Duration {
    let doubled = 0.5 * f64::from(2_u32.saturating_pow(attempt.saturating_sub(1)));
    let own = Duration::from_secs_f64(doubled.min(60.0) * (0.5 + chance.clamp(0.0, 1.0) / 2.0));
    // Those who were all told the same time shall not come back together.
    asked.map_or(own, |asked| asked + own.mul_f64(0.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_per_minute_let_six_through_at_once_and_then_one_a_second() {
        let now = Instant::now();
        let mut pace = Pace::per_minute(60);
        let waits: Vec<u64> = (0..9).map(|_| (pace.take(1, now) - now).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 0, 1, 2, 3]);
        // After a minute of silence the bucket is empty again, not more than empty.
        let later = now + Duration::from_mins(1);
        let waits: Vec<u64> = (0..7).map(|_| (pace.take(1, later) - later).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn a_call_larger_than_the_bucket_goes_first_and_is_paid_for_later() {
        let now = Instant::now();
        let mut pace = Pace::per_minute(6_000);
        assert_eq!(pace.take(3_000, now), now, "30 s of allowance at once");
        assert_eq!((pace.take(100, now) - now).as_secs(), 25, "30 + 1 - 6 s of burst");
        pace.settle(3_000, 1_000);
        assert_eq!((pace.take(100, now) - now).as_secs(), 6, "20 s were given back");
    }

    #[test]
    fn waits_double_and_obey_the_provider() {
        let seconds = |attempt, asked, chance| backoff(attempt, asked, chance).as_secs_f64();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        close(seconds(1, None, 1.0), 0.5);
        close(seconds(1, None, 0.0), 0.25);
        close(seconds(4, None, 1.0), 4.0);
        close(seconds(30, None, 1.0), 60.0);
        close(seconds(1, Some(Duration::from_secs(7)), 1.0), 7.1);
    }
}
