//! A real model behind its protocol: one attempt at a time.

use std::time::Duration;

use super::api::Reply;
use super::config::{Api, LlmConfig, LlmConfigError};
use super::exec;
use super::failure::CallError;
use super::http::Endpoint;
use super::{Llm, LlmError, LlmRequest, LlmResponse};
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
        let reply = match &self.endpoint {
            Some(endpoint) => {
                let fold = if stream { api.fold(&self.config) } else { None };
                endpoint.post(&body, fold, |answer| api.reply(&self.config, answer)).await?
            }
            None => {
                let (command, most) = (self.config.command.clone(), self.config.limits.timeout_s);
                let run = move || exec::run(&command, &body, Duration::from_secs_f64(most));
                let answer = tokio::task::spawn_blocking(run).await;
                let answer = answer.map_err(|error| CallError::again(format!("the program is gone: {error}")))??;
                api.reply(&self.config, &answer)?
            }
        };
        Ok(self.redacted(reply))
    }

    /// What is stored and what is used must be the same, so keys are masked before either.
    fn redacted(&self, mut reply: Reply) -> Reply {
        if let Ok(response) = &mut reply.outcome {
            let clean = self
                .endpoint
                .as_ref()
                .map_or_else(|| without_keys(&response.text), |endpoint| endpoint.key().redact(&response.text));
            response.text = clean.into();
        }
        reply
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
