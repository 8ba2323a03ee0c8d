//! Gemini CLI's: a quarter token per ASCII character, one and a half for any other.
//!
//! Source: `google-gemini/gemini-cli` at 5411f11. The exported constant says 0.33; the default path uses 1/4. Above
//! 100,000 characters a text is its length / 4. Every message is rounded down here, the original rounds the whole sum
//! once: at most one token per message less.

use super::{Estimator, pieces};
use crate::transcript::{Head, Message, Text, Tokens, ToolCall};
use pieces::{Piece, pieces};

/// Gemini CLI's estimator.
#[derive(Clone, Copy, Debug)]
pub struct Gemini;

/// Quarter tokens of a picture: 3,000 tokens.
const IMAGE: usize = 12_000;
/// From here on the length alone counts.
const LONG: usize = 100_000;
/// `JSON.stringify` of a part without its contents.
const CALL: usize = r#"{"functionCall":{"name":"","args":}}"#.len();
const RESPONSE: usize = r#"{"functionResponse":{"id":"","name":"","response":{"output":""}}}"#.len();

/// Quarter tokens of a text.
fn quarters(text: &Text) -> usize {
    if text.utf16_len() > LONG {
        return text.utf16_len();
    }
    let continued = text.byte_len() - text.char_len();
    if continued == 0 {
        return text.char_len();
    }
    let ascii = text.as_str().bytes().filter(u8::is_ascii).count();
    ascii + (text.char_len() - ascii) * 6
}

fn call(call: &ToolCall) -> usize {
    CALL + call.name.utf16_len() + call.arguments.js_utf16_len()
}

impl Estimator for Gemini {
    fn message(&self, message: &Message) -> Tokens {
        let mut sum = 0;
        if let Message::ToolResult(result) = message {
            // A response is a part that is not text: the length of its JSON, whatever the script.
            sum += RESPONSE + result.call_id.len() + result.tool.len();
            pieces(message, |piece| match piece {
                Piece::Text(text) | Piece::Thinking(text) => sum += text.utf16_len() + escapes(text.as_str()),
                Piece::Image(_) => sum += IMAGE,
                Piece::Call(one) => sum += call(one),
                Piece::Json(json) => sum += json.js_utf16_len(),
            });
        } else {
            pieces(message, |piece| match piece {
                Piece::Text(text) | Piece::Thinking(text) => sum += quarters(text),
                Piece::Image(_) => sum += IMAGE,
                Piece::Call(one) => sum += call(one),
                Piece::Json(json) => sum += json.js_utf16_len(),
            });
        }
        Tokens((sum / 4) as u64)
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        let system = quarters(head.system.as_ref()?);
        let tools: usize = head
            .tools
            .as_ref()?
            .iter()
            .flat_map(|tool| [&tool.name, &tool.description, &tool.parameters])
            .map(|part| Text::new(part.clone()).utf16_len())
            .sum();
        Some(Tokens(((system + tools) / 4) as u64))
    }
}

/// Characters that JSON adds to a text: a backslash for quotes, backslashes and the usual controls.
fn escapes(text: &str) -> usize {
    text.bytes().filter(|byte| matches!(byte, b'"' | b'\\' | b'\n' | b'\r' | b'\t')).count()
}

#[cfg(test)]
mod tests {
    use super::Gemini;
    use crate::engine::estimate::Estimator;
    use crate::transcript::{Block, Content, Message, Text, Tokens};

    fn said(text: &str) -> Tokens {
        Gemini.message(&Message::User(Content { blocks: vec![Block::Text(Text::from(text))], plain: true }))
    }

    #[test]
    fn ascii_and_the_rest_have_their_own_rates() {
        // 8 / 4; 4 × 1.5 + 4 / 4; 1 × 1.5 rounded down.
        assert_eq!((said("eight ch"), said("请修复你abcd"), said("😀")), (Tokens(2), Tokens(7), Tokens(1)));
        // A long text is its length / 4 even where it is Chinese.
        assert_eq!(said(&"中".repeat(100_000)), Tokens(150_000));
        assert_eq!(said(&"中".repeat(100_001)), Tokens(25_000));
    }
}
