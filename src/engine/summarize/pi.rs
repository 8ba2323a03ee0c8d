//! Pi's summaries: history, update, and the start of a split turn; file lists at the end.

use std::ops::Range;
use std::sync::Arc;

use super::{Completer, Exchange, LlmError, LlmRequest, Purpose, Summarizer, Summary, SummaryError, SummaryJob};
use crate::engine::pi::{FileOps, Rules, serialize};
use crate::engine::template::{Choice, Parts, Template, TemplateError};
use crate::engine::view::{ContextView, Item};
use crate::transcript::{JsonText, Message, Text, Tokens};

/// Between the history summary and that of a split turn.
const SPLIT: &str = "\n\n---\n\n**Turn Context (split turn):**\n\n";
/// In place of a history summary when a split turn has none.
const NO_HISTORY: &str = "No prior history.";

/// Pi's summarizer, as one release has it, with a template of its own or another.
#[derive(Clone, Debug)]
pub struct Pi {
    rules: Rules,
    template: Choice,
    from_start: bool,
}

impl Pi {
    /// With the template of this name, or one picked by the task.
    ///
    /// # Errors
    /// When there is no such template.
    pub fn new(rules: Rules, template: &str) -> Result<Self, TemplateError> {
        Ok(Self { rules, template: Choice::named(template)?, from_start: false })
    }

    /// Summarizes the whole history again at every compaction, instead of updating the summary before: no release of Pi
    /// does so. What a summary of summaries loses is the difference between the two.
    #[must_use]
    pub fn from_start(self, from_start: bool) -> Self {
        Self { from_start, ..self }
    }

    /// The messages that earlier compactions and this one drop.
    fn whole_history(&self, job: &SummaryJob<'_, '_>) -> String {
        let view = job.context;
        let kept = view.items()[job.plan.history.end..].iter().find_map(Item::origin);
        let items =
            job.past.iter().take_while(|idx| Some(**idx) != kept).map(|&idx| Item::entry(view.transcript(), idx));
        let items: Vec<Item> = items.collect();
        serialize(items.iter().filter_map(|item| item.message(view.transcript())), &self.rules)
    }

    /// The template for a job.
    fn template(&self, job: &SummaryJob<'_, '_>) -> &Template {
        let earlier = job.context.last_summary().map(|last| last.text.as_str());
        self.template.pick(job.context.messages(0..job.context.len()), earlier)
    }

    /// Floor of a share of the reserve, where summaries had caps of their own.
    fn cap(&self, tenths: u64) -> Option<Tokens> {
        // A person may set any reserve.
        let (whole, rest) = (self.rules.reserve.0 / 10, self.rules.reserve.0 % 10);
        self.rules.caps_output.then(|| Tokens(whole * tenths + rest * tenths / 10))
    }

    fn serialized(&self, view: &ContextView<'_>, range: Range<usize>) -> String {
        serialize(view.messages(range), &self.rules)
    }

    /// One call; its answer, or the failure with everything called so far.
    fn ask(
        &self,
        request: LlmRequest,
        llm: &dyn Completer,
        exchanges: &mut Vec<Exchange>,
    ) -> Result<Arc<str>, SummaryError> {
        let answer = llm.complete(&request);
        let response = answer.as_ref().ok().cloned();
        exchanges.push(Exchange { request, response });
        let response = answer.map_err(|error| SummaryError { error, exchanges: exchanges.clone() })?;
        if response.truncated && self.rules.refuses_truncated {
            let error = LlmError::Unusable("it ended at the output limit".to_owned());
            return Err(SummaryError { error, exchanges: exchanges.clone() });
        }
        Ok(response.text)
    }

    /// The summary of the history, or what stands for it.
    fn history(
        &self,
        job: &SummaryJob<'_, '_>,
        llm: &dyn Completer,
        exchanges: &mut Vec<Exchange>,
    ) -> Result<Arc<str>, SummaryError> {
        let previous = job.context.last_summary().map(|last| last.text.as_str()).filter(|text| !text.is_empty());
        let is_empty = job.context.messages(job.plan.history.clone()).next().is_none();
        if is_empty && !job.plan.prefix.is_empty() {
            let kept = previous.filter(|_| self.rules.split_keeps_previous);
            return Ok(kept.unwrap_or(NO_HISTORY).into());
        }
        let template = self.template(job);
        let previous = previous.filter(|_| template.has(Purpose::Update) && !self.from_start);
        let purpose = if previous.is_some() { Purpose::Update } else { Purpose::Summary };
        let conversation = if self.from_start {
            self.whole_history(job)
        } else {
            self.serialized(job.context, job.plan.history.clone())
        };
        let parts = Parts { conversation: &conversation, previous_summary: previous, focus: job.instructions };
        self.ask(request(template, purpose, &parts, self.cap(8), job.seed), llm, exchanges)
    }

    fn files(&self, job: &SummaryJob<'_, '_>) -> FileOps {
        let mut files = FileOps::default();
        if let Some(last) = job.context.last_summary().filter(|last| !last.from_hook) {
            last.details.iter().for_each(|details| files.add_details(details));
        }
        let dropped = job.plan.history.start..job.plan.kept_from;
        job.context.messages(dropped).for_each(|message| files.add(message, &self.rules));
        files
    }
}

fn request(
    template: &Template,
    purpose: Purpose,
    parts: &Parts<'_>,
    max_output: Option<Tokens>,
    seed: u64,
) -> LlmRequest {
    let prompt = template.render(purpose, parts).unwrap_or_default();
    LlmRequest { max_output, seed, ..LlmRequest::new(purpose, template.system().cloned(), prompt) }
}

impl Summarizer for Pi {
    fn summarize(&self, job: &SummaryJob<'_, '_>, llm: &dyn Completer) -> Result<Summary, SummaryError> {
        let mut exchanges = Vec::new();
        let mut text = self.history(job, llm, &mut exchanges)?.to_string();
        let template = self.template(job);
        if !job.plan.prefix.is_empty() && template.has(Purpose::TurnPrefix) {
            let conversation = self.serialized(job.context, job.plan.prefix.clone());
            let parts = Parts { conversation: &conversation, previous_summary: None, focus: job.instructions };
            let request = request(template, Purpose::TurnPrefix, &parts, self.cap(5), job.seed);
            let prefix = self.ask(request, llm, &mut exchanges)?;
            text.push_str(SPLIT);
            text.push_str(&prefix);
        }
        let lists = self.files(job).lists();
        text.push_str(&lists.tags());
        let text = Text::new(text);
        let details = serde_json::to_string(&lists).ok().and_then(JsonText::new);
        let message = Some(Message::CompactionSummary(text.clone()));
        Ok(Summary { message, text, details, exchanges, ..Summary::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_the_floor_of_a_share_of_any_reserve() {
        let cap = |reserve, tenths| {
            let rules = Rules { caps_output: true, ..Rules::V1_6 }.with_reserve(Some(Tokens(reserve)));
            Pi::new(rules, "pi").unwrap().cap(tenths)
        };
        assert_eq!([cap(16_384, 8), cap(16_384, 5), cap(19, 5)], [13_107, 8_192, 9].map(|cap| Some(Tokens(cap))));
        assert_eq!(cap(u64::MAX, 8), Some(Tokens(14_757_395_258_967_641_292)));
    }
}
