//! What of the transcripts is written beside the records, so that a report can quote it.

use super::Prepared;
use crate::results::{AnnotationRecord, MessageRecord, RECORDED_CHARS, Sources};
use crate::transcript::{EntryKind, Message, Part, Role, sent_parts};

/// The messages and annotated items of all sessions.
pub(super) fn sources(prepared: &[Prepared<'_>]) -> Sources {
    Sources {
        messages: prepared.iter().flat_map(messages).collect(),
        annotations: prepared.iter().flat_map(annotations).collect(),
    }
}

fn messages<'p>(prepared: &'p Prepared<'_>) -> impl Iterator<Item = MessageRecord> + 'p {
    let session = prepared.session;
    prepared.path.iter().filter_map(|&idx| {
        let entry = session.transcript.entry(idx);
        let EntryKind::Message(message) = &entry.kind else { return None };
        let (text, chars) = clipped(message);
        Some(MessageRecord {
            transcript: session.name.clone(),
            line: entry.line as u64,
            role: role(message.role()).to_owned(),
            chars,
            text,
        })
    })
}

/// The parts that are sent, a line apart, cut at the limit, and the code points of all of them.
fn clipped(message: &Message) -> (String, u64) {
    let (mut text, mut left, mut chars) = (String::new(), RECORDED_CHARS, 0);
    sent_parts(message, |part| {
        let said = match &part {
            Part::Text(said) => said.as_ref(),
            Part::Image(_) => "[image]",
        };
        chars += said.chars().count() as u64;
        if !text.is_empty() && left > 0 {
            text.push('\n');
        }
        let before = text.len();
        text.extend(said.chars().take(left));
        left -= text[before..].chars().count();
    });
    (text, chars)
}

fn role(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::ToolResult => "tool_result",
        Role::BashExecution => "shell",
        Role::Custom => "extension",
        Role::BranchSummary => "branch_summary",
        Role::CompactionSummary => "compaction_summary",
        Role::System => "system",
    }
}

fn annotations<'p>(prepared: &'p Prepared<'_>) -> impl Iterator<Item = AnnotationRecord> + 'p {
    let session = prepared.session;
    session.items.items.iter().map(|item| AnnotationRecord {
        transcript: session.name.clone(),
        item: item.id.clone(),
        text: item.text.clone(),
        lines: item.source.iter().map(|&idx| session.transcript.entry(idx).line as u64).collect(),
        must: item.must.clone(),
        must_not: item.must_not.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{Block, Content, Text};

    #[test]
    fn a_long_message_is_cut_and_counted() {
        let block = |text: String| Block::Text(Text::new(text));
        let blocks = vec![block("é".repeat(RECORDED_CHARS - 1)), block("abc".to_owned())];
        let (text, chars) = clipped(&Message::User(Content { blocks, plain: false }));
        assert_eq!(chars, RECORDED_CHARS as u64 + 2);
        assert!(text.ends_with("é\na"));
        assert_eq!(text.chars().count(), RECORDED_CHARS + 1, "the line break between parts is not of the message");
    }
}
