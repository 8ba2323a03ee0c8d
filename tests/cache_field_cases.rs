//! The field cases of the prompt cache, through the public simulator.

#![allow(clippy::unwrap_used, reason = "a field case of another shape is a failed test")]

use std::path::{Path, PathBuf};

use cutpoint::engine::preset::preset as strategy;
use cutpoint::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse};
use cutpoint::import::{Format, read_bytes};
use cutpoint::meter::cache::{
    Block, BlockTable, BreakReason, Breakpoint, Feed, InferredHead, Layer, Life, Matching, Millis, Outcome, Placement,
    Places, Prompt, Reasoning, Refresh, Request, Rules, Seconds, Settings, Simulator, Sort, preset,
};
use cutpoint::replay::{CountCache, EstimateTable, History, Live, Model, Outline, ReplayEvent, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{Tokens, Transcript};
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field-cases")
}

fn json(file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(folder().join(file)).unwrap()).unwrap()
}

/// The numbers that a case states.
fn numbers(file: &str) -> Value {
    let index = json("index.json");
    index["cases"].as_array().unwrap().iter().find(|case| case["file"] == file).unwrap()["numbers"].clone()
}

fn list<T: serde::de::DeserializeOwned>(value: &Value) -> Vec<T> {
    serde_json::from_value(value.clone()).unwrap()
}

/// A unit is one tool definition or one message, as the exact text of the file.
fn units(body: &Value) -> Prompt {
    let mut prompt = Prompt::new(Settings::default());
    for tool in body["tools"].as_array().unwrap() {
        prompt.push(Block::new(Layer::Tools, Sort::Tool, &tool.to_string(), Tokens(2_000)));
    }
    for message in body["messages"].as_array().unwrap() {
        let (layer, sort) = match message["role"].as_str().unwrap() {
            "system" => (Layer::System, Sort::System),
            "assistant" => (Layer::Messages, Sort::Assistant),
            "tool" => (Layer::Messages, Sort::Result),
            _ => (Layer::Messages, Sort::User),
        };
        prompt.push(Block::new(layer, sort, &message.to_string(), Tokens(2_000)));
    }
    prompt
}

/// Sends the bodies of a case to a cache.
fn send(file: &str, rules: Rules, placement: Placement) -> Vec<(usize, Outcome)> {
    let case = json(file);
    let mut cache = Simulator::new(rules);
    let body = |body: &Value| {
        let prompt = units(body);
        let at = Millis(body["at_s"].as_i64().unwrap() * 1_000);
        let outcome = cache.send(&Request::new(at, &prompt, &placement.place(&prompt)));
        (prompt.len(), outcome)
    };
    case["requests"].as_array().unwrap().iter().map(body).collect()
}

fn rules(name: &str) -> Rules {
    preset(name).unwrap().rules
}

#[test]
fn breaks_are_where_the_cases_say_and_why() {
    use BreakReason::{BlockChanged, SystemChanged, ToolOrder};
    let cases: [(&str, &[Option<BreakReason>]); 4] = [
        ("cache-clock-in-system", &[None, Some(SystemChanged), Some(SystemChanged), None]),
        ("cache-tool-order", &[None, Some(ToolOrder), Some(ToolOrder), Some(ToolOrder)]),
        ("cache-clock-in-result-control", &[None, None, None]),
        // As a whole message the first one has changed; as blocks, one of it has moved (see below).
        ("cache-moved-block", &[None, Some(BlockChanged)]),
    ];
    for (name, reasons) in cases {
        let file = format!("{name}.requests.json");
        let numbers = numbers(&file);
        let outcomes = send(&file, rules("ideal"), Placement::None);
        let lens: Vec<usize> = outcomes.iter().map(|(units, _)| *units).collect();
        assert_eq!(lens, list::<usize>(&numbers["units_per_request"]), "{name}");
        let shared: Vec<usize> = outcomes.iter().map(|(_, outcome)| outcome.shared_blocks).collect();
        assert_eq!(shared, list::<usize>(&numbers["reusable_leading_units"]), "{name}");
        // An ideal cache reads all of them.
        let read: Vec<u64> = outcomes.iter().map(|(_, outcome)| outcome.split.read.0 / 2_000).collect();
        assert_eq!(read, list::<u64>(&numbers["reusable_leading_units"]), "{name}");
        let found: Vec<_> = outcomes.iter().map(|(_, outcome)| outcome.missed.map(|missed| missed.reason)).collect();
        assert_eq!(found, reasons, "{name}");
    }
}

