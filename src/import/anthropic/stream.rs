//! A reply that was streamed: server-sent events put together again.

use super::exchange::{Answer, error_text};
use super::usage::{Counts, stop_reason};
use crate::import::FindingKind;
use crate::import::extra::quoted;
use crate::import::object::Rest;
use crate::import::place::Spot;
use crate::import::slot::{Sink, Slot};
use crate::transcript::{Block, JsonText, Text, ToolCall};

/// A block that is being streamed.
enum Open {
    Text(String),
    Thinking { text: String, signature: String },
    Call { id: Box<str>, name: Box<str>, input: String, begun: Box<str> },
    Whole(Box<str>),
}

/// What the events so far have said.
#[derive(Default)]
struct Stream {
    answer: Answer,
    blocks: Vec<Open>,
    counts: Counts,
}

/// Reads the events in `raw`. Blocks without an end are kept as far as they came.
pub(super) fn read(raw: &str, sink: &mut Sink) -> Answer {
    let mut stream = Stream::default();
    for data in raw.lines().filter_map(|line| line.strip_prefix("data:")) {
        match Rest::of(data.trim()) {
            Some(event) => stream.event(event, data.trim(), sink),
            None => sink.bad("an event of the stream is no JSON object; left out"),
        }
    }
    let Stream { mut answer, blocks, counts } = stream;
    answer.usage = counts.usage();
    answer.content.blocks = blocks.into_iter().filter_map(|block| close(block, sink)).collect();
    answer
}

impl Stream {
    /// Takes the event `raw`, which is the object `event`.
    fn event(&mut self, mut event: Rest<'_>, raw: &str, sink: &mut Sink) {
        match &*word(&mut event, "type") {
            "message_start" => {
                if let Some(raw) = event.take("message")
                    && let Some(mut message) = Rest::of(&raw)
                {
                    self.answer.id = message.scalar("id").optional(sink, "message.id");
                    self.answer.model = message.scalar("model").optional(sink, "message.model");
                    count(&mut message, &mut self.counts, sink);
                }
            }
            "content_block_start" => self.blocks.extend(event.take("content_block").map(|raw| open(&raw))),
            "content_block_delta" => self.piece(event, sink),
            "message_delta" => {
                if let Some(raw) = event.take("delta")
                    && let Some(mut delta) = Rest::of(&raw)
                {
                    let word = delta.scalar::<Box<str>>("stop_reason").optional(sink, "stop_reason");
                    self.answer.stop = stop_reason(word.as_deref()).or(self.answer.stop.take());
                }
                count(&mut event, &mut self.counts, sink);
            }
            "error" => self.answer.error = Some(error_text(raw)),
            "ping" | "content_block_stop" | "message_stop" => {}
            other => {
                let fault = format!("an event of unknown type `{other}`; left out");
                sink.fault(Spot::default(), FindingKind::UnknownKind, fault);
            }
        }
    }

    /// A piece of a block.
    fn piece(&mut self, mut event: Rest<'_>, sink: &mut Sink) {
        let at = event.scalar::<u64>("index").optional(sink, "index").and_then(|at| usize::try_from(at).ok());
        let block = at.and_then(|at| self.blocks.get_mut(at));
        match (block, event.take("delta")) {
            (Some(block), Some(raw)) => grow(block, &raw, sink),
            _ => sink.bad("a piece of a block that was not begun; left out"),
        }
    }
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
            sink.fault(Spot::default(), FindingKind::UnknownKind, fault);
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
            Block::ToolCall(ToolCall { id, name: Text::new(name).into(), arguments })
        }
        Open::Whole(raw) => {
            let mut parts = super::content::parts(Some(&format!("[{raw}]")), "content", sink);
            return parts.content.blocks.pop();
        }
    })
}
