//! One message of a chat-completions list.

use super::super::chain::{Answer, Chain, Stamp};
use super::super::value::{Object, Value};
use super::content::{any_arguments, call, content, free_text, thinking};
use crate::import::FindingKind;
use crate::transcript::{Block, Content, EntryKind, Message, Reply, StopReason, System, Text, ToolSchema, Usage};

/// What a carrier knows of a message besides the message.
#[derive(Clone, Debug, Default)]
pub(in crate::import) struct Around {
    /// Id and time.
    pub(in crate::import) stamp: Stamp,
    /// Who serves the model.
    pub(in crate::import) provider: Box<str>,
    /// The model.
    pub(in crate::import) model: Box<str>,
    /// Why the reply ended.
    pub(in crate::import) stop: Option<StopReason>,
    /// Usage of the reply.
    pub(in crate::import) usage: Option<Usage>,
}

/// Appends the message `raw`. A system prompt before all messages goes to the head; a role nobody knows makes a note.
pub(in crate::import) fn push(chain: &mut Chain, line: usize, raw: Value<'_>, around: Around) {
    chain.here = Some(raw.at());
    if !raw.is_object() {
        chain.fault(line, FindingKind::BadField, "a message is not an object; kept as a note");
        return chain.note(line, around.stamp, "message", raw);
    }
    let object = raw.object();
    let role = object.text("role").unwrap_or_default();
    match &*role {
        "system" | "developer" => system(chain, line, &object, around),
        "user" | "human" => {
            let said = content(object.get("content"), chain, line);
            chain.push(line, around.stamp, EntryKind::Message(Message::User(said)));
        }
        "assistant" | "ai" => assistant(chain, line, &object, around),
        "tool" | "function" => results(chain, line, &object, &around.stamp),
        other => {
            let message = format!("a message of unknown role `{other}`; kept as a note");
            chain.fault(line, FindingKind::UnknownKind, message);
            chain.note(line, around.stamp, other, raw);
        }
    }
}

fn system(chain: &mut Chain, line: usize, object: &Object<'_>, around: Around) {
    let said = content(object.get("content"), chain, line);
    let texts: Vec<&str> = said.blocks.iter().filter_map(text_of).collect();
    let content = Text::new(texts.join("\n"));
    if texts.len() < said.blocks.len() {
        chain.fault(line, FindingKind::BadField, "a part of a system message that is no text; left out");
    }
    if chain.transcript.entries.is_empty() && chain.transcript.head.system.is_none() {
        chain.transcript.head.system = Some(content);
        return;
    }
    let message = Message::System(Box::new(System { content, sections: Vec::new(), tools_added: None }));
    chain.push(line, around.stamp, EntryKind::Message(message));
}

fn text_of(block: &Block) -> Option<&str> {
    match block {
        Block::Text(text) => Some(text.as_str()),
        _ => None,
    }
}

fn assistant(chain: &mut Chain, line: usize, object: &Object<'_>, around: Around) {
    let mut said = content(object.get("content"), chain, line);
    // An empty text beside tool calls is how some writers spell none.
    said.blocks.retain(|block| text_of(block).is_none_or(|text| !text.is_empty()));
    // Some gateways say the reasoning in the content and beside it.
    let mut thoughts = thoughts(object);
    thoughts.retain(|thought| !said.blocks.iter().any(|block| same_thought(block, thought)));
    said.plain &= thoughts.is_empty();
    said.blocks.splice(0..0, thoughts);
    if !said.blocks.iter().any(|block| text_of(block).is_some())
        && let Some(words) = object.text("refusal").or_else(|| object.object("audio").text("transcript"))
    {
        said.blocks.push(Block::Text(Text::from(&*words)));
    }
    let calls = calls(chain, line, object);
    said.plain &= calls.is_empty();
    let stop = around.stop.unwrap_or(if calls.is_empty() { StopReason::Stop } else { StopReason::ToolUse });
    said.blocks.extend(calls);
    let reply = Reply {
        api: "openai-completions".into(),
        provider: around.provider.into(),
        model: around.model.into(),
        stop,
        usage: around.usage,
        error: None,
    };
    chain.push(line, around.stamp, EntryKind::Message(Message::Assistant(said, Box::new(reply))));
}

/// Whether two blocks are the same reasoning.
fn same_thought(one: &Block, other: &Block) -> bool {
    let said = |block: &Block| match block {
        Block::Thinking { text, .. } if !text.is_empty() => Some(text.clone()),
        _ => None,
    };
    said(one).is_some() && said(one) == said(other)
}

/// Reasoning beside the content: the signed blocks of Anthropic, the details of `OpenRouter`, or plain text.
pub(in crate::import) fn thoughts(object: &Object<'_>) -> Vec<Block> {
    let signed = object.items("thinking_blocks");
    if !signed.is_empty() {
        return signed.into_iter().map(|block| thought(&block.object(), &["thinking"])).collect();
    }
    let details = object.items("reasoning_details").into_iter();
    let mut blocks: Vec<Block> = details.map(|detail| thought(&detail.object(), &["text", "summary"])).collect();
    let told = |block: &Block| matches!(block, Block::Thinking { text, .. } if !text.is_empty());
    // Details may hold no more than the provider's own form of it.
    if !blocks.iter().any(told)
        && let Some(said) = object.text("reasoning_content").or_else(|| object.text("reasoning"))
        && !said.is_empty()
    {
        blocks.insert(0, thinking(&said, None));
    }
    blocks
}

