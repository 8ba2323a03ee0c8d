//! Inspect's messages.

use std::borrow::Cow;

use super::attachments::Attachments;
use crate::import::FindingKind;
use crate::import::chain::{Answer, Chain, Stamp};
use crate::import::chat::content::{any_arguments, call, content as chat_content, image, thinking};
use crate::import::chat::usage::{known_prompt, whole};
use crate::import::spelling::digest;
use crate::import::value::{Object, Value};
use crate::transcript::{Block, Content, EntryKind, Message, Reply, StopReason, System, Text, Usage, joined_text};

/// A digest that is equal for equal messages: by their id, or by what they say.
pub(super) fn key(message: Value<'_>, attachments: &Attachments<'_>) -> u64 {
    let fields = message.object();
    let role = fields.text("role").unwrap_or_default();
    if let Some(id) = fields.text("id") {
        return digest((role, id));
    }
    let said = match fields.get("content") {
        Some(list) if list.is_list() => {
            let part = |part: Value<'_>| {
                let fields = part.object();
                let named = ["text", "reasoning", "image"].into_iter().find_map(|name| fields.get(name));
                named.map_or_else(|| attachments.digest(part), |value| attachments.digest(value))
            };
            list.items().into_iter().map(part).collect()
        }
        Some(text) => vec![attachments.digest(text)],
        None => Vec::new(),
    };
    let calls: Vec<_> = fields.items("tool_calls").iter().map(|call| call.object().boxed("id")).collect();
    digest((role, said, calls, fields.text("tool_call_id")))
}

/// The text of a message.
pub(super) fn text(message: Value<'_>, attachments: &Attachments<'_>) -> Text {
    let raw = attachments.resolve(message.raw());
    let said = content(Value::unchecked(&raw, 0).object().get("content"), &mut Chain::default(), 0);
    Text::new(joined_text(&said).into_owned())
}

/// What is known of a reply besides its message.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) provider: Box<str>,
    pub(super) model: Box<str>,
    pub(super) stop: Option<StopReason>,
    pub(super) usage: Option<Usage>,
    pub(super) error: Option<Box<str>>,
}

/// Appends a message and gives its position; `None` for a system prompt that went to the head.
pub(super) fn push(
    chain: &mut Chain,
    stamp: Stamp,
    message: Value<'_>,
    attachments: &Attachments<'_>,
    output: Output,
) -> Option<usize> {
    let raw = attachments.resolve(message.raw());
    let value = match &raw {
        Cow::Borrowed(_) => message,
        Cow::Owned(raw) => Value::unchecked(raw, message.at()),
    };
    chain.here = Some(value.at());
    let fields = value.object();
    let line = chain.transcript.entries.len() + 1;
    if let Some(name) = attachments.missing(&raw) {
        let fault = format!("attachment `{name}` is not in the sample: its text is not known");
        chain.fault(line, FindingKind::MissingTarget, fault);
    }
    let said = content(fields.get("content"), chain, line);
    let message = match fields.text("role").unwrap_or_default().as_ref() {
        "user" => Message::User(said),
        "assistant" => reply(said, &fields, output),
        "system" | "developer" => {
            let content = Text::new(joined_text(&said).into_owned());
            if chain.transcript.entries.is_empty() && chain.transcript.head.system.is_none() {
                chain.transcript.head.system = Some(content);
                return None;
            }
            Message::System(Box::new(System { content, sections: Vec::new(), tools_added: None }))
        }
        "tool" => {
            chain.result(line, stamp, answer(said, &fields));
            return Some(line - 1);
        }
        other => {
            let fault = format!("a message of unknown role `{other}`; kept as a note");
            chain.fault(line, FindingKind::UnknownKind, fault);
            chain.note(line, stamp, other, value);
            return Some(line - 1);
        }
    };
    Some(chain.push(line, stamp, EntryKind::Message(message)))
}

