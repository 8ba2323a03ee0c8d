//! Pi's trigger: more tokens than the window less a reserve, at the moments when Pi looks.

use super::{Checkpoint, Decision, Trigger, TriggerView};
use crate::engine::pi::{Rules, should_compact};
use crate::transcript::{Role, StopReason, Tokens};

/// Pi's trigger, as one release has it.
#[derive(Clone, Copy, Debug)]
pub struct Pi(pub Rules);

impl Pi {
    /// What is compared with the threshold at a checkpoint; `None` when Pi does not look.
    fn compared(self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Option<Tokens> {
        let context = now.context;
        let last = context.len().checked_sub(1)?;
        match at {
            // Between the turns of a run, tool results appended.
            Checkpoint::BeforeRequest if context.kind(last).is(Role::ToolResult) => {
                self.0.asks_between_turns.then_some(now.estimate.tokens)
            }
            Checkpoint::BeforeRequest => Self::before_prompt(now),
            // After a run: the usage of the last reply alone; for a failed one, or without usage, the estimate.
            Checkpoint::TurnEnd => {
                let reply = context.message(last)?.reply()?;
                let anchor = context.anchor();
                match anchor.filter(|anchor| anchor.at == last) {
                    Some(anchor) => Some(anchor.usage),
                    None if reply.stop == StopReason::Aborted => None,
                    // An anchor from before the last compaction says nothing.
                    None if anchor.is_some_and(|anchor| context.boundary().is_some_and(|at| anchor.at < at)) => None,
                    None => Some(now.estimate.tokens),
                }
            }
            _ => None,
        }
    }
}

impl Pi {
    /// Before a prompt Pi looks at the last reply again, and does not skip one that was stopped (0.23.3). All others were
    /// looked at when they came, and are of interest only if the window is another one since. The prompt itself is not part
    /// of what is compared, and the reply counts whichever model gave it; only an overflow of another model is not taken as
    /// one's own.
    fn before_prompt(now: &TriggerView<'_, '_>) -> Option<Tokens> {
        let context = now.context;
        let at = context.items().iter().rposition(|item| item.kind.is(Role::Assistant))?;
        let reply = context.message(at)?.reply()?;
        let prompted = (at + 1..context.len()).any(|later| context.kind(later).is(Role::User));
        let stale = |usage_at: usize| context.boundary().is_some_and(|boundary| usage_at < boundary);
        let is_open = now.switched || reply.stop == StopReason::Aborted;
        if !is_open || !prompted || stale(context.anchor().map_or(at, |anchor| anchor.at)) {
            return None;
        }
        let reported = context.anchor().filter(|anchor| anchor.at == at).map(|anchor| anchor.usage);
        let estimated = now.estimate.tokens.saturating_sub(context.estimates().range(at + 1..context.len()));
        Some(reported.unwrap_or(estimated))
    }
}

impl Trigger for Pi {
    fn decide(&mut self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Decision {
        match self.compared(at, now) {
            Some(tokens) if should_compact(tokens, now.window, &self.0) => {
                Decision::Compact(format!("{tokens} tokens > window {} - reserve {}", now.window, self.0.reserve))
            }
            _ => Decision::Wait,
        }
    }

    fn fires_at(&self, window: Tokens, _: Tokens) -> Option<Tokens> {
        Some(window.saturating_sub(self.0.reserve) + Tokens(1))
    }
}

#[cfg(test)]
mod tests {
    use super::{Checkpoint, Decision, Pi, Rules, Tokens, Trigger, TriggerView};
    use crate::engine::estimate::{self, Estimator};
    use crate::engine::sketch::Sketch;

    /// Whether the trigger of a release fires for a window of 17,384 tokens, that is above 1,000.
    fn fires(rules: &'static Rules, at: Checkpoint, line: &str) -> bool {
        fires_after(rules, at, line, false)
    }

    /// The same, after a change of the window or without one.
    fn fires_after(rules: &'static Rules, at: Checkpoint, line: &str, switched: bool) -> bool {
        let sketch = Sketch::new(line);
        let view = sketch.view();
        let estimate = estimate::pi::Pi(rules).context(&view);
        let now = TriggerView { context: &view, estimate, window: Tokens(17_384), max_output: Tokens(0), switched };
        Pi(*rules).decide(at, &now) != Decision::Wait
    }

