//! `[llm]` of an experiment: which model answers, and how it is asked.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::address::Base;
use super::limits::Limits;
use super::spend::{Budget, Price};

/// The protocol of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Api {
    /// `OpenAI`'s chat completions, which most servers speak.
    Chat,
    /// `OpenAI`'s Responses.
    Responses,
    /// The compaction endpoint of Responses. Its summary is encrypted: sizes and usage are had, no text.
    ResponsesCompact,
    /// Anthropic's Messages.
    Messages,
    /// Messages with compaction by the server, beta `compact-2026-01-12`. It begins at 50,000 tokens.
    MessagesCompact,
    /// A program: one JSON object on its standard input, one on its standard output.
    Exec,
}

impl Api {
    /// All, in the order of help texts.
    pub const ALL: [Self; 6] =
        [Self::Chat, Self::Responses, Self::ResponsesCompact, Self::Messages, Self::MessagesCompact, Self::Exec];

    /// Its name in configurations.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::ResponsesCompact => "responses-compact",
            Self::Messages => "messages",
            Self::MessagesCompact => "messages-compact",
            Self::Exec => "exec",
        }
    }

    /// Where it is served by its maker, and the variable that usually holds the key; `None` for a program.
    pub fn home(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Chat | Self::Responses | Self::ResponsesCompact => {
                Some(("https://api.openai.com/v1", "OPENAI_API_KEY"))
            }
            Self::Messages | Self::MessagesCompact => Some(("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY")),
            Self::Exec => None,
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A real model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LlmConfig {
    /// The protocol.
    pub api: Api,
    /// The model, as the endpoint names it.
    pub model: String,
    /// Where it is served; by default by the maker of the protocol. Without a path, `/v1` is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Name of the environment variable that holds the key. The key itself is written nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// The program and its arguments, for `exec`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Whether the answer is streamed: a dead connection is noticed sooner.
    #[serde(default = "yes")]
    pub stream: bool,
    /// Temperature, where one is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The most tokens of an answer whose request sets no limit.
    #[serde(default = "default_output")]
    pub max_output_tokens: u64,
    /// Field of the output limit in chat completions: `max_tokens`, or `max_completion_tokens`, which `OpenAI` wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens_field: Option<String>,
    /// Sends the seed, where the protocol has one.
    #[serde(default)]
    pub send_seed: bool,
    /// Marks system and prompt for Anthropic's prompt cache: replicates read what the first wrote.
    #[serde(default)]
    pub cache: bool,
    /// Whether prompt counts include what came from the cache; by default as the protocol has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_includes_cache: Option<bool>,
    /// Prices, in place of the price book's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// What may be spent.
    #[serde(default)]
    pub budget: Budget,
    /// Time-outs, concurrency and rates.
    #[serde(default)]
    pub limits: Limits,
    /// Further fields of the request body.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra: serde_json::Map<String, Value>,
}

fn yes() -> bool {
    true
}

fn default_output() -> u64 {
    8_192
}

/// A model cannot be asked as it is configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("[llm] {field}: {what}\nhint: {hint}")]
pub struct LlmConfigError {
    /// The field.
    pub field: &'static str,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub hint: String,
}

impl LlmConfig {
    /// Replicates of an experiment that asks a real model and does not say how many: one answer is an anecdote.
    pub const REPLICATES: u32 = 3;

    /// A model with the defaults.
    pub fn new(api: Api, model: &str) -> Self {
        Self {
            api,
            model: model.to_owned(),
            base_url: None,
            key_env: None,
            command: Vec::new(),
            stream: true,
            temperature: None,
            max_output_tokens: default_output(),
            max_tokens_field: None,
            send_seed: false,
            cache: false,
            prompt_includes_cache: None,
            price: None,
            budget: Budget::default(),
            limits: Limits::default(),
            extra: serde_json::Map::new(),
        }
    }

    /// Who answers, as records name it: protocol and model.
    pub fn name(&self) -> String {
        format!("{}:{}", self.api, self.model)
    }

    /// Everything that decides an answer besides the request: the parameters of the content address. Where it is served,
    /// keys, limits and streaming are no part of it, so a cassette that was recorded through a proxy replays without.
    pub fn parameters(&self) -> Value {
        let mut parameters = serde_json::Map::new();
        if let Some(temperature) = self.temperature {
            parameters.insert("temperature".to_owned(), temperature.into());
        }
        if !self.command.is_empty() {
            parameters.insert("command".to_owned(), self.command.clone().into());
        }
        if !self.extra.is_empty() {
            parameters.insert("extra".to_owned(), Value::Object(self.extra.clone()));
        }
        Value::Object(parameters)
    }

    /// Everything of the model that decides a result, as one text.
    pub fn identity(&self) -> String {
        format!("{} {} {}", self.name(), self.max_output_tokens, self.parameters())
    }

    /// Checks what can be checked without a call.
    ///
    /// # Errors
    /// When a field is missing, or out of its range.
    pub fn check(&self) -> Result<(), LlmConfigError> {
        let fault =
            |field, what: &str, hint: &str| Err(LlmConfigError { field, what: what.to_owned(), hint: hint.to_owned() });
        if self.model.trim().is_empty() {
            return fault("model", "is empty", "name the model as its endpoint does");
        }
        if self.api == Api::Exec && self.command.is_empty() {
            return fault(
                "command",
                "is empty",
                "`exec` needs a program, such as command = [\"python3\", \"answer.py\"]",
            );
        }
        if self.base_url.as_deref().and_then(Base::parse).is_some_and(|base| base.authority.contains('@')) {
            return fault(
                "base_url",
                "holds a user or a password",
                "put the key in an environment variable, see key_env",
            );
        }
        if self.max_output_tokens == 0 {
            return fault("max_output_tokens", "must be 1 or more", "8192 is the default");
        }
        if self.temperature.is_some_and(|temperature| !(0.0..=2.0).contains(&temperature)) {
            return fault("temperature", "is out of range", "it goes from 0 to 2");
        }
        self.limits.check()?;
        self.budget.check(self.price.as_ref())
    }
}
