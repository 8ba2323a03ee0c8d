//! The simulator against recorded usage, request by request.
//!
//! The size of every prompt is taken from the recording, so that positions are in the provider's own tokens: between two
//! recorded sizes, blocks get their share by reference count. What is simulated, and compared, is what of the prompt is
//! read. The first recorded request is given, not compared: an absent head is inferred from it.

use std::collections::HashMap;

use super::block::{Digest, Settings};
use super::clock::{Clock, Moment};
use super::explain::{Explanation, Recorded, explain};
use super::feed::Feed;
use super::outcome::{Break, Cause, Outcome, Split};
use super::placement::{Breakpoint, Mark, marked};
use super::providers::{Lives, ModelCache, Providers};
use super::rules::{Life, Matching};
use super::simulator::Request;
use super::table::{BlockTable, InferredHead};
use crate::replay::{CountCache, Kind, Live, ReplayEvent, RequestEvent};
use crate::tokens::MessageTable;
use crate::transcript::{EntryIdx, EntryKind, Message, Reply, Role, StopReason, Tokens, Transcript, Usage};

/// One request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AuditRow {
    /// Its number on the path, from 1.
    pub request: u64,
    /// Line of its reply.
    pub line: usize,
    /// When it started.
    pub moment: Moment,
    /// The model.
    pub model: Box<str>,
    /// Name of the cache that was simulated.
    pub provider: &'static str,
    /// Its breakpoints are those that the file holds.
    pub marked: bool,
    /// A compaction came before it.
    pub compacted: bool,
    /// What the provider recorded; `None`: nothing.
    pub recorded: Option<Split>,
    /// Recorded output.
    pub output: Tokens,
    /// What was simulated.
    pub simulated: Split,
    /// The break that was simulated.
    pub missed: Option<Break>,
    /// The break that was recorded: tokens that were cached and not read, and why.
    pub broken: Option<(Tokens, Explanation)>,
    /// Something was inferred from this request, or the file records no cache use at all; it is not compared.
    pub given: bool,
}

impl AuditRow {
    /// Simulated read minus recorded read as a share of the recorded read, or of the prompt where nothing was read.
    pub fn error(&self) -> Option<f64> {
        let recorded = self.recorded.filter(|_| !self.given)?;
        let base = if recorded.read > Tokens(0) { recorded.read } else { recorded.prompt() };
        (base > Tokens(0)).then(|| (number(self.simulated.read) - number(recorded.read)) / number(base))
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn number(tokens: Tokens) -> f64 {
    tokens.0 as f64
}

/// The head of a session, as far as its first recorded request tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeadGuess {
    /// The sizes; `None`: the file has the head.
    pub inferred: Option<InferredHead>,
    /// The first request read from the cache: other sessions share the head, and are taken to keep it warm.
    pub shared: bool,
}

/// What the first recorded request says of the head.
pub fn guess_head(transcript: &Transcript, path: &[EntryIdx], reference: &MessageTable) -> HeadGuess {
    let mut messages = Tokens(0);
    for &idx in path {
        let entry = transcript.entry(idx);
        if let EntryKind::Message(Message::Assistant(_, reply)) = &entry.kind
            && let Some(usage) = reply.usage.filter(|usage| usage.prompt() > Tokens(0))
        {
            let (prompt, read) = (usage.prompt(), Tokens(usage.cache_read));
            let stable = if usage.cache_read > 0 { read } else { prompt.saturating_sub(messages) };
            let opening = prompt.saturating_sub(stable).saturating_sub(messages);
            let known = transcript.head.system.is_some() && transcript.head.tools.is_some();
            let inferred = (!known).then_some(InferredHead { stable, opening });
            return HeadGuess { inferred, shared: usage.cache_read > 0 };
        }
        messages = messages + reference.entry(idx);
    }
    HeadGuess::default()
}

/// What an audit is made with.
#[derive(Clone, Copy, Debug)]
pub struct AuditInput<'t> {
    /// The session.
    pub transcript: &'t Transcript,
    /// Its path.
    pub path: &'t [EntryIdx],
    /// Its blocks, the head's included.
    pub table: &'t BlockTable,
    /// Counts of made texts.
    pub counts: &'t CountCache,
    /// When requests start.
    pub clock: &'t Clock,
    /// How each model's requests are cached; one that is not named is as the first.
    pub models: &'t [ModelCache],
    /// Breakpoints that the file holds, by the reply; a request without is marked as the agent's policy has it.
    pub marks: &'t HashMap<EntryIdx, Vec<Mark>>,
    /// What is known of the head.
    pub head: HeadGuess,
}

