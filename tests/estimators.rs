//! The field cases about estimates and usage, for every estimator at once; and the truth tables of recorded sessions.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cutpoint::engine::estimate::Estimator;
use cutpoint::engine::estimate::named::named;
use cutpoint::engine::estimate::outside::Inside;
use cutpoint::import::{Imported, read_all};
use cutpoint::lab::{Bench, Observed, Subject, Truth, Verdict, truth_rows};
use cutpoint::tokens::{Reference, tools_json};
use cutpoint::transcript::{Block, EntryKind, Tokens, Transcript, Usage};
use serde_json::Value;

fn case(file: &str) -> (Vec<Imported>, Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field-cases");
    let index: Value = serde_json::from_slice(&std::fs::read(folder.join("index.json")).unwrap()).unwrap();
    let found = index["cases"].as_array().unwrap().iter().find(|case| case["file"] == *file).unwrap();
    (read_all(&std::fs::read(folder.join(file)).unwrap()).unwrap().1, found["numbers"].clone())
}

fn subject(name: &str) -> Subject {
    let spec = named(name).unwrap();
    Subject { name: spec.name(), estimator: spec.build(&Inside).unwrap() }
}

fn o200k() -> Truth {
    Truth::Tokenizer(Arc::new(Reference::O200kBase))
}

fn observe(transcript: &Transcript, names: &[&str], truth: &Truth) -> Observed {
    let subjects: Vec<Subject> = names.iter().map(|name| subject(name)).collect();
    let bench = Bench { name: "case", lineage: "case", format: "case", transcript };
    Observed::new(bench, &subjects, truth, Tokens(20_000))
}

#[test]
fn units_differ_by_script_and_under_estimates_show() {
    // The names of the numbers, and the estimators that give them.
    let units = [
        ("utf16_div4", "utf16/4"),
        ("scalars_div4", "code-points/4"),
        ("bytes_div4", "bytes/4"),
        ("o200k_base", "o200k"),
        ("cl100k_base", "cl100k"),
    ];
    let names = units.map(|(_, name)| name);
    for file in ["est-cjk.openai.json", "est-emoji.openai.json"] {
        let (imported, numbers) = case(file);
        let observed = observe(&imported[0].transcript, &names, &o200k());
        let expected = numbers["per_message"].as_array().unwrap();
        assert_eq!(observed.messages.len(), expected.len());
        for (message, expected) in observed.messages.iter().zip(expected) {
            for ((key, _), estimate) in units.iter().zip(&message.estimates) {
                assert_eq!(*estimate, Tokens(expected[key].as_u64().unwrap()), "{file} {key}");
            }
            let latin = message.script == cutpoint::transcript::class::Script::Latin;
            if file.starts_with("est-cjk") {
                assert_eq!(message.estimates[0] < message.truth, !latin, "{file}: {:?}", message.script);
            } else {
                assert!(message.estimates[0] < message.truth, "{file}");
            }
        }
        assert_eq!(observed.messages.iter().map(|message| message.truth).collect::<Vec<_>>(), {
            expected.iter().map(|one| Tokens(one["o200k_base"].as_u64().unwrap())).collect::<Vec<_>>()
        });
    }
}

#[test]
fn spellings_of_control_tokens_are_text() {
    let (imported, numbers) = case("est-special-token-text.openai.json");
    let observed = observe(&imported[0].transcript, &["o200k", "cl100k"], &o200k());
    for (message, expected) in observed.messages.iter().zip(numbers["per_message"].as_array().unwrap()) {
        let keys = ["o200k_base_as_text", "cl100k_base_as_text"];
        assert_eq!(message.estimates, keys.map(|key| Tokens(expected[key].as_u64().unwrap())));
    }
}

#[test]
fn a_run_without_a_break_is_counted_in_time() {
    let (imported, numbers) = case("huge-unbroken-run.openai.json");
    let start = Instant::now();
    let observed = observe(&imported[0].transcript, &["utf16/4", "cl100k"], &o200k());
    // A second is ample for what is linear; the margin is for a busy machine without optimisation.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    let run = observed.messages.iter().max_by_key(|message| message.estimates[0]).unwrap();
    assert_eq!(run.estimates[0], Tokens(numbers["utf16_div4"].as_u64().unwrap()));
    let letters = numbers["letters"].as_u64().unwrap();
    assert!((letters / 10..letters).contains(&run.truth.0), "{}", run.truth);
}

