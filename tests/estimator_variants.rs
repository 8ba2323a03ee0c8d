//! Made-up relatives of the field cases about estimates and usage: other scripts, other runs, other anchors, other conventions, with
//! numbers that were worked out by hand.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::sync::Arc;

use cutpoint::engine::estimate::named::named;
use cutpoint::engine::estimate::outside::Inside;
use cutpoint::import::read_all;
use cutpoint::lab::{Bench, Observed, Subject, Truth, Verdict, truth_rows};
use cutpoint::tokens::Reference;
use cutpoint::transcript::class::{ContentClass, Script};
use cutpoint::transcript::{Tokens, Transcript};
use serde_json::{Value, json};

fn observe(transcript: &Transcript, names: &[&str]) -> Observed {
    let subject = |name: &&str| {
        let spec = named(name).unwrap();
        Subject { name: spec.name(), estimator: spec.build(&Inside).unwrap() }
    };
    let subjects: Vec<Subject> = names.iter().map(subject).collect();
    let bench = Bench { name: "case", lineage: "case", format: "case", transcript };
    Observed::new(bench, &subjects, &Truth::Tokenizer(Arc::new(Reference::O200kBase)), Tokens(20_000))
}

fn read(source: &str) -> Transcript {
    read_all(source.as_bytes()).unwrap().1.remove(0).transcript
}

fn chat(texts: &[String]) -> Transcript {
    let messages: Vec<Value> = texts.iter().map(|text| json!({ "role": "user", "content": text })).collect();
    read(&json!({ "model": "m", "messages": messages }).to_string())
}

/// A Pi session of these records, each the child of the one before unless it names another parent; ids count from `e0`.
fn pi(records: &[Value]) -> Transcript {
    let mut lines =
        vec![json!({ "type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/" })];
    for (at, record) in records.iter().enumerate() {
        let mut line =
            if record.get("role").is_some() { json!({ "type": "message", "message": record }) } else { record.clone() };
        line["id"] = format!("e{at}").into();
        if line.get("parentId").is_none() {
            line["parentId"] = at.checked_sub(1).map(|before| format!("e{before}")).into();
        }
        line["timestamp"] = "2026-01-01T00:00:00Z".into();
        lines.push(line);
    }
    read(&lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n"))
}

fn said(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn reply(model: &str, input: u64, output: u64, stop: &str) -> Value {
    let usage =
        json!({ "input": input, "output": output, "cacheRead": 0, "cacheWrite": 0, "totalTokens": input + output });
    json!({ "role": "assistant", "content": [{ "type": "text", "text": "ok" }], "api": "a", "provider": "p", "model": model,
        "usage": usage, "stopReason": stop, "timestamp": 0 })
}

#[test]
fn every_script_is_counted_in_its_units() {
    // A quarter of the UTF-16 units, code points and bytes of each; a quarter of the code points is too little for all but the
    // Hebrew word, which o200k_base has in one piece with its space.
    let cases = [
        ("กขค".repeat(100), [75, 75, 225]),
        ("שלום ".repeat(40), [50, 50, 90]),
        // An e and an accent of its own: two code points, three bytes.
        ("e\u{301}".repeat(40), [20, 20, 30]),
        // A flag: two code points, four units, eight bytes.
        ("🇩🇪".repeat(50), [50, 25, 100]),
        // A full-width letter: one, one, three.
        ("Ａ".repeat(40), [10, 10, 30]),
        ("𠀀".repeat(20), [10, 5, 20]),
    ];
    let transcript = chat(&cases.each_ref().map(|(text, _)| text.clone()));
    let observed = observe(&transcript, &["utf16/4", "code-points/4", "bytes/4", "o200k"]);
    assert_eq!(observed.messages.len(), cases.len());
    for (message, (text, expected)) in observed.messages.iter().zip(&cases) {
        assert_eq!(message.estimates[..3], expected.map(Tokens), "{text}");
        assert_eq!(message.estimates[3], message.truth, "{text}");
        assert_eq!(message.estimates[1] < message.truth, !text.starts_with('ש'), "{text}: {}", message.truth);
        assert_ne!(message.script, Script::None, "{text}");
    }
}

#[test]
fn the_text_of_a_block_is_priced_however_often_it_was_escaped() {
    // A backslash is one character of the block, two of a JSON string in it, four of the line.
    let once = "\\".repeat(1_000);
    let twice = serde_json::to_string(&once).unwrap();
    let thrice = serde_json::to_string(&twice).unwrap();
    let result = |text: &str| {
        json!({ "role": "toolResult", "toolCallId": "c", "toolName": "cat", "isError": false, "timestamp": 0,
            "content": [{ "type": "text", "text": text }] })
    };
    let observed = observe(&pi(&[result(&once), result(&twice), result(&thrice)]), &["utf16/4", "bytes/4"]);
    let estimates: Vec<u64> = observed.messages.iter().map(|message| message.estimates[0].0).collect();
    // 1,000; 2 · 1,000 and two quotes; 2 · 2,000, two quotes with a backslash each, and two around.
    assert_eq!(estimates, [250, 2_002_u64.div_ceil(4), 4_006_u64.div_ceil(4)]);
    assert!(observed.messages.iter().all(|message| message.estimates[0] == message.estimates[1]));
}

#[test]
fn spellings_of_control_tokens_are_text_wherever_they_stand() {
    let spelling = "<|endoftext|>";
    let body = json!({ "model": "m", "messages": [
        { "role": "system", "content": spelling },
        { "role": "user", "content": "<|im_start|><|fim_prefix|>" },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "c", "type": "function", "function": { "name": "say", "arguments": format!("{{\"text\":\"{spelling}\"}}") } }] },
        { "role": "tool", "tool_call_id": "c", "content": format!("{spelling}{spelling}") },
    ] });
    let observed = observe(&read(&body.to_string()), &["cl100k"]);
    // As one token the text of a message would be smaller than half of its characters by far.
    let least = [8, 8, 10];
    assert_eq!(observed.messages.len(), least.len());
    for (message, least) in observed.messages.iter().zip(least) {
        assert!(message.truth >= Tokens(least) && message.estimates[0] >= Tokens(least), "{message:?}");
    }
    assert!(observed.session.system.unwrap() > Tokens(4), "{:?}", observed.session.system);
}