/// An observer of a replay of the recorded history.
#[derive(Debug)]
pub struct Audit<'t> {
    input: AuditInput<'t>,
    feed: Feed<'t>,
    caches: Providers,
    lives: Lives,
    /// Digest of the thinking level in force at each entry: the one of the last message of the person.
    levels: Vec<Digest>,
    cause: Option<Cause>,
    rows: Vec<AuditRow>,
    /// Prompt and cached tokens of the last request with recorded usage.
    before: Option<(Tokens, Tokens)>,
    /// What every request with recorded usage left cached.
    left: Vec<Tokens>,
    /// A break of a request since then, which recorded no usage.
    unseen: Option<Break>,
}

impl<'t> Audit<'t> {
    /// An audit that has seen nothing.
    ///
    /// # Panics
    /// Without a single model.
    pub fn new(input: AuditInput<'t>) -> Self {
        Self {
            feed: Feed::new(input.table, input.counts, input.models[0].reasoning),
            caches: Providers::default(),
            lives: Lives::default(),
            levels: levels(input.transcript, input.path),
            input,
            cause: None,
            rows: Vec::new(),
            before: None,
            left: Vec::new(),
            unseen: None,
        }
    }

    /// Sees the next event.
    pub fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Compaction(_) => self.cause = Some(Cause::Compaction),
            ReplayEvent::Edit(_) => self.cause = self.cause.or(Some(Cause::Masking)),
            ReplayEvent::Request(request) => self.request(request),
            _ => {}
        }
    }

    /// All requests. Where no request recorded a read or a write, none is compared: the agent asked for no cache, or the file
    /// does not tell.
    pub fn finish(mut self) -> Vec<AuditRow> {
        let is_used = |split: Split| split.prompt() > split.plain;
        if !self.rows.iter().filter_map(|row| row.recorded).any(is_used) {
            for row in &mut self.rows {
                (row.given, row.broken) = (true, None);
            }
        }
        self.rows
    }

    fn request(&mut self, event: &RequestEvent<'_, '_>) {
        let entry = self.input.transcript.entry(event.entry);
        let EntryKind::Message(Message::Assistant(_, reply)) = &entry.kind else { return };
        let usage = reply.usage.filter(|usage| usage.prompt() > Tokens(0));
        if usage.is_none() && was_not_sent(reply) {
            return;
        }
        let models = self.input.models;
        let model = models.iter().find(|model| *model.model == *reply.model).unwrap_or(&models[0]);
        let given = usage.is_some() && self.before.is_none();
        let moment = self.input.clock.start(event.entry);
        let (outcome, marked) = self.send(event, (model, &reply.model), usage);
        let missed = outcome.missed.into_iter().chain(self.unseen).max_by_key(|missed| missed.lost);
        let begins = begins_a_run(event.live);
        let timed = moment.known || model.rules.short.is_none();
        let broken = usage.and_then(|usage| self.broken(&usage, missed, (begins, timed)));
        self.rows.push(AuditRow {
            request: event.number,
            line: entry.line,
            moment,
            model: (&*reply.model).into(),
            provider: model.provider,
            marked,
            compacted: self.cause == Some(Cause::Compaction),
            recorded: usage.map(|usage| Split::from(&usage)),
            output: Tokens(reply.usage.map_or(0, |usage| usage.output)),
            simulated: outcome.split,
            missed: outcome.missed,
            broken,
            given,
        });
        self.unseen = missed;
        if let Some(usage) = usage {
            (self.cause, self.unseen) = (None, None);
            let split = Split::from(&usage);
            let written = split.read + split.write + split.write_long;
            let cached = if model.rules.bills_writes { written } else { split.prompt() };
            self.before = Some((split.prompt(), cached));
            self.left.push(cached);
        }
    }

    /// Sends the request to the model's cache. Says whether its breakpoints are those of the file.
    fn send(
        &mut self,
        event: &RequestEvent<'_, '_>,
        (model, name): (&ModelCache, &str),
        usage: Option<Usage>,
    ) -> (Outcome, bool) {
        let settings =
            Settings { model: Digest::of(&[name]), system: Digest::default(), messages: self.levels[event.entry.0] };
        self.feed.set_reasoning(model.reasoning);
        self.feed.request(event.live, settings);
        let (fresh, head) = (self.feed.fresh(), self.feed.head_blocks());
        let at = self.input.clock.start(event.entry).at;
        let answer: Vec<Digest> = self.input.table.entry(event.entry).iter().map(|block| block.digest).collect();
        let prompt = self.feed.prompt_mut();
        if let Some(usage) = usage {
            prompt.fit(fresh, usage.prompt());
            self.lives.note(&usage, model.placement.life());
            if self.input.head.shared {
                self.caches.of(model).warm(prompt, head, Life::Long, at);
            }
        }
        let own = self.input.marks.get(&event.entry);
        let own = own.filter(|_| matches!(model.rules.matching, Matching::Breakpoints { .. }));
        let policy = || self.lives.of(model.placement).place(prompt);
        let placed: Vec<Breakpoint> = own.map_or_else(policy, |marks| marked(marks, prompt));
        let request = Request { answer: &answer, cause: self.cause, ..Request::new(at, prompt, &placed) };
        (self.caches.send(model, &request), own.is_some())
    }

    /// Whether the recording shows a break here, and why.
    fn broken(
        &self,
        usage: &Usage,
        missed: Option<Break>,
        (begins, timed): (bool, bool),
    ) -> Option<(Tokens, Explanation)> {
        let (prompt, cached) = self.before?;
        let lost = cached.saturating_sub(Tokens(usage.cache_read));
        // As public monitors have it, a fall by more than a twentieth; a thousand tokens are the least that is cached.
        if lost.0 * 20 <= cached.0 || lost.0 <= 1_024 {
            return None;
        }
        let earlier = &self.left[..self.left.len().saturating_sub(1)];
        let head = prompt_head(&self.feed);
        Some((lost, explain(&Recorded { usage, prompt, lost, head, begins, timed, earlier }, missed)))
    }
}

