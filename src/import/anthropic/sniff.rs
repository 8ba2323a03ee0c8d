//! Telling requests in Anthropic's form by the first bytes.

use crate::import::Confidence;
use crate::import::value::{Object, Value};

/// Whether a request body is in Anthropic's form: with the system prompt beside the messages, or tools or blocks of its kind.
pub(in crate::import) fn is_body(body: &Object<'_>) -> bool {
    body.has("system") || has_own_parts(body)
}

/// Sure of a log of requests to the Messages API, of a body with a system prompt beside a limit, and of a list with
/// Anthropic's tool blocks.
pub(in crate::import) fn sniff(head: &[u8]) -> Confidence {
    let text = String::from_utf8_lossy(head);
    let object = Value::unchecked(&text, 0).object();
    if object.object("request").text("url").is_some_and(|url| url.contains("/v1/messages")) {
        return Confidence::Sure;
    }
    let messages = object.items("messages");
    let first = messages.first().map(|message| message.object());
    let role = first.as_ref().and_then(|first| first.text("role"));
    if !matches!(role.as_deref(), Some("user" | "assistant")) {
        return Confidence::No;
    }
    let limit = object.has("max_tokens");
    if limit && object.has("system") || has_own_parts(&object) {
        return Confidence::Sure;
    }
    if limit { Confidence::Maybe } else { Confidence::No }
}

/// Whether it has tools or blocks that are Anthropic's own, or names its protocol.
fn has_own_parts(body: &Object<'_>) -> bool {
    let blocks = || body.items("messages").iter().any(|message| has_tool_block(&message.object()));
    body.has("anthropic_version") || body.items("tools").iter().any(is_tool) || blocks()
}

fn is_tool(tool: &Value<'_>) -> bool {
    tool.object().has("input_schema")
}

fn has_tool_block(message: &Object<'_>) -> bool {
    let is_tool = |block: &Value<'_>| {
        let block = block.object();
        match block.text("type").as_deref() {
            Some("tool_use") => block.has("input"),
            Some("tool_result") => block.has("tool_use_id"),
            _ => false,
        }
    };
    message.items("content").iter().any(is_tool)
}
