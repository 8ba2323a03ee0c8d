//! The body of a chat-completions request: what the next request of the session would say.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::context::{Past, context};
use super::report::{Change, Fate, Report};
use crate::transcript::{Block, Content, Message, System, Text, ToolSchema, Transcript, user_text};

/// A picture that is named by its address, as the importer of the same format writes it.
const ADDRESS: &str = "text/uri-list";

/// The body with the last model, the messages and, where they are known, the tools. What the form cannot hold is counted
/// in `report`.
pub fn body(transcript: &Transcript, past: Past, report: &mut Report) -> Value {
    let messages = context(transcript, past, report);
    let mut body = Map::new();
    body.insert("model".into(), model(&messages, report).into());
    let mut list: Vec<Value> = Vec::with_capacity(messages.len() + 1);
    if let Some(system) = &transcript.head.system {
        list.push(json!({ "role": "system", "content": system.as_str() }));
    }
    let mut added: Vec<Value> = Vec::new();
    for each in &messages {
        list.extend(message(each, &mut added, report));
    }
    body.insert("messages".into(), list.into());
    let known = transcript.head.tools.as_ref();
    let tools: Vec<Value> = known.into_iter().flatten().map(tool).chain(added).collect();
    if known.is_some() || !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    Value::Object(body)
}

/// The model of the last reply.
fn model<'m>(messages: &'m [Cow<'_, Message>], report: &mut Report) -> &'m str {
    let models = || messages.iter().filter_map(|message| message.reply()).map(|reply| &*reply.model);
    let last = models().next_back().unwrap_or_default();
    report.add(Fate::Lost, Change::Models, models().filter(|model| *model != last).count());
    last
}

/// A schema that is no JSON is given as the text it is.
fn tool(tool: &ToolSchema) -> Value {
    let parameters = serde_json::from_str(&tool.parameters).unwrap_or_else(|_| Value::from(&*tool.parameters));
    let function = json!({ "name": &*tool.name, "description": &*tool.description, "parameters": parameters });
    json!({ "type": "function", "function": function })
}

/// The message as it is sent; `None` for a reply that says nothing.
fn message(message: &Message, added: &mut Vec<Value>, report: &mut Report) -> Option<Value> {
    Some(match message {
        Message::User(said) => json!({ "role": "user", "content": content(said, report) }),
        Message::Assistant(said, _) => return assistant(said, report),
        Message::ToolResult(result) => {
            let images = result.content.blocks.iter().filter(|block| matches!(block, Block::Image(_))).count();
            report.add(Fate::Changed, Change::ImagesInResults, images);
            json!({ "role": "tool", "tool_call_id": &*result.call_id, "content": content(&result.content, report) })
        }
        Message::System(system) => {
            let System { content, sections, tools_added } = &**system;
            if let Some(Ok(Value::Array(tools))) =
                tools_added.as_ref().map(|tools| serde_json::from_str(tools.as_str()))
            {
                report.add(Fate::Changed, Change::AddedTools, tools.len());
                added.extend(tools.into_iter().map(|tool| json!({ "type": "function", "function": tool })));
            } else if tools_added.is_some() {
                report.add(Fate::Lost, Change::AddedTools, 1);
            }
            let texts = std::iter::once(content).chain(sections.iter().map(|(_, text)| text));
            let texts: Vec<&str> = texts.map(Text::as_str).filter(|text| !text.is_empty()).collect();
            json!({ "role": "system", "content": texts.join("\n") })
        }
        Message::Custom(custom) if custom.content.blocks.iter().any(|block| !matches!(block, Block::Text(_))) => {
            report.add(Fate::Changed, Change::SentAsUser, 1);
            json!({ "role": "user", "content": content(&custom.content, report) })
        }
        Message::Custom(_) | Message::Bash(_) | Message::BranchSummary(_) | Message::CompactionSummary(_) => {
            report.add(Fate::Changed, Change::SentAsUser, 1);
            json!({ "role": "user", "content": user_text(message)? })
        }
    })
}

fn assistant(said: &Content, report: &mut Report) -> Option<Value> {
    let mut reasoning: Vec<&str> = Vec::new();
    let mut calls: Vec<Value> = Vec::new();
    let mut rest = Content { blocks: Vec::new(), plain: said.plain };
    for block in &said.blocks {
        match block {
            Block::Thinking { text, .. } if text.is_empty() => {}
            Block::Thinking { text, .. } => reasoning.push(text.as_str()),
            Block::ToolCall(call) => {
                let function = json!({ "name": call.name.as_str(), "arguments": call.arguments.as_str() });
                calls.push(json!({ "id": &*call.id, "type": "function", "function": function }));
            }
            other => rest.blocks.push(other.clone()),
        }
    }
    if reasoning.is_empty() && calls.is_empty() && rest.blocks.is_empty() {
        report.add(Fate::Lost, Change::EmptyReplies, 1);
        return None;
    }
    let mut message = Map::new();
    message.insert("role".into(), "assistant".into());
    let text = if rest.blocks.is_empty() { Value::Null } else { content(&rest, report) };
    message.insert("content".into(), text);
    if !reasoning.is_empty() {
        message.insert("reasoning_content".into(), reasoning.join("\n").into());
    }
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Some(Value::Object(message))
}

/// One text is a string, all else a list of parts.
fn content(content: &Content, report: &mut Report) -> Value {
    match content.blocks.as_slice() {
        [] => "".into(),
        [Block::Text(text)] => text.as_str().into(),
        blocks => blocks.iter().map(|block| part(block, report)).collect(),
    }
}

fn part(block: &Block, report: &mut Report) -> Value {
    match block {
        Block::Text(text) | Block::Thinking { text, .. } => json!({ "type": "text", "text": text.as_str() }),
        Block::Image(image) => {
            let url = match &*image.media_type {
                ADDRESS => image.data.to_string(),
                media_type => format!("data:{media_type};base64,{}", image.data),
            };
            // Sound and documents, which the model holds like pictures, have parts of their own.
            match image.media_type.split_once('/') {
                Some(("audio", format)) => {
                    json!({ "type": "input_audio", "input_audio": { "data": &*image.data, "format": format } })
                }
                Some(("application", _)) => json!({ "type": "file", "file": { "file_data": url } }),
                Some(("video", _)) => json!({ "type": "video_url", "video_url": { "url": url } }),
                _ => json!({ "type": "image_url", "image_url": { "url": url } }),
            }
        }
        Block::ToolCall(call) => json!({ "type": "text", "text": call.arguments.as_str() }),
        Block::Other(raw) => {
            report.add(Fate::Changed, Change::ForeignParts, 1);
            serde_json::from_str(raw.as_str()).unwrap_or_else(|_| json!({ "type": "text", "text": raw.as_str() }))
        }
    }
}
