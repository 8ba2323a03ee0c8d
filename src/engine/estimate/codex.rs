//! Codex CLI's: bytes of the serialised item / 4, anchored to the last reported total.
//!
//! Source: `openai/codex`, `codex-rs/core/src/context_manager/history.rs` at 023fad2 and
//! `codex-rs/utils/string/src/truncate.rs` at b24d7f3. An item is one entry of the Responses API: the texts of a message
//! together, every call and every output on its own. What other agents recorded is counted as the item it would be.

use super::anchored::since_usage;
use super::{Estimate, Estimator};
use crate::engine::view::ContextView;
use crate::transcript::{Block, Head, Message, Tokens, sent_parts};

/// Codex CLI's estimator.
#[derive(Clone, Copy, Debug)]
pub struct Codex;

/// Bytes that an inline picture counts, whatever its size.
const IMAGE_BYTES: usize = 7_373;

/// Bytes of an item without its texts.
const MESSAGE: usize = r#"{"type":"message","role":"user","content":[]}"#.len();
const CONTENT: usize = r#"{"type":"input_text","text":""},"#.len();
const CALL: usize = r#"{"type":"function_call","name":"","arguments":"","call_id":""}"#.len();
const OUTPUT: usize = r#"{"type":"function_call_output","call_id":"","output":""}"#.len();
const REASONING: usize = r#"{"type":"reasoning","summary":[{"type":"summary_text","text":""}]}"#.len();

/// Bytes of a text inside a JSON string, as serde writes it.
fn escaped(text: &str) -> usize {
    let bytes = text.as_bytes();
    let marks = bytes.iter().filter(|byte| matches!(byte, b'"' | b'\\')).count();
    let controls = bytes.iter().filter(|&&byte| byte < 0x20).count();
    // \b \t \n \f \r are two bytes; other controls are \u00XX.
    let short = bytes.iter().filter(|&&byte| matches!(byte, 8 | 9 | 10 | 12 | 13)).count();
    bytes.len() + marks + short + (controls - short) * 5
}

/// Bytes of an encrypted blob: it is base64, and 650 bytes of it are no tokens.
fn encrypted(len: usize) -> usize {
    (len * 3 / 4).saturating_sub(650)
}

fn tokens(bytes: usize) -> Tokens {
    Tokens(bytes.div_ceil(4) as u64)
}

/// Texts and pictures of a message that is one item.
fn content(blocks: &[Block]) -> usize {
    let one = |block: &Block| match block {
        Block::Text(text) => CONTENT + escaped(text.as_str()),
        Block::Image(_) => IMAGE_BYTES,
        Block::Other(raw) => raw.as_str().len(),
        Block::Thinking { .. } | Block::ToolCall(_) => 0,
    };
    blocks.iter().map(one).sum()
}

impl Estimator for Codex {
    fn message(&self, message: &Message) -> Tokens {
        match message {
            Message::Assistant(said, _) => {
                let spoken = content(&said.blocks);
                let text = if spoken == 0 { Tokens(0) } else { tokens(MESSAGE + spoken) };
                said.blocks.iter().map(own_item).sum::<Tokens>() + text
            }
            Message::ToolResult(result) => tokens(OUTPUT + result.call_id.len() + content(&result.content.blocks)),
            Message::User(said) => tokens(MESSAGE + content(&said.blocks)),
            Message::Custom(custom) => tokens(MESSAGE + content(&custom.content.blocks)),
            _ => {
                let mut bytes = MESSAGE;
                sent_parts(message, |part| {
                    if let crate::transcript::Part::Text(text) = part {
                        bytes += CONTENT + escaped(&text);
                    }
                });
                tokens(bytes)
            }
        }
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        let tool = |tool: &crate::transcript::ToolSchema| {
            const FRAME: usize =
                r#"{"type":"function","name":"","description":"","strict":false,"parameters":},"#.len();
            FRAME + escaped(&tool.name) + escaped(&tool.description) + tool.parameters.len()
        };
        let tools: usize = head.tools.as_ref()?.iter().map(tool).sum();
        Some(tokens(head.system.as_ref()?.byte_len()) + tokens(tools))
    }

    fn context(&self, view: &ContextView<'_>) -> Estimate {
        since_usage(view)
    }
}

/// Calls and reasoning are items of their own.
fn own_item(block: &Block) -> Tokens {
    match block {
        Block::ToolCall(call) => tokens(CALL + call.name.byte_len() + escaped(call.arguments.as_str()) + call.id.len()),
        Block::Thinking { signature: Some(blob), .. } => tokens(encrypted(blob.len())),
        Block::Thinking { text, .. } => tokens(REASONING + escaped(text.as_str())),
        _ => Tokens(0),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{Codex, escaped};
    use crate::engine::estimate::Estimator;
    use crate::transcript::{Block, Content, Image, Message, Text, Tokens};

    #[test]
    fn an_item_is_counted_as_it_is_serialised() {
        let said = |blocks| Codex.message(&Message::User(Content { blocks, plain: false }));
        // 45 + 32 + 5 bytes, one of them for the escape of the quote: 82 / 4 rounded up.
        assert_eq!(said(vec![Block::Text(Text::from("a\"bc"))]), Tokens(21));
        // A picture is 7,373 bytes whatever it holds: (45 + 7,373) / 4.
        let image = Image { data: "A".repeat(90_000).into(), media_type: "image/png".into() };
        assert_eq!(said(vec![Block::Image(image)]), Tokens(1_855));
    }

    proptest! {
        #[test]
        fn escapes_are_those_of_serde(text in "\\PC*[\\x00-\\x1f\"\\\\]*") {
            prop_assert_eq!(escaped(&text) + 2, serde_json::to_string(&text).unwrap().len());
        }
    }
}
