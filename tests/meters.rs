//! The cache and goal meters on a replay whose every number is known by hand.
//!
//! "tiktoken is great!" is six tokens of `cl100k_base`, "great" is one.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::sync::Arc;

use cutpoint::engine::cut::{CutGoal, CutPlan, CutPolicy, NothingToDrop};
use cutpoint::engine::edit::{Edit, Rewrite};
use cutpoint::engine::estimate::chars::Chars;
use cutpoint::engine::strategy::Strategy;
use cutpoint::engine::summarize::{
    Completer, Exchange, LlmError, LlmRequest, LlmResponse, Purpose, Summarizer, Summary, SummaryError, SummaryJob,
};
use cutpoint::engine::trigger::{Checkpoint, Decision, Trigger, TriggerView};
use cutpoint::engine::view::ContextView;
use cutpoint::measure::Measure;
use cutpoint::meter::goal::{Goal, ItemSet, Presence};
use cutpoint::meter::{Cache, Measures, Meter, Structure};
use cutpoint::replay::{CountCache, EstimateTable, History, Limits, Model, Outline, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{
    Block, Content, Entry, EntryIdx, EntryKind, Head, Message, Reply, StopReason, Text, Tokens, Transcript,
};

const SIX: &str = "tiktoken is great!";

fn content(texts: &[&str]) -> Content {
    Content { blocks: texts.iter().map(|&text| Block::Text(Text::from(text))).collect(), plain: false }
}

/// Prompts and replies in turn, with the ids e0, e1, …
fn session(texts: &[&str]) -> Transcript {
    let mut transcript = Transcript::default();
    for (index, text) in texts.iter().enumerate() {
        let content = content(&[text]);
        let (api, provider, model, stop) = ("".into(), "".into(), "".into(), StopReason::Stop);
        let reply = || Box::new(Reply { api, provider, model, stop, usage: None, error: None });
        let message = if index % 2 == 0 { Message::User(content) } else { Message::Assistant(content, reply()) };
        transcript.entries.push(Entry {
            id: format!("e{index}").into(),
            parent: index.checked_sub(1).map(EntryIdx),
            line: index + 2,
            timestamp: None,
            message_time_ms: None,
            kind: EntryKind::Message(message),
            extra: None,
        });
    }
    transcript
}

/// Compacts once: when the context has this many items before a request.
struct At(usize);

impl Trigger for At {
    fn decide(&mut self, at: Checkpoint, now: &TriggerView<'_, '_>) -> Decision {
        let fires = at == Checkpoint::BeforeRequest && now.context.len() == self.0;
        if fires { Decision::Compact("as planned".to_owned()) } else { Decision::Wait }
    }
}

/// Keeps the items from here on.
struct From(usize);

impl CutPolicy for From {
    fn cut(&self, _: &ContextView<'_>, _: CutGoal) -> Result<CutPlan, NothingToDrop> {
        Ok(CutPlan::at(0, self.0))
    }
}

/// A summary of these texts, by a call whose prompt is six tokens and whose answer is one.
struct Says(&'static [&'static str]);

impl Summarizer for Says {
    fn summarize(&self, _: &SummaryJob<'_, '_>, _: &dyn Completer) -> Result<Summary, SummaryError> {
        let request = LlmRequest::new(Purpose::Summary, None, SIX);
        let response = Some(LlmResponse { text: "great".into(), calls: Vec::new(), truncated: false, usage: None });
        let message = Some(Message::User(content(self.0)));
        let text = Text::new(self.0.concat());
        Ok(Summary { message, text, exchanges: vec![Exchange { request, response }], ..Summary::default() })
    }
}

struct Nobody;

impl Completer for Nobody {
    fn name(&self) -> &'static str {
        "nobody"
    }

    fn is_mock(&self) -> bool {
        true
    }

    fn complete(&self, _: &LlmRequest) -> Result<LlmResponse, LlmError> {
        Err(LlmError::Failed("nobody is asked".to_owned()))
    }
}

