//! One block of content in Anthropic's form.

use std::borrow::Cow;
use std::sync::Arc;

use super::content::{self, Parts, Place};
use crate::import::FindingKind;
use crate::import::chat::content::ADDRESS;
use crate::import::object::{Fields, Rest, either, fill, json_text};
use crate::import::slot::{Scalar, Sink, Slot};
use crate::transcript::json::read::{Raw, Read, Reader};
use crate::transcript::{Block, Content, Image, JsonText, Text, ToolCall, ToolResult};

/// The kinds of blocks.
#[derive(Clone)]
enum Kind {
    Text,
    Thinking,
    Redacted,
    ToolUse,
    ToolResult,
    /// Documents are kept like pictures: their base64 is no text either.
    Media,
    Other(Box<str>),
}

impl Scalar for Kind {
    fn text(text: &str) -> Option<Self> {
        Some(match text {
            "text" => Self::Text,
            "thinking" => Self::Thinking,
            "redacted_thinking" => Self::Redacted,
            "tool_use" => Self::ToolUse,
            "tool_result" => Self::ToolResult,
            "image" | "document" => Self::Media,
            other => Self::Other(other.into()),
        })
    }
}

/// A block as it is read: the fields of its kind typed, where the kind came before them, and everything else raw.
pub(super) struct BlockFields<'a, 'p> {
    place: &'p Place<'p>,
    inner: bool,
    kind: Slot<Kind>,
    /// `text`, `thinking` or `name`.
    main: Slot<Text>,
    /// `signature`, `data`, `id` or `tool_use_id`.
    word: Slot<Box<str>>,
    input: Option<Raw<'a>>,
    content: Option<(Content, Sink)>,
    source: Option<Source<'a>>,
    rest: Rest<'a>,
}

impl<'a> Fields<'a> for BlockFields<'a, '_> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match (&self.kind, &*key) {
            (Slot::Missing, "type") => self.kind = Slot::read(reader)?,
            (Slot::Good(Kind::Text), "text")
            | (Slot::Good(Kind::Thinking), "thinking")
            | (Slot::Good(Kind::ToolUse), "name") => self.main = Slot::read(reader)?,
            (Slot::Good(Kind::Thinking), "signature")
            | (Slot::Good(Kind::Redacted), "data")
            | (Slot::Good(Kind::ToolUse), "id")
            | (Slot::Good(Kind::ToolResult), "tool_use_id") => self.word = Slot::read(reader)?,
            (Slot::Good(Kind::ToolUse), "input") => self.input = Some(reader.raw()?),
            (Slot::Good(Kind::ToolResult), "content") if !self.inner => self.content = Some(self.read_content(reader)?),
            (Slot::Good(Kind::Media), "source") => self.source = Source::read(reader)?,
            _ => self.rest.field(key, reader)?,
        }
        Ok(())
    }
}

