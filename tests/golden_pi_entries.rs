//! The importer against what Pi itself reads: the `session` and `entries` sections of the golden answers.

#![expect(clippy::unwrap_used, reason = "an answer of another shape is a failed test")]

mod common;

use std::path::{Path, PathBuf};

use common::pi_answers::answers;
use cutpoint::engine::pi::message_tokens;
use cutpoint::import::{FindingKind, Imported, read_file};
use cutpoint::transcript::{Block, Entry, EntryIdx, EntryKind, Message, Role, StopReason, Text};
use serde_json::Value;

/// Answers that belong to files outside this test: the originals of two shared files, under their own names.
const WITHOUT_FILE: &[&str] = &["large-session", "before-compaction"];

/// Every answer with its transcript.
fn golden() -> Vec<(PathBuf, PathBuf)> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pairs = pairs(&package.join("tests/golden/pi"), &package.join("tests/golden/pi/cases"));
    assert_eq!(pairs.len(), 21, "seven cases, three versions of Pi");
    if let Some(shared) = common::shared() {
        pairs.extend(self::pairs(&shared.join("golden/pi"), &shared.join("transcripts/pi")));
        assert!(pairs.len() >= 25, "and the shared transcripts");
    }
    pairs
}

/// Each answer in `answers` with its transcript in `transcripts`, where there is one.
fn pairs(answers: &Path, transcripts: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut pairs = Vec::new();
    for file in std::fs::read_dir(answers).expect("golden answers") {
        let answer = file.expect("a file").path();
        let name = answer.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let Some((stem, _)) = name.split_once('.') else { continue };
        let transcript = transcripts.join(format!("{stem}.jsonl"));
        if transcript.is_file() && !WITHOUT_FILE.contains(&stem) {
            pairs.push((answer, transcript));
        }
    }
    pairs.sort();
    pairs
}

fn number(value: &Value, key: &str) -> usize {
    usize::try_from(value[key].as_u64().unwrap_or(0)).expect("a small number")
}

#[test]
fn sessions_are_read_as_pi_reads_them() {
    for (answer, transcript) in golden() {
        let name = answer.display();
        let golden: Value = serde_json::from_slice(&std::fs::read(&answer).unwrap()).unwrap();
        let imported = read_file(&transcript).unwrap();
        let (session, read) = (&golden["session"], &imported.transcript);
        let path = read.path();
        assert_eq!(read.entries.len(), number(session, "entries"), "{name}: entries");
        assert_eq!(path.len(), number(session, "path_entries"), "{name}: path");
        let malformed = imported.findings.iter().filter(|finding| finding.kind == FindingKind::MalformedLine).count();
        assert_eq!(malformed, number(session, "malformed_lines"), "{name}: malformed lines");
        let leaf = read.entry(read.leaf().unwrap());
        assert_eq!((&*leaf.id, leaf.line), (session["leaf"]["id"].as_str().unwrap(), number(&session["leaf"], "line")));
        compactions(session, &imported, &path, &name.to_string());
    }
}

fn compactions(session: &Value, imported: &Imported, path: &[EntryIdx], name: &str) {
    let on_path = path.iter().map(|&at| imported.transcript.entry(at));
    let read: Vec<_> = on_path
        .filter_map(|entry| match &entry.kind {
            EntryKind::Compaction(compaction) => Some((entry, compaction)),
            _ => None,
        })
        .collect();
    let expected = session["compactions"].as_array().unwrap();
    if expected.is_empty() && session["file"].as_str().is_some_and(|file| !file.starts_with("pi-")) {
        return;
    }
    assert_eq!(read.len(), expected.len(), "{name}: compactions");
    for ((entry, compaction), expected) in read.iter().zip(expected) {
        assert_eq!(&*entry.id, expected["id"].as_str().unwrap(), "{name}");
        assert_eq!(compaction.first_kept.as_deref(), expected["first_kept"]["id"].as_str(), "{name}: first kept");
        assert_eq!(compaction.tokens_before, expected["tokens_before"].as_u64(), "{name}: tokens before");
        assert_eq!(compaction.summary.utf16_len(), number(expected, "summary_len"), "{name}: summary");
    }
}

#[test]
fn entries_have_the_lengths_that_pi_measures() {
    for (answer, transcript) in golden() {
        let golden: Value = serde_json::from_slice(&std::fs::read(&answer).unwrap()).unwrap();
        let read = read_file(&transcript).unwrap().transcript;
        let path = read.path();
        let mut spoken = 0;
        for expected in golden["entries"].as_array().unwrap() {
            let entry = read.entry(path[number(expected, "path_index")]);
            let name = format!("{}, line {}", answer.display(), entry.line);
            assert_eq!(&shown(entry), &wanted(expected), "{name}");
            spoken += 1;
        }
        let says_something = |at: &&EntryIdx| match &read.entry(**at).kind {
            EntryKind::Message(_) | EntryKind::Compaction(_) => true,
            EntryKind::BranchSummary(branch) => !branch.summary.is_empty(),
            _ => false,
        };
        assert_eq!(path.iter().filter(says_something).count(), spoken, "{}", answer.display());
    }
}

