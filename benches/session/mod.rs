//! What benches and their tests run on: the recorded session that Pi's own figures are for, and longer ones made of it.

#![allow(dead_code, unreachable_pub, reason = "each bench and test uses a part of it")]

use cutpoint::engine::estimate::outside::Inside;
use cutpoint::engine::pi::{Path, Rules, serialize};
use cutpoint::engine::preset::preset;
use cutpoint::engine::spec::{CutSpec, StrategySpec};
use cutpoint::engine::strategy::Strategy;
use cutpoint::engine::summarize::{LlmRequest, Purpose};
use cutpoint::engine::template::{Parts, Template};
use cutpoint::import::{Format, read_bytes};
use cutpoint::llm::{Blocking, Memo, Mock};
use cutpoint::meter::Meter;
use cutpoint::meter::goal::entity::Extractor;
use cutpoint::meter::goal::{
    Artifacts, Claims, EntityIndex, Faith, Future, FutureInput, Goal, ItemSet, Presence, Second,
};
use cutpoint::replay::{
    CountCache, EstimateTable, History, Item, Model, Outline, ReplayEvent, ReplayInput, Source, replay,
};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{EntryIdx, EntryKind, Message, Part, Tokens, Transcript, sent_parts};

/// The session, below the shared folder.
pub const LARGE: &str = "transcripts/pi/pi-v1-large-session.jsonl";

/// One strategy of every kind: other triggers, cuts, edits, summaries.
pub const STRATEGIES: [&str; 6] = ["pi", "pi-article", "deepagents", "none", "drop-tool-results", "ralph"];

/// What is replayed: a strategy and tokens of window.
pub struct Case {
    /// What it is called in the results.
    pub name: String,
    /// The preset whose estimator it counts with.
    pub preset: &'static str,
    spec: StrategySpec,
    window: u64,
}

impl Case {
    /// A preset as it stands.
    ///
    /// # Panics
    /// When there is no such preset.
    pub fn preset(name: &'static str, window: u64) -> Self {
        Self { name: name.to_owned(), preset: name, spec: preset(name).expect("a preset").spec, window }
    }

    /// Real Pi, but for what it keeps, where [`LARGE`] is compacted six times, and any number of it on one path as many times
    /// more often: cost that doubles with the session and its compactions must not more than double. With Pi's own 20,000
    /// tokens the first window, which fills from nothing, costs a session one compaction: 4 become 9.
    pub fn steady() -> Self {
        let mut case = Self::preset("pi", 42_000);
        let CutSpec::Pi { keep_recent_tokens, .. } = &mut case.spec.cut else { panic!("the cut of pi is its own") };
        *keep_recent_tokens = Some(2_000);
        Self { name: "pi, 2,000 kept of 42,000".to_owned(), ..case }
    }

    /// Fresh context with the first prompt, where compactions double too: from four on.
    pub fn steady_ralph() -> Self {
        Self { name: "ralph, 48,000".to_owned(), ..Self::preset("ralph", 48_000) }
    }
}

/// The sessions whose import is measured, one of each format, below the shared folder.
pub const IMPORTED: [(&str, Format); 2] = [
    ("transcripts/pi/pi-v1-before-compaction.jsonl", Format::Pi),
    ("transcripts/claude-code/cc-entire-2compactions-b.jsonl", Format::ClaudeCode),
];

/// The lines of a file as values of `serde_json`.
///
/// # Panics
/// When a line is no JSON.
pub fn values(bytes: &[u8]) -> impl Iterator<Item = serde_json::Value> {
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).expect("JSON"))
}

/// The bytes of the session that Pi's own figures are for.
///
/// # Panics
/// When the shared folder is there and the session is not.
pub fn large_session() -> Option<Vec<u8>> {
    bytes(LARGE)
}

