//! One block of content.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::marker::PhantomData;

use serde::de::MapAccess;

use crate::import::FindingKind;
use crate::import::extra::quoted;
use crate::import::json::Raw;
use crate::import::object::{Fields, Rest, json_text};
use crate::import::slot::{Scalar, Sink, Slot};
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
pub(super) struct BlockFields<'de, R> {
    kind: Slot<Kind>,
    /// `text`, `thinking`, `name` or `data`.
    main: Slot<Box<str>>,
    /// `id`.
    id: Slot<Box<str>>,
    arguments: Option<Cow<'de, str>>,
    rest: Rest<'de>,
    raw: PhantomData<R>,
}

impl<R> Default for BlockFields<'_, R> {
    fn default() -> Self {
        Self {
            kind: Slot::Missing,
            main: Slot::Missing,
            id: Slot::Missing,
            arguments: None,
            rest: Rest::default(),
            raw: PhantomData,
        }
    }
}

impl<'de, R: Raw<'de>> Fields<'de> for BlockFields<'de, R> {
    fn field<A: MapAccess<'de>>(&mut self, key: Cow<'de, str>, map: &mut A) -> Result<(), A::Error> {
        match (&self.kind, &*key) {
            (Slot::Missing, "type") => self.kind = map.next_value()?,
            (Slot::Good(Kind::Text), "text")
            | (Slot::Good(Kind::Thinking), "thinking")
            | (Slot::Good(Kind::ToolCall), "name")
            | (Slot::Good(Kind::Image), "data") => self.main = map.next_value()?,
            (Slot::Good(Kind::ToolCall), "id") => self.id = map.next_value()?,
            (Slot::Good(Kind::ToolCall), "arguments") => self.arguments = Some(map.next_value::<R>()?.into_text()),
            _ => self.rest.keep::<R, A>(key, map)?,
        }
        Ok(())
    }
}

impl<R> BlockFields<'_, R> {
    /// The block; `place` is that of the list and the position in it.
    pub(super) fn finish(mut self, sink: &mut Sink, place: (&str, usize)) -> Option<Block> {
        let block = match std::mem::take(&mut self.kind) {
            Slot::Good(Kind::Text) => Block::Text(Text::new(self.main("text", sink))),
            Slot::Good(Kind::Thinking) => Block::Thinking {
                text: Text::new(self.main("thinking", sink)),
                signature: self.rest.scalar("thinkingSignature").optional(sink, "thinkingSignature"),
                redacted: self.rest.scalar("redacted").optional(sink, "redacted").unwrap_or_default(),
            },
            Slot::Good(Kind::ToolCall) => Block::ToolCall(self.tool_call(sink)?),
            Slot::Good(Kind::Image) => Block::Image(Image {
                data: self.main("data", sink),
                media_type: self.rest.scalar("mimeType").required(sink, "mimeType"),
            }),
            Slot::Good(Kind::Other(kind)) => return self.other(Some(&kind), sink),
            _ => return self.other(None, sink),
        };
        if !self.rest.0.is_empty() {
            self.rest.flush(sink, &format!("{}.{}", place.0, place.1));
        }
        Some(block)
    }

    /// The field `name`, which is read typed unless it came before the kind.
    fn main(&mut self, name: &str, sink: &mut Sink) -> Box<str> {
        let early = self.rest.scalar(name);
        let slot = if self.main.is_missing() { early } else { std::mem::take(&mut self.main) };
        slot.required(sink, name)
    }

    fn tool_call(&mut self, sink: &mut Sink) -> Option<ToolCall> {
        let early = self.rest.scalar("id");
        let id = if self.id.is_missing() { early } else { std::mem::take(&mut self.id) };
        let raw = self.rest.take("arguments").or_else(|| self.arguments.take());
        if raw.is_none() {
            sink.bad("`arguments` is missing; read as `{}`");
        }
        let arguments = raw.and_then(|raw| json_text(raw, sink, "arguments")).or_else(|| JsonText::new("{}"))?;
        Some(ToolCall { id: id.required(sink, "toolCall.id"), name: Text::new(self.main("name", sink)), arguments })
    }

    /// A block of a kind without a name in the model.
    fn other(self, kind: Option<&str>, sink: &mut Sink) -> Option<Block> {
        let mut json = String::from("{");
        if let Some(kind) = kind {
            let _ = write!(json, "\"type\":{}", quoted(kind));
        }
        for (key, raw) in &self.rest.0 {
            let comma = if json.len() > 1 { "," } else { "" };
            let _ = write!(json, "{comma}{}:{}", quoted(key), raw.trim());
        }
        json.push('}');
        let name = kind.unwrap_or("none");
        sink.faults.push((FindingKind::UnknownKind, format!("a block of unknown type `{name}`; kept as JSON")));
        json_text(json.into(), sink, "block").map(Block::Other)
    }
}
