//! What servers and proxies do that no protocol says: every kind of fault in several forms.

use std::io::Write;
use std::time::{Duration, Instant, SystemTime};

use cutpoint::llm::{Api, Completer, LlmConfig, LlmError, LlmRequest};
use cutpoint::transcript::ToolSchema;
use serde_json::{Value, json};

use super::stub::{Act, Stub};
use super::{chat, config, live, request};

/// The answer of these acts in turn, the last one for ever; how often the server was asked; why there is no further answer.
fn met(api: Api, acts: Vec<Act>, stream: bool) -> (Result<String, LlmError>, usize, Option<String>) {
    let stub = Stub::acts(acts);
    let gateway = live(&config(api, &stub, stream));
    let answer = gateway.complete(&request("Summarize.", 0)).map(|answer| answer.text.to_string());
    (answer, stub.asked().len(), gateway.halted())
}

#[track_caller]
fn done(acts: Vec<Act>, stream: bool, asked: usize) {
    assert_eq!(met(Api::Chat, acts, stream), (Ok("done.".to_owned()), asked, None));
}

fn good() -> Act {
    Act::json(&chat("done."))
}

fn piece(text: &str) -> String {
    json!({"choices": [{"delta": {"content": text}}]}).to_string()
}

const END: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;

/// A stream of these bytes.
fn raw(parts: &[&str], is_whole: bool) -> Act {
    Act::Stream(parts.iter().map(|part| (0, (*part).to_owned())).collect(), is_whole)
}

fn streamed(text: &str) -> Act {
    raw(&[text], true)
}

