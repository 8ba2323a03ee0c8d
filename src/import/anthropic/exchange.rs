//! One request, and the answer to it where it was recorded.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::content::{Parts, parts};
use super::marks::marks;
use super::stream;
use super::usage::{Counts, stop_reason};
use crate::import::extra::Extras;
use crate::import::object::Rest;
use crate::import::place::Spot;
use crate::import::slot::{Sink, Slot};
use crate::transcript::json::read::{Raw, Reader};
use crate::transcript::{Block, Content, Head, StopReason, Text, ToolSchema, Usage};

/// A message of a request.
pub(super) struct Sent {
    pub(super) assistant: bool,
    pub(super) parts: Parts,
    pub(super) extra: Extras,
    /// Equal for messages that say the same, whatever their cache marks.
    pub(super) print: u64,
}

/// What came back.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) id: Option<Box<str>>,
    pub(super) model: Option<Box<str>>,
    pub(super) content: Content,
    pub(super) usage: Option<Usage>,
    pub(super) stop: Option<StopReason>,
    pub(super) error: Option<Box<str>>,
    pub(super) extra: Extras,
}

/// A request with its answer.
pub(super) struct Exchange {
    /// Line of the log; of a file that is one request, nothing.
    pub(super) line: Option<usize>,
    /// When the request was sent, as written.
    pub(super) time: Option<Box<str>>,
    pub(super) model: Box<str>,
    pub(super) head: Head,
    pub(super) messages: Vec<Sent>,
    /// `None` in a file without answers.
    pub(super) answer: Option<Answer>,
    /// Its marks for the cache, as JSON.
    pub(super) marks: String,
    /// Other fields of the request.
    pub(super) settings: Vec<(Box<str>, Box<str>)>,
}

impl Exchange {
    /// Reads a request body. `None` when it has no messages.
    pub(super) fn of_body(raw: &str, sink: &mut Sink) -> Option<Self> {
        let mut body = Rest::of(raw)?;
        let list = body.take("messages")?;
        let list = elements(list.text())?;
        let marks = marks(&body, &list);
        let messages = list.into_iter().enumerate().filter_map(|(at, raw)| sent(raw.text(), at, sink)).collect();
        let head = Head { system: system(body.take("system"), sink), tools: body.take("tools").map(|raw| tools(&raw)) };
        Some(Self {
            line: None,
            time: None,
            model: body.scalar("model").optional(sink, "model").unwrap_or_default(),
            head,
            messages,
            answer: None,
            marks,
            settings: body.iter().map(|(key, raw)| (key.into(), raw.text().into())).collect(),
        })
    }

