//! What no compaction can help: it is said once, and nothing is compacted.

use cutpoint::engine::preset::{preset, presets};
use cutpoint::engine::spec::StrategySpec;
use cutpoint::engine::trigger::Checkpoint;
use cutpoint::llm::{Blocking, Mock, MockKnobs};
use cutpoint::replay::{CountCache, EstimateTable, History, Manual, Model, Outline, ReplayEvent, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{
    Block, Content, Entry, EntryIdx, EntryKind, Message, Reply, StopReason, Text, Tokens, Transcript,
};

use crate::Case;

/// What a replay told.
#[derive(Debug, Default, PartialEq)]
struct Told {
    requests: u64,
    compactions: u64,
    /// Of those, the ones that an overflow made necessary: where the head fits, they may help.
    emergencies: u64,
    overflows: u64,
    stuck: Vec<(u64, String)>,
}

fn told(transcript: &Transcript, spec: &StrategySpec, window: u64, manual: &[Manual]) -> Told {
    let mut strategy = spec.build("one").unwrap();
    let model = Model::new("", Tokens(window), Tokens(0));
    let path = transcript.path();
    let input = ReplayInput {
        transcript,
        path: &path,
        outline: &Outline::new(transcript),
        reference: &MessageTable::new(transcript, Reference::O200kBase),
        estimates: &EstimateTable::new(transcript, &*strategy.estimator),
        counts: &CountCache::new(Reference::O200kBase),
        model: &model,
        history: History::Full,
        manual,
        seed: 0,
    };
    let mut told = Told::default();
    let mock = Blocking::new(Mock::new(MockKnobs::default()).unwrap());
    replay(input, &mut strategy, &mock, &mut |event| match event {
        ReplayEvent::Request(_) => told.requests += 1,
        ReplayEvent::Compaction(compaction) => {
            told.compactions += 1;
            told.emergencies += u64::from(compaction.checkpoint == Checkpoint::Overflow);
        }
        ReplayEvent::Overflow(_) => told.overflows += 1,
        ReplayEvent::Stuck(stuck) => told.stuck.push((stuck.request, stuck.reason.clone())),
        _ => {}
    });
    told
}

/// Appends turns of so many words each.
fn with_turns(mut transcript: Transcript, turns: usize, words: usize) -> Transcript {
    for turn in 0..2 * turns {
        let index = transcript.entries.len();
        let text = Text::from(format!("turn {turn}:{}", " seed".repeat(words)).as_str());
        let content = Content { blocks: vec![Block::Text(text)], plain: true };
        let message = if turn % 2 == 0 {
            Message::User(content)
        } else {
            let (api, provider, model) = ("".into(), "".into(), "".into());
            let reply = Reply { api, provider, model, stop: StopReason::Stop, usage: None, error: None };
            Message::Assistant(content, Box::new(reply))
        };
        transcript.entries.push(Entry {
            id: format!("more{turn}").into(),
            parent: index.checked_sub(1).map(EntryIdx),
            line: index + 1,
            timestamp: None,
            message_time_ms: None,
            kind: EntryKind::Message(message),
            extra: None,
        });
    }
    transcript
}

/// An estimator of characters / 4 that counts the tools, and a limit of the window less a reserve.
fn reserving(reserve: u64) -> StrategySpec {
    let toml = format!(
        r#"
        estimator = {{ kind = "langchain", chars_per_token = 4.0, scaling = false }}
        trigger = {{ kind = "threshold", share = 1.0, less_tokens = {reserve} }}
        cut = {{ kind = "tail", keep_tokens = 10 }}
        summarizer = {{ kind = "none" }}"#
    );
    toml::from_str(&toml).unwrap()
}

#[test]
fn a_head_over_the_threshold_is_said_once_whatever_follows() {
    let case = Case::read("loop-irreducible");
    let window = case.number("window");
    for turns in [0, 1, 20] {
        let transcript = with_turns(case.transcript.clone(), turns, 10);
        let found = told(&transcript, &reserving(case.number("reserve")), window, &[]);
        assert_eq!(found.compactions, case.number("compactions_allowed"), "{turns} turns: {found:?}");
        let [(_, reason)] = found.stuck.as_slice() else { panic!("{turns} turns: {:?}", found.stuck) };
        assert!(reason.starts_with("irreducible part over threshold: the head alone has "), "{reason}");
        // LangChain counts the tools as it prints them, a little longer than the case does.
        let fixed: u64 = reason.split(' ').find_map(|word| word.parse().ok()).unwrap();
        assert!(fixed >= case.number("fixed_part_utf16_div4") && fixed < 3_600, "{reason}");
        assert!(reason.contains(&case.number("threshold").to_string()), "{reason}");
        assert_eq!(found.requests, 1 + turns as u64, "the session goes on");
    }
}

/// A window of 2,800 tokens, of which the tools take about 2,700: whoever fires in it can only fire in vain.
#[test]
fn no_preset_loops_over_a_head_that_fills_the_window() {
    let transcript = with_turns(Case::read("loop-irreducible").transcript, 30, 0);
    for preset in presets() {
        let found = told(&transcript, &preset.spec, 2_800, &[]);
        let said = found.stuck.iter().filter(|(_, reason)| reason.contains("no compaction can help")).count();
        assert!(said <= 1, "{}: {found:?}", preset.name);
        assert!(found.compactions == found.emergencies || said == 0, "{}: {found:?}", preset.name);
    }
    // By hand a person can ask for it all the same.
    let manual = [Manual { request: 20, instructions: None }];
    let found = told(&transcript, &preset("ralph").unwrap().spec, 2_800, &manual);
    assert_eq!(found.compactions - found.emergencies, 1, "{found:?}");
}

/// Tools larger than the window: they are over the threshold and in no prompt that fits, and each is said once.
#[test]
fn two_reasons_are_said_once_each() {
    let transcript = with_turns(Case::read("loop-irreducible").transcript, 12, 0);
    for preset in presets() {
        let found = told(&transcript, &preset.spec, 2_000, &[]);
        let hopeless: Vec<&str> =
            found.stuck.iter().map(|(_, reason)| &**reason).filter(|reason| reason.contains("irreducible")).collect();
        let mut kinds: Vec<&str> = hopeless.iter().filter_map(|reason| reason.split(':').next()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(hopeless.len(), kinds.len(), "{}: {hopeless:?}", preset.name);
    }
}

#[test]
fn a_head_below_the_threshold_changes_nothing() {
    let case = Case::read("loop-irreducible");
    // The limit is 5,000: turns of about 100 tokens fill the rest, and compaction helps.
    let transcript = with_turns(case.transcript, 40, 80);
    let found = told(&transcript, &reserving(1_000), 6_000, &[]);
    assert!(found.compactions >= 1 && found.stuck.is_empty(), "{found:?}");
    let mut without = transcript;
    without.head.tools = None;
    assert_eq!(told(&without, &reserving(1_000), 20_000, &[]).compactions, 0);
}

#[test]
fn a_message_larger_than_the_window_is_named() {
    let case = Case::read("cut-single-message-over-window");
    let window = case.number("window");
    for name in ["pi", "pi@0.58", "deepagents", "claude-code", "codex", "tail-only", "ralph", "pi-article"] {
        let found = told(&case.transcript, &preset(name).unwrap().spec, window, &[]);
        assert_eq!(found.compactions, case.number("compactions_allowed"), "{name}: {found:?}");
        assert_eq!((found.requests, found.overflows), (0, 1), "{name}: nobody answered it");
        let [(1, reason)] = found.stuck.as_slice() else { panic!("{name}: {:?}", found.stuck) };
        let tokens = MessageTable::new(&case.transcript, Reference::O200kBase).entry(EntryIdx(0));
        let line = case.transcript.entries[0].line;
        assert!(reason.starts_with(&format!("the message of line {line} alone has {tokens} tokens")), "{reason}");
    }
}

#[test]
fn a_large_message_that_was_answered_can_be_dropped_later() {
    let case = Case::read("cut-single-message-over-window");
    let mut answered = with_turns(case.transcript.clone(), 1, 0);
    answered.entries.remove(1);
    answered.entries[1].parent = Some(EntryIdx(0));
    let found = told(&answered, &preset("ralph").unwrap().spec, case.number("window"), &[]);
    assert_eq!((found.requests, found.compactions), (1, 1), "not before the reply, but after it: {found:?}");
    assert_eq!(found.stuck.len(), 1, "{found:?}");
    // In a window that holds it there is nothing to say.
    let found = told(&case.transcript, &preset("ralph").unwrap().spec, 200_000, &[]);
    assert_eq!(found, Told::default());
}