fn http_date(seconds: i64) -> String {
    let now = jiff::Timestamp::try_from(SystemTime::now()).unwrap();
    (now + jiff::SignedDuration::from_secs(seconds)).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

#[test]
fn a_date_to_come_back_at_is_a_wait() {
    let busy = r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#;
    let until = |headers: Vec<(&'static str, String)>| Act::Whole(429, headers, busy.to_owned());
    let start = Instant::now();
    done(vec![until(vec![("retry-after", http_date(2))]), good()], false, 2);
    assert!(start.elapsed() >= Duration::from_millis(900), "{:?}", start.elapsed());
    // The server's clock is a day late; by it the wait is one second.
    let (then, now) = (http_date(-86_399), http_date(-86_400));
    let start = Instant::now();
    done(vec![until(vec![("retry-after", then), ("date", now)]), good()], false, 2);
    assert!(start.elapsed() >= Duration::from_secs(1));
    // It has passed: the program's own short wait is enough.
    let start = Instant::now();
    done(vec![until(vec![("retry-after", http_date(-3_600))]), good()], false, 2);
    assert!(start.elapsed() < Duration::from_secs(5));
    let (answer, asked, halted) = met(Api::Chat, vec![until(vec![("retry-after", http_date(86_400))])], false);
    assert!(answer.is_err() && asked == 1 && halted.unwrap().contains("it asks to wait"));
}

#[test]
fn what_passes_is_asked_again() {
    for status in [408, 409, 425, 500, 502, 503, 504, 520, 529] {
        done(vec![Act::status(status, "<html><body>busy</body></html>"), good()], false, 2);
    }
    // Texts about rates name billing pages; no money is left only where the code says so.
    let rates = r#"{"error":{"message":"Rate limit reached for m-1. You can add a payment method at https://x.test/account/billing.","type":"requests","code":"rate_limit_exceeded"}}"#;
    done(vec![Act::status(429, rates), good()], false, 2);
    let gemini = r#"[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED"}}]"#;
    done(vec![Act::status(429, gemini), good()], false, 2);
    let none = r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","code":"insufficient_quota"}}"#;
    let (_, asked, halted) = met(Api::Chat, vec![Act::status(429, none)], false);
    assert!(asked == 1 && halted.unwrap().contains("You exceeded your current quota"));
    done(vec![Act::status(200, ""), Act::status(200, " \n"), good()], false, 3);
    done(vec![Act::status(200, "[]"), Act::status(200, "null"), good()], false, 3);
    done(vec![Act::json(&json!({"object": "error", "message": "engine is dead", "code": 500})), good()], false, 2);
}

#[test]
fn a_page_is_told_by_its_words() {
    let page = "<!DOCTYPE html>\n<html><head><title>502 Bad\n Gateway</title></head><body>nginx</body></html>";
    for (act, why) in [
        (Act::status(502, page), r#"status 502: a page, "502 Bad Gateway""#),
        (Act::status(200, page), r#"the answer is no JSON but a page, "502 Bad Gateway""#),
        (Act::status(404, "<h1>Not</h1> <p>found"), r#"status 404: a page, "Not found""#),
    ] {
        for stream in [false, true] {
            let (_, _, halted) = met(Api::Chat, vec![act.clone()], stream);
            let halted = halted.unwrap();
            assert!(halted.contains(why), "{halted}");
        }
    }
}

#[test]
fn a_filter_is_an_answer_and_ends_no_run() {
    let azure = r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","param":"prompt","code":"content_filter","status":400}}"#;
    let prompt = r#"{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy.","type":"invalid_request_error","code":"invalid_prompt"}}"#;
    let anthropic = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}"#;
    let deepseek = r#"{"error":{"message":"Content Exists Risk","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}"#;
    let router = r#"{"error":{"code":403,"message":"m-1 requires moderation on X. Your input was flagged","metadata":{"reasons":["violence"]}}}"#;
    for (status, body) in [(400, azure), (400, prompt), (400, anthropic), (400, deepseek), (403, router)] {
        let (answer, asked, halted) = met(Api::Chat, vec![Act::status(status, body)], false);
        let is_filter = matches!(&answer, Err(LlmError::Unusable(why)) if why.contains("filter stopped it"));
        assert!(is_filter && asked == 1 && halted.is_none(), "{body}: {answer:?} {halted:?}");
    }
    let stream = format!(
        "data: {}\n\ndata: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"content_filter\"}}]}}\n\n",
        piece("half")
    );
    let (answer, ..) = met(Api::Chat, vec![streamed(&stream)], true);
    assert!(matches!(answer, Err(LlmError::Unusable(why)) if why.contains("filter")));
}

#[test]
fn a_prompt_that_does_not_fit_is_known_behind_routers_and_in_streams() {
    let quoted = r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"detail\":\"The decoder prompt (length 9000) is longer than the maximum model length of 4096\"}"}}}"#;
    let bodies = [
        quoted,
        r#"{"message":"The input (9000 tokens) is longer than the model's context length (4096 tokens)."}"#,
        r#"{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9000 `inputs` tokens","error_type":"validation"}"#,
        r#"{"error":"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}"#,
        r#"{"code":"1261","message":"Prompt exceeds max length"}"#,
        r#"{"error":{"message":"Range of input length should be [1, 30720]","code":"invalid_parameter_error"}}"#,
        r#"{"error":{"message":"prompt token count of 130000 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}"#,
        r#"{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 9000."}"#,
    ];
    for body in bodies {
        let (answer, asked, halted) = met(Api::Chat, vec![Act::status(400, body)], false);
        assert!(matches!(answer, Err(LlmError::Overflow(_))) && asked == 1 && halted.is_none(), "{body}: {answer:?}");
    }
    let error = r#"{"error":{"message":"This model's maximum context length is 8 tokens","type":"BadRequestError","code":400}}"#;
    let named = format!("event: error\ndata: {error}\n\n");
    let failed = r#"{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}"#;
    let anthropic = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#;
    for (api, stream) in [
        (Api::Chat, format!("data: {error}\n\n")),
        (Api::Chat, named),
        (Api::Responses, format!("data: {failed}\n\n")),
        (Api::Messages, format!("event: error\ndata: {anthropic}\n\n")),
    ] {
        let (answer, asked, halted) = met(api, vec![streamed(&stream)], true);
        assert!(matches!(answer, Err(LlmError::Overflow(_))) && asked == 1 && halted.is_none(), "{stream}: {answer:?}");
    }
    // The answer's limit is a parameter, and no prompt that does not fit.
    let limit = r#"{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens","type":"invalid_request_error"}}"#;
    let (_, asked, halted) = met(Api::Chat, vec![Act::status(400, limit)], false);
    assert!(asked == 1 && halted.unwrap().contains("max_tokens is too large"));
}

#[test]
fn streams_are_read_in_every_dress() {
    let (first, second) = (piece("do"), piece("ne."));
    for stream in [
        format!("data:{first}\n\ndata:{second}\n\ndata:{END}\n\ndata:[DONE]\n\n"),
        format!("data: {first}\r\n\r\ndata: {second}\r\n\r\ndata: {END}\r\n\r\ndata: [DONE]\r\n\r\n"),
        format!("data: {first}\r\rdata: {second}\r\rdata: {END}\r\r"),
        format!(
            ": PROCESSING\n\ndata: {first}\n\n: ping\n\nevent: ping\ndata: \n\ndata:\n\ndata: {second}\n\ndata: {END}\n\n"
        ),
        format!("\u{feff}id: 1\nretry: 10\nevent: message\ndata: {first}\n\ndata: {second}\n\ndata: {END}"),
        format!("data: {first}\n\ndata: {second}\n\ndata: [DONE]\n\n"),
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"do\"}},\"finish_reason\":\"\"}}]}}\n\ndata: {second}\n\ndata: {END}\n\n"
        ),
        format!("data: {first}\n\ndata: {second}\n\ndata: {END}\n\ndata: {{\"choices\":[], \"usage\":"),
        chat("done.").to_string(),
        format!("\n {}", chat("done.")),
    ] {
        done(vec![streamed(&stream)], true, 1);
        // One byte at a time, inside of characters and of a byte order mark too.
        done(vec![Act::Bytes(stream.bytes().map(|byte| vec![byte]).collect(), true)], true, 1);
    }
    // A server that streams although nobody asked for it.
    done(vec![streamed(&format!("data: {first}\n\ndata: {second}\n\ndata: {END}\n\n"))], false, 1);
}

