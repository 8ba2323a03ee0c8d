//! Chat completions.

use serde_json::{Value, json};

use super::{CallError, Fold, LlmConfig, LlmRequest, Reply, limit, shape, text, usage};

pub(super) fn body(config: &LlmConfig, request: &LlmRequest, stream: bool) -> Value {
    let mut messages = Vec::new();
    if let Some(system) = &request.system {
        messages.push(json!({"role": "system", "content": &**system}));
    }
    messages.push(json!({"role": "user", "content": &*request.prompt}));
    let mut body = json!({"model": config.model, "messages": messages});
    body[limit_field(config)] = limit(config, request).into();
    if stream {
        body["stream"] = true.into();
        // Without it a stream tells no usage.
        body["stream_options"] = json!({"include_usage": true});
    }
    if config.send_seed {
        body["seed"] = request.seed.into();
    }
    body
}

/// `OpenAI`'s own models refuse the old name, most other servers know no other.
fn limit_field(config: &LlmConfig) -> &str {
    let is_home = config.base_url.as_deref().is_none_or(|url| url.starts_with("https://api.openai.com"));
    config.max_tokens_field.as_deref().unwrap_or(if is_home { "max_completion_tokens" } else { "max_tokens" })
}

pub(super) fn reply(config: &LlmConfig, body: &Value) -> Result<Reply, CallError> {
    let choice = body.get("choices").and_then(|choices| choices.get(0)).ok_or_else(|| shape("`choices`"))?;
    let message = choice.get("message").ok_or_else(|| shape("`message`"))?;
    let mut said = Said { model: text(body.get("model")), ..Said::default() };
    said.text = text(message.get("content")).unwrap_or_default();
    said.refusal = text(message.get("refusal")).unwrap_or_default();
    said.finish = text(choice.get("finish_reason"));
    said.usage = body.get("usage").cloned();
    Ok(said.reply(config))
}

#[derive(Debug, Default)]
struct Said {
    text: String,
    refusal: String,
    finish: Option<String>,
    usage: Option<Value>,
    model: Option<String>,
}

impl Said {
    fn reply(self, config: &LlmConfig) -> Reply {
        let usage = self.usage.as_ref().and_then(|usage| usage::openai(config, usage));
        match self.finish.as_deref() {
            Some("content_filter") => Reply::unusable("the provider's filter stopped it", usage, self.model),
            _ if !self.refusal.is_empty() => {
                let why = format!("the model refuses: {}", self.refusal);
                Reply::unusable(&why, usage, self.model)
            }
            finish => Reply::new(self.text, finish == Some("length"), usage, self.model),
        }
    }
}

/// A streamed answer: pieces, then the reason of the end, then usage, then the mark.
#[derive(Debug)]
pub(super) struct Stream {
    config: LlmConfig,
    said: Said,
}

impl Stream {
    pub(super) fn new(config: &LlmConfig) -> Self {
        Self { config: config.clone(), said: Said::default() }
    }
}

impl Fold for Stream {
    /// The end is the mark `[DONE]`, which never gets here; some servers leave it out, so that a reason to end counts too.
    fn push(&mut self, event: &Value) -> Result<bool, CallError> {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(crate::llm::failure::told(error));
        }
        let said = &mut self.said;
        said.model = said.model.take().or_else(|| text(event.get("model")));
        if let Some(usage) = event.get("usage").filter(|usage| !usage.is_null()) {
            said.usage = Some(usage.clone());
        }
        if let Some(choice) = event.get("choices").and_then(|choices| choices.get(0)) {
            let piece = |name: &str| choice.get("delta")?.get(name)?.as_str();
            said.text.push_str(piece("content").unwrap_or_default());
            said.refusal.push_str(piece("refusal").unwrap_or_default());
            said.finish = text(choice.get("finish_reason")).or(said.finish.take());
        }
        Ok(said.finish.is_some())
    }

    fn reply(self: Box<Self>) -> Result<Reply, CallError> {
        Ok(self.said.reply(&self.config))
    }
}
