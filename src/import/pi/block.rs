//! One block of content.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::import::FindingKind;
use crate::import::extra::quoted;
use crate::import::object::{Fields, Rest, either, json_text};
use crate::import::place::Spot;
use crate::import::slot::{Scalar, Sink, Slot};
use crate::transcript::json::read::{Raw, Read, Reader};
use crate::transcript::{Block, Image, JsonText, Text, ToolCall};

/// The kinds of blocks.
enum Kind {
    Text,
    Thinking,
    ToolCall,
    Image,
    Other(Box<str>),
}

impl Scalar for Kind {
    fn text(text: &str) -> Option<Self> {
        Some(match text {
            "text" => Self::Text,
            "thinking" => Self::Thinking,
            "toolCall" => Self::ToolCall,
            "image" => Self::Image,
            other => Self::Other(other.into()),
        })
    }
}

/// A block as it is read: the fields of its kind typed, if the kind came first as it always does in real files, and
/// everything else raw.
#[derive(Default)]
pub(super) struct BlockFields<'a> {
    kind: Slot<Kind>,
    /// `text`, `thinking` or `name`.
    main: Slot<Text>,
    /// `data`.
    data: Slot<Box<str>>,
    /// `id`.
    id: Slot<Box<str>>,
    arguments: Option<Raw<'a>>,
    rest: Rest<'a>,
    /// Where it begins.
    spot: Spot,
}

impl<'a> Fields<'a> for BlockFields<'a> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match (&self.kind, &*key) {
            (Slot::Missing, "type") => self.kind = Slot::read(reader)?,
            (Slot::Good(Kind::Text), "text")
            | (Slot::Good(Kind::Thinking), "thinking")
            | (Slot::Good(Kind::ToolCall), "name") => self.main = Slot::read(reader)?,
            (Slot::Good(Kind::Image), "data") => self.data = Slot::read(reader)?,
            (Slot::Good(Kind::ToolCall), "id") => self.id = Slot::read(reader)?,
            (Slot::Good(Kind::ToolCall), "arguments") => self.arguments = Some(reader.raw()?),
            _ => self.rest.field(key, reader)?,
        }
        Ok(())
    }
}

impl BlockFields<'_> {
    /// One that begins at `spot`.
    pub(super) fn at(spot: Spot) -> Self {
        Self { spot, ..Self::default() }
    }

    /// The block; `place` is that of the list and the position in it.
    pub(super) fn finish(mut self, sink: &mut Sink, place: (&str, usize)) -> Option<Block> {
        let block = match std::mem::take(&mut self.kind) {
            Slot::Good(Kind::Text) => Block::Text(self.main("text", sink)),
            Slot::Good(Kind::Thinking) => Block::Thinking {
                text: self.main("thinking", sink),
                signature: self.rest.scalar("thinkingSignature").optional(sink, "thinkingSignature"),
                redacted: self.rest.scalar("redacted").optional(sink, "redacted").unwrap_or_default(),
            },
            Slot::Good(Kind::ToolCall) => Block::ToolCall(self.tool_call(sink)?),
            Slot::Good(Kind::Image) => Block::Image(Image {
                data: self.data(sink),
                media_type: self.rest.scalar("mimeType").required(sink, "mimeType"),
            }),
            Slot::Good(Kind::Other(kind)) => return self.other(Some(&kind), sink),
            _ => return self.other(None, sink),
        };
        if !self.rest.is_empty() {
            self.rest.flush(sink, &format!("{}.{}", place.0, place.1));
        }
        Some(block)
    }

    /// The field `name`, which is read typed unless it came before the kind.
    fn main(&mut self, name: &str, sink: &mut Sink) -> Text {
        either(std::mem::take(&mut self.main), &mut self.rest, name).required(sink, name)
    }

    fn data(&mut self, sink: &mut Sink) -> Box<str> {
        either(std::mem::take(&mut self.data), &mut self.rest, "data").required(sink, "data")
    }

    fn tool_call(&mut self, sink: &mut Sink) -> Option<ToolCall> {
        let id = either(std::mem::take(&mut self.id), &mut self.rest, "id");
        let raw = self.arguments.take().or_else(|| self.rest.take("arguments"));
        if raw.is_none() {
            sink.bad_at(self.spot, "`arguments` is missing; read as `{}`");
        }
        let arguments = raw.and_then(|raw| json_text(raw, sink, "arguments")).or_else(|| JsonText::new("{}"))?;
        Some(ToolCall { id: id.required(sink, "toolCall.id"), name: Arc::new(self.main("name", sink)), arguments })
    }

    /// A block of a kind without a name in the model.
    fn other(self, kind: Option<&str>, sink: &mut Sink) -> Option<Block> {
        let mut json = String::from("{");
        if let Some(kind) = kind {
            let _ = write!(json, "\"type\":{}", quoted(kind));
        }
        for (key, raw) in self.rest.iter() {
            let comma = if json.len() > 1 { "," } else { "" };
            let _ = write!(json, "{comma}{}:{}", quoted(key), raw.text());
        }
        json.push('}');
        let name = kind.unwrap_or("none");
        let fault = format!("a block of unknown type `{name}`; kept as JSON");
        sink.fault(self.spot, FindingKind::UnknownKind, fault);
        json_text(Raw::of(&json), sink, "block").map(Block::Other)
    }
}
