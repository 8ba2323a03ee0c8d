//! Chat-completions messages: the shared files, the field cases, and each carrier and quirk in a made-up file.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its file has failed")]

mod common;

use std::path::{Path, PathBuf};

use common::imported::{blocks, kinds, messages, orphans, prompts, roles, said, usages};
use cutpoint::import::{Confidence, FindingKind, Format, ImportError, Imported, chat, read_all, sniff};
use cutpoint::replay::History;
use cutpoint::transcript::{Block, EntryKind, Message, StopReason, Transcript, sent_parts};
use serde_json::Value;

fn read(text: &str) -> Vec<Imported> {
    chat::read(text.as_bytes()).unwrap()
}

fn one(text: &str) -> Imported {
    let mut all = read(text);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0)
}

/// Messages of the source: those of the transcript, and the system prompt.
fn source_messages(transcript: &Transcript) -> usize {
    messages(transcript).len() + usize::from(transcript.head.system.is_some())
}

#[test]
fn the_shared_files_have_their_counts() {
    let Some(shared) = common::shared() else { return };
    // File, sessions, messages (PROVENANCE; the log has its response besides its 12), usages, sum of prompts, tools.
    let rows = [
        ("tau-bench-gpt4o-airline.first10.json", 10, 302, 0, 0, 0),
        ("openhands-sdk-litellm-claude-sonnet4.json", 1, 13, 1, 6729, 3),
        ("swe-smith-ft-xml.jsonl", 3, 209, 0, 0, 0),
        ("uitars-planner-chinese-loop8-request.json", 1, 2, 0, 0, 0),
    ];
    for (file, sessions, count, calls, prompt, tools) in rows {
        let bytes = std::fs::read(shared.join("transcripts/openai-chat").join(file)).unwrap();
        let (format, all) = read_all(&bytes).unwrap();
        assert_eq!((format, all.len()), (Format::OpenAi, sessions), "{file}");
        let sum = |count: &dyn Fn(&Transcript) -> usize| all.iter().map(|one| count(&one.transcript)).sum::<usize>();
        assert_eq!(sum(&source_messages), count, "{file}: messages");
        assert_eq!(sum(&|one| usages(one).len()), calls, "{file}: usage");
        assert_eq!(all.iter().map(|one| prompts(&one.transcript)).sum::<u64>(), prompt, "{file}: prompts");
        assert_eq!(sum(&|one| one.head.tools.as_ref().map_or(0, Vec::len)), tools, "{file}: tools");
        for one in &all {
            assert_eq!(one.findings, [], "{file} {:?}", one.part);
            assert_eq!(orphans(&one.transcript, History::Full), 0, "{file} {:?}", one.part);
            assert_eq!(one.part.is_some(), sessions > 1, "{file}");
        }
    }
}

#[test]
fn names_and_calls_of_the_shared_files() {
    let Some(shared) = common::shared() else { return };
    let folder = shared.join("transcripts/openai-chat");
    let all = chat::read(&std::fs::read(folder.join("tau-bench-gpt4o-airline.first10.json")).unwrap()).unwrap();
    let calls: usize = all.iter().map(|one| blocks(&one.transcript, |block| matches!(block, Block::ToolCall(_)))).sum();
    assert_eq!((calls, all[0].part.as_deref()), (58, Some("0")));
    let extra = all[0].transcript.meta.extra.as_ref().unwrap().as_str();
    assert_eq!(extra, r#"{"task_id":0,"reward":0.0,"trial":0}"#);
    let all = chat::read(&std::fs::read(folder.join("swe-smith-ft-xml.jsonl")).unwrap()).unwrap();
    assert_eq!(&*all[2].transcript.meta.id, "pydantic__pydantic.acb0f10f.pr_8316");
    assert!(all[1].transcript.entries.iter().all(|entry| entry.line == 2), "all messages of a line have its number");
    let all = chat::read(&std::fs::read(folder.join("openhands-sdk-litellm-claude-sonnet4.json")).unwrap()).unwrap();
    let last = all[0].transcript.entries.last().unwrap();
    assert_eq!(last.timestamp.as_deref(), Some("2025-09-04T19:44:06.708Z"));
    let EntryKind::Message(Message::Assistant(_, reply)) = &last.kind else { panic!("{last:?}") };
    let usage = reply.usage.unwrap();
    assert_eq!((&*reply.model, &reply.stop), ("litellm_proxy/claude-sonnet-4-20250514", &StopReason::ToolUse));
    assert_eq!((usage.output, usage.context().0), (199, 6928));
    assert!((usage.cost.unwrap().total - 0.023_172).abs() < 1e-9);
}

fn field_cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field-cases")
}

