//! ATIF trajectories: the shared files, and every quirk of the format in a made-up one.

#![expect(clippy::unwrap_used, reason = "made by hand: what cannot be read is a failed test")]

mod common;

use common::facts::{Facts, assert_replays, facts, messages, shared_sessions, usages};
use cutpoint::import::{Confidence, FindingKind, Format, ImportError, Imported, read_all, sniff};
use cutpoint::transcript::{Block, EntryKind, Message, Transcript, joined_text};

/// Every step of a file is a message (or the system prompt, in the head), except the hand-off, which is a compaction.
/// `final_metrics` is a note.
#[test]
fn shared_files_have_the_counts_of_their_provenance() {
    let none = Facts { notes: 1, ..Facts::default() };
    let table = [
        // 100 + 120 and 50 + 30, as in its final metrics.
        (
            "openhands-hello-world.trajectory",
            Facts {
                users: 1,
                replies: 2,
                results: 1,
                others: 2,
                calls: 2,
                usages: 2,
                prompt_tokens: 220,
                output_tokens: 80,
                ..none
            },
        ),
        // 682 + 750 + 820 and 60 + 50 + 50, as in its final metrics.
        (
            "terminus2-summarization-linear.trajectory",
            Facts {
                users: 1,
                replies: 3,
                others: 3,
                compactions: 1,
                usages: 3,
                prompt_tokens: 2_252,
                output_tokens: 160,
                ..none
            },
        ),
        // 1700 + 850 * 3 and 420 + 40 + 40 + 30; its final metrics also hold the first file and the summarizers. Of five
        // replies the first is copied. The notes: it continues another, and the metrics.
        (
            "terminus2-summarization-linear.cont-1.trajectory",
            Facts {
                users: 3,
                replies: 5,
                others: 4,
                notes: 2,
                usages: 4,
                prompt_tokens: 4_250,
                output_tokens: 530,
                ..none
            },
        ),
        ("openagents-orchestrator", Facts { replies: 1, others: 7, ..none }),
    ];
    for (file, expected) in table {
        let Some((format, read)) = shared_sessions(&format!("atif/atif-{file}.json")) else { return };
        assert_eq!((format, read.len()), (Format::Atif, 1), "{file}");
        let transcript = &read[0].transcript;
        assert_eq!(facts(transcript), expected, "{file}");
        assert_eq!(read[0].findings, [], "{file}");
        assert_replays(transcript, file);
        let head = &transcript.head;
        let openhands = file.starts_with("openhands");
        assert_eq!((head.system.is_some(), head.tools.as_ref().map(Vec::len)), (openhands, openhands.then_some(6)));
    }
}

