//! Peak memory of reading a file, beside the text that is kept of it. No time is measured.
//!
//! `cargo bench --bench memory -- FILE`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

use std::collections::HashMap;
use std::process::ExitCode;

use cutpoint::import::read_all_of;
use cutpoint::transcript::{Block, Content, Entry, EntryKind, JsonText, Message, Transcript};

fn main() -> ExitCode {
    // Cargo passes `--bench`.
    let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) else {
        eprintln!("SKIPPED: no file\nhint: cargo bench --bench memory -- FILE");
        return ExitCode::SUCCESS;
    };
    let before = peak();
    let (format, all) = match read_all_of(&path) {
        Ok(read) => read,
        Err(error) => {
            eprintln!("error: {error}\nhint: {}", error.hint());
            return ExitCode::from(5);
        }
    };
    let file = std::fs::metadata(&path).map_or(0, |data| data.len());
    let kept: usize = all.iter().map(|one| text_of(&one.transcript) + names_of(&one.transcript)).sum();
    let entries: usize = all.iter().map(|one| one.transcript.entries.len()).sum();
    println!("{}: {entries} entries, file {}, kept text {}", format.name(), megabytes(file), megabytes(kept as u64));
    match (before, peak()) {
        (Some(before), Some(peak)) => {
            let permille = (peak * 1000).checked_div(kept as u64).unwrap_or_default();
            println!(
                "peak {} (before reading {}), {permille} per mille of the kept text",
                megabytes(peak),
                megabytes(before)
            );
        }
        _ => println!("peak: not known on this system"),
    }
    ExitCode::SUCCESS
}

fn megabytes(bytes: u64) -> String {
    format!("{}.{:03} MB", bytes / 1_000_000, bytes / 1000 % 1000)
}

/// The most memory that the process had resident so far, in bytes (Linux: `VmHWM` in kibibytes).
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

fn text_of(transcript: &Transcript) -> usize {
    transcript.entries.iter().map(entry).sum()
}

/// Bytes of the names that messages share, of APIs, providers, models and tools: each counts once.
fn names_of(transcript: &Transcript) -> usize {
    let mut names: HashMap<*const u8, usize> = HashMap::new();
    let mut count = |name: &str| {
        names.insert(name.as_ptr(), name.len());
    };
    for entry in &transcript.entries {
        match &entry.kind {
            EntryKind::Message(Message::Assistant(said, reply)) => {
                for name in [&reply.api, &reply.provider, &reply.model] {
                    count(name);
                }
                for block in &said.blocks {
                    let Block::ToolCall(call) = block else { continue };
                    count(call.name.as_str());
                }
            }
            EntryKind::Message(Message::ToolResult(result)) => count(&result.tool),
            _ => {}
        }
    }
    names.values().sum()
}

fn json(json: Option<&JsonText>) -> usize {
    json.map_or(0, |json| json.as_str().len())
}

/// Bytes of all texts of an entry but the names that messages share: what it says, its JSON, ids and times.
fn entry(entry: &Entry) -> usize {
    let kind = match &entry.kind {
        EntryKind::Message(message) => said(message),
        EntryKind::ModelChange { provider, model } => provider.len() + model.len(),
        EntryKind::ThinkingLevelChange(level) => level.len(),
        EntryKind::Compaction(compaction) => compaction.summary.byte_len() + json(compaction.details.as_ref()),
        EntryKind::BranchSummary(branch) => branch.summary.byte_len() + json(branch.details.as_ref()),
        EntryKind::ContextEdit(edit) => edit.replacement.as_ref().map_or(0, content),
        EntryKind::Note { kind, raw } => kind.len() + raw.as_str().len(),
    };
    kind + entry.id.len() + entry.timestamp.as_ref().map_or(0, |time| time.len()) + json(entry.extra.as_ref())
}

fn said(message: &Message) -> usize {
    match message {
        Message::User(said) | Message::Assistant(said, _) => content(said),
        Message::ToolResult(result) => content(&result.content) + result.call_id.len() + json(result.details.as_ref()),
        Message::Bash(bash) => bash.command.byte_len() + bash.output.byte_len(),
        Message::Custom(custom) => content(&custom.content) + json(custom.details.as_ref()),
        Message::BranchSummary(text) | Message::CompactionSummary(text) => text.byte_len(),
        Message::System(system) => system.content.byte_len() + json(system.tools_added.as_ref()),
    }
}

fn content(content: &Content) -> usize {
    let block = |block: &Block| match block {
        Block::Text(text) => text.byte_len(),
        Block::Thinking { text, signature, .. } => text.byte_len() + signature.as_ref().map_or(0, |mark| mark.len()),
        Block::ToolCall(call) => call.id.len() + call.arguments.as_str().len(),
        Block::Image(image) => image.data.len() + image.media_type.len(),
        Block::Other(json) => json.as_str().len(),
    };
    content.blocks.iter().map(block).sum()
}
