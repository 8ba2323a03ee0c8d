//! `get_buffer_string(format="xml")`: the transcript the summarizer reads and the history file holds.

use std::borrow::Borrow;
use std::fmt::Write as _;

use serde_json::Value;

use super::message::{Call, ChatMessage, Content, Image, Part};
use crate::transcript::json::python;

/// Call ids longer than this many characters are shown cut.
const SHOWN_ID: usize = 64;

/// Plain-text documents and the arguments and outputs of server tools are shown up to this many characters.
const SHOWN_BLOCK: usize = 500;

/// One `<message>` element per message, joined by line feeds.
///
/// Text is escaped for `&`, `<` and `>`. A message with calls nests its text in `<content>` and each call in
/// `<tool_call>`. Tool results carry neither id nor tool name. Inline pictures, reasoning of Anthropic and unknown
/// blocks leave no trace; invalid calls neither.
pub fn transcript_xml<'a, M: Borrow<ChatMessage<'a>>>(messages: &[M]) -> String {
    let mut out = String::new();
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        element(message.borrow(), &mut out);
    }
    out
}

fn element(message: &ChatMessage<'_>, out: &mut String) {
    let _ = write!(out, "<message type=\"{}\">", message.role.kind());
    if message.calls.is_empty() {
        content(&message.content, out);
    } else {
        out.push('\n');
        let start = out.len();
        out.push_str("  <content>");
        let before = out.len();
        content(&message.content, out);
        if out.len() == before {
            out.truncate(start);
        } else {
            out.push_str(
                "</content>
",
            );
        }
        for call in &message.calls {
            tool_call(call, out);
        }
    }
    out.push_str("</message>");
}

fn tool_call(call: &Call<'_>, out: &mut String) {
    out.push_str("  <tool_call id=");
    attribute(&shortened(&call.id, SHOWN_ID), out);
    out.push_str(" name=");
    attribute(&call.name, out);
    out.push('>');
    escape(&dumps(&call.arguments), out);
    out.push_str("</tool_call>\n");
}

fn content(content: &Content<'_>, out: &mut String) {
    match content {
        Content::Text(pieces) => pieces.iter().for_each(|piece| escape(piece.as_str(), out)),
        Content::Parts(parts) => {
            let start = out.len();
            for part in parts {
                let before = out.len();
                if before > start {
                    out.push(' ');
                }
                let begun = out.len();
                block(part, out);
                if out.len() == begun {
                    out.truncate(before);
                }
            }
        }
    }
}

fn block(part: &Part<'_>, out: &mut String) {
    match part {
        Part::Plain(text) | Part::Text(text) => escape(text.as_str(), out),
        Part::Image(Image::Link(url)) if !url.starts_with("data:") && !url.is_empty() => {
            reference("image", "url", url, out);
        }
        Part::Other(raw) => {
            if let Ok(Value::Object(fields)) = serde_json::from_str(raw) {
                typed_block(&fields, out);
            }
        }
        Part::Image(_) | Part::Thinking { .. } | Part::ToolUse(_) => {}
    }
}

fn typed_block(fields: &serde_json::Map<String, Value>, out: &mut String) {
    let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
    match text("type") {
        "reasoning" if !text("reasoning").is_empty() => {
            out.push_str("<reasoning>");
            escape(text("reasoning"), out);
            out.push_str("</reasoning>");
        }
        "image" | "audio" | "video" if !text("base64").is_empty() || text("url").starts_with("data:") => {}
        kind @ ("image" | "audio" | "video") => {
            let place = ["url", "file_id"].into_iter().find(|key| !text(key).is_empty());
            if let Some(key) = place {
                reference(kind, key, text(key), out);
            }
        }
        "text-plain" => escape(&shortened(text("text"), SHOWN_BLOCK), out),
        "server_tool_call" => {
            let arguments = fields.get("args").map_or_else(|| "{}".to_owned(), Value::to_string);
            server_tool("server_tool_call", [("id", text("id")), ("name", text("name"))], &arguments, out);
        }
        "server_tool_result" => {
            let output = fields.get("output").filter(|output| is_truthy(output)).map(Value::to_string);
            let attributes = [("tool_call_id", text("tool_call_id")), ("status", text("status"))];
            server_tool("server_tool_result", attributes, &output.unwrap_or_default(), out);
        }
        _ => {}
    }
}