/// The numbers of a field case.
fn case(name: &str) -> (Vec<Imported>, Value) {
    let folder = field_cases();
    let file = format!("{name}.openai.json");
    let index: Value = serde_json::from_slice(&std::fs::read(folder.join("index.json")).unwrap()).unwrap();
    let case = index["cases"].as_array().unwrap().iter().find(|case| case["file"] == file.as_str()).unwrap();
    let (format, all) = read_all(&std::fs::read(folder.join(&file)).unwrap()).unwrap();
    assert_eq!(format, Format::OpenAi, "{name}");
    assert_eq!(all.iter().flat_map(|one| &one.findings).collect::<Vec<_>>(), Vec::<&_>::new(), "{name}");
    (all, case["numbers"].clone())
}

#[test]
fn cached_tokens_are_part_of_the_prompt() {
    let (all, numbers) = case("usage-cached-inclusive");
    let usage = usages(&all[0].transcript)[0];
    let found = serde_json::json!({
        "prompt": usage.prompt().0,
        "uncached": usage.input,
        "cached_read": usage.cache_read,
        "context_after": usage.context().0,
        "wrong_if_added": usage.context().0 + usage.cache_read,
    });
    assert_eq!(found, numbers);
}

#[test]
fn field_cases_are_read_without_a_finding() {
    let (all, numbers) = case("orphan-parallel-ten");
    assert_eq!(source_messages(&all[0].transcript), 13);
    assert_eq!(numbers["messages"], 13);
    assert_eq!(orphans(&all[0].transcript, History::Full), 0);
    let (all, numbers) = case("overhead-tools-not-counted");
    let head = &all[0].transcript.head;
    assert_eq!(head.tools.as_ref().map(Vec::len), Some(6));
    // 35, 17, 4 and 21 characters, each a quarter rounded up: 9 + 5 + 1 + 6.
    let quarters = head.system.as_ref().unwrap().utf16_len().div_ceil(4)
        + messages(&all[0].transcript).iter().map(|one| said(one).encode_utf16().count().div_ceil(4)).sum::<usize>();
    assert_eq!(numbers["messages_utf16_div4"], quarters);
    for name in ["est-cjk", "est-emoji"] {
        let (all, numbers) = case(name);
        for (message, expected) in messages(&all[0].transcript).iter().zip(numbers["per_message"].as_array().unwrap()) {
            let Block::Text(text) = &message.blocks()[0] else { panic!() };
            let lengths = [("utf16", text.utf16_len()), ("scalars", text.char_len()), ("utf8_bytes", text.byte_len())];
            for (unit, length) in lengths {
                assert_eq!(expected[unit], length, "{name} {unit}");
            }
        }
    }
    for name in ["cut-single-message-over-window", "est-special-token-text", "huge-unbroken-run", "loop-irreducible"] {
        case(name);
    }
    // A call that is followed by another reply is for the replay to report; both calls and both answers are here.
    let (all, _) = case("orphan-partial-match");
    assert_eq!(roles(&all[0].transcript), ["user", "assistant", "assistant", "result", "result", "assistant"]);
}

