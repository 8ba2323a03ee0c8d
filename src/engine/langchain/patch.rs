//! Answers for calls that were never answered.

use std::collections::HashMap;

use super::message::{Call, ChatMessage, Content, Role};

/// A call without a result, and the result that is put in for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dangling<'a> {
    /// The assistant message that made the call; the result goes right after it.
    pub after: usize,
    /// The result.
    pub result: ChatMessage<'a>,
}

/// Every call, valid or not, that no later tool result answers. Results without a call are left as they are.
///
/// The wording of the result is Deep Agents' for valid calls; for invalid ones it is ours.
pub fn dangling_calls<'a>(messages: &[ChatMessage<'a>]) -> Vec<Dangling<'a>> {
    let mut last_answer: HashMap<&str, usize> = HashMap::new();
    for (index, message) in messages.iter().enumerate() {
        if let (Role::Tool, Some(id)) = (message.role, message.answers.as_deref()) {
            last_answer.insert(id, index);
        }
    }
    let mut dangling = Vec::new();
    for (after, message) in messages.iter().enumerate() {
        let open = |call: &&Call<'a>| last_answer.get(call.id.as_ref()).is_none_or(|&answer| answer < after);
        for call in message.calls.iter().filter(open) {
            let why = "was cancelled - another message came in before it could be completed.";
            dangling.push(Dangling { after, result: answer(call, why) });
        }
        for call in message.invalid_calls.iter().filter(open) {
            dangling.push(Dangling { after, result: answer(call, "did not run: its arguments could not be read.") });
        }
    }
    dangling
}

fn answer<'a>(call: &Call<'a>, why: &str) -> ChatMessage<'a> {
    let text = format!("Tool call {} with id {} {why}", call.name, call.id);
    let mut result = ChatMessage::new(Role::Tool, Content::text(text));
    result.answers = Some(call.id.clone());
    result.name = Some(call.name.clone());
    result
}