    #[test]
    fn between_turns_the_results_count_since_0_84_4() {
        let line = "u10 A10=900 r101";
        // 900 reported and 101 estimated are 1,001.
        assert!(fires(&Rules::V1_6, Checkpoint::BeforeRequest, line));
        assert!(!fires(&Rules::V1_6, Checkpoint::BeforeRequest, "u10 A10=900 r100"));
        assert!(!fires(&Rules::V0_58, Checkpoint::BeforeRequest, line));
        assert!(!fires(&Rules::V1_6, Checkpoint::AfterResponse, "u10 A10=1001"));
    }

    #[test]
    fn at_the_end_of_a_turn_the_usage_of_the_reply_counts_alone() {
        for rules in [&Rules::V1_6, &Rules::V0_58] {
            assert!(fires(rules, Checkpoint::TurnEnd, "u10 a10=1001"));
            assert!(!fires(rules, Checkpoint::TurnEnd, "u10 a10=1000"));
            // A failed reply has no usage: 900 and the two messages after it.
            assert!(fires(rules, Checkpoint::TurnEnd, "u10 a10=900 u90 e11"));
            assert!(!fires(rules, Checkpoint::TurnEnd, "u10 a10=900 u90 e10"));
            // A stopped one is skipped.
            assert!(!fires(rules, Checkpoint::TurnEnd, "u10 a10=900 u90 x11"));
        }
    }

    #[test]
    fn before_a_prompt_a_stopped_reply_is_looked_at_without_the_prompt() {
        for rules in [&Rules::V1_6, &Rules::V0_58] {
            assert!(fires(rules, Checkpoint::BeforeRequest, "u10 a10=900 u90 x11 u1"));
            assert!(!fires(rules, Checkpoint::BeforeRequest, "u10 a10=900 u90 x10 u5000"));
            // A reply that was not stopped has been looked at when it came.
            assert!(!fires(rules, Checkpoint::BeforeRequest, "u10 a10=1001 u5000"));
        }
    }

    #[test]
    fn before_a_prompt_under_another_window_the_last_reply_is_looked_at_again_without_the_prompt() {
        for rules in [&Rules::V1_6, &Rules::V0_58] {
            let fires = |line| fires_after(rules, Checkpoint::BeforeRequest, line, true);
            assert!(fires("u10 a10=1001 u1"));
            assert!(!fires("u10 a10=1000 u5000"));
            // A failed reply has no usage: 900, and what follows it but for the prompt.
            assert!(fires("u10 a10=900 u90 e11 u1"));
            assert!(!fires("u10 a10=900 u90 e10 u5000"));
            // Nobody asks for anything, or usage is from before a compaction.
            assert!(!fires("u10 a10=1001"));
            assert!(!fires("s5 a10=5000 | u10"));
        }
    }

    #[test]
    fn usage_from_before_a_compaction_says_nothing() {
        for rules in [&Rules::V1_6, &Rules::V0_58] {
            assert!(!fires(rules, Checkpoint::TurnEnd, "s5 a10=5000 | u10 e10"));
            assert!(!fires(rules, Checkpoint::BeforeRequest, "s5 a10=5000 | u10 x10 u10"));
        }
        // Between turns the projected estimate counts the messages: 5 + 10 + 980 + 6 = 1,001.
        assert!(fires(&Rules::V1_6, Checkpoint::BeforeRequest, "s5 A10=5000 | r980 u0 A3 r3"));
        assert!(!fires(&Rules::V1_6, Checkpoint::BeforeRequest, "s5 A10=5000 | r980 u0 A3 r2"));
    }

    #[test]
    fn a_window_within_the_reserve_fires_at_once() {
        let sketch = Sketch::new("u0 a0=1");
        let view = sketch.view();
        let estimate = estimate::pi::Pi(&Rules::V1_6).context(&view);
        let (window, max_output) = (Tokens(16_384), Tokens(0));
        let now = TriggerView { context: &view, estimate, window, max_output, switched: false };
        assert_ne!(Pi(Rules::V1_6).decide(Checkpoint::TurnEnd, &now), Decision::Wait);
    }
}
