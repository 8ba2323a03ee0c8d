//! `OpenHands`: evaluation output, event streams and SDK events; the shared files, and every quirk in a made-up one.

#![expect(clippy::unwrap_used, reason = "made by hand: what cannot be read is a failed test")]

mod common;

use common::facts::{Facts, assert_replays, facts, messages, shared_sessions, usages};
use cutpoint::import::{Confidence, FindingKind, Format, ImportError, Imported, read_all, sniff};
use cutpoint::transcript::{Block, EntryKind, Message, StopReason, Transcript, joined_text};

/// Per instance; prompts and outputs are those of its `accumulated_token_usage`.
#[test]
fn the_shared_instances_have_the_counts_of_their_provenance() {
    let Some((format, read)) = shared_sessions("openhands/openhands-multiswe-output.jsonl") else { return };
    assert_eq!(format, Format::OpenHands);
    let names: Vec<_> = read.iter().map(|one| one.part.as_deref().unwrap()).collect();
    assert_eq!(names, ["ponylang__ponyc-4595", "ponylang__ponyc-4593", "ponylang__ponyc-4588"]);
    let instance = |replies, results, notes, prompt_tokens, output_tokens| Facts {
        users: 1,
        replies,
        results,
        // Recalled knowledge in the first; in the others an error that belongs to no call.
        others: 1,
        calls: replies,
        notes,
        usages: replies,
        prompt_tokens,
        output_tokens,
        ..Facts::default()
    };
    let expected =
        [instance(23, 22, 1, 565_158, 2_558), instance(33, 32, 2, 410_169, 5_156), instance(49, 49, 3, 938_015, 5_627)];
    // The system action of each is in the head; the last instance has its error besides the events.
    let events = [49, 70, 103];
    for (at, one) in read.iter().enumerate() {
        assert_eq!(facts(&one.transcript), expected[at], "{at}");
        assert_eq!(one.transcript.entries.len() + 1 - usize::from(at == 2), events[at]);
        assert_eq!(one.findings, [], "{at}");
        let head = &one.transcript.head;
        assert!(head.system.as_ref().is_some_and(|system| system.as_str().starts_with("You are OpenHands")));
        assert!(head.tools.as_ref().is_some_and(|tools| tools.iter().any(|tool| &*tool.name == "execute_bash")));
        assert_replays(&one.transcript, names[at]);
    }
    assert_eq!(read[0].lines.total, 3);
}

#[test]
fn the_shared_sdk_events_are_ten_entries() {
    let Some((format, read)) = shared_sessions("openhands/openhands-v1-goal-events.jsonl") else { return };
    assert_eq!((format, read.len()), (Format::OpenHands, 1));
    // Running sums 596, 35895, 71474, 107458: the replies in the file are those of the second and the fourth call,
    // 35895 - 596 and 107458 - 71474.
    let expected = Facts {
        replies: 2,
        results: 3,
        calls: 2,
        notes: 5,
        usages: 2,
        prompt_tokens: 35_299 + 35_984,
        output_tokens: (960 - 775) + (1_347 - 1_155),
        ..Facts::default()
    };
    let transcript = &read[0].transcript;
    assert_eq!(facts(transcript), expected);
    // 1115 of 35299 and 68193 - 34536 = 33657 of 35984 came from the cache.
    let split: Vec<_> = usages(transcript).iter().map(|usage| (usage.input, usage.cache_read)).collect();
    assert_eq!(split, [(34_184, 1_115), (2_327, 33_657)]);
    // Two replies are missing: the first, and that of the second call of a tool.
    let kinds: Vec<_> = read[0].findings.iter().map(|finding| (finding.line, finding.kind)).collect();
    assert_eq!(
        kinds,
        [(2, FindingKind::MissingTarget), (6, FindingKind::MissingTarget), (7, FindingKind::MissingTarget)]
    );
    assert_replays(transcript, "sdk");
}

fn one(file: &str) -> Imported {
    let (format, mut read) = read_all(file.as_bytes()).unwrap();
    assert_eq!((format, read.len()), (Format::OpenHands, 1));
    read.remove(0)
}