impl<'p> BlockFields<'_, 'p> {
    pub(super) fn new(place: &'p Place<'p>, inner: bool) -> Self {
        Self {
            place,
            inner,
            kind: Slot::Missing,
            main: Slot::Missing,
            word: Slot::Missing,
            input: None,
            content: None,
            source: None,
            rest: Rest::default(),
        }
    }

    fn read_content(&self, reader: &mut Reader<'_>) -> Read<(Content, Sink)> {
        let mut sink = Sink::default();
        let parts = content::read(reader, &Place::Field(self.place, "content"), &mut sink, true)?;
        Ok((parts.content, sink))
    }

    /// Puts the block, which is spelled `raw`, into `parts`.
    pub(super) fn finish(mut self, raw: Raw<'_>, sink: &mut Sink, parts: &mut Parts) {
        let kind = std::mem::take(&mut self.kind).optional(sink, "type");
        let block = match kind.unwrap_or(Kind::Other("".into())) {
            Kind::Text => Some(Block::Text(self.main("text", sink))),
            Kind::Thinking => Some(Block::Thinking {
                text: self.main("thinking", sink),
                signature: self.word("signature").optional(sink, "signature"),
                redacted: false,
            }),
            // Only the provider can read `data`: it takes the place of the signature.
            Kind::Redacted => {
                let signature = self.word("data").optional(sink, "data");
                Some(Block::Thinking { text: Text::default(), signature, redacted: true })
            }
            Kind::ToolUse => self.tool_call(sink).map(Block::ToolCall),
            Kind::ToolResult if !self.inner => {
                let result = self.tool_result(sink);
                parts.results.push(result);
                return self.flush(sink);
            }
            Kind::Media => self.media(sink).map(Block::Image),
            Kind::Other(kind) => unknown(&kind, sink),
            Kind::ToolResult => unknown("tool_result", sink),
        };
        match block {
            Some(block) => {
                parts.content.blocks.push(block);
                self.flush(sink);
            }
            None => parts.content.blocks.extend(json_text(raw, sink, &self.place.to_string()).map(Block::Other)),
        }
    }

    fn flush(self, sink: &mut Sink) {
        if !self.rest.is_empty() {
            self.rest.flush(sink, &self.place.to_string());
        }
    }

    fn main(&mut self, name: &str, sink: &mut Sink) -> Text {
        either(std::mem::take(&mut self.main), &mut self.rest, name).required(sink, name)
    }

    fn word(&mut self, name: &str) -> Slot<Box<str>> {
        either(std::mem::take(&mut self.word), &mut self.rest, name)
    }

    fn tool_call(&mut self, sink: &mut Sink) -> Option<ToolCall> {
        let input = self.input.take().or_else(|| self.rest.take("input"));
        Some(ToolCall {
            id: self.word("id").required(sink, "tool_use.id"),
            name: Arc::new(self.main("name", sink)),
            arguments: input.and_then(|raw| json_text(raw, sink, "input")).or_else(|| JsonText::new("{}"))?,
        })
    }

    fn tool_result(&mut self, sink: &mut Sink) -> ToolResult {
        let early = self.rest.take("content");
        let content = match (self.content.take(), early) {
            (Some((content, found)), _) => {
                sink.append(found);
                content
            }
            (None, Some(raw)) => {
                let place = Place::Field(self.place, "content").to_string();
                let read = content::read(&mut Reader::new(raw.text()), &Place::Named(&place), sink, true);
                read.unwrap_or_default().content
            }
            // A tool that has nothing to say.
            (None, None) => Content { blocks: Vec::new(), plain: true },
        };
        ToolResult {
            call_id: self.word("tool_use_id").required(sink, "tool_result.tool_use_id"),
            tool: "".into(),
            content,
            is_error: self.rest.scalar("is_error").optional(sink, "is_error").unwrap_or_default(),
            details: None,
            nested_calls: None,
        }
    }

    /// A picture or a document: with its data, or named by its address or by its number among the provider's files. `None` for text.
    fn media(&mut self, sink: &mut Sink) -> Option<Image> {
        let mut source = match self.source.take() {
            Some(source) => source,
            None => Source::read(&mut Reader::new(self.rest.take("source")?.text())).unwrap_or_default()?,
        };
        let kind = source.rest.scalar::<Box<str>>("type").optional(sink, "source.type");
        let address = |source: &mut Source<'_>, field: &str| match source.rest.scalar::<Box<str>>(field) {
            Slot::Good(address) => Some((address, ADDRESS.into())),
            _ => None,
        };
        let (data, media_type) = match kind.as_deref() {
            Some("url") => address(&mut source, "url")?,
            Some("file") => address(&mut source, "file_id")?,
            Some("base64") | None => {
                (source.data.good()?, source.rest.scalar("media_type").required(sink, "source.media_type"))
            }
            Some(_) => return None,
        };
        if !source.rest.is_empty() {
            source.rest.flush(sink, &Place::Field(self.place, "source").to_string());
        }
        Some(Image { data, media_type })
    }
}

fn unknown(kind: &str, sink: &mut Sink) -> Option<Block> {
    sink.faults.push((FindingKind::UnknownKind, format!("a block of unknown type `{kind}`; kept as JSON")));
    None
}

/// The `source` of a picture.
#[derive(Default)]
struct Source<'a> {
    data: Slot<Box<str>>,
    rest: Rest<'a>,
}

impl<'a> Fields<'a> for Source<'a> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match &*key {
            "data" => self.data = Slot::read(reader)?,
            _ => self.rest.field(key, reader)?,
        }
        Ok(())
    }
}

impl<'a> Source<'a> {
    /// Reads the value that is next. `None` when it is no object.
    fn read(reader: &mut Reader<'a>) -> Read<Option<Self>> {
        let mut source = Self::default();
        Ok(fill(reader, &mut source)?.good().map(|()| source))
    }
}
