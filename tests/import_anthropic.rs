//! Requests to the Messages API: the recorded log by its counts, and every quirk on a small made-up file.

#![expect(clippy::unwrap_used, reason = "what cannot be read is a failed test")]

mod common;
#[path = "common/replayed.rs"]
mod replayed;

use cutpoint::import::{Confidence, FindingKind, Format, ImportError, Imported, anthropic, read_all, sniff};
use cutpoint::transcript::{Block, Compaction, EntryKind, Message, Reply, StopReason, Tokens, Transcript, Usage};
use serde_json::{Value, json};

fn messages(transcript: &Transcript) -> impl Iterator<Item = &Message> {
    transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message(message) => Some(message),
        _ => None,
    })
}

fn replies(transcript: &Transcript) -> impl Iterator<Item = &Reply> {
    messages(transcript).filter_map(Message::reply)
}

fn compactions(transcript: &Transcript) -> impl Iterator<Item = &Compaction> {
    transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Compaction(compaction) => Some(&**compaction),
        _ => None,
    })
}

/// Usage of all replies and compactions.
fn usages(transcript: &Transcript) -> Vec<Usage> {
    let replies = replies(transcript).filter_map(|reply| reply.usage);
    replies.chain(compactions(transcript).filter_map(|compaction| compaction.usage)).collect()
}

fn prompt(transcript: &Transcript) -> u64 {
    usages(transcript).iter().map(|usage| usage.prompt().0).sum()
}

fn path_ids(transcript: &Transcript) -> Vec<&str> {
    transcript.path().into_iter().map(|at| &*transcript.entry(at).id).collect()
}

fn faults(imported: &Imported) -> Vec<(usize, FindingKind)> {
    imported.findings.iter().map(|finding| (finding.line, finding.kind)).collect()
}

#[test]
fn the_recorded_log_holds_one_long_conversation() {
    let Some(shared) = common::shared() else { return };
    let bytes = std::fs::read(shared.join("transcripts/anthropic-messages/claude-trace-traffic.jsonl")).unwrap();
    let (format, all) = read_all(&bytes).unwrap();
    assert_eq!((format, all[0].findings.len(), all[0].lines.total), (Format::AnthropicMessages, 0, 64));
    // 16 requests of the conversation, one for its summary, and 47 short ones in 27 lists; a list sent again is a branch.
    assert_eq!(all.len(), 1 + 27);
    let main = &all[0].transcript;
    assert_eq!((all[0].part.as_deref(), all[1].part.as_deref()), (Some("line-6"), Some("line-1")));
    // Lists of 25 and 5 messages with 12 and 2 replies, and the replies to their last requests.
    assert_eq!(replies(main).count(), 16);
    let results = messages(main).filter(|message| matches!(message, Message::ToolResult(_))).count();
    let users = messages(main).filter(|message| matches!(message, Message::User(_))).count();
    assert_eq!((results, users, main.path().len()), (12, 4, 16 + 12 + 4 + 1));
    let mut compaction = compactions(main);
    let summarized = compaction.next().unwrap();
    assert!(compaction.next().is_none());
    assert!(summarized.summary.as_str().starts_with("This session is being continued"));
    assert_eq!((summarized.tokens_before, &summarized.first_kept), (None, &None));
    let usage = summarized.usage.unwrap();
    // 3 + 12,072 tokens of prompt.
    assert_eq!((usage.prompt(), usage.output), (Tokens(12_075), 1_206));
    assert_eq!(prompt(main), 313_373 + 12_075);
    assert_eq!(replies(main).filter_map(|reply| reply.usage).map(|usage| usage.output).sum::<u64>(), 6_714);
    // All 64 responses: nothing is counted twice, nothing is lost.
    assert_eq!(all.iter().flat_map(|one| usages(&one.transcript)).count(), 64);
    assert_eq!(all.iter().map(|one| prompt(&one.transcript)).sum::<u64>(), 331_241);
    let output = all.iter().flat_map(|one| usages(&one.transcript)).map(|usage| usage.output).sum::<u64>();
    assert_eq!(output, 8_225);
    let head = &main.head;
    assert_eq!(head.tools.as_ref().map(Vec::len), Some(17));
    assert!(head.system.as_ref().unwrap().as_str().starts_with("You are Claude Code"));
    assert_eq!(replayed::requests("main", main), 16);
    let quota = &all[1].transcript;
    assert_eq!((replies(quota).count(), quota.path().len()), (18, 2), "one list, sent eighteen times");
}

