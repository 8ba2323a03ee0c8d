//! Length divided by a constant, in the unit that is named.

use serde::{Deserialize, Serialize};

use super::pieces::{Piece, pieces};
use super::{Estimator, ceil, real};
use crate::transcript::{Head, JsonText, Message, Text, Tokens};

/// What a length is counted in. The three differ as soon as a text leaves ASCII: 你 is 1, 1 and 3; 😀 is 2, 1 and 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// UTF-16 code units: JavaScript's `length`.
    #[default]
    Utf16,
    /// Unicode code points: Python's `len`.
    CodePoints,
    /// Bytes of UTF-8: Rust's and Go's `len`.
    Bytes,
}

impl Unit {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf16 => "utf16",
            Self::CodePoints => "code-points",
            Self::Bytes => "bytes",
        }
    }

    /// Its name in a sentence.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Utf16 => "UTF-16 units",
            Self::CodePoints => "characters",
            Self::Bytes => "bytes",
        }
    }

    /// Length of a text; it was measured when the text was read.
    pub fn of(self, text: &Text) -> usize {
        match self {
            Self::Utf16 => text.utf16_len(),
            Self::CodePoints => text.char_len(),
            Self::Bytes => text.byte_len(),
        }
    }

    /// Length of JSON: as `JSON.stringify` prints it in UTF-16 units, as it is spelled in the other units.
    pub fn of_json(self, json: &JsonText) -> usize {
        match self {
            Self::Utf16 => json.js_utf16_len(),
            Self::CodePoints => bytecount::num_chars(json.as_str().as_bytes()),
            Self::Bytes => json.as_str().len(),
        }
    }
}

/// Length of text, reasoning, tool names and arguments, divided by a constant, rounded up once per message. Pictures
/// count `image_tokens` each; signatures count nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// Units per token.
    pub per_token: f64,
    /// The unit.
    pub unit: Unit,
    /// Tokens per picture.
    pub image_tokens: u64,
}

impl Length {
    fn tokens(&self, length: usize) -> Tokens {
        ceil(real(length as u64) / self.per_token)
    }
}

impl Estimator for Length {
    fn message(&self, message: &Message) -> Tokens {
        let (mut length, mut images) = (0, 0);
        pieces(message, |piece| match piece {
            Piece::Text(text) | Piece::Thinking(text) => length += self.unit.of(text),
            Piece::Call(call) => length += self.unit.of(&call.name) + self.unit.of_json(&call.arguments),
            Piece::Json(json) => length += self.unit.of_json(json),
            Piece::Image(_) => images += self.image_tokens,
        });
        self.tokens(length) + Tokens(images)
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        let mut length = self.unit.of(head.system.as_ref()?);
        for tool in head.tools.as_ref()? {
            for part in [&tool.name, &tool.description, &tool.parameters] {
                length += self.unit.of(&Text::new(part.clone()));
            }
        }
        Some(self.tokens(length))
    }
}

#[cfg(test)]
mod tests {
    use super::{Length, Unit};
    use crate::engine::estimate::Estimator;
    use crate::transcript::{Block, Content, Image, Message, Text, Tokens};

    fn said(blocks: Vec<Block>) -> Message {
        Message::User(Content { blocks, plain: false })
    }

    #[test]
    fn the_unit_decides() {
        // 你好😀: 4 UTF-16 units, 3 code points, 10 bytes.
        let message = said(vec![Block::Text(Text::from("你好😀"))]);
        let count = |unit| Length { per_token: 2.0, unit, image_tokens: 0 }.message(&message);
        assert_eq!(count(Unit::Utf16), Tokens(2));
        assert_eq!(count(Unit::CodePoints), Tokens(2));
        assert_eq!(count(Unit::Bytes), Tokens(5));
    }

    #[test]
    fn a_picture_costs_its_flat_price_and_a_message_is_rounded_once() {
        let image = Block::Image(Image { data: "A".repeat(12_000).into(), media_type: "image/png".into() });
        let text = |text: &str| Block::Text(Text::from(text));
        let estimator = Length { per_token: 4.0, unit: Unit::Utf16, image_tokens: 1_200 };
        // (1 + 2) / 4 is one token, not two.
        assert_eq!(estimator.message(&said(vec![text("a"), image, text("bc")])), Tokens(1_201));
    }
}
