//! One walk over a session, for all estimators together.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::shadow::Shadow;
use super::truth::{HeadSource, Truth};
use super::usage::{TruthRow, Verdict, truth_rows};
use crate::engine::estimate::Estimator;
use crate::engine::estimate::exact::Exact;
use crate::engine::preset::preset;
use crate::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse};
use crate::engine::view::Track;
use crate::replay::{
    CountCache, EstimateTable, History, Live, Model, Outline, ReplayEvent, ReplayInput, RequestEvent, replay,
};
use crate::tokens::{IMAGE_BYTES, MessageTable, Reference, tools_json};
use crate::transcript::class::{ContentClass, Script, dominant};
use crate::transcript::{
    Block, Content, EntryIdx, EntryKind, Message, Role, Text, Tokens, ToolSchema, Transcript, is_sent,
};

/// An estimator under test.
#[derive(Clone)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// The estimator.
    pub estimator: Arc<dyn Estimator>,
}

/// A session to look at.
#[derive(Clone, Copy)]
pub struct Bench<'a> {
    /// Its name.
    pub name: &'a str,
    /// Sessions that share an origin.
    pub lineage: &'a str,
    /// The format it was read as.
    pub format: &'a str,
    /// The session.
    pub transcript: &'a Transcript,
}

/// One message, counted by the tokenizer and by every subject.
#[derive(Clone, Debug)]
pub struct MessageRow {
    /// The record.
    pub entry: EntryIdx,
    /// Who speaks.
    pub role: Role,
    /// The class most of it is of, by length.
    pub class: ContentClass,
    /// The script of that part.
    pub script: Script,
    /// The tokenizer's count.
    pub truth: Tokens,
    /// What each subject says, in their order.
    pub estimates: Vec<Tokens>,
    /// Characters of its signatures of reasoning, which no estimator counts as text.
    pub signature_chars: u64,
    /// What each subject would say if they were text; nothing where there are none.
    pub with_signature: Vec<Tokens>,
}

/// One request: the truth, and what every subject believes.
#[derive(Clone, Debug)]
pub struct RequestRow {
    /// Its number, from 1.
    pub request: u64,
    /// The reply.
    pub entry: EntryIdx,
    /// How often the context had been compacted.
    pub phase: u64,
    /// The truth about the whole request, the head included.
    pub truth: Tokens,
    /// The part of it that is the head.
    pub head: Tokens,
    /// The estimates of the whole request, in the order of the subjects, and whether each is anchored to usage.
    pub estimates: Vec<(Tokens, bool)>,
    /// Where each subject would cut: messages kept more than by the truth's walk (negative: fewer), and the kept tail in
    /// the tokenizer's tokens. Empty when the context is smaller than the budget.
    pub cuts: Vec<(i64, Tokens)>,
}

/// What a session is, beside its rows.
#[derive(Clone, Debug)]
pub struct SessionRow {
    /// Its name.
    pub name: String,
    /// Its lineage.
    pub lineage: String,
    /// Its format.
    pub format: String,
    /// Tokens of system prompt and tools.
    pub head: Tokens,
    /// Where that number comes from.
    pub head_source: HeadSource,
    /// The tokenizer's count of the system prompt alone, where the file holds it.
    pub system: Option<Tokens>,
    /// Its count of the tools as one compact JSON array, where the file holds them. Providers render schemas in their own way,
    /// which is not public: this is an estimate.
    pub tools: Option<Tokens>,
    /// Replies by what their recorded usage is good for.
    pub verdicts: Vec<(Verdict, u64)>,
    /// Characters of signatures of reasoning, which no estimator counts as text.
    pub signature_chars: u64,
}

/// Everything that was seen of a session.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The session.
    pub session: SessionRow,
    /// What was recorded.
    pub truths: Vec<TruthRow>,
    /// Its messages.
    pub messages: Vec<MessageRow>,
    /// Its requests that have a truth.
    pub requests: Vec<RequestRow>,
}

/// A recorded history asks no model.
struct Nobody;

impl Completer for Nobody {
    fn name(&self) -> &'static str {
        "nobody"
    }

    fn is_mock(&self) -> bool {
        true
    }

    fn complete(&self, _: &LlmRequest) -> Result<LlmResponse, LlmError> {
        Err(LlmError::Failed("a recorded history asks no model".to_owned()))
    }
}

/// No context reaches this: nothing overflows while the past is followed.
const NO_WINDOW: Tokens = Tokens(u64::MAX / 4);

impl Observed {
    /// Follows `bench` with all subjects. `keep` is the budget of the cut.
    pub fn new(bench: Bench<'_>, subjects: &[Subject], truth: &Truth, keep: Tokens) -> Self {
        let exact = Exact { tokenizer: Arc::clone(truth.tokenizer()), per_message: 0 };
        let counted = Subject { name: truth.tokenizer().name().to_owned(), estimator: Arc::new(exact) };
        Self::with(bench, subjects, truth, keep, &counted)
    }