#[test]
fn a_stream_that_is_cut_is_asked_for_again_wherever_it_was_cut() {
    let whole = format!("data: {}\n\ndata: {END}\n\ndata: [DONE]\n\n", piece("dé 日本."));
    let end = whole.find(END).unwrap() + END.len();
    let good = streamed(&format!("data: {}\n\ndata: {END}\n\n", piece("done.")));
    let cuts: Vec<(usize, bool)> = (1..end).flat_map(|cut| [(cut, true), (cut, false)]).collect();
    // Each waits before it asks again, so many wait at once.
    for cuts in cuts.chunks(32) {
        std::thread::scope(|scope| {
            for &(cut, is_ended) in cuts {
                let act = Act::Bytes(vec![whole.as_bytes()[..cut].to_vec()], is_ended);
                let acts = vec![act, good.clone()];
                scope.spawn(move || done(acts, true, 2));
            }
        });
    }
    // What is cut behind the reason to end is whole.
    for cut in [end + 1, end + 2, whole.len() - 3, whole.len()] {
        let act = Act::Bytes(vec![whole.as_bytes()[..cut].to_vec()], false);
        let (answer, asked, _) = met(Api::Chat, vec![act], true);
        assert_eq!((answer.unwrap().as_str(), asked), ("dé 日本.", 1), "{cut}");
    }
}

