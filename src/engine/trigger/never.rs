//! No trigger.

use super::{Checkpoint, Decision, Trigger, TriggerView};

/// Never fires; only an overflow compacts.
#[derive(Clone, Copy, Debug)]
pub struct Never;

impl Trigger for Never {
    fn decide(&mut self, _: Checkpoint, _: &TriggerView<'_, '_>) -> Decision {
        Decision::Wait
    }
}