    fn with<'s>(bench: Bench<'s>, subjects: &'s [Subject], truth: &Truth, keep: Tokens, counted: &'s Subject) -> Self {
        let transcript = bench.transcript;
        let path = transcript.path();
        let truths = truth_rows(transcript, &path);
        let (head, head_source) = head(transcript, &path, &truths, truth, &*counted.estimator);
        let mut tables: HashMap<&str, Arc<EstimateTable>> = HashMap::new();
        let mut shadow = |subject: &'s Subject| {
            let counts_as = subject.name.trim_start_matches("anchored:");
            let table = || Arc::new(EstimateTable::new(transcript, &*subject.estimator));
            Shadow::new(subject, transcript, head, Arc::clone(tables.entry(counts_as).or_insert_with(table)))
        };
        let mut walk = Walk {
            truth: shadow(counted),
            shadows: subjects.iter().map(shadow).collect(),
            recorded: truth.is_recorded(),
            truths: truths.iter().map(|row| (row.entry, *row)).collect(),
            rows: Vec::new(),
            sent: Track::default(),
            layout: 0,
            phase: 0,
            reported: HashMap::new(),
            head_from: (head_source == HeadSource::Inferred).then(|| first_usable(&truths)).flatten(),
            head,
            keep,
        };
        follow(transcript, &path, &mut walk);
        let requests = std::mem::take(&mut walk.rows);
        let messages = messages(transcript, &path, &walk, subjects);
        let verdicts = Verdict::ALL
            .map(|verdict| (verdict, truths.iter().filter(|row| row.verdict == verdict).count() as u64))
            .to_vec();
        let session = SessionRow {
            name: bench.name.to_owned(),
            lineage: bench.lineage.to_owned(),
            format: bench.format.to_owned(),
            head,
            head_source,
            system: transcript.head.system.as_ref().map(|system| truth.tokenizer().count(system.as_str())),
            tools: transcript.head.tools.as_deref().map(|tools| tools_tokens(tools, truth)),
            verdicts,
            signature_chars: messages.iter().map(|row| row.signature_chars).sum(),
        };
        Self { session, truths, messages, requests }
    }
}

/// The tools as one JSON array. A request without tools has no array.
fn tools_tokens(tools: &[ToolSchema], truth: &Truth) -> Tokens {
    if tools.is_empty() { Tokens(0) } else { truth.tokenizer().count(&tools_json(tools)) }
}

/// The head: counted, else inferred from the first request whose usage can be believed, else unknown.
fn head(
    transcript: &Transcript,
    path: &[EntryIdx],
    truths: &[TruthRow],
    truth: &Truth,
    exact: &dyn Estimator,
) -> (Tokens, HeadSource) {
    let counted = exact.head(&transcript.head).map(|tokens| (tokens, HeadSource::Counted));
    if !truth.is_recorded() {
        return counted.unwrap_or((Tokens(0), HeadSource::Unknown));
    }
    let first = first_usable(truths).and_then(|entry| truths.iter().find(|row| row.entry == entry));
    let Some(first) = first else {
        return counted.unwrap_or((Tokens(0), HeadSource::Unknown));
    };
    let before = path.iter().take_while(|&&idx| idx != first.entry);
    let messages = before.filter_map(|&idx| match &transcript.entry(idx).kind {
        EntryKind::Message(message) if is_sent(message) => Some(exact.message(message)),
        _ => None,
    });
    let head = first.usage.prompt().saturating_sub(messages.sum());
    if head == Tokens(0) { (head, HeadSource::Unknown) } else { (head, HeadSource::Inferred) }
}

fn first_usable(truths: &[TruthRow]) -> Option<EntryIdx> {
    truths.iter().find(|row| row.on_path && row.verdict == Verdict::Usable).map(|row| row.entry)
}

/// The message with its signatures as further blocks of text, and their characters; `None` without any.
fn with_signature(message: &Message) -> Option<(Message, u64)> {
    let signature = |block: &Block| match block {
        Block::Thinking { signature: Some(signature), .. } if !signature.is_empty() => Some(Text::from(&**signature)),
        _ => None,
    };
    let signatures: Vec<Text> = message.blocks().iter().filter_map(signature).collect();
    if signatures.is_empty() {
        return None;
    }
    let chars = signatures.iter().map(|text| text.char_len() as u64).sum();
    let blocks = message.blocks().iter().cloned().chain(signatures.into_iter().map(Block::Text)).collect();
    Some((message.with_content(Content { blocks, plain: false }), chars))
}

/// Every message that is sent, with its class and all counts.
fn messages(transcript: &Transcript, path: &[EntryIdx], walk: &Walk<'_>, subjects: &[Subject]) -> Vec<MessageRow> {
    let row = |&entry: &EntryIdx| {
        let EntryKind::Message(message) = &transcript.entry(entry).kind else { return None };
        if !is_sent(message) {
            return None;
        }
        let (class, script) = dominant(message, IMAGE_BYTES);
        let estimates = walk.shadows.iter().map(|shadow| shadow.table().entry(entry)).collect();
        let truth = walk.truth.table().entry(entry);
        let (signature_chars, with_signature) = with_signature(message).map_or((0, Vec::new()), |(message, chars)| {
            (chars, subjects.iter().map(|subject| subject.estimator.message(&message)).collect())
        });
        Some(MessageRow {
            entry,
            role: message.role(),
            class,
            script,
            truth,
            estimates,
            signature_chars,
            with_signature,
        })
    };
    path.par_iter().filter_map(row).collect()
}