#[test]
fn lifetimes_count_from_the_last_use_or_from_the_write() {
    let words = |file: &str, rules: Rules| -> Vec<&'static str> {
        let outcomes = send(file, rules, Placement::TAIL);
        outcomes.iter().map(|(_, outcome)| if outcome.split.read > Tokens(0) { "hit" } else { "write" }).collect()
    };
    let five = rules("anthropic-5m");
    let hour = Rules { short: Some(Seconds(3_600)), ..five };
    let from_write = Rules { refresh: Refresh::Never, ..five };
    for (file, key, rules) in [
        ("cache-ttl.requests.json", "ttl_300", five),
        ("cache-ttl.requests.json", "ttl_3600", hour),
        ("cache-ttl.requests.json", "if_expiry_counts_from_write_ttl_300", from_write),
        ("cache-ttl-refresh.requests.json", "refresh_on_read", five),
        ("cache-ttl-refresh.requests.json", "no_refresh", from_write),
    ] {
        assert_eq!(words(file, rules), list::<String>(&numbers(file)[key]), "{file} {key}");
    }
    let expired = send("cache-ttl.requests.json", five, Placement::TAIL)[1].1.missed.unwrap();
    assert_eq!(expired.reason, BreakReason::Expired);
}

/// Nobody is asked.
struct Silent;

impl Completer for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }

    fn is_mock(&self) -> bool {
        true
    }

    fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        panic!("nothing is to be summarized: {request:?}")
    }
}

