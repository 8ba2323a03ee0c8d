//! `OpenAI` Responses, and its compaction endpoint.

use serde_json::{Value, json};

use super::{CallError, Called, Fold, LlmConfig, LlmRequest, Reply, limit, shape, text, tools, usage};

fn input(request: &LlmRequest) -> Value {
    json!([{"type": "message", "role": "user", "content": [{"type": "input_text", "text": &*request.prompt}]}])
}

pub(super) fn body(config: &LlmConfig, request: &LlmRequest, stream: bool) -> Value {
    let mut body = json!({
        "model": config.model,
        "input": input(request),
        "max_output_tokens": limit(config, request),
        // Recorded sessions are other people's: nothing is kept at the provider's.
        "store": false,
    });
    if let Some(system) = &request.system {
        body["instructions"] = (&**system).into();
    }
    if !request.tools.is_empty() {
        body["tools"] = tools::responses(&request.tools);
    }
    if stream {
        body["stream"] = true.into();
    }
    body
}

/// The call that an item of the output is, if it is one.
fn called(item: &Value) -> Option<Called> {
    let field = match item.get("type").and_then(Value::as_str)? {
        "function_call" => "arguments",
        "custom_tool_call" => "input",
        _ => return None,
    };
    Some(Called { name: item.get("name")?.as_str()?.into(), arguments: tools::arguments(item.get(field)) })
}

/// The endpoint takes model, input and instructions only.
pub(super) fn compact_body(config: &LlmConfig, request: &LlmRequest) -> Value {
    let mut body = json!({"model": config.model, "input": input(request)});
    if let Some(system) = &request.system {
        body["instructions"] = (&**system).into();
    }
    body
}

pub(super) fn reply(config: &LlmConfig, body: &Value) -> Result<Reply, CallError> {
    let output = body.get("output").and_then(Value::as_array).ok_or_else(|| shape("`output`"))?;
    let (mut said, mut refusal) = (String::new(), String::new());
    for part in output.iter().filter_map(|item| item.get("content")?.as_array()).flatten() {
        match part.get("type").and_then(Value::as_str) {
            Some("output_text") => said.push_str(part.get("text").and_then(Value::as_str).unwrap_or_default()),
            Some("refusal") => refusal.push_str(part.get("refusal").and_then(Value::as_str).unwrap_or_default()),
            _ => {}
        }
    }
    let usage = body.get("usage").and_then(|usage| usage::openai(config, usage));
    let model = text(body.get("model"));
    let cut = body.get("incomplete_details").and_then(|details| details.get("reason")?.as_str());
    match (body.get("status").and_then(Value::as_str), cut) {
        (Some("failed"), _) => Err(CallError::again("the response failed, without a word")),
        (_, Some("content_filter")) => Ok(Reply::unusable("the provider's filter stopped it", usage, model)),
        _ if !refusal.is_empty() => Ok(Reply::unusable(&format!("the model refuses: {refusal}"), usage, model)),
        (status, _) => {
            let calls = output.iter().filter_map(called).collect();
            Ok(Reply::new(said, calls, status == Some("incomplete"), usage, model))
        }
    }
}

/// The new window: messages that were kept, and one item that only the provider can read.
pub(super) fn compact_reply(config: &LlmConfig, body: &Value) -> Result<Reply, CallError> {
    let output = body.get("output").and_then(Value::as_array).ok_or_else(|| shape("`output`"))?;
    let is_compaction =
        |item: &&Value| matches!(item.get("type").and_then(Value::as_str), Some("compaction" | "compaction_summary"));
    let item = output.iter().find(is_compaction).ok_or_else(|| shape("compaction item"))?;
    let usage = body.get("usage").and_then(|usage| usage::openai(config, usage));
    let bytes = item.get("encrypted_content").and_then(Value::as_str).map_or(0, str::len);
    let why = format!("the summary is encrypted ({bytes} bytes): its text cannot be read, nor scored");
    Ok(Reply::unusable(&why, usage, text(body.get("model"))))
}

/// A streamed answer: the last event holds all of it.
#[derive(Debug)]
pub(super) struct Stream {
    config: LlmConfig,
    pieces: String,
    calls: Vec<Called>,
    last: Option<Value>,
}

impl Stream {
    pub(super) fn new(config: &LlmConfig) -> Self {
        Self { config: config.clone(), pieces: String::new(), calls: Vec::new(), last: None }
    }
}

impl Fold for Stream {
    fn push(&mut self, event: &Value) -> Result<bool, CallError> {
        match event.get("type").and_then(Value::as_str) {
            Some("error") => return Err(crate::llm::failure::told(event.get("error").unwrap_or(event))),
            Some("response.failed") => {
                let error = event.get("response").and_then(|response| response.get("error"));
                return Err(crate::llm::failure::told(error.unwrap_or(event)));
            }
            Some("response.output_text.delta") => {
                self.pieces.push_str(event.get("delta").and_then(Value::as_str).unwrap_or_default());
            }
            Some("response.output_item.done") => self.calls.extend(event.get("item").and_then(called)),
            Some("response.completed" | "response.incomplete") => self.last = event.get("response").cloned(),
            _ => {}
        }
        Ok(self.last.is_some())
    }

    fn reply(self: Box<Self>) -> Result<Reply, CallError> {
        let last = self.last.ok_or_else(|| shape("last event"))?;
        let reply = reply(&self.config, &last)?;
        // Some proxies leave the output out of the last event.
        let is_empty = last.get("output").and_then(Value::as_array).is_some_and(Vec::is_empty);
        if is_empty && !(self.pieces.is_empty() && self.calls.is_empty()) {
            let truncated = last.get("status").and_then(Value::as_str) == Some("incomplete");
            return Ok(Reply::new(self.pieces, self.calls, truncated, reply.usage, reply.model));
        }
        Ok(reply)
    }
}