/// The bytes of a file; `None`, with a line on stderr, when the shared folder is not there.
///
/// # Panics
/// When the folder is there and the file is not.
pub fn bytes(file: &str) -> Option<Vec<u8>> {
    let path = crate::common::shared()?.join(file);
    Some(std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// Reads a session.
///
/// # Panics
/// When it is none.
pub fn load(bytes: &[u8]) -> Transcript {
    read_bytes(bytes, Format::Pi).expect("a Pi session").transcript
}

/// The session `times` over, on one path: every copy hangs on the leaf of the one before and has ids of its own.
///
/// Ids of tool calls stay: every call has its result in its own copy.
pub fn repeated(transcript: &Transcript, times: usize) -> Transcript {
    let length = transcript.entries.len();
    let mut entries = Vec::with_capacity(length * times);
    for copy in 0..times {
        let renamed = |id: &str| format!("{copy}-{id}").into_boxed_str();
        for entry in &transcript.entries {
            let mut entry = entry.clone();
            entry.id = renamed(&entry.id);
            entry.line += copy * length;
            entry.parent = match entry.parent {
                Some(EntryIdx(parent)) => Some(EntryIdx(parent + copy * length)),
                None => (copy * length).checked_sub(1).map(EntryIdx),
            };
            match &mut entry.kind {
                EntryKind::Compaction(one) => one.first_kept = one.first_kept.as_deref().map(renamed),
                EntryKind::ContextEdit(edit) => edit.target = renamed(&edit.target),
                _ => {}
            }
            entries.push(entry);
        }
    }
    Transcript { meta: transcript.meta.clone(), head: transcript.head.clone(), entries }
}

/// The messages of a session.
pub fn messages(transcript: &Transcript) -> impl Iterator<Item = &Message> {
    transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message(message) => Some(message),
        _ => None,
    })
}

/// All texts that are sent, each as it is counted.
pub fn texts(transcript: &Transcript) -> Vec<String> {
    let mut texts = Vec::new();
    for message in messages(transcript) {
        sent_parts(message, |part| {
            if let Part::Text(text) = part {
                texts.push(text.into_owned());
            }
        });
    }
    texts
}

/// A request for a summary of the whole session.
///
/// # Panics
/// When Pi's template is gone.
pub fn summary_request(transcript: &Transcript) -> LlmRequest {
    let indices = transcript.path();
    let path = Path::new(transcript, &indices, &Rules::V1_6);
    let conversation = serialize(path.context().iter().map(|item| &*item.message), &Rules::V1_6);
    let template = Template::builtin("pi").expect("a template");
    let parts = Parts { conversation: &conversation, previous_summary: None, focus: None };
    let prompt = template.render(Purpose::Summary, &parts).expect("a prompt");
    LlmRequest::new(Purpose::Summary, template.system().cloned(), prompt)
}

/// The name of a size: how many sessions, and how often they were compacted.
pub fn size(times: usize, counted: Counted) -> String {
    format!("{times}x, {} compactions", counted.compactions)
}

/// A session with everything counted that a run counts once.
pub struct Warm {
    transcript: Transcript,
    path: Vec<EntryIdx>,
    outline: Outline,
    reference: MessageTable,
    estimates: Vec<(String, EstimateTable)>,
    counts: CountCache,
    llm: Memo<Blocking<Mock>>,
}

/// What a replay did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Requests.
    pub requests: u64,
    /// Compactions.
    pub compactions: u64,
    /// Messages changed in place.
    pub changed: u64,
    /// Changed and made messages that were still there after a compaction.
    pub kept_changed: u64,
    /// Reference tokens of all requests.
    pub prompt: u64,
    /// Items of the contexts before all compactions.
    pub compacted_items: u64,
}

/// The goal meters of one replay, without those of annotated items.
pub struct Meters<'m> {
    /// Future use by the first extractor.
    pub future: Box<Future<'m>>,
    /// By the second one.
    pub second: Box<Second<'m>>,
    others: Vec<Box<dyn Meter + 'm>>,
}

impl Meters<'_> {
    /// Shows an event to all.
    pub fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        self.future.observe(event);
        self.second.observe(event);
        self.others.iter_mut().for_each(|meter| meter.observe(event));
    }

    /// All measures.
    pub fn finish(self) -> usize {
        let meters = self.others.into_iter().chain([self.future as Box<dyn Meter>, self.second]);
        meters.flat_map(Meter::finish).count()
    }
}

/// Entities by both extractors: found once a session.
pub struct Indices([EntityIndex; 2]);

impl Indices {
    /// Reads a session.
    pub fn new(transcript: &Transcript) -> Self {
        Self([EntityIndex::new(transcript), EntityIndex::by(Extractor::Chunks, transcript)])
    }
}

impl Warm {
    /// Counts `transcript` with `o200k_base` and the estimators of `presets`.
    ///
    /// # Panics
    /// When there is no such preset.
    pub fn new(transcript: Transcript, presets: &[&str]) -> Self {
        let mut estimates = Vec::new();
        for name in presets {
            let spec = preset(name).expect("a preset").spec;
            let table = EstimateTable::new(&transcript, &*spec.estimator.build(&Inside).expect("a built-in"));
            estimates.push((spec.estimator.name(), table));
        }
        Self {
            path: transcript.path(),
            outline: Outline::new(&transcript),
            reference: MessageTable::new(&transcript, Reference::O200kBase),
            estimates,
            counts: CountCache::new(Reference::O200kBase),
            llm: Memo::new(Blocking::new(Mock::default())),
            transcript,
        }
    }

