//! What is odd in recordings that were read without a fault: the field cases, and variants of each kind.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::path::Path;

use cutpoint::import::read_file;
use cutpoint::lab::recording::{Recording, Remark, RemarkKind};
use cutpoint::transcript::Tokens;
use serde_json::{Value, json};

fn case(name: &str) -> Recording {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field-cases");
    let transcript = read_file(folder.join(name)).unwrap().transcript;
    Recording::of(&transcript, &transcript.path())
}

/// A Pi session of these messages, each an entry after the one before; the header is line 1.
fn session(messages: &[Value]) -> Recording {
    let header =
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-05T09:00:00.000Z", "cwd": "."});
    let entries = messages.iter().enumerate().map(|(at, message)| {
        let mut entry =
            json!({"id": format!("{:08}", at + 1), "parentId": at.checked_sub(1).map(|at| format!("{:08}", at + 1))});
        let fields = if message.get("type").is_some() {
            message.clone()
        } else {
            json!({"type": "message", "message": message})
        };
        entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        entry
    });
    let lines: Vec<String> = std::iter::once(header).chain(entries).map(|line| line.to_string()).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    std::fs::write(&path, lines.join("\n")).unwrap();
    let transcript = read_file(path).unwrap().transcript;
    Recording::of(&transcript, &transcript.path())
}

fn said(recording: &Recording) -> Vec<(usize, RemarkKind)> {
    recording.remarks.iter().map(|remark| (remark.line, remark.kind)).collect()
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text, "timestamp": 0})
}

fn reply(model: &str, text: &str, [input, read, write, output]: [u64; 4]) -> Value {
    json!({
        "role": "assistant", "content": [{"type": "text", "text": text}], "api": "a", "provider": "p", "model": model,
        "stopReason": "stop", "timestamp": 0,
        "usage": {"input": input, "output": output, "cacheRead": read, "cacheWrite": write, "totalTokens": input + read + write + output},
    })
}

fn calls(ids: &[&str]) -> Value {
    let content: Vec<Value> =
        ids.iter().map(|id| json!({"type": "toolCall", "id": id, "name": "read", "arguments": {}})).collect();
    json!({"role": "assistant", "content": content, "api": "a", "provider": "p", "model": "m", "stopReason": "toolUse", "timestamp": 0})
}

fn result(id: &str) -> Value {
    let content = json!([{"type": "text", "text": "done"}]);
    json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "content": content, "isError": false, "timestamp": 0})
}

#[test]
fn the_context_at_the_end_rests_on_usable_usage() {
    let aborted = case("anchor-aborted.pi.jsonl");
    let standing = aborted.standing;
    assert_eq!(
        (standing.tokens, standing.anchor, standing.estimated),
        (Tokens(50_160), Some((3, Tokens(50_000))), Tokens(160))
    );
    assert_eq!(said(&aborted), [(5, RemarkKind::UnusableUsage)]);
    assert_eq!(case("est-image-base64.pi.jsonl").standing.tokens, Tokens(3_704));
    assert_eq!(case("boundary-kept-segment.claude.jsonl").standing.tokens, Tokens(435));
    assert_eq!(case("sidechain-inline.claude.jsonl").standing.tokens, Tokens(1_115));
    assert_eq!(case("usage-cached-inclusive.openai.json").standing.tokens, Tokens(12_500));
}

#[test]
fn signatures_are_a_bucket_of_their_own() {
    let recording = case("est-thinking-signature.pi.jsonl");
    assert_eq!((recording.opaque.blocks, recording.opaque.bytes), (1, 4_000));
    assert_eq!(recording.standing.tokens, Tokens(96));
    assert_eq!(recording.opaque.tokens_as_text(), Tokens(1_000));
}

#[test]
fn usage_that_falls_by_itself_is_said() {
    let recording = case("anchor-falls-without-compaction.pi.jsonl");
    let text = "usage falls from 61000 to 24000 tokens, by 37000, and nothing recorded was removed in between; the reply is empty";
    assert_eq!(recording.remarks, [Remark { line: 5, kind: RemarkKind::UsageFall, text: text.to_owned() }]);

    let falls = |between: &[Value], model: &str, second: [u64; 4]| {
        let mut all = vec![user("a"), reply("m", "one", [9_000, 0, 0, 1_000]), user("b")];
        all.extend_from_slice(between);
        all.push(reply(model, "two", second));
        said(&session(&all)).iter().any(|(_, kind)| *kind == RemarkKind::UsageFall)
    };
    assert!(falls(&[], "m", [4_000, 0, 0, 10]));
    // Another model counts otherwise; a compaction and an edit remove; a long answer that is not sent again leaves the prompt.
    assert!(!falls(&[], "other", [4_000, 0, 0, 10]));
    let compaction =
        json!({"type": "compaction", "summary": "s", "firstKeptEntryId": "00000003", "tokensBefore": 10_000});
    assert!(!falls(&[compaction], "m", [4_000, 0, 0, 10]));
    let edit = json!({"type": "context_edit", "targetId": "00000001", "replacement": null});
    assert!(!falls(&[edit], "m", [4_000, 0, 0, 10]));
    assert!(!falls(&[], "m", [9_100, 0, 0, 10]));
    assert!(!falls(&[], "m", [8_900, 0, 0, 1_200]));
    // A failed request in between removes nothing.
    let mut failed = reply("m", "", [0, 0, 0, 0]);
    failed["stopReason"] = json!("error");
    assert!(falls(&[failed], "m", [4_000, 0, 0, 10]));
}