/// What a tool answered; of a failure the model is shown the error.
fn answer(mut content: Content, fields: &Object<'_>) -> Answer {
    let error = fields.get("error").map(Value::object);
    let nothing = content.blocks.iter().all(|block| matches!(block, Block::Text(text) if text.is_empty()));
    if let Some(message) = error.as_ref().and_then(|error| error.boxed("message")).filter(|_| nothing) {
        content = Content { blocks: vec![Block::Text(Text::new(message))], plain: true };
    }
    let call_id = fields.boxed("tool_call_id").unwrap_or_default();
    Answer { call_id, tool: fields.boxed("function"), content, is_error: error.is_some() }
}

fn reply(mut said: Content, fields: &Object<'_>, output: Output) -> Message {
    // An empty text beside calls is how none is spelled.
    said.blocks.retain(|block| !matches!(block, Block::Text(text) if text.is_empty()));
    for outer in fields.items("tool_calls") {
        let outer = outer.object();
        let name = outer.text("function").or_else(|| outer.text("name")).unwrap_or_default();
        let id = outer.boxed("id").unwrap_or_default();
        said.blocks.push(call(id, &name, any_arguments(outer.get("arguments"))));
        said.plain = false;
    }
    let calls = said.blocks.iter().any(|block| matches!(block, Block::ToolCall(_)));
    let stop = if calls { StopReason::ToolUse } else { StopReason::Stop };
    let model = if output.model.is_empty() { fields.boxed("model").unwrap_or_default() } else { output.model };
    let reply = Reply {
        api: "".into(),
        provider: output.provider.into(),
        model: model.into(),
        stop: if output.error.is_some() { StopReason::Error } else { output.stop.unwrap_or(stop) },
        usage: output.usage,
        error: output.error,
    };
    Message::Assistant(said, Box::new(reply))
}

fn content(value: Option<Value<'_>>, chain: &mut Chain, line: usize) -> Content {
    let Some(list) = value.filter(|value| value.is_list()) else { return chat_content(value, chain, line) };
    let mut blocks = Vec::new();
    for part in list.items() {
        let fields = part.object();
        match fields.text("type").unwrap_or_default().as_ref() {
            "image" => blocks.extend(fields.text("image").map(|url| image(&url))),
            "reasoning" => {
                // Of withheld reasoning the field holds the provider's own form of it, which is no text.
                let redacted = fields.flag("redacted");
                let said = fields.text(if redacted { "summary" } else { "reasoning" }).unwrap_or_default();
                let signature = fields.boxed(if redacted { "reasoning" } else { "signature" });
                blocks.push(match thinking(&said, signature) {
                    Block::Thinking { text, signature, .. } => Block::Thinking { text, signature, redacted },
                    other => other,
                });
            }
            // A tool that the provider ran itself: call and result in one.
            "tool_use" => blocks.extend(part.json().map(Block::Other)),
            _ => blocks.extend(chat_content(Some(part), chain, line).blocks),
        }
    }
    Content { blocks, plain: false }
}

/// Inspect's words for why a reply ended.
pub(super) fn stop_reason(word: &str) -> StopReason {
    match word {
        "stop" => StopReason::Stop,
        "max_tokens" | "model_length" => StopReason::Length,
        "tool_calls" => StopReason::ToolUse,
        other => StopReason::Other(other.into()),
    }
}

/// Usage, exclusive of the cache.
pub(super) fn usage(fields: &Object<'_>, chain: &mut Chain, line: usize) -> Option<Usage> {
    let mut known = |name: &str| chain.count(fields, name, line);
    let (input, output) = (known("input_tokens"), known("output_tokens"));
    let input = known_prompt(input, output, chain, line)?;
    let output = output.unwrap_or_default();
    let mut known = |name: &str| chain.count(fields, name, line);
    let mut count = |name: &str| known(name).unwrap_or_default();
    let (cache_read, cache_write) = (count("input_tokens_cache_read"), count("input_tokens_cache_write"));
    let [total, reasoning] = ["total_tokens", "reasoning_tokens"].map(|name| known(name).filter(|&count| count > 0));
    let cached = cache_read + cache_write;
    let includes = cached <= input && total.is_none_or(|total| total == input + output);
    Some(Usage {
        input: if includes { input - cached } else { input },
        output,
        cache_read,
        cache_write,
        reasoning,
        total: whole(total, cached + output),
        ..Usage::default()
    })
}
