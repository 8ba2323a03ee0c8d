//! Faults of a server, and what is made of them.

use std::time::Instant;

use cutpoint::llm::{Api, Completer, LlmError};
use serde_json::{Value, json};

use super::stub::{Act, Stub};
use super::{chat, config, live, request};

/// The answer after these acts, and how often the server was asked.
fn after(acts: Vec<Act>, stream: bool) -> (Result<String, LlmError>, usize, Option<String>) {
    let stub = Stub::acts(acts);
    let gateway = live(&config(Api::Chat, &stub, stream));
    let answer = gateway.complete(&request("Summarize.", 0)).map(|answer| answer.text.to_string());
    (answer, stub.asked().len(), gateway.halted())
}

fn done(acts: Vec<Act>, stream: bool, asked: usize) {
    assert_eq!(after(acts, stream), (Ok("done.".to_owned()), asked, None));
}

fn pieces(is_whole: bool) -> Act {
    let piece = json!({"choices": [{"delta": {"content": "done."}}]});
    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    let events: &[Value] = if is_whole { &[piece, end] } else { &[piece] };
    Act::events(events, is_whole)
}

#[test]
fn faults_that_pass_are_tried_again() {
    let good = || Act::json(&chat("done."));
    done(vec![Act::status(500, "oops"), Act::status(529, ""), good()], false, 3);
    done(vec![Act::status(200, "<html>a proxy's page</html>"), good()], false, 2);
    done(vec![Act::status(200, r#"{"choices":[{"message"#), good()], false, 2);
    done(vec![Act::json(&json!({"error": {"message": "overloaded", "type": "server_error"}})), good()], false, 2);
    done(vec![pieces(false), pieces(true)], true, 2);
    done(vec![Act::events(&[json!({"error": {"message": "overloaded"}})], true), pieces(true)], true, 2);
    done(vec![Act::Stream(vec![(0, "data: {\"cho\n\n".to_owned())], true), pieces(true)], true, 2);
}

#[test]
fn a_server_that_asks_to_wait_is_waited_for() {
    let busy = r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#;
    let wait = |seconds: &str| Act::Whole(429, vec![("retry-after", seconds.to_owned())], busy.to_owned());
    let start = Instant::now();
    done(vec![wait("1"), Act::json(&chat("done."))], false, 2);
    assert!(start.elapsed().as_secs_f64() >= 1.0);
    let (answer, asked, halted) = after(vec![wait("4000")], false);
    assert!(answer.is_err() && asked == 1, "nobody waits for an hour");
    assert!(halted.unwrap().contains("it asks to wait 4000 s"));
}

#[test]
fn faults_that_stay_end_the_run() {
    let (answer, asked, halted) = after(vec![Act::status(503, "down")], false);
    assert!(answer.is_err() && asked == 3);
    assert!(halted.unwrap().contains("status 503: down, 3 times in a row"));
    let key =
        r#"{"error":{"message":"Incorrect API key provided: sk-0123456789abcdefghij","type":"invalid_request_error"}}"#;
    let (_, asked, halted) = after(vec![Act::status(401, key)], false);
    let why = halted.unwrap();
    assert!(asked == 1 && why.contains("Incorrect API key") && !why.contains("sk-0123"), "{why}");
}

#[test]
fn a_models_own_word_is_an_answer() {
    let long =
        r#"{"error":{"message":"This model's maximum context length is 8 tokens.","code":"context_length_exceeded"}}"#;
    let (answer, asked, halted) = after(vec![Act::status(400, long)], false);
    assert!(matches!(answer, Err(LlmError::Overflow(why)) if why.contains("maximum context length is 8")));
    assert_eq!((asked, halted), (1, None));
    let (answer, _, halted) = after(vec![Act::json(&chat(" \n"))], false);
    assert!(matches!(answer, Err(LlmError::Unusable(why)) if why == "it is empty") && halted.is_none());
    let refusal = json!({"choices": [{"message": {"content": null, "refusal": "I cannot"}, "finish_reason": "stop"}]});
    let (answer, ..) = after(vec![Act::json(&refusal)], false);
    assert!(matches!(answer, Err(LlmError::Unusable(why)) if why.contains("I cannot")));
}

#[test]
fn usage_that_is_absent_is_not_zero() {
    let mut body = chat("done.");
    body.as_object_mut().unwrap().remove("usage");
    let stub = Stub::acts(vec![Act::json(&body)]);
    let gateway = live(&config(Api::Chat, &stub, false));
    assert_eq!(gateway.complete(&request("Summarize.", 0)).unwrap().usage, None);
    let spent = gateway.traffic().spent;
    assert_eq!((spent.calls, spent.estimated_calls), (1, 1));
    assert!(spent.input_tokens > 0, "the budget counts an estimate");
}

#[test]
fn a_late_begin_and_a_stream_that_stands_still_are_noticed() {
    for (act, why) in [
        (Act::Stream(vec![(3_000, String::from("data: {}\n\n"))], true), "stood still"),
        (Act::Stream(vec![(0, ": hello\n\n".to_owned()), (3_000, "data: {}\n\n".to_owned())], true), "stood still"),
    ] {
        let stub = Stub::acts(vec![act]);
        let mut config = config(Api::Chat, &stub, true);
        (config.limits.first_byte_s, config.limits.idle_s, config.limits.attempts) = (0.3, 0.3, 1);
        let error = live(&config).complete(&request("x", 0)).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let slow = Stub::new(|_, _| {
        std::thread::sleep(std::time::Duration::from_secs(2));
        Act::json(&chat("late"))
    });
    let mut slow = config(Api::Chat, &slow, true);
    (slow.limits.first_byte_s, slow.limits.attempts) = (0.3, 1);
    let error = live(&slow).complete(&request("x", 0)).unwrap_err().to_string();
    assert!(error.contains("did not begin within 0.3 s"), "{error}");
    (slow.stream, slow.limits.timeout_s) = (false, 0.4);
    let error = live(&slow).complete(&request("x", 0)).unwrap_err().to_string();
    assert!(error.contains("no whole answer within 0.4 s"), "{error}");
}

#[test]
fn nobody_there_and_no_tls_are_said_in_words() {
    let stub = Stub::acts(vec![Act::json(&chat("done."))]);
    let mut config = config(Api::Chat, &stub, false);
    config.limits.attempts = 1;
    config.base_url = Some("http://127.0.0.1:1/v1".to_owned());
    let error = live(&config).complete(&request("x", 0)).unwrap_err().to_string();
    assert!(error.contains("http://127.0.0.1:1/v1/chat/completions does not answer"), "{error}");
    config.base_url = Some(stub.url.replace("http:", "https:"));
    let error = live(&config).complete(&request("x", 0)).unwrap_err().to_string();
    assert!(error.contains("https://127.0.0.1") && error.contains("does not answer: "), "{error}");
}
