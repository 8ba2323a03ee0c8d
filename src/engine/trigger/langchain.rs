//! The triggers of LangChain's middleware, and the input budget that Deep Agents adds.

use super::{Checkpoint, Decision, Trigger, TriggerView};
use crate::engine::langchain::{self, Reading, input_budget};
use crate::engine::view::Kind;
use crate::transcript::{Role, Tokens};

/// Clauses over tokens, messages and a share of the input limit; asked before every request.
#[derive(Clone, Debug, PartialEq)]
pub struct LangChain {
    /// The clauses.
    pub clauses: langchain::Trigger,
    /// The model has a profile that states its input limit: the window.
    pub profile: bool,
    /// Compact as well above 95 % of the limit less the largest reply (Deep Agents).
    pub input_budget: bool,
}

impl Trigger for LangChain {
    fn decide(&mut self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Decision {
        if at != Checkpoint::BeforeRequest {
            return Decision::Wait;
        }
        let view = now.context;
        let limit = self.profile.then_some(now.window);
        let total = now.estimate.tokens;
        // Only the last reply is looked at for reported usage.
        let last_reply = view.items().iter().rposition(|item| item.kind == Kind::Message(Role::Assistant));
        let anchor = view.anchor().filter(|anchor| Some(anchor.at) == last_reply);
        let messages = view.message_count();
        let reading = Reading { messages, total, reported: anchor.map(|anchor| anchor.usage) };
        if self.clauses.fires(&reading, limit) {
            let reported = reading.reported.map_or_else(String::new, |Tokens(usage)| format!(", {usage} reported"));
            return Decision::Compact(format!("{total} tokens estimated{reported}, {messages} messages"));
        }
        match input_budget(limit, now.max_output).filter(|&budget| self.input_budget && total > budget) {
            Some(budget) => Decision::Compact(format!("{total} tokens > input budget {budget}")),
            None => Decision::Wait,
        }
    }

    fn fires_at(&self, window: Tokens, max_output: Tokens) -> Option<Tokens> {
        let limit = self.profile.then_some(window);
        let budget = input_budget(limit, max_output).filter(|_| self.input_budget).map(|budget| budget + Tokens(1));
        self.clauses.smallest(limit).into_iter().chain(budget).min()
    }
}
