//! Events of the SDK (V1): `kind` names the class.

use super::event::{Events, Forgotten, bare_reply};
use super::observation::terminal;
use crate::import::chain::{Answer, Stamp};
use crate::import::chat::content::{any_arguments, call, content, image};
use crate::import::chat::message::{thoughts, tools};
use crate::import::value::{Object, Value};
use crate::transcript::{Block, Content, Message, StopReason, Text, joined_text};

/// Classes that are no event by name.
const OTHERS: &[&str] = &["Condensation", "CondensationRequest", "UserRejectObservation"];

/// Whether a record is an event of the SDK.
pub(super) fn is(fields: &Object<'_>) -> bool {
    let kind = fields.text("kind").unwrap_or_default();
    fields.has("id") && (kind.ends_with("Event") || OTHERS.contains(&&*kind))
}

/// Takes an event.
pub(super) fn take(events: &mut Events, line: usize, value: Value<'_>, fields: &Object<'_>) {
    let stamp = Events::stamp(fields);
    let kind = fields.text("kind").unwrap_or_default();
    match kind.as_ref() {
        "SystemPromptEvent" => {
            let prompt = content(fields.get("system_prompt"), &mut events.chain, line);
            events.system(line, stamp, Text::new(joined_text(&prompt).into_owned()));
            if let Some(list) = fields.get("tools") {
                tools(&mut events.chain, line, list);
            }
        }
        "MessageEvent" => message(events, line, stamp, fields),
        "ActionEvent" => action(events, line, stamp, fields),
        "ObservationEvent" => observation(events, line, stamp, fields),
        "AgentErrorEvent" => result(events, line, stamp, fields, fields.get("error"), true),
        "UserRejectObservation" => result(events, line, stamp, fields, fields.get("rejection_reason"), true),
        "Condensation" => {
            let ids = fields.items("forgotten_event_ids").into_iter().filter_map(Value::word).collect();
            events.condensation(line, stamp, &Forgotten { ids, is_range: false }, fields);
        }
        "ConversationStateUpdateEvent" => {
            if let Some(stats) = fields.get("value").filter(|_| fields.text("key").as_deref() == Some("stats")) {
                events.usage.stats(stats, &mut events.chain, line);
            }
            events.note(line, &kind, value);
        }
        "PauseEvent"
        | "ConversationErrorEvent"
        | "TokenEvent"
        | "LLMCompletionLogEvent"
        | "CondensationRequest"
        | "CondensationSummaryEvent" => events.note(line, &kind, value),
        other => events.unknown(line, other, value),
    }
}

fn message(events: &mut Events, line: usize, stamp: Stamp, fields: &Object<'_>) {
    let inner = fields.object("llm_message");
    let mut said = parts(events, line, inner.get("content"));
    if fields.text("source").as_deref() == Some("agent") || inner.text("role").as_deref() == Some("assistant") {
        said.blocks.splice(0..0, thoughts(&inner));
        let response = fields.text("llm_response_id").unwrap_or_default();
        return events.reply(line, stamp, &response, said, bare_reply(StopReason::Stop));
    }
    // What skills and the harness add to the words of the person.
    said.blocks.extend(parts(events, line, fields.get("extended_content")).blocks);
    events.message(line, stamp, Message::User(said));
}

/// Content whose pictures may stand several in one part.
fn parts(events: &mut Events, line: usize, value: Option<Value<'_>>) -> Content {
    let Some(list) = value.filter(|value| value.is_list()) else { return content(value, &mut events.chain, line) };
    let mut read = Content::default();
    for part in list.items() {
        let urls = part.object().items("image_urls");
        if urls.is_empty() {
            read.blocks.extend(content(Some(part), &mut events.chain, line).blocks);
        }
        read.blocks.extend(urls.into_iter().filter_map(Value::text).map(|url| image(&url)));
    }
    read
}

/// A call. Actions of one response are one reply.
fn action(events: &mut Events, line: usize, stamp: Stamp, fields: &Object<'_>) {
    let inner = fields.object("tool_call");
    let function = inner.object("function");
    let name = fields.text("tool_name").or_else(|| inner.text("name")).or_else(|| function.text("name"));
    let arguments = inner.get("arguments").or_else(|| function.get("arguments")).or_else(|| fields.get("action"));
    let id = fields.boxed("tool_call_id").or_else(|| inner.boxed("id")).unwrap_or_default();
    let call = call(id, &name.unwrap_or_default(), any_arguments(arguments));
    let response = fields.text("llm_response_id").unwrap_or_default();
    if events.reply_of(&response).is_some() {
        return events.add_call(&response, call);
    }
    let mut said = Content { blocks: thoughts(fields), plain: false };
    said.blocks.extend(parts(events, line, fields.get("thought")).blocks);
    said.blocks.push(call);
    events.reply(line, stamp, &response, said, bare_reply(StopReason::ToolUse));
}

fn observation(events: &mut Events, line: usize, stamp: Stamp, fields: &Object<'_>) {
    let inner = fields.object("observation");
    let is_error = inner.flag("is_error");
    let mut said = parts(events, line, inner.get("content").or_else(|| fields.get("observation")));
    if inner.has("metadata") {
        let mut text = joined_text(&said).into_owned();
        terminal(&mut text, &inner.object("metadata"));
        said.blocks.retain(|block| !matches!(block, Block::Text(_)));
        said.blocks.insert(0, Block::Text(Text::new(text)));
    }
    answer(events, line, stamp, fields, said, is_error);
}

fn result(events: &mut Events, line: usize, stamp: Stamp, fields: &Object<'_>, said: Option<Value<'_>>, error: bool) {
    let said = content(said, &mut events.chain, line);
    answer(events, line, stamp, fields, said, error);
}

fn answer(events: &mut Events, line: usize, stamp: Stamp, fields: &Object<'_>, content: Content, is_error: bool) {
    let call_id = fields.boxed("tool_call_id").unwrap_or_default();
    let answer = Answer { call_id, tool: fields.boxed("tool_name"), content, is_error };
    events.chain.result(line, stamp, answer);
}
