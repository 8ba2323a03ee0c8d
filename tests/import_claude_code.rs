//! Claude Code sessions: the recorded ones by their counts, and every quirk on a small made-up file.

#![expect(clippy::unwrap_used, reason = "what cannot be read is a failed test")]

mod common;
#[path = "common/replayed.rs"]
mod replayed;

use std::path::Path;

use cutpoint::import::{Confidence, FindingKind, Format, ImportError, Imported, claude_code, read_all, sniff};
use cutpoint::replay::History;
use cutpoint::transcript::{Block, EntryKind, JsonText, Message, Reply, StopReason, Transcript, Usage};

/// What a file holds, counted by hand from its lines.
struct Expected {
    file: &'static str,
    /// Lines of type `user` or `assistant`: the messages of the table of origins.
    messages: usize,
    /// Transcripts: the main one and the sub-agents.
    parts: usize,
    /// Of all transcripts: replies (equal message ids are one), results, and what else the user side says.
    replies: usize,
    results: usize,
    said: usize,
    /// The prompt tokens of all replies of the first transcript, and the largest output of each, summed.
    prompt: u64,
    output: u64,
    /// `preTokens` of each compaction.
    compactions: &'static [u64],
    images: usize,
}

const FILES: &[Expected] = &[
    Expected {
        file: "cc-entire-2compactions-b.jsonl",
        messages: 771,
        parts: 1,
        replies: 220,
        results: 224,
        said: 17, // 19 less two summaries
        prompt: 23_326_960,
        output: 19_874,
        compactions: &[155_301, 155_539],
        images: 0,
    },
    Expected {
        file: "cc-ohmyposh-images.jsonl",
        messages: 658,
        parts: 1,
        replies: 211,
        results: 198,
        said: 30,
        prompt: 46_728_371,
        output: 173_383,
        compactions: &[],
        images: 7,
    },
    Expected {
        file: "cc-cipherbox-images-1compaction.jsonl",
        messages: 283,
        parts: 1,
        replies: 82,
        results: 88,
        said: 21, // 22 less the summary
        prompt: 8_104_373,
        output: 10_034,
        compactions: &[132_627],
        images: 9,
    },
    Expected {
        file: "cc-viewer-inline-sidechains.jsonl",
        messages: 437,
        parts: 6,
        replies: 170,
        results: 167,
        said: 8,
        prompt: 168_358,
        output: 2_636,
        compactions: &[],
        images: 0,
    },
    Expected {
        file: "cc-viewer-japanese.jsonl",
        messages: 53,
        parts: 3,
        replies: 20,
        results: 21,
        said: 4,
        prompt: 216_399,
        output: 2_003,
        compactions: &[],
        images: 0,
    },
    Expected {
        file: "cc-openagents-subagent-a1df203.jsonl",
        messages: 12,
        parts: 1,
        replies: 4,
        results: 3,
        said: 1,
        prompt: 77_978,
        output: 224,
        compactions: &[],
        images: 0,
    },
    Expected {
        file: "cc-streamjson-openagents-opus.jsonl",
        messages: 10,
        parts: 1,
        replies: 3,
        results: 2,
        said: 1,
        prompt: 70_684,
        output: 13_943,
        compactions: &[],
        images: 0,
    },
];

fn messages(transcript: &Transcript) -> impl Iterator<Item = &Message> {
    transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message(message) => Some(message),
        _ => None,
    })
}

fn replies(transcript: &Transcript) -> impl Iterator<Item = &Reply> {
    messages(transcript).filter_map(Message::reply)
}

fn usages(transcript: &Transcript) -> Vec<Usage> {
    replies(transcript).filter_map(|reply| reply.usage).collect()
}

/// Lines that were merged into entries: the first and those below `lines`.
fn lines_of(transcript: &Transcript) -> usize {
    let mut lines = std::collections::BTreeSet::new();
    let mut merged = 0;
    for entry in &transcript.entries {
        let speaks = match &entry.kind {
            EntryKind::Message(Message::Custom(custom)) => &*custom.kind == "meta",
            EntryKind::Message(_) => true,
            EntryKind::Compaction(_) => false,
            _ => continue,
        };
        if speaks {
            lines.insert(entry.line);
        }
        let extra = entry.extra.as_ref().map_or("", |extra| extra.as_str());
        merged += (1..1_000).take_while(|nth| extra.contains(&format!("\"lines.{nth}\":{{\"uuid\""))).count();
    }
    lines.len() + merged
}

