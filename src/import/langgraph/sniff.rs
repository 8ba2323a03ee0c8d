//! Telling a `LangGraph` file by its first bytes.

use super::message::Kind;
use super::stream;
use crate::import::Confidence;
use crate::import::document::beginning;
use crate::import::value::Value;

/// Sure of messages with LangChain's types; a state without messages must have the other marks of a state.
pub(in crate::import) fn sniff(head: &[u8]) -> Confidence {
    let text = beginning(head);
    if stream::is(&text) {
        return Confidence::Sure;
    }
    let value = Value::unchecked(&text, 0);
    let first = if value.is_list() { value.items().first().copied() } else { Some(value) };
    let Some(first) = first.filter(|first| first.is_object()) else { return Confidence::No };
    if value.is_list() && Kind::of(first).is_some() {
        return Confidence::Sure;
    }
    let fields = first.object();
    let values = ["values", "channel_values"].into_iter().find_map(|name| fields.get(name));
    let marked = ["checkpoint", "thread_id", "next"].into_iter().any(|name| fields.has(name));
    let messages = values.map(Value::object).unwrap_or(fields).items("messages");
    match messages.first() {
        Some(message) if Kind::of(*message).is_some() => Confidence::Sure,
        None if values.is_some() && marked => Confidence::Maybe,
        _ => Confidence::No,
    }
}
