//! The whole Deep Agents middleware around one model call.

use super::clip::clip_tail;
use super::cut::cut;
use super::estimate::Estimator;
use super::ledger::Ledger;
use super::media::{MediaFile, offload_media};
use super::message::{ChatMessage, Content, Part};
use super::preset::{Settings, input_budget};
use super::summary::{SummaryInput, history_section, summarizer_input, summary_message};
use super::trigger::{NoLimit, Reading, reported_usage};
use crate::transcript::Tokens;

/// What the middleware knows of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model<'p> {
    /// `max_input_tokens` of its profile.
    pub limit: Option<Tokens>,
    /// The most it may write; 0 = not set.
    pub max_output: Tokens,
    /// Its provider's name, to which reported usage must belong.
    pub provider: Option<&'p str>,
    /// The estimate used for it.
    pub estimator: Estimator,
}

/// A compaction, kept beside the messages: these all stay in the state.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a> {
    /// Messages of the state before this index are summarized.
    pub cut: usize,
    /// What stands in for them.
    pub summary: ChatMessage<'a>,
    /// The history file.
    pub history: String,
    /// Messages in the state at the time.
    pub created_at: usize,
}

/// The world outside the rules.
pub trait Services {
    /// Sends a request (without its system prompt) of so many estimated tokens.
    fn send(&mut self, request: &[ChatMessage<'_>], tokens: Tokens) -> Result<(), Overflowed>;

    /// Asks for a summary; [`SummaryInput::Fixed`] has been dealt with.
    fn summarize(&mut self, input: &SummaryInput<'_, '_>) -> String;

    /// Path of the session's history file.
    fn history_path(&self) -> String;

    /// The time, UTC in ISO form.
    fn time(&self) -> String;
}

/// The model refused a request as too large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overflowed;

/// Why a call gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContextOverflow {
    /// No smaller request could be made.
    #[error("the request overflows the model's context after {model_calls} calls and cannot be made smaller")]
    Final {
        /// Calls made.
        model_calls: u32,
    },
    /// The settings do not fit the model.
    #[error(transparent)]
    Settings(#[from] NoLimit),
}

/// One model call.
#[derive(Clone, Copy, Debug)]
pub struct AgentCall<'m, 'a> {
    /// The model.
    pub model: Model<'m>,
    /// The middleware.
    pub settings: &'m Settings,
    /// The system prompt.
    pub system: Option<&'m ChatMessage<'a>>,
    /// The messages of the state.
    pub messages: &'m [ChatMessage<'a>],
    /// Sum of [`tool_chars`](super::tool_chars).
    pub tool_chars: usize,
    /// The compaction in force.
    pub event: Option<&'m Event<'a>>,
}

/// The request that was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered<'a> {
    /// Its messages, without the system prompt.
    pub messages: Vec<ChatMessage<'a>>,
    /// Its estimate.
    pub tokens: Tokens,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub struct CallReport<'a> {
    /// The request that was answered.
    pub answered: Answered<'a>,
    /// Requests sent.
    pub model_calls: u32,
    /// The new compaction.
    pub event: Option<Event<'a>>,
    /// What it appended to the history file.
    pub section: Option<String>,
    /// Pictures it moved to files, each path once.
    pub media: Vec<MediaFile>,
    /// Tool results clipped at the end, which replace those in the state.
    pub replaced: usize,
    /// Files that took the clipped results.
    pub files: Vec<(String, String)>,
}