/// Shows every request of a session, and what would be sent after its end.
fn each_request(transcript: &Transcript, mut each: impl FnMut(&Live<'_>)) {
    let mut strategy = strategy("none").unwrap().spec.build("none").unwrap();
    let path = transcript.path();
    let reference = MessageTable::new(transcript, Reference::O200kBase);
    let estimates = EstimateTable::new(transcript, &*strategy.estimator);
    let counts = CountCache::new(Reference::O200kBase);
    let model = Model::new("m", Tokens(10_000_000), Tokens(8_192));
    let input = ReplayInput {
        transcript,
        path: &path,
        outline: &Outline::new(transcript),
        reference: &reference,
        estimates: &estimates,
        counts: &counts,
        model: &model,
        history: History::Recorded,
        manual: &[],
        seed: 0,
    };
    let end = replay(input, &mut strategy, &Silent, &mut |event| {
        if let ReplayEvent::Request(request) = event {
            each(request.live);
        }
    });
    each(&end);
}

fn transcript(file: &str, format: Format) -> Transcript {
    read_bytes(&std::fs::read(folder().join(file)).unwrap(), format).unwrap().transcript
}

#[test]
fn reasoning_that_is_dropped_breaks_the_prefix_at_its_place() {
    let file = "cache-thinking-dropped.pi.jsonl";
    let numbers = numbers(file);
    let transcript = transcript(file, Format::Pi);
    let table = BlockTable::new(&transcript, &MessageTable::new(&transcript, Reference::O200kBase));
    let counts = CountCache::new(Reference::O200kBase);
    let run = |reasoning| {
        let mut feed = Feed::new(&table, &counts, reasoning);
        let mut cache = Simulator::new(rules("ideal"));
        let mut outcomes = Vec::new();
        each_request(&transcript, |live| {
            let prompt = feed.request(live, Settings::default());
            outcomes.push(cache.send(&Request::new(Millis(0), prompt, &[])));
        });
        outcomes
    };
    // Every message of this file has one block but the first reply, whose reasoning is gone.
    let dropped = run(Reasoning::DroppedByTurn);
    assert_eq!(dropped.len(), 4);
    assert_eq!(dropped[2].shared_blocks as u64, numbers["reused_messages_at_turn_2"].as_u64().unwrap());
    assert_eq!(dropped[2].shared_blocks as u64, numbers["first_divergence_index_at_turn_2"].as_u64().unwrap());
    assert_eq!(dropped[2].missed.unwrap().reason, BreakReason::ThinkingDropped);
    assert_eq!(dropped[3].shared_blocks as u64, numbers["reused_messages_at_turn_3"].as_u64().unwrap());
    assert_eq!(dropped[3].missed, None);
    // A model that keeps it has no break.
    assert!(run(Reasoning::Kept).iter().all(|outcome| outcome.missed.is_none()));
}

#[test]
fn an_entry_is_out_of_reach_behind_twenty_blocks() {
    let file = "cache-lookback-26-blocks.claude.jsonl";
    let numbers = numbers(file);
    let transcript = transcript(file, Format::ClaudeCode);
    let reference = MessageTable::new(&transcript, Reference::O200kBase);
    // The recorded usage: the floor is 4,096, the whole first request 9,000.
    let head = InferredHead { stable: Tokens(4_096), opening: Tokens(4_904) };
    let table = BlockTable::new(&transcript, &reference).with_inferred_head(head);
    let counts = CountCache::new(Reference::O200kBase);
    let run = |places, more: &dyn Fn(&Prompt) -> Option<usize>| {
        let matching = Matching::Breakpoints { look_back: Some(20), places, most: 4 };
        let mut cache = Simulator::new(Rules { matching, ..rules("anthropic-5m") });
        let mut feed = Feed::new(&table, &counts, Reasoning::Kept);
        let mut outcomes = Vec::new();
        each_request(&transcript, |live| {
            let prompt = feed.request(live, Settings::default());
            let mut marks = Placement::PI.place(prompt);
            if let Some(blocks) = more(prompt) {
                marks.insert(1, Breakpoint { blocks, life: Life::Short });
            }
            outcomes.push((prompt.len(), cache.send(&Request::new(Millis(0), prompt, &marks))));
        });
        (outcomes[1].0 - outcomes[0].0, outcomes[1].1)
    };
    let (added, single) = run(Places::Blocks, &|_| None);
    assert_eq!(added as u64, numbers["blocks_added"].as_u64().unwrap());
    assert_eq!(single.split.read.0, numbers["recorded_read"].as_u64().unwrap());
    assert_eq!(single.missed.unwrap().reason, BreakReason::LookBack);
    // The text of the request itself is a few tokens on top of the recorded figure.
    let whole = numbers["full_reuse_would_read"].as_u64().unwrap();
    for (_, reached) in
        [run(Places::Runs, &|_| None), run(Places::Blocks, &|prompt| (prompt.len() > 20).then(|| prompt.len() - 13))]
    {
        assert!((whole..whole + 10).contains(&reached.split.read.0), "{:?}", reached.split);
        assert_eq!(reached.missed, None);
    }
}

#[test]
fn a_block_that_moves_is_named() {
    let block = |text: &str| Block::new(Layer::Messages, Sort::User, text, Tokens(2_000));
    let mut cache = Simulator::new(rules("ideal"));
    let mut prompts = [Prompt::new(Settings::default()), Prompt::new(Settings::default())];
    for text in ["skills", "q1"] {
        prompts[0].push(block(text));
    }
    for text in ["q1", "a1", "skills", "q2"] {
        prompts[1].push(block(text));
    }
    let reasons =
        prompts.map(|prompt| cache.send(&Request::new(Millis(0), &prompt, &[])).missed.map(|missed| missed.reason));
    assert_eq!(reasons, [None, Some(BreakReason::BlockMoved)]);
}