#[test]
fn a_message_is_read_whole() {
    let imported = one(
        r#"{"model":"m","provider":"p","tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}},{"name":"flat","input_schema":{}}],"messages":[
        {"role":"system","content":[{"type":"text","text":"be"},{"type":"text","text":"brief"}]},
        {"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,aGk=","detail":"low"}},{"type":"image_url","image_url":"https://x/y.png"}]},
        {"role":"assistant","content":null,"reasoning_content":"hm","function_call":null,"tool_calls":[
          {"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\": 1.50}"}},
          {"id":"b","type":"function","function":{"name":"f","arguments":""}},
          {"id":"c","type":"function","function":{"name":"f","arguments":"{broken"}},
          {"id":"d","type":"custom","custom":{"name":"g","input":"free"}},
          {"id":"e","name":"flat","arguments":{"k":[1]}}]},
        {"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"ok"}]},
        {"role":"tool","tool_call_id":"a","name":"f","content":"A"},
        {"role":"developer","content":"more rules"},
        {"role":"assistant","content":"","refusal":null}]}"#,
    );
    assert_eq!(imported.findings, []);
    let Transcript { head, .. } = &imported.transcript;
    assert_eq!(head.system.as_ref().unwrap().as_str(), "be\nbrief");
    let tools = head.tools.as_ref().unwrap();
    assert_eq!((&*tools[0].parameters, &*tools[1].name), (r#"{"type":"object"}"#, "flat"));
    assert_eq!(roles(&imported.transcript), ["user", "assistant", "result", "result", "system", "assistant"]);
    let messages = messages(&imported.transcript);
    let [Block::Text(_), Block::Image(inline), Block::Image(address)] = messages[0].blocks() else { panic!() };
    assert_eq!((&*inline.media_type, &*inline.data, &*address.data), ("image/jpeg", "aGk=", "https://x/y.png"));
    let mut text = String::new();
    sent_parts(messages[0], |part| {
        if let cutpoint::transcript::Part::Text(part) = part {
            text.push_str(&part);
        }
    });
    assert_eq!(text, "look", "a picture is never text");
    let [Block::Thinking { text, .. }, calls @ ..] = messages[1].blocks() else { panic!() };
    assert_eq!(text.as_str(), "hm");
    let arguments = calls.iter().map(|block| match block {
        Block::ToolCall(call) => call.arguments.as_str(),
        other => panic!("{other:?}"),
    });
    assert_eq!(arguments.collect::<Vec<_>>(), [r#"{"n": 1.50}"#, "{}", r#""{broken""#, r#""free""#, r#"{"k":[1]}"#]);
    let reply = messages[1].reply().unwrap();
    assert_eq!((&*reply.model, &*reply.provider, &reply.stop), ("m", "p", &StopReason::ToolUse));
    let Message::ToolResult(result) = messages[2] else { panic!() };
    assert_eq!((&*result.tool, result.content.plain), ("f", false));
    assert!(messages[5].blocks().is_empty());
    let ids: Vec<&str> = imported.transcript.entries.iter().map(|entry| &*entry.id).collect();
    assert_eq!(ids[..2], ["00000000", "00000001"]);
    let lines: Vec<usize> = imported.transcript.entries.iter().map(|entry| entry.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6, 7], "ordinals of the messages; the first is the system prompt");
}

#[test]
fn calls_of_the_old_kind_pair_by_name() {
    let imported = one(
        r#"[{"role":"user","content":"q"},{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"r"},{"role":"assistant","content":"a"}]"#,
    );
    assert_eq!((imported.findings.len(), orphans(&imported.transcript, History::Full)), (0, 0));
    assert_eq!(roles(&imported.transcript), ["user", "assistant", "result", "assistant"]);
}

#[test]
fn usage_follows_each_gateway() {
    let usage = |usage: &str| {
        let text = format!(
            r#"{{"messages":[{{"role":"user","content":"q"}}],"response":{{"choices":[{{"message":{{"role":"assistant","content":"a"}},"finish_reason":"stop"}}],"usage":{usage}}}}}"#
        );
        let imported = one(&text);
        let usage = usages(&imported.transcript)[0];
        (usage.input, usage.cache_read, usage.cache_write, usage.output, imported.findings.len())
    };
    // OpenAI: 1,000 include 900 cached.
    assert_eq!(
        usage(r#"{"prompt_tokens":1000,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":900}}"#),
        (100, 900, 0, 7, 0)
    );
    // LiteLLM before Anthropic: 1,000 include 600 read and 300 written; the details repeat what was read.
    assert_eq!(
        usage(
            r#"{"prompt_tokens":1000,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":600},"cache_read_input_tokens":600,"cache_creation_input_tokens":300}"#
        ),
        (100, 600, 300, 7, 0)
    );
    // DeepSeek.
    assert_eq!(
        usage(
            r#"{"prompt_tokens":1553,"completion_tokens":112,"prompt_cache_hit_tokens":320,"prompt_cache_miss_tokens":1233}"#
        ),
        (1233, 320, 0, 112, 0)
    );
    // The Responses API.
    assert_eq!(
        usage(r#"{"input_tokens":50,"output_tokens":5,"input_tokens_details":{"cached_tokens":20}}"#),
        (30, 20, 0, 5, 0)
    );
    // More cached than there is: the figure cannot include it.
    assert_eq!(usage(r#"{"prompt_tokens":10,"completion_tokens":1,"cache_read_input_tokens":90}"#), (10, 90, 0, 1, 1));
}

#[test]
fn a_simulated_user_is_another_context() {
    let all = read(
        r#"{"simulations":[{"id":"s1","task_id":"t","messages":[
        {"role":"assistant","content":"hi","usage":{"prompt_tokens":10,"completion_tokens":2},"timestamp":"2025-01-01T00:00:00"},
        {"role":"user","content":"q","usage":{"prompt_tokens":99,"completion_tokens":2}},
        {"role":"user","content":null,"tool_calls":[{"id":"u","name":"look","arguments":{},"requestor":"user"}]},
        {"role":"tool","id":"u","content":"seen","requestor":"user"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"a","name":"f","arguments":{"x":1},"requestor":"assistant"}]},
        {"role":"tool","tool_call_id":"a","content":"r","requestor":"assistant"}]},
        {"id":"s1","messages":[{"role":"user","content":"again"}]}]}"#,
    );
    assert_eq!(all.iter().map(|one| one.part.as_deref()).collect::<Vec<_>>(), [Some("s1"), Some("s1-2")]);
    let first = &all[0].transcript;
    assert_eq!(roles(first), ["assistant", "user", "assistant", "result"]);
    assert_eq!((prompts(first), all[0].findings.len()), (10, 0));
    assert_eq!(first.entries[0].timestamp.as_deref(), Some("2025-01-01T00:00:00"));
    assert_eq!(orphans(first, History::Full), 0);
}