#[test]
fn the_three_parts_of_a_small_chat_are_told_apart() {
    let (imported, numbers) = case("overhead-tools-not-counted.openai.json");
    let transcript = &imported[0].transcript;
    let number = |key: &str| numbers[key].as_u64().unwrap();
    let json = tools_json(transcript.head.tools.as_ref().unwrap());
    assert_eq!(json.encode_utf16().count() as u64, number("tools_json_chars"));
    assert_eq!((json.len() as u64).div_ceil(4), number("tools_utf16_div4"));
    let observed = observe(transcript, &["utf16/4"], &o200k());
    let session = &observed.session;
    let messages: Tokens = observed.messages.iter().map(|message| message.truth).sum();
    let (system, tools) = (session.system.unwrap(), session.tools.unwrap());
    assert_eq!(tools, Tokens(number("tools_o200k")));
    // The case counts system prompt and messages as one text; each on its own, as they are sent, they are one token more,
    // because ".Is" is a token.
    let mut joined = transcript.head.system.as_ref().unwrap().as_str().to_owned();
    for entry in &transcript.entries {
        if let EntryKind::Message(message) = &entry.kind {
            message.blocks().iter().for_each(|block| match block {
                Block::Text(text) => joined.push_str(text.as_str()),
                other => panic!("{other:?}"),
            });
        }
    }
    assert_eq!(Reference::O200kBase.count(&joined), Tokens(number("messages_o200k")));
    assert_eq!(joined.len().div_ceil(4) as u64 + 1, number("messages_utf16_div4"), "each message is rounded up");
    assert_eq!(system + messages, Tokens(20));
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let share = tools.0 as f64 / (tools.0 + number("messages_o200k")) as f64;
    assert!((share - numbers["tools_share_of_total_o200k"].as_f64().unwrap()).abs() < 5e-4, "{share}");
}

fn usages(transcript: &Transcript) -> Vec<Usage> {
    truth_rows(transcript, &transcript.path()).iter().map(|row| row.usage).collect()
}

#[test]
fn cached_tokens_are_counted_once_whatever_the_convention() {
    let (imported, numbers) = case("usage-cached-inclusive.openai.json");
    let number = |key: &str| numbers[key].as_u64().unwrap();
    let usage = usages(&imported[0].transcript)[0];
    assert_eq!((usage.prompt(), usage.context()), (Tokens(number("prompt")), Tokens(number("context_after"))));
    assert_eq!((usage.input, usage.cache_read), (number("uncached"), number("cached_read")));

    let (imported, numbers) = case("usage-cached-exclusive.claude.jsonl");
    let usages = usages(&imported[0].transcript);
    let last = usages.last().unwrap();
    assert_eq!(last.prompt(), Tokens(numbers["prompt_last_call"].as_u64().unwrap()));
    assert_eq!(last.context(), Tokens(numbers["context_after_last"].as_u64().unwrap()));
    let sum: Tokens = usages.iter().map(Usage::prompt).sum();
    assert_eq!(sum, Tokens(numbers["sum_all_calls_prompt"].as_u64().unwrap()));
    let reads: Vec<u64> = usages.iter().map(|usage| usage.cache_read).collect();
    assert_eq!(reads, [0, 8_000, 9_000]);
}

#[test]
fn usage_that_anchors_nothing_is_left_out_by_reason() {
    let (imported, numbers) = case("anchor-aborted.pi.jsonl");
    let transcript = &imported[0].transcript;
    let verdicts: Vec<Verdict> = truth_rows(transcript, &transcript.path()).iter().map(|row| row.verdict).collect();
    assert!(verdicts.contains(&Verdict::Failed) && verdicts.contains(&Verdict::Usable), "{verdicts:?}");
    assert_eq!(numbers["anchor"], 50_000);
    let (imported, _) = case("est-thinking-signature.pi.jsonl");
    let observed = observe(&imported[0].transcript, &["pi"], &o200k());
    assert_eq!(observed.session.signature_chars, 4_000);
    assert!(observed.truths.iter().all(|row| row.verdict == Verdict::Zero));
}

#[test]
fn rules_for_a_picture_spread() {
    let (imported, numbers) = case("est-image-base64.pi.jsonl");
    let names = ["utf16/4", "codex", "langchain", "gemini", "opencode"];
    let observed = observe(&imported[0].transcript, &names, &o200k());
    let pictures =
        observed.messages.iter().filter(|message| message.class == cutpoint::transcript::class::ContentClass::Image);
    let estimates: Vec<Vec<u64>> =
        pictures.map(|message| message.estimates.iter().map(|tokens| tokens.0).collect()).collect();
    assert_eq!(estimates.len(), 2, "one in a user message, one in a tool result");
    let flat = numbers["flat_1200_rule"].as_u64().unwrap();
    let codex = numbers["codex_style_flat"].as_u64().unwrap();
    for one in estimates {
        // Pictures by rule: 1,200, 1,844, 85, 3,000 and nothing; never the 3,000 of the base64 text as such.
        for (at, rule) in [flat, codex, 85, 3_000, 0].into_iter().enumerate() {
            assert!((rule..rule + 60).contains(&one[at]), "{}: {} for {rule}", names[at], one[at]);
        }
    }
}