    /// A number for system prompt and tools.
    pub(super) fn head_print(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.head.system.as_ref().map(Text::as_str).hash(&mut hasher);
        for tool in self.head.tools.iter().flatten() {
            (&tool.name, &tool.description, &tool.parameters).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Where the messages of the request body `text` begin, in bytes.
pub(super) fn message_bytes(text: &str) -> Vec<usize> {
    let list = Rest::of(text).and_then(|mut body| body.take("messages")).and_then(|list| elements(list.text()));
    list.unwrap_or_default().iter().filter_map(|message| Spot::of(message.text()).within(text)).collect()
}

/// The elements of the list `raw`. `None` when it is none.
pub(super) fn elements(raw: &str) -> Option<Vec<Raw<'_>>> {
    let mut elements = Vec::new();
    let read = Reader::new(raw).list(|reader| {
        elements.push(reader.raw()?);
        Ok(())
    });
    read.ok().map(|()| elements)
}

/// Reads the message at `at` of a list.
fn sent(raw: &str, at: usize, sink: &mut Sink) -> Option<Sent> {
    let mut own = Sink::default();
    let Some(mut message) = Rest::of(raw) else {
        sink.bad_at(Spot::of(raw), format!("`messages.{at}` is not an object; left out"));
        return None;
    };
    let role = message.scalar::<Box<str>>("role").optional(&mut own, "role").unwrap_or_default();
    if !matches!(&*role, "user" | "assistant") {
        own.bad_at(Spot::of(raw), format!("`messages.{at}` has role `{role}`; read as a message of the user"));
    }
    let parts = parts(message.take("content").map(Raw::text), "content", &mut own);
    message.flush(&mut own, "");
    sink.faults.append(&mut own.faults);
    let assistant = &*role == "assistant";
    if assistant && !parts.results.is_empty() {
        sink.bad_at(Spot::of(raw), format!("`messages.{at}` is a reply with tool results; they are left out"));
    }
    Some(Sent { assistant, print: print(assistant, &parts), parts, extra: own.extra })
}

/// A number for what a message says.
fn print(assistant: bool, parts: &Parts) -> u64 {
    let mut hasher = DefaultHasher::new();
    assistant.hash(&mut hasher);
    blocks_print(&parts.content, &mut hasher);
    for result in &parts.results {
        (&result.call_id, result.is_error).hash(&mut hasher);
        blocks_print(&result.content, &mut hasher);
    }
    hasher.finish()
}

fn blocks_print(content: &Content, hasher: &mut DefaultHasher) {
    for block in &content.blocks {
        match block {
            Block::Text(text) => (0, text.as_str()).hash(hasher),
            Block::Thinking { text, signature, .. } => (1, text.as_str(), signature).hash(hasher),
            Block::ToolCall(call) => (2, &call.id, call.name.as_str()).hash(hasher),
            Block::Image(image) => (3, &image.data).hash(hasher),
            Block::Other(raw) => (4, raw.as_str()).hash(hasher),
        }
    }
}

/// A number for a reply, as [`print`] makes it for the same reply in a later request.
pub(super) fn reply_print(content: &Content) -> u64 {
    print(true, &Parts { content: content.clone(), results: Vec::new() })
}

/// The system prompt: a string, or blocks, which are joined by line breaks.
fn system(raw: Option<Raw<'_>>, sink: &mut Sink) -> Option<Text> {
    let raw = raw.map(Raw::text).filter(|&raw| raw != "null")?;
    let mut own = Sink::default();
    let content = parts(Some(raw), "system", &mut own).content;
    sink.faults.append(&mut own.faults);
    let texts: Vec<&str> = content
        .blocks
        .iter()
        .filter_map(|block| if let Block::Text(text) = block { Some(text.as_str()) } else { None })
        .collect();
    Some(Text::new(texts.join("\n")))
}

/// The tool schemas. Of a tool of the provider, which has no schema, the whole definition is kept.
fn tools(raw: &str) -> Vec<ToolSchema> {
    let list = elements(raw).unwrap_or_default();
    let tool = |raw: Raw<'_>| {
        let mut tool = Rest::of(raw.text())?;
        let mut word = |name: &str| if let Slot::Good(word) = tool.scalar::<Box<str>>(name) { word } else { "".into() };
        let (name, description) = (word("name"), word("description"));
        let parameters = tool.take("input_schema").map_or(raw, |schema| schema).text().into();
        Some(ToolSchema { name, description, parameters })
    };
    list.into_iter().filter_map(tool).collect()
}

/// The answer in a recorded response: a message, a stream of events, or an error.
pub(super) fn answer(response: &str, sink: &mut Sink) -> Answer {
    let Some(mut response) = Rest::of(response) else {
        return Answer { stop: Some(StopReason::Aborted), ..Answer::default() };
    };
    let mut own = Sink::default();
    let mut answer = match response.take("body") {
        Some(body) if body.trim_start().starts_with('{') => whole(&body, &mut own),
        body => {
            let raw = body.filter(|raw| raw.text() != "null").or_else(|| response.take("body_raw"));
            match raw.and_then(|raw| Slot::<Box<str>>::of(raw.text()).good()) {
                Some(text) if text.trim_start().starts_with('{') => whole(&text, &mut own),
                Some(text) => stream::read(&text, &mut own),
                _ => Answer::default(),
            }
        }
    };
    let status = response.scalar::<u64>("status_code").optional(&mut own, "status_code");
    if let Some(status) = status.filter(|status| *status >= 400)
        && answer.error.is_none()
    {
        answer.error = Some(format!("status {status}").into());
    }
    if answer.error.is_some() {
        answer.stop = Some(StopReason::Error);
    }
    sink.faults.append(&mut own.faults);
    answer.extra = own.extra;
    // A stream that ended without a reason was cut.
    answer.stop.get_or_insert(StopReason::Aborted);
    answer
}

/// A response that is one message.
fn whole(raw: &str, sink: &mut Sink) -> Answer {
    let mut message = Rest::of(raw).unwrap_or_default();
    if let Slot::Good(kind) = message.scalar::<Box<str>>("type")
        && &*kind == "error"
    {
        return Answer { error: Some(error_text(raw)), ..Answer::default() };
    }
    let word = message.scalar::<Box<str>>("stop_reason").optional(sink, "stop_reason");
    Answer {
        id: message.scalar("id").optional(sink, "id"),
        model: message.scalar("model").optional(sink, "model"),
        content: parts(message.take("content").map(Raw::text), "content", sink).content,
        usage: message.take("usage").and_then(|raw| Counts::read(&raw, "usage", sink)).and_then(Counts::usage),
        stop: stop_reason(word.as_deref()),
        ..Answer::default()
    }
}

/// The words of `{"type":"error","error":{"message":…}}`, or all of it.
pub(super) fn error_text(raw: &str) -> Box<str> {
    let inner = Rest::of(raw).and_then(|mut outer| outer.take("error"));
    let message = inner.and_then(|inner| Rest::of(inner.text())).map(|mut inner| inner.scalar::<Box<str>>("message"));
    if let Some(Slot::Good(message)) = message { message } else { raw.into() }
}