/// A line of a log: the messages of the request, and the response.
fn pair(messages: &Value, response: &Value) -> String {
    let body = json!({"model": "m", "max_tokens": 9, "system": "S", "messages": messages});
    let request = json!({"timestamp": 1.5, "method": "POST", "url": "https://api.example.com/v1/messages?beta=true", "headers": {}, "body": body});
    format!(r#"{{"request":{request},"response":{response},"logged_at":"t"}}"#)
}

fn says(role: &str, text: &str) -> Value {
    json!({"role": role, "content": [{"type": "text", "text": text}]})
}

/// A response that is one message.
fn message(id: &str, text: &str, input: u64) -> Value {
    let usage = json!({"input_tokens": input, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 10, "output_tokens": 2});
    json!({"status_code": 200, "body": {"id": id, "type": "message", "role": "assistant", "model": "m-1", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": text}], "usage": usage}})
}

fn stream(events: &[Value]) -> Value {
    let lines: Vec<String> = events.iter().map(|event| format!("event: e\ndata: {event}  \n\n")).collect();
    json!({"status_code": 200, "body": null, "body_raw": lines.concat()})
}

fn read(lines: &[String]) -> Vec<Imported> {
    anthropic::read(lines.join("\n").as_bytes()).unwrap()
}

fn only(lines: &[String]) -> Imported {
    let [imported] = read(lines).try_into().unwrap();
    imported
}

#[test]
fn growing_lists_are_one_conversation() {
    let one = says("user", "one");
    let marked =
        json!({"role": "user", "content": [{"type": "text", "text": "one", "cache_control": {"type": "ephemeral"}}]});
    let imported = only(&[
        pair(&json!([marked]), &message("r1", "first ", 1)),
        // The mark is gone, and the reply is sent back without its last space.
        pair(&json!([one, says("assistant", "first"), says("user", "two")]), &message("r2", "second", 2)),
    ]);
    assert_eq!((path_ids(&imported.transcript), imported.findings.len()), (vec!["e0", "r1", "e2", "r2"], 0));
    let prompts: Vec<u64> = usages(&imported.transcript).iter().map(|usage| usage.prompt().0).collect();
    assert_eq!(prompts, [111, 112], "the reply keeps its usage");
    assert!(
        matches!(messages(&imported.transcript).nth(1).unwrap().blocks(), [Block::Text(text)] if text.as_str() == "first")
    );
    let lines: Vec<usize> = imported.transcript.entries.iter().map(|entry| entry.line).collect();
    assert_eq!((lines, &*replies(&imported.transcript).next().unwrap().model), (vec![1, 1, 2, 2], "m-1"));
    let first = &imported.transcript.entries[0];
    assert_eq!((first.timestamp.as_deref(), first.message_time_ms), (Some("1.5"), Some(1_500)));
    assert_eq!(first.extra.as_ref().unwrap().as_str(), r#"{"content.0":{"cache_control":{"type":"ephemeral"}}}"#);
    assert_eq!(imported.transcript.meta.extra.as_ref().unwrap().as_str(), r#"{"max_tokens":9}"#);
}

#[test]
fn a_list_that_turns_off_earlier_is_a_branch() {
    let (one, first) = (says("user", "one"), says("assistant", "first"));
    let imported = only(&[
        pair(&json!([one]), &message("r1", "first", 1)),
        pair(&json!([one, first, says("user", "two")]), &message("r2", "second", 2)),
        pair(&json!([one, first, says("user", "two, otherwise")]), &message("r3", "third", 3)),
        // The same request once more.
        pair(&json!([one, first, says("user", "two, otherwise")]), &message("r4", "fourth", 4)),
    ]);
    assert_eq!(path_ids(&imported.transcript), ["e0", "r1", "e4", "r4"]);
    assert_eq!((imported.transcript.entries.len(), prompt(&imported.transcript)), (7, 111 + 112 + 113 + 114));
    // Nothing in common: two conversations, the longer one first.
    let two = read(&[
        pair(&json!([says("user", "title?")]), &message("t1", "T", 1)),
        pair(&json!([one]), &message("r1", "first", 1)),
        pair(&json!([one, first, says("user", "two")]), &message("r2", "second", 2)),
    ]);
    let parts: Vec<Option<&str>> = two.iter().map(|imported| imported.part.as_deref()).collect();
    assert_eq!(parts, [Some("line-2"), Some("line-1")]);
}

#[test]
fn a_summary_that_begins_a_later_list_is_a_compaction() {
    let long = "The person wants one thing, then two things, and in the end three.";
    let (one, first, two, second) =
        (says("user", "one"), says("assistant", "first"), says("user", "two"), says("assistant", "second"));
    let ask = says("user", "Write a summary of all that.");
    let after = json!([{"role": "user", "content": [{"type": "text", "text": format!("Continued.\n{long}")}, {"type": "text", "text": "three"}]}]);
    let begin =
        [pair(&json!([one]), &message("r1", "first", 1)), pair(&json!([one, first, two]), &message("r2", "second", 2))];
    // Asked in a request of its own, whose first message lacks something.
    let own = pair(
        &json!([says("user", "one, shorter"), first, two, second, ask]),
        &message("s", &format!("Draft\n{long}"), 3),
    );
    let imported = only(&[begin.to_vec(), vec![own, pair(&after, &message("r3", "third", 4))]].concat());
    assert_eq!(path_ids(&imported.transcript), ["e0", "r1", "e2", "r2", "e4", "e5", "r3"]);
    let compaction = compactions(&imported.transcript).next().unwrap();
    assert_eq!(compaction.summary.as_str(), format!("Continued.\n{long}"));
    assert_eq!((compaction.usage.unwrap().prompt(), compaction.tokens_before), (Tokens(113), None));
    let details = compaction.details.as_ref().unwrap().as_str();
    assert!(details.starts_with(r#"{"instruction":"Write a summary of all that.","answer":"Draft\n"#), "{details}");
    assert!(
        matches!(messages(&imported.transcript).nth(4).unwrap().blocks(), [Block::Text(text)] if text.as_str() == "three")
    );
    // Asked in the conversation itself: that request is left on a branch.
    let same = pair(&json!([one, first, two, second, ask]), &message("s", long, 3));
    let imported = only(&[begin.to_vec(), vec![same, pair(&after, &message("r3", "third", 4))]].concat());
    assert_eq!(path_ids(&imported.transcript), ["e0", "r1", "e2", "r2", "e6", "e7", "r3"]);
    assert_eq!(compactions(&imported.transcript).count(), 1);
}

#[test]
fn a_stream_is_put_together() {
    let start = json!({"type": "message_start", "message": {"id": "r1", "model": "m-1", "content": [], "usage": {"input_tokens": 4, "cache_creation_input_tokens": 15, "cache_read_input_tokens": 0, "output_tokens": 2}}});
    let begin = |at: u64, block: Value| json!({"type": "content_block_start", "index": at, "content_block": block});
    let delta = |at: u64, delta: Value| json!({"type": "content_block_delta", "index": at, "delta": delta});
    let events = [
        start.clone(),
        json!({"type": "ping"}),
        begin(0, json!({"type": "thinking", "thinking": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "hm"})),
        delta(0, json!({"type": "signature_delta", "signature": "sig"})),
        begin(1, json!({"type": "text", "text": ""})),
        delta(1, json!({"type": "text_delta", "text": "I'll "})),
        delta(1, json!({"type": "text_delta", "text": "look"})),
        json!({"type": "content_block_stop", "index": 1}),
        begin(2, json!({"type": "tool_use", "id": "c1", "name": "Read", "input": {}})),
        delta(2, json!({"type": "input_json_delta", "partial_json": ""})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{\"p\":"})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "1}"})),
        begin(3, json!({"type": "tool_use", "id": "c2", "name": "List", "input": {}})),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 174}}),
        json!({"type": "message_stop"}),
    ];
    let imported = only(&[pair(&json!([says("user", "one")]), &stream(&events))]);
    assert_eq!(imported.findings, []);
    let EntryKind::Message(Message::Assistant(content, reply)) = &imported.transcript.entries[1].kind else { panic!() };
    let [Block::Thinking { text, signature, .. }, Block::Text(said), Block::ToolCall(read), Block::ToolCall(list)] =
        content.blocks.as_slice()
    else {
        panic!("{content:?}")
    };
    assert_eq!((text.as_str(), signature.as_deref(), said.as_str()), ("hm", Some("sig"), "I'll look"));
    assert_eq!((read.arguments.as_str(), list.arguments.as_str(), list.name.as_str()), ("{\"p\":1}", "{}", "List"));
    let usage = reply.usage.unwrap();
    assert_eq!((usage.prompt(), usage.output, &reply.stop), (Tokens(19), 174, &StopReason::ToolUse));
    // A stream that was cut in the arguments.
    let cut = only(&[pair(&json!([says("user", "one")]), &stream(&events[..12]))]);
    let reply = replies(&cut.transcript).next().unwrap();
    assert_eq!(
        (&reply.stop, reply.usage.unwrap().output, faults(&cut)),
        (&StopReason::Aborted, 2, vec![(1, FindingKind::BadField)])
    );
    // An error in the stream.
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let failed = only(&[pair(&json!([says("user", "one")]), &stream(&[start, error]))]);
    let reply = replies(&failed.transcript).next().unwrap();
    assert_eq!((&reply.stop, reply.error.as_deref()), (&StopReason::Error, Some("Overloaded")));
}

#[test]
fn requests_that_failed_stay_on_the_path() {
    let one = says("user", "one");
    let error = json!({"status_code": 529, "body": {"type": "error", "error": {"message": "Overloaded"}}});
    let imported = only(&[
        pair(&json!([one]), &error),
        pair(&json!([one]), &Value::Null),
        pair(&json!([one]), &message("r1", "first", 1)),
        pair(&json!([one, says("assistant", "first"), says("user", "two")]), &message("r2", "second", 2)),
    ]);
    let stops: Vec<&StopReason> = replies(&imported.transcript).map(|reply| &reply.stop).collect();
    assert_eq!(stops, [&StopReason::Error, &StopReason::Aborted, &StopReason::Stop, &StopReason::Stop]);
    assert_eq!(path_ids(&imported.transcript), ["e0", "e1", "e2", "r1", "e4", "r2"]);
    assert_eq!(replayed::requests("failed", &imported.transcript), 4);
}

#[test]
fn other_lines_are_left_out_with_a_finding() {
    let line = pair(&json!([says("user", "one")]), &message("r1", "first", 1));
    let imported = only(&[
        line.replace("/v1/messages?beta=true", "/v1/messages/count_tokens"),
        line.replace("\"messages\"", "\"massages\""),
        "{\"a\":1}".to_owned(),
        line.clone(),
        line[..90].to_owned(),
    ]);
    let expected = [
        (1, FindingKind::UnknownKind),
        (2, FindingKind::BadField),
        (3, FindingKind::UnknownKind),
        (5, FindingKind::TruncatedLine),
    ];
    assert_eq!((faults(&imported), imported.lines.left_out), (expected.to_vec(), 4));
    let first = only(&[line[..90].to_owned(), line.clone()]);
    assert_eq!(
        (faults(&first), path_ids(&first.transcript)),
        (vec![(1, FindingKind::MalformedLine)], vec!["e0", "r1"])
    );
    assert!(matches!(anthropic::read(b"{\"a\":1}"), Err(ImportError::NoRecord { line: 1, .. })));
    assert!(matches!(anthropic::read(b"\n"), Err(ImportError::Empty)));
}

/// A request body with parallel calls and a picture.
fn body() -> Value {
    json!({
        "model": "m", "max_tokens": 9, "temperature": 1,
        "system": [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}],
        "tools": [{"name": "Read", "description": "Reads.", "input_schema": {"type": "object"}}, {"type": "web_search_20250305", "name": "web_search"}],
        "messages": [
            {"role": "user", "content": "look"},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "sig"},
                {"type": "tool_use", "id": "c1", "name": "Read", "input": {"p": 1}},
                {"type": "tool_use", "id": "c2", "name": "Read", "input": {"p": 2}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "one"},
                {"type": "tool_result", "tool_use_id": "c2", "is_error": true, "content": [
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}]},
                {"type": "text", "text": "and?"}]}]
    })
}

