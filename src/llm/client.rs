//! A real model behind its protocol: one attempt at a time.

use std::time::Duration;

use super::api::{Reply, tools};
use super::config::{Api, LlmConfig, LlmConfigError};
use super::exec;
use super::failure::CallError;
use super::http::Endpoint;
use super::{Llm, LlmError, LlmRequest, LlmResponse, words};
use crate::redact::without_keys;

/// A model that is reached over a network, or by starting a program.
#[derive(Clone, Debug)]
pub struct Client {
    config: LlmConfig,
    name: String,
    /// `None` for a program.
    endpoint: Option<Endpoint>,
}

impl Client {
    /// A client. Nothing is sent yet.
    ///
    /// # Errors
    /// When the configuration is faulty, or its key is not in the environment.
    pub fn new(config: &LlmConfig) -> Result<Self, LlmConfigError> {
        config.check()?;
        let endpoint = if config.api == Api::Exec { None } else { Some(Endpoint::new(config)?) };
        Ok(Self { config: config.clone(), name: config.name(), endpoint })
    }

    /// One attempt.
    ///
    /// # Errors
    /// When it fails, with a word on whether another may do better.
    pub async fn call(&self, request: &LlmRequest) -> Result<Reply, CallError> {
        let api = self.config.api;
        let stream = self.config.stream && api.streams();
        let body = api.body(&self.config, request, stream);
        // Servers like to quote the key that they refuse, and programs to print what they were given.
        let clean = |error: CallError| without_tools(error.cleaned(|text| self.clean(text)), request);
        let reply = match &self.endpoint {
            Some(endpoint) => {
                let fold = api.fold(&self.config);
                endpoint.post(&body, stream, fold, |answer| api.reply(&self.config, answer)).await.map_err(clean)?
            }
            None => {
                let (command, most) = (self.config.command.clone(), self.config.limits.timeout_s);
                let run = move || exec::run(&command, &body, Duration::from_secs_f64(most));
                let answer = tokio::task::spawn_blocking(run).await;
                let answer = answer.map_err(|error| CallError::again(format!("the program is gone: {error}")))?;
                answer.and_then(|answer| api.reply(&self.config, &answer)).map_err(clean)?
            }
        };
        Ok(self.finished(reply, request))
    }

    /// The text without keys.
    fn clean(&self, text: &str) -> String {
        self.endpoint.as_ref().map_or_else(|| without_keys(text), |endpoint| endpoint.key().redact(text))
    }

    /// Calls have the names of the recording again. What is stored and what is used must be the same, so keys are masked
    /// before either.
    fn finished(&self, mut reply: Reply, request: &LlmRequest) -> Reply {
        match &mut reply.outcome {
            Ok(response) => {
                tools::restore(&mut response.calls, &request.tools);
                response.text = self.clean(&response.text).into();
                for call in &mut response.calls {
                    call.arguments = self.clean(&call.arguments).into();
                }
            }
            Err(LlmError::Overflow(why) | LlmError::Unusable(why) | LlmError::Failed(why)) => *why = self.clean(why),
        }
        reply
    }
}

/// A server that takes no tools takes none the next time either.
fn without_tools(error: CallError, request: &LlmRequest) -> CallError {
    match error {
        CallError::Again { why, .. } | CallError::Never(why)
            if !request.tools.is_empty() && words::refuses_tools(&why) =>
        {
            CallError::Never(format!("{why}\nhint: tools_in_words = true in [probes] tells tools in the prompt"))
        }
        other => other,
    }
}

impl Llm for Client {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_mock(&self) -> bool {
        false
    }

    async fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        match self.call(request).await {
            Ok(reply) => reply.outcome,
            Err(CallError::Answer(error)) => Err(error),
            Err(error @ (CallError::Again { .. } | CallError::Never(_))) => Err(LlmError::Failed(error.to_string())),
        }
    }
}
