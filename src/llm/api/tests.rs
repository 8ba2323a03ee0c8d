mod calls;

use serde_json::{Value, json};

use super::{Api, CallError, LlmConfig, LlmError, LlmRequest, Reply};
use crate::engine::summarize::Purpose;
use crate::transcript::{Tokens, Usage};

fn config(api: Api) -> LlmConfig {
    LlmConfig::new(api, "m-1")
}

fn request() -> LlmRequest {
    let system = Some("be brief".into());
    LlmRequest { max_output: Some(Tokens(50)), seed: 4, ..LlmRequest::new(Purpose::Summary, system, "say it") }
}

fn whole(api: Api, body: &Value) -> Reply {
    api.reply(&config(api), body).unwrap()
}

fn streamed(api: Api, events: &[Value]) -> (bool, Result<Reply, CallError>) {
    let mut fold = api.fold(&config(api)).unwrap();
    let mut is_whole = false;
    for event in events {
        match fold.push(event) {
            Ok(whole) => is_whole |= whole,
            Err(error) => return (false, Err(error)),
        }
    }
    (is_whole, fold.reply())
}

#[track_caller]
fn said(reply: &Reply, text: &str, truncated: bool) {
    let answer = reply.outcome.as_ref().unwrap();
    assert_eq!((&*answer.text, answer.truncated, reply.model.as_deref()), (text, truncated, Some("m-1-2026")));
}

#[track_caller]
fn unusable(reply: &Reply, why: &str) {
    assert!(matches!(&reply.outcome, Err(LlmError::Unusable(text)) if text.contains(why)), "{reply:?}");
}

#[test]
fn bodies_are_what_each_protocol_wants() {
    let body = |change: fn(&mut LlmConfig), api: Api, stream| {
        let mut config = config(api);
        change(&mut config);
        api.body(&config, &request(), stream)
    };
    assert_eq!(
        body(|c| c.base_url = Some("http://localhost/v1".to_owned()), Api::Chat, false),
        json!({"model": "m-1", "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "say it"}], "max_tokens": 50})
    );
    let home = body(|c| (c.temperature, c.send_seed) = (Some(0.5), true), Api::Chat, true);
    assert_eq!(
        (&home["max_completion_tokens"], &home["seed"], &home["temperature"]),
        (&json!(50), &json!(4), &json!(0.5))
    );
    assert_eq!(home["stream_options"], json!({"include_usage": true}));
    let responses = body(|_| {}, Api::Responses, true);
    assert_eq!((&responses["instructions"], &responses["store"]), (&json!("be brief"), &json!(false)));
    assert_eq!(responses["input"][0]["content"][0], json!({"type": "input_text", "text": "say it"}));
    let compact = body(|_| {}, Api::ResponsesCompact, false);
    assert_eq!(compact.as_object().unwrap().keys().collect::<Vec<_>>(), ["model", "input", "instructions"]);
    let messages = body(|c| c.cache = true, Api::Messages, false);
    assert_eq!(messages["system"][0]["cache_control"], json!({"type": "ephemeral"}));
    assert_eq!(messages["messages"][0]["content"][0]["cache_control"], json!({"type": "ephemeral"}));
    let edit = &body(|_| {}, Api::MessagesCompact, false)["context_management"]["edits"][0];
    assert_eq!((&edit["type"], &edit["trigger"]["value"]), (&json!("compact_20260112"), &json!(50_000)));
    let thinking = body(
        |c| c.extra = [("reasoning".to_owned(), json!({"effort": "low"}))].into_iter().collect(),
        Api::Responses,
        false,
    );
    assert_eq!(thinking["reasoning"]["effort"], "low");
}

#[test]
fn chat_completions_are_read() {
    let body = |content: Value, finish: &str| {
        json!({"id": "c", "object": "chat.completion", "model": "m-1-2026",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": content, "refusal": null}, "finish_reason": finish}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
                "prompt_tokens_details": {"cached_tokens": 64}, "completion_tokens_details": {"reasoning_tokens": 5}}})
    };
    let reply = whole(Api::Chat, &body(json!("done"), "stop"));
    said(&reply, "done", false);
    let usage =
        Usage { input: 36, output: 20, cache_read: 64, reasoning: Some(5), total: Some(120), ..Usage::default() };
    assert_eq!(reply.usage, Some(usage), "cached tokens are part of the prompt");
    said(&whole(Api::Chat, &body(json!("don"), "length")), "don", true);
    unusable(&whole(Api::Chat, &body(json!(""), "stop")), "empty");
    unusable(&whole(Api::Chat, &body(Value::Null, "length")), "output limit");
    unusable(&whole(Api::Chat, &body(json!("x"), "content_filter")), "filter");
    let refused =
        json!({"choices": [{"message": {"content": null, "refusal": "I will not"}, "finish_reason": "stop"}]});
    let reply = whole(Api::Chat, &refused);
    unusable(&reply, "I will not");
    assert_eq!(reply.usage, None, "usage that is absent is unknown, not 0");
    assert!(matches!(Api::Chat.reply(&config(Api::Chat), &json!({"choices": []})), Err(CallError::Again { .. })));
}

#[test]
fn streamed_chat_completions_are_read() {
    let piece = |delta: Value, finish: Value| json!({"model": "m-1-2026", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "usage": null});
    let events = [
        piece(json!({"role": "assistant", "content": ""}), Value::Null),
        piece(json!({"content": "do"}), Value::Null),
        piece(json!({"content": "ne"}), Value::Null),
        piece(json!({}), json!("stop")),
        json!({"model": "m-1-2026", "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}}),
    ];
    let (is_whole, reply) = streamed(Api::Chat, &events);
    said(reply.as_ref().unwrap(), "done", false);
    assert!(is_whole);
    assert_eq!(reply.unwrap().usage.unwrap().input, 7);
    assert!(!streamed(Api::Chat, &events[..3]).0, "no reason to end: the stream was cut");
    let error = json!({"error": {"message": "overloaded", "type": "server_error", "code": 503}});
    assert!(matches!(streamed(Api::Chat, &[error]).1, Err(CallError::Again { .. })));
}

fn response(status: &str, content: &Value) -> Value {
    json!({"id": "r", "object": "response", "status": status, "model": "m-1-2026", "error": null,
        "output": [{"type": "reasoning", "summary": []}, {"type": "message", "role": "assistant", "content": content}],
        "incomplete_details": if status == "incomplete" { json!({"reason": "max_output_tokens"}) } else { Value::Null },
        "usage": {"input_tokens": 50, "input_tokens_details": {"cached_tokens": 10}, "output_tokens": 9,
            "output_tokens_details": {"reasoning_tokens": 4}, "total_tokens": 59}})
}

#[test]
fn responses_are_read_streamed_and_not() {
    let text = json!([{"type": "output_text", "text": "done", "annotations": []}]);
    let body = response("completed", &text);
    let reply = whole(Api::Responses, &body);
    said(&reply, "done", false);
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.reasoning), (40, 10, 9, Some(4)));
    said(&whole(Api::Responses, &response("incomplete", &text)), "done", true);
    unusable(&whole(Api::Responses, &response("completed", &json!([{"type": "refusal", "refusal": "no"}]))), "no");
    let delta = json!({"type": "response.output_text.delta", "delta": "done"});
    let last = json!({"type": "response.completed", "response": body});
    let (is_whole, reply) = streamed(Api::Responses, &[delta.clone(), last]);
    assert!(is_whole);
    said(&reply.unwrap(), "done", false);
    let mut hollow = response("completed", &text);
    hollow["output"] = json!([]);
    let last = json!({"type": "response.completed", "response": hollow});
    said(&streamed(Api::Responses, &[delta.clone(), last]).1.unwrap(), "done", false);
    assert!(!streamed(Api::Responses, &[delta]).0);
    let failed = json!({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "oh"}}});
    assert!(matches!(streamed(Api::Responses, &[failed]).1, Err(CallError::Again { .. })));
}

