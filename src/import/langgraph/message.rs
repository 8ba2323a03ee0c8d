//! One LangChain message.

use super::reply;
use crate::import::chain::{Answer, Chain, Stamp};
use crate::import::chat::content::{any_arguments, call, thinking};
use crate::import::value::{Object, Value};
use crate::import::{FindingKind, chat};
use crate::transcript::{Block, Content, Custom, EntryKind, Image, Message, System, Text, joined_text};

/// What a message is, in LangChain's words and those of deer-flow 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Human,
    Ai,
    Tool,
    System,
    /// Removes another message from the state; never sent.
    Remove,
    /// A class this reader does not know.
    Other(Box<str>),
}

impl Kind {
    /// The kind of a value that is a message. `None` when it does not look like one.
    pub(super) fn of(value: Value<'_>) -> Option<Self> {
        let outer = value.object();
        let outer_type = outer.text("type").unwrap_or_default();
        if outer_type == "constructor" && outer.has("lc") {
            let class = outer.items("id").last().and_then(|name| name.text());
            return Some(Self::named(&class.unwrap_or_default()));
        }
        if outer.has("agent") && outer.has("id") {
            return match outer.text("role")?.as_ref() {
                "user" => Some(Self::Human),
                "assistant" => Some(Self::Ai),
                "tool" => Some(Self::Tool),
                "system" => Some(Self::System),
                _ => None,
            };
        }
        let shaped = outer.has("content") || outer.has("data");
        let kind = Self::named(&outer_type);
        let known = !matches!(kind, Self::Other(_));
        let other = outer.has("additional_kwargs") || outer.has("response_metadata");
        (known && (shaped || kind == Self::Remove) || other && shaped && !outer_type.is_empty()).then_some(kind)
    }

    /// `ai`, `AIMessage` and `AIMessageChunk` are the same.
    fn named(word: &str) -> Self {
        let base = word.strip_suffix("Chunk").unwrap_or(word);
        match base.strip_suffix("Message").unwrap_or(base) {
            "human" | "Human" => Self::Human,
            "ai" | "AI" => Self::Ai,
            "tool" | "Tool" => Self::Tool,
            "system" | "System" => Self::System,
            "remove" | "Remove" => Self::Remove,
            _ => Self::Other(word.into()),
        }
    }
}

/// The fields of a message, out of `kwargs` or `data`.
fn fields(value: Value<'_>) -> Object<'_> {
    let outer = value.object();
    let inner = ["kwargs", "data"].into_iter().find_map(|name| outer.get(name)).filter(|inner| inner.is_object());
    inner.filter(|_| !outer.has("content")).map_or(outer, Value::object)
}

/// The message's id.
pub(super) fn id(value: Value<'_>) -> Option<Box<str>> {
    fields(value).boxed("id")
}

/// The text of a message.
pub(super) fn text(value: Value<'_>) -> Text {
    let content = content(fields(value).get("content"), &mut Chain::default(), 0);
    Text::new(joined_text(&content).into_owned())
}

/// Appends the message in `value`. `model` is that of the run.
pub(super) fn push(chain: &mut Chain, line: usize, value: Value<'_>, model: Option<&str>) {
    chain.here = Some(value.at());
    let fields = fields(value);
    let stamp = Stamp { id: fields.boxed("id"), timestamp: None };
    let said = |chain: &mut Chain| content(fields.get("content"), chain, line);
    let message = match Kind::of(value) {
        Some(Kind::Human) => Message::User(said(chain)),
        Some(Kind::Ai) if fields.text("finish_reason").as_deref() == Some("interrupt") => {
            // deer-flow's own question to the person; no model said it.
            let content = said(chain);
            Message::Custom(Box::new(Custom { kind: "interrupt".into(), content, display: true, details: None }))
        }
        Some(Kind::Ai) => reply::read(chain, line, &fields, model),
        Some(Kind::Tool) => return result(chain, line, stamp, &fields),
        Some(Kind::System) => return system(chain, line, stamp, text(value)),
        Some(Kind::Remove) => return chain.note(line, stamp, "remove", value),
        Some(Kind::Other(word)) => return unknown(chain, line, stamp, &word, value),
        None => return unknown(chain, line, stamp, "none", value),
    };
    chain.push(line, stamp, EntryKind::Message(message));
}

fn unknown(chain: &mut Chain, line: usize, stamp: Stamp, kind: &str, value: Value<'_>) {
    let fault = format!("a message of unknown type `{kind}`; kept as a note");
    chain.fault(line, FindingKind::UnknownKind, fault);
    chain.note(line, stamp, kind, value);
}

/// The prompt before all messages belongs to the head.
fn system(chain: &mut Chain, line: usize, stamp: Stamp, content: Text) {
    if chain.transcript.entries.is_empty() && chain.transcript.head.system.is_none() {
        chain.transcript.head.system = Some(content);
        return;
    }
    let message = Message::System(Box::new(System { content, sections: Vec::new(), tools_added: None }));
    chain.push(line, stamp, EntryKind::Message(message));
}

fn result(chain: &mut Chain, line: usize, stamp: Stamp, fields: &Object<'_>) {
    let answer = Answer {
        call_id: fields.boxed("tool_call_id").unwrap_or_default(),
        tool: fields.boxed("name"),
        content: content(fields.get("content"), chain, line),
        is_error: fields.text("status").as_deref() == Some("error"),
    };
    chain.result(line, stamp, answer);
}

/// Content: as in chat-completions, and LangChain's own parts.
pub(super) fn content(value: Option<Value<'_>>, chain: &mut Chain, line: usize) -> Content {
    let Some(list) = value.filter(|value| value.is_list()) else { return chat::content::content(value, chain, line) };
    let blocks = list.items().into_iter().flat_map(|part| block(part, chain, line)).collect();
    Content { blocks, plain: false }
}

fn block(part: Value<'_>, chain: &mut Chain, line: usize) -> Vec<Block> {
    let fields = part.object();
    match fields.text("type").unwrap_or_default().as_ref() {
        "tool_use" | "tool_call" => {
            let arguments = any_arguments(fields.get("input").or_else(|| fields.get("args")));
            let name = fields.text("name").unwrap_or_default();
            vec![call(fields.boxed("id").unwrap_or_default(), &name, arguments)]
        }
        "reasoning" => {
            let summary: Vec<_> =
                fields.items("summary").iter().filter_map(|part| part.object().text("text")).collect();
            let said = fields.text("reasoning").map_or_else(|| summary.join("\n"), std::borrow::Cow::into_owned);
            vec![thinking(&said, fields.boxed("signature"))]
        }
        "image" if fields.has("base64") || fields.has("mime_type") => {
            let data = ["base64", "data", "url"].into_iter().find_map(|name| fields.boxed(name)).unwrap_or_default();
            vec![Block::Image(Image { data, media_type: fields.boxed("mime_type").unwrap_or_default() })]
        }
        _ => chat::content::content(Some(part), chain, line).blocks,
    }
}
