//! What a tokenizer says of a message and of a head.

use crate::transcript::{Head, Message, Part, Tokens, ToolSchema, sent_parts};

/// What a picture counts, whatever its size: the figure of Pi (4,800 characters / 4). It is a rule, not a measurement.
pub const IMAGE_TOKENS: Tokens = Tokens(1_200);

/// Bytes of text that count as long as a picture where lengths are compared: four for each of its tokens.
pub const IMAGE_BYTES: u64 = 4 * IMAGE_TOKENS.0;

/// Something that counts the tokens of a text.
pub trait CountTokens: Send + Sync {
    /// Its name in records.
    fn name(&self) -> &str;

    /// Tokens of `text`. Text that looks like a special token is text.
    fn count(&self, text: &str) -> Tokens;

    /// What went wrong so far, where a tokenizer can fail: its numbers since then mean nothing. Built-in ones cannot.
    fn fault(&self) -> Option<String> {
        None
    }
}

/// The sum of the parts that are sent, each tokenized on its own; pictures by [`IMAGE_TOKENS`].
pub fn message_tokens(tokenizer: &dyn CountTokens, message: &Message) -> Tokens {
    let mut tokens = Tokens(0);
    sent_parts(message, |part| {
        tokens = tokens
            + match part {
                Part::Text(text) => tokenizer.count(&text),
                Part::Image(_) => IMAGE_TOKENS,
            };
    });
    tokens
}

/// System prompt, and name, description and parameters of every tool; `None` when either is unknown.
pub fn head_tokens(tokenizer: &dyn CountTokens, head: &Head) -> Option<Tokens> {
    let system = tokenizer.count(head.system.as_ref()?.as_str());
    let tools = head.tools.as_ref()?.iter();
    let tool = |text: &str| tokenizer.count(text);
    Some(system + tools.map(|one| tool(&one.name) + tool(&one.description) + tool(&one.parameters)).sum())
}

/// The tools as the compact JSON array of a chat-completions request.
pub fn tools_json(tools: &[ToolSchema]) -> String {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let tool = |tool: &ToolSchema| {
        let parameters = if tool.parameters.is_empty() { "{}" } else { &*tool.parameters };
        format!(
            r#"{{"type":"function","function":{{"name":{},"description":{},"parameters":{parameters}}}}}"#,
            text(&tool.name),
            text(&tool.description)
        )
    };
    format!("[{}]", tools.iter().map(tool).collect::<Vec<_>>().join(","))
}