/// Also those that a compaction dropped: a context holds only the others.
#[test]
fn every_message_has_the_tokens_that_pi_estimates() {
    let mut estimated = 0;
    for answer in answers() {
        let path = answer.transcript.path();
        for expected in answer.golden["entries"].as_array().into_iter().flatten() {
            let entry = answer.transcript.entry(path[number(expected, "path_index")]);
            let tokens = match &entry.kind {
                EntryKind::Message(message) => message_tokens(message, answer.rules),
                EntryKind::Compaction(compaction) => {
                    message_tokens(&Message::CompactionSummary(compaction.summary.clone()), answer.rules)
                }
                EntryKind::BranchSummary(branch) => {
                    message_tokens(&Message::BranchSummary(branch.summary.clone()), answer.rules)
                }
                other => panic!("line {}: {other:?} is no message", entry.line),
            };
            assert_eq!(tokens.0, expected["tokens"], "{}, line {}", answer.name, entry.line);
            estimated += 1;
        }
    }
    let shared = common::shared().is_some();
    // 84 of the made-up cases in each of three releases, 2,044 of the recorded sessions.
    assert!(estimated == 252 || shared && estimated >= 252 + 2_044, "{estimated} messages");
}

/// What of an entry the answers state.
#[derive(Debug, Default, PartialEq)]
struct Shown {
    id: String,
    line: usize,
    role: String,
    text: usize,
    thinking: usize,
    calls: usize,
    call_text: usize,
    images: usize,
    stop: Option<String>,
    excluded: bool,
}

fn wanted(golden: &Value) -> Shown {
    Shown {
        id: golden["id"].as_str().unwrap().to_owned(),
        line: number(golden, "line"),
        role: golden["role"].as_str().unwrap().to_owned(),
        text: number(golden, "text_len"),
        thinking: number(golden, "thinking_len"),
        calls: number(golden, "tool_calls"),
        call_text: number(golden, "tool_call_len"),
        images: number(golden, "images"),
        stop: golden["stop_reason"].as_str().map(str::to_owned),
        excluded: golden["excluded"].as_bool().unwrap_or_default(),
    }
}

fn shown(entry: &Entry) -> Shown {
    let mut shown = Shown { id: entry.id.to_string(), line: entry.line, ..Shown::default() };
    match &entry.kind {
        EntryKind::Message(message) => show_message(message, &mut shown),
        EntryKind::Compaction(compaction) => show_summary("compactionSummary", &compaction.summary, &mut shown),
        EntryKind::BranchSummary(branch) => show_summary("branchSummary", &branch.summary, &mut shown),
        other => panic!("line {}: {other:?} is no message", entry.line),
    }
    shown
}

fn show_summary(role: &str, summary: &Text, shown: &mut Shown) {
    role.clone_into(&mut shown.role);
    shown.text = summary.utf16_len();
}

fn show_message(message: &Message, shown: &mut Shown) {
    let role = match message.role() {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::ToolResult => "toolResult",
        Role::BashExecution => "bashExecution",
        Role::Custom => "custom",
        Role::BranchSummary => "branchSummary",
        Role::CompactionSummary => "compactionSummary",
        Role::System => "system",
    };
    role.clone_into(&mut shown.role);
    for block in message.blocks() {
        match block {
            Block::Text(text) => shown.text += text.utf16_len(),
            Block::Thinking { text, .. } => shown.thinking += text.utf16_len(),
            Block::ToolCall(call) => {
                shown.calls += 1;
                shown.call_text += call.name.utf16_len() + call.arguments.js_utf16_len();
            }
            Block::Image(_) => shown.images += 1,
            Block::Other(_) => {}
        }
    }
    if let Message::Bash(bash) = message {
        shown.text = bash.command.utf16_len() + bash.output.utf16_len();
        shown.excluded = bash.excluded;
    }
    shown.stop = message.reply().map(|reply| match &reply.stop {
        StopReason::Stop => "stop".to_owned(),
        StopReason::Length => "length".to_owned(),
        StopReason::ToolUse => "toolUse".to_owned(),
        StopReason::Error => "error".to_owned(),
        StopReason::Aborted => "aborted".to_owned(),
        StopReason::Other(word) => word.to_string(),
    });
}