#[test]
fn a_request_body_is_a_conversation() {
    // On one line, and spread over several.
    for text in [body().to_string(), serde_json::to_string_pretty(&body()).unwrap()] {
        let [imported] = anthropic::read(text.as_bytes()).unwrap().try_into().unwrap();
        let transcript = &imported.transcript;
        assert_eq!((imported.findings.len(), path_ids(transcript)), (0, vec!["e0", "e1", "e2", "e3", "e4"]));
        let lines: Vec<usize> = transcript.entries.iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [1, 2, 3, 3, 3], "ordinals of the messages");
        assert_eq!(transcript.head.system.as_ref().unwrap().as_str(), "Be brief.\nBe kind.");
        let tools = transcript.head.tools.as_ref().unwrap();
        let schema: Value = serde_json::from_str(&tools[0].parameters).unwrap();
        assert_eq!((&*tools[0].description, schema), ("Reads.", json!({"type": "object"})));
        assert!(tools[1].parameters.contains("web_search_20250305"));
        let reply = replies(transcript).next().unwrap();
        assert_eq!((&reply.stop, reply.usage), (&StopReason::ToolUse, None));
        let results: Vec<(&str, &str, bool)> = messages(transcript)
            .filter_map(|message| match message {
                Message::ToolResult(result) => Some((&*result.call_id, &*result.tool, result.is_error)),
                _ => None,
            })
            .collect();
        assert_eq!(results, [("c1", "Read", false), ("c2", "Read", true)]);
        let images = messages(transcript).flat_map(Message::blocks).filter(|block| matches!(block, Block::Image(_)));
        assert_eq!(images.count(), 1);
        assert_eq!(replayed::requests("body", transcript), 1);
    }
    // Bodies one a line that repeat one another are one conversation too.
    let mut shorter = body();
    shorter["messages"].as_array_mut().unwrap().truncate(1);
    let lines = format!("{shorter}\n{}\n", body());
    let [imported] = anthropic::read(lines.as_bytes()).unwrap().try_into().unwrap();
    assert_eq!((imported.transcript.entries.len(), imported.transcript.entries[1].line), (5, 2));
}

