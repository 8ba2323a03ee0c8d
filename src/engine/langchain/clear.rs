//! `ClearToolUsesEdit`: blanking old tool results.

use super::cut::Messages;
use super::estimate::Estimator;
use super::message::{ChatMessage, Content, Role};
use crate::transcript::Tokens;

/// Settings of the edit. It works on a copy of the messages for one request; nothing persists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClearToolUses {
    /// It runs above so many tokens: messages only, unscaled.
    pub trigger: Tokens,
    /// Newest tool results that stay.
    pub keep: usize,
    /// Stop once so many tokens are gained; 0 = clear all candidates. Never undone if not reached.
    pub clear_at_least: Tokens,
    /// Also empty the arguments of the calls.
    pub clear_inputs: bool,
    /// Tools whose results stay.
    pub exclude: Vec<Box<str>>,
    /// What stands in for a result.
    pub placeholder: Box<str>,
}

impl Default for ClearToolUses {
    fn default() -> Self {
        Self {
            trigger: Tokens(100_000),
            keep: 3,
            clear_at_least: Tokens(0),
            clear_inputs: false,
            exclude: Vec::new(),
            placeholder: "[cleared]".into(),
        }
    }
}

/// What the edit changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cleared<'a> {
    /// Indices of the blanked results, oldest first.
    pub results: Vec<usize>,
    /// Indices of the messages with an emptied call, in order, each once.
    pub inputs: Vec<usize>,
    /// The changed messages, by index.
    pub changed: Vec<(usize, ChatMessage<'a>)>,
    /// Count after the edit.
    pub total: Tokens,
}

impl ClearToolUses {
    /// Clears old results, oldest first. `tokens(i)` is the count of message `i`, `total` that of all of them.
    ///
    /// A result is cleared only if the nearest earlier assistant message made its call.
    pub fn clear<'a>(
        &self,
        messages: &(impl Messages<'a> + ?Sized),
        total: Tokens,
        tokens: impl Fn(usize) -> Tokens,
        estimator: &Estimator,
    ) -> Cleared<'a> {
        let mut cleared = Cleared { total, ..Cleared::default() };
        if total <= self.trigger {
            return cleared;
        }
        let results: Vec<usize> = (0..messages.len()).filter(|&at| messages.at(at).role == Role::Tool).collect();
        for &at in &results[..results.len().saturating_sub(self.keep)] {
            let Some((caller, call)) = self.caller(messages, at) else { continue };
            let result = messages.at(at).with_content(Content::text(self.placeholder.to_string()));
            replace(&mut cleared, at, result, &tokens, estimator);
            cleared.results.push(at);
            if self.clear_inputs {
                let mut emptied = changed(&cleared, caller).unwrap_or_else(|| messages.at(caller).clone());
                emptied.calls[call].arguments = "{}".into();
                replace(&mut cleared, caller, emptied, &tokens, estimator);
                if cleared.inputs.last() != Some(&caller) {
                    cleared.inputs.push(caller);
                }
            }
            if self.clear_at_least > Tokens(0) && total.saturating_sub(cleared.total) >= self.clear_at_least {
                break;
            }
        }
        cleared
    }

    /// The assistant message before the result at `at`, and which of its calls the result answers.
    fn caller<'a>(&self, messages: &(impl Messages<'a> + ?Sized), at: usize) -> Option<(usize, usize)> {
        let result = messages.at(at);
        let caller = (0..at).rev().find(|&before| messages.at(before).role == Role::Ai)?;
        let calls = &messages.at(caller).calls;
        let call = calls.iter().position(|call| Some(call.id.as_ref()) == result.answers.as_deref())?;
        let tool = result.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(&calls[call].name);
        (!self.exclude.iter().any(|excluded| **excluded == *tool)).then_some((caller, call))
    }
}

fn changed<'a>(cleared: &Cleared<'a>, at: usize) -> Option<ChatMessage<'a>> {
    cleared.changed.iter().rev().find(|(index, _)| *index == at).map(|(_, message)| message.clone())
}

/// Puts `message` at `at` and keeps the total in step.
fn replace<'a>(
    cleared: &mut Cleared<'a>,
    at: usize,
    message: ChatMessage<'a>,
    tokens: impl Fn(usize) -> Tokens,
    estimator: &Estimator,
) {
    let known = cleared.changed.iter().rposition(|(index, _)| *index == at);
    let before = known.map_or_else(|| tokens(at), |known| estimator.of(&cleared.changed[known].1));
    cleared.total = cleared.total + estimator.of(&message) - before;
    match known {
        Some(known) => cleared.changed[known].1 = message,
        None => cleared.changed.push((at, message)),
    }
}

#[cfg(test)]
mod tests {
    use super::ClearToolUses;
    use crate::engine::langchain::{Call, ChatMessage, Content, Estimator, Role};
    use crate::transcript::Tokens;

    #[test]
    fn old_results_are_blanked_until_enough_is_gained() {
        let mut messages = Vec::new();
        for id in ["a", "b", "c"] {
            let mut asks = ChatMessage::new(Role::Ai, Content::text(""));
            asks.calls.push(Call { id: id.into(), name: "t".into(), arguments: "{}".into() });
            let mut answers = ChatMessage::new(Role::Tool, Content::text("x".repeat(395)));
            answers.answers = Some(id.into());
            messages.extend([asks, answers]);
        }
        let estimator = Estimator::DEFAULT;
        let tokens: Vec<Tokens> = messages.iter().map(|message| estimator.of(message)).collect();
        // 395 characters, "tool" and the id: 100 + 3. "[cleared]": ceil(14/4) + 3 = 7.
        assert_eq!(tokens[1], Tokens(103));
        let total = tokens.iter().copied().sum();
        let settings = ClearToolUses { trigger: Tokens(100), keep: 1, ..ClearToolUses::default() };
        let all = settings.clear(messages.as_slice(), total, |at| tokens[at], &estimator);
        assert_eq!((all.results.as_slice(), total - all.total), ([1, 3].as_slice(), Tokens(192)));
        let some = ClearToolUses { clear_at_least: Tokens(96), ..settings };
        assert_eq!(some.clear(messages.as_slice(), total, |at| tokens[at], &estimator).results, [1]);
    }
}
