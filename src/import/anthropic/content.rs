//! Content in Anthropic's form: a string, or a list of blocks. A tool's answer is a block of a user message there and
//! a message of its own in the model.

use std::borrow::Cow;
use std::marker::PhantomData;

use sonic_rs::LazyValue;

use crate::import::FindingKind;
use crate::import::json::{Raw, reread};
use crate::import::object::{Rest, json_text};
use crate::import::slot::{Sink, Slot};
use crate::transcript::{Block, Content, Image, JsonText, Text, ToolCall, ToolResult};

/// The content of one message, taken apart.
#[derive(Default)]
pub(in crate::import) struct Parts {
    /// Everything but tool results.
    pub(in crate::import) content: Content,
    /// The tool results, in their order. The name of the tool is not in them.
    pub(in crate::import) results: Vec<ToolResult>,
}

/// Reads the content whose JSON text is `raw`. Fields of its blocks that the model has no place for go to the extras
/// of `place` and the position of the block.
pub(in crate::import) fn parts(raw: Option<Cow<'_, str>>, place: &str, sink: &mut Sink) -> Parts {
    read(raw, place, sink, false)
}

/// [`parts`]; inside a tool result (`inner`) a tool result is a block of unknown type, so that nothing is read deeper.
fn read(raw: Option<Cow<'_, str>>, place: &str, sink: &mut Sink, inner: bool) -> Parts {
    let raw = raw.unwrap_or(Cow::Borrowed("null"));
    let raw = raw.trim();
    let mut parts = Parts::default();
    match raw.as_bytes().first() {
        Some(b'"') => {
            let text = reread(raw, PhantomData::<Slot<Box<str>>>).unwrap_or(Slot::Wrong).required(sink, place);
            parts.content = Content { blocks: vec![Block::Text(Text::new(text))], plain: true };
        }
        Some(b'[') => {
            let elements = reread(raw, PhantomData::<Vec<LazyValue<'_>>>);
            if elements.is_none() {
                sink.bad(format!("`{place}` is not a list of blocks; read as empty"));
            }
            for (at, element) in elements.into_iter().flatten().enumerate() {
                let element = element.into_text();
                read_block(&element, &format!("{place}.{at}"), sink, inner, &mut parts);
            }
        }
        _ => sink.bad(format!("`{place}` is neither a string nor a list; read as empty")),
    }
    parts
}

/// Reads one block into `parts`.
fn read_block(raw: &str, place: &str, sink: &mut Sink, inner: bool, parts: &mut Parts) {
    let Some(mut rest) = Rest::of(raw) else {
        sink.bad(format!("`{place}` is not an object; kept as JSON"));
        parts.content.blocks.extend(json_text(raw.into(), sink, place).map(Block::Other));
        return;
    };
    let kind = rest.scalar::<Box<str>>("type").optional(sink, "type").unwrap_or_default();
    let block = match &*kind {
        "text" => Some(Block::Text(text(&mut rest, "text", sink))),
        "thinking" => Some(Block::Thinking {
            text: text(&mut rest, "thinking", sink),
            signature: rest.scalar("signature").optional(sink, "signature"),
            redacted: false,
        }),
        // Only the provider can read `data`: it takes the place of the signature.
        "redacted_thinking" => {
            let signature = rest.scalar("data").optional(sink, "data");
            Some(Block::Thinking { text: Text::default(), signature, redacted: true })
        }
        "tool_use" => tool_call(&mut rest, sink).map(Block::ToolCall),
        "tool_result" if !inner => {
            parts.results.push(tool_result(&mut rest, place, sink));
            rest.flush(sink, place);
            return;
        }
        "image" | "document" => media(&mut rest, place, sink).map(Block::Image),
        _ => {
            let fault = format!("a block of unknown type `{kind}`; kept as JSON");
            sink.faults.push((FindingKind::UnknownKind, fault));
            None
        }
    };
    match block {
        Some(block) => {
            parts.content.blocks.push(block);
            rest.flush(sink, place);
        }
        None => parts.content.blocks.extend(json_text(raw.into(), sink, place).map(Block::Other)),
    }
}

fn text(rest: &mut Rest<'_>, name: &str, sink: &mut Sink) -> Text {
    Text::new(rest.scalar::<Box<str>>(name).required(sink, name))
}

fn tool_call(rest: &mut Rest<'_>, sink: &mut Sink) -> Option<ToolCall> {
    Some(ToolCall {
        id: rest.scalar("id").required(sink, "tool_use.id"),
        name: text(rest, "name", sink),
        arguments: rest.json("input", sink).or_else(|| JsonText::new("{}"))?,
    })
}

fn tool_result(rest: &mut Rest<'_>, place: &str, sink: &mut Sink) -> ToolResult {
    let content = match rest.take("content") {
        // A tool that has nothing to say.
        None => Content { blocks: Vec::new(), plain: true },
        raw => read(raw, &format!("{place}.content"), sink, true).content,
    };
    ToolResult {
        call_id: rest.scalar("tool_use_id").required(sink, "tool_result.tool_use_id"),
        tool: "".into(),
        content,
        is_error: rest.scalar("is_error").optional(sink, "is_error").unwrap_or_default(),
        details: None,
        nested_calls: None,
    }
}

/// A picture or a document with its data. Documents are kept like pictures: their base64 is no text either. `None`
/// for text and for data that is elsewhere.
fn media(rest: &mut Rest<'_>, place: &str, sink: &mut Sink) -> Option<Image> {
    let raw = rest.take("source")?;
    let mut source = Rest::of(&raw)?;
    let kind = source.scalar::<Box<str>>("type").optional(sink, "source.type");
    if kind.is_some_and(|kind| &*kind != "base64") {
        return None;
    }
    let Slot::Good(data) = source.scalar::<Box<str>>("data") else { return None };
    let media_type = source.scalar("media_type").required(sink, "source.media_type");
    source.flush(sink, &format!("{place}.source"));
    Some(Image { data, media_type })
}