#[test]
fn recorded_sessions_have_the_counts_of_their_rows() {
    let Some(shared) = common::shared() else { return };
    for expected in FILES {
        let name = expected.file;
        let bytes = std::fs::read(shared.join("transcripts/claude-code").join(name)).unwrap();
        let (format, all) = read_all(&bytes).unwrap();
        assert_eq!((format, all.len()), (Format::ClaudeCode, expected.parts), "{name}");
        assert_eq!(all[0].findings, [], "{name}");
        assert_eq!((all[0].lines.left_out, all[0].lines.blank), (0, 0), "{name}");
        let transcripts: Vec<&Transcript> = all.iter().map(|imported| &imported.transcript).collect();
        assert_eq!(transcripts.iter().map(|t| lines_of(t)).sum::<usize>(), expected.messages, "{name}: messages");
        let count = |wanted: fn(&Message) -> bool| {
            transcripts.iter().flat_map(|t| messages(t)).filter(|message| wanted(message)).count()
        };
        assert_eq!(count(|message| message.reply().is_some()), expected.replies, "{name}: replies");
        assert_eq!(count(|message| matches!(message, Message::ToolResult(_))), expected.results, "{name}: results");
        let said = count(|message| match message {
            Message::User(_) => true,
            Message::Custom(custom) => &*custom.kind == "meta",
            _ => false,
        });
        assert_eq!(said, expected.said, "{name}: user side");
        let blocks = transcripts.iter().flat_map(|t| messages(t)).flat_map(Message::blocks);
        assert_eq!(blocks.filter(|block| matches!(block, Block::Image(_))).count(), expected.images, "{name}: images");
        let usages = usages(transcripts[0]);
        assert_eq!(usages.iter().map(|usage| usage.prompt().0).sum::<u64>(), expected.prompt, "{name}: prompt");
        assert_eq!(usages.iter().map(|usage| usage.output).sum::<u64>(), expected.output, "{name}: output");
        assert_eq!(compactions(transcripts[0], name), expected.compactions, "{name}: compactions");
        for transcript in transcripts {
            let on_path = transcript.path().len();
            assert_eq!(on_path, transcript.entries.len(), "{name}: there are no branches");
            let replies = replies(transcript).count();
            assert_eq!(replayed::requests(name, transcript), replies, "{name}: requests");
        }
    }
}

fn compactions(transcript: &Transcript, name: &str) -> Vec<u64> {
    let compactions = transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Compaction(compaction) => {
            let begins = "This session is being continued";
            assert!(compaction.summary.as_str().starts_with(begins) && compaction.first_kept.is_none(), "{name}");
            compaction.tokens_before
        }
        _ => None,
    });
    compactions.collect()
}

#[test]
fn sub_agents_are_sessions_of_their_own() {
    let Some(shared) = common::shared() else { return };
    let read = |name: &str| {
        claude_code::read(&std::fs::read(shared.join("transcripts/claude-code").join(name)).unwrap()).unwrap()
    };
    let all = read("cc-viewer-inline-sidechains.jsonl");
    let parts: Vec<Option<&str>> = all.iter().map(|imported| imported.part.as_deref()).collect();
    let named = ["sidechain-1", "sidechain-2", "sidechain-3", "sidechain-4", "sidechain-5"].map(Some);
    assert_eq!(parts[0], None);
    assert_eq!(parts[1..], named);
    let prompt: u64 = all[1..].iter().flat_map(|one| usages(&one.transcript)).map(|usage| usage.prompt().0).sum();
    assert_eq!(prompt, 3_618_290);
    let parent = all[1].transcript.meta.parent_session.as_deref();
    assert_eq!(parent, Some("fe5e1c67-53e7-4862-81ae-d0e013e3270b"));

    let [agent] = read("cc-openagents-subagent-a1df203.jsonl").try_into().unwrap();
    let meta = &agent.transcript.meta;
    assert_eq!((&*meta.id, agent.part.as_deref()), ("a1df203", None));
    assert_eq!(meta.parent_session.as_deref(), Some("90b4f0e9-c3f6-4599-aed9-f6cf43ecc756"));
}