/// What providers recorded, read from the source a second time.
fn prompts_of_traffic(bytes: &[u8]) -> Vec<u64> {
    let prompt = |line: &[u8]| {
        let row: Value = serde_json::from_slice(line).unwrap();
        let body = row["response"]["body_raw"].as_str().unwrap_or_default();
        let events = body.lines().filter_map(|line| line.strip_prefix("data: "));
        let start = events
            .filter_map(|data| serde_json::from_str::<Value>(data).ok())
            .find(|event| event["type"] == "message_start");
        let usage = match start {
            Some(event) => event["message"]["usage"].clone(),
            None => row["response"]["body"]["usage"].clone(),
        };
        ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
            .iter()
            .map(|key| usage[key].as_u64().unwrap_or(0))
            .sum()
    };
    bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(prompt).collect()
}

#[test]
fn the_truth_table_of_recorded_traffic_is_exact() {
    let Some(shared) = common::shared() else { return };
    let bytes = std::fs::read(shared.join("transcripts/anthropic-messages/claude-trace-traffic.jsonl")).unwrap();
    let mut expected = prompts_of_traffic(&bytes);
    assert_eq!(expected.len(), 64);
    let all = read_all(&bytes).unwrap().1;
    let rows = |one: &Imported| truth_rows(&one.transcript, &one.transcript.path());
    let mut ours: Vec<u64> = all.iter().flat_map(rows).map(|row| row.usage.prompt().0).collect();
    // The requests of the file are those of 28 conversations; each conversation is in order, the file is by time.
    expected.sort_unstable();
    ours.sort_unstable();
    assert_eq!(ours, expected);
}

#[test]
fn the_truth_table_of_a_trajectory_is_exact_request_by_request() {
    let Some(shared) = common::shared() else { return };
    let path = shared.join("transcripts/mini-swe-agent/mini-swe-django-11797-deepseek-chat.traj.json");
    let bytes = std::fs::read(path).unwrap();
    let document: Value = serde_json::from_slice(&bytes).unwrap();
    let messages = document["messages"].as_array().unwrap();
    let usage = messages.iter().filter_map(|message| message["extra"]["response"]["usage"]["prompt_tokens"].as_u64());
    let expected: Vec<u64> = usage.collect();
    assert_eq!(expected.len(), 156);
    let transcript = read_all(&bytes).unwrap().1.remove(0).transcript;
    let rows = truth_rows(&transcript, &transcript.path());
    assert_eq!(rows.iter().map(|row| row.usage.prompt().0).collect::<Vec<_>>(), expected);
    // With recorded usage as the truth every request but the first, which the head is inferred from, is compared with it.
    let observed = observe(&transcript, &["utf16/4"], &Truth::Recorded(Arc::new(Reference::O200kBase)));
    let usable = rows.iter().filter(|row| row.verdict == Verdict::Usable).map(|row| row.usage.prompt()).skip(1);
    assert_eq!(observed.requests.iter().map(|row| row.truth).collect::<Vec<_>>(), usable.collect::<Vec<_>>());
    assert!(observed.session.head > Tokens(0));
}

#[test]
fn a_message_is_asked_about_once_however_many_requests_there_are() {
    use std::sync::atomic::{AtomicU64, Ordering};
    #[derive(Default)]
    struct Counting(AtomicU64);
    impl Estimator for Counting {
        fn message(&self, _: &cutpoint::transcript::Message) -> Tokens {
            self.0.fetch_add(1, Ordering::Relaxed);
            Tokens(1)
        }

        fn head(&self, _: &cutpoint::transcript::Head) -> Option<Tokens> {
            None
        }
    }
    let (imported, _) = case("trigger-mid-turn.pi.jsonl");
    let transcript = &imported[0].transcript;
    let counting = Arc::new(Counting::default());
    let subject = Subject { name: "counting".to_owned(), estimator: counting.clone() };
    let bench = Bench { name: "case", lineage: "case", format: "pi", transcript };
    let observed = Observed::new(bench, &[subject], &o200k(), Tokens(20_000));
    assert!(observed.requests.len() > 3);
    assert!(counting.0.load(Ordering::Relaxed) <= transcript.entries.len() as u64);
}