#[test]
fn every_carrier_is_read() {
    let list = r#"[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]"#;
    let carriers = [
        list.to_owned(),
        format!(r#"{{"messages":{list}}}"#),
        format!(r#"{{"request":{{"model":"m","messages":{list}}}}}"#),
        format!(r#"{{"kwargs":{{"model":"m","messages":{list}}}}}"#),
        format!(r#"[{{"task_id":3,"traj":{list}}}]"#),
        "{\"role\":\"user\",\"content\":\"q\"}\n{\"role\":\"assistant\",\"content\":\"a\"}\n".to_owned(),
        format!("\u{FEFF}{{\r\n\"messages\":{list}}}\r\n"),
    ];
    for carrier in carriers {
        assert_eq!(roles(&one(&carrier).transcript), ["user", "assistant"], "{carrier}");
        assert_eq!(sniff(carrier.as_bytes()), Some(Format::OpenAi), "{carrier}");
    }
    let all = read(&format!("{{\"messages\":{list}}}\n\n{list}\n{{\"meta\":1}}\n"));
    assert_eq!(all.iter().map(|one| one.part.as_deref()).collect::<Vec<_>>(), [Some("1"), Some("2")]);
    // It stands behind the second session.
    assert_eq!((kinds(&all[1]), all[0].lines.left_out), (vec![(4, FindingKind::UnknownKind)], 1));
}

#[test]
fn damaged_files_give_what_they_hold() {
    let torn = one(r#"{"messages":[{"role":"user","content":"one"},{"role":"assistant","content":"two"#);
    assert_eq!(kinds(&torn), [(1, FindingKind::TruncatedLine)]);
    assert_eq!(said(messages(&torn.transcript)[0]), "one");
    let record = r#"{"messages":[{"role":"user","content":"one"}]}"#;
    let all = read(&format!("{record}\n{record}{record}\n{}\n", &record[..30]));
    assert_eq!(all.len(), 3);
    // Two records on line 2 are two sessions: the first has the finding, and what comes behind them is the last one's.
    let found: Vec<_> = all.iter().map(kinds).collect();
    assert_eq!(found, [vec![], vec![(2, FindingKind::GluedRecords)], vec![(3, FindingKind::MalformedLine)]]);
    let odd = one(
        r#"[{"role":"user","content":["s",5,{"type":"video","x":1}]},{"role":"ghost","content":"x"},7,{"role":"tool","tool_call_id":"z","content":"r"}]"#,
    );
    let found: Vec<FindingKind> = odd.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(
        found,
        [
            FindingKind::BadField,
            FindingKind::UnknownKind,
            FindingKind::UnknownKind,
            FindingKind::BadField,
            FindingKind::MissingTarget
        ]
    );
    assert_eq!((odd.transcript.entries.len(), messages(&odd.transcript)[0].blocks().len()), (4, 3));
    assert!(matches!(chat::read(b"{\"a\":1}"), Err(ImportError::NoRecord { .. })));
    assert!(matches!(chat::read(b"\n"), Err(ImportError::Empty)));
    assert!(matches!(chat::read(b"nonsense"), Err(ImportError::NoRecord { line: 1, .. })));
}

#[test]
fn every_shared_file_is_told_from_the_others() {
    let Some(shared) = common::shared() else { return };
    let ours = [
        ("codex", Format::Codex),
        ("gemini-cli", Format::Gemini),
        ("mini-swe-agent", Format::MiniSwe),
        ("swe-agent", Format::SweAgent),
        ("openai-chat", Format::OpenAi),
    ];
    let mut seen = 0;
    for folder in std::fs::read_dir(shared.join("transcripts")).unwrap().map(|folder| folder.unwrap().path()) {
        if !folder.is_dir() {
            continue;
        }
        let name = folder.file_name().unwrap().to_str().unwrap();
        for file in std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()) {
            let bytes = std::fs::read(&file).unwrap();
            let head = &bytes[..bytes.len().min(64 * 1024)];
            for (folder, format) in ours {
                let sure = format.sniff(head) == Confidence::Sure;
                // The prompts of mini-swe-agent are chat-completions lists too; its own reader is asked first.
                let also = format == Format::OpenAi && name == "mini-swe-agent";
                assert!(sure == (folder == name) || also, "{}: {} is sure: {sure}", file.display(), format.name());
            }
            seen += 1;
        }
    }
    assert!(seen >= 30, "{seen} files");
}

#[test]
fn other_formats_are_not_taken() {
    let no = [
        r#"{"model":"c","max_tokens":5,"system":"s","messages":[{"role":"user","content":"q"}]}"#,
        r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}]}"#,
        r#"{"type":"session","cwd":"/"}"#,
        r#"{"values":{"messages":[{"type":"human","content":"q"}]}}"#,
        "[1,2]",
        "",
    ];
    for text in no {
        assert_eq!(Format::OpenAi.sniff(text.as_bytes()), Confidence::No, "{text}");
    }
    let sure = r#"[{"role":"system","content":"long tex"#;
    assert_eq!(Format::OpenAi.sniff(sure.as_bytes()), Confidence::Sure, "the head may end early");
}

#[test]
fn no_cut_and_no_changed_byte_is_a_panic() {
    let file = r#"{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,x"}}]},{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"x"}],"usage":{"prompt_tokens":5}}"#;
    for at in 0..file.len() {
        let _ = chat::read(&file.as_bytes()[..at]);
        for byte in *b"\"{1" {
            let mut bytes = file.as_bytes().to_vec();
            bytes[at] = byte;
            let _ = chat::read(&bytes);
            let _ = sniff(&bytes[at..]);
        }
    }
}

/// Sequences of request bodies: a session a request, each with its own head and its time.
#[test]
fn sequences_of_requests() {
    let index: Value = serde_json::from_slice(&std::fs::read(field_cases().join("index.json")).unwrap()).unwrap();
    let cases = index["cases"].as_array().unwrap().iter().filter(|case| case["format"] == "openai-requests");
    let mut seen = 0;
    for case in cases {
        let file = case["file"].as_str().unwrap();
        let bytes = std::fs::read(field_cases().join(file)).unwrap();
        let (format, all) = read_all(&bytes).unwrap();
        assert_eq!(format, Format::OpenAi, "{file}");
        assert!(all.iter().all(|one| one.findings.is_empty()), "{file}");
        seen += 1;
        let source: Value = serde_json::from_slice(&bytes).unwrap();
        let bodies = source["requests"].as_array().unwrap();
        assert_eq!(all.len(), bodies.len(), "{file}");
        let units =
            |one: &Imported| source_messages(&one.transcript) + one.transcript.head.tools.as_ref().unwrap().len();
        if let Some(expected) = case["numbers"]["units_per_request"].as_array() {
            let expected: Vec<u64> = expected.iter().map(|units| units.as_u64().unwrap()).collect();
            assert_eq!(all.iter().map(|one| units(one) as u64).collect::<Vec<_>>(), expected, "{file}");
        }
        for (one, body) in all.iter().zip(bodies) {
            let at: jiff::Timestamp = one.transcript.meta.timestamp.as_deref().unwrap().parse().unwrap();
            assert_eq!(at.as_second(), body["at_s"].as_i64().unwrap(), "{file}");
            for (tool, source) in
                one.transcript.head.tools.as_ref().unwrap().iter().zip(body["tools"].as_array().unwrap())
            {
                let schema: Value = serde_json::from_str(&tool.parameters).unwrap();
                assert_eq!(
                    (&*tool.name, &schema),
                    (source["function"]["name"].as_str().unwrap(), &source["function"]["parameters"])
                );
            }
        }
    }
    assert_eq!(seen, 6);
}

/// A gateway's log: each request repeats what went before; another conversation stands between.
#[test]
fn requests_that_repeat_the_conversation_are_one_session() {
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
    let answered = |messages: &str, reply: &str, prompt: u64, id: u64| {
        format!(
            r#"{{"id":"r{id}","model":"m","messages":[{messages}],"response":{{"choices":[{{"message":{reply}}}],"usage":{{"prompt_tokens":{prompt},"completion_tokens":1}}}}}}"#
        )
    };
    let first = r#"{"role":"system","content":"s"},{"role":"user","content":"q"}"#;
    let second = format!(r#"{first},{call},{{"role":"tool","tool_call_id":"c","content":"out"}}"#);
    let reasoned = call.replacen('{', r#"{"reasoning_content":"hm","#, 1);
    let lines = [
        answered(first, &reasoned, 10, 1),
        answered(r#"{"role":"user","content":"title?"}"#, r#"{"role":"assistant","content":"t"}"#, 5, 2),
        answered(&second, r#"{"role":"assistant","content":"done"}"#, 20, 3),
    ];
    let all = read(&lines.join("\n"));
    assert_eq!(all.iter().map(|one| one.part.as_deref()).collect::<Vec<_>>(), [Some("r1"), Some("r2")]);
    let session = &all[0].transcript;
    assert_eq!(roles(session), ["user", "assistant", "result", "assistant"]);
    assert_eq!((prompts(session), usages(session).len()), (30, 2));
    assert!(
        matches!(messages(session)[1].blocks()[0], Block::Thinking { .. }),
        "what was recorded, not what was sent back"
    );
    assert_eq!(session.entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [1, 1, 3, 3]);
    assert!(session.entries[3].extra.as_ref().unwrap().as_str().contains(r#""id":"r3""#));
    assert!(all.iter().all(|one| one.findings.is_empty()));
    // Parents go on from the last entry that is known.
    assert_eq!(session.path().len(), 4);
}
