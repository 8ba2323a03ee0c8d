//! Tools of a request, and the calls of an answer, in each protocol's shapes.

use serde_json::{Value, json};

use super::{config, request, streamed, unusable, whole};
use crate::llm::api::{Api, Reply};
use crate::llm::{LlmConfig, LlmRequest};
use crate::transcript::ToolSchema;

fn tools() -> LlmRequest {
    let schema = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#;
    let read = ToolSchema { name: "fs.read".into(), description: "Reads.".into(), parameters: schema.into() };
    let open = ToolSchema { name: "bash".into(), description: "".into(), parameters: "".into() };
    LlmRequest { tools: [read, open].into(), ..request() }
}

fn body(api: Api, request: &LlmRequest) -> Value {
    api.body(&config(api), request, false)
}

/// Tools and arguments of an answer's calls, and its text.
fn called(reply: &Reply) -> (Vec<(&str, &str)>, &str) {
    let answer = reply.outcome.as_ref().unwrap();
    (answer.calls.iter().map(|call| (&*call.name, &*call.arguments)).collect(), &answer.text)
}

#[test]
fn tools_stand_in_the_field_of_each_protocol() {
    let request = tools();
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let open = json!({"type": "object", "properties": {}});
    let function =
        |name: &str, about: &str, schema: &Value| json!({"name": name, "description": about, "parameters": schema});
    let chat = json!([
        {"type": "function", "function": function("fs_read", "Reads.", &schema)},
        {"type": "function", "function": function("bash", "", &open)}]);
    assert_eq!(body(Api::Chat, &request)["tools"], chat);
    let responses = json!([
        {"type": "function", "name": "fs_read", "description": "Reads.", "parameters": schema, "strict": false},
        {"type": "function", "name": "bash", "description": "", "parameters": open, "strict": false}]);
    assert_eq!(body(Api::Responses, &request)["tools"], responses);
    let messages = json!([
        {"name": "fs_read", "description": "Reads.", "input_schema": schema},
        {"name": "bash", "description": "", "input_schema": open}]);
    assert_eq!(body(Api::Messages, &request)["tools"], messages);
    assert_eq!(body(Api::Exec, &request)["tools"][0], function("fs.read", "Reads.", &schema));
    for api in [Api::Chat, Api::Responses, Api::Messages, Api::Exec] {
        assert_eq!(body(api, &super::request()).get("tools"), None, "{api}");
    }
}

#[test]
fn only_the_part_that_others_share_is_marked_for_the_cache() {
    let shared = LlmRequest { shared_bytes: 4, ..request() };
    let content = |cache: bool, request: &LlmRequest| {
        let config = LlmConfig { cache, ..config(Api::Messages) };
        Api::Messages.body(&config, request, false)["messages"][0]["content"].clone()
    };
    let mark = json!({"type": "ephemeral"});
    let marked = json!([{"type": "text", "text": "say ", "cache_control": mark}, {"type": "text", "text": "it"}]);
    assert_eq!(content(true, &shared), marked);
    let one = json!([{"type": "text", "text": "say it", "cache_control": mark}]);
    for bytes in [0, 6, 7] {
        assert_eq!(content(true, &LlmRequest { shared_bytes: bytes, ..request() }), one, "{bytes}");
    }
    assert_eq!(content(false, &shared), json!([{"type": "text", "text": "say it"}]), "nothing is marked unasked");
}

