//! Anthropic Messages, with prompt caching and compaction by the server.

use serde_json::{Value, json};

use super::{Api, CallError, Called, Fold, LlmConfig, LlmRequest, Reply, limit, shape, text, tools, usage};

/// Header and kind of the compaction, and the least that its trigger takes (Anthropic's documentation, "compaction").
pub(super) const BETA: &str = "compact-2026-01-12";
const KIND: &str = "compact_20260112";
const LEAST: u64 = 50_000;

pub(super) fn body(config: &LlmConfig, request: &LlmRequest, stream: bool) -> Value {
    let marked = |text: &str| {
        let mut block = json!({"type": "text", "text": text});
        if config.cache {
            block["cache_control"] = json!({"type": "ephemeral"});
        }
        block
    };
    // What other requests share is read by them; without such a part, replicates read the whole prompt.
    let content = match request.prompt.split_at_checked(request.shared_bytes) {
        Some((shared, own)) if config.cache && !shared.is_empty() && !own.is_empty() => {
            json!([marked(shared), {"type": "text", "text": own}])
        }
        _ => json!([marked(&request.prompt)]),
    };
    let mut body = json!({
        "model": config.model,
        "max_tokens": limit(config, request),
        "messages": [{"role": "user", "content": content}],
    });
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        body["system"] = json!([marked(system)]);
    }
    if !request.tools.is_empty() {
        body["tools"] = tools::messages(&request.tools);
    }
    if config.api == Api::MessagesCompact {
        // Paused behind the summary: what the model would say after it is of no use here.
        let trigger = json!({"type": "input_tokens", "value": LEAST});
        let edit = json!({"type": KIND, "trigger": trigger, "pause_after_compaction": true});
        body["context_management"] = json!({"edits": [edit]});
    }
    if stream {
        body["stream"] = true.into();
    }
    body
}

pub(super) fn reply(config: &LlmConfig, body: &Value) -> Result<Reply, CallError> {
    let content = body.get("content").and_then(Value::as_array).ok_or_else(|| shape("`content`"))?;
    let mut said = Said { model: text(body.get("model")), ..Said::default() };
    for block in content {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => said.text.push_str(block.get("text").and_then(Value::as_str).unwrap_or_default()),
            Some("compaction") => said.compaction = text(block.get("content")),
            Some("tool_use") => {
                let name = block.get("name").and_then(Value::as_str);
                said.calls.piece(None, name, &tools::arguments(block.get("input")));
            }
            // Thinking is no part of the answer.
            _ => {}
        }
    }
    said.stop = text(body.get("stop_reason"));
    said.usage = body.get("usage").cloned();
    Ok(said.reply(config))
}

#[derive(Debug, Default)]
struct Said {
    text: String,
    calls: tools::Calls,
    compaction: Option<String>,
    stop: Option<String>,
    usage: Option<Value>,
    model: Option<String>,
}

impl Said {
    fn reply(self, config: &LlmConfig) -> Reply {
        let usage = self.usage.as_ref().and_then(|usage| usage::anthropic(config, usage));
        let truncated = matches!(self.stop.as_deref(), Some("max_tokens" | "model_context_window_exceeded"));
        match self.stop.as_deref() {
            Some("refusal") => Reply::unusable("the model refuses", usage, self.model),
            _ if config.api != Api::MessagesCompact => {
                let calls: Vec<Called> = self.calls.finish();
                Reply::new(self.text, calls, truncated, usage, self.model)
            }
            _ => {
                let none = || {
                    Reply::unusable(
                        &format!("the server made no summary: it begins at {LEAST} tokens"),
                        usage,
                        self.model.clone(),
                    )
                };
                let made = |summary| Reply::new(summary, Vec::new(), truncated, usage, self.model.clone());
                self.compaction.map_or_else(none, made)
            }
        }
    }
}

/// A streamed answer.
#[derive(Debug)]
pub(super) struct Stream {
    config: LlmConfig,
    said: Said,
}

impl Stream {
    pub(super) fn new(config: &LlmConfig) -> Self {
        Self { config: config.clone(), said: Said::default() }
    }

    /// The first event has the prompt's counts, later ones the output's, each only what it knows.
    fn count(&mut self, usage: &Value) {
        let known = self.said.usage.get_or_insert_with(|| json!({}));
        if let (Some(known), Some(new)) = (known.as_object_mut(), usage.as_object()) {
            known.extend(
                new.iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.clone(), value.clone())),
            );
        }
    }

    fn piece(&mut self, number: Option<u64>, delta: &Value) {
        let field = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        match field("type") {
            "text_delta" => self.said.text.push_str(field("text")),
            "input_json_delta" => self.said.calls.piece(number, None, field("partial_json")),
            "compaction_delta" => self.said.compaction.get_or_insert_default().push_str(field("content")),
            _ => {}
        }
    }
}

impl Stream {
    /// A call begins with an empty input, whose pieces follow; a server that streams nothing has the whole of it here.
    fn call(&mut self, number: Option<u64>, block: &Value) {
        let whole = block.get("input").filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
        let name = block.get("name").and_then(Value::as_str);
        self.said.calls.piece(number, name, &tools::arguments(whole));
    }
}

impl Fold for Stream {
    fn push(&mut self, event: &Value) -> Result<bool, CallError> {
        let number = event.get("index").and_then(Value::as_u64);
        match event.get("type").and_then(Value::as_str) {
            Some("error") => return Err(crate::llm::failure::told(event.get("error").unwrap_or(event))),
            Some("message_start") => {
                let message = event.get("message").ok_or_else(|| shape("`message`"))?;
                self.said.model = text(message.get("model"));
                if let Some(usage) = message.get("usage") {
                    self.count(usage);
                }
            }
            Some("content_block_start") => {
                let block = event.get("content_block").unwrap_or(&Value::Null);
                match block.get("type").and_then(Value::as_str) {
                    Some("text") => self.said.text.push_str(&text(block.get("text")).unwrap_or_default()),
                    Some("compaction") => self.said.compaction = text(block.get("content")).or(Some(String::new())),
                    Some("tool_use") => self.call(number, block),
                    _ => {}
                }
            }
            Some("content_block_delta") => self.piece(number, event.get("delta").unwrap_or(&Value::Null)),
            Some("message_delta") => {
                let stop = event.get("delta").and_then(|delta| text(delta.get("stop_reason")));
                self.said.stop = stop.or(self.said.stop.take());
                if let Some(usage) = event.get("usage") {
                    self.count(usage);
                }
            }
            Some("message_stop") => return Ok(true),
            _ => {}
        }
        Ok(false)
    }

    fn reply(self: Box<Self>) -> Result<Reply, CallError> {
        Ok(self.said.reply(&self.config))
    }
}
