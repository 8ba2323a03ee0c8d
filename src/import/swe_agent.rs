//! SWE-agent trajectories: one document of `trajectory`, `history` and `info`.
//!
//! The conversation is `history`, chat-completions messages; an answer names its call in `tool_call_ids`. Old files have
//! no calls: an observation is a message of the user. Usage exists as totals only and stays in the header's extras.
//!
//! History processors shorten older observations before they are sent. What the model saw after a step is
//! `trajectory[].messages`; where it differs from `history` a note `history_processors` says which entries were shortened
//! to what. It is a note and not an edit, because a replay follows the edits of a recording, and a strategy is to be
//! given the whole observations.
//!
//! An entry's line is the ordinal of its message, from 1.

use std::collections::HashMap;

use super::chain::{Chain, Stamp};
use super::chat::content::content;
use super::chat::message::{Around, push};
use super::document::Document;
use super::extra::quoted;
use super::value::{Object, Value};
use super::{Confidence, ImportError, Imported};
use crate::transcript::{EntryKind, JsonText, Meta, joined_text};

/// What is kept of `info`: the rest is the submission and windows of edited files.
const INFO: &[&str] = &["exit_status", "model_stats", "swe_agent_version"];
const EXPECTED: &str = "the trajectory of SWE-agent: an object with `trajectory` and `history`";

/// Sure of a `trajectory` of steps with action and observation, and of `trajectory` beside `history`.
pub(super) fn sniff(head: &[u8]) -> Confidence {
    let text = String::from_utf8_lossy(head);
    let fields = Value::unchecked(&text, 0).object();
    let step = fields.items("trajectory").first().map(|step| step.object());
    let steps = step.is_some_and(|step| step.has("action") && (step.has("observation") || step.has("response")));
    if steps || fields.has("trajectory") && fields.has("history") { Confidence::Sure } else { Confidence::No }
}

/// Reads a trajectory.
///
/// # Errors
/// When the file is empty, is not text, or has no history.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let document = Document::read(bytes, EXPECTED)?;
    let fields = document.value().object();
    let steps = fields.items("trajectory");
    let mut history = fields.items("history");
    if history.is_empty() {
        // A file that breaks off before its history still has the messages of its last step.
        let last = steps.iter().rev().map(|step| step.object().items("messages")).find(|list| !list.is_empty());
        history = last.unwrap_or_default();
    }
    if history.is_empty() {
        return Err(ImportError::NoRecord { line: 1, expected: EXPECTED, found: "no history".to_owned() });
    }
    let mut chain = Chain::default();
    chain.transcript.meta = meta(&fields);
    let shortened = shortened(&steps, &history);
    let model = model(&fields);
    // Position of the entry of each message; the system prompt has none.
    let mut entries = Vec::with_capacity(history.len());
    for (index, message) in history.iter().enumerate() {
        let before = chain.transcript.entries.len();
        push(&mut chain, index + 1, *message, Around { model: model.clone(), ..Around::default() });
        entries.push((chain.transcript.entries.len() > before).then_some(before));
        for (step, changes) in shortened.get(&(index + 1)).into_iter().flatten() {
            note(&mut chain, index + 1, *step, changes, &entries);
        }
    }
    let mut read = vec![chain.finish(None)];
    document.close(&mut read);
    Ok(read)
}

fn meta(fields: &Object<'_>) -> Meta {
    let info = fields.object("info");
    let kept: Vec<String> = INFO.iter().filter_map(|key| Some(format!("\"{key}\":{}", info.get(key)?.raw()))).collect();
    Meta {
        id: fields.boxed("environment").unwrap_or_default(),
        extra: (!kept.is_empty()).then(|| format!("{{{}}}", kept.join(","))).and_then(JsonText::new),
        ..Meta::default()
    }
}

/// The model's name in the configuration, which newer files keep as JSON in a string.
fn model(fields: &Object<'_>) -> Box<str> {
    let spelled = fields.boxed("replay_config");
    let config = match &spelled {
        Some(json) => Value::unchecked(json, 0).object(),
        None => fields.object("replay_config"),
    };
    config.object("agent").object("model").boxed("name").unwrap_or_default()
}

/// Messages that a step showed in another form than `history`, and the form.
type Changes = Vec<(usize, String)>;

/// By how many messages of the history there were after a step: the step, from 0, and what it changed.
fn shortened(steps: &[Value<'_>], history: &[Value<'_>]) -> HashMap<usize, Vec<(usize, Changes)>> {
    let mut known: HashMap<usize, String> = HashMap::new();
    let mut all: HashMap<usize, Vec<(usize, Changes)>> = HashMap::new();
    for (step, messages) in steps.iter().map(|step| step.object().items("messages")).enumerate() {
        // Fewer or more messages than the history has cannot be laid beside it.
        if messages.is_empty() || messages.len() > history.len() {
            continue;
        }
        let mut changes = Changes::new();
        for (index, (shown, whole)) in messages.iter().zip(history).enumerate() {
            if shown.raw() == whole.raw() {
                continue;
            }
            let (shown, whole) = (text(*shown), text(*whole));
            if shown != whole && known.get(&index) != Some(&shown) {
                known.insert(index, shown.clone());
                changes.push((index, shown));
            }
        }
        if !changes.is_empty() {
            all.entry(messages.len()).or_default().push((step, changes));
        }
    }
    all
}

/// The text of a message. Marks for the cache may turn a string into a list, and do not change it.
fn text(message: Value<'_>) -> String {
    let said = content(message.object().get("content"), &mut Chain::default(), 0);
    joined_text(&said).into_owned()
}

fn note(chain: &mut Chain, line: usize, step: usize, changes: &Changes, entries: &[Option<usize>]) {
    let shown = changes.iter().filter_map(|(index, shown)| {
        let entry = &chain.transcript.entries[entries.get(*index).copied().flatten()?];
        Some(format!("{{\"id\":{},\"content\":{}}}", quoted(&entry.id), quoted(shown)))
    });
    let shown: Vec<String> = shown.collect();
    if shown.is_empty() {
        return;
    }
    let json = format!("{{\"step\":{step},\"shown\":[{}]}}", shown.join(","));
    if let Some(raw) = JsonText::new(json) {
        let kind = EntryKind::Note { kind: "history_processors".into(), raw };
        chain.push(line, Stamp::default(), kind);
    }
}