#[test]
fn usage_is_found_where_servers_put_it_and_nowhere_else() {
    let used = |stream: String| {
        let stub = Stub::acts(vec![streamed(&stream)]);
        let gateway = live(&config(Api::Chat, &stub, true));
        gateway.complete(&request("x", 0)).unwrap().usage.map(|usage| (usage.input, usage.cache_read, usage.output))
    };
    let with = |last: &str| format!("data: {}\n\ndata: {END}\n\n{last}data: [DONE]\n\n", piece("x"));
    assert_eq!(used(with("")), None);
    assert_eq!(used(with("data: {\"choices\":[],\"usage\":null}\n\n")), None);
    assert_eq!(used(with("data: {\"choices\":[],\"usage\":{}}\n\n")), None);
    assert_eq!(used(with("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":0}}\n\n")), None);
    let counts = r#"{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":64}}"#;
    let expected = Some((36, 64, 20));
    assert_eq!(used(with(&format!("data: {{\"choices\":[],\"usage\":{counts}}}\n\n"))), expected);
    assert_eq!(used(with(&format!("data: {{\"choices\":[],\"x_groq\":{{\"usage\":{counts}}}}}\n\n"))), expected);
    let moonshot =
        format!("data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"stop\",\"usage\":{counts}}}]}}\n\n");
    assert_eq!(used(format!("data: {}\n\n{moonshot}", piece("x"))), expected);
    let deepseek =
        r#"{"prompt_tokens":100,"completion_tokens":20,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}"#;
    assert_eq!(used(with(&format!("data: {{\"choices\":[],\"usage\":{deepseek}}}\n\n"))), expected);
    // A count that grows with every piece is told by its last value.
    let grows = |output: u64| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"x\"}}}}],\"usage\":{{\"prompt_tokens\":9,\"completion_tokens\":{output}}}}}\n\n"
        )
    };
    assert_eq!(used(format!("{}{}data: {END}\n\n", grows(1), grows(2))), Some((9, 0, 2)));
}

