//! The original prompt in place of a summary: the loop known as Ralph starts every context with it.

use super::{Completer, Summarizer, Summary, SummaryError, SummaryJob};
use crate::transcript::Message;

/// The first message of the person, again.
#[derive(Clone, Copy, Debug)]
pub struct OriginalPrompt;

impl Summarizer for OriginalPrompt {
    fn summarize(&self, job: &SummaryJob<'_, '_>, _: &dyn Completer) -> Result<Summary, SummaryError> {
        let in_context = job.context.messages(0..job.context.len()).find(|message| matches!(message, Message::User(_)));
        Ok(Summary { message: in_context.cloned(), ..Summary::default() })
    }
}
