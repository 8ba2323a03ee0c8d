//! `LangGraph` states and LangChain messages: the shared files, and every quirk of the format in a made-up one.

#![expect(clippy::unwrap_used, reason = "made by hand: what cannot be read is a failed test")]

mod common;

use common::facts::{Facts, assert_replays, facts, messages, shared_sessions, usages};
use cutpoint::import::{Confidence, FindingKind, Format, ImportError, Imported, read_all, sniff};
use cutpoint::transcript::{Block, EntryKind, Message, StopReason, Transcript, Usage, joined_text};

/// Counts from the provenance of the files; tokens are the sums of `usage_metadata`.
const SHARED: &[(&str, Facts)] = &[
    ("deerflow-thread-github-research.json", THREAD),
    ("deerflow-thread-chinese-5aa47db1.json", Facts { replies: 20, results: 17, calls: 17, ..THREAD }),
    // 20 messages: one is deer-flow's own question, which no model said. One of six calls is handled by the graph.
    (
        "deerflow-v1-replay-chinese-rag.messages.json",
        Facts { users: 1, replies: 13, results: 5, others: 1, calls: 6, ..NONE },
    ),
    // 6720 + 13432 + 13541 and 116 + 105 + 1463.
    ("deepagents-summarization-seed.json", SEED),
];

const NONE: Facts = Facts {
    users: 0,
    replies: 0,
    results: 0,
    others: 0,
    calls: 0,
    images: 0,
    compactions: 0,
    notes: 0,
    usages: 0,
    prompt_tokens: 0,
    output_tokens: 0,
};
const THREAD: Facts = Facts { users: 2, replies: 37, results: 35, calls: 35, ..NONE };
const SEED: Facts = Facts {
    users: 1,
    replies: 3,
    results: 2,
    calls: 2,
    usages: 3,
    prompt_tokens: 33_693,
    output_tokens: 1_684,
    ..NONE
};

#[test]
fn shared_files_have_the_counts_of_their_provenance() {
    for (file, expected) in SHARED {
        let Some((format, read)) = shared_sessions(&format!("langgraph/{file}")) else { return };
        assert_eq!((format, read.len()), (Format::LangGraph, 1), "{file}");
        assert_eq!(facts(&read[0].transcript), *expected, "{file}");
        assert_eq!(read[0].findings, [], "{file}");
        assert_replays(&read[0].transcript, file);
    }
}

fn all(json: &str) -> Vec<Imported> {
    let (format, read) = read_all(json.as_bytes()).unwrap();
    assert_eq!(format, Format::LangGraph);
    read
}

fn one(json: &str) -> Imported {
    let mut read = all(json);
    assert_eq!(read.len(), 1);
    read.remove(0)
}

fn said(transcript: &Transcript) -> Vec<String> {
    let text = |message: &Message| match message {
        Message::User(content) | Message::Assistant(content, _) => joined_text(content).into_owned(),
        Message::ToolResult(result) => joined_text(&result.content).into_owned(),
        other => format!("{:?}", other.role()),
    };
    messages(transcript).map(text).collect()
}