#[test]
fn requests_are_told_by_their_first_bytes() {
    let line = pair(&json!([says("user", "one")]), &message("r1", "first", 1));
    assert_eq!(sniff(line.as_bytes()), Some(Format::AnthropicMessages));
    assert_eq!(sniff(&line.as_bytes()[..200]), Some(Format::AnthropicMessages), "the head may end early");
    let pretty = serde_json::to_string_pretty(&body()).unwrap();
    assert_eq!(Format::AnthropicMessages.sniff(pretty.as_bytes()), Confidence::Sure);
    let asks = |value: Value| Format::AnthropicMessages.sniff(value.to_string().as_bytes());
    assert_eq!(asks(json!({"messages": [{"role": "system", "content": "S"}], "max_tokens": 9})), Confidence::No);
    assert_eq!(asks(json!({"messages": [{"role": "user", "content": "S"}], "max_tokens": 9})), Confidence::Maybe);
    assert_eq!(asks(json!({"messages": [{"role": "user", "content": "S"}]})), Confidence::No);
    assert_eq!(asks(json!({"messages": body()["messages"]})), Confidence::Sure);
}

#[test]
fn files_of_other_formats_are_not_claimed() {
    let Some(shared) = common::shared() else { return };
    let own = [(Format::AnthropicMessages, "anthropic-messages"), (Format::ClaudeCode, "claude-code")];
    for folder in std::fs::read_dir(shared.join("transcripts")).unwrap().map(|folder| folder.unwrap().path()) {
        for file in folder.read_dir().into_iter().flatten().map(|file| file.unwrap().path()) {
            let bytes = std::fs::read(&file).unwrap();
            for (format, home) in own {
                let expected = if folder.ends_with(home) { Confidence::Sure } else { Confidence::No };
                assert_eq!(format.sniff(&bytes[..bytes.len().min(64 * 1024)]), expected, "{}", file.display());
            }
        }
    }
}