/// Replays with one compaction, of everything before item `keep_from`, when there are `at` items.
fn measured(
    transcript: &Transcript,
    at: usize,
    keep_from: usize,
    says: &'static [&'static str],
    meters: &mut [&mut dyn Meter],
) {
    watched(transcript, &mut by_hand(at, keep_from, says), meters);
}

/// A strategy with one compaction, of everything before item `keep_from`, when there are `at` items.
fn by_hand(at: usize, keep_from: usize, says: &'static [&'static str]) -> Strategy {
    Strategy {
        name: "by hand".to_owned(),
        estimator_name: "chars".to_owned(),
        estimator: Arc::new(Chars::ARTICLE),
        edits: Vec::new(),
        trigger: Box::new(At(at)),
        cut: Box::new(From(keep_from)),
        summarizer: Box::new(Says(says)),
        recovery: Vec::new(),
    }
}

fn watched(transcript: &Transcript, strategy: &mut Strategy, meters: &mut [&mut dyn Meter]) {
    watched_under(&Model::new("", Tokens(200), Tokens(0)), transcript, strategy, meters);
}

fn watched_under(model: &Model, transcript: &Transcript, strategy: &mut Strategy, meters: &mut [&mut dyn Meter]) {
    let path = transcript.path();
    let input = ReplayInput {
        transcript,
        path: &path,
        outline: &Outline::new(transcript),
        reference: &MessageTable::new(transcript, Reference::Cl100kBase),
        estimates: &EstimateTable::new(transcript, &*strategy.estimator),
        counts: &CountCache::new(Reference::Cl100kBase),
        model,
        history: History::Full,
        manual: &[],
        seed: 0,
    };
    replay(input, strategy, &Nobody, &mut |event| meters.iter_mut().for_each(|meter| meter.observe(event)));
}

fn value(measures: &Measures, name: &str) -> f64 {
    let (_, measure) = measures.iter().find(|(one, _)| *one == name).unwrap();
    measure.value().unwrap_or_else(|| panic!("{name}: {measure:?}"))
}

#[track_caller]
fn assert_measure(measures: &Measures, name: &str, expected: f64) {
    let found = value(measures, name);
    assert!((found - expected).abs() < 1e-12, "{name}: {found}, expected {expected}");
}

/// Gives the first message two contents at once, before the second request.
struct Twice;

impl Edit for Twice {
    fn edit(&mut self, _: Checkpoint, now: &TriggerView<'_, '_>) -> Vec<Rewrite> {
        let rewrite = |text| Rewrite { at: 0, message: Message::User(content(&[text])) };
        if now.context.len() == 3 { vec![rewrite("once"), rewrite("twice")] } else { Vec::new() }
    }
}

#[test]
fn a_message_that_is_rewritten_twice_at_once_is_one_message() {
    let transcript = session(&[SIX; 4]);
    let mut strategy = by_hand(usize::MAX, 0, &[]);
    strategy.edits = vec![Box::new(Twice)];
    let mut structure = Structure::default();
    watched(&transcript, &mut strategy, &mut [&mut structure]);
    assert_measure(&Box::new(structure).finish(), "edits_count", 1.0);
}

#[test]
fn a_compaction_throws_the_cached_prefix_away() {
    let mut transcript = session(&[SIX; 6]);
    transcript.head = Head { system: Some(Text::from(SIX)), tools: Some(Vec::new()) };
    let (mut cache, mut structure) = (Cache::default(), Structure::default());
    measured(&transcript, 5, 3, &["great"], &mut [&mut cache, &mut structure]);
    let cache = Box::new(cache).finish();
    // Head 6. Request 1 is e0: 12. Request 2 is e0 e1 e2: 24. Then "great" e3 e4 takes the place of e0 to e4: 19.
    assert_measure(&cache, "prompt_tokens", 12.0 + 24.0 + 19.0);
    // Request 2 shares all 12 of request 1, request 3 the head alone.
    assert_measure(&cache, "reused_ratio", 18.0 / 55.0);
    assert_measure(&cache, "invalidated_tokens", 24.0 - 6.0);
    assert_measure(&cache, "rewritten_tokens", 19.0 - 6.0);
    assert_measure(&cache, "dropped_tokens", 18.0);
    assert_measure(&cache, "kept_tokens", 19.0);
    assert_measure(&cache, "kept_ratio", 19.0 / 36.0);
    assert_measure(&cache, "summary_input_tokens", 6.0);
    assert_measure(&cache, "summary_output_tokens", 1.0);
    let structure = Box::new(structure).finish();
    assert_measure(&structure, "requests_count", 3.0);
    assert_measure(&structure, "compactions_count", 1.0);
    assert_measure(&structure, "no_gain_count", 0.0);
    assert_measure(&structure, "peak_context_tokens", 24.0);
}