impl<'a> AgentCall<'_, 'a> {
    /// The effective messages: an earlier summary and what follows its cut.
    pub fn effective(&self) -> Vec<ChatMessage<'a>> {
        match self.event {
            None => self.messages.to_vec(),
            Some(event) => {
                let kept = self.messages.get(event.cut..).unwrap_or_default();
                std::iter::once(&event.summary).chain(kept).cloned().collect()
            }
        }
    }

    /// The scaled estimate of a request with system prompt and tools.
    pub fn count(&self, messages: &[ChatMessage<'a>]) -> Tokens {
        let system = self.system.map_or(Tokens(0), |system| self.model.estimator.of(system));
        let before = system + self.model.estimator.tools(self.tool_chars);
        self.ledger(messages).scaled(0..messages.len(), before, usize::from(self.system.is_some()))
    }

    /// What the trigger sees of `messages`, whose count is `total`.
    pub fn reading(&self, messages: &[ChatMessage<'a>], total: Tokens) -> Reading {
        let last_reply = messages.iter().rev().find(|message| message.role == super::Role::Ai);
        Reading { messages: messages.len(), total, reported: reported_usage(last_reply, self.model.provider) }
    }

    /// The input budget of [`input_budget`].
    pub fn budget(&self) -> Option<Tokens> {
        input_budget(self.model.limit, self.model.max_output)
    }

    /// Makes the call: truncates arguments, compacts if it must, recovers from an overflow.
    pub fn run(&self, services: &mut impl Services) -> Result<CallReport<'a>, ContextOverflow> {
        self.settings.trigger.validate(self.model.limit)?;
        let (messages, total) = self.truncated();
        let now = self.reading(&messages, total);
        let compacts = self.settings.trigger.fires(&now, self.model.limit) || self.exceeds_budget(total);
        let mut attempt = Attempt { call: self, services, model_calls: 0, rejected: None };
        if !compacts && attempt.send(&messages, total) {
            return Ok(attempt.report(Compacted::default(), messages, total));
        }
        let mut compacted = self.compact(&messages, attempt.services)?;
        let mut request = std::mem::take(&mut compacted.request);
        let mut tokens = self.count(&request);
        if attempt.rejected.is_some() || self.exceeds_budget(tokens) {
            tokens = compacted.clip(self, &mut request);
        }
        if attempt.may_send(tokens) && attempt.send(&request, tokens) {
            return Ok(attempt.report(compacted, request, tokens));
        }
        if compacted.replaced == 0 {
            tokens = compacted.clip(self, &mut request);
            if attempt.may_send(tokens) && attempt.send(&request, tokens) {
                return Ok(attempt.report(compacted, request, tokens));
            }
        }
        Err(ContextOverflow::Final { model_calls: attempt.model_calls })
    }

    fn exceeds_budget(&self, tokens: Tokens) -> bool {
        self.budget().is_some_and(|budget| tokens > budget)
    }

    fn ledger(&self, messages: &[ChatMessage<'a>]) -> Ledger {
        Ledger::new(messages.iter().map(|message| (message, self.model.estimator.of(message))))
    }

    /// The effective messages after argument truncation, and their count.
    fn truncated(&self) -> (Vec<ChatMessage<'a>>, Tokens) {
        let mut messages = self.effective();
        let total = self.count(&messages);
        let Some(settings) = &self.settings.truncate else { return (messages, total) };
        if !settings.fires(messages.len(), total, self.model.limit) {
            return (messages, total);
        }
        let tokens = |index: usize| self.model.estimator.of(&messages[index]);
        let cutoff = settings.cutoff(messages.len(), self.model.limit, tokens);
        let changed = if cutoff < messages.len() { settings.apply(messages.as_slice(), cutoff) } else { Vec::new() };
        if changed.is_empty() {
            return (messages, total);
        }
        for (index, truncated) in changed {
            messages[index] = truncated.message;
        }
        let total = self.count(&messages);
        (messages, total)
    }

    /// Cuts, saves and summarizes. With nothing to cut, the request is what was given.
    fn compact(&self, messages: &[ChatMessage<'a>], services: &mut impl Services) -> Result<Compacted<'a>, NoLimit> {
        let ledger = self.ledger(messages);
        let len = messages.len();
        let total = ledger.scaled(0..len, Tokens(0), 0);
        let at = cut(messages, self.settings.keep, self.model.limit, total, |index| ledger.plain(index..len))?;
        if at == 0 {
            return Ok(Compacted { request: messages.to_vec(), ..Compacted::default() });
        }
        let mut compacted = Compacted::default();
        let old: Vec<ChatMessage<'a>> = messages[..at].iter().map(|message| compacted.move_media(message)).collect();
        let counts: Vec<Tokens> = old.iter().map(|message| self.model.estimator.of(message)).collect();
        compacted.section = Some(history_section(&old, &services.time()));
        let summary = match summarizer_input(&old, &counts, self.settings.trim, &self.model.estimator) {
            SummaryInput::Fixed(text) => text.to_owned(),
            input @ SummaryInput::Messages(_) => services.summarize(&input),
        };
        let history = services.history_path();
        let summary = summary_message(summary.trim(), Some(&history));
        let before = self.event.map_or(0, |event| event.cut.saturating_sub(1));
        compacted.request.push(summary.clone());
        compacted.request.extend(messages[at..].iter().map(without_reasoning));
        compacted.event = Some(Event { cut: before + at, summary, history, created_at: self.messages.len() });
        Ok(compacted)
    }
}

/// A kept message from before the summary: reasoning signed for the old context is dropped.
fn without_reasoning<'a>(message: &ChatMessage<'a>) -> ChatMessage<'a> {
    match &message.content {
        Content::Parts(parts) if parts.iter().any(|part| matches!(part, Part::Thinking { .. })) => {
            let kept = parts.iter().filter(|part| !matches!(part, Part::Thinking { .. })).cloned().collect();
            message.with_content(Content::Parts(kept))
        }
        _ => message.clone(),
    }
}

/// What a compaction did.
#[derive(Debug, Default)]
struct Compacted<'a> {
    request: Vec<ChatMessage<'a>>,
    event: Option<Event<'a>>,
    section: Option<String>,
    media: Vec<MediaFile>,
    replaced: usize,
    files: Vec<(String, String)>,
}