#[test]
fn attachments_that_reach_the_model_are_text_of_an_extension() {
    let Some(shared) = common::shared() else { return };
    let bytes = std::fs::read(shared.join("transcripts/claude-code/cc-ohmyposh-images.jsonl")).unwrap();
    let [imported] = claude_code::read(&bytes).unwrap().try_into().unwrap();
    let mut kinds = std::collections::BTreeMap::new();
    for message in messages(&imported.transcript) {
        if let Message::Custom(custom) = message {
            let Some(Block::Text(text)) = custom.content.blocks.first() else { panic!("{custom:?}") };
            let (count, chars) = kinds.entry(&*custom.kind).or_insert((0, 0));
            *count += 1;
            *chars += text.char_len();
        }
    }
    let notes = |word: &str| {
        let is = |kind: &EntryKind| matches!(kind, EntryKind::Note { kind, .. } if &**kind == word);
        imported.transcript.entries.iter().filter(|entry| is(&entry.kind)).count()
    };
    // 25,247 and 872 characters of skills; one of the two hooks that succeeded said nothing.
    assert_eq!(kinds["skill_listing"], (2, 26_119));
    assert_eq!(kinds["hook_success"].0, 1);
    assert_eq!(
        (kinds["hook_additional_context"].0, kinds["nested_memory"].0, kinds["edited_text_file"].0),
        (28, 5, 10)
    );
    assert_eq!((kinds["deferred_tools_delta"].0, kinds["agent_listing_delta"].0, kinds["meta"].0), (1, 1, 2));
    // Empty reminders (26), permissions (2), the message for the person and the silent hook.
    assert_eq!((notes("attachment"), notes("system.stop_hook_summary"), notes("custom-title")), (30, 23, 17));
}

const SESSION: &str = "00000000-0000-4000-8000-0000000000c1";

/// A record; `rest` is what follows the links.
fn record(kind: &str, uuid: &str, parent: Option<&str>, rest: &str) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
    format!(
        r#"{{"parentUuid":{parent},"type":"{kind}","uuid":"{uuid}","sessionId":"{SESSION}","cwd":"/p","version":"2.1.0","timestamp":"t-{uuid}",{rest}}}"#
    )
}