#[test]
fn a_summary_that_begins_like_the_old_context_shares_that_much() {
    let transcript = session(&[SIX; 6]);
    let mut cache = Cache::default();
    // The first part of the summary is what e0 says, the second is not what e1 says.
    measured(&transcript, 5, 3, &[SIX, "great"], &mut [&mut cache]);
    let cache = Box::new(cache).finish();
    assert_measure(&cache, "invalidated_tokens", 18.0 - 6.0);
    assert_measure(&cache, "rewritten_tokens", 19.0 - 6.0);
    assert_measure(&cache, "reused_ratio", (6.0 + 6.0) / (6.0 + 18.0 + 19.0));
}

#[test]
fn a_summary_larger_than_what_it_replaces_is_no_gain() {
    let transcript = session(&[SIX; 6]);
    let (mut cache, mut structure) = (Cache::default(), Structure::default());
    measured(&transcript, 5, 1, &[SIX, SIX], &mut [&mut cache, &mut structure]);
    assert_measure(&(Box::new(structure).finish()), "no_gain_count", 1.0);
    // 30 tokens before, 12 and 24 after.
    assert_measure(&(Box::new(cache).finish()), "kept_ratio", 36.0 / 30.0);
}

#[test]
fn nothing_is_measured_where_nothing_was_compacted() {
    let transcript = session(&[SIX; 2]);
    let mut cache = Cache::default();
    measured(&transcript, 99, 0, &[], &mut [&mut cache]);
    let cache = Box::new(cache).finish();
    let kept = cache.iter().find(|(name, _)| *name == "kept_ratio").unwrap();
    assert_eq!(kept.1, Measure::Void("nothing was compacted".to_owned()));
    assert_measure(&cache, "reused_ratio", 0.0);
}

const ITEMS: &str = r#"
item = [
    { id = "kept", category = "goal", text = "", source = ["e0"], must = [["north  Meadow"]] },
    { id = "either", category = "goal", text = "", source = ["e0"], must = [["nowhere", "NORTH"]] },
    { id = "by-tail", category = "goal", text = "", source = ["e0"], must = [["t-77"]] },
    { id = "partly", category = "value", text = "", source = ["e0"], must = [["meadow"], ["42 g"]] },
    { id = "lost", category = "value", text = "", source = ["e0"], must = [["42 g"]], critical = true },
    { id = "wrong", category = "constraint", text = "", source = ["e0"], must = [["meadow"]], must_not = ["South Hill"], critical = true },
    { id = "old", category = "decision", text = "", source = ["e0"], must = [["x"]], superseded_by = "new" },
    { id = "new", category = "decision", text = "", source = ["e3"], must = [["y"]] },
    { id = "later", category = "progress", text = "", source = ["e5"], must = [["z"]] },
    { id = "old-later", category = "progress", text = "", source = ["e0"], must = [["meadow"]], superseded_by = "later" },
]
"#;