impl<'a> Compacted<'a> {
    fn move_media(&mut self, message: &ChatMessage<'a>) -> ChatMessage<'a> {
        let Some((moved, files)) = offload_media(message, "") else { return message.clone() };
        for file in files {
            if !self.media.iter().any(|known| known.path == file.path) {
                self.media.push(file);
            }
        }
        moved
    }

    /// Clips the end of the request and counts it anew.
    fn clip(&mut self, call: &AgentCall<'_, 'a>, request: &mut [ChatMessage<'a>]) -> Tokens {
        let clipped = clip_tail(request, "");
        self.replaced = clipped.results.len();
        self.files = clipped.files;
        for (index, result) in clipped.results {
            request[index] = result;
        }
        call.count(request)
    }
}

/// The requests of one call.
struct Attempt<'c, 'm, 'a, S> {
    call: &'c AgentCall<'m, 'a>,
    services: &'c mut S,
    model_calls: u32,
    rejected: Option<Tokens>,
}

impl<'a, S: Services> Attempt<'_, '_, 'a, S> {
    /// Sends a request; whether it was answered.
    fn send(&mut self, request: &[ChatMessage<'a>], tokens: Tokens) -> bool {
        self.model_calls += 1;
        let answered = self.services.send(request, tokens).is_ok();
        if !answered {
            self.rejected = Some(tokens);
        }
        answered
    }

    /// After a rejection only a smaller request within the budget is sent.
    fn may_send(&self, tokens: Tokens) -> bool {
        self.rejected.is_none_or(|rejected| tokens < rejected && !self.call.exceeds_budget(tokens))
    }

    fn report(&self, compacted: Compacted<'a>, messages: Vec<ChatMessage<'a>>, tokens: Tokens) -> CallReport<'a> {
        let Compacted { event, section, media, replaced, files, .. } = compacted;
        let answered = Answered { messages, tokens };
        CallReport { answered, model_calls: self.model_calls, event, section, media, replaced, files }
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentCall, Estimator, Event, Model, Overflowed, Services, Settings, SummaryInput};
    use crate::engine::langchain::{ChatMessage, Content, Role, Size, Trigger};
    use crate::transcript::Tokens;

    struct Agrees;

    impl Services for Agrees {
        fn send(&mut self, _: &[ChatMessage<'_>], _: Tokens) -> Result<(), Overflowed> {
            Ok(())
        }

        fn summarize(&mut self, input: &SummaryInput<'_, '_>) -> String {
            format!(" {} lines\n", input.transcript().lines().count())
        }

        fn history_path(&self) -> String {
            "/h.md".into()
        }

        fn time(&self) -> String {
            "T".into()
        }
    }

    #[test]
    fn a_second_compaction_summarizes_the_first_summary_but_does_not_save_it() {
        let settings = Settings { keep: Size::Messages(2), ..Settings::direct(Trigger::from(Size::Messages(4))) };
        let model = Model { limit: None, max_output: Tokens(0), provider: None, estimator: Estimator::DEFAULT };
        let state: Vec<ChatMessage<'static>> =
            (0..9).map(|n| ChatMessage::new(Role::Human, Content::text(format!("m{n}")))).collect();
        let call =
            |messages, event| AgentCall { model, settings: &settings, system: None, messages, tool_chars: 0, event };
        let first = call(&state[..6], None).run(&mut Agrees).unwrap();
        let event: Event<'_> = first.event.unwrap();
        assert_eq!((event.cut, event.created_at, first.answered.messages.len()), (4, 6, 3));
        assert!(event.summary.content.joined("").ends_with("<summary>\n4 lines\n</summary>"));
        // The summary and five messages: four go, of which three are the state's.
        let second = call(&state, Some(&event)).run(&mut Agrees).unwrap();
        assert_eq!(second.event.unwrap().cut, 7);
        let section = second.section.unwrap();
        assert!(section.starts_with("## Summarized at T\n\n<message type=\"human\">m4</message>\n"), "{section}");
        assert_eq!(section.matches("<message").count(), 3);
    }
}
