//! Pi's trigger: more tokens than the window less a reserve, at the moments when Pi looks.

use super::{Checkpoint, Decision, Trigger, TriggerView};
use crate::engine::pi::{Rules, should_compact};
use crate::transcript::{Role, StopReason, Tokens};

/// Pi's trigger, as one release has it.
#[derive(Clone, Copy, Debug)]
pub struct Pi(pub &'static Rules);

impl Pi {
    /// What is compared with the threshold at a checkpoint; `None` when Pi does not look.
    fn compared(self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Option<Tokens> {
        let context = now.context;
        let last = context.len().checked_sub(1)?;
        match at {
            // Between the turns of a run, tool results appended.
            Checkpoint::BeforeRequest if self.0.asks_between_turns && context.kind(last).is(Role::ToolResult) => {
                Some(now.estimate.tokens)
            }
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

impl Trigger for Pi {
    fn decide(&mut self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Decision {
        match self.compared(at, now) {
            Some(tokens) if should_compact(tokens, now.window, self.0) => {
                Decision::Compact(format!("{tokens} tokens > window {} - reserve {}", now.window, self.0.reserve))
            }
            _ => Decision::Wait,
        }
    }
}
