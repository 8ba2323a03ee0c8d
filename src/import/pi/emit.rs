//! JSON objects written field by field.

use std::fmt::Display;
use std::io;

use crate::import::extra::Extras;
use crate::import::object::Rest;
use crate::transcript::{Block, Content, Cost, JsonText, Usage};

/// An object being written.
pub(super) struct Object<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> Object<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    pub(super) fn end(self) {
        self.out.push(b'}');
    }

    fn key(&mut self, key: &str) {
        if !self.empty {
            self.out.push(b',');
        }
        self.empty = false;
        self.out.extend_from_slice(crate::import::extra::quoted(key).as_bytes());
        self.out.push(b':');
    }

    pub(super) fn text(&mut self, key: &str, text: &str) -> io::Result<()> {
        self.key(key);
        string(self.out, text)
    }

    pub(super) fn some_text(&mut self, key: &str, text: Option<&str>) -> io::Result<()> {
        text.map_or(Ok(()), |text| self.text(key, text))
    }

    /// A value that is JSON already.
    pub(super) fn raw(&mut self, key: &str, json: &str) {
        self.key(key);
        self.out.extend_from_slice(json.as_bytes());
    }

    pub(super) fn some_json(&mut self, key: &str, json: Option<&JsonText>) {
        if let Some(json) = json {
            self.raw(key, json.as_str());
        }
    }

    /// An integer.
    pub(super) fn number(&mut self, key: &str, number: impl Display) {
        self.raw(key, &number.to_string());
    }

    fn dollars(&mut self, key: &str, dollars: f64) {
        // JSON has no other floats; the shortest form that reads back as the same number.
        let json = if dollars.is_finite() { dollars.to_string() } else { "0".to_owned() };
        self.raw(key, &json);
    }

    pub(super) fn boolean(&mut self, key: &str, value: bool) {
        self.raw(key, if value { "true" } else { "false" });
    }

    /// A truth value that Pi writes only when it is true.
    pub(super) fn flag(&mut self, key: &str, value: bool) {
        if value {
            self.boolean(key, true);
        }
    }

    /// An object under `key`.
    pub(super) fn nested(&mut self, key: &str, fill: impl FnOnce(&mut Object<'_>) -> io::Result<()>) -> io::Result<()> {
        self.key(key);
        let mut inner = Object::new(self.out);
        fill(&mut inner)?;
        inner.end();
        Ok(())
    }

    /// The fields that were kept for the object at `place`.
    pub(super) fn extras(&mut self, extras: &Extras, place: &str) {
        for (key, json) in extras.at(place) {
            self.raw(key, json);
        }
    }

    /// All fields of the object `json`.
    pub(super) fn fields_of(&mut self, json: &str) {
        for (key, value) in Rest::of(json).unwrap_or_default().iter() {
            self.raw(key, &value);
        }
    }

    /// The field `content`.
    pub(super) fn content(&mut self, content: &Content, place: &str, extras: &Extras) -> io::Result<()> {
        if let ([Block::Text(text)], true) = (content.blocks.as_slice(), content.plain) {
            return self.text("content", text.as_str());
        }
        self.key("content");
        self.out.push(b'[');
        for (at, block) in content.blocks.iter().enumerate() {
            if at > 0 {
                self.out.push(b',');
            }
            if let Block::Other(json) = block {
                self.out.extend_from_slice(json.as_str().as_bytes());
                continue;
            }
            let mut object = Object::new(self.out);
            object.block(block)?;
            object.extras(extras, &format!("{place}.{at}"));
            object.end();
        }
        self.out.push(b']');
        Ok(())
    }

    fn block(&mut self, block: &Block) -> io::Result<()> {
        match block {
            Block::Text(text) => {
                self.text("type", "text")?;
                self.text("text", text.as_str())
            }
            Block::Thinking { text, signature, redacted } => {
                self.text("type", "thinking")?;
                self.text("thinking", text.as_str())?;
                self.some_text("thinkingSignature", signature.as_deref())?;
                self.flag("redacted", *redacted);
                Ok(())
            }
            Block::ToolCall(call) => {
                self.text("type", "toolCall")?;
                self.text("id", &call.id)?;
                self.text("name", call.name.as_str())?;
                self.raw("arguments", call.arguments.as_str());
                Ok(())
            }
            Block::Image(image) => {
                self.text("type", "image")?;
                self.text("data", &image.data)?;
                self.text("mimeType", &image.media_type)
            }
            Block::Other(_) => Ok(()),
        }
    }

    /// The field `usage`. Pi expects a total and takes zero for "none".
    pub(super) fn usage(&mut self, usage: &Usage, place: &str, extras: &Extras) -> io::Result<()> {
        self.nested("usage", |inner| {
            inner.number("input", usage.input);
            inner.number("output", usage.output);
            inner.number("cacheRead", usage.cache_read);
            inner.number("cacheWrite", usage.cache_write);
            if let Some(tokens) = usage.cache_write_1h {
                inner.number("cacheWrite1h", tokens);
            }
            if let Some(tokens) = usage.reasoning {
                inner.number("reasoning", tokens);
            }
            inner.number("totalTokens", usage.total.unwrap_or(0));
            if let Some(cost) = &usage.cost {
                inner.nested("cost", |dollars| {
                    dollars.cost(cost);
                    dollars.extras(extras, &format!("{place}.cost"));
                    Ok(())
                })?;
            }
            inner.extras(extras, place);
            Ok(())
        })
    }

    fn cost(&mut self, cost: &Cost) {
        self.dollars("input", cost.input);
        self.dollars("output", cost.output);
        self.dollars("cacheRead", cost.cache_read);
        self.dollars("cacheWrite", cost.cache_write);
        self.dollars("total", cost.total);
    }
}

/// Appends `text` as a JSON string.
fn string(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    serde_json::to_writer(out, text)?;
    Ok(())
}