/// A reply with `fields`.
fn reply(fields: &str) -> (Message, Imported) {
    let read = one(&format!(r#"[{{"type":"ai","id":"a",{fields}}}]"#));
    let message = messages(&read.transcript).next().unwrap().clone();
    (message, read)
}

#[test]
fn usage_becomes_exclusive_of_the_cache_whatever_the_convention() {
    let inclusive = r#""content":"x","usage_metadata":{"input_tokens":6720,"output_tokens":116,"total_tokens":6836,
        "input_token_details":{"cache_read":10,"cache_creation":6700},"output_token_details":{"reasoning":4}}"#;
    // 6720 - 10 - 6700.
    let wanted = Usage {
        input: 10,
        output: 116,
        cache_read: 10,
        cache_write: 6700,
        reasoning: Some(4),
        total: Some(6836),
        ..Usage::default()
    };
    assert_eq!(reply(inclusive).0.reply().unwrap().usage, Some(wanted));
    // Newer releases split the writes by lifetime and leave the sum at zero: 100 - (20 + 30).
    let split = r#""content":"x","usage_metadata":{"input_tokens":100,"output_tokens":1,"total_tokens":101,
        "input_token_details":{"cache_creation":0,"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":30}}"#;
    let usage = reply(split).0.reply().unwrap().usage.unwrap();
    assert_eq!((usage.input, usage.cache_write, usage.cache_write_1h), (50, 50, Some(30)));
    let anthropic = r#""content":"x","usage_metadata":null,"response_metadata":{"usage":{"input_tokens":3,
        "cache_creation_input_tokens":6717,"cache_read_input_tokens":5,"output_tokens":9}}"#;
    let usage = reply(anthropic).0.reply().unwrap().usage.unwrap();
    assert_eq!((usage.input, usage.cache_write, usage.cache_read, usage.prompt().0), (3, 6717, 5, 6725));
    let openai = r#""content":"x","response_metadata":{"token_usage":{"prompt_tokens":50,"completion_tokens":7,
        "prompt_tokens_details":{"cached_tokens":40}}}"#;
    let usage = reply(openai).0.reply().unwrap().usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output), (10, 40, 7));
    assert_eq!(reply(r#""content":"x","usage_metadata":null"#).0.reply().unwrap().usage, None);
}

#[test]
fn a_call_that_stands_twice_is_read_once() {
    let (message, _) = reply(
        r#""content":[{"type":"text","text":"look"},{"type":"tool_use","id":"c1","name":"read","input":{"p":1.0}}],
        "tool_calls":[{"name":"read","args":{"p":1.0},"id":"c1"},{"name":"list","args":{},"id":"c2"},{"name":"","args":{},"id":null}],
        "response_metadata":{"stop_reason":"tool_use","model_name":"m","model_provider":"p"}"#,
    );
    let Message::Assistant(content, reply) = &message else { panic!("{message:?}") };
    let [Block::Text(_), Block::ToolCall(first), Block::ToolCall(second)] = content.blocks.as_slice() else {
        panic!("{content:?}")
    };
    assert_eq!((&*first.id, first.arguments.as_str(), &*second.id), ("c1", r#"{"p":1.0}"#, "c2"));
    assert_eq!((&reply.stop, &*reply.model, &*reply.provider), (&StopReason::ToolUse, "m", "p"));
}

#[test]
fn calls_in_the_providers_form_and_invalid_ones_are_kept() {
    let (message, _) = reply(
        r#""content":"","additional_kwargs":{"reasoning_content":"hm","tool_calls":[{"id":"c","type":"function",
        "function":{"name":"f","arguments":"{\"a\": 1}"}}]}"#,
    );
    let [Block::Thinking { text, .. }, Block::ToolCall(call)] = message.blocks() else { panic!("{message:?}") };
    assert_eq!((text.as_str(), call.arguments.as_str()), ("hm", r#"{"a": 1}"#));
    assert_eq!(message.reply().unwrap().stop, StopReason::ToolUse, "no word for it: the call says it");
    let (message, _) = reply(r#""content":"","invalid_tool_calls":[{"id":"c","name":"f","args":"{oops","error":"E"}]"#);
    let [Block::ToolCall(call)] = message.blocks() else { panic!("{message:?}") };
    assert_eq!(call.arguments.as_str(), r#""{oops""#);
}

#[test]
fn constructor_and_wrapped_forms_are_unwrapped() {
    let read = one(
        r#"[{"lc":1,"type":"constructor","id":["langchain","schema","messages","SystemMessage"],"kwargs":{"content":"be brief","type":"system"}},
        {"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"hi","id":"h","type":"human"}},
        {"lc":1,"type":"constructor","id":["langchain_core","messages","ai","AIMessageChunk"],"kwargs":{"content":"ho","id":"a"}}]"#,
    );
    assert_eq!(read.transcript.head.system.as_ref().unwrap().as_str(), "be brief");
    assert_eq!((said(&read.transcript), read.findings.len()), (vec!["hi".into(), "ho".into()], 0));
    assert_eq!((&*read.transcript.entries[1].id, read.transcript.entries[1].line), ("a", 3));
    let read =
        one(r#"[{"type":"human","data":{"content":"hi","type":"human"}},{"type":"ai","data":{"content":"ho"}}]"#);
    assert_eq!(said(&read.transcript), ["hi", "ho"]);
}

#[test]
fn parts_of_every_kind_have_their_block() {
    let read = one(
        r#"{"messages":[{"type":"human","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}},
        {"type":"image","source_type":"base64","data":"aG8=","mime_type":"image/jpeg"},
        {"type":"image","base64":"aGE=","mime_type":"image/gif"},"plain",{"type":"hologram","url":"u"}]},
        {"type":"ai","content":[{"type":"thinking","thinking":"t","signature":"s"},
        {"type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}]}]},
        {"type":"tool","content":"","tool_call_id":"x","status":"error"},{"type":"remove","id":"r","content":""},
        {"type":"oracle","content":"?","additional_kwargs":{}}]}"#,
    );
    let blocks = messages(&read.transcript).next().unwrap().blocks();
    let images = blocks.iter().filter_map(|block| match block {
        Block::Image(image) => Some((&*image.data, &*image.media_type)),
        _ => None,
    });
    assert_eq!(images.collect::<Vec<_>>(), [("aGk=", "image/png"), ("aG8=", "image/jpeg"), ("aGE=", "image/gif")]);
    assert!(matches!(&blocks[3..], [Block::Text(_), Block::Other(_)]));
    let thoughts = messages(&read.transcript).nth(1).unwrap().blocks();
    assert!(
        matches!(thoughts, [Block::Thinking { signature: Some(_), .. }, Block::Thinking { text, .. }] if text.as_str() == "a\nb")
    );
    assert!(matches!(messages(&read.transcript).nth(2).unwrap(), Message::ToolResult(result) if result.is_error));
    assert_eq!(facts(&read.transcript).notes, 2, "a removal and a message of unknown type");
    let kinds: Vec<_> = read.findings.iter().map(|finding| (finding.line, finding.kind)).collect();
    let expected = [(3, FindingKind::UnknownKind), (6, FindingKind::MissingTarget), (7, FindingKind::UnknownKind)];
    assert_eq!(kinds, expected);
}

#[test]
fn the_summary_of_deep_agents_cuts_at_the_end() {
    let read = one(
        r#"{"values":{"messages":[{"type":"human","id":"1","content":"a"},{"type":"ai","id":"2","content":"b"},{"type":"human","id":"3","content":"c"}],
        "_summarization_event":{"cutoff_index":2,"summary_message":{"type":"human","content":"SUM"},"file_path":null}},
        "checkpoint":{"thread_id":"T"},"created_at":"2026-01-01T00:00:00Z","metadata":{"model_name":"run-model"}}"#,
    );
    let EntryKind::Compaction(compaction) = &read.transcript.entries[3].kind else { panic!() };
    assert_eq!((compaction.summary.as_str(), compaction.first_kept.as_deref()), ("SUM", Some("3")));
    assert_eq!(compaction.tokens_before, None);
    assert_eq!((&*read.transcript.meta.id, read.part.as_deref()), ("T", None));
    assert_eq!(&*messages(&read.transcript).nth(1).unwrap().reply().unwrap().model, "run-model");
    assert_replays(&read.transcript, "summarization event");
}

#[test]
fn the_history_of_a_thread_shows_where_it_was_compacted() {
    let state = |stamp: &str, messages: &str| {
        format!(r#"{{"values":{{"messages":[{messages}]}},"checkpoint":{{"thread_id":"T"}},"created_at":"{stamp}"}}"#)
    };
    let message = |kind: &str, id: &str| format!(r#"{{"type":"{kind}","id":"{id}","content":"{id}"}}"#);
    let old = [message("human", "1"), message("ai", "2"), message("human", "3")];
    let new = [message("human", "S"), message("human", "3"), message("ai", "4")];
    // Newest first, as the server gives it.
    let read = one(&format!("[{},{}]", state("2026-01-02", &new.join(",")), state("2026-01-01", &old.join(","))));
    let kinds: Vec<_> =
        read.transcript.entries.iter().map(|entry| matches!(entry.kind, EntryKind::Compaction(_))).collect();
    assert_eq!(kinds, [false, false, false, true, false], "1 2 3, the summary, 4");
    let EntryKind::Compaction(compaction) = &read.transcript.entries[3].kind else { panic!() };
    assert_eq!((compaction.summary.as_str(), compaction.first_kept.as_deref()), ("S", Some("3")));
    let other = state("2026-01-01", &message("human", "9")).replace("\"T\"", "\"U\"");
    let read = all(&format!("[{},{other}]", state("2026-01-02", &old.join(","))));
    assert_eq!(read.iter().map(|one| one.part.as_deref()).collect::<Vec<_>>(), [Some("T"), Some("U")]);
}

#[test]
fn an_event_stream_is_joined_by_the_ids_of_its_messages() {
    let events = [
        ("message_chunk", r#"{"thread_id":"T","agent":"planner","id":"run-1","role":"assistant","content":"go"}"#),
        ("message_chunk", r#"{"thread_id":"T","agent":"planner","id":"run-1","role":"assistant","content":" on"}"#),
        (
            "tool_calls",
            r#"{"agent":"planner","id":"run-1","role":"assistant","tool_calls":[{"name":"find","args":{},"id":"c"},{"name":"","args":{},"id":null}],"tool_call_chunks":[{"name":"find","args":"","id":"c","index":0}]}"#,
        ),
        (
            "tool_call_chunks",
            r#"{"agent":"planner","id":"run-1","role":"assistant","tool_call_chunks":[{"name":null,"args":"{\"q\":","id":null,"index":0}]}"#,
        ),
        (
            "tool_call_chunks",
            r#"{"agent":"planner","id":"run-1","role":"assistant","tool_call_chunks":[{"args":"\"x\"}","id":null}]}"#,
        ),
        ("message_chunk", r#"{"agent":"planner","id":"run-1","role":"assistant","finish_reason":"tool_calls"}"#),
        ("tool_call_result", r#"{"agent":"planner","id":"tool-c","role":"tool","content":"R","tool_call_id":"c"}"#),
        ("interrupt", r#"{"id":"human","role":"assistant","content":"Ok?","finish_reason":"interrupt"}"#),
        ("message_chunk", r#"{"agent":"plan"#),
    ];
    let file: Vec<String> = events.iter().map(|(event, data)| format!("event: {event}\ndata: {data}")).collect();
    let file = file.join("\n\n");
    let read = one(&file);
    assert_eq!(said(&read.transcript), ["go on", "R", "Custom"]);
    let Block::ToolCall(call) = &messages(&read.transcript).next().unwrap().blocks()[1] else { panic!() };
    assert_eq!((&*call.id, call.name.as_str(), call.arguments.as_str()), ("c", "find", r#"{"q":"x"}"#));
    let kinds: Vec<_> = read.findings.iter().map(|finding| (finding.line, finding.kind)).collect();
    assert_eq!(kinds, [(26, FindingKind::TruncatedLine)]);
    // Three lines an event; the data begins behind `data: `.
    assert_eq!(read.places, [(2, 7), (20, 7), (23, 7)]);
    assert_replays(&read.transcript, "stream");
    assert_eq!(sniff(b"event: message_start\ndata: {\"type\":\"message_start\"}"), None);
    for end in 0..file.len() {
        let _ = Format::LangGraph.read(&file.as_bytes()[..end]);
    }
}

#[test]
fn damage_is_a_finding_and_nothing_else_is_lost() {
    let file = r#"{"values":{"messages":[{"type":"human","id":"1","content":"a"},{"type":"ai","id":"2","content":"b\ud83d"},{"type":"hu"#;
    let read = one(file);
    assert_eq!(said(&read.transcript), ["a", "b\u{FFFD}"]);
    let kinds: Vec<_> = read.findings.iter().map(|finding| finding.kind).collect();
    assert!(kinds.contains(&FindingKind::TruncatedLine) && kinds.contains(&FindingKind::LoneSurrogate), "{kinds:?}");
    let twice = one(r#"[{"type":"human","id":"1","content":"a"},{"type":"human","id":"1","content":"b"}]"#);
    assert_eq!((said(&twice.transcript).len(), twice.findings[0].kind), (2, FindingKind::DuplicateId));
    let empty = read_all(br#"{"values":{"messages":[]},"checkpoint":{}}"#).unwrap_err();
    assert!(matches!(empty, ImportError::NoRecord { .. }), "{empty}");
    for end in 0..file.len() {
        // Every prefix is either read or refused.
        let _ = Format::LangGraph.read(&file.as_bytes()[..end]);
        let _ = sniff(&file.as_bytes()[..end]);
    }
}

#[test]
fn a_file_is_told_by_its_messages() {
    let sure = [
        r#"{"values":{"messages":[{"type":"human","content":"a"#,
        r#"[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kw"#,
        r#"[{"id":"run-1","agent":"planner","role":"assistant","content":"#,
    ];
    for head in sure {
        assert_eq!(Format::LangGraph.sniff(head.as_bytes()), Confidence::Sure, "{head}");
    }
    let other = [
        r#"[{"role":"user","content":"a"}]"#,
        r#"{"messages":[{"role":"user","content":"a"}]}"#,
        r#"{"type":"session","version":3,"id":"s","cwd":"/p"}"#,
        r#"{"type":"human"}"#,
        "",
        "[",
    ];
    for head in other {
        assert_eq!(Format::LangGraph.sniff(head.as_bytes()), Confidence::No, "{head}");
    }
    assert_eq!(usages(&one(r#"[{"type":"human","content":"a"}]"#).transcript), []);
}
