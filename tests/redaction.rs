//! Redaction: nothing is found again, no length changes, JSON stays JSON, equal secrets stay equal.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod common;

use cutpoint::experiment::{Experiment, RunOptions, StrategyConfig, load, run};
use cutpoint::import::{neutral, pi, read_all};
use cutpoint::llm::{Blocking, Mock, MockKnobs};
use cutpoint::redact::{Redacted, SecretKind, find, redact};
use cutpoint::transcript::{Block, EntryKind, Message, Transcript};
use proptest::prelude::*;

/// Keys are put together here, so that no scanner takes this file for a leak.
fn key() -> String {
    ["sk-", "ant-api03-", "Q2xheUtpbG5GaXJl"].concat()
}

fn written(transcript: &Transcript) -> String {
    let mut bytes = Vec::new();
    neutral::write(transcript, None, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn utf16(text: &str) -> usize {
    text.encode_utf16().count()
}

/// What no redaction may change.
#[track_caller]
fn same_shape(before: &str, after: &str) {
    assert_eq!((before.len(), utf16(before)), (after.len(), utf16(after)));
    for (before, after) in before.lines().zip(after.lines()) {
        assert_eq!(before.len(), after.len());
        serde_json::from_str::<serde_json::Value>(after).unwrap();
    }
}

fn session(text: &str, arguments: &str) -> Transcript {
    let line = |rest: &serde_json::Value| rest.to_string();
    let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
    let lines = [
        line(
            &serde_json::json!({"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/home/mara/kiln","owner":"mara@kiln.museum"}),
        ),
        line(
            &serde_json::json!({"type":"message","id":"1","parentId":null,"timestamp":"t","message":{"role":"user","content":text,"timestamp":1}}),
        ),
        line(
            &serde_json::json!({"type":"message","id":"2","parentId":"1","timestamp":"t","host":{"auth":"Bearer 0123456789abcdef"},"message":{"role":"assistant","content":[
            {"type":"toolCall","id":"c","name":"bash","arguments":arguments}],"api":"a","provider":"p","model":"m",
            "usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2},"stopReason":"toolUse","timestamp":2}}),
        ),
        line(
            &serde_json::json!({"type":"message","id":"3","parentId":"2","timestamp":"t","message":{"role":"toolResult","toolCallId":"c","toolName":"bash",
            "content":[{"type":"text","text":text},{"type":"image","data":"c2stYW50LWFwaTAzLWFiY2RlZmdoaWprbG1ub3A=","mimeType":"image/png"}],"details":{"env":{"api_key":"w4rm-cl4y"}},"isError":false,"timestamp":3}}),
        ),
    ];
    pi::read(lines.join("\n").as_bytes()).unwrap().transcript
}

#[test]
fn every_place_is_redacted() {
    let secret = key();
    let text =
        format!("key {secret}\nDB_PASSWORD=w4rm-cl4y\nsee /home/mara/kiln, ask mara@kiln.museum; it is w4rm-cl4y");
    let arguments = serde_json::json!({"command": format!("curl -H 'Authorization: Bearer {secret}'"), "password": "w4rm-cl4y",
        "body": format!("{{\"token\":\"{secret}\"}}")});
    let mut transcript = session(&text, &arguments.to_string());
    let before = written(&transcript);
    let Redacted { found, repeated } = redact(&mut transcript);
    let after = written(&transcript);
    same_shape(&before, &after);
    for gone in [&*secret, "w4rm-cl4y", "mara", "0123456789abcdef"] {
        assert!(!after.contains(gone), "{gone} is left in\n{after}");
    }
    assert!(after.contains("c2stYW50LWFwaTAzLWFiY2RlZmdoaWprbG1ub3A="), "a picture is no text");
    let expected =
        [SecretKind::ProviderKey, SecretKind::Header, SecretKind::Setting, SecretKind::Email, SecretKind::HomePath];
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), expected);
    assert!(repeated >= 2, "the password stands alone at the end of both texts: {repeated}");
    assert_eq!(redact(&mut transcript), Redacted::default(), "a second pass finds nothing");
}

/// The name of a home path is that of the person wherever it stands; a short one of letters alone only in paths.
#[test]
fn names_are_gone_from_more_than_home_paths() {
    let text = "/home/k1lnfan/x /Users/mara/y\ndrwxr-xr-x 16 k1lnfan staff\non branch mara/fix-glaze of github.com/k1lnfan/kiln; mara means bitter";
    let mut transcript = session(text, "{}");
    redact(&mut transcript);
    let after = written(&transcript);
    assert!(!after.contains("k1lnfan") && !after.contains("mara/"), "{after}");
    assert!(after.contains("staff") && after.contains("; mara means bitter"), "{after}");
    assert_eq!(redact(&mut transcript), Redacted::default(), "a second pass finds nothing");
}

#[test]
fn equal_secrets_stay_equal_and_others_do_not() {
    let mut transcript = session(
        &format!("A_TOKEN=first-one B_TOKEN=other-two {}", key()),
        &format!(r#"{{"k":"{} first-one"}}"#, key()),
    );
    redact(&mut transcript);
    let texts: Vec<&Message> = transcript
        .entries
        .iter()
        .filter_map(|entry| if let EntryKind::Message(message) = &entry.kind { Some(message) } else { None })
        .collect();
    let Block::Text(said) = &texts[0].blocks()[0] else { panic!("{texts:?}") };
    let Block::ToolCall(call) = &texts[1].blocks()[0] else { panic!("{texts:?}") };
    let words: Vec<&str> = said.as_str().split([' ', '=']).collect();
    let [_, first, _, other, secret] = words[..] else { panic!("{words:?}") };
    assert_ne!(first, other);
    assert_eq!(call.arguments.as_str(), format!(r#"{{"k":"{secret} {first}"}}"#));
}

/// A secret that is spelled by escapes, half or whole.
#[test]
fn escapes_keep_their_spelling() {
    let escaped: String = key()
        .chars()
        .enumerate()
        .map(|(at, c)| if at % 3 == 0 { format!("\\u{:04x}", u32::from(c)) } else { c.into() })
        .collect();
    let line = format!(
        r#"{{"type":"custom","id":"1","parentId":null,"timestamp":"t","customType":"c","data":{{"a":"\"{escaped}\" 😀\ud83d\ude00","password":"\u0077\/4rm-cl4y"}}}}"#
    );
    let file = format!("{}\n{line}\n", r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}"#);
    // A file of notes alone is no session: a message makes it one.
    let file = file
        + r#"{"type":"message","id":"2","parentId":"1","timestamp":"t","message":{"role":"user","content":"x","timestamp":1}}"#;
    let mut transcript = pi::read(file.as_bytes()).unwrap().transcript;
    let before = written(&transcript);
    let redacted = redact(&mut transcript);
    assert_eq!(redacted.found.values().sum::<usize>(), 2, "{redacted:?}");
    let after = written(&transcript);
    same_shape(&before, &after);
    let EntryKind::Note { raw, .. } = &transcript.entries[0].kind else { panic!() };
    let value: serde_json::Value = serde_json::from_str(raw.as_str()).unwrap();
    assert!(find(value["data"]["a"].as_str().unwrap()).is_empty(), "{raw:?}");
    assert!(raw.as_str().contains(r#" 😀\ud83d\ude00""#) && raw.as_str().contains(r"\/"), "{raw:?}");
    assert!(!value["data"]["password"].as_str().unwrap().contains("cl4y"));
}

#[test]
fn real_sessions_keep_their_lengths() {
    for path in common::all_files() {
        let Ok((_, all)) = read_all(&std::fs::read(&path).unwrap()) else { continue };
        for mut imported in all.into_iter().take(2) {
            let before = written(&imported.transcript);
            redact(&mut imported.transcript);
            let after = written(&imported.transcript);
            assert_eq!((before.len(), utf16(&before)), (after.len(), utf16(&after)), "{}", path.display());
            assert_eq!(redact(&mut imported.transcript), Redacted::default(), "{}", path.display());
        }
    }
}

fn secret() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z0-9]{24}".prop_map(|body| format!("sk-{body}")),
        "[A-Za-z0-9._-]{14,30}".prop_map(|body| format!("Bearer {body}")),
        "[a-z]{3,8}\\.[a-z]{2,6}@[a-z]{3,9}\\.museum",
        "[a-zé窯😀]{3,9}".prop_map(|name| format!("/home/{name}/x")),
        "[a-zA-Z0-9!*+-]{8,14}".prop_map(|value| format!("APP_SECRET={value}")),
        "[a-zA-Z0-9]{8,14}".prop_map(|value| format!("redis://u:{value}@h/0")),
        "[a-zA-Z0-9]{8,14}".prop_map(|value| format!("{{\"api_key\": \"{value}\"}}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]
    #[test]
    fn whatever_is_around_it(before in "\\PC{0,12}", secret in secret(), after in "\\PC{0,12}") {
        let text = format!("{before} {secret} {after}");
        let arguments = serde_json::json!({ "a": text, "b": { "c": serde_json::json!({ "d": text }).to_string() } });
        let mut transcript = session(&text, &arguments.to_string());
        let plain = written(&transcript);
        redact(&mut transcript);
        let redacted = written(&transcript);
        prop_assert_eq!(plain.len(), redacted.len());
        prop_assert_eq!(utf16(&plain), utf16(&redacted));
        prop_assert_eq!(redact(&mut transcript), Redacted::default());
        for line in redacted.lines() {
            prop_assert!(serde_json::from_str::<serde_json::Value>(line).is_ok());
        }
    }
}

#[test]
fn a_run_that_wants_redacted_sessions_takes_no_others() {
    let (folder, llm) = (tempfile::tempdir().unwrap(), Blocking::new(Mock::new(MockKnobs::default()).unwrap()));
    let strategies = vec![StrategyConfig::Preset("none".to_owned())];
    let experiment = Experiment { redact: true, strategies, ..Experiment::default_experiment() };
    let mut corpus = load(&["embedded:debug-flaky-cache".into()]).unwrap();
    let options = RunOptions { progress: &|_| {}, stop: &|| false, reuse: false, shard: None };
    let error = run(&experiment, &corpus, &llm, folder.path(), &options).unwrap_err();
    assert!(error.to_string().contains("wants its sessions redacted"), "{error}");
    corpus.redact();
    assert_eq!(run(&experiment, &corpus, &llm, folder.path(), &options).unwrap().cells, 1);
}
