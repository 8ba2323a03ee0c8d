//! Content of messages in the manner of OpenAI: a string, or a list of parts.

use super::super::chain::Chain;
use super::super::extra::quoted;
use super::super::value::{Object, Value};
use crate::import::FindingKind;
use crate::transcript::{Block, Content, Image, JsonText, Text, ToolCall};

/// Media type of a picture that the file names by its address: then [`Image::data`] is the address.
pub(in crate::import) const ADDRESS: &str = "text/uri-list";

/// Content of one string.
pub(in crate::import) fn plain(said: &str) -> Content {
    Content { blocks: vec![Block::Text(Text::new(said))], plain: true }
}

/// The content that `raw` spells; none at all is no block, as a message that only calls tools has it.
pub(in crate::import) fn content(value: Option<Value<'_>>, chain: &mut Chain, line: usize) -> Content {
    let Some(value) = value else { return Content::default() };
    if let Some(said) = value.text() {
        return plain(&said);
    }
    // A single part may stand without a list around it.
    let parts = if value.is_list() { value.items() } else { vec![value] };
    Content { blocks: parts.into_iter().filter_map(|part| block(part, chain, line)).collect(), plain: false }
}

/// One part.
fn block(value: Value<'_>, chain: &mut Chain, line: usize) -> Option<Block> {
    if let Some(said) = value.boxed() {
        return Some(Block::Text(Text::new(said)));
    }
    if !value.is_object() {
        chain.fault_of(value, line, FindingKind::BadField, "a part of the content is not an object; kept as JSON");
        return value.json().map(Block::Other);
    }
    let part = value.object();
    let kind = part.boxed("type").unwrap_or_else(|| if part.has("text") { "text".into() } else { "".into() });
    let known = match &*kind {
        "text" | "input_text" | "output_text" | "reasoning_text" | "summary_text" => {
            part.boxed("text").map(|said| Block::Text(Text::new(said)))
        }
        "refusal" => part.boxed("refusal").map(|said| Block::Text(Text::new(said))),
        "image_url" | "input_image" | "image" => Some(picture(&part)),
        "input_audio" | "audio" | "video_url" | "video" | "file" | "input_file" | "document" | "media" => {
            media(&kind, &part)
        }
        "thinking" => part.text("thinking").map(|said| thinking(&said, part.boxed("signature"))),
        "redacted_thinking" => part.boxed("data").map(|data| thinking("", Some(data))),
        _ => None,
    };
    known.or_else(|| {
        let message = format!("a part of type `{kind}` that cannot be read; kept as JSON");
        chain.fault_of(value, line, FindingKind::UnknownKind, message);
        value.json().map(Block::Other)
    })
}

/// A picture: `image_url` is a string or `{url}`; other writers give `data` or Anthropic's `source`. Without any of
/// them it is a picture all the same, of which the file does not hold the pixels.
fn picture(part: &Object<'_>) -> Block {
    if let Some(url) = part.text("image_url").or_else(|| part.object("image_url").text("url")) {
        return image(&url);
    }
    let source = if part.has("source") { part.object("source") } else { part.clone() };
    let data = source.boxed("data").or_else(|| source.boxed("url")).unwrap_or_default();
    let media_type = source.boxed("media_type").or_else(|| source.boxed("mimeType")).unwrap_or_default();
    Block::Image(Image { data, media_type })
}

/// Names of a medium's content, of its address, and of its type.
const DATA: &[&str] = &["file_data", "data", "base64"];
const PLACES: &[&str] = &["url", "file_url", "file_uri", "file_id"];
const TYPES: &[&str] = &["mime_type", "media_type", "mimeType"];

/// Sound, a film or a document, which is kept like a picture: its base64 is no text either. The fields stand in the part,
/// or in an object under its `kind`. `None` where neither content nor address is there, and for text.
fn media(kind: &str, part: &Object<'_>) -> Option<Block> {
    let named = |name: &&str| part.get(name).is_some_and(Value::is_object);
    let fields =
        [kind, "source"].iter().find(|name| named(name)).map_or_else(|| part.clone(), |name| part.object(name));
    if fields.text("type").is_some_and(|word| matches!(&*word, "text" | "content")) {
        return None;
    }
    let word = |names: &[&str]| names.iter().find_map(|name| fields.boxed(name));
    let of_format =
        || fields.text("format").map(|format| format!("{}/{format}", kind.trim_start_matches("input_")).into());
    if let Some(data) = word(DATA).filter(|data| !data.starts_with("data:")) {
        let media_type = word(TYPES).or_else(of_format).unwrap_or_default();
        return Some(Block::Image(Image { data, media_type }));
    }
    word(DATA).or_else(|| word(PLACES)).or_else(|| part.boxed(kind)).map(|address| image(&address))
}

/// A picture by its address, which is mostly a `data:` one.
pub(in crate::import) fn image(url: &str) -> Block {
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(','));
    let (media_type, data) = match inline {
        Some((head, data)) => (head.strip_suffix(";base64").unwrap_or(head), data),
        None => (ADDRESS, url),
    };
    Block::Image(Image { data: data.into(), media_type: media_type.into() })
}

/// Reasoning; withheld where only a signature is left of it.
pub(in crate::import) fn thinking(said: &str, signature: Option<Box<str>>) -> Block {
    let redacted = said.is_empty() && signature.is_some();
    Block::Thinking { text: Text::from(said), signature, redacted }
}

/// A tool call.
pub(in crate::import) fn call(id: Box<str>, name: &str, arguments: JsonText) -> Block {
    Block::ToolCall(ToolCall { id, name: Text::from(name).into(), arguments })
}

/// Arguments that the source holds as text: JSON as a rule, or free text, which becomes a JSON string.
pub(in crate::import) fn arguments(said: &str) -> JsonText {
    let text = if said.trim().is_empty() { "{}" } else { said };
    JsonText::new(text).unwrap_or_else(|| free_text(said))
}

/// Free text as JSON.
pub(in crate::import) fn free_text(said: &str) -> JsonText {
    #[expect(clippy::unwrap_used, reason = "a string that was just quoted is JSON")]
    JsonText::new(quoted(said)).unwrap()
}

/// Arguments that the source holds as JSON, or as text.
pub(in crate::import) fn any_arguments(value: Option<Value<'_>>) -> JsonText {
    let Some(value) = value else { return arguments("") };
    match value.text() {
        Some(said) => arguments(&said),
        None => value.json().unwrap_or_else(|| free_text(value.raw())),
    }
}