#[test]
fn calls_of_chat_completions_are_read() {
    let message = |message: Value| json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]});
    let call = |name: &str, arguments: Value| json!({"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}});
    let two = json!({"role": "assistant", "content": null, "tool_calls": [call("bash", json!("{\"command\":\"ls\"}")), call("fs_read", json!({"path": "a"}))]});
    let reply = whole(Api::Chat, &message(two));
    assert_eq!(called(&reply), (vec![("bash", r#"{"command":"ls"}"#), ("fs_read", r#"{"path":"a"}"#)], ""));
    let old = json!({"role": "assistant", "content": "so", "function_call": {"name": "bash", "arguments": ""}});
    assert_eq!(called(&whole(Api::Chat, &message(old))), (vec![("bash", "")], "so"));
    let none = json!({"role": "assistant", "content": null, "tool_calls": null});
    unusable(&whole(Api::Chat, &message(none)), "empty");
    let parts =
        json!({"content": [{"type": "text", "text": "do"}, {"type": "reference"}, {"type": "text", "text": "ne"}]});
    assert_eq!(called(&whole(Api::Chat, &message(parts))), (vec![], "done"), "a text may come in parts");
}

#[test]
fn streamed_calls_of_chat_completions_are_read() {
    let piece = |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]});
    let first =
        json!({"index": 0, "id": "call_1", "type": "function", "function": {"name": "fs_read", "arguments": ""}});
    let second =
        json!({"index": 1, "id": "call_2", "type": "function", "function": {"name": "bash", "arguments": "{}"}});
    let events = [
        piece(json!({"role": "assistant", "content": null, "tool_calls": [first]})),
        piece(json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"path\":"}}]})),
        piece(json!({"tool_calls": [second]})),
        piece(json!({"tool_calls": [{"index": 0, "function": {"arguments": "\"é\"}"}}]})),
        end.clone(),
    ];
    let (is_whole, reply) = streamed(Api::Chat, &events);
    assert!(is_whole);
    assert_eq!(called(reply.as_ref().unwrap()), (vec![("fs_read", "{\"path\":\"é\"}"), ("bash", "{}")], ""));
    // Some servers number nothing, and send each call whole.
    let whole = |name: &str| json!({"function": {"name": name, "arguments": "{}"}});
    let (_, reply) = streamed(Api::Chat, &[piece(json!({"tool_calls": [whole("a"), whole("a")]})), end]);
    assert_eq!(called(reply.as_ref().unwrap()).0, [("a", "{}"), ("a", "{}")]);
}

#[test]
fn calls_of_messages_are_read_streamed_and_not() {
    let content = json!([{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "t", "name": "fs_read", "input": {"path": "a"}}]);
    let body = json!({"type": "message", "content": content, "stop_reason": "tool_use", "usage": {"input_tokens": 9, "output_tokens": 3}});
    assert_eq!(called(&whole(Api::Messages, &body)), (vec![("fs_read", r#"{"path":"a"}"#)], "I look."));
    let start =
        |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let input = |index: u64, part: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": part}});
    let events = [
        json!({"type": "message_start", "message": {"content": []}}),
        start(0, json!({"type": "text", "text": ""})),
        start(1, json!({"type": "tool_use", "id": "t", "name": "fs_read", "input": {}})),
        input(1, ""),
        input(1, "{\"path\": "),
        input(1, "\"a\"}"),
        json!({"type": "content_block_stop", "index": 1}),
        start(2, json!({"type": "tool_use", "id": "u", "name": "bash", "input": {"command": "ls"}})),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ];
    let (_, reply) = streamed(Api::Messages, &events);
    let expected = vec![("fs_read", "{\"path\": \"a\"}"), ("bash", r#"{"command":"ls"}"#)];
    assert_eq!(called(reply.as_ref().unwrap()), (expected, ""));
}

#[test]
fn calls_of_responses_are_read_streamed_and_not() {
    let item = json!({"type": "function_call", "id": "fc", "call_id": "call_1", "name": "fs_read", "arguments": "{\"path\":\"a\"}", "status": "completed"});
    let custom = json!({"type": "custom_tool_call", "name": "bash", "input": "ls"});
    let body = json!({"object": "response", "status": "completed", "output": [{"type": "reasoning", "summary": []}, item, custom]});
    let expected = vec![("fs_read", "{\"path\":\"a\"}"), ("bash", "ls")];
    assert_eq!(called(&whole(Api::Responses, &body)), (expected.clone(), ""));
    let hollow = json!({"object": "response", "status": "completed", "output": []});
    for last in [body, hollow] {
        let events = [
            json!({"type": "response.output_item.added", "item": {"type": "function_call", "name": "fs_read", "arguments": ""}}),
            json!({"type": "response.function_call_arguments.delta", "delta": "{"}),
            json!({"type": "response.output_item.done", "item": item}),
            json!({"type": "response.output_item.done", "item": custom}),
            json!({"type": "response.completed", "response": last}),
        ];
        assert_eq!(called(streamed(Api::Responses, &events).1.as_ref().unwrap()), (expected.clone(), ""));
    }
}

#[test]
fn a_program_may_call() {
    let reply = whole(Api::Exec, &json!({"calls": [{"name": "fs.read", "arguments": {"path": "a"}}]}));
    assert_eq!(called(&reply), (vec![("fs.read", r#"{"path":"a"}"#)], ""));
    assert!(Api::Exec.reply(&config(Api::Exec), &json!({"calls": []})).is_err(), "neither text nor call");
}