#[test]
fn runs_of_every_kind_are_counted_exactly() {
    let random = |alphabet: &str, mut state: u64| -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            letters[usize::try_from(state >> 33).unwrap() % letters.len()]
        };
        (0..40_000).map(|_| next()).collect()
    };
    let mut runs: Vec<String> = [
        "-",
        "=",
        "_",
        "*",
        "#",
        "/",
        "\t",
        " ",
        "\n",
        "\r\n",
        "7",
        "aB",
        "!?",
        "'s",
        "你",
        "가",
        "😀",
        "ก",
        "e\u{301}",
        "👩\u{200d}🔧",
        "\u{a0}",
    ]
    .iter()
    .map(|unit| unit.repeat(40_000 / unit.len()))
    .collect();
    runs.push(random("abcdefghijklmnopqrstuvwxyz", 1));
    runs.push(random("0123456789abcdef", 2));
    runs.push(random("aA1 \n-你", 3));
    let counts: Vec<[Tokens; 2]> = runs
        .iter()
        .map(|run| [Reference::O200kBase, Reference::Cl100kBase].map(|reference| reference.count(run)))
        .collect();
    let referees = ["o200k_base", "cl100k_base"].map(|name| tiktoken::get_encoding(name).unwrap());
    for (run, counts) in runs.iter().zip(counts) {
        let expected = referees.map(|referee| Tokens(referee.count(run) as u64));
        assert_eq!(counts, expected, "{:?}…", run.chars().take(8).collect::<String>());
    }
}

