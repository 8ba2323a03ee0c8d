//! Actions of V0: what the person, the agent or the environment did.

use super::event::{Events, Forgotten, bare_reply};
use super::{observation, said};
use crate::import::chain::Stamp;
use crate::import::chat::content::{any_arguments, call, thinking};
use crate::import::chat::message::{stop, tools};
use crate::import::chat::usage::usage;
use crate::import::extra::quoted;
use crate::import::value::{Object, Value};
use crate::transcript::{Block, Content, JsonText, Message, StopReason, Text};

/// Takes an action.
pub(super) fn take(events: &mut Events, line: usize, value: Value<'_>, fields: &Object<'_>) {
    let stamp = Events::stamp(fields);
    let args = fields.object("args");
    let word = fields.text("action").unwrap_or_default();
    let by_user = fields.text("source").as_deref() == Some("user");
    match word.as_ref() {
        "system" => {
            let prompt = said(&mut events.chain, line, args.get("content"), "args.content");
            events.system(line, stamp, Text::new(prompt));
            if let Some(list) = args.get("tools") {
                tools(&mut events.chain, line, list);
            }
        }
        "message" if by_user || fields.text("source").is_none() => {
            let content = message(events, line, &args);
            events.message(line, stamp, Message::User(content));
        }
        "condensation" => events.condensation(line, stamp, &forgotten(&args), &args),
        "recall" | "change_agent_state" | "null" | "pause" | "resume" | "start" | "stop" | "condensation_request" => {
            events.note(line, &word, value);
        }
        // What the person ran reaches the model through its observation.
        _ if by_user => events.note(line, &word, value),
        "message" => {
            let content = message(events, line, &args);
            events.reply(line, stamp, "", content, bare_reply(StopReason::Stop));
        }
        _ if fields.get("tool_call_metadata").is_some() => from_response(events, line, stamp, fields),
        _ => without_call(events, line, stamp, &word, &args),
    }
}

/// Text and pictures of a message.
fn message(events: &mut Events, line: usize, args: &Object<'_>) -> Content {
    let text = said(&mut events.chain, line, args.get("content"), "args.content");
    let mut content = Content { blocks: vec![Block::Text(Text::new(text))], plain: true };
    observation::add_images(&mut content, args);
    content
}

/// A call of a response. All calls of the response are read with its first action; the others find it there.
fn from_response(events: &mut Events, line: usize, stamp: Stamp, fields: &Object<'_>) {
    let metadata = fields.object("tool_call_metadata");
    let response = metadata.object("model_response");
    let id = response.boxed("id").unwrap_or_default();
    let call_id = metadata.boxed("tool_call_id").unwrap_or_default();
    let own = || {
        let name = metadata.text("function_name").unwrap_or_default();
        call(call_id.clone(), &name, any_arguments(fields.get("args")))
    };
    if let Some(content) = events.reply_of(&id) {
        let known = |block: &Block| matches!(block, Block::ToolCall(known) if known.id == call_id);
        if !content.blocks.iter().any(known) {
            let own = own();
            events.add_call(&id, own);
        }
        return;
    }
    let choice = response.items("choices").first().map(|choice| choice.object()).unwrap_or_default();
    let answer = choice.object("message");
    let mut content = Content::default();
    if let Some(thought) = answer.text("reasoning_content").filter(|thought| !thought.is_empty()) {
        content.blocks.push(thinking(&thought, None));
    }
    let text = answer.text("content").or_else(|| fields.object("args").text("thought")).unwrap_or_default();
    if !text.is_empty() {
        content.blocks.push(Block::Text(Text::from(&*text)));
    }
    for outer in answer.items("tool_calls") {
        let outer = outer.object();
        let function = outer.object("function");
        let name = function.text("name").unwrap_or_default();
        let id = outer.boxed("id").unwrap_or_default();
        content.blocks.push(call(id, &name, any_arguments(function.get("arguments"))));
    }
    if !content.blocks.iter().any(|block| matches!(block, Block::ToolCall(known) if known.id == call_id)) {
        content.blocks.push(own());
    }
    let mut reply = bare_reply(StopReason::ToolUse);
    // Models without tool calls of their own end with `stop`; the call was read out of their text.
    reply.stop = choice.text("finish_reason").map_or(StopReason::ToolUse, |word| stop(&word));
    reply.model = response.boxed("model").unwrap_or_default().into();
    reply.usage = usage(&response.object("usage"), None, &mut events.chain, line);
    events.reply(line, stamp, &id, content, reply);
}

/// An action of the time before tool calls: its thought, and a call made from the action.
fn without_call(events: &mut Events, line: usize, stamp: Stamp, word: &str, args: &Object<'_>) {
    let mut content = Content::default();
    if let Some(thought) = args.text("thought").filter(|thought| !thought.is_empty()) {
        content.blocks.push(Block::Text(Text::from(&*thought)));
    }
    let ordinal = events.chain.transcript.entries.len();
    let own = stamp.id.clone().unwrap_or_else(|| format!("at {ordinal}").into());
    let id: Box<str> = format!("event {own}").into();
    let fields = args.0.iter().filter(|(name, _)| name != "thought");
    let fields: Vec<String> = fields.map(|(name, value)| format!("{}:{}", quoted(name), value.raw())).collect();
    let arguments = JsonText::new(format!("{{{}}}", fields.join(","))).unwrap_or_else(|| any_arguments(None));
    content.blocks.push(call(id.clone(), word, arguments));
    events.made_calls.insert(own, id.clone());
    events.last_made_call = Some(id);
    events.reply(line, stamp, "", content, bare_reply(StopReason::ToolUse));
}

/// The forgotten events: a list, or the first and the last of a range.
fn forgotten(args: &Object<'_>) -> Forgotten {
    let ids: Vec<Box<str>> = args.items("forgotten_event_ids").into_iter().filter_map(Value::word).collect();
    let ends = ["forgotten_events_start_id", "forgotten_events_end_id"].map(|name| args.word(name));
    let is_range = ids.is_empty();
    Forgotten { ids: if is_range { ends.into_iter().flatten().collect() } else { ids }, is_range }
}