    /// The session.
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Its path.
    pub fn path(&self) -> &[EntryIdx] {
        &self.path
    }

    /// Meters for one replay with a window of this many tokens.
    pub fn meters<'m>(&'m self, indices: &'m Indices, window: u64) -> Meters<'m> {
        let (transcript, path) = (&self.transcript, &self.path[..]);
        let [index, chunks] = &indices.0;
        let input = FutureInput {
            transcript,
            path,
            index,
            reference: &self.reference,
            frequencies: None,
            window: Tokens(window),
            contaminated: false,
        };
        Meters {
            future: Box::new(Future::new(input)),
            second: Box::new(Second(Future::new(FutureInput { index: chunks, ..input }))),
            others: vec![
                Box::new(Claims::new(transcript, path)),
                Box::new(Faith::new(transcript, path, index)),
                Box::new(Artifacts::new(transcript)),
            ],
        }
    }

    /// Messages on the path.
    pub fn messages(&self) -> u64 {
        let is_message = |idx: &&EntryIdx| matches!(self.transcript.entry(**idx).kind, EntryKind::Message(_));
        self.path.iter().filter(is_message).count() as u64
    }

    /// Replays the session through a preset. The first time pays for summaries and their counts.
    ///
    /// # Panics
    /// When there is no such preset, or its estimator is not counted.
    pub fn replay(&self, name: &'static str, window: u64) -> Counted {
        self.run(&Case::preset(name, window))
    }

    /// Replays the session.
    ///
    /// # Panics
    /// When the estimator is not counted.
    pub fn run(&self, case: &Case) -> Counted {
        self.replay_with(&mut case.spec.build(&case.name).expect("a strategy"), case.window)
    }

    /// Replays the session through a strategy of one's own.
    ///
    /// # Panics
    /// When its estimator is not counted.
    pub fn replay_with(&self, strategy: &mut Strategy, window: u64) -> Counted {
        let mut counted = Counted::default();
        self.observe_with(strategy, window, &mut |event| counted.see(event));
        counted
    }

    /// Replays the session and hands over every event.
    ///
    /// # Panics
    /// When the estimator is not counted.
    pub fn observe(&self, case: &Case, observe: &mut dyn FnMut(&ReplayEvent<'_, '_>)) {
        self.observe_with(&mut case.spec.build(&case.name).expect("a strategy"), case.window, observe);
    }

    /// A replay with all goal meters: how many measures they made. Never inlined, so that a profiler can count it alone.
    ///
    /// # Panics
    /// When the estimator is not counted.
    #[inline(never)]
    pub fn goal(&self, case: &Case, (items, presence): (&ItemSet, &Presence), indices: &Indices) -> usize {
        let goal = Goal::new(items, presence, Tokens(case.window)).on_path(&self.path, &self.transcript);
        let (mut goal, mut meters) = (Box::new(goal), self.meters(indices, case.window));
        self.observe(case, &mut |event| {
            goal.observe(event);
            meters.observe(event);
        });
        meters.finish() + goal.finish().len()
    }

    #[inline(never)]
    fn observe_with(&self, strategy: &mut Strategy, window: u64, observe: &mut dyn FnMut(&ReplayEvent<'_, '_>)) {
        let estimator = &strategy.estimator_name;
        let (_, estimates) = self.estimates.iter().find(|(known, _)| known == estimator).expect("counted estimates");
        let model = Model::new("bench", Tokens(window), Tokens(16_384));
        let input = ReplayInput {
            transcript: &self.transcript,
            path: &self.path,
            outline: &self.outline,
            reference: &self.reference,
            estimates,
            counts: &self.counts,
            model: &model,
            history: History::Full,
            manual: &[],
            seed: 0,
        };
        replay(input, strategy, &self.llm, &mut |event| observe(event));
    }
}

impl Counted {
    fn see(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => {
                self.requests += 1;
                self.prompt += request.reference.0;
            }
            ReplayEvent::Compaction(compaction) => {
                self.compactions += 1;
                self.compacted_items += compaction.before.len() as u64;
                let ours = |item: &&Item| matches!(item.source, Source::Changed(..) | Source::Made(_));
                self.kept_changed += compaction.after.view().items().iter().filter(ours).count() as u64;
            }
            ReplayEvent::Edit(edit) => self.changed += edit.places.len() as u64,
            ReplayEvent::Overflow(_) | ReplayEvent::Stuck(_) | ReplayEvent::Fired(_) | ReplayEvent::Switch(_) => {}
        }
    }
}
