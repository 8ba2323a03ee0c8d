//! Turns that the person took back.

use super::session::Session;
use crate::import::FindingKind;
use crate::import::value::Object;
use crate::transcript::{Block, EntryKind, Message};

/// How messages of role `user` begin that the agent wrote: they begin no turn.
const OF_THE_AGENT: &[&str] = &[
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<skill>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
];

impl Session {
    /// Goes back to before the last `num_turns` messages of the person, as the agent does: what came since is a branch that
    /// was left. More turns than there are take back all of them.
    pub(super) fn roll_back(&mut self, line: usize, fields: &Object<'_>) {
        (self.open, self.unpaid) = (None, None);
        let Some(turns) = fields.u64("num_turns") else {
            let message = "a rollback without a number of turns; nothing was taken back";
            return self.chain.fault(line, FindingKind::BadField, message);
        };
        let entries = &self.chain.transcript.entries;
        let (mut at, mut left, mut cut) = (self.chain.tip, turns, None);
        while let Some(place) = at.filter(|_| left > 0) {
            match &entries[place].kind {
                EntryKind::Message(Message::User(said)) if begins_turn(&said.blocks) => {
                    (cut, left) = (Some(place), left - 1);
                }
                // The turns before it are no longer there one by one.
                EntryKind::Compaction(_) => break,
                _ => {}
            }
            at = entries[place].parent.map(|parent| parent.0);
        }
        if let Some(cut) = cut {
            self.chain.tip = entries[cut].parent.map(|parent| parent.0);
        }
        if left > 0 {
            let message = format!("a rollback of {turns} turns, of which {} are in the context", turns - left);
            self.chain.fault(line, FindingKind::MissingTarget, message);
        }
    }
}

/// Whether a message of role `user` is the person's.
fn begins_turn(blocks: &[Block]) -> bool {
    let of_agent = |text: &str| OF_THE_AGENT.iter().any(|start| text.trim_start().starts_with(start));
    !matches!(blocks.first(), Some(Block::Text(text)) if of_agent(text.as_str()))
}