#[test]
fn the_hand_off_and_its_continuation_name_each_other() {
    let file = |name: &str| shared_sessions(&format!("atif/atif-terminus2-summarization-linear.{name}trajectory.json"));
    let (Some((_, first)), Some((_, second))) = (file(""), file("cont-1.")) else { return };
    let (first, second) = (&first[0].transcript, &second[0].transcript);
    let compaction = first.entries.iter().find_map(|entry| match &entry.kind {
        EntryKind::Compaction(compaction) => Some(compaction),
        _ => None,
    });
    let compaction = compaction.unwrap();
    assert_eq!(
        (compaction.tokens_before, compaction.first_kept.as_deref(), compaction.summary.as_str()),
        (None, None, "")
    );
    assert!(compaction.details.as_ref().unwrap().as_str().contains("summarization-1-answers"));
    let extra = |transcript: &Transcript| transcript.meta.extra.as_ref().unwrap().as_str().to_owned();
    assert_eq!(extra(first), r#"{"schema_version":"ATIF-v1.7","continued_trajectory_ref":"trajectory.cont-1.json"}"#);
    assert_eq!(extra(second), r#"{"schema_version":"ATIF-v1.7","continuation_index":1}"#);
    assert_eq!(second.meta.parent_session.as_ref(), Some(&first.meta.id));
    let replies: Vec<bool> = messages(second).filter_map(|m| Some(m.reply()?.usage.is_some())).collect();
    assert_eq!(replies, [false, true, true, true, true], "the copied reply has no usage");
}

fn one(file: &str) -> Imported {
    let (format, mut read) = read_all(file.as_bytes()).unwrap();
    assert_eq!((format, read.len()), (Format::Atif, 1));
    read.remove(0)
}

fn steps(steps: &str) -> Imported {
    one(&format!(
        r#"{{"schema_version":"ATIF-v1.6","session_id":"s","agent":{{"name":"a","model_name":"m"}},"steps":[{steps}]}}"#
    ))
}

fn texts(transcript: &Transcript) -> Vec<String> {
    let text = |message: &Message| match message {
        Message::User(content) | Message::Assistant(content, _) => joined_text(content).into_owned(),
        Message::ToolResult(result) => joined_text(&result.content).into_owned(),
        Message::Custom(custom) => joined_text(&custom.content).into_owned(),
        Message::System(system) => system.content.as_str().to_owned(),
        other => panic!("{other:?}"),
    };
    messages(transcript).map(text).collect()
}

#[test]
fn calls_and_results_of_a_step_are_taken_apart() {
    let read = steps(
        r#"{"step_id":1,"source":"user","message":[{"type":"text","text":"do"},{"type":"image","source":{"media_type":"image/png","data":"aGk="}}]},
        {"step_id":2,"timestamp":"2026-01-01T00:00:00Z","source":"agent","message":"","reasoning_content":"why","model_name":"n",
        "tool_calls":[{"tool_call_id":"a","function_name":"f","arguments":{"x":1.50}},{"tool_call_id":"b","function_name":"g","arguments":{}}],
        "observation":{"results":[{"source_call_id":"b","content":"B"},{"source_call_id":"a","content":[{"type":"text","text":"A"}]}]},
        "metrics":{"prompt_tokens":100,"completion_tokens":7,"cached_tokens":60,"cost_usd":0.25,"extra":{"cache_creation_input_tokens":30}}},
        {"step_id":3,"source":"agent","message":"","tool_calls":[{"tool_call_id":"c","function_name":"task","arguments":"{\"q\":1}"}],
        "observation":{"results":[{"subagent_trajectory_ref":[{"session_id":"sub"}]}]}}"#,
    );
    assert_eq!(
        (read.findings.len(), texts(&read.transcript)),
        (0, vec!["do".into(), String::new(), "B".into(), "A".into(), String::new(), String::new()])
    );
    let ids: Vec<(&str, usize)> = read.transcript.entries.iter().map(|entry| (&*entry.id, entry.line)).collect();
    assert_eq!(ids, [("1", 1), ("2", 2), ("2.b", 2), ("2.a", 2), ("3", 3), ("3.c", 3)]);
    let Message::Assistant(content, reply) = messages(&read.transcript).nth(1).unwrap() else { panic!() };
    assert!(matches!(&content.blocks[..], [Block::Thinking { .. }, Block::ToolCall(a), Block::ToolCall(_)]
        if a.arguments.as_str() == r#"{"x":1.50}"#));
    assert_eq!((&*reply.model, &*messages(&read.transcript).nth(4).unwrap().reply().unwrap().model), ("n", "m"));
    // 100 - 60 - 30.
    let usage = usages(&read.transcript)[0];
    assert_eq!((usage.input, usage.cache_read, usage.cache_write, usage.prompt().0), (10, 60, 30, 100));
    assert!((usage.cost.unwrap().total - 0.25).abs() < f64::EPSILON);
    let Message::ToolResult(result) = messages(&read.transcript).last().unwrap() else { panic!() };
    assert_eq!((&*result.call_id, result.details.as_ref().unwrap().as_str()), ("c", r#"[{"session_id":"sub"}]"#));
    assert_eq!(facts(&read.transcript).images, 1);
    assert_replays(&read.transcript, "parallel");
}

#[test]
fn home_made_variants_are_read() {
    let read = one(r#"{"schema_version":"1.4","session_id":"s","agent":{"name":"a"},"steps":[
        {"step_id":1,"source":"system","message":"SYS"},
        {"step_id":2,"source":"agent","message":"go","tool_calls":[{"id":"a","name":"f","arguments":{}}]},
        {"step_id":3,"source":"system","message":"","observation":{"results":[{"source_call_id":"a","content":{"ok":true}}]}},
        {"step_id":4,"source":"agent","message":"on","observation":{"output":"plain"}},
        {"step_id":5,"source":"agent","message":"and","observation":["one","two"]},
        {"step_id":6,"source":"system","message":"later"},
        {"step_id":7,"source":"oracle","message":"?"}]}"#);
    assert_eq!(read.transcript.head.system.as_ref().unwrap().as_str(), "SYS");
    let expected = ["go", r#"{"ok":true}"#, "on", "plain", "and", "one", "two", "later"];
    assert_eq!(texts(&read.transcript), expected);
    assert!(matches!(messages(&read.transcript).nth(1).unwrap(), Message::ToolResult(result) if &*result.tool == "f"));
    let kinds: Vec<_> = read.findings.iter().map(|finding| (finding.line, finding.kind)).collect();
    assert_eq!(kinds, [(8, FindingKind::UnknownKind)], "on the eighth line");
    assert_replays(&read.transcript, "variants");
}

#[test]
fn sub_agents_are_sessions_of_their_own() {
    let (_, read) = read_all(
        br#"{"schema_version":"ATIF-v1.7","session_id":"s","agent":{},"steps":[{"step_id":1,"source":"user","message":"a"}],
        "subagent_trajectories":[{"schema_version":"ATIF-v1.7","session_id":"sub","agent":{},"steps":[{"step_id":1,"source":"user","message":"b"}]}]}"#,
    )
    .unwrap();
    let parts: Vec<_> = read.iter().map(|one| (one.part.as_deref(), texts(&one.transcript).concat())).collect();
    assert_eq!(parts, [(None, "a".to_owned()), (Some("sub"), "b".to_owned())]);
}

#[test]
fn a_stream_has_a_header_and_a_step_a_line() {
    let file = concat!(
        r#"{"__header__":true,"schema_version":"ATIF-v1.4","session_id":"s","agent":{"name":"a","model_name":"m","tool_definitions":[{"function":{"name":"f"}}]}}"#,
        "\n",
        r#"{"step_id":1,"source":"user","message":"a"}"#,
        "\n\n",
        r#"{"step_id":2,"source":"agent","message":"b\udc00"}"#,
        "\n",
        r#"{"final_metrics":{"total_steps":2}}"#,
        "\n",
        r#"{"step_id":3,"sour"#,
    );
    let read = one(file);
    assert_eq!(texts(&read.transcript), ["a", "b\u{FFFD}"]);
    assert_eq!(read.transcript.entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [2, 4, 5]);
    assert_eq!(&*read.transcript.head.tools.as_ref().unwrap()[0].name, "f");
    let kinds: Vec<_> = read.findings.iter().map(|finding| (finding.line, finding.kind)).collect();
    assert_eq!(kinds, [(4, FindingKind::LoneSurrogate), (6, FindingKind::TruncatedLine)]);
    assert_eq!((read.lines.total, read.lines.blank, read.lines.left_out), (6, 1, 1));
    for end in 0..file.len() {
        let _ = Format::Atif.read(&file.as_bytes()[..end]);
        let _ = sniff(&file.as_bytes()[..end]);
    }
}

#[test]
fn damage_and_strange_versions_are_findings() {
    let read = one(
        r#"{"schema_version":"ATIF-v2.0","agent":{},"steps":[{"step_id":1,"source":"user","message":"a"},{"step_id":2,"sou"#,
    );
    let kinds: Vec<_> = read.findings.iter().map(|finding| finding.kind).collect();
    assert!(kinds.contains(&FindingKind::UnknownVersion) && kinds.contains(&FindingKind::TruncatedLine), "{kinds:?}");
    assert_eq!(texts(&read.transcript), ["a"]);
    let empty = Format::Atif.read(br#"{"schema_version":"ATIF-v1.5","steps":[]}"#).unwrap_err();
    assert!(matches!(empty, ImportError::NoRecord { .. }), "{empty}");
}

#[test]
fn a_file_is_told_by_its_version() {
    let sniffed = |head: &str| Format::Atif.sniff(head.as_bytes());
    assert_eq!(sniffed(r#"{"schema_version":"ATIF-v1.5","session_id":"x","ag"#), Confidence::Sure);
    assert_eq!(sniffed(r#"{"__header__":true,"schema_version":"ATIF-v1.4"}"#), Confidence::Sure);
    assert_eq!(sniffed(r#"{"schema_version":"1.2","agent":{},"steps":[]}"#), Confidence::Sure);
    assert_eq!(sniffed(r#"{"steps":[{"step_id":1,"source":"user","message":"a"#), Confidence::Maybe);
    for head in [r#"{"schema_version":"1.2"}"#, r#"{"steps":[1]}"#, r#"[{"step_id":1}]"#, ""] {
        assert_eq!(sniffed(head), Confidence::No, "{head}");
    }
}
