//! A reply that was streamed: server-sent events put together again.

use super::exchange::Answer;
use super::usage::{Counts, stop_reason};
use crate::import::FindingKind;
use crate::import::extra::quoted;
use crate::import::object::Rest;
use crate::import::slot::{Sink, Slot};
use crate::transcript::{Block, JsonText, Text, ToolCall};

/// A block that is being streamed.
enum Open {
    Text(String),
    Thinking { text: String, signature: String },
    Call { id: Box<str>, name: Box<str>, input: String, begun: Box<str> },
    Whole(Box<str>),
}

/// Reads the events in `raw`. Blocks without an end are kept as far as they came.
pub(super) fn read(raw: &str, sink: &mut Sink) -> Answer {
    let mut answer = Answer::default();
    let mut blocks: Vec<Open> = Vec::new();
    let mut counts = Counts::default();
    for data in raw.lines().filter_map(|line| line.strip_prefix("data:")) {
        let Some(mut event) = Rest::of(data.trim()) else {
            sink.bad("an event of the stream is no JSON object; left out");
            continue;
        };
        match &*word(&mut event, "type") {
            "message_start" => {
                if let Some(raw) = event.take("message")
                    && let Some(mut message) = Rest::of(&raw)
                {
                    answer.id = message.scalar("id").optional(sink, "message.id");
                    answer.model = message.scalar("model").optional(sink, "message.model");
                    count(&mut message, &mut counts, sink);
                }
            }
            "content_block_start" => blocks.extend(event.take("content_block").map(|raw| open(&raw))),
            "content_block_delta" => {
                let at = event.scalar::<u64>("index").optional(sink, "index").and_then(|at| usize::try_from(at).ok());
                let block = at.and_then(|at| blocks.get_mut(at));
                match (block, event.take("delta")) {
                    (Some(block), Some(raw)) => grow(block, &raw, sink),
                    _ => sink.bad("a piece of a block that was not begun; left out"),
                }
            }
            "message_delta" => {
                if let Some(raw) = event.take("delta")
                    && let Some(mut delta) = Rest::of(&raw)
                {
                    let word = delta.scalar::<Box<str>>("stop_reason").optional(sink, "stop_reason");
                    answer.stop = stop_reason(word.as_deref()).or(answer.stop.take());
                }
                count(&mut event, &mut counts, sink);
            }
            "error" => answer.error = Some(super::exchange::error_text(data.trim())),
            "ping" | "content_block_stop" | "message_stop" => {}
            other => {
                let fault = format!("an event of unknown type `{other}`; left out");
                sink.faults.push((FindingKind::UnknownKind, fault));
            }
        }
    }
    answer.usage = counts.usage();
    answer.content.blocks = blocks.into_iter().filter_map(|block| close(block, sink)).collect();
    answer
}

fn count(holder: &mut Rest<'_>, counts: &mut Counts, sink: &mut Sink) {
    if let Some(later) = holder.take("usage").and_then(|raw| Counts::read(&raw, "usage", sink)) {
        counts.update(later);
    }
}

fn word(rest: &mut Rest<'_>, name: &str) -> Box<str> {
    if let Slot::Good(word) = rest.scalar(name) { word } else { "".into() }
}

fn open(raw: &str) -> Open {
    let mut block = Rest::of(raw).unwrap_or_default();
    match &*word(&mut block, "type") {
        "text" => Open::Text(word(&mut block, "text").into()),
        "thinking" => Open::Thinking {
            text: word(&mut block, "thinking").into(),
            signature: word(&mut block, "signature").into(),
        },
        "tool_use" => Open::Call {
            id: word(&mut block, "id"),
            name: word(&mut block, "name"),
            input: String::new(),
            begun: block.take("input").map_or_else(|| "{}".into(), |raw| (&*raw).into()),
        },
        _ => Open::Whole(raw.into()),
    }
}

fn grow(block: &mut Open, raw: &str, sink: &mut Sink) {
    let mut delta = Rest::of(raw).unwrap_or_default();
    match (block, &*word(&mut delta, "type")) {
        (Open::Text(text), "text_delta") => text.push_str(&word(&mut delta, "text")),
        (Open::Thinking { text, .. }, "thinking_delta") => text.push_str(&word(&mut delta, "thinking")),
        (Open::Thinking { signature, .. }, "signature_delta") => signature.push_str(&word(&mut delta, "signature")),
        (Open::Call { input, .. }, "input_json_delta") => input.push_str(&word(&mut delta, "partial_json")),
        (_, kind) => {
            let fault = format!("a piece of unknown type `{kind}`; left out");
            sink.faults.push((FindingKind::UnknownKind, fault));
        }
    }
}

fn close(block: Open, sink: &mut Sink) -> Option<Block> {
    Some(match block {
        Open::Text(text) => Block::Text(Text::new(text)),
        Open::Thinking { text, signature } => {
            let signature = (!signature.is_empty()).then(|| signature.into());
            Block::Thinking { text: Text::new(text), signature, redacted: false }
        }
        Open::Call { id, name, input, begun } => {
            let spelled = if input.is_empty() { begun } else { input.into() };
            let arguments = JsonText::new(spelled.clone()).or_else(|| {
                sink.bad("the arguments of a call are no JSON, as when a stream was cut; kept as a string");
                JsonText::new(quoted(&spelled))
            })?;
            Block::ToolCall(ToolCall { id, name: Text::new(name), arguments })
        }
        Open::Whole(raw) => {
            let mut parts = super::content::parts(Some(format!("[{raw}]").into()), "content", sink);
            return parts.content.blocks.pop();
        }
    })
}