#[test]
fn answers_that_end_at_the_limit_or_are_empty_are_told_apart() {
    let ends = |content: Value, reason: &str| {
        Act::json(&json!({"choices": [{"message": {"content": content}, "finish_reason": reason}]}))
    };
    let stub = Stub::acts(vec![ends(json!("half"), "length")]);
    let answer = live(&config(Api::Chat, &stub, false)).complete(&request("x", 0)).unwrap();
    assert_eq!((&*answer.text, answer.truncated), ("half", true));
    for (content, reason, why) in [
        (Value::Null, "length", "output limit"),
        (json!([]), "stop", "it is empty"),
        (json!("\n"), "stop", "it is empty"),
    ] {
        let (answer, asked, halted) = met(Api::Chat, vec![ends(content, reason)], false);
        assert!(
            matches!(answer, Err(LlmError::Unusable(text)) if text.contains(why)) && asked == 1 && halted.is_none()
        );
    }
    let refusals = [
        (Api::Messages, json!({"type": "message", "content": [], "stop_reason": "refusal"})),
        (
            Api::Responses,
            json!({"status": "completed", "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]}),
        ),
        (Api::Chat, json!({"choices": [{"message": {"content": "", "refusal": "no"}, "finish_reason": "stop"}]})),
    ];
    for (api, body) in refusals {
        let (answer, asked, halted) = met(api, vec![Act::json(&body)], false);
        assert!(
            matches!(answer, Err(LlmError::Unusable(why)) if why.contains("refuses")) && asked == 1 && halted.is_none()
        );
    }
}

#[test]
fn a_key_is_in_no_error_however_it_is_quoted() {
    let key = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz";
    // Where it is cut to its longest, an error ends in the middle of the key.
    let padded = format!("{{\"error\":{{\"message\":\"{}{key}\",\"code\":\"invalid_api_key\"}}}}", "x ".repeat(290));
    let plain = format!("no such key: {key}");
    let page = format!("<html><title>{key}</title></html>");
    let overflow = format!("{{\"error\":{{\"message\":\"prompt is too long, said {key}\"}}}}");
    let event = format!("data: {{\"error\":{{\"message\":\"{}{key}\",\"code\":401}}}}\n\n", "y ".repeat(295));
    for (act, stream) in [
        (Act::status(401, &padded), false),
        (Act::status(403, &plain), false),
        (Act::status(401, &page), false),
        (Act::status(400, &overflow), false),
        (streamed(&event), true),
    ] {
        let (answer, _, halted) = met(Api::Chat, vec![act], stream);
        let told = format!("{answer:?} {halted:?}");
        assert!(!told.contains("sk-proj-0") && answer.is_err(), "{told}");
    }
}

#[test]
fn bases_and_moved_addresses() {
    for end in ["", "/", "/v1", "/v1/", "/v1/chat/completions"] {
        let stub = Stub::acts(vec![good()]);
        let mut config = config(Api::Chat, &stub, false);
        config.base_url = Some(format!("{}{end}", stub.url.trim_end_matches("/v1")));
        assert!(live(&config).complete(&request("x", 0)).is_ok(), "{end}");
        assert_eq!(stub.asked()[0].path, "/v1/chat/completions", "{end}");
    }
    let to = |status: u16, place: &str| Act::Whole(status, vec![("location", place.to_owned())], String::new());
    done(vec![to(307, "/v1/chat/completions/"), good()], false, 2);
    done(vec![to(308, "/v2/chat/completions"), good()], true, 2);
    for (act, why) in [
        (to(302, "/login"), "is moved to /login"),
        (to(308, "https://elsewhere.test/v1"), "is moved to https://elsewhere.test/v1: name that as base_url"),
        (Act::status(301, ""), "is moved to nowhere"),
    ] {
        let (_, asked, halted) = met(Api::Chat, vec![act], false);
        let halted = halted.unwrap();
        assert!(asked == 1 && halted.contains(why), "{halted}");
    }
    let (_, asked, halted) = met(Api::Chat, vec![to(307, "/v1/chat/completions")], false);
    assert!(asked == 4 && halted.unwrap().contains("moved again and again"));
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn packed_answers_are_unpacked() {
    let events = format!("data: {}\n\ndata: {END}\n\n", piece("done."));
    let packed = |status: u16, text: &str| Act::Packed(status, "gzip", gzip(text));
    done(vec![packed(200, &chat("done.").to_string())], false, 1);
    done(vec![packed(200, &events)], true, 1);
    done(vec![packed(503, "busy"), packed(200, &events)], true, 2);
    let long = r#"{"error":{"message":"prompt is too long"}}"#;
    assert!(matches!(met(Api::Chat, vec![packed(400, long)], false).0, Err(LlmError::Overflow(_))));
    let cut = Act::Packed(200, "gzip", gzip(&chat("done.").to_string())[..30].to_vec());
    done(vec![cut, good()], false, 2);
    let (_, asked, halted) = met(Api::Chat, vec![Act::Packed(200, "br", b"x".to_vec())], false);
    assert!(asked == 1 && halted.unwrap().contains("packed as br"));
}

#[test]
fn a_server_that_takes_no_tools_is_told_so_once() {
    let tool = ToolSchema { name: "read".into(), description: "".into(), parameters: "".into() };
    let request = LlmRequest { tools: [tool].into(), ..request("Which one is next?", 0) };
    for (status, body) in [
        (400, r#"{"error":{"message":"registry.test/m-1 does not support tools"}}"#),
        (500, r#"{"error":{"code":500,"message":"tools param requires --jinja flag","type":"server_error"}}"#),
        (400, r#"{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice","code":400}"#),
        (404, r#"{"error":{"message":"No endpoints found that support tool use.","code":404}}"#),
    ] {
        let stub = Stub::acts(vec![Act::status(status, body)]);
        let gateway = live(&config(Api::Chat, &stub, false));
        assert!(gateway.complete(&request).is_err());
        let halted = gateway.halted().unwrap();
        assert!(halted.contains("hint: tools_in_words = true") && stub.asked().len() == 1, "{halted}");
        // Without tools such words are those of any other error.
        let (_, _, halted) = met(Api::Chat, vec![Act::status(status, body)], false);
        assert!(!halted.unwrap().contains("hint"), "{body}");
    }
}

#[test]
fn what_a_program_prints_holds_no_key() {
    let mut config = LlmConfig::new(Api::Exec, "script");
    config.command =
        ["sh", "-c", "cat >/dev/null; echo key sk-proj-0123456789abcdefghij >&2; exit 1"].map(str::to_owned).to_vec();
    config.limits.attempts = 1;
    let error = live(&config).complete(&request("x", 0)).unwrap_err().to_string();
    assert!(error.contains("key [redacted]"), "{error}");
}