/// One block of reasoning: its text under the first of `names` that is there, and what only the provider can read.
fn thought(fields: &Object<'_>, names: &[&str]) -> Block {
    let said = names.iter().find_map(|name| fields.text(name)).unwrap_or_default();
    thinking(&said, fields.boxed("signature").or_else(|| fields.boxed("data")))
}

/// The calls of a message: `tool_calls` with a `function` or flat, or the single `function_call` of old files.
fn calls(chain: &mut Chain, line: usize, object: &Object<'_>) -> Vec<Block> {
    let mut calls = Vec::new();
    for raw in object.items("tool_calls") {
        let outer = raw.object();
        let id = outer.boxed("id").unwrap_or_else(|| {
            chain.fault_of(raw, line, FindingKind::MissingId, "a tool call has no id; read as empty");
            "".into()
        });
        calls.push(named_call(id, &inner(&outer)));
    }
    if object.has("function_call") && calls.is_empty() {
        let old = object.object("function_call");
        // Since calls have ids, writers set the old field to null.
        if let Some(name) = old.text("name") {
            calls.push(named_call(old_id(&name), &old));
        }
    }
    calls
}

/// Where a call or a schema has its fields: under `function`, under `custom`, or right there.
fn inner<'a>(outer: &Object<'a>) -> Object<'a> {
    let key = ["function", "custom"].into_iter().find(|key| outer.get(key).is_some_and(Value::is_object));
    key.map_or_else(|| outer.clone(), |key| outer.object(key))
}

/// The id of a call of the time when a message had one call at most, and no id: the answer names the function.
fn old_id(name: &str) -> Box<str> {
    format!("function:{name}").into()
}

fn named_call(id: Box<str>, inner: &Object<'_>) -> Block {
    let name = inner.text("name").unwrap_or_default();
    let arguments = match inner.text("input") {
        Some(input) => free_text(&input),
        None => any_arguments(inner.get("arguments").or_else(|| inner.get("args"))),
    };
    call(id, &name, arguments)
}

/// The answers of a message: one as a rule; SWE-agent names the calls in a list.
fn results(chain: &mut Chain, line: usize, object: &Object<'_>, stamp: &Stamp) {
    let mut said = content(object.get("content"), chain, line);
    let tool = object.boxed("name");
    let mut ids: Vec<Box<str>> = object.boxed("tool_call_id").into_iter().collect();
    ids.extend(object.items("tool_call_ids").into_iter().filter_map(Value::boxed));
    if ids.is_empty() {
        // tau2 gives an answer the id of its call.
        ids.extend(object.boxed("id").filter(|id| chain.knows(id)));
    }
    if ids.is_empty() {
        ids.push(tool.as_deref().map_or_else(|| "".into(), old_id));
    }
    if ids.len() > 1 {
        chain.fault(line, FindingKind::BadField, "one answer to several calls; all but the first are read as empty");
    }
    let plain = said.plain;
    for (index, call_id) in ids.into_iter().enumerate() {
        let content = std::mem::replace(&mut said, Content { blocks: Vec::new(), plain });
        let stamp = if index == 0 { stamp.clone() } else { Stamp { id: None, ..stamp.clone() } };
        chain.result(line, stamp, Answer { call_id, tool: tool.clone(), content, is_error: object.flag("error") });
    }
}

/// Why a reply ended, by the word in `finish_reason`.
pub(in crate::import) fn stop(word: &str) -> StopReason {
    match word {
        "stop" => StopReason::Stop,
        "length" => StopReason::Length,
        "tool_calls" | "function_call" | "tool_use" => StopReason::ToolUse,
        other => StopReason::Other(other.into()),
    }
}

/// The schemas in a `tools` list: `{function: {name, description, parameters}}`, or flat. What has no name is reported, and
/// so is what is no list: then the tools are not known. A schema that was read before, in another field, is the same one.
pub(in crate::import) fn tools(chain: &mut Chain, line: usize, list: Value<'_>) {
    if !list.is_list() {
        return chain.fault_of(list, line, FindingKind::BadField, "the tools are no list and were left out");
    }
    let known = chain.transcript.head.tools.clone().unwrap_or_default();
    let mut schemas = Vec::new();
    for outer in list.items() {
        let schema = inner(&outer.object());
        let Some(name) = schema.boxed("name") else {
            chain.fault_of(outer, line, FindingKind::UnknownKind, "a tool schema without a name; left out");
            continue;
        };
        let parameters =
            ["parameters", "input_schema", "inputSchema", "format"].into_iter().find_map(|key| schema.get(key));
        schemas.push(ToolSchema {
            name,
            description: schema.boxed("description").unwrap_or_default(),
            parameters: parameters.map_or("{}", Value::raw).into(),
        });
    }
    schemas.retain(|schema| !known.contains(schema));
    chain.transcript.head.tools.get_or_insert_with(Vec::new).extend(schemas);
}