fn instance(history: &str, rest: &str) -> Imported {
    one(&format!(r#"{{"instance_id":"i","history":[{history}]{rest}}}"#).replace('\n', " "))
}

fn text(message: &Message) -> String {
    match message {
        Message::User(content) | Message::Assistant(content, _) => joined_text(content).into_owned(),
        Message::ToolResult(result) => joined_text(&result.content).into_owned(),
        Message::Custom(custom) => joined_text(&custom.content).into_owned(),
        other => panic!("{other:?}"),
    }
}

fn texts(transcript: &Transcript) -> Vec<String> {
    messages(transcript).map(text).collect()
}

/// The metadata of the call `id` in the response `r`, which made the calls `a` and `b`.
fn metadata(id: &str) -> String {
    let call = |id: &str| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"run","arguments":"{{\"n\": 1}}"}}}}"#)
    };
    format!(
        r#""tool_call_metadata":{{"function_name":"run","tool_call_id":"{id}","total_calls_in_response":2,
        "model_response":{{"id":"r","model":"m","choices":[{{"finish_reason":"tool_calls","message":{{"content":"both",
        "reasoning_content":"why","tool_calls":[{},{}]}}}}],
        "usage":{{"prompt_tokens":100,"completion_tokens":5,"prompt_tokens_details":{{"cached_tokens":60}}}}}}}}"#,
        call("a"),
        call("b")
    )
}

#[test]
fn calls_of_one_response_are_one_reply_and_its_usage_counts_once() {
    let event =
        |id: u32, rest: &str, call: &str| format!(r#"{{"id":{id},"source":"agent",{rest},{}}}"#, metadata(call));
    let history = [
        event(1, r#""action":"run","args":{"command":"x","thought":"both"}"#, "a"),
        event(
            2,
            r#""observation":"run","content":"A","cause":1,"extras":{"metadata":{"exit_code":0,"working_dir":"/w",
            "py_interpreter_path":"","prefix":"[before]","suffix":"[after]"}}"#,
            "a",
        ),
        event(3, r#""action":"run","args":{"command":"y","thought":""}"#, "b"),
        event(4, r#""observation":"error","content":"B","cause":3,"extras":{}"#, "b"),
    ];
    let read = instance(
        &history.join(","),
        r#","metrics":{"token_usages":[{"response_id":"r","prompt_tokens":100,
        "completion_tokens":5,"cache_read_tokens":60,"cache_write_tokens":10}]}"#,
    );
    assert_eq!(read.findings, []);
    let transcript = &read.transcript;
    assert_eq!(
        texts(transcript),
        ["both", "[before]A[after]\n[Current working directory: /w]\n[Command finished with exit code 0]", "B"]
    );
    let Message::Assistant(content, reply) = messages(transcript).next().unwrap() else { panic!() };
    assert!(
        matches!(&content.blocks[..], [Block::Thinking { .. }, Block::Text(_), Block::ToolCall(a), Block::ToolCall(b)]
        if &*a.id == "a" && &*b.id == "b" && a.arguments.as_str() == "{\"n\": 1}")
    );
    // 100 - 60 - 10: the metrics know the writes, the response does not.
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.cache_write, usage.prompt().0), (30, 60, 10, 100));
    assert_eq!((&*reply.model, &reply.stop), ("m", &StopReason::ToolUse));
    let results: Vec<_> = messages(transcript)
        .filter_map(|message| match message {
            Message::ToolResult(result) => Some((&*result.call_id, &*result.tool, result.is_error)),
            _ => None,
        })
        .collect();
    assert_eq!(results, [("a", "run", false), ("b", "run", true)]);
    assert_replays(transcript, "parallel");
}

#[test]
fn usage_without_its_reply_is_reported() {
    let read = instance(
        r#"{"id":1,"source":"user","action":"message","args":{"content":"hi","image_urls":["data:image/png;base64,aGk="]}}"#,
        r#","metrics":{"token_usages":[{"response_id":"gone","prompt_tokens":9,"completion_tokens":1}]},"error":"stopped""#,
    );
    assert_eq!(read.findings[0].kind, FindingKind::MissingTarget);
    assert!(read.findings[0].message.contains("`gone` (9 prompt tokens)"), "{}", read.findings[0].message);
    let facts = facts(&read.transcript);
    assert_eq!((facts.images, facts.notes, facts.users), (1, 1, 1));
}

