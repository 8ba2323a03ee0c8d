//! Blocks of content as JSON.

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::transcript::{Block, Content, Image, JsonText, Text, ToolCall};

/// A block. Which fields it has depends on `type`.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct BlockRecord<'a> {
    #[serde(rename = "type")]
    kind: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "is_false")]
    redacted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Cow<'a, RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<Cow<'a, RawValue>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) fn is_false(value: &bool) -> bool {
    !value
}

/// JSON that fits on a line. Line breaks between its tokens, where it came from a document, become spaces; inside of a
/// string JSON has none.
pub(in crate::import) fn one_line(json: &JsonText) -> Cow<'_, str> {
    let text = json.as_str();
    if text.contains(['\n', '\r']) { Cow::Owned(text.replace(['\n', '\r'], " ")) } else { Cow::Borrowed(text) }
}

/// JSON to be written as it is spelled. Measured JSON is JSON; were it not, it would be written as a string.
pub(super) fn raw(json: &JsonText) -> Cow<'_, RawValue> {
    match one_line(json) {
        Cow::Borrowed(text) => serde_json::from_str(text).map_or_else(|_| as_string(text), Cow::Borrowed),
        Cow::Owned(text) => RawValue::from_string(text.clone()).map_or_else(|_| as_string(&text), Cow::Owned),
    }
}

fn as_string<'a>(text: &str) -> Cow<'a, RawValue> {
    let quoted = crate::import::extra::quoted(text);
    Cow::Owned(RawValue::from_string(quoted).unwrap_or_else(|_| RawValue::NULL.to_owned()))
}

/// JSON that was read.
pub(super) fn json(raw: &RawValue) -> Option<JsonText> {
    JsonText::new(raw.get())
}

/// JSON of a field that may be missing.
pub(super) fn some_json(raw: Option<&Cow<'_, RawValue>>) -> Option<JsonText> {
    json(raw?)
}

/// The blocks of a content.
pub(super) fn blocks(content: &Content) -> Vec<BlockRecord<'_>> {
    content.blocks.iter().map(block).collect()
}

fn block(block: &Block) -> BlockRecord<'_> {
    let of = |kind: &'static str| BlockRecord { kind: kind.into(), ..BlockRecord::default() };
    match block {
        Block::Text(text) => BlockRecord { text: Some(text.as_str().into()), ..of("text") },
        Block::Thinking { text, signature, redacted } => BlockRecord {
            text: Some(text.as_str().into()),
            signature: signature.as_deref().map(Into::into),
            redacted: *redacted,
            ..of("thinking")
        },
        Block::ToolCall(call) => BlockRecord {
            id: Some((&*call.id).into()),
            name: Some(call.name.as_str().into()),
            arguments: Some(raw(&call.arguments)),
            ..of("tool_call")
        },
        Block::Image(image) => BlockRecord {
            media_type: Some((&*image.media_type).into()),
            data: Some((&*image.data).into()),
            ..of("image")
        },
        Block::Other(json) => BlockRecord { json: Some(raw(json)), ..of("other") },
    }
}

/// The content that records spell. A block of an unknown type is kept as JSON.
pub(super) fn content(blocks: Vec<BlockRecord<'_>>, plain: bool) -> Content {
    Content { blocks: blocks.into_iter().filter_map(BlockRecord::block).collect(), plain }
}

impl BlockRecord<'_> {
    fn block(self) -> Option<Block> {
        let text = |text: Option<Cow<'_, str>>| Text::new(text.unwrap_or_default().into_owned());
        let boxed = |text: Option<Cow<'_, str>>| text.unwrap_or_default().into_owned().into_boxed_str();
        Some(match &*self.kind {
            "text" => Block::Text(text(self.text)),
            "thinking" => Block::Thinking {
                text: text(self.text),
                signature: self.signature.map(|signature| signature.into_owned().into()),
                redacted: self.redacted,
            },
            "tool_call" => Block::ToolCall(ToolCall {
                id: boxed(self.id),
                name: Arc::new(text(self.name)),
                arguments: some_json(self.arguments.as_ref()).or_else(|| JsonText::new("{}"))?,
            }),
            "image" => Block::Image(Image { data: boxed(self.data), media_type: boxed(self.media_type) }),
            _ => Block::Other(match &self.json {
                Some(raw) => json(raw)?,
                None => JsonText::new(serde_json::to_string(&self).ok()?)?,
            }),
        })
    }
}
