//! The file of one answer.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::outline::outline;
use crate::digest::{hex, sha256};
use crate::llm::api::{Reply, limit};
use crate::llm::config::LlmConfig;
use crate::llm::{Called, LlmError, LlmRequest, LlmResponse};
use crate::redact::without_keys;
use crate::transcript::Usage;

/// Version of the file.
const VERSION: u64 = 1;

/// Names an answer: SHA-256 of protocol, model, parameters, request and replicate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(String);

impl Key {
    /// The key of a request. What it is for is no part of it: the model is not told. The seed is: it numbers replicates.
    pub fn of(config: &LlmConfig, request: &LlmRequest) -> Self {
        let mut hasher = Sha256::new();
        let parameters = config.parameters().to_string();
        let numbers = format!("{} {}", limit(config, request), request.seed);
        let system = request.system.as_deref();
        let marked = if system.is_some() { "system" } else { "no system" };
        let parts = [config.api.name(), &config.model, &parameters, &numbers, marked, system.unwrap_or_default()];
        for part in parts.into_iter().chain([&*request.prompt]) {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        // A request without tools keeps the key that it had before there were any.
        for part in request.tools.iter().flat_map(|tool| [&*tool.name, &*tool.description, &*tool.parameters]) {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hex(&hasher.finalize()))
    }

    /// 64 hexadecimal digits.
    pub fn hex(&self) -> &str {
        &self.0
    }
}

/// A stored answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// What came of the call.
    pub reply: Reply,
    /// The request, as lines to compare.
    pub(super) described: Vec<String>,
}

/// Why a file is not an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Damage(pub(super) String);

/// The request as lines: parameters first, then both prompts, outlined and without keys.
pub(super) fn describe(config: &LlmConfig, request: &LlmRequest) -> Vec<String> {
    let mut lines = vec![
        format!("model: {}", config.name()),
        format!("parameters: {}", config.parameters()),
        format!("max_output_tokens: {}", limit(config, request)),
        format!("replicate: {}", request.seed),
        if request.system.is_some() { "== system".to_owned() } else { "== no system".to_owned() },
    ];
    lines.extend(outline(&without_keys(request.system.as_deref().unwrap_or_default())));
    lines.push("== prompt".to_owned());
    lines.extend(outline(&without_keys(&request.prompt)));
    if !request.tools.is_empty() {
        lines.push("== tools".to_owned());
        lines.extend(request.tools.iter().flat_map(|tool| {
            outline(&without_keys(&format!("{}: {}\n{}", tool.name, tool.description, tool.parameters)))
        }));
    }
    lines
}

/// The whole file.
pub(super) fn write(key: &Key, config: &LlmConfig, request: &LlmRequest, reply: &Reply) -> String {
    let mut file = Map::new();
    file.insert("cutpoint_response".to_owned(), VERSION.into());
    file.insert("key".to_owned(), key.hex().into());
    file.insert("answered_by".to_owned(), json!({"asked": config.name(), "served": reply.model}));
    file.insert("purpose".to_owned(), format!("{:?}", request.purpose).to_lowercase().into());
    file.insert("request".to_owned(), describe(config, request).into());
    file.insert("usage".to_owned(), reply.usage.as_ref().map_or(Value::Null, usage));
    let (name, value) = match &reply.outcome {
        Ok(response) => ("answer", response.text.split('\n').collect::<Vec<_>>().into()),
        Err(LlmError::Overflow(why)) => ("overflow", why.clone().into()),
        Err(LlmError::Unusable(why) | LlmError::Failed(why)) => ("unusable", why.clone().into()),
    };
    file.insert("truncated".to_owned(), reply.outcome.as_ref().is_ok_and(|response| response.truncated).into());
    file.insert(name.to_owned(), value);
    if let Ok(response) = reply.outcome.as_ref()
        && !response.calls.is_empty()
    {
        let call = |call: &Called| json!({"name": &*call.name, "arguments": &*call.arguments});
        file.insert("calls".to_owned(), response.calls.iter().map(call).collect());
    }
    file.insert("checksum".to_owned(), checksum(&file).into());
    // A map of plain values can always be written.
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

/// SHA-256 of everything before it, written without spaces.
fn checksum(file: &Map<String, Value>) -> String {
    sha256(serde_json::to_string(file).unwrap_or_default())
}

fn usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input, "output_tokens": usage.output, "cache_read_tokens": usage.cache_read,
        "cache_write_tokens": usage.cache_write, "cache_write_1h_tokens": usage.cache_write_1h,
        "reasoning_tokens": usage.reasoning, "total_tokens": usage.total,
    })
}

fn read_usage(value: &Value) -> Option<Usage> {
    let number = |name: &str| value.get(name).and_then(Value::as_u64);
    Some(Usage {
        input: number("input_tokens")?,
        output: number("output_tokens")?,
        cache_read: number("cache_read_tokens")?,
        cache_write: number("cache_write_tokens")?,
        cache_write_1h: number("cache_write_1h_tokens"),
        reasoning: number("reasoning_tokens"),
        total: number("total_tokens"),
        cost: None,
    })
}

impl Stored {
    /// Reads a file; with a key, it must be the one it names.
    pub(super) fn parse(text: &str, key: Option<&Key>) -> Result<Self, Damage> {
        let damage = |why: &str| Damage(why.to_owned());
        let mut file: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| Damage(format!("not the file of an answer: {error}")))?;
        let version = file.get("cutpoint_response").and_then(Value::as_u64).ok_or_else(|| damage("no version"))?;
        if version > VERSION {
            return Err(Damage(format!("version {version}, this program reads up to {VERSION}")));
        }
        let told = file.shift_remove("checksum");
        if told.as_ref().and_then(Value::as_str) != Some(&*checksum(&file)) {
            return Err(damage("its checksum is wrong: it was changed, or is not whole"));
        }
        if key.is_some_and(|key| file.get("key").and_then(Value::as_str) != Some(key.hex())) {
            return Err(damage("it holds the answer to another request"));
        }
        let model = file.get("answered_by").and_then(|by| by.get("served")?.as_str()).map(str::to_owned);
        let usage = file.get("usage").and_then(read_usage);
        let outcome = outcome(&file, usage).ok_or_else(|| damage("it holds no answer"))?;
        let described = lines(file.get("request")).ok_or_else(|| damage("it holds no request"))?;
        Ok(Self { reply: Reply { outcome, usage, model }, described })
    }
}

fn outcome(file: &Map<String, Value>, usage: Option<Usage>) -> Option<Result<LlmResponse, LlmError>> {
    let text = |name: &str| file.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(why) = text("overflow") {
        return Some(Err(LlmError::Overflow(why)));
    }
    if let Some(why) = text("unusable") {
        return Some(Err(LlmError::Unusable(why)));
    }
    let truncated = file.get("truncated")?.as_bool()?;
    let text = lines(file.get("answer"))?.join("\n").into();
    let calls = file.get("calls").and_then(Value::as_array).into_iter().flatten().map(called).collect::<Option<_>>()?;
    Some(Ok(LlmResponse { text, calls, truncated, usage }))
}

fn called(call: &Value) -> Option<Called> {
    let text = |name: &str| call.get(name)?.as_str().map(Into::into);
    Some(Called { name: text("name")?, arguments: text("arguments")? })
}

fn lines(value: Option<&Value>) -> Option<Vec<String>> {
    value?.as_array()?.iter().map(|line| line.as_str().map(str::to_owned)).collect()
}
