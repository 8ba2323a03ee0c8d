//! The cheapest schedule of compactions that one who knows the future would choose: a lower bound of the bill.
//!
//! It assumes that a compaction keeps the head and a summary of a given size and nothing else, that the summary call reads
//! the old prompt from a warm cache, that the head is always read, that nothing but lifetimes breaks the prefix, and
//! one tier of prices. Dynamic programming over the requests before which it compacts.

use crate::meter::price::{Rates, Usd};
use crate::transcript::Tokens;

/// A request of the session that is never compacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Tokens of all messages before it, without the head.
    pub messages: Tokens,
    /// Tokens of its reply.
    pub output: Tokens,
    /// The cache still holds the request before.
    pub warm: bool,
    /// Context window of the model that it goes to.
    pub window: Tokens,
}

/// What the schedule is chosen for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Tokens of the head.
    pub head: Tokens,
    /// Tokens of a summary.
    pub summary: Tokens,
    /// Prices.
    pub rates: Rates,
}

/// The cheapest bill, and before which requests, from 0, it compacts. `None`: there is no request.
pub fn cheapest(steps: &[Step], terms: &Terms) -> Option<(Usd, Vec<usize>)> {
    let count = steps.len();
    if count == 0 {
        return None;
    }
    // best[i]: all requests before i are paid, and a compaction (or the beginning) stands right before i.
    let mut best = vec![(f64::INFINITY, usize::MAX); count + 1];
    best[0].0 = 0.0;
    for from in 0..count {
        let start = best[from].0;
        if !start.is_finite() {
            continue;
        }
        let mut spent = start;
        for to in from..count {
            let context = terms.context(steps, from, to);
            // A request that fits in no way is paid all the same: no schedule avoids it.
            if to > from && context > steps[to].window {
                break;
            }
            spent += terms.request(steps, from, to);
            let next = if to + 1 < count { terms.compaction(context) } else { 0.0 };
            if spent + next < best[to + 1].0 {
                best[to + 1] = (spent + next, from);
            }
        }
    }
    let mut schedule = Vec::new();
    let mut at = best[count].1;
    while at > 0 && at != usize::MAX {
        schedule.push(at);
        at = best[at].1;
    }
    schedule.reverse();
    Some((Usd(best[count].0), schedule))
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn cost(tokens: u64, per_million: f64) -> f64 {
    tokens as f64 * per_million / 1e6
}

impl Terms {
    /// The prompt of request `to` when the newest compaction stands before request `from`.
    fn context(&self, steps: &[Step], from: usize, to: usize) -> Tokens {
        let (kept, summary) = if from == 0 { (0, 0) } else { (steps[from].messages.0, self.summary.0) };
        Tokens(self.head.0 + summary + steps[to].messages.0.saturating_sub(kept))
    }

    fn request(&self, steps: &[Step], from: usize, to: usize) -> f64 {
        let context = self.context(steps, from, to).0;
        let read = match to {
            0 => 0,
            _ if to == from => self.head.0,
            _ if steps[to].warm => self.context(steps, from, to - 1).0,
            _ => self.head.0,
        };
        let read = read.min(context);
        let Rates { input, read: read_price, write, output, .. } = self.rates;
        cost(read, read_price.unwrap_or(input))
            + cost(context - read, write.unwrap_or(input))
            + cost(steps[to].output.0, output)
    }

    fn compaction(&self, context: Tokens) -> f64 {
        let Rates { input, read, output, .. } = self.rates;
        cost(context.0, read.unwrap_or(input)) + cost(self.summary.0, output)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { input: 10.0, read: Some(1.0), write: Some(12.5), write_long: None, output: 50.0 };

    fn steps(sizes: &[u64], window: u64) -> Vec<Step> {
        let (output, window) = (Tokens(0), Tokens(window));
        sizes.iter().map(|&size| Step { messages: Tokens(size), output, warm: true, window }).collect()
    }

    fn terms(summary: u64) -> Terms {
        Terms { head: Tokens(1_000), summary: Tokens(summary), rates: RATES }
    }

    /// All schedules, one by one.
    fn exhaustive(steps: &[Step], terms: &Terms) -> f64 {
        let schedules = 0..1_u32 << (steps.len() - 1);
        let bill = |schedule: u32| {
            let (mut from, mut sum) = (0, 0.0);
            for to in 0..steps.len() {
                if to > 0 && schedule >> (to - 1) & 1 == 1 {
                    sum += terms.compaction(terms.context(steps, from, to - 1));
                    from = to;
                }
                if to > from && terms.context(steps, from, to) > steps[to].window {
                    return f64::INFINITY;
                }
                sum += terms.request(steps, from, to);
            }
            sum
        };
        schedules.map(bill).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn it_finds_the_best_of_all_schedules() {
        for (summary, window) in [(10, 1_000_000), (500, 1_000_000), (500, 9_000), (3_000, 20_000)] {
            let mut steps = steps(&[100, 4_000, 4_200, 9_000, 9_100, 9_900, 16_000, 16_500, 17_000], window);
            steps[5].warm = false;
            let terms = terms(summary);
            let (found, schedule) = cheapest(&steps, &terms).unwrap();
            assert!((found.0 - exhaustive(&steps, &terms)).abs() < 1e-9, "{summary} {window} {schedule:?}");
        }
    }

    #[test]
    fn a_dear_summary_is_never_made_and_a_window_forces_it() {
        let of = |window| steps(&[100, 200, 300, 400], window);
        assert_eq!(cheapest(&of(1_000_000), &terms(100_000)).unwrap().1, [0; 0]);
        assert_eq!(cheapest(&of(1_350), &terms(50)).unwrap().1.len(), 1);
        assert_eq!(cheapest(&[], &terms(1)), None);
    }

    #[test]
    fn a_smaller_model_forces_it_where_it_is_asked() {
        // 1,000 of head and 300 of messages do not fit the third request alone.
        let mut steps = steps(&[100, 200, 300, 400], 1_000_000);
        steps[2].window = Tokens(1_250);
        let (found, schedule) = cheapest(&steps, &terms(100)).unwrap();
        assert!((found.0 - exhaustive(&steps, &terms(100))).abs() < 1e-9, "{schedule:?}");
        assert!(!schedule.is_empty() && schedule.iter().all(|&at| at <= 2), "{schedule:?}");
    }
}
