//! All protocols, streamed and not.

use cutpoint::llm::{Api, Completer, LlmConfig, LlmError, LlmRequest};
use serde_json::{Value, json};

use super::stub::{Act, Stub};
use super::{chat, config, live, request};
use cutpoint::transcript::ToolSchema;

fn response(text: &str) -> Value {
    json!({"id": "r", "object": "response", "status": "completed", "model": "m-1-2026", "error": null,
        "output": [{"type": "message", "content": [{"type": "output_text", "text": text}]}],
        "usage": {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}})
}

fn message(text: &str) -> Value {
    json!({"id": "m", "type": "message", "model": "m-1-2026", "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn", "usage": {"input_tokens": 100, "output_tokens": 20}})
}

/// The answer "done." of each protocol.
fn act(api: Api, stream: bool) -> Act {
    if !stream {
        return match api {
            Api::Chat => Act::json(&chat("done.")),
            Api::Responses => Act::json(&response("done.")),
            _ => Act::json(&message("done.")),
        };
    }
    match api {
        Api::Chat => {
            let piece = |text: &str| json!({"model": "m-1-2026", "choices": [{"delta": {"content": text}}]});
            let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
            let usage = json!({"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 20}});
            let events: Vec<Value> = vec![piece("do"), piece("ne."), end, usage];
            let Act::Stream(mut pieces, _) = Act::events(&events, true) else { unreachable!() };
            pieces.push((0, "data: [DONE]\n\n".to_owned()));
            Act::Stream(pieces, true)
        }
        Api::Responses => Act::events(
            &[
                json!({"type": "response.created", "response": {}}),
                json!({"type": "response.output_text.delta", "delta": "done."}),
                json!({"type": "response.completed", "response": response("done.")}),
            ],
            true,
        ),
        _ => {
            let start = json!({"type": "message_start", "message": {"model": "m-1-2026", "usage": {"input_tokens": 100, "output_tokens": 1}}});
            let piece = json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": "done."}});
            let end =
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 20}});
            let named = |event: &Value| (1, format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()));
            Act::Stream([start, piece, end, json!({"type": "message_stop"})].iter().map(named).collect(), true)
        }
    }
}

#[test]
fn every_protocol_answers_streamed_and_not() {
    for (api, path) in
        [(Api::Chat, "/v1/chat/completions"), (Api::Responses, "/v1/responses"), (Api::Messages, "/v1/messages")]
    {
        for stream in [false, true] {
            let stub = Stub::acts(vec![act(api, stream)]);
            let gateway = live(&config(api, &stub, stream));
            let answer = gateway.complete(&request("Summarize.", 0)).unwrap();
            assert_eq!((&*answer.text, answer.truncated), ("done.", false), "{api} {stream}");
            let usage = answer.usage.unwrap();
            assert_eq!((usage.input, usage.output), (100, 20), "{api} {stream}");
            let asked = &stub.asked()[0];
            assert_eq!((asked.path.as_str(), &asked.body["model"]), (path, &json!("m-1")));
            assert_eq!(asked.body.get("stream").is_some(), stream);
            assert_eq!(asked.header("anthropic-version").is_some(), api == Api::Messages);
            let spent = gateway.traffic().spent;
            assert_eq!((spent.calls, spent.input_tokens, spent.output_tokens), (1, 100, 20));
            assert_eq!((gateway.name(), gateway.is_mock()), (format!("{api}:m-1").as_str(), false));
        }
    }
}

/// The call `fs.read({"path":"a"})` of each protocol, under the name that was sent.
fn calling(api: Api, stream: bool) -> Act {
    let arguments = "{\"path\":\"a\"}";
    let named = |event: &Value| (1, format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()));
    match (api, stream) {
        (Api::Chat, false) => {
            let call = json!({"id": "c", "type": "function", "function": {"name": "fs_read", "arguments": arguments}});
            Act::json(
                &json!({"choices": [{"message": {"content": null, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}),
            )
        }
        (Api::Chat, true) => {
            let piece =
                |function: Value| json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "function": function}]}}]});
            let end = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
            Act::events(
                &[
                    piece(json!({"name": "fs_read", "arguments": "{\"path\""})),
                    piece(json!({"arguments": ":\"a\"}"})),
                    end,
                ],
                true,
            )
        }
        (Api::Responses, _) => {
            let item = json!({"type": "function_call", "name": "fs_read", "call_id": "c", "arguments": arguments});
            let body = json!({"status": "completed", "output": [item]});
            let last = json!({"type": "response.completed", "response": body});
            if stream { Act::Stream(vec![named(&last)], true) } else { Act::json(&body) }
        }
        (_, false) => Act::json(
            &json!({"type": "message", "content": [{"type": "tool_use", "name": "fs_read", "input": {"path": "a"}}], "stop_reason": "tool_use"}),
        ),
        (_, true) => {
            let start = json!({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "name": "fs_read", "input": {}}});
            let piece = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": arguments}});
            Act::Stream([start, piece, json!({"type": "message_stop"})].iter().map(named).collect(), true)
        }
    }
}

