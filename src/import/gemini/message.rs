//! One message of a Gemini CLI session.

use crate::import::FindingKind;
use crate::import::chain::{Answer, Chain, Stamp};
use crate::import::chat::content::{any_arguments, call, plain, thinking};
use crate::import::chat::usage::{exclusive, known_prompt, whole};
use crate::import::value::{Object, Value};
use crate::transcript::{Block, Content, EntryKind, Image, Message, Reply, StopReason, Text, Usage};

/// Types that are shown to the person only.
const SHOWN: &[&str] = &["info", "error", "warning"];

/// Appends a message, and the results of its calls.
pub(super) fn push(chain: &mut Chain, line: usize, raw: Value<'_>) {
    chain.here = Some(raw.at());
    let fields = raw.object();
    let stamp = Stamp { id: fields.boxed("id"), timestamp: fields.boxed("timestamp") };
    match &*fields.text("type").unwrap_or_default() {
        "user" => {
            let said = content(fields.get("content"), chain, line);
            chain.push(line, stamp, EntryKind::Message(Message::User(said)));
        }
        "gemini" => {
            reply(chain, line, stamp, &fields);
            for one in fields.items("toolCalls") {
                result(chain, line, &one.object());
            }
        }
        shown if SHOWN.contains(&shown) => chain.note(line, stamp, shown, raw),
        other => {
            let message = format!("a message of unknown type `{other}`; kept as a note");
            chain.fault(line, FindingKind::UnknownKind, message);
            chain.note(line, stamp, other, raw);
        }
    }
}

/// Content: a string, or parts in the manner of Google.
fn content(value: Option<Value<'_>>, chain: &mut Chain, line: usize) -> Content {
    let Some(value) = value else { return Content::default() };
    if let Some(said) = value.text() {
        return plain(&said);
    }
    let parts = if value.is_list() { value.items() } else { vec![value] };
    Content { blocks: parts.into_iter().filter_map(|part| block(part, chain, line)).collect(), plain: false }
}

fn block(value: Value<'_>, chain: &mut Chain, line: usize) -> Option<Block> {
    if let Some(said) = value.boxed() {
        return Some(Block::Text(Text::new(said)));
    }
    let part = value.object();
    if let Some(said) = part.boxed("text") {
        let thought = part.flag("thought");
        return Some(if thought { thinking(&said, None) } else { Block::Text(Text::new(said)) });
    }
    if let Some(image) = picture(&part) {
        return Some(image);
    }
    chain.fault_of(value, line, FindingKind::UnknownKind, "a part of the content that cannot be read; kept as JSON");
    value.json().map(Block::Other)
}

/// A picture within the file, or the address of one.
fn picture(part: &Object<'_>) -> Option<Block> {
    let (inline, file) = (part.object("inlineData"), part.object("fileData"));
    let data = inline.boxed("data").or_else(|| file.boxed("fileUri"))?;
    let media_type = inline.boxed("mimeType").or_else(|| file.boxed("mimeType")).unwrap_or_default();
    Some(Block::Image(Image { data, media_type }))
}

fn reply(chain: &mut Chain, line: usize, stamp: Stamp, fields: &Object<'_>) {
    let mut blocks = Vec::new();
    for thought in fields.items("thoughts") {
        let thought = thought.object();
        let parts = [thought.text("subject"), thought.text("description")];
        let said: Vec<&str> = parts.iter().flatten().map(|part| &**part).collect();
        blocks.push(thinking(&said.join("\n"), None));
    }
    let mut said = content(fields.get("content"), chain, line);
    said.blocks.retain(|block| !matches!(block, Block::Text(text) if text.is_empty()));
    blocks.append(&mut said.blocks);
    let calls = fields.items("toolCalls");
    for one in &calls {
        let one = one.object();
        let name = one.text("name").unwrap_or_default();
        blocks.push(call(one.boxed("id").unwrap_or_default(), &name, any_arguments(one.get("args"))));
    }
    let reply = Reply {
        api: "google-generative-ai".into(),
        provider: "google".into(),
        model: fields.boxed("model").unwrap_or_default().into(),
        stop: if calls.is_empty() { StopReason::Stop } else { StopReason::ToolUse },
        usage: usage(&fields.object("tokens"), chain, line),
        error: None,
    };
    let content = Content { blocks, plain: false };
    chain.push(line, stamp, EntryKind::Message(Message::Assistant(content, Box::new(reply))));
}

/// `{input, output, cached, thoughts, tool, total}`. `tool` is what results of the provider's own tools added to the
/// prompt. All zero: a reply was written in two parts, and the other part has its usage. Without `input` there is none.
fn usage(tokens: &Object<'_>, chain: &mut Chain, line: usize) -> Option<Usage> {
    let counts = ["input", "output", "cached", "thoughts", "tool", "total"].map(|name| chain.count(tokens, name, line));
    let [input, output, cached, thoughts, tool, _] = counts.map(Option::unwrap_or_default);
    if counts.iter().any(Option::is_some) || tokens.has("input") {
        known_prompt(counts[0], Some(output + thoughts), chain, line)?;
    }
    if input + output + thoughts + tool == 0 {
        return None;
    }
    Some(Usage {
        input: exclusive(input, cached, chain, line) + tool,
        output: output + thoughts,
        cache_read: cached,
        reasoning: counts[3],
        total: whole(counts[5], cached + output + thoughts),
        ..Usage::default()
    })
}

/// The result of a call, if it has one: `[{functionResponse: {response: {output}}}, …]`.
fn result(chain: &mut Chain, line: usize, one: &Object<'_>) {
    let Some(value) = one.get("result") else { return };
    let parts = if value.is_list() { value.items() } else { vec![value] };
    if parts.is_empty() {
        return;
    }
    let mut is_error = matches!(one.text("status").as_deref(), Some("error" | "cancelled"));
    let mut blocks = Vec::new();
    for part in parts {
        let fields = part.object();
        let Some(response) = fields.object("functionResponse").get("response") else {
            blocks.extend(block(part, chain, line));
            continue;
        };
        let inner = response.object();
        is_error |= inner.has("error") && !inner.has("output");
        let said = inner.boxed("output").or_else(|| inner.boxed("error")).unwrap_or_else(|| response.raw().into());
        blocks.push(Block::Text(Text::new(said)));
        for extra in fields.object("functionResponse").items("parts") {
            blocks.extend(block(extra, chain, line));
        }
    }
    let stamp = Stamp { id: None, timestamp: one.boxed("timestamp") };
    let content = Content { blocks, plain: false };
    let call_id = one.boxed("id").unwrap_or_default();
    chain.result(line, stamp, Answer { call_id, tool: one.boxed("name"), content, is_error });
}
