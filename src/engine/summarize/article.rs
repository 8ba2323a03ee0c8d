//! The summary of the article on Pi: four parts, in the voice of the assistant.

use super::{Completer, Exchange, LlmRequest, Purpose, Summarizer, Summary, SummaryError, SummaryJob};
use crate::engine::pi::{Rules, serialize};
use crate::engine::template::{Parts, Template, TemplateError};
use crate::transcript::{Block, Content, JsonText, Message, Reply, StopReason, Text, Tokens};

/// What the article puts before the summary. Real Pi sends a user message with a lead sentence and tags.
pub(super) const LABEL: &str = "[Compaction Summary]\n\n";

/// The article's summarizer.
#[derive(Clone, Debug)]
pub struct Article {
    template: Template,
    max_tokens: Tokens,
}

impl Article {
    /// With the template of this name and an output limit (the article: 4,096).
    ///
    /// # Errors
    /// When there is no such template.
    pub fn new(template: &str, max_tokens: Tokens) -> Result<Self, TemplateError> {
        Ok(Self { template: Template::named(template)?, max_tokens })
    }
}

/// The summary as the article's assistant message.
pub(super) fn said(text: &Text) -> Message {
    let said = Text::new([LABEL, text.as_str()].concat());
    let reply = Reply {
        api: "".into(),
        provider: "".into(),
        model: "".into(),
        stop: StopReason::Stop,
        usage: None,
        error: None,
    };
    Message::Assistant(Content { blocks: vec![Block::Text(said)], plain: false }, Box::new(reply))
}

/// Number of the entries dropped and the estimate before, the article's `details`.
pub(super) fn details(job: &SummaryJob<'_, '_>) -> Option<JsonText> {
    let dropped = job.context.messages(0..job.plan.kept_from).count();
    let before = job.context.estimates().total();
    JsonText::new(format!(r#"{{"droppedMessages":{dropped},"tokensBefore":{before}}}"#))
}

impl Summarizer for Article {
    fn summarize(&self, job: &SummaryJob<'_, '_>, llm: &dyn Completer) -> Result<Summary, SummaryError> {
        // The article's request is a standalone one: an earlier summary is a message like any other.
        let conversation = serialize(job.context.messages(0..job.plan.kept_from), &Rules::V1_6);
        let parts = Parts { conversation: &conversation, previous_summary: None, focus: job.instructions };
        let request = LlmRequest {
            max_output: Some(self.max_tokens),
            seed: job.seed,
            ..LlmRequest::new(
                Purpose::Summary,
                self.template.system().cloned(),
                self.template.render(Purpose::Summary, &parts).unwrap_or_default(),
            )
        };
        let answer = llm.complete(&request);
        let exchanges = vec![Exchange { request, response: answer.as_ref().ok().cloned() }];
        match answer {
            Err(error) => Err(SummaryError { error, exchanges }),
            Ok(response) => {
                let text = Text::new(&*response.text);
                let fallback = response.truncated.then(|| "the answer ended at the output limit".to_owned());
                let (message, details) = (Some(said(&text)), details(job));
                Ok(Summary { message, text, details, fallback, exchanges, from_hook: false })
            }
        }
    }
}
