use std::fs;

use super::*;
use crate::engine::summarize::Purpose;
use crate::llm::{Api, Called, LlmError, LlmResponse};
use crate::transcript::{Tokens, ToolSchema, Usage};

fn config() -> LlmConfig {
    LlmConfig::new(Api::Chat, "m-1")
}

fn request(prompt: &str, seed: u64) -> LlmRequest {
    LlmRequest { seed, ..LlmRequest::new(Purpose::Summary, None, prompt) }
}

fn reply(text: &str) -> Reply {
    let usage = Some(Usage { input: 10, output: 2, reasoning: Some(1), ..Usage::default() });
    let response = LlmResponse { text: text.into(), calls: Vec::new(), truncated: false, usage };
    Reply { outcome: Ok(response), usage, model: Some("m-1-2026".to_owned()) }
}

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path().join("answers"));
    (folder, store)
}

#[test]
fn what_is_put_is_got_to_the_byte() {
    let (_folder, store) = store();
    let call = Called { name: "fs.read".into(), arguments: "{\"path\":\"a\\nb\"".into() };
    let calls = LlmResponse { calls: vec![call.clone(), call], ..reply("").outcome.unwrap() };
    let outcomes = [
        Reply { outcome: Ok(calls), ..reply("") },
        reply("one\ntwo\r\n\n  três 日本 \u{0} \"q\"\n"),
        Reply { outcome: Err(LlmError::Overflow("too long".to_owned())), usage: None, model: None },
        Reply { outcome: Err(LlmError::Unusable("empty".to_owned())), ..reply("") },
    ];
    for (seed, wanted) in (0..).zip(&outcomes) {
        let request = request("p", seed);
        assert_eq!(store.get(&Key::of(&config(), &request)).unwrap(), None);
        store.put(&config(), &request, wanted).unwrap();
        let stored = store.get(&Key::of(&config(), &request)).unwrap().unwrap();
        assert_eq!(&stored.reply, wanted);
    }
    assert_eq!(store.all().len(), 4);
}

fn tool(name: &str, description: &str) -> ToolSchema {
    ToolSchema { name: name.into(), description: description.into(), parameters: "{}".into() }
}

#[test]
fn a_key_is_everything_that_decides_an_answer_and_nothing_else() {
    let base = request("p", 0);
    let key = |change: fn(&mut LlmConfig, &mut LlmRequest)| {
        let (mut config, mut request) = (config(), base.clone());
        change(&mut config, &mut request);
        Key::of(&config, &request)
    };
    let same = key(|_, _| {});
    for other in [
        key(|c, _| c.model = "m-2".to_owned()),
        key(|c, _| c.api = Api::Responses),
        key(|c, _| c.temperature = Some(0.0)),
        key(|_, r| r.seed = 1),
        key(|_, r| r.prompt = "q".into()),
        key(|_, r| r.system = Some("".into())),
        key(|_, r| r.max_output = Some(Tokens(5))),
        key(|_, r| r.tools = [tool("a", "")].into()),
        key(|_, r| r.tools = [tool("", "a")].into()),
        key(|_, r| r.tools = [tool("a", ""), tool("a", "")].into()),
    ] {
        assert_ne!(other, same);
    }
    assert_eq!(key(|c, _| c.base_url = Some("http://localhost:1".to_owned())), same);
    assert_eq!(key(|_, r| r.shared_bytes = 1), same, "what others share decides no answer");
    assert_eq!(key(|c, r| (c.stream, r.purpose) = (false, Purpose::Update)), same);
    assert_eq!(key(|c, r| r.max_output = Some(Tokens(c.max_output_tokens))), same, "the same limit is sent");
}

#[test]
fn a_file_that_was_changed_is_refused() {
    let (_folder, store) = store();
    let request = request("p", 0);
    store.put(&config(), &request, &reply("the port is 8080")).unwrap();
    let path = store.file(&Key::of(&config(), &request));
    let text = fs::read_to_string(&path).unwrap();
    for broken in [text.replace("8080", "8081"), text[..text.len() / 2].to_owned(), String::new(), "{}".to_owned()] {
        fs::write(&path, broken).unwrap();
        let error = store.get(&Key::of(&config(), &request)).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    }
    fs::write(&path, text).unwrap();
    assert!(store.get(&Key::of(&config(), &request)).is_ok());
}

#[test]
fn no_key_gets_into_a_file() {
    let (_folder, store) = store();
    let secret = "sk-proj-0123456789abcdef";
    let request = request(&format!("export OPENAI_API_KEY={secret}"), 0);
    store.put(&config(), &request, &reply("ok")).unwrap();
    let text = fs::read_to_string(store.file(&Key::of(&config(), &request))).unwrap();
    assert!(!text.contains(secret), "{text}");
    assert!(text.contains("OPENAI_API_KEY=[redacted]"), "{text}");
}

#[test]
fn the_nearest_request_is_shown_as_a_diff() {
    let (_folder, store) = store();
    assert_eq!(store.nearest(&config(), &request("p", 0)), None);
    for prompt in ["Summarize.\n## Goal\n## Next", "Something else"] {
        store.put(&config(), &request(prompt, 0), &reply("x")).unwrap();
    }
    let diff = store.nearest(&config(), &request("Summarize.\n## Goals\n## Next", 0)).unwrap();
    assert!(diff.contains("-## Goal\n+## Goals\n"), "{diff}");
    let offered = LlmRequest { tools: [tool("read", "Reads a file.")].into(), ..request("Something else", 0) };
    let diff = store.nearest(&config(), &offered).unwrap();
    assert!(diff.contains("+== tools\n+read: Reads a file.\n+{}"), "{diff}");
}

/// Not an assertion on time, which shared machines do not keep, but the number is in the output.
#[test]
fn a_thousand_answers_are_read_back() {
    let (_folder, store) = store();
    let requests: Vec<LlmRequest> = (0..1_000).map(|seed| request(&"some words\n".repeat(2_000), seed)).collect();
    requests.iter().for_each(|request| store.put(&config(), request, &reply("ok")).unwrap());
    let start = std::time::Instant::now();
    let found = requests.iter().filter(|request| store.get(&Key::of(&config(), request)).unwrap().is_some()).count();
    assert_eq!(found, 1_000);
    let seconds = start.elapsed().as_secs_f64();
    assert!(seconds < 10.0, "{seconds} s");
}