#[test]
fn an_encrypted_compaction_has_usage_and_no_text() {
    let body = json!({"id": "r", "object": "response.compaction", "output": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "say it"}]},
        {"type": "compaction", "id": "c", "encrypted_content": "0123456789"}],
        "usage": {"input_tokens": 42_897, "output_tokens": 12_000, "total_tokens": 54_897}});
    let reply = whole(Api::ResponsesCompact, &body);
    unusable(&reply, "encrypted (10 bytes)");
    assert_eq!(reply.usage.unwrap().output, 12_000);
}

fn message(content: &Value, stop: &str) -> Value {
    json!({"id": "m", "type": "message", "role": "assistant", "model": "m-1-2026", "content": content, "stop_reason": stop,
        "usage": {"input_tokens": 10, "cache_creation_input_tokens": 300, "cache_read_input_tokens": 2_000, "output_tokens": 8,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 300}}})
}

#[test]
fn messages_are_read() {
    let content =
        json!([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "do"}, {"type": "text", "text": "ne"}]);
    let reply = whole(Api::Messages, &message(&content, "end_turn"));
    said(&reply, "done", false);
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.cache_write, usage.cache_write_1h), (10, 2_000, 300, Some(300)));
    said(&whole(Api::Messages, &message(&content, "max_tokens")), "done", true);
    unusable(&whole(Api::Messages, &message(&json!([]), "refusal")), "refuses");
    unusable(&whole(Api::Messages, &message(&json!([]), "end_turn")), "empty");
}

#[test]
fn streamed_messages_are_read() {
    let events = [
        json!({"type": "message_start", "message": {"model": "m-1-2026", "content": [], "usage": {"input_tokens": 25, "output_tokens": 1, "cache_read_input_tokens": 5}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "done"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 15}}),
        json!({"type": "message_stop"}),
    ];
    let (is_whole, reply) = streamed(Api::Messages, &events);
    let reply = reply.unwrap();
    assert!(is_whole);
    said(&reply, "done", false);
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output), (25, 5, 15));
    assert!(!streamed(Api::Messages, &events[..6]).0, "without its last event a stream was cut");
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    assert!(matches!(streamed(Api::Messages, &[error]).1, Err(CallError::Again { .. })));
}

#[test]
fn a_compaction_by_the_server_is_a_block_and_its_bill_stands_in_the_iterations() {
    let mut body = message(&json!([{"type": "compaction", "content": "the summary"}]), "compaction");
    body["usage"]["iterations"] = json!([
        {"type": "compaction", "input_tokens": 180_000, "output_tokens": 3_500},
        {"type": "message", "input_tokens": 23_000, "output_tokens": 1_000}]);
    let reply = whole(Api::MessagesCompact, &body);
    said(&reply, "the summary", false);
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.output), (203_000, 4_500));
    unusable(&whole(Api::MessagesCompact, &message(&json!([{"type": "text", "text": "x"}]), "end_turn")), "50000");
}

#[test]
fn a_program_answers_with_one_object() {
    let reply = whole(
        Api::Exec,
        &json!({"text": "done", "model": "m-1-2026", "usage": {"input_tokens": 3, "output_tokens": 1}}),
    );
    said(&reply, "done", false);
    assert_eq!(reply.usage.unwrap().input, 3);
    assert!(
        Api::Exec.reply(&config(Api::Exec), &json!({"error": {"message": "no", "type": "invalid_request"}})).is_err()
    );
}
