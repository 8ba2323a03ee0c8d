//! Answers for calls that were never answered.

use std::borrow::Cow;
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
/// The result is worded as in Deep Agents, because it stays in every later request.
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
            dangling.push(Dangling {
                after,
                result: answer(call, "could not be executed - arguments were malformed or truncated."),
            });
        }
    }
    dangling
}

fn answer<'a>(call: &Call<'a>, why: &str) -> ChatMessage<'a> {
    let name = if call.name.is_empty() { Cow::Borrowed("unknown") } else { call.name.clone() };
    let text = format!("Tool call {name} with id {} {why}", call.id);
    let mut result = ChatMessage::new(Role::Tool, Content::text(text));
    result.answers = Some(call.id.clone());
    result.name = Some(name);
    result
}

#[cfg(test)]
mod tests {
    use super::dangling_calls;
    use crate::engine::langchain::{Call, ChatMessage, Content, Role};

    #[test]
    fn only_a_later_result_answers_a_call() {
        let call = |id: &'static str| Call { id: id.into(), name: "t".into(), arguments: "{}".into() };
        let mut answer = ChatMessage::new(Role::Tool, Content::text(""));
        answer.answers = Some("a".into());
        let mut asks = ChatMessage::new(Role::Ai, Content::text(""));
        asks.calls = vec![call("a"), call("b")];
        asks.invalid_calls = vec![call("c")];
        let after = |messages: &[ChatMessage<'static>]| -> Vec<(usize, String)> {
            let dangling = dangling_calls(messages).into_iter();
            dangling.map(|one| (one.after, one.result.answers.unwrap().into_owned())).collect()
        };
        assert_eq!(after(&[asks.clone(), answer.clone()]), [(0, "b".to_owned()), (0, "c".to_owned())]);
        assert_eq!(after(&[answer, asks]).len(), 3);
    }
}
