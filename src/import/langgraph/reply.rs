//! What a model said.

use super::message::content;
use crate::import::chain::Chain;
use crate::import::chat::content::{any_arguments, call, thinking};
use crate::import::chat::usage::{exclusive, usage as openai_usage, whole};
use crate::import::value::Object;
use crate::transcript::{Block, Content, Message, Reply, StopReason, Usage};

/// Reads a reply; `model` stands in where it names none.
pub(super) fn read(chain: &mut Chain, line: usize, fields: &Object<'_>, model: Option<&str>) -> Message {
    let mut said = content(fields.get("content"), chain, line);
    // An empty text beside tool calls is how a reply without text is spelled.
    said.blocks.retain(|block| !matches!(block, Block::Text(text) if text.is_empty()));
    let thought = fields.object("additional_kwargs").text("reasoning_content").filter(|thought| !thought.is_empty());
    if let Some(thought) = thought {
        said.blocks.insert(0, thinking(&thought, None));
        said.plain = false;
    }
    add_calls(fields, &mut said);
    let metadata = fields.object("response_metadata");
    let word = |names: &[&str]| names.iter().find_map(|name| metadata.boxed(name));
    let calls = said.blocks.iter().any(|block| matches!(block, Block::ToolCall(_)));
    let stop = word(&["finish_reason", "stop_reason"]).or_else(|| fields.boxed("finish_reason"));
    let reply = Reply {
        api: "".into(),
        provider: word(&["model_provider"]).unwrap_or_default().into(),
        model: word(&["model_name", "model"]).or_else(|| model.map(Into::into)).unwrap_or_default().into(),
        stop: stop.map_or(if calls { StopReason::ToolUse } else { StopReason::Stop }, |word| stop_reason(&word)),
        usage: usage(fields, &metadata, chain, line),
        error: None,
    };
    Message::Assistant(said, Box::new(reply))
}

/// Appends the calls that are not among the parts already.
fn add_calls(fields: &Object<'_>, said: &mut Content) {
    let mut calls = fields.items("tool_calls");
    calls.extend(fields.items("invalid_tool_calls"));
    if calls.is_empty() {
        calls = fields.object("additional_kwargs").items("tool_calls");
    }
    for value in calls {
        let outer = value.object();
        let function = outer.object("function");
        let (id, name) = (outer.boxed("id"), outer.boxed("name").or_else(|| function.boxed("name")));
        let known = |block: &Block| matches!(block, Block::ToolCall(known) if Some(&known.id) == id.as_ref());
        let nothing = id.is_none() && name.as_deref().unwrap_or_default().is_empty();
        if nothing || said.blocks.iter().any(known) {
            continue;
        }
        let arguments = any_arguments(outer.get("args").or_else(|| function.get("arguments")));
        said.blocks.push(call(id.unwrap_or_default(), &name.unwrap_or_default(), arguments));
        said.plain = false;
    }
}

/// Why a reply ended: the words of OpenAI, Anthropic and Google.
fn stop_reason(word: &str) -> StopReason {
    match word {
        "stop" | "end_turn" | "stop_sequence" | "STOP" => StopReason::Stop,
        "tool_calls" | "tool_use" | "function_call" => StopReason::ToolUse,
        "length" | "max_tokens" | "MAX_TOKENS" => StopReason::Length,
        other => StopReason::Other(other.into()),
    }
}

/// `usage_metadata`, or what the provider itself said.
fn usage(fields: &Object<'_>, metadata: &Object<'_>, chain: &mut Chain, line: usize) -> Option<Usage> {
    let total = fields.object("usage_metadata");
    let mut count = |fields: &Object<'_>, name: &str| chain.count(fields, name, line);
    if let Some(prompt) = count(&total, "input_tokens") {
        let details = total.object("input_token_details");
        let hour = count(&details, "ephemeral_1h_input_tokens");
        let mut part = |name: &str| count(&details, name).unwrap_or_default();
        let cache_read = part("cache_read");
        // Newer releases split what was written by its lifetime and leave the sum at zero.
        let split = part("ephemeral_5m_input_tokens") + hour.unwrap_or_default();
        let cache_write = part("cache_creation").max(split);
        let output = count(&total, "output_tokens").unwrap_or_default();
        let reasoning = count(&total.object("output_token_details"), "reasoning");
        let total = count(&total, "total_tokens");
        return Some(Usage {
            input: exclusive(prompt, cache_read + cache_write, chain, line),
            output,
            cache_read,
            cache_write,
            cache_write_1h: hour,
            reasoning,
            total: whole(total, cache_read + cache_write + output),
            cost: None,
        });
    }
    let raw = metadata.object("usage");
    let Some(input) = count(&raw, "input_tokens") else {
        return openai_usage(&metadata.object("token_usage"), None, chain, line);
    };
    let cache_write_1h = count(&raw.object("cache_creation"), "ephemeral_1h_input_tokens");
    let mut part = |name: &str| count(&raw, name).unwrap_or_default();
    Some(Usage {
        input,
        output: part("output_tokens"),
        cache_read: part("cache_read_input_tokens"),
        cache_write: part("cache_creation_input_tokens"),
        cache_write_1h,
        ..Usage::default()
    })
}
