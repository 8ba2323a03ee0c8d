//! Sessions that change between models of different windows.

use std::collections::BTreeMap;

use cutpoint::engine::pi::Rules;
use cutpoint::engine::preset::preset;
use cutpoint::llm::{Blocking, Mock, MockKnobs};
use cutpoint::replay::{CountCache, EstimateTable, History, Limits, Model, Outline, ReplayEvent, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{
    Block, Content, Entry, EntryIdx, EntryKind, Message, Reply, StopReason, Text, Tokens, Transcript,
};

use crate::{Case, keeping};

/// A model with one window, and others for recorded models.
fn model(window: u64, recorded: &[(&str, u64)]) -> Model {
    let limits = |window: u64| Limits { window: Tokens(window), max_output: Tokens(0) };
    let recorded: BTreeMap<_, _> = recorded.iter().map(|&(name, window)| (name.to_owned(), limits(window))).collect();
    Model { recorded, ..Model::new("cell", Tokens(window), Tokens(0)) }
}

/// What happens, in a word each: `1` a request, `small=9` a window, `*2` fires, `=2` compacts, `!2` does not fit.
fn word(event: &ReplayEvent<'_, '_>) -> String {
    match event {
        ReplayEvent::Request(request) => request.number.to_string(),
        ReplayEvent::Switch(switch) => format!("{}={}", switch.model, switch.limits.window),
        ReplayEvent::Fired(fired) => format!("*{} {}", fired.request, fired.checkpoint),
        ReplayEvent::Compaction(one) => format!("={} {}", one.request, one.checkpoint),
        ReplayEvent::Overflow(one) => format!("!{}", one.request),
        ReplayEvent::Stuck(one) => format!("stuck {}", one.reason),
        ReplayEvent::Edit(_) => "edit".to_owned(),
    }
}

#[test]
fn the_switch_is_seen_before_the_next_request() {
    let case = Case::read("window-model-switch");
    let rules = &Rules::V1_6;
    let told = |model: &Model| {
        let (mut words, mut fired) = (Vec::new(), Vec::new());
        let mut observe = |event: &ReplayEvent<'_, '_>| {
            words.push(word(event));
            if let ReplayEvent::Fired(event) = event {
                fired.push((event.estimate.tokens.0, event.reason.clone()));
            }
        };
        case.follow_under(rules, rules.reserve, model, &mut observe, |_| ());
        (words, fired)
    };
    let after = case.number("window_after");
    let (words, fired) = told(&model(1_000_000, &[("small-128k", after)]));
    assert_eq!(words, ["1", "small-128k=128000", "*2 before_request"]);
    // The prompt counts for the request, 150,000 and 2, and not for Pi's comparison.
    let reason = "150000 tokens > window 128000 - reserve 16384".to_owned();
    assert_eq!(fired, [(case.number("context"), reason)]);
    assert_eq!(fired[0].0 - after, case.number("over_window_by"));
    assert_eq!(after - rules.reserve.0, case.number("threshold_after"));
    // With one window it is missed, or, with the smaller one, told too early.
    assert_eq!(told(&model(1_000_000, &[])).0, ["1"]);
    assert_eq!(told(&model(after, &[])).0, ["1", "*2 turn_end"]);
    // The same window under another name is no switch.
    assert_eq!(told(&model(1_000_000, &[("small-128k", 1_000_000)])).0, ["1"]);
    assert_eq!(
        told(&model(after, &[("big-1m", 1_000_000)])).0,
        ["big-1m=1000000", "1", "small-128k=128000", "*2 before_request"]
    );
}

/// A record of a made-up session.
enum Said<'s> {
    User(usize),
    Reply(&'s str, usize),
    Failed(&'s str),
    Change(&'s str),
}

use Said::{Change, Failed, Reply as Answer, User};

fn content(words: usize) -> Content {
    Content { blocks: vec![Block::Text(Text::from(&*"word ".repeat(words)))], plain: false }
}

fn answer(model: &str, words: usize, stop: StopReason) -> EntryKind {
    let (api, provider) = ("api".into(), "provider".into());
    let reply = Reply { api, provider, model: model.into(), stop, usage: None, error: None };
    EntryKind::Message(Message::Assistant(content(words), Box::new(reply)))
}

fn session(said: &[Said<'_>]) -> Transcript {
    let kind = |one: &Said<'_>| match *one {
        User(words) => EntryKind::Message(Message::User(content(words))),
        Answer(model, words) => answer(model, words, StopReason::Stop),
        Failed(model) => answer(model, 1, StopReason::Error),
        Change(model) => EntryKind::ModelChange { provider: "provider".into(), model: model.into() },
    };
    let entry = |(at, one): (usize, &Said<'_>)| Entry {
        id: format!("{at:08x}").into(),
        parent: at.checked_sub(1).map(EntryIdx),
        line: at + 2,
        timestamp: None,
        message_time_ms: None,
        kind: kind(one),
        extra: None,
    };
    Transcript { entries: said.iter().enumerate().map(entry).collect(), ..Transcript::default() }
}

/// What a replay of the full history tells. Pi's trigger fires above 16,384 less than the window; its cut keeps 100 tokens.
fn told(transcript: &Transcript, model: &Model) -> Vec<String> {
    let mut strategy = preset("pi").unwrap().spec.build("pi").unwrap();
    strategy.cut = Box::new(keeping(&Rules::V1_6, 100));
    let mut words = Vec::new();
    let input = ReplayInput {
        transcript,
        path: &transcript.path(),
        outline: &Outline::new(transcript),
        reference: &MessageTable::new(transcript, Reference::O200kBase),
        estimates: &EstimateTable::new(transcript, &*strategy.estimator),
        counts: &CountCache::new(Reference::O200kBase),
        model,
        history: History::Full,
        manual: &[],
        seed: 0,
    };
    let mock = Blocking::new(Mock::new(MockKnobs::default()).unwrap());
    replay(input, &mut strategy, &mock, &mut |event| words.push(word(event)));
    words
}

/// Room for 3,616 tokens under Pi's threshold.
const SMALL: (&str, u64) = ("small", 20_000);

#[test]
fn a_smaller_model_compacts_and_a_larger_one_does_not_until_it_has_to() {
    // 4,000 words are more than 3,616, and less than 83,616.
    let said = [
        User(2_000),
        Answer("big", 2_000),
        Change("small"),
        User(50),
        Answer("small", 50),
        Change("big"),
        User(2_000),
        Answer("big", 2_000),
        User(50),
        Answer("big", 50),
    ];
    let expected = ["1", "small=20000", "=2 before_request", "2", "big=100000", "3", "4"];
    assert_eq!(told(&session(&said), &model(100_000, &[SMALL])), expected);
    assert_eq!(told(&session(&said), &model(100_000, &[])), ["1", "2", "3", "4"]);
    // Under the smaller model alone also what the larger one said is too much, as soon as it has said it.
    let all_small = ["1", "=2 turn_end", "2", "3", "=4 turn_end", "4"];
    assert_eq!(told(&session(&said), &model(20_000, &[])), all_small);
}

#[test]
fn a_reply_of_another_model_was_asked_of_that_model() {
    let said = [User(2_000), Answer("big", 2_000), User(50), Answer("small", 50), User(50), Answer("big", 50)];
    let expected = ["1", "small=20000", "=2 before_request", "2", "big=100000", "3"];
    assert_eq!(told(&session(&said), &model(100_000, &[SMALL])), expected);
}

#[test]
fn what_the_agent_wrote_itself_is_of_no_model() {
    for own in ["<synthetic>", "gateway-injected", ""] {
        let said = [User(10), Answer("small", 10), User(10), Answer(own, 10), User(10), Answer("small", 10)];
        assert_eq!(told(&session(&said), &model(100_000, &[SMALL])), ["small=20000", "1", "2", "3"], "{own}");
    }
}

#[test]
fn an_overflow_of_another_model_is_not_taken_as_ones_own() {
    // The smaller model refused 18,000 tokens in 17,000; the larger one takes them, and nothing is compacted for it.
    let said = [User(18_000), Failed("small"), Change("big"), User(10), Answer("big", 10)];
    let words = told(&session(&said), &model(100_000, &[("small", 17_000)]));
    assert_eq!(words[..2], ["small=17000", "!1"], "{words:?}");
    assert_eq!(words[words.len() - 2..], ["big=100000", "2"], "{words:?}");
    assert!(!words.iter().any(|word| word.starts_with("=2") || word.starts_with("*2")), "{words:?}");
}

#[test]
fn a_prompt_that_nobody_answered_must_fit_the_new_model() {
    let said = [User(10), Answer("big", 4_000), Change("small"), User(3_000)];
    let words = told(&session(&said), &model(100_000, &[("small", 5_000)]));
    // The window is within the reserve, so that the trigger fires; what it leaves fits.
    assert_eq!(words, ["1", "small=5000", "=2 before_request"]);
    // A change that no prompt follows is of no account.
    assert_eq!(told(&session(&said[..3]), &model(100_000, &[("small", 5_000)])), ["1"]);
    // Without the change the prompt is not asked about.
    assert_eq!(told(&session(&said), &model(100_000, &[])), ["1"]);
}