#[test]
fn no_damage_makes_it_panic() {
    let line = pair(&body()["messages"], &message("r1", "first", 1));
    let pretty = serde_json::to_string_pretty(&body()).unwrap();
    for text in [line, pretty] {
        for at in (0..text.len()).step_by(7) {
            let _ = anthropic::read(&text.as_bytes()[..at]);
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = b'[';
            let _ = (anthropic::read(&bytes), sniff(&bytes));
            bytes[at] = 0xFF;
            let _ = anthropic::read(&bytes);
        }
    }
}

/// The marks of every reply's request, as the importer keeps them.
fn marks(transcript: &cutpoint::transcript::Transcript) -> Vec<Value> {
    let extras = transcript.entries.iter().filter_map(|entry| entry.extra.as_ref());
    let read = |extra: &cutpoint::transcript::JsonText| serde_json::from_str::<Value>(extra.as_str()).unwrap();
    extras.map(read).filter_map(|extra| extra[""].get("cache_marks").cloned()).collect()
}

#[test]
fn marks_for_the_cache_are_kept_by_request() {
    let mark = |ttl: &str| {
        if ttl.is_empty() { json!({"type": "ephemeral"}) } else { json!({"type": "ephemeral", "ttl": ttl}) }
    };
    let text = |text: &str, ttl: &str| json!({"type": "text", "text": text, "cache_control": mark(ttl)});
    let plain = |text: &str| json!({"type": "text", "text": text});
    let request = |messages: Value, answer: &Value| {
        let body = json!({"model": "m", "messages": messages,
            "tools": [{"name": "Read", "input_schema": {}}, {"name": "Bash", "input_schema": {}, "cache_control": mark("1h")}],
            "system": [plain("You are."), text("Be kind.", "1h")]});
        json!({"request": {"timestamp": 1.5, "body": body}, "response": answer}).to_string()
    };
    let user = |content: Value| json!({"role": "user", "content": content});
    let asks = json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "tool_use", "id": "c1", "name": "Read", "input": {}}]});
    // The text of the last message stands behind its result, whatever their order in the file.
    let result = json!({"type": "tool_result", "tool_use_id": "c1", "content": "one", "cache_control": mark("")});
    let answer = json!({"status_code": 200, "body": {"id": "r1", "type": "message", "role": "assistant", "model": "m",
        "stop_reason": "tool_use", "content": asks["content"], "usage": {"input_tokens": 1, "output_tokens": 1}}});
    let imported = only(&[
        request(json!([user(json!([plain("a"), text("b", ""), plain("c")]))]), &answer),
        request(
            json!([user(json!([plain("a"), plain("b"), plain("c")])), asks, user(json!([plain("and?"), result]))]),
            &message("r2", "second", 2),
        ),
    ]);
    let head = [json!({"tools": 2, "ttl": "1h"}), json!({"system": 2, "of": 2, "ttl": "1h"})];
    let with = |behind: Value| json!([head[0], head[1], behind]);
    let expected = [with(json!({"behind": 1, "ttl": "5m"})), with(json!({"behind": 1, "ttl": "5m"}))];
    assert_eq!(marks(&imported.transcript), expected);
    // A request without marks asks for no cache, and says so.
    assert_eq!(
        marks(&only(&[pair(&json!([says("user", "one")]), &message("r1", "first", 1))]).transcript),
        [json!([])]
    );
    // A body alone keeps them in its header; automatic caching is a mark at its end.
    let mut body = body();
    body["cache_control"] = mark("1h");
    let [alone] = anthropic::read(body.to_string().as_bytes()).unwrap().try_into().unwrap();
    let extra: Value = serde_json::from_str(alone.transcript.meta.extra.as_ref().unwrap().as_str()).unwrap();
    assert_eq!(extra["cache_marks"], json!([{"system": 2, "of": 2, "ttl": "5m"}, {"behind": 0, "ttl": "1h"}]));
}