#[test]
fn a_cache_that_reads_another_number_than_was_left_is_said() {
    let recording = case("usage-cached-exclusive.claude.jsonl");
    let text = "9000 tokens read from the cache, 100 more than the 8900 left there";
    assert_eq!(recording.remarks, [Remark { line: 6, kind: RemarkKind::CacheMismatch, text: text.to_owned() }]);
    let recording = case("cache-lookback-26-blocks.claude.jsonl");
    let text =
        "4096 tokens read from the cache, 4904 less than the 9000 left there; an expiry in between is not excluded";
    assert_eq!(recording.remarks, [Remark { line: 28, kind: RemarkKind::CacheMismatch, text: text.to_owned() }]);
    // Without writes nothing says what is left, and a growing automatic cache is no mismatch.
    let automatic =
        session(&[user("a"), reply("m", "x", [900, 0, 0, 9]), user("b"), reply("m", "y", [100, 896, 0, 9])]);
    assert_eq!(said(&automatic), []);
    let exact = session(&[user("a"), reply("m", "x", [5, 0, 900, 9]), user("b"), reply("m", "y", [5, 900, 20, 9])]);
    assert_eq!(said(&exact), []);
}

#[test]
fn pairs_are_judged_in_the_context_not_in_the_file() {
    use RemarkKind::{LateResult, OrphanResult, UnansweredCall};
    assert_eq!(said(&case("orphan-first-kept-is-result.pi.jsonl")), [(4, OrphanResult), (5, OrphanResult)]);
    assert_eq!(said(&case("orphan-partial-match.openai.json")), [(4, LateResult)]);
    assert_eq!(said(&case("pending-call-across-compaction.pi.jsonl")), []);
    assert_eq!(said(&case("orphan-parallel-ten.openai.json")), []);

    assert_eq!(said(&session(&[user("a"), calls(&["x", "y"]), result("y"), result("x")])), []);
    assert_eq!(said(&session(&[user("a"), calls(&["x"])])), [], "a call on its way");
    assert_eq!(said(&session(&[user("a"), calls(&["x", "y"]), result("y"), user("b")])), [(3, UnansweredCall)]);
    assert_eq!(
        said(&session(&[user("a"), calls(&["x"]), result("x"), result("x")])),
        [(5, OrphanResult)],
        "answered twice"
    );
    assert_eq!(said(&session(&[user("a"), calls(&["x"]), user("b"), result("x")])), [(5, LateResult)]);
    // An id that is used again pairs with the call before it.
    assert_eq!(said(&session(&[user("a"), calls(&["0"]), result("0"), calls(&["0"]), result("0")])), []);
    // A reply that was stopped is not sent; nor, then, is its call waiting.
    let mut stopped = calls(&["x"]);
    stopped["stopReason"] = json!("aborted");
    assert_eq!(said(&session(&[user("a"), stopped.clone(), user("b")])), []);
    assert_eq!(said(&session(&[user("a"), stopped, result("x"), user("b")])), [(4, OrphanResult)]);
}

#[test]
fn a_compaction_says_what_it_took_out_and_put_in() {
    let larger = case("summary-larger-than-span.pi.jsonl");
    let [one] = &larger.replaced[..] else { panic!("{:?}", larger.replaced) };
    assert_eq!((one.before, one.after), (Some(Tokens(13)), Some(Tokens(450))));
    assert_eq!(said(&larger), [(6, RemarkKind::NoGain)]);
    let placeholder = case("sum-input-empty-placeholder.pi.jsonl");
    assert_eq!((placeholder.replaced[0].before, placeholder.replaced[0].after), (Some(Tokens(620)), Some(Tokens(17))));
    // The second of two takes out what the first kept, and its summary.
    let twice = session(&[
        user(&"a".repeat(400)),
        user(&"b".repeat(40)),
        json!({"type": "compaction", "summary": "s".repeat(80), "firstKeptEntryId": "00000002", "tokensBefore": 500}),
        user(&"c".repeat(120)),
        json!({"type": "compaction", "summary": "t".repeat(60), "firstKeptEntryId": "00000004", "tokensBefore": 500}),
    ]);
    let pairs: Vec<_> = twice.replaced.iter().map(|one| (one.before.unwrap().0, one.after.unwrap().0)).collect();
    assert_eq!(pairs, [(100, 20), (30, 15)]);
    // What cannot be read has no size.
    let withheld = session(&[
        user("a"),
        json!({"type": "compaction", "summary": "", "firstKeptEntryId": "00000001", "tokensBefore": 5}),
    ]);
    assert_eq!(withheld.replaced[0].after, None);
    assert_eq!(said(&withheld), []);
    // Nor has what a second compaction takes out with it.
    let again = session(&[
        user("a"),
        json!({"type": "compaction", "summary": "", "firstKeptEntryId": "00000001", "tokensBefore": 5}),
        json!({"type": "compaction", "summary": "s".repeat(4_000), "firstKeptEntryId": "00000001", "tokensBefore": 5}),
    ]);
    assert_eq!((again.replaced[1].before, again.replaced[1].after), (None, Some(Tokens(1_000))));
    assert_eq!(said(&again), []);
}
