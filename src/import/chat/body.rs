//! A request body of a sequence: with its messages, all that decides what a cache keeps of it.
//!
//! A body in Anthropic's form is read as such. In the others, `cache_control` marks (as `LiteLLM` and `OpenRouter` take
//! them: on a tool, on a part of the content, on a message) are kept in the header as they are for Anthropic's requests.

use super::carrier::{self, Session};
use crate::import::extra::quoted;
use crate::import::value::{Object, Value};
use crate::import::{Finding, FindingKind, anthropic};
use crate::transcript::JsonText;

/// The field that marks a tool, a part or a message.
const MARK: &str = "cache_control";
/// The lifetime of a mark that names none.
const DEFAULT: &str = "5m";
/// What a session holds elsewhere.
const HELD: &[&str] = &["messages", "tools", "functions"];

/// Reads a body. `None`: it has no messages.
pub(super) fn body(value: Value<'_>) -> Option<Session> {
    let fields = value.object();
    let mut session = if anthropic::is_body(&fields) {
        let mut imported = anthropic::body(value)?;
        imported.transcript.meta.timestamp = carrier::sent_at(&fields);
        Session { imported, name: None }
    } else {
        let mut session = carrier::record(&fields, None)?;
        session.imported.transcript.meta.extra = settings(&fields);
        session
    };
    let time = fields.get("at_s").filter(|_| session.imported.transcript.meta.timestamp.is_none());
    session.imported.findings.extend(time.map(no_time));
    Some(session)
}

/// A time that is none: the request is taken to follow the one before by the usual interval.
fn no_time(value: Value<'_>) -> Finding {
    let message = "`at_s` is no time in seconds; the request is read without one".to_owned();
    let kind = FindingKind::BadField;
    Finding { line: 1, last_line: 1, offset: Some(value.at()), column: None, kind, message }
}

/// The other fields of a body, and its marks.
fn settings(body: &Object<'_>) -> Option<JsonText> {
    let own = body.0.iter().filter(|(key, _)| !HELD.contains(&&**key));
    let mut fields: Vec<String> = own.map(|(key, value)| format!("{}:{}", quoted(key), value.raw())).collect();
    let marks = marks(body);
    if !marks.is_empty() {
        fields.push(format!("\"cache_marks\":[{}]", marks.join(",")));
    }
    (!fields.is_empty()).then(|| format!("{{{}}}", fields.join(","))).and_then(JsonText::new)
}

/// The marks of a body, as `anthropic::marks` writes them.
fn marks(body: &Object<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (tool, at) in body.items("tools").iter().zip(1..) {
        let tool = tool.object();
        let ttl = ttl(&tool).or_else(|| ttl(&tool.object("function")));
        found.extend(ttl.map(|ttl| format!("{{\"tools\":{at},\"ttl\":{ttl}}}")));
    }
    let messages = carrier::messages(body).unwrap_or_default();
    let messages: Vec<Object<'_>> = messages.into_iter().map(Value::object).collect();
    let is_head = messages.first().is_some_and(|first| matches!(&*role(first), "system" | "developer"));
    let (head, rest) = messages.split_at(usize::from(is_head));
    for message in head {
        let parts = parts(message);
        let one = |(at, ttl): (usize, String)| format!("{{\"system\":{at},\"of\":{},\"ttl\":{ttl}}}", parts.len());
        found.extend((1..).zip(&parts).filter_map(|(at, part)| Some((at, part.clone()?))).map(one));
    }
    let (mut of_messages, mut behind) = (Vec::new(), 0);
    for part in rest.iter().rev().flat_map(|message| parts(message).into_iter().rev()) {
        of_messages.extend(part.map(|ttl| format!("{{\"behind\":{behind},\"ttl\":{ttl}}}")));
        behind += 1;
    }
    found.extend(of_messages.into_iter().rev());
    found
}

fn role(message: &Object<'_>) -> String {
    message.text("role").unwrap_or_default().into_owned()
}

/// The blocks that a message is read as, reasoning left out, each with the lifetime of its mark. A mark on the message is one
/// of its last block; so is one on any part of a result, which is one block.
fn parts(message: &Object<'_>) -> Vec<Option<String>> {
    let list = message.items("content");
    let said = message.text("content").is_some_and(|said| !said.is_empty() || role(message) != "assistant");
    let mut parts: Vec<Option<String>> = if said { vec![None] } else { Vec::new() };
    let thinks = |part: &Object<'_>| part.text("type").is_some_and(|kind| kind.contains("thinking"));
    parts.extend(list.into_iter().map(Value::object).filter(|part| !thinks(part)).map(|part| ttl(&part)));
    if matches!(&*role(message), "tool" | "function") {
        parts = vec![parts.into_iter().flatten().next_back()];
    }
    let calls = message.items("tool_calls").len();
    parts.resize(parts.len() + calls, None);
    if let (Some(last), Some(ttl)) = (parts.last_mut(), ttl(message)) {
        *last = Some(ttl);
    }
    parts
}

/// The lifetime of the mark of an object, as JSON.
fn ttl(marked: &Object<'_>) -> Option<String> {
    let control = marked.get(MARK).filter(|mark| mark.is_object())?.object();
    Some(quoted(control.text("ttl").as_deref().unwrap_or(DEFAULT)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_none_is_a_finding() {
        for (time, findings) in [(r#""at_s":5,"#, 0), ("", 0), (r#""at_s":"soon","#, 1), (r#""at_s":1e30,"#, 1)] {
            for system in ["", r#""system":"s","#] {
                let text = format!(r#"{{{time}{system}"messages":[{{"role":"user","content":"q"}}]}}"#);
                let session = body(Value::unchecked(&text, 0)).unwrap();
                assert_eq!(session.imported.findings.len(), findings, "{text}");
            }
        }
    }

    #[test]
    fn marks_are_found_on_tools_parts_and_messages() {
        let hour = r#""cache_control":{"type":"ephemeral","ttl":"1h"}"#;
        let short = r#""cache_control":{"type":"ephemeral"}"#;
        let text = format!(
            r#"{{"tools":[{{"type":"function","function":{{"name":"a"}}}},{{"type":"function","function":{{"name":"b"}},{hour}}}],
            "messages":[{{"role":"system","content":[{{"type":"text","text":"s"}},{{"type":"text","text":"t",{hour}}}]}},
            {{"role":"user","content":"q",{short}}},
            {{"role":"assistant","content":"","reasoning":"so","tool_calls":[{{"id":"1"}},{{"id":"2"}}]}},
            {{"role":"tool","tool_call_id":"1","content":[{{"type":"text","text":"r"}},{{"type":"text","text":"r"}}]}},
            {{"role":"tool","tool_call_id":"2","content":[{{"type":"text","text":"r",{short}}},{{"type":"text","text":"r"}}]}},
            {{"role":"user","content":[{{"type":"text","text":"go"}},{{"type":"text","text":"on",{short}}}]}}]}}"#
        );
        let found = marks(&Value::unchecked(&text, 0).object());
        assert_eq!(
            found,
            [
                r#"{"tools":2,"ttl":"1h"}"#,
                r#"{"system":2,"of":2,"ttl":"1h"}"#,
                // Behind the first message: two calls, two results, two parts.
                r#"{"behind":6,"ttl":"5m"}"#,
                r#"{"behind":2,"ttl":"5m"}"#,
                r#"{"behind":0,"ttl":"5m"}"#,
            ]
        );
    }
}
