//! `compacted` records.

use super::session::Session;
use crate::import::chain::Stamp;
use crate::import::value::{Object, Value};
use crate::transcript::{Compaction, EntryKind, JsonText, Message, Text};

/// Item types that hold the summary in a form only the provider can read.
const ENCRYPTED: &[&str] = &["compaction", "compaction_summary", "context_compaction"];

/// Appends a compaction: `{message, replacement_history}`. The size before it is that of the last call.
pub(super) fn push(session: &mut Session, line: usize, stamp: Stamp, fields: &Object<'_>) {
    session.open = None;
    let history = fields.items("replacement_history");
    let encrypted = history.iter().any(|item| {
        let item = item.object();
        item.text("type").is_some_and(|kind| ENCRYPTED.contains(&&*kind)) && item.has("encrypted_content")
    });
    let mut replacement = replacement(session, line, &history);
    let message = fields.boxed("message").unwrap_or_default();
    // A readable summary stands in the new history as well, as a message of the user.
    if let Some(at) = replacement.iter().rposition(|one| !message.is_empty() && holds(one, &message)) {
        replacement.remove(at);
    }
    let mut details: Vec<String> = if encrypted { vec!["\"encrypted\":true".to_owned()] } else { Vec::new() };
    let windows = ["window_id", "previous_window_id", "first_window_id", "window_number"];
    details.extend(windows.into_iter().filter_map(|key| Some(format!("\"{key}\":{}", fields.get(key)?.raw()))));
    let compaction = Compaction {
        summary: Text::new(message),
        tokens_before: session.context.take(),
        details: (!details.is_empty()).then(|| format!("{{{}}}", details.join(","))).and_then(JsonText::new),
        usage: session.waiting.take(),
        replacement,
        ..Compaction::default()
    };
    session.chain.push(line, stamp, EntryKind::Compaction(Box::new(compaction)));
}

/// The messages of the new history.
fn replacement(session: &mut Session, line: usize, history: &[Value<'_>]) -> Vec<Message> {
    let mut new = session.beside_it();
    for item in history {
        new.chain.here = Some(item.at());
        new.item(line, Stamp::default(), *item, *item);
    }
    session.chain.report.findings.append(&mut new.chain.report.findings);
    let messages = new.chain.transcript.entries.into_iter().filter_map(|entry| match entry.kind {
        EntryKind::Message(message) => Some(message),
        _ => None,
    });
    messages.collect()
}

fn holds(message: &Message, summary: &str) -> bool {
    matches!(message, Message::User(content) if crate::transcript::joined_text(content).contains(summary))
}
