//! The writer.

use std::collections::HashSet;
use std::io;

use super::entry::{EntryRecord, FileRecord, SizeRecord};
use super::{FORMAT, VERSION};
use crate::transcript::{EntryIdx, EntryKind, Message, Part, Text, Tokens, Transcript, sent_parts};

/// What an entry counts, by a tokenizer of the caller's choice; `None`: not asked for.
pub type Sizes<'s> = Option<&'s dyn Fn(EntryIdx) -> Tokens>;

/// Writes `transcript`, with the `tokens` of its messages where they are given. Reading it gives the same transcript, up
/// to line breaks between the tokens of JSON that was kept as it was spelled.
///
/// # Errors
/// Those of `out`.
pub fn write(transcript: &Transcript, tokens: Sizes<'_>, out: &mut impl io::Write) -> io::Result<()> {
    let file = FileRecord {
        kind: "transcript".into(),
        format: FORMAT.into(),
        version: VERSION,
        meta: (&transcript.meta).into(),
        head: (&transcript.head).into(),
    };
    line(&file, out)?;
    let path: HashSet<EntryIdx> = transcript.path().into_iter().collect();
    for (index, entry) in transcript.entries.iter().enumerate() {
        let idx = EntryIdx(index);
        let size = match &entry.kind {
            EntryKind::Message(message) => {
                Some(SizeRecord { tokens: tokens.map(|tokens| tokens(idx).0), ..size(message) })
            }
            _ => None,
        };
        let parent = entry.parent.map(|parent| parent.0);
        let mut record = EntryRecord::from(entry);
        (record.index, record.parent, record.on_path, record.size) = (index, parent, path.contains(&idx), size);
        line(&record, out)?;
    }
    Ok(())
}

fn line(record: &impl serde::Serialize, out: &mut impl io::Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

/// Lengths of all that is sent.
fn size(message: &Message) -> SizeRecord {
    let mut size = SizeRecord::default();
    sent_parts(message, |part| match part {
        Part::Text(text) => {
            let text = Text::new(text.into_owned());
            size.utf16 += text.utf16_len();
            size.chars += text.char_len();
            size.bytes += text.byte_len();
        }
        Part::Image(_) => size.images += 1,
    });
    size
}
