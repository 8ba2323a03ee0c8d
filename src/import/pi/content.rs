//! Content: a string, or a list of text, thinking, tool call and image blocks.

use super::block::BlockFields;
use crate::import::object::fill;
use crate::import::place::Spot;
use crate::import::slot::{Sink, Slot};
use crate::transcript::json::read::{Read, Reader};
use crate::transcript::{Block, Content, Text};

/// Reads the content that is next; `place` is that of the list, such as `message.content`.
pub(super) fn read(reader: &mut Reader<'_>, sink: &mut Sink, place: &str) -> Read<Slot<Content>> {
    match reader.peek() {
        b'"' => {
            let text = Text::from(reader.string()?);
            Ok(Slot::Good(Content { blocks: vec![Block::Text(text)], plain: true }))
        }
        b'[' => list(reader, sink, place).map(|blocks| Slot::Good(Content { blocks, plain: false })),
        b'n' => reader.word("null").map(|()| Slot::Null),
        _ => reader.raw().map(|raw| Slot::Wrong(Spot::of(raw.text()))),
    }
}

fn list(reader: &mut Reader<'_>, sink: &mut Sink, place: &str) -> Read<Vec<Block>> {
    // Most messages are of one block.
    let mut blocks = Vec::with_capacity(1);
    reader.list(|reader| {
        let at = (place, blocks.len());
        if reader.peek() == b'{' {
            let spot = Spot::of(reader.ahead());
            let mut fields = BlockFields::at(spot);
            fill(reader, &mut fields)?;
            let outside = std::mem::replace(&mut sink.around, spot);
            blocks.extend(fields.finish(sink, at));
            sink.around = outside;
        } else {
            let raw = reader.raw()?;
            sink.bad_at(Spot::of(raw.text()), format!("`{}.{}` is not an object; kept as JSON", at.0, at.1));
            blocks.extend(raw.json().map(Block::Other));
        }
        Ok(())
    })?;
    blocks.shrink_to_fit();
    Ok(blocks)
}
