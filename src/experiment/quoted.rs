//! What of the transcripts is written beside the records, so that a report can quote it and tell where estimates fail.

use std::collections::BTreeMap;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::Prepared;
use crate::results::{AnnotationRecord, ClassRecord, MessageRecord, RECORDED_CHARS, Sources};
use crate::tokens::IMAGE_BYTES;
use crate::transcript::class::{ContentClass, dominant};
use crate::transcript::{EntryIdx, EntryKind, Message, Part, Role, is_sent, sent_parts};

/// The messages, annotated items and estimates by class of all sessions.
pub(super) fn sources(prepared: &[Prepared<'_>]) -> Sources {
    Sources {
        messages: prepared.par_iter().flat_map_iter(messages).collect(),
        annotations: prepared.iter().flat_map(annotations).collect(),
        classes: prepared.par_iter().flat_map_iter(classes).collect(),
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

/// Every estimator of the cells on every class of content. The counts are those that the cells share, so this costs one look at
/// each message.
fn classes(prepared: &Prepared<'_>) -> Vec<ClassRecord> {
    let transcript = &prepared.session.transcript;
    let class = |&idx: &EntryIdx| match &transcript.entry(idx).kind {
        EntryKind::Message(message) if is_sent(message) => Some((idx, dominant(message, IMAGE_BYTES).0)),
        _ => None,
    };
    let sent: Vec<(EntryIdx, ContentClass)> = prepared.path.iter().filter_map(class).collect();
    // By name, because the tables of a session have no order.
    let estimators: BTreeMap<_, _> = prepared.estimates.iter().collect();
    let of = |(estimator, table): (&String, &crate::replay::EstimateTable)| {
        let mut sums: BTreeMap<ContentClass, [u64; 3]> = BTreeMap::new();
        for &(idx, class) in &sent {
            let sum = sums.entry(class).or_default();
            let counts = [1, prepared.reference.entry(idx).0, table.entry(idx).0];
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        let record = |(class, [messages, reference_tokens, estimate_tokens]): (ContentClass, [u64; 3])| ClassRecord {
            transcript: prepared.session.name.clone(),
            lineage: prepared.session.lineage.clone(),
            estimator: estimator.clone(),
            class: class.name().to_owned(),
            messages,
            reference_tokens,
            estimate_tokens,
        };
        sums.into_iter().map(record).collect::<Vec<_>>()
    };
    estimators.into_iter().flat_map(of).collect()
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
