//! mini-swe-agent trajectories: one document of `info` and `messages`, or the bare list of messages.
//!
//! Messages are chat-completions ones; `extra` beside a reply holds the provider's whole response, with the usage of the
//! call. With the Responses API a reply is the response itself, and an answer its `function_call_output`. The last message, of role `exit`, holds the submission or the error: it never reaches the model and is a note.
//! An entry's line is the ordinal of its message, from 1.

use super::chain::{Answer, Chain, Stamp};
use super::chat::content::content;
use super::chat::message::{Around, push, stop};
use super::chat::responses::{reasoning, tool_call};
use super::chat::usage::usage;
use super::document::Document;
use super::value::{Object, Value};
use super::{Confidence, FindingKind, ImportError, Imported};
use crate::transcript::{Block, Content, EntryKind, JsonText, Message, Meta, Reply, StopReason};

/// Words of the agent's own prompts, by which a bare list is told.
const WORDS: &[&str] = &["mswea_", "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"];
/// What is kept of `info`; the submission is also the last message.
const INFO: &[&str] = &["exit_status", "model_stats", "mini_version", "traceback"];
const EXPECTED: &str = "the trajectory of mini-swe-agent: an object with `messages`, or a list of messages";

/// Sure of the format's name, of `info.mini_version`, and of a list whose prompts have the agent's own words.
pub(super) fn sniff(head: &[u8]) -> Confidence {
    let text = super::lines::lossy(head);
    let value = Value::unchecked(&text, 0);
    let fields = value.object();
    let named = fields.text("trajectory_format").is_some_and(|name| name.starts_with("mini-swe-agent"));
    if named || fields.object("info").has("mini_version") {
        return Confidence::Sure;
    }
    let worded = |message: &Value<'_>| {
        let message = message.object();
        let content = message.get("content").map_or("", Value::raw);
        message.has("role") && WORDS.iter().any(|word| content.contains(word))
    };
    if value.items().iter().take(3).any(worded) { Confidence::Sure } else { Confidence::No }
}

/// Reads a trajectory.
///
/// # Errors
/// When the file is empty, is not text, or has no messages.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let document = Document::read(bytes, EXPECTED)?;
    let value = document.value();
    let fields = value.object();
    let list = if value.is_list() { value.items() } else { fields.items("messages") };
    if list.is_empty() {
        let found = "none".to_owned();
        return Err(ImportError::NoRecord { line: 1, expected: EXPECTED, found });
    }
    let info = fields.object("info");
    let mut chain = Chain::default();
    chain.transcript.meta = meta(&fields, &info);
    let model = info.object("config").object("model").boxed("model_name").unwrap_or_default();
    for (index, message) in list.into_iter().enumerate() {
        one(&mut chain, index + 1, message, &model);
    }
    let mut read = vec![chain.finish(None)];
    document.close(&mut read);
    Ok(read)
}

fn meta(fields: &Object<'_>, info: &Object<'_>) -> Meta {
    let kept = INFO.iter().filter_map(|key| Some(format!("\"{key}\":{}", info.get(key)?.raw())));
    let kept: Vec<String> = kept.collect();
    Meta {
        id: fields.boxed("instance_id").unwrap_or_default(),
        cwd: info.object("config").object("environment").boxed("cwd"),
        extra: (!kept.is_empty()).then(|| format!("{{{}}}", kept.join(","))).and_then(JsonText::new),
        ..Meta::default()
    }
}

fn one(chain: &mut Chain, line: usize, message: Value<'_>, model: &str) {
    chain.here = Some(message.at());
    let fields = message.object();
    let extra = fields.object("extra");
    let stamp = Stamp::at_seconds(extra.get("timestamp").and_then(Value::f64));
    if fields.text("role").as_deref() == Some("exit") {
        return chain.note(line, stamp, "exit", message);
    }
    match fields.text("role") {
        None if fields.has("output") && fields.text("object").as_deref() == Some("response") => {
            return reply(chain, line, stamp, &fields, model);
        }
        None if fields.text("type").as_deref() == Some("function_call_output") => {
            let content = content(fields.get("output"), chain, line);
            let call_id = fields.boxed("call_id").unwrap_or_default();
            return chain.result(line, stamp, Answer { call_id, content, ..Answer::default() });
        }
        _ => {}
    }
    let response = extra.object("response");
    let choices = response.items("choices");
    if choices.len() > 1 {
        let fault = format!("{} choices in the response; the message itself is read", choices.len());
        chain.fault(line, FindingKind::UnknownKind, fault);
    }
    let word = choices.first().and_then(|choice| choice.object().boxed("finish_reason"));
    let cost = extra.get("cost").and_then(Value::f64);
    let around = Around {
        stamp,
        provider: Box::default(),
        model: response.boxed("model").unwrap_or_else(|| model.into()),
        stop: word.map(|word| stop(&word)),
        usage: usage(&response.object("usage"), cost, chain, line),
    };
    push(chain, line, message, around);
}

/// A response of the Responses API, which stands among the messages as it came: its items are one reply.
fn reply(chain: &mut Chain, line: usize, stamp: Stamp, fields: &Object<'_>, model: &str) {
    let mut blocks = Vec::new();
    for item in fields.items("output") {
        let inner = item.object();
        match &*inner.text("type").unwrap_or_default() {
            "message" => blocks.extend(content(inner.get("content"), chain, line).blocks),
            "reasoning" => blocks.push(reasoning(&inner, chain, line)),
            kind @ ("function_call" | "custom_tool_call") => blocks.push(tool_call(kind, &inner)),
            other => {
                let fault = format!("an item of unknown type `{other}` in a response; kept as JSON");
                chain.fault_of(item, line, FindingKind::UnknownKind, fault);
                blocks.extend(item.json().map(Block::Other));
            }
        }
    }
    let calls = blocks.iter().any(|block| matches!(block, Block::ToolCall(_)));
    let cost = fields.object("extra").get("cost").and_then(Value::f64);
    let reply = Reply {
        api: "openai-responses".into(),
        provider: "".into(),
        model: fields.boxed("model").unwrap_or_else(|| model.into()).into(),
        stop: if calls { StopReason::ToolUse } else { StopReason::Stop },
        usage: usage(&fields.object("usage"), cost, chain, line),
        error: None,
    };
    let content = Content { blocks, plain: false };
    chain.push(line, stamp, EntryKind::Message(Message::Assistant(content, Box::new(reply))));
}