#[test]
fn a_condensation_keeps_what_follows_the_forgotten() {
    let say = |id: u32, source: &str| {
        format!(r#"{{"id":{id},"source":"{source}","action":"message","args":{{"content":"m{id}"}}}}"#)
    };
    let condense = |args: &str| format!(r#"{{"id":4,"source":"agent","action":"condensation","args":{{{args}}}}}"#);
    for args in [
        r#""forgotten_event_ids":[1,2],"summary":"SUM","summary_offset":1"#,
        r#""forgotten_events_start_id":1,"forgotten_events_end_id":2,"summary":"SUM""#,
    ] {
        let history =
            [say(0, "user"), say(1, "agent"), say(2, "user"), say(3, "agent"), condense(args), say(5, "user")];
        let read = instance(&history.join(","), "");
        let EntryKind::Compaction(compaction) = &read.transcript.entries[4].kind else { panic!() };
        assert_eq!((compaction.summary.as_str(), compaction.first_kept.as_deref()), ("SUM", Some("3")), "{args}");
        assert_eq!((compaction.tokens_before, read.findings.len()), (None, 0));
        assert_eq!(compaction.replacement.iter().map(text).collect::<Vec<_>>(), ["m0"], "the first was kept");
        assert_replays(&read.transcript, args);
    }
}

#[test]
fn old_histories_get_calls_made_from_their_actions() {
    let pairs = r#"[{"action":"message","args":{"content":"fix"},"source":"user"},{"observation":"null","content":"","extras":{}}],
        [{"action":"run","args":{"command":"ls","thought":"look"}},{"observation":"run","content":"files","extras":{}}]"#;
    let read = instance(pairs, "");
    assert_eq!((texts(&read.transcript), read.findings.len()), (vec!["fix".into(), "look".into(), "files".into()], 0));
    let Block::ToolCall(call) = &messages(&read.transcript).nth(1).unwrap().blocks()[1] else { panic!() };
    assert_eq!((call.name.as_str(), call.arguments.as_str()), ("run", r#"{"command":"ls"}"#));
    assert_replays(&read.transcript, "pairs");
    let numbered = r#"{"id":7,"source":"agent","action":"read","args":{"path":"p","thought":""}},
        {"id":8,"source":"agent","action":"edit","args":{"path":"q"}},
        {"id":9,"source":"agent","observation":"edit","content":"E","cause":8,"extras":{}},
        {"id":10,"source":"agent","observation":"read","content":"R","cause":7,"extras":{}},
        {"id":11,"source":"environment","observation":"agent_state_changed","content":"","extras":{}},
        {"id":12,"source":"environment","observation":"recall","content":"Added","extras":{"repo_instructions":"use tabs","microagent_knowledge":[{"content":"git"}]}}"#;
    let read = instance(numbered, "");
    assert_eq!(texts(&read.transcript)[2..], ["E", "R", "use tabsgit"]);
    let id = |at| match messages(&read.transcript).nth(at).unwrap() {
        Message::ToolResult(result) => result.call_id.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!((id(2), id(3)), ("event 8".into(), "event 7".into()));
}

#[test]
fn sdk_events_become_messages() {
    let events = [
        r#"{"id":"1","kind":"SystemPromptEvent","source":"agent","system_prompt":{"type":"text","text":"SYS"},"tools":[{"type":"function","function":{"name":"terminal","description":"d","parameters":{"type":"object"}}}]}"#,
        r#"{"id":"2","kind":"MessageEvent","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"do"},{"type":"image","image_urls":["data:image/png;base64,aGk="]}]},"extended_content":[{"type":"text","text":" it"}]}"#,
        r#"{"id":"3","kind":"ActionEvent","source":"agent","thought":[{"type":"text","text":"T"}],"thinking_blocks":[{"type":"thinking","thinking":"R","signature":"s"}],"tool_name":"terminal","tool_call_id":"a","tool_call":{"id":"a","name":"terminal","arguments":"{\"command\":\"ls\"}"},"llm_response_id":"r"}"#,
        r#"{"id":"4","kind":"ActionEvent","source":"agent","thought":[],"tool_name":"terminal","tool_call_id":"b","action":{"command":"pwd"},"llm_response_id":"r"}"#,
        r#"{"id":"5","kind":"ConversationStateUpdateEvent","source":"environment","key":"stats","value":{"usage_to_metrics":{"agent":{"model_name":"m","accumulated_token_usage":{"prompt_tokens":50,"completion_tokens":4,"cache_read_tokens":10,"cache_write_tokens":5}},"condenser":{"accumulated_token_usage":{"prompt_tokens":999}}}}}"#,
        r#"{"id":"6","kind":"ObservationEvent","source":"environment","observation":{"content":[{"type":"text","text":"out"}],"is_error":false,"metadata":{"exit_code":-1,"prefix":"","suffix":"\n[running]"}},"tool_name":"terminal","tool_call_id":"a"}"#,
        r#"{"id":"7","kind":"AgentErrorEvent","source":"agent","error":"no such tool","tool_name":"terminal","tool_call_id":"b"}"#,
        r#"{"id":"8","kind":"Condensation","source":"environment","forgotten_event_ids":["2","3","4","6","7"],"summary":"SUM"}"#,
        r#"{"id":"9","kind":"MessageEvent","source":"agent","llm_message":{"role":"assistant","content":[{"type":"text","text":"done"}]},"llm_response_id":"s"}"#,
        r#"{"id":"10","kind":"OracleEvent","source":"environment"}"#,
    ];
    let read = one(&events.join("\n"));
    let transcript = &read.transcript;
    assert_eq!(transcript.head.system.as_ref().unwrap().as_str(), "SYS");
    assert_eq!(transcript.head.tools.as_ref().unwrap()[0].parameters.as_ref(), r#"{"type":"object"}"#);
    assert_eq!(texts(transcript), ["do it", "T", "out\n[running]", "no such tool", "done"]);
    let blocks = messages(transcript).nth(1).unwrap().blocks();
    assert!(matches!(blocks, [Block::Thinking { .. }, Block::Text(_), Block::ToolCall(a), Block::ToolCall(b)]
        if &*a.id == "a" && &*b.id == "b" && b.arguments.as_str() == r#"{"command":"pwd"}"#));
    // The sum came after its reply, and leaves out the condenser: 50 - 10 - 5.
    let [usage] = usages(transcript)[..] else { panic!() };
    assert_eq!((usage.input, usage.cache_read, usage.cache_write, usage.output), (35, 10, 5, 4));
    let compaction = transcript.entries.iter().find_map(|entry| match &entry.kind {
        EntryKind::Compaction(compaction) => Some(compaction),
        _ => None,
    });
    assert_eq!(compaction.unwrap().first_kept, None, "everything before it was forgotten");
    assert_eq!(facts(transcript).images, 1);
    let kinds: Vec<_> = read.findings.iter().map(|finding| (finding.line, finding.kind)).collect();
    assert_eq!(kinds, [(10, FindingKind::UnknownKind)]);
    assert_replays(transcript, "sdk");
    // The same as one document.
    let listed = one(&format!("[{}]", events.join(",")));
    assert_eq!(facts(&listed.transcript), facts(transcript));
}

#[test]
fn several_instances_and_damage() {
    let line = |id: &str| {
        format!(
            r#"{{"instance_id":"{id}","history":[{{"id":0,"source":"user","action":"message","args":{{"content":"{id}"}}}}]}}"#
        )
    };
    let file = format!("\u{FEFF}{}{}\r\n\0\0\n{}\n{}", line("a"), line("b"), line("c"), &line("d")[..40]);
    let (_, read) = read_all(file.as_bytes()).unwrap();
    let names: Vec<_> = read.iter().map(|one| one.part.as_deref()).collect();
    assert_eq!(names, [Some("a"), Some("b"), Some("c")]);
    // Each with the session of its line, or of the line before.
    let kinds: Vec<_> = read.iter().flat_map(|one| &one.findings).map(|finding| (finding.line, finding.kind)).collect();
    let expected = [(1, FindingKind::GluedRecords), (2, FindingKind::NulPadding), (4, FindingKind::TruncatedLine)];
    assert_eq!(kinds, expected);
    assert!(read.iter().all(|one| one.findings.len() == 1));
    assert_eq!((read[0].lines.total, read[0].lines.left_out), (4, 2));
    for end in (0..file.len()).filter(|&end| file.is_char_boundary(end)) {
        let _ = Format::OpenHands.read(&file.as_bytes()[..end]);
        let _ = sniff(&file.as_bytes()[..end]);
    }
    let empty = Format::OpenHands.read(br#"{"instance_id":"a","history":[]}"#).unwrap_err();
    assert!(matches!(empty, ImportError::NoRecord { .. }), "{empty}");
}

#[test]
fn a_file_is_told_by_its_instances_or_events() {
    let sure = [
        r#"{"instance_id":"x","instruction":"long","metadata":{"agent_class":"CodeActAgent","llm_config":{"model"#,
        r#"{"issue":{"number":3},"history":["#,
        r#"{"id":"1","timestamp":"t","source":"environment","key":"k","value":"v","kind":"ConversationStateUpdateEvent"}"#,
        r#"[{"id":0,"source":"agent","action":"system","args":{"content":"#,
    ];
    for head in sure {
        assert_eq!(Format::OpenHands.sniff(head.as_bytes()), Confidence::Sure, "{head}");
    }
    for head in [r#"{"trajectory":[],"history":[{"role":"user"}],"info":{}}"#, r#"{"type":"user","sessionId":"s"}"#, ""]
    {
        assert_eq!(Format::OpenHands.sniff(head.as_bytes()), Confidence::No, "{head}");
    }
}
