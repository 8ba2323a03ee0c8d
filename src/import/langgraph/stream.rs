//! The event stream of deer-flow 1: chunks of messages, to be joined by their ids.
//!
//! `event:` is `message_chunk`, `tool_calls`, `tool_call_chunks`, `tool_call_result` or `interrupt`; `data:` is a part of
//! a message. Calls are named in `tool_calls`; their arguments come in `tool_call_chunks`, where only the first chunk of
//! a call has its id.

use super::EXPECTED;
use crate::import::extra::quoted;
use crate::import::value::{Object, Value};
use crate::import::{Finding, FindingKind, ImportError, lines};

/// Whether a file begins like a stream.
pub(super) fn is(text: &str) -> bool {
    let data = text.lines().find_map(|line| line.strip_prefix("data:"));
    let fields = data.map(|data| Value::unchecked(data, 0).object()).unwrap_or_default();
    text.starts_with("event:") && fields.has("agent") && fields.has("role")
}

/// A message as its chunks are joined.
#[derive(Debug, Default)]
struct Joined {
    /// Line and column of its first chunk.
    place: (usize, usize),
    id: Box<str>,
    /// `agent`, `role`, `finish_reason` and `tool_call_id`, the last value of each, as JSON.
    fields: Vec<(&'static str, String)>,
    content: String,
    reasoning: String,
    calls: Vec<Call>,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
}

/// A message as a JSON object, and line and column of its first chunk.
pub(super) type Message = (String, (usize, usize));

/// The messages of a stream, what was wrong with it, and how many lines it has.
pub(super) fn join(bytes: &[u8]) -> Result<(Vec<Message>, Vec<Finding>, usize), ImportError> {
    let lines = lines::split(bytes);
    let mut messages: Vec<Joined> = Vec::new();
    let mut findings = Vec::new();
    for line in &lines {
        let Some(data) = line.text.strip_prefix("data:").map(str::trim) else { continue };
        match Value::read(data, line.offset) {
            Ok(value) if value.is_object() => {
                take(&mut messages, (line.number, line.place(data).column), &value.object());
            }
            other => {
                let kind = if line.terminated { FindingKind::MalformedLine } else { FindingKind::TruncatedLine };
                let reason = other.map_or_else(|error| error.to_string(), |_| "no object".to_owned());
                let message = format!("the data of an event cannot be read; left out ({reason})");
                let number = line.number;
                findings.push(Finding {
                    line: number,
                    last_line: number,
                    offset: Some(line.offset),
                    column: None,
                    kind,
                    message,
                });
            }
        }
    }
    if messages.is_empty() {
        let found = "no chunk of a message".to_owned();
        return Err(ImportError::NoRecord { line: 1, expected: EXPECTED, found });
    }
    Ok((messages.iter().map(|message| (message.json(), message.place)).collect(), findings, lines.len()))
}

fn take(messages: &mut Vec<Joined>, place: (usize, usize), fields: &Object<'_>) {
    let id = fields.boxed("id").unwrap_or_default();
    let at = messages.iter().rposition(|message| message.id == id).unwrap_or_else(|| {
        messages.push(Joined { place, id: id.clone(), ..Joined::default() });
        messages.len() - 1
    });
    let message = &mut messages[at];
    for name in ["agent", "role", "finish_reason", "tool_call_id"] {
        if let Some(value) = fields.get(name) {
            message.fields.retain(|(known, _)| *known != name);
            message.fields.push((name, value.raw().to_owned()));
        }
    }
    message.content.push_str(&fields.text("content").unwrap_or_default());
    message.reasoning.push_str(&fields.text("reasoning_content").unwrap_or_default());
    for call in fields.items("tool_calls") {
        let call = call.object();
        // A call without an id is the echo of a chunk.
        if let Some(id) = call.text("id") {
            message.call(&id).name = call.text("name").unwrap_or_default().into_owned();
        }
    }
    for chunk in fields.items("tool_call_chunks") {
        let chunk = chunk.object();
        if let Some(id) = chunk.text("id") {
            message.call(&id);
        }
        let index = chunk.u64("index").and_then(|index| usize::try_from(index).ok());
        let index = index.filter(|&index| index < message.calls.len()).or(message.calls.len().checked_sub(1));
        if let Some(call) = index.and_then(|index| message.calls.get_mut(index)) {
            call.arguments.push_str(&chunk.text("args").unwrap_or_default());
        }
    }
}

impl Joined {
    /// The call `id`, which is made when it is first named. Chunks without an id name it by its index.
    fn call(&mut self, id: &str) -> &mut Call {
        let at = self.calls.iter().position(|call| call.id == id).unwrap_or_else(|| {
            self.calls.push(Call { id: id.to_owned(), ..Call::default() });
            self.calls.len() - 1
        });
        &mut self.calls[at]
    }

    /// The message in the joined form.
    fn json(&self) -> String {
        let mut fields: Vec<String> = vec![format!("\"id\":{}", quoted(&self.id))];
        if !self.fields.iter().any(|(name, _)| *name == "agent") {
            fields.push("\"agent\":null".to_owned());
        }
        fields.extend(self.fields.iter().map(|(name, raw)| format!("\"{name}\":{raw}")));
        fields.push(format!("\"content\":{}", quoted(&self.content)));
        fields.push(format!("\"additional_kwargs\":{{\"reasoning_content\":{}}}", quoted(&self.reasoning)));
        let call = |call: &Call| {
            let (id, name) = (quoted(&call.id), quoted(&call.name));
            format!("{{\"id\":{id},\"name\":{name},\"args\":{}}}", quoted(&call.arguments))
        };
        if !self.calls.is_empty() {
            fields.push(format!("\"tool_calls\":[{}]", self.calls.iter().map(call).collect::<Vec<_>>().join(",")));
        }
        format!("{{{}}}", fields.join(","))
    }
}
