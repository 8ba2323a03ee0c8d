//! The golden answers of Pi, their transcripts, and a comparison that leaves nothing out unsaid.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use cutpoint::engine::pi::Rules;
use cutpoint::import::read_file;
use cutpoint::transcript::{Block, Message, Role, StopReason, Transcript};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// The answers of one release for one session.
pub struct Answer {
    pub name: String,
    pub golden: Value,
    pub transcript: Transcript,
    pub rules: &'static Rules,
    /// Our copy of the session differs from the one that was answered in a name of the same length: digests and paths
    /// differ, counts, cuts and lengths do not.
    pub renamed: bool,
}

impl Answer {
    /// The budgets that were asked for.
    pub fn keeps(&self) -> impl Iterator<Item = u64> {
        self.golden["cuts"].as_array().unwrap().iter().map(|cut| cut["keep_recent_tokens"].as_u64().unwrap())
    }
}

/// All answers that a clone holds, and those beside it.
pub fn answers() -> Vec<Answer> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = package.join("tests/golden/pi");
    let mut answers = in_folder(&own, &own.join("cases"));
    assert_eq!(answers.len(), 21, "seven cases, three releases");
    if let Some(shared) = super::shared() {
        let (golden, transcripts) = (shared.join("golden/pi"), shared.join("transcripts/pi"));
        let all = answers.len();
        answers.extend(in_folder(&golden, &transcripts));
        assert_eq!(answers.len() - all, 10, "four sessions, and the originals of two for three releases");
    }
    answers
}

fn in_folder(answers: &Path, transcripts: &Path) -> Vec<Answer> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(answers).unwrap().map(|file| file.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    files.iter().filter_map(|file| answer(file, transcripts)).collect()
}

fn answer(file: &Path, transcripts: &Path) -> Option<Answer> {
    let name = file.file_name()?.to_str()?.to_owned();
    let [stem, release, _] = name.split('.').collect::<Vec<_>>()[..] else { return None };
    let rules = match release {
        "current" => &Rules::V1_6,
        "node20" => &Rules::V0_74,
        "mirror" => &Rules::V0_58,
        other => panic!("{name}: no rules for {other}"),
    };
    let renamed = matches!(stem, "large-session" | "before-compaction");
    let copy = if renamed { format!("pi-v1-{stem}.jsonl") } else { format!("{stem}.jsonl") };
    let transcript = transcripts.join(copy);
    if !transcript.is_file() {
        return None;
    }
    let golden = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let transcript = read_file(&transcript).unwrap().transcript;
    Some(Answer { name, golden, transcript, rules, renamed })
}

/// Length in UTF-16 units, size in UTF-8 and SHA-256 of a text.
pub fn digest(text: &str) -> Value {
    let mut sha256 = String::new();
    for byte in Sha256::digest(text) {
        write!(sha256, "{byte:02x}").unwrap();
    }
    json!({ "len": text.encode_utf16().count(), "utf8_bytes": text.len(), "sha256": sha256 })
}

/// What the answers say of a message: its role, the lengths of its parts, how it ended.
pub fn shape(message: &Message) -> Value {
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
    let [mut text, mut calls, mut call_text, mut images] = [0; 4];
    let mut thinking = None;
    for block in message.blocks() {
        match block {
            Block::Text(said) => text += said.utf16_len(),
            Block::Thinking { text, .. } => thinking = Some(thinking.unwrap_or(0) + text.utf16_len()),
            Block::ToolCall(call) => {
                calls += 1;
                call_text += call.name.utf16_len() + call.arguments.js_utf16_len();
            }
            Block::Image(_) => images += 1,
            Block::Other(_) => {}
        }
    }
    let mut shape = Map::new();
    match message {
        Message::Bash(bash) => {
            text = bash.command.utf16_len() + bash.output.utf16_len();
            if bash.excluded {
                shape.insert("excluded".to_owned(), json!(true));
            }
        }
        Message::BranchSummary(summary) | Message::CompactionSummary(summary) => text = summary.utf16_len(),
        _ => {}
    }
    shape.insert("role".to_owned(), json!(role));
    shape.insert("text_len".to_owned(), json!(text));
    if let Some(thinking) = thinking {
        shape.insert("thinking_len".to_owned(), json!(thinking));
    }
    for (key, value) in [("tool_calls", calls), ("tool_call_len", call_text), ("images", images)] {
        if value > 0 {
            shape.insert(key.to_owned(), json!(value));
        }
    }
    if let Some(reply) = message.reply() {
        let stop = match &reply.stop {
            StopReason::Stop => "stop",
            StopReason::Length => "length",
            StopReason::ToolUse => "toolUse",
            StopReason::Error => "error",
            StopReason::Aborted => "aborted",
            StopReason::Other(word) => word,
        };
        shape.insert("stop_reason".to_owned(), json!(stop));
    }
    Value::Object(shape)
}

/// Every difference. Keys of the answer under `elsewhere` are skipped; every other one must be in ours.
pub fn differences(answer: &Answer, ours: &Value, elsewhere: &[(&str, &str)]) -> Vec<String> {
    let mut differences = Vec::new();
    walk(&answer.golden, Some(ours), "", "", answer, elsewhere, &mut differences);
    differences
}

fn walk(
    golden: &Value,
    ours: Option<&Value>,
    path: &str,
    key_path: &str,
    answer: &Answer,
    elsewhere: &[(&str, &str)],
    out: &mut Vec<String>,
) {
    if elsewhere.iter().any(|(skipped, _)| *skipped == key_path) {
        return;
    }
    let last = key_path.rsplit('.').next().unwrap_or_default();
    if answer.renamed && matches!(last, "sha256" | "readFiles" | "modifiedFiles") {
        return;
    }
    match (golden, ours) {
        (Value::Object(golden), Some(Value::Object(ours))) => {
            for (key, value) in golden {
                let sub = |base: &str| if base.is_empty() { key.clone() } else { format!("{base}.{key}") };
                walk(value, ours.get(key), &sub(path), &sub(key_path), answer, elsewhere, out);
            }
        }
        (Value::Array(golden), Some(Value::Array(ours))) if golden.len() == ours.len() => {
            for (index, (golden, ours)) in golden.iter().zip(ours).enumerate() {
                walk(golden, Some(ours), &format!("{path}[{index}]"), key_path, answer, elsewhere, out);
            }
        }
        (golden, Some(ours)) if golden == ours => {}
        (golden, ours) => {
            let ours = ours.map_or_else(|| "nothing".to_owned(), Value::to_string);
            out.push(format!("{} {path}: Pi {:.200}, ours {ours:.200}", answer.name, golden.to_string()));
        }
    }
}