#[test]
fn a_picture_is_one_picture_in_every_spelling() {
    let data = "A".repeat(12_000);
    let source = json!({ "type": "base64", "media_type": "image/png", "data": data });
    let messages = json!([
        { "role": "user", "content": [{ "type": "image", "source": source }, { "type": "image", "source": source }] },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "t", "name": "shot", "input": {} }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t", "content": [{ "type": "image", "source": source }] }] },
        { "role": "user", "content": [{ "type": "image", "source": { "type": "url", "url": "https://example.org/a.png" } }] },
        { "role": "user", "content": [{ "type": "image", "source": { "type": "file", "file_id": "file_1" } }] },
        { "role": "user", "content": data },
    ]);
    let body = json!({ "model": "claude-x", "max_tokens": 5, "messages": messages });
    let observed = observe(&read(&body.to_string()), &["utf16/4", "codex", "opencode"]);
    let estimates: Vec<u64> = observed.messages.iter().map(|message| message.estimates[0].0).collect();
    // "shot{}" is two; base64 that somebody typed is text: 12,000 / 4.
    assert_eq!(estimates, [2_400, 2, 1_200, 1_200, 1_200, 3_000]);
    let pictures = observed.messages.iter().filter(|message| message.class == ContentClass::Image);
    assert_eq!(pictures.map(|message| message.estimates[2].0).collect::<Vec<_>>(), [0; 4]);
    // The same in chat completions.
    let url = |url: &str| json!({ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": url } }] });
    let messages = [url(&format!("data:image/png;base64,{data}")), url("https://example.org/a.png")];
    let observed = observe(&read(&json!({ "model": "m", "messages": messages }).to_string()), &["utf16/4"]);
    assert!(observed.messages.iter().all(|message| message.estimates == [Tokens(1_200)]), "{:?}", observed.messages);
}

#[test]
fn signatures_are_shown_beside_each_message_and_never_added() {
    let thinking = |text: &str, signature: usize| json!({ "type": "thinking", "thinking": text, "thinkingSignature": "S".repeat(signature) });
    let with = |blocks: Value| {
        let mut reply = reply("m", 0, 0, "stop");
        reply["content"] = blocks;
        reply
    };
    let transcript = pi(&[
        said("hi"),
        with(json!([thinking("hmmm", 400), { "type": "text", "text": "done" }])),
        with(json!([thinking("", 40), thinking("ab", 4)])),
        with(json!([thinking("no signature", 0)])),
    ]);
    let observed = observe(&transcript, &["utf16/4", "pi", "langchain"]);
    let rows: Vec<(u64, u64, Option<u64>)> = observed
        .messages
        .iter()
        .map(|row| (row.estimates[1].0, row.signature_chars, row.with_signature.get(1).map(|tokens| tokens.0)))
        .collect();
    // Of Pi: (4 + 4) / 4 and with 400 more; 2 / 4 rounded up and (2 + 44) / 4 rounded up.
    assert_eq!(rows, [(1, 0, None), (2, 400, Some(102)), (1, 44, Some(12)), (3, 0, None)]);
    assert_eq!(observed.session.signature_chars, 444);
    // What only the provider can read is a signature too.
    let content = json!([{ "type": "redacted_thinking", "data": "R".repeat(300) }, { "type": "text", "text": "done" }]);
    let body = json!({ "model": "claude-x", "max_tokens": 5, "messages": [
        { "role": "user", "content": "hi" }, { "role": "assistant", "content": content }, { "role": "user", "content": "go" }] });
    let observed = observe(&read(&body.to_string()), &["utf16/4"]);
    let row = &observed.messages[1];
    assert_eq!((row.estimates[0], row.signature_chars, row.with_signature[0]), (Tokens(1), 300, Tokens(76)));
}

fn falls(transcript: &Transcript) -> Vec<(Verdict, u64)> {
    truth_rows(transcript, &transcript.path()).iter().map(|row| (row.verdict, row.fell.0)).collect()
}

#[test]
fn usage_that_falls_is_flagged_with_its_size() {
    use Verdict::{Failed, Usable, Zero};
    let replies = [
        reply("m", 60_900, 100, "stop"),
        reply("m", 23_999, 1, "stop"),
        reply("m", 24_400, 100, "stop"),
        // Neither a reply that was stopped nor one without usage is a context to fall from or to.
        reply("m", 10, 0, "aborted"),
        reply("m", 0, 0, "stop"),
        reply("m", 19_900, 100, "stop"),
    ];
    let records: Vec<Value> = replies.into_iter().flat_map(|reply| [said("go on"), reply]).collect();
    let expected = [(Usable, 0), (Usable, 37_000), (Usable, 0), (Failed, 0), (Zero, 0), (Usable, 4_500)];
    assert_eq!(falls(&pi(&records)), expected);
}

#[test]
fn a_fall_that_something_recorded_explains_is_none() {
    let before = || [said("a"), reply("m", 50_000, 100, "stop"), said("b")];
    let after = |between: Value| {
        let mut records = before().to_vec();
        records.extend([between, reply("m", 20_000, 100, "stop")]);
        falls(&pi(&records)).last().unwrap().1
    };
    let compaction = json!({ "type": "compaction", "summary": "s", "firstKeptEntryId": "e2", "tokensBefore": 50_100 });
    assert_eq!(after(compaction), 0);
    assert_eq!(after(json!({ "type": "context_edit", "targetId": "e0", "replacement": null })), 0);
    assert_eq!(after(json!({ "type": "label", "label": "x" })), 30_000);
    // Another model counts in other tokens.
    let mut records = before().to_vec();
    records.push(reply("other", 20_000, 100, "stop"));
    assert_eq!(falls(&pi(&records)).last().unwrap().1, 0);
    // A branch falls from where it begins, not from the line before it.
    let mut records = before().to_vec();
    let mut back = json!({ "type": "message", "message": said("c") });
    back["parentId"] = "e1".into();
    records.extend([reply("m", 90_000, 100, "stop"), back, reply("m", 50_200, 100, "stop")]);
    assert_eq!(falls(&pi(&records)).iter().map(|row| row.1).collect::<Vec<_>>(), [0, 0, 0]);
}

#[test]
fn every_convention_of_cached_usage_gives_one_prompt() {
    // Usage, then prompt, uncached, read, written, and the context after the reply.
    let cases = [
        (
            json!({ "prompt_tokens": 1_000, "completion_tokens": 50, "prompt_cache_hit_tokens": 900, "prompt_cache_miss_tokens": 100 }),
            [1_000, 100, 900, 0, 1_050],
        ),
        (
            json!({ "prompt_tokens": 1_000, "completion_tokens": 50, "prompt_tokens_details": { "cached_tokens": 900 } }),
            [1_000, 100, 900, 0, 1_050],
        ),
        (
            json!({ "prompt_tokens": 1_000, "completion_tokens": 50, "prompt_tokens_details": { "cached_tokens": 900 },
            "cache_creation_input_tokens": 60, "cache_read_input_tokens": 900 }),
            [1_000, 40, 900, 60, 1_050],
        ),
        (
            json!({ "prompt_tokens": 1_000, "completion_tokens": null, "prompt_tokens_details": null }),
            [1_000, 1_000, 0, 0, 1_000],
        ),
        // More cached than there is: the prompt excludes it.
        (
            json!({ "prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": { "cached_tokens": 900 } }),
            [1_000, 100, 900, 0, 1_005],
        ),
    ];
    for (usage, expected) in cases {
        let messages =
            json!([{ "role": "user", "content": "hi" }, { "role": "assistant", "content": "yo", "usage": usage }]);
        let transcript = read(&json!({ "model": "m", "messages": messages }).to_string());
        let row = truth_rows(&transcript, &transcript.path())[0];
        let found = row.usage;
        assert_eq!(row.verdict, Verdict::Usable, "{usage}");
        assert_eq!(
            [found.prompt().0, found.input, found.cache_read, found.cache_write, found.context().0],
            expected,
            "{usage}"
        );
    }
}

#[test]
fn the_parts_of_a_head_are_told_apart_in_every_dialect() {
    let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let function = json!({ "name": "ls", "description": "List a folder.", "parameters": parameters });
    let messages =
        json!([{ "role": "system", "content": "You are brief." }, { "role": "user", "content": "Is the lamp on?" }]);
    let json = format!("[{{\"type\":\"function\",\"function\":{function}}}]");
    let (system, tools) = (Reference::O200kBase.count("You are brief."), Reference::O200kBase.count(&json));
    let bodies = [
        json!({ "model": "m", "messages": messages, "tools": [{ "type": "function", "function": function }] }),
        json!({ "model": "m", "messages": messages, "functions": [function] }),
        json!({ "model": "claude-x", "max_tokens": 5, "system": "You are brief.",
            "tools": [{ "name": "ls", "description": "List a folder.", "input_schema": parameters }],
            "messages": [{ "role": "user", "content": "Is the lamp on?" }] }),
    ];
    for body in bodies {
        let observed = observe(&read(&body.to_string()), &["utf16/4"]);
        assert_eq!((observed.session.system, observed.session.tools), (Some(system), Some(tools)), "{body}");
        assert_eq!(observed.messages.len(), 1, "{body}");
    }
    // No tools cost nothing; tools that the file does not speak of are not known.
    let none = json!({ "model": "m", "messages": messages, "tools": [] });
    assert_eq!(observe(&read(&none.to_string()), &[]).session.tools, Some(Tokens(0)));
    let unknown = json!({ "model": "m", "messages": messages });
    assert_eq!(observe(&read(&unknown.to_string()), &[]).session.tools, None);
}