fn server_tool(tag: &str, attributes: [(&str, &str); 2], json: &str, out: &mut String) {
    let _ = write!(out, "<{tag}");
    for (name, value) in attributes {
        let _ = write!(out, " {name}=");
        attribute(value, out);
    }
    out.push('>');
    escape(&shortened(&dumps(json), SHOWN_BLOCK), out);
    let _ = write!(out, "</{tag}>");
}

/// Python's truth of a JSON value.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

fn reference(tag: &str, name: &str, value: &str, out: &mut String) {
    let _ = write!(out, "<{tag} {name}=");
    attribute(value, out);
    out.push_str(" />");
}

/// `json.dumps(json.loads(raw), ensure_ascii=False)`; what is not JSON is shown as it stands.
fn dumps(raw: &str) -> String {
    python::dumps(raw, false).unwrap_or_else(|| raw.to_owned())
}

/// The first `most` characters and three dots, if there are more.
fn shortened(text: &str, most: usize) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

/// `xml.sax.saxutils.escape`.
fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr::memchr3(b'&', b'<', b'>', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            _ => "&gt;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// `xml.sax.saxutils.quoteattr`: double quotes, unless only single ones need no escape.
fn attribute(value: &str, out: &mut String) {
    let mut escaped = String::with_capacity(value.len());
    escape(value, &mut escaped);
    let mut escaped = escaped.replace('\n', "&#10;").replace('\r', "&#13;").replace('\t', "&#9;");
    let mut quote = '"';
    if escaped.contains('"') {
        if escaped.contains('\'') { escaped = escaped.replace('"', "&quot;") } else { quote = '\'' }
    }
    let _ = write!(out, "{quote}{escaped}{quote}");
}

#[cfg(test)]
mod tests {
    use super::transcript_xml;
    use crate::engine::langchain::{Call, ChatMessage, Content, Image, Measured, Part, Role};

    #[test]
    fn calls_are_nested_and_text_is_escaped() {
        let mut message = ChatMessage::new(Role::Ai, Content::text("a < b"));
        let arguments = r#"{"q":"\u754c"}"#.into();
        message.calls.push(Call { id: "x".repeat(65).into(), name: "say \"it\"".into(), arguments });
        let id = "x".repeat(64);
        let want = format!(
            "<message type=\"ai\">\n  <content>a &lt; b</content>\n  \
             <tool_call id=\"{id}...\" name='say \"it\"'>{{\"q\": \"界\"}}</tool_call>\n</message>"
        );
        assert_eq!(transcript_xml(&[message]), want);
    }

    #[test]
    fn blocks_that_cannot_be_shown_leave_no_gap() {
        let parts = vec![
            Part::Text(Measured::new("see")),
            Part::Thinking { text: "hm".into(), signature: None },
            Part::Image(Image::Link("/a.png".into())),
            Part::Other(r#"{"type":"video","file_id":"v1"}"#.into()),
            Part::Other(r#"{"type":"server_tool_result","tool_call_id":"s","status":"ok","output":{"n":2}}"#.into()),
        ];
        let message = ChatMessage::new(Role::Human, Content::Parts(parts));
        let want = "<message type=\"human\">see <image url=\"/a.png\" /> <video file_id=\"v1\" /> \
                    <server_tool_result tool_call_id=\"s\" status=\"ok\">{\"n\": 2}</server_tool_result></message>";
        assert_eq!(transcript_xml(&[message]), want);
    }
}