#[test]
fn every_fate_of_an_item() {
    // 42 g is said in e0 and dropped with it; T-77 is said in e0 and again in e4, which stays.
    let texts = ["north meadow, 42 g, T-77, x", "a", "b", "y", "T-77 again", "z"];
    let transcript = session(&texts);
    let items = ItemSet::parse(ITEMS, &transcript).unwrap();
    let presence = Presence::new(&transcript, &items);
    let mut goal = Goal::new(&items, &presence, Tokens(200));
    // Three messages go, more than a twentieth of the window: 10 tokens.
    measured(&transcript, 5, 3, &["the North\nmeadow, not the south  hill"], &mut [&mut goal]);
    let fates: Vec<(&str, &str)> =
        items.items.iter().zip(goal.fates().unwrap()).map(|(item, fate)| (&*item.id, fate.name())).collect();
    let expected = [
        ("kept", "kept"),
        ("either", "kept"),
        ("by-tail", "kept"),
        ("partly", "partly"),
        ("lost", "lost"),
        ("wrong", "wrong"),
        ("old", "superseded"),
        ("new", "in_tail"),
        ("later", "in_tail"),
        ("old-later", "kept"),
    ];
    assert_eq!(fates, expected);
    let measures = Box::new(goal).finish();
    // Goal 0; constraint 1; value 1 - (0.5 + 0) / 2 = 0.75; progress 0. Decision is not scored.
    assert_measure(&measures, "goal_loss_value", 0.75);
    assert_measure(&measures, "goal_loss_constraint", 1.0);
    // (0.20 · 1 + 0.05 · 0.75) / (0.25 + 0.20 + 0.15 + 0.05).
    assert_measure(&measures, "goal_loss", 0.2375 / 0.65);
    assert_measure(&measures, "critical_lost_count", 2.0);
}

#[test]
fn a_cut_that_drops_next_to_nothing_is_not_scored() {
    let transcript = session(&["a", "b", "c", "d", "e", "f"]);
    let items = ItemSet::parse(
        r#"item = [{ id = "i", category = "goal", text = "", source = ["e0"], must = [["q"]] }]"#,
        &transcript,
    )
    .unwrap();
    let presence = Presence::new(&transcript, &items);
    let mut goal = Goal::new(&items, &presence, Tokens(200));
    measured(&transcript, 5, 3, &["great"], &mut [&mut goal]);
    assert_eq!(goal.fates(), None);
    // Three tokens are next to nothing in 200, and more than a twentieth of the 40 of the model that the third request goes to.
    let mut transcript = transcript;
    if let EntryKind::Message(Message::Assistant(_, reply)) = &mut transcript.entries[5].kind {
        reply.model = "small".into();
    }
    let limits = Limits { window: Tokens(40), max_output: Tokens(0) };
    let model = Model { recorded: [("small".to_owned(), limits)].into(), ..Model::new("", Tokens(200), Tokens(0)) };
    let mut goal = Goal::new(&items, &presence, Tokens(200));
    watched_under(&model, &transcript, &mut by_hand(5, 3, &["great"]), &mut [&mut goal]);
    assert_eq!(goal.fates().map(<[_]>::len), Some(1));
}

#[test]
fn a_cut_behind_a_scored_one_is_scored_under_a_larger_window_as_well() {
    let mut transcript = session(&["a", "b", "c", "d", "e", "f", "g", "h"]);
    let limits = |window| Limits { window: Tokens(window), max_output: Tokens(0) };
    for (at, name) in [(5, "small"), (7, "large")] {
        if let EntryKind::Message(Message::Assistant(_, reply)) = &mut transcript.entries[at].kind {
            reply.model = name.into();
        }
    }
    let recorded = [("small".to_owned(), limits(40)), ("large".to_owned(), limits(10_000))].into();
    let model = Model { recorded, ..Model::new("", Tokens(200), Tokens(0)) };
    let item = r#"item = [{ id = "i", category = "goal", text = "", source = ["e4"], must = [["q"]] }]"#;
    let items = ItemSet::parse(item, &transcript).unwrap();
    let presence = Presence::new(&transcript, &items);
    let mut goal = Goal::new(&items, &presence, Tokens(200));
    // The first cut, under 40 tokens, keeps what said the item; the second one, under 10,000, drops it.
    watched_under(&model, &transcript, &mut by_hand(5, 4, &["great"]), &mut [&mut goal]);
    assert_eq!(goal.fates().map(|fates| fates[0].name()), Some("lost"));
}