/// The level in force at each entry of a path.
fn levels(transcript: &Transcript, path: &[EntryIdx]) -> Vec<Digest> {
    let mut levels = vec![Digest::default(); transcript.entries.len()];
    // Agents begin without reasoning unless they say otherwise.
    let mut level = Digest::of(&["off"]);
    let mut chosen = level;
    for &idx in path {
        match &transcript.entry(idx).kind {
            EntryKind::ThinkingLevelChange(word) => chosen = Digest::of(&[word]),
            // An agent takes its settings when it begins to work; what is chosen meanwhile is for the next time.
            EntryKind::Message(Message::User(_)) => level = chosen,
            _ => {}
        }
        levels[idx.0] = level;
    }
    levels
}

/// Whether an agent begins to work here: a request in the middle of its work answers the results of tools.
fn begins_a_run(live: &Live<'_>) -> bool {
    let view = live.view();
    let sent = (0..view.len()).rev().find(|&index| live.is_sent(index));
    sent.is_none_or(|index| view.kind(index) != Kind::Message(Role::ToolResult))
}

fn prompt_head(feed: &Feed<'_>) -> Tokens {
    feed.prompt().tokens(feed.head_blocks())
}

/// A reply that no provider wrote: made by the agent itself, or an error of the provider, which stored nothing.
fn was_not_sent(reply: &Reply) -> bool {
    reply.stop != StopReason::Aborted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::sketch::{reply, result, session, user};

    #[test]
    fn a_level_that_is_chosen_in_the_middle_of_a_run_counts_from_the_next_word_of_the_person() {
        let call = || Some(reply("", &[("c", "read", "{}")], StopReason::ToolUse));
        let summary = Some(Message::CompactionSummary("So far.".into()));
        let mut transcript =
            session([Some(user("a")), call(), None, Some(result("c", "r")), summary, call(), Some(user("b")), call()]);
        transcript.entries[2].kind = EntryKind::ThinkingLevelChange("high".into());
        let (off, high) = (Digest::of(&["off"]), Digest::of(&["high"]));
        assert_eq!(levels(&transcript, &transcript.path()), [off, off, off, off, off, off, high, high]);
    }
}
