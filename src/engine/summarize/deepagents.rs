//! The summary of Deep Agents: one prompt over an XML transcript, and the whole history in a file.

use super::{Completer, Exchange, LlmError, LlmRequest, Purpose, Summarizer, Summary, SummaryError, SummaryJob};
use crate::engine::langchain::{Estimator, SummaryInput, chat_messages, cut_middle, summarizer_input, summary_message};
use crate::engine::template::{Parts, Template, TemplateError};
use crate::transcript::{Block, Content, Message, Text, Tokens};

/// Where the full history is said to lie; the real name holds a random id of the same length.
const HISTORY: &str = "/conversation_history/session_00000000000000000000000000000000.md";

/// The summarizer of Deep Agents.
#[derive(Clone, Debug)]
pub struct DeepAgents {
    template: Template,
    trim: Option<Tokens>,
    estimator: Estimator,
}

impl DeepAgents {
    /// With the template of this name; the summarizer's input trimmed to `trim` tokens, if that is given.
    ///
    /// # Errors
    /// When there is no such template.
    pub fn new(template: &str, trim: Option<Tokens>, estimator: Estimator) -> Result<Self, TemplateError> {
        Ok(Self { template: Template::named(template)?, trim, estimator })
    }

    fn request(&self, transcript: &str, seed: u64) -> LlmRequest {
        let parts = Parts { conversation: transcript, previous_summary: None, focus: None };
        LlmRequest {
            seed,
            ..LlmRequest::new(
                Purpose::Summary,
                self.template.system().cloned(),
                self.template.render(Purpose::Summary, &parts).unwrap_or_default(),
            )
        }
    }

    /// The answer; after an overflow of the summarizer one more try with the middle of the transcript cut out.
    fn ask(
        &self,
        transcript: &str,
        job: &SummaryJob<'_, '_>,
        llm: &dyn Completer,
        exchanges: &mut Vec<Exchange>,
    ) -> Result<(String, Option<String>), LlmError> {
        let mut ask = |request: LlmRequest| {
            let answer = llm.complete(&request);
            exchanges.push(Exchange { request, response: answer.as_ref().ok().cloned() });
            answer.map(|response| response.text.trim().to_owned())
        };
        match ask(self.request(transcript, job.seed)) {
            Err(LlmError::Overflow(_)) => {
                let shorter = cut_middle(transcript, Some(job.window), &self.estimator);
                let why = "the summarizer overflowed: the middle of the transcript was cut out".to_owned();
                ask(self.request(&shorter, job.seed)).map(|text| (text, Some(why)))
            }
            other => other.map(|text| (text, None)),
        }
    }
}

impl Summarizer for DeepAgents {
    fn summarize(&self, job: &SummaryJob<'_, '_>, llm: &dyn Completer) -> Result<Summary, SummaryError> {
        let old: Vec<_> = chat_messages(job.context, 0..job.plan.kept_from).into_iter().map(|(_, chat)| chat).collect();
        let counts: Vec<Tokens> = old.iter().map(|message| self.estimator.of(message)).collect();
        let mut exchanges = Vec::new();
        let (text, fallback) = match summarizer_input(&old, &counts, self.trim, &self.estimator) {
            SummaryInput::Fixed(text) => {
                (text.to_owned(), Some("the model was not asked: a fixed text took the place of a summary".to_owned()))
            }
            input @ SummaryInput::Messages(_) => match self.ask(&input.transcript(), job, llm, &mut exchanges) {
                Ok(answer) => answer,
                Err(error) => return Err(SummaryError { error, exchanges }),
            },
        };
        let shown = summary_message(&text, Some(HISTORY)).content.joined("").into_owned();
        let message = Message::User(Content { blocks: vec![Block::Text(Text::new(shown))], plain: true });
        Ok(Summary { message: Some(message), text: Text::new(text), fallback, exchanges, ..Summary::default() })
    }
}
