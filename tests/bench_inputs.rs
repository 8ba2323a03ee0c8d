//! The benches measure the right thing: on the same inputs the answers are those of Pi, and of slower ways to the same
//! number. And the work of a replay, which is counted here and not timed, grows with the session and not faster.

mod common;
#[path = "../benches/session/mod.rs"]
mod session;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::shared;
use cutpoint::engine::estimate::{Estimate, Estimator};
use cutpoint::engine::pi::{Path, Rules, find_cut_point, serialize};
use cutpoint::engine::preset::preset;
use cutpoint::engine::view::ContextView;
use cutpoint::transcript::json::js;
use cutpoint::transcript::{Block, EntryIdx, Head, Message, Tokens, Transcript};
use serde_json::Value;
use session::{Case, Counted, Indices, STRATEGIES, Warm, large_session, load, repeated};

const RULES: &Rules = &Rules::V1_6;

#[test]
fn load_estimates_and_cut_are_pis() {
    let (Some(bytes), Some(golden)) = (large_session(), golden()) else { return };
    let transcript = load(&bytes);
    let indices = transcript.path();
    let path = Path::new(&transcript, &indices, RULES);
    let context = path.context();
    assert_eq!(transcript.entries.len() as u64, golden["session"]["entries"]);
    assert_eq!(context.len(), golden["context"]["messages"].as_array().unwrap().len());
    let sum: Tokens = (0..path.len()).map(|at| cutpoint::engine::pi::Positions::estimates(&path).at(at)).sum();
    assert_eq!(sum.0, golden["context_estimate"]["sum_of_message_estimates"]);
    let cut = find_cut_point(&path, 0..path.len(), Tokens(20_000), RULES);
    let cuts = golden["cuts"].as_array().unwrap();
    let expected = cuts.iter().find(|cut| cut["keep_recent_tokens"] == 20_000).unwrap();
    let expected = &expected["find_cut_point_whole_path"];
    assert_eq!(cut.first_kept, expected["first_kept"]["path_index"]);
    assert_eq!(cut.turn_start.unwrap(), expected["turn_start"]["path_index"]);
    let serialized = serialize(context.iter().map(|item| &*item.message), RULES);
    assert_eq!(serialized.len(), golden["context"]["serialized"]["utf8_bytes"]);
}

#[test]
fn lengths_of_arguments_are_those_of_the_printed_text() {
    let Some(bytes) = large_session() else { return };
    let transcript = load(&bytes);
    let mut calls = 0;
    for block in session::messages(&transcript).flat_map(Message::blocks) {
        if let Block::ToolCall(call) = block {
            let raw = call.arguments.as_str();
            let printed = js::stringify(raw).map(|text| text.encode_utf16().count());
            assert_eq!(js::stringified_utf16_len(raw), printed, "{raw}");
            assert_eq!(Some(call.arguments.js_utf16_len()), printed, "as it was measured on reading: {raw}");
            calls += 1;
        }
    }
    assert!(calls > 300, "{calls}");
}

/// What the two sides of the bench `import` read is the same: every call, with its arguments.
#[test]
fn an_import_holds_the_calls_that_the_values_hold() {
    for (file, format) in session::IMPORTED {
        let Some(bytes) = session::bytes(file) else { return };
        let mut ours = BTreeMap::new();
        for imported in format.read(&bytes).expect("a session") {
            for block in session::messages(&imported.transcript).flat_map(Message::blocks) {
                if let Block::ToolCall(call) = block {
                    let arguments: Value = serde_json::from_str(call.arguments.as_str()).expect("JSON");
                    ours.insert(call.id.to_string(), arguments);
                }
            }
        }
        let mut theirs = BTreeMap::new();
        for value in session::values(&bytes) {
            for block in value["message"]["content"].as_array().into_iter().flatten() {
                let arguments = match block["type"].as_str() {
                    Some("toolCall") => &block["arguments"],
                    Some("tool_use") => &block["input"],
                    _ => continue,
                };
                theirs.insert(block["id"].as_str().unwrap_or_default().to_owned(), arguments.clone());
            }
        }
        assert!(ours.len() > 50, "{file}: {} calls", ours.len());
        assert_eq!(ours, theirs, "{file}");
    }
}

#[test]
fn copies_hang_on_one_another() {
    let Some(bytes) = large_session() else { return };
    let one = load(&bytes);
    let three = repeated(&one, 3);
    let path = three.path();
    assert_eq!(path.len(), 3 * one.path().len());
    assert_eq!(three.entry(EntryIdx(0)).parent, None);
    let second = three.entry(EntryIdx(one.entries.len()));
    assert_eq!(second.parent, Some(EntryIdx(one.entries.len() - 1)));
    assert_eq!(*second.id, *format!("1-{}", one.entries[0].id));
}