fn follow<'a>(transcript: &'a Transcript, path: &'a [EntryIdx], walk: &mut Walk<'a>) {
    let Some(none) = preset("none") else { return };
    let Ok(mut strategy) = none.spec.build("none") else { return };
    // The replay gives the contexts; its own counts are not looked at.
    let reference = MessageTable::uncounted(transcript);
    let estimates = EstimateTable::new(transcript, &*strategy.estimator);
    let outline = Outline::new(transcript);
    let counts = CountCache::new(Reference::O200kBase);
    let model = Model::new("", NO_WINDOW, Tokens(0));
    let input = ReplayInput {
        transcript,
        path,
        outline: &outline,
        reference: &reference,
        estimates: &estimates,
        counts: &counts,
        model: &model,
        history: History::Recorded,
        manual: &[],
        seed: 0,
    };
    replay(input, &mut strategy, &Nobody, &mut |event| match event {
        ReplayEvent::Request(request) => walk.request(request),
        ReplayEvent::Compaction(_) => walk.phase += 1,
        _ => {}
    });
}

/// The state of a walk.
struct Walk<'a> {
    truth: Shadow<'a>,
    shadows: Vec<Shadow<'a>>,
    recorded: bool,
    truths: HashMap<EntryIdx, TruthRow>,
    rows: Vec<RequestRow>,
    /// The tokenizer's counts of what is sent.
    sent: Track,
    layout: u64,
    phase: u64,
    /// What estimators are told of the replies so far.
    reported: HashMap<EntryIdx, Tokens>,
    /// The request that a head was inferred from; it proves nothing.
    head_from: Option<EntryIdx>,
    head: Tokens,
    keep: Tokens,
}

impl Walk<'_> {
    fn request(&mut self, event: &RequestEvent<'_, '_>) {
        let view = event.live.view();
        self.truth.follow(view, &self.reported);
        for shadow in &mut self.shadows {
            shadow.follow(view, &self.reported);
        }
        self.follow_sent(event.live);
        let recorded = self.truths.get(&event.entry).copied();
        let truth = if self.recorded {
            let usable = recorded.filter(|row| row.verdict == Verdict::Usable && event.recorded.is_some());
            usable.filter(|row| Some(row.entry) != self.head_from).map(|row| row.usage.prompt())
        } else {
            Some(self.head + self.sent.total())
        };
        if let Some(truth) = truth.filter(|&truth| truth > self.head) {
            let row = self.row(event, truth);
            self.rows.push(row);
        }
        let failed = recorded.is_some_and(|row| row.verdict == Verdict::Failed);
        let usage = match recorded {
            _ if failed => None,
            Some(row) if self.recorded => Some(row.usage.context()),
            _ if self.recorded => None,
            _ => Some(self.head + self.sent.total() + self.truth.table().entry(event.entry)),
        };
        if let Some(usage) = usage.filter(|&usage| usage > Tokens(0)) {
            self.reported.insert(event.entry, usage);
        }
    }

    fn follow_sent(&mut self, live: &Live<'_>) {
        let counts = self.truth.view().estimates();
        let from = if live.view().layout() == self.layout { self.sent.len() } else { 0 };
        let count = |index| if live.is_sent(index) { counts.at(index) } else { Tokens(0) };
        if from == 0 {
            self.sent = Track::default();
        }
        (from..live.view().len()).for_each(|index| self.sent.push(count(index)));
        self.layout = live.view().layout();
    }

    fn row(&self, event: &RequestEvent<'_, '_>, truth: Tokens) -> RequestRow {
        let estimate = |shadow: &Shadow<'_>| {
            let estimate = shadow.estimate();
            (estimate.tokens, estimate.anchored.is_some())
        };
        RequestRow {
            request: event.number,
            entry: event.entry,
            phase: self.phase,
            truth,
            head: self.head,
            estimates: self.shadows.iter().map(estimate).collect(),
            cuts: self.cuts(event.live),
        }
    }

    /// The same walk from the end, on estimates and on the tokenizer's counts, before any rule about roles.
    fn cuts(&self, live: &Live<'_>) -> Vec<(i64, Tokens)> {
        let all = 0..self.sent.len();
        let Some(right) = self.sent.reaches_from(all.clone(), self.keep) else { return Vec::new() };
        let messages = |from: usize, to: usize| {
            let kinds = (from..to).filter(|&index| live.is_sent(index));
            i64::try_from(kinds.count()).unwrap_or(i64::MAX)
        };
        let one = |shadow: &Shadow<'_>| {
            let cut = shadow.view().estimates().reaches_from(all.clone(), self.keep).unwrap_or(0);
            let more = if cut <= right { messages(cut, right) } else { -messages(right, cut) };
            (more, self.sent.range(cut..all.end))
        };
        self.shadows.iter().map(one).collect()
    }
}
