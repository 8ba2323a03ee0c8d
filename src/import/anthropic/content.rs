//! Content in Anthropic's form: a string, or a list of blocks. A tool's answer is a block of a user message there and
//! a message of its own in the model.

use std::fmt;

use super::block::BlockFields;
use crate::import::object::fill;
use crate::import::place::Spot;
use crate::import::slot::Sink;
use crate::transcript::json::read::{Read, Reader};
use crate::transcript::{Block, Content, Text, ToolResult};

/// The content of one message, taken apart.
#[derive(Default)]
pub(in crate::import) struct Parts {
    /// Everything but tool results.
    pub(in crate::import) content: Content,
    /// The tool results, in their order. The name of the tool is not in them.
    pub(in crate::import) results: Vec<ToolResult>,
}

/// The place of a value in its record, put into words only where it is needed.
#[derive(Clone, Copy)]
pub(in crate::import) enum Place<'p> {
    /// A field of the record.
    Named(&'p str),
    /// An element of a list.
    Item(&'p Place<'p>, usize),
    /// A field of an object.
    Field(&'p Place<'p>, &'static str),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Item(list, at) => write!(f, "{list}.{at}"),
            Self::Field(object, name) => write!(f, "{object}.{name}"),
        }
    }
}

/// Reads the content whose JSON text is `raw`. Fields of its blocks that the model has no place for go to the extras
/// of `place` and the position of the block.
pub(in crate::import) fn parts(raw: Option<&str>, place: &str, sink: &mut Sink) -> Parts {
    read(&mut Reader::new(raw.unwrap_or("null")), &Place::Named(place), sink, false).unwrap_or_default()
}

/// [`parts`] of the value that is next; inside a tool result (`inner`) a tool result is a block of unknown type, so
/// that nothing is read deeper.
pub(in crate::import) fn read(reader: &mut Reader<'_>, place: &Place<'_>, sink: &mut Sink, inner: bool) -> Read<Parts> {
    let mut parts = Parts::default();
    match reader.peek() {
        b'"' => {
            let text = Text::from(reader.string()?);
            parts.content = Content { blocks: vec![Block::Text(text)], plain: true };
        }
        b'[' => {
            let mut at = 0;
            parts.content.blocks.reserve_exact(1);
            reader.list(|reader| {
                element(reader, &Place::Item(place, at), sink, inner, &mut parts)?;
                at += 1;
                Ok(())
            })?;
            parts.content.blocks.shrink_to_fit();
        }
        _ => {
            let raw = reader.raw()?;
            sink.bad_at(Spot::of(raw.text()), format!("`{place}` is neither a string nor a list; read as empty"));
        }
    }
    Ok(parts)
}

/// Reads one element of a list into `parts`.
fn element(reader: &mut Reader<'_>, place: &Place<'_>, sink: &mut Sink, inner: bool, parts: &mut Parts) -> Read<()> {
    if reader.peek() != b'{' {
        let raw = reader.raw()?;
        sink.bad_at(Spot::of(raw.text()), format!("`{place}` is not an object; kept as JSON"));
        parts.content.blocks.extend(raw.json().map(Block::Other));
        return Ok(());
    }
    let from = reader.mark();
    let mut fields = BlockFields::new(place, inner);
    fill(reader, &mut fields)?;
    let raw = reader.since(from);
    let outside = std::mem::replace(&mut sink.around, Spot::of(raw.text()));
    fields.finish(raw, sink, parts);
    sink.around = outside;
    Ok(())
}