/// Twice the session is twice the requests, and with nothing dropped every prompt of the second half holds the first.
#[test]
fn a_warm_replay_is_the_same_replay() {
    let Some(bytes) = large_session() else { return };
    let one = load(&bytes);
    let (single, double) = (Warm::new(one.clone(), &STRATEGIES), Warm::new(repeated(&one, 2), &STRATEGIES));
    for name in STRATEGIES {
        let cold = single.replay(name, 64_000);
        assert_eq!(single.replay(name, 64_000), cold, "{name}");
        assert_eq!(double.replay(name, 64_000).requests, 2 * cold.requests, "{name}");
    }
    let Counted { requests, compactions, .. } = single.replay("pi", 64_000);
    assert!(requests > 400 && compactions > 2, "{requests} requests, {compactions} compactions");
}

/// Counts how often it is asked about a message.
struct Counting {
    inner: Arc<dyn Estimator>,
    asked: Arc<AtomicU64>,
}

impl Estimator for Counting {
    fn message(&self, message: &Message) -> Tokens {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.inner.message(message)
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        self.inner.head(head)
    }

    fn context(&self, view: &ContextView<'_>) -> Estimate {
        self.inner.context(view)
    }
}

/// What the estimator is asked in a replay of `transcript`, and what the replay made or changed.
fn asked(transcript: Transcript, name: &str) -> (u64, Counted) {
    let spec = preset(name).expect("a preset").spec;
    let mut strategy = spec.build(name).expect("a strategy");
    let warm = Warm::new(transcript, &[name]);
    let asked = Arc::new(AtomicU64::new(0));
    strategy.estimator = Arc::new(Counting { inner: strategy.estimator.clone(), asked: asked.clone() });
    let counted = warm.replay_with(&mut strategy, 64_000);
    (asked.load(Ordering::Relaxed), counted)
}

#[test]
fn a_replay_estimates_only_what_is_new() {
    let Some(bytes) = large_session() else { return };
    let one = load(&bytes);
    for name in STRATEGIES {
        for times in [1, 2, 4] {
            let (asked, counted) = asked(repeated(&one, times), name);
            // Recorded messages were estimated once, before. What a compaction makes is estimated when it enters, and
            // again with the next compaction that keeps it; changed messages likewise.
            assert!(asked <= counted.changed + counted.kept_changed, "{name} {times}x: {asked} questions, {counted:?}");
        }
    }
}

/// Work of 1, 2 and 4 sessions on one path. The first window fills without a compaction; behind it the second half of four
/// is twice the second half of two. What is counted does not jitter; an edge of a window may fall one item further.
#[track_caller]
fn doubles(name: &str, what: &str, [one, two, four]: [u64; 3]) {
    let (first, second) = (two - one, four - two);
    assert!(first > 0, "{name}: no {what} in {one}, {two}, {four}");
    assert!(second * 100 <= first * 205, "{name}: {what} of 1, 2 and 4 sessions: {one}, {two}, {four}");
}

#[test]
fn the_work_of_compactions_and_meters_doubles_with_the_session() {
    let Some(bytes) = large_session() else { return };
    let one = load(&bytes);
    for name in ["pi", "pi-article", "deepagents", "drop-tool-results", "ralph"] {
        let (mut compacted, mut looked, mut seconds) = ([0; 3], [0; 3], [0; 3]);
        for (at, times) in [1, 2, 4].into_iter().enumerate() {
            let warm = Warm::new(repeated(&one, times), &[name]);
            let indices = Indices::new(warm.transcript());
            let mut meters = warm.meters(&indices, 64_000);
            warm.observe(&Case::preset(name, 64_000), &mut |event| meters.observe(event));
            compacted[at] = warm.replay(name, 64_000).compacted_items;
            (looked[at], seconds[at]) = (meters.future.looked_items(), meters.second.0.looked_items());
        }
        doubles(name, "items looked at", looked);
        assert_eq!(looked, seconds, "{name}: both extractors look at the same contexts");
        if name != "drop-tool-results" {
            doubles(name, "items compacted", compacted);
        }
    }
}

/// Where the first window costs no compaction more than the others, a doubled session has twice the compactions, which look at
/// twice the items.
#[test]
fn compactions_double_where_a_doubled_session_is_measured() {
    let Some(bytes) = large_session() else { return };
    let one = load(&bytes);
    for (case, compactions) in [(Case::steady(), 6), (Case::steady_ralph(), 4)] {
        let mut items = Vec::new();
        for times in [1, 2, 4, 8] {
            let counted = Warm::new(repeated(&one, times), &[case.preset]).run(&case);
            assert_eq!(counted.compactions, compactions * times as u64, "{} {times}x", case.name);
            items.push(counted.compacted_items);
        }
        for pair in items.windows(2) {
            assert!(pair[1] * 100 <= pair[0] * 205, "{}: {items:?} items compacted", case.name);
        }
    }
}

fn golden() -> Option<Value> {
    let path = shared()?.join("golden/pi/pi-v1-large-session.current.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(serde_json::from_str(&text).expect("JSON"))
}