#[test]
fn tools_are_offered_and_called_through_every_protocol() {
    let tool = ToolSchema { name: "fs.read".into(), description: "Reads.".into(), parameters: "".into() };
    let request = LlmRequest { tools: [tool].into(), ..request("Which one is next?", 0) };
    for api in [Api::Chat, Api::Responses, Api::Messages] {
        for stream in [false, true] {
            let stub = Stub::acts(vec![calling(api, stream)]);
            let answer = live(&config(api, &stub, stream)).complete(&request).unwrap();
            let calls: Vec<(&str, &str)> = answer.calls.iter().map(|call| (&*call.name, &*call.arguments)).collect();
            assert_eq!(calls, [("fs.read", r#"{"path":"a"}"#)], "{api} {stream}");
            let sent = &stub.asked()[0].body["tools"][0];
            let name = if api == Api::Chat { &sent["function"]["name"] } else { &sent["name"] };
            assert_eq!(name, "fs_read", "{api}");
        }
    }
}

#[test]
fn a_whole_answer_to_a_streamed_question_is_taken() {
    let json = ("content-type", "application/json".to_owned());
    let stub = Stub::acts(vec![Act::Whole(200, vec![json], chat("done.").to_string())]);
    let answer = live(&config(Api::Chat, &stub, true)).complete(&request("Summarize.", 0)).unwrap();
    assert_eq!((&*answer.text, answer.usage.unwrap().output), ("done.", 20));
}

#[test]
fn the_compaction_endpoints_are_asked() {
    let body = json!({"object": "response.compaction", "output": [{"type": "compaction", "encrypted_content": "abc"}],
        "usage": {"input_tokens": 9, "output_tokens": 3}});
    let stub = Stub::acts(vec![Act::json(&body)]);
    let gateway = live(&config(Api::ResponsesCompact, &stub, true));
    let error = gateway.complete(&request("Summarize.", 0)).unwrap_err();
    assert!(matches!(error, LlmError::Unusable(why) if why.contains("encrypted (3 bytes)")));
    assert_eq!(stub.asked()[0].path, "/v1/responses/compact");
    assert_eq!((gateway.traffic().spent.input_tokens, gateway.halted()), (9, None), "it is paid for, and no fault");

    let mut body = message("");
    body["content"] = json!([{"type": "compaction", "content": "a summary"}]);
    let stub = Stub::acts(vec![Act::json(&body)]);
    let gateway = live(&config(Api::MessagesCompact, &stub, false));
    assert_eq!(&*gateway.complete(&request("Summarize.", 0)).unwrap().text, "a summary");
    assert_eq!(stub.asked()[0].header("anthropic-beta"), Some("compact-2026-01-12"));
}

#[cfg(unix)]
#[test]
fn a_program_answers() {
    let mut config = LlmConfig::new(Api::Exec, "script");
    let script =
        r#"read -r line; case "$line" in *boom*) echo oh >&2; exit 3;; *) echo '{"text":"from a program"}';; esac"#;
    config.command = ["sh", "-c", script].map(str::to_owned).to_vec();
    config.limits.attempts = 1;
    let gateway = live(&config);
    let answer = gateway.complete(&request(&"long\n".repeat(100_000), 0)).unwrap();
    assert_eq!((&*answer.text, answer.usage), ("from a program", None));
    let error = gateway.complete(&request("boom", 0)).unwrap_err().to_string();
    assert!(error.contains("oh") && gateway.halted().is_some(), "{error}");

    config.command = ["sh", "-c", "sleep 60"].map(str::to_owned).to_vec();
    config.limits.timeout_s = 0.2;
    let error = live(&config).complete(&request("x", 0)).unwrap_err().to_string();
    assert!(error.contains("did not end within 0.2 s"), "{error}");
}