fn user(uuid: &str, parent: Option<&str>, text: &str) -> String {
    record("user", uuid, parent, &format!(r#""message":{{"role":"user","content":"{text}"}}"#))
}

fn result(uuid: &str, parent: &str, call: &str) -> String {
    let content = format!(r#"[{{"type":"tool_result","tool_use_id":"{call}","content":"of {call}"}}]"#);
    record("user", uuid, Some(parent), &format!(r#""message":{{"role":"user","content":{content}}}"#))
}

/// A line of a reply with one block.
fn line(uuid: &str, parent: &str, message: &str, block: &str, output: u64) -> String {
    record(
        "assistant",
        uuid,
        Some(parent),
        &format!(
            r#""message":{{"id":"{message}","type":"message","role":"assistant","model":"m","content":[{block}],"stop_reason":null,"usage":{{"input_tokens":5,"cache_creation_input_tokens":100,"cache_read_input_tokens":20,"output_tokens":{output}}}}}"#
        ),
    )
}

fn says(uuid: &str, parent: &str, message: &str, text: &str) -> String {
    line(uuid, parent, message, &format!(r#"{{"type":"text","text":"{text}"}}"#), 10)
}

fn calls(uuid: &str, parent: &str, message: &str, call: &str) -> String {
    line(uuid, parent, message, &format!(r#"{{"type":"tool_use","id":"{call}","name":"Read","input":{{"p":1}}}}"#), 10)
}

fn read(lines: &[String]) -> Vec<Imported> {
    claude_code::read(lines.join("\n").as_bytes()).unwrap()
}

fn only(lines: &[String]) -> Imported {
    let [imported] = read(lines).try_into().unwrap();
    imported
}

fn path_ids(transcript: &Transcript) -> Vec<&str> {
    transcript.path().into_iter().map(|at| &*transcript.entry(at).id).collect()
}

fn faults(imported: &Imported) -> Vec<(usize, usize, FindingKind)> {
    imported.findings.iter().map(|finding| (finding.line, finding.last_line, finding.kind)).collect()
}

#[test]
fn lines_of_one_reply_are_one_entry() {
    let imported = only(&[
        user("u1", None, "go"),
        line("a1", "u1", "msg", r#"{"type":"thinking","thinking":"hm","signature":"sig"}"#, 1),
        line("a2", "a1", "msg", r#"{"type":"redacted_thinking","data":"xyz"}"#, 3),
        line("a3", "a2", "msg", r#"{"type":"text","text":"yes"}"#, 2),
    ]);
    assert_eq!((path_ids(&imported.transcript), imported.findings.len()), (vec!["u1", "a1"], 0));
    let EntryKind::Message(Message::Assistant(content, reply)) = &imported.transcript.entries[1].kind else { panic!() };
    let [
        Block::Thinking { text, signature, .. },
        Block::Thinking { redacted: true, signature: data, .. },
        Block::Text(_),
    ] = content.blocks.as_slice()
    else {
        panic!("{content:?}")
    };
    assert_eq!((text.as_str(), signature.as_deref(), data.as_deref()), ("hm", Some("sig"), Some("xyz")));
    let usage = reply.usage.unwrap();
    // The largest output; 5 + 20 + 100 of prompt.
    assert_eq!((usage.output, usage.prompt().0, usage.input), (3, 125, 5));
    assert_eq!((&reply.stop, &*reply.model, &*reply.provider), (&StopReason::Stop, "m", "anthropic"));
    let extra = imported.transcript.entries[1].extra.as_ref().unwrap().as_str();
    let expected = r#"{"lines.1":{"uuid":"a2","timestamp":"t-a2"},"lines.2":{"uuid":"a3","timestamp":"t-a3"},"message":{"id":"msg"}}"#;
    assert_eq!(extra, expected);
}

#[test]
fn results_stand_behind_their_calls() {
    // Two parallel calls, each the parent of its own result; a hook writes between; text of the person comes with a result.
    let hook = r#""attachment":{"type":"hook_additional_context","content":["mind","the gap"],"hookName":"h"}"#;
    let mixed = r#""message":{"role":"user","content":[{"type":"text","text":"and stop"},{"type":"tool_result","tool_use_id":"c2","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}],"is_error":true}]},"toolUseResult":{"x":1}"#;
    let imported = only(&[
        user("u1", None, "go"),
        calls("a1", "u1", "msg", "c1"),
        record("attachment", "h1", Some("a1"), hook),
        record("progress", "p1", Some("h1"), r#""data":{"type":"hook_progress"}"#),
        result("r1", "a1", "c1"),
        calls("a2", "p1", "msg", "c2"),
        record("user", "r2", Some("a2"), mixed),
        says("a3", "r2", "next", "done"),
    ]);
    assert_eq!(imported.findings, []);
    assert_eq!(path_ids(&imported.transcript), ["u1", "a1", "r1", "r2", "h1", "p1", "r2.1", "a3"]);
    let EntryKind::Message(Message::ToolResult(second)) = &imported.transcript.entries[3].kind else { panic!() };
    assert_eq!(
        (&*second.tool, second.is_error, second.details.as_ref().unwrap().as_str()),
        ("Read", true, r#"{"x":1}"#)
    );
    assert!(matches!(&second.content.blocks[..], [Block::Image(image)] if &*image.media_type == "image/png"));
    let EntryKind::Message(Message::Custom(custom)) = &imported.transcript.entries[4].kind else { panic!() };
    assert!(matches!(&custom.content.blocks[..], [Block::Text(text)] if text.as_str() == "mind\nthe gap"));
    let reply = replies(&imported.transcript).next().unwrap();
    assert_eq!(reply.stop, StopReason::ToolUse, "not recorded, but it calls");
    assert_eq!(replayed::requests("parallel", &imported.transcript), 2);
}

#[test]
fn only_a_second_message_on_an_answered_record_is_a_branch() {
    let file = [
        user("u1", None, "one"),
        says("a1", "u1", "m1", "first"),
        user("u2", Some("a1"), "two"),
        says("a2", "u2", "m2", "second"),
        user("u3", Some("a1"), "two, otherwise"),
        says("a3", "u3", "m3", "third"),
    ];
    let imported = only(&file);
    assert_eq!((path_ids(&imported.transcript), imported.findings.len()), (vec!["u1", "a1", "u3", "a3"], 0));
    assert_eq!(imported.transcript.entries.len(), 6, "the abandoned branch is kept");
    // Back to the old branch.
    let mut back = file.to_vec();
    back.push(user("u4", Some("a2"), "three"));
    assert_eq!(path_ids(&only(&back).transcript), ["u1", "a1", "u2", "a2", "u4"]);
    // A new root is a new context.
    back.push(user("u5", None, "afresh"));
    assert_eq!(path_ids(&only(&back).transcript), ["u5"]);
    // Text on a call that only has its result: the person interrupted.
    let interrupted = only(&[
        user("u1", None, "go"),
        calls("a1", "u1", "m1", "c1"),
        result("r1", "a1", "c1"),
        user("u2", Some("a1"), "stop"),
    ]);
    assert_eq!(path_ids(&interrupted.transcript), ["u1", "a1", "r1", "u2"]);
}

#[test]
fn a_boundary_and_its_summary_are_one_compaction() {
    let boundary = |metadata: &str| {
        record(
            "system",
            "b1",
            None,
            &format!(r#""subtype":"compact_boundary","logicalParentUuid":"a1","compactMetadata":{metadata}"#),
        )
    };
    let summary =
        record("user", "c1", Some("b1"), r#""isCompactSummary":true,"message":{"role":"user","content":"S"}"#);
    let file = |metadata: &str| {
        only(&[
            user("u1", None, "one"),
            says("a1", "u1", "m1", "first"),
            boundary(metadata),
            summary.clone(),
            user("u2", Some("c1"), "two"),
        ])
    };
    let compaction = |imported: &Imported| match &imported.transcript.entries[2].kind {
        EntryKind::Compaction(compaction) => (**compaction).clone(),
        other => panic!("{other:?}"),
    };
    let known = file(r#"{"trigger":"auto","preTokens":995}"#);
    let first = compaction(&known);
    assert_eq!((first.summary.as_str(), first.tokens_before, first.first_kept), ("S", Some(995), None));
    assert_eq!((path_ids(&known.transcript), known.findings.len()), (vec!["u1", "a1", "b1", "u2"], 0));
    let unknown = compaction(&file(r#"{"trigger":"auto"}"#));
    assert_eq!(unknown.tokens_before, None);
    let kept = file(r#"{"preTokens":9,"preservedSegment":{"headUuid":"a1","anchorUuid":"c1","tailUuid":"a1"}}"#);
    assert_eq!(compaction(&kept).first_kept.as_deref(), Some("a1"));
    let lost = file(r#"{"preTokens":9,"preservedSegment":{"headUuid":"zz"}}"#);
    assert_eq!((compaction(&lost).first_kept, faults(&lost)), (None, vec![(3, 3, FindingKind::MissingTarget)]));
    // Without a summary, and a summary without a boundary.
    let cut = only(&[user("u1", None, "one"), says("a1", "u1", "m1", "first"), boundary(r#"{"preTokens":1}"#)]);
    assert_eq!(faults(&cut), [(3, 3, FindingKind::MissingTarget)]);
    let old = only(&[user("u1", None, "one"), says("a1", "u1", "m1", "first"), summary.replace("\"b1\"", "null")]);
    assert_eq!((compaction(&old).summary.as_str(), compaction(&old).tokens_before, faults(&old)), ("S", None, vec![]));
}

#[test]
fn history_that_was_appended_again_is_left_out() {
    let first = [user("u1", None, "one"), says("a1", "u1", "m1", "first"), user("u2", Some("a1"), "two")];
    let mut lines = first.to_vec();
    lines.push(says("a2", "u2", "m2", "second"));
    // Once with the same uuids, once with new ones but the old times.
    lines.extend(first.iter().cloned());
    lines.extend(first.iter().map(|line| {
        let mut copy = line.clone();
        for id in ["u1", "a1", "u2"] {
            copy = copy.replace(&format!("uuid\":\"{id}\""), &format!("uuid\":\"n{id}\""));
            copy = copy.replace(&format!("parentUuid\":\"{id}\""), &format!("parentUuid\":\"n{id}\""));
        }
        copy
    }));
    lines.push(says("a3", "nu2", "m3", "third"));
    let imported = only(&lines);
    assert_eq!(path_ids(&imported.transcript), ["u1", "a1", "u2", "a2", "a3"]);
    assert_eq!((faults(&imported), imported.lines.left_out), (vec![(5, 10, FindingKind::DuplicateId)], 6));
    // A uuid that was given twice is not a copy.
    let twice = only(&[user("u1", None, "one"), user("u1", None, "two").replace("t-u1", "t-x")]);
    assert_eq!((twice.transcript.entries.len(), faults(&twice)), (1, vec![(2, 2, FindingKind::DuplicateId)]));
}

#[test]
fn a_second_session_in_a_file_is_a_transcript_of_its_own() {
    let other = |line: String| line.replace(SESSION, "other");
    let lines = [
        r#"{"type":"summary","summary":"T","leafUuid":"a1"}"#.to_owned(),
        user("u1", None, "one"),
        other(user("x1", None, "another")),
        says("a1", "u1", "m1", "first"),
        other(says("y1", "x1", "m2", "second")),
    ];
    let all = read(&lines);
    let ids: Vec<Vec<&str>> = all.iter().map(|one| path_ids(&one.transcript)).collect();
    assert_eq!(ids, [vec!["line-1.0", "u1", "a1"], vec!["x1", "y1"]]);
    assert_eq!(all[1].part.as_deref(), Some("other"));
    // A resumed session goes on where the old one ended, under a new id.
    let resumed = only(&[lines[1].clone(), lines[3].clone(), other(user("u2", Some("a1"), "on"))]);
    let meta = &resumed.transcript.meta;
    assert_eq!((&*meta.id, meta.parent_session.as_deref(), meta.cwd.as_deref()), ("other", Some(SESSION), Some("/p")));
}

#[test]
fn texts_of_the_agent_in_the_place_of_a_reply_are_no_requests() {
    let synthetic = says("a1", "u1", "m1", "API Error: 500").replace("\"model\":\"m\"", "\"model\":\"<synthetic>\"");
    let imported = only(&[user("u1", None, "one"), synthetic]);
    let reply = replies(&imported.transcript).next().unwrap();
    assert_eq!((reply.usage, &reply.stop, reply.error.as_deref()), (None, &StopReason::Error, Some("API Error: 500")));
}

#[test]
fn odd_records_are_notes_or_findings() {
    let imported = only(&[
        user("u1", None, "one"),
        record("novelty", "n1", Some("u1"), r#""x":1"#),
        record("attachment", "n2", Some("n1"), r#""attachment":{"type":"novelty"}"#),
        record("user", "n3", Some("n2"), r#""x":1"#),
        record("system", "n4", Some("n3"), r#""subtype":"turn_duration","durationMs":5"#),
        result("r1", "n4", "nowhere"),
        user("u2", Some("gone"), "two"),
        user("u3", Some("u3"), "three"),
        says("a1", "u3", "m1", "x")
            .replace(r#"[{"type":"text","text":"x"}]"#, r#"[{"type":"server_tool_use","id":"s"},5]"#),
    ]);
    let kinds: Vec<(usize, FindingKind)> = imported.findings.iter().map(|f| (f.line, f.kind)).collect();
    let expected = [
        (2, FindingKind::UnknownKind),
        (3, FindingKind::UnknownKind),
        (4, FindingKind::BadField),
        (6, FindingKind::MissingTarget),
        (7, FindingKind::MissingParent),
        (8, FindingKind::ParentCycle),
        (9, FindingKind::UnknownKind),
        (9, FindingKind::BadField),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(path_ids(&imported.transcript), ["u1", "n1", "n2", "n3", "n4", "r1", "u2", "u3", "a1"]);
    assert_eq!(replayed::requests("odd", &imported.transcript), 1);
}

#[test]
fn fields_that_repeat_are_kept_where_they_change() {
    let moved = user("u2", Some("u1"), "two").replace("\"cwd\":\"/p\"", "\"cwd\":\"/q\"");
    let imported = only(&[user("u1", None, "one"), moved, user("u3", Some("u2"), "three")]);
    let extra = |at: usize| imported.transcript.entries[at].extra.as_ref().map(JsonText::as_str);
    // "/p" is the header's; the third line is back there.
    assert_eq!((extra(0), extra(1), extra(2)), (None, Some(r#"{"":{"cwd":"/q"}}"#), Some(r#"{"":{"cwd":"/p"}}"#)));
    assert_eq!(imported.transcript.meta.extra.as_ref().unwrap().as_str(), r#"{"version":"2.1.0"}"#);
}

#[test]
fn a_session_is_told_by_its_first_bytes() {
    let line = user("u1", None, "one");
    assert_eq!(sniff(line.as_bytes()), Some(Format::ClaudeCode));
    assert_eq!(Format::ClaudeCode.sniff(&line.as_bytes()[..150]), Confidence::Sure, "the head may end early");
    let titles = r#"{"type":"summary","summary":"T","leafUuid":"x"}"#;
    assert_eq!(Format::ClaudeCode.sniff(titles.as_bytes()), Confidence::Maybe);
    assert_eq!(Format::ClaudeCode.sniff(format!("{titles}\n{line}").as_bytes()), Confidence::Sure);
    let gemini = br#"{"sessionId":"s","projectHash":"h","startTime":"t","messages":[]}"#;
    assert_eq!(Format::ClaudeCode.sniff(gemini), Confidence::No);
    assert!(matches!(claude_code::read(b"[1]\n"), Err(ImportError::NoRecord { line: 1, .. })));
    assert!(matches!(claude_code::read(b"{\"a\":1}"), Err(ImportError::NoRecord { .. })));
}

/// The only transcript of a field case, and its number `name`.
fn case(name: &str) -> (Imported, serde_json::Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field-cases");
    let file = format!("{name}.claude.jsonl");
    let index: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("index.json")).unwrap()).unwrap();
    let case = index["cases"].as_array().unwrap().iter().find(|case| case["file"] == file.as_str()).unwrap();
    let [imported, ..] = &claude_code::read(&std::fs::read(folder.join(&file)).unwrap()).unwrap()[..] else { panic!() };
    (imported.clone(), case["numbers"].clone())
}

fn total(imported: &Imported, of: fn(&Usage) -> u64) -> u64 {
    usages(&imported.transcript).iter().map(of).sum()
}

fn context_after(imported: &Imported) -> u64 {
    usages(&imported.transcript).last().unwrap().context().0
}

#[test]
fn field_cases_about_usage_give_their_numbers() {
    let (imported, numbers) = case("usage-cached-exclusive");
    assert_eq!(context_after(&imported), numbers["context_after_last"]);
    assert_eq!(total(&imported, |usage| usage.prompt().0), numbers["sum_all_calls_prompt"]);
    let reads: Vec<u64> = usages(&imported.transcript).iter().map(|usage| usage.cache_read).collect();
    assert_eq!(serde_json::json!(reads), numbers["invariant"]["recorded_read"]);

    let (imported, numbers) = case("dedup-streaming-lines");
    assert_eq!(usages(&imported.transcript).len() as u64, numbers["responses"]);
    assert_eq!(total(&imported, |usage| usage.output), numbers["output_correct"]);
    assert_eq!(total(&imported, |usage| usage.cache_write), numbers["cache_write_correct"]);
    assert_eq!(context_after(&imported), numbers["context_after"]);
    let blocks: Vec<usize> =
        messages(&imported.transcript).filter(|m| m.reply().is_some()).map(|m| m.blocks().len()).collect();
    assert_eq!(serde_json::json!(blocks), serde_json::json!([numbers["blocks"]["msg_A"], numbers["blocks"]["msg_B"]]));
    let first = imported.transcript.entries[1].timestamp.as_deref();
    assert_eq!(first, Some("2026-01-05T09:00:40.000Z"), "the time of the first line");

    let (imported, _) = case("cost-1h-writes");
    let usage = usages(&imported.transcript)[0];
    // At 3.75 and 6.00 dollars a million: 200,000 and 300,000 tokens cost 0.75 + 1.80 = 2.55.
    assert_eq!((usage.cache_write, usage.cache_write_1h), (500_000, Some(300_000)));

    let (imported, numbers) = case("cache-lookback-26-blocks");
    assert_eq!(usages(&imported.transcript).len() as u64, numbers["responses"]);
    assert_eq!(usages(&imported.transcript)[1].cache_read, numbers["recorded_read"]);
    assert_eq!(lines_of(&imported.transcript) as u64, 1 + 13 + 14, "a message, 13 results, 14 lines of replies");
}

#[test]
fn field_cases_about_structure_give_their_numbers() {
    let (imported, numbers) = case("sidechain-inline");
    assert_eq!(messages(&imported.transcript).count() as u64, numbers["main_messages"]);
    assert_eq!(context_after(&imported), numbers["main_context_after"]);
    assert_eq!(total(&imported, |usage| usage.output), numbers["billed_output_main"]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field-cases");
    let all = claude_code::read(&std::fs::read(folder.join("sidechain-inline.claude.jsonl")).unwrap()).unwrap();
    assert_eq!(messages(&all[1].transcript).count() as u64, numbers["sidechain_messages"]);
    assert_eq!(total(&all[1], |usage| usage.output), numbers["billed_output_sidechain"]);

    let (imported, numbers) = case("orphan-mixed-user-block");
    let text = messages(&imported.transcript).filter_map(|message| match message {
        Message::User(content) => Some(cutpoint::transcript::joined_text(content).into_owned()),
        _ => None,
    });
    assert_eq!(text.last().unwrap(), numbers["typed_text_must_survive"].as_str().unwrap());
    assert_eq!(path_ids(&imported.transcript), ["u1", "u2", "u3", "u3.1", "u4"]);

    let (imported, numbers) = case("boundary-kept-segment");
    let recorded = imported.transcript.entries.iter().filter(|e| matches!(e.kind, EntryKind::Compaction(_)));
    assert_eq!(recorded.count() as u64, numbers["boundaries"]);
    let EntryKind::Compaction(compaction) = &imported.transcript.entries[4].kind else { panic!() };
    // The summary (c1) is part of the compaction; then the segment, and what follows.
    assert_eq!((compaction.first_kept.as_deref(), compaction.tokens_before), (Some("u3"), Some(995)));
    assert_eq!(path_ids(&imported.transcript), ["u1", "u2", "u3", "u4", "b1", "u5", "u6"]);
    assert_eq!(context_after(&imported), numbers["context_after"]);
    // `context_with_segment` up to u5, the last message of the last request; c1 is sent as a summary.
    let contexts = replayed::contexts("segment", &imported.transcript, History::Recorded);
    let [summary, kept @ ..] = contexts[2].as_slice() else { panic!("{contexts:?}") };
    assert!(summary.contains("This session continues an earlier one."));
    assert_eq!(kept, ["kept question", "kept answer", "new question"]);
    assert_eq!(contexts[2].len() + 1, numbers["context_with_segment"].as_array().unwrap().len());

    let (imported, numbers) = case("bad-middle-line");
    assert_eq!(messages(&imported.transcript).count() as u64, numbers["messages_read"]);
    assert_eq!(faults(&imported), [(3, 3, FindingKind::MalformedLine), (4, 4, FindingKind::MissingParent)]);
    assert!(imported.findings[1].message.contains("u3"));
    // 135 of the last reply; "five" is one token more by the estimate of the case.
    assert_eq!(context_after(&imported) + 1, numbers["context_after"]);

    let (imported, numbers) = case("bad-nul-padding");
    assert_eq!(messages(&imported.transcript).count() as u64, numbers["messages_if_recovered"]);
    assert_eq!(faults(&imported), [(2, 2, FindingKind::NulPadding), (3, 3, FindingKind::NulPadding)]);
    assert_eq!(imported.lines.total as u64, numbers["lines"]);
}

#[test]
fn no_damage_makes_it_panic() {
    let mixed = r#""message":{"role":"user","content":[{"type":"text","text":"and"},{"type":"tool_result","tool_use_id":"c1","content":"x"}]}"#;
    let text = [
        user("u1", None, "go"),
        calls("a1", "u1", "m1", "c1"),
        record("user", "r1", Some("a1"), mixed),
        record("system", "b1", None, r#""subtype":"compact_boundary","logicalParentUuid":"r1","compactMetadata":{"preTokens":1,"preservedSegment":{"headUuid":"r1"}}"#),
        record("user", "s1", Some("b1"), r#""isCompactSummary":true,"message":{"role":"user","content":"S"}"#),
        says("a2", "s1", "m2", "done"),
    ]
    .join("\n");
    for at in (0..text.len()).step_by(3) {
        let _ = claude_code::read(&text.as_bytes()[..at]);
        for byte in [b'[', b'1', b'\n', b'"', 0xFF] {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = byte;
            if let Ok(all) = claude_code::read(&bytes) {
                // Every parent stands before its child, so that no path is a cycle.
                let entries = all.iter().flat_map(|one| one.transcript.entries.iter().enumerate());
                assert!(entries.into_iter().all(|(nth, entry)| entry.parent.is_none_or(|parent| parent.0 < nth)));
            }
        }
    }
}
