//! Inspect logs: the shared files, and every quirk of the format in a made-up one.

#![expect(clippy::unwrap_used, reason = "made by hand: what cannot be read is a failed test")]

mod common;

use std::io::Write;

use common::facts::{Facts, assert_replays, facts, messages, shared_sessions, usages};
use cutpoint::import::{Confidence, FindingKind, Format, ImportError, Imported, read_all, sniff};
use cutpoint::transcript::{Block, EntryKind, Message, StopReason, Transcript, joined_text};

#[test]
fn the_shared_log_has_the_counts_of_its_provenance() {
    let Some((format, read)) = shared_sessions("inspect/inspect-browser-agent.json") else { return };
    assert_eq!((format, read.len(), read[0].part.as_deref()), (Format::Inspect, 1, None));
    // `model_usage` of the sample: 15235 and 281, of which 9088 came from the cache; 15516 in all, so it is included.
    let expected = Facts {
        users: 1,
        replies: 5,
        results: 4,
        calls: 4,
        notes: 1,
        usages: 5,
        prompt_tokens: 15_235,
        output_tokens: 281,
        ..Facts::default()
    };
    assert_eq!(facts(&read[0].transcript), expected);
    assert_eq!(usages(&read[0].transcript).iter().map(|usage| usage.cache_read).sum::<u64>(), 9_088);
    assert_eq!(read[0].findings, []);
    assert_eq!(read[0].transcript.head.tools.as_ref().map(Vec::len), Some(8));
    let attached = format!("{:?}", read[0].transcript);
    assert!(!attached.contains("attachment://"), "every attachment is back in its place");
    assert_replays(&read[0].transcript, "browser");
}

#[test]
fn the_shared_archive_has_the_counts_of_its_provenance() {
    let Some((format, read)) = shared_sessions("inspect/inspect-ctf-docent-gpt4o.eval") else { return };
    assert_eq!((format, read.len()), (Format::Inspect, 15));
    assert_eq!((read[0].part.as_deref(), read[14].part.as_deref()), (Some("15 epoch 1"), Some("97 epoch 1")));
    let mut sum = Facts::default();
    for one in &read {
        let name = one.part.as_deref().unwrap();
        let facts = facts(&one.transcript);
        sum.users += facts.users;
        sum.replies += facts.replies;
        sum.results += facts.results;
        sum.others += facts.others;
        sum.usages += facts.usages;
        sum.notes += facts.notes;
        sum.prompt_tokens += facts.prompt_tokens;
        sum.output_tokens += facts.output_tokens;
        assert_eq!(one.findings, [], "{name}");
        assert_eq!(one.transcript.path().len(), one.transcript.entries.len(), "{name}: no branch");
        assert!(one.transcript.head.system.is_some() && one.transcript.head.tools.is_some(), "{name}");
        assert_replays(&one.transcript, name);
    }
    // 332 messages, of which 15 are the system prompts; the tokens are the sums of `model_usage`; scores and limits.
    let expected = Facts {
        users: 50,
        replies: 147,
        results: 120,
        usages: 147,
        notes: 18,
        prompt_tokens: 395_844,
        output_tokens: 30_038,
        ..Facts::default()
    };
    assert_eq!(sum, expected);
}

fn log(samples: &str) -> String {
    format!(
        r#"{{"version":2,"status":"success","eval":{{"task":"t","model":"openai/gpt","created":"C"}},"samples":[{samples}]}}"#
    )
}

fn all(sample: &str) -> Vec<Imported> {
    let (format, read) = read_all(log(sample).as_bytes()).unwrap();
    assert_eq!(format, Format::Inspect);
    read
}

fn one(sample: &str) -> Imported {
    let mut read = all(sample);
    assert_eq!(read.len(), 1);
    read.remove(0)
}

fn say(role: &str, id: &str) -> String {
    format!(r#"{{"role":"{role}","id":"{id}","content":"{id}"}}"#)
}

/// A model event: messages by `role id`, the id of its reply, and the prompt tokens it used.
fn call(input: &[&str], reply: &str, prompt: u64) -> String {
    let message = |name: &&str| name.split_once(' ').map(|(role, id)| say(role, id)).unwrap();
    let input: Vec<String> = input.iter().map(message).collect();
    format!(
        r#"{{"event":"model","timestamp":"T","model":"openai/gpt","input":[{}],"tools":[{{"name":"f","description":"d","parameters":{{"type":"object"}}}}],
        "output":{{"model":"gpt-1","choices":[{{"message":{},"stop_reason":"stop"}}],"usage":{{"input_tokens":{prompt},"output_tokens":1,"total_tokens":{}}}}}}}"#,
        input.join(","),
        say("assistant", reply),
        prompt + 1
    )
}

fn sample(messages: &[String], events: &[String]) -> String {
    format!(r#"{{"id":"s","epoch":2,"messages":[{}],"events":[{}]}}"#, messages.join(","), events.join(","))
}

fn text(message: &Message) -> String {
    match message {
        Message::User(content) | Message::Assistant(content, _) => joined_text(content).into_owned(),
        Message::ToolResult(result) => joined_text(&result.content).into_owned(),
        other => panic!("{other:?}"),
    }
}

fn path(transcript: &Transcript) -> Vec<&str> {
    transcript.path().into_iter().map(|at| &*transcript.entry(at).id).collect()
}

#[test]
fn calls_build_the_session_and_the_end_state_closes_it() {
    let events =
        [call(&["system S", "user a"], "b", 10), call(&["system S", "user a", "assistant b", "user c"], "d", 20)];
    let state = ["a", "b", "c", "d", "e"].map(|id| say(if id == "b" || id == "d" { "assistant" } else { "user" }, id));
    let read = one(&sample(&state, &events));
    let transcript = &read.transcript;
    assert_eq!(path(transcript), ["a", "b", "c", "d", "e"]);
    assert_eq!(transcript.head.system.as_ref().unwrap().as_str(), "S");
    assert_eq!(usages(transcript).iter().map(|usage| usage.prompt().0).collect::<Vec<_>>(), [10, 20]);
    let reply = messages(transcript).nth(1).unwrap().reply().unwrap();
    assert_eq!((&*reply.provider, &*reply.model, &reply.stop), ("openai", "gpt-1", &StopReason::Stop));
    assert_eq!((transcript.entries[1].timestamp.as_deref(), transcript.entries[1].line), (Some("T"), 2));
    assert_eq!((&*transcript.meta.id, transcript.meta.timestamp.as_deref()), ("s epoch 2", Some("C")));
    assert_replays(transcript, "calls");
    // Without events there are the messages alone.
    let bare = one(&sample(&state, &[]));
    assert_eq!(path(&bare.transcript).len(), 5);
}

#[test]
fn a_compaction_stands_where_it_happened() {
    let compaction =
        r#"{"event":"compaction","timestamp":"T2","tokens_before":900,"tokens_after":90,"source":"inspect"}"#;
    let events = [
        call(&["system S", "user a"], "b", 10),
        call(&["system S", "user a", "assistant b", "user c"], "d", 20),
        compaction.to_owned(),
        call(&["system S", "user a", "user SUM", "user c", "assistant d", "user e"], "f", 15),
    ];
    let state = ["user a", "user SUM", "user c", "assistant d", "user e", "assistant f"];
    let state = state.map(|name| name.split_once(' ').map(|(role, id)| say(role, id)).unwrap());
    let read = one(&sample(&state, &events));
    let ids: Vec<&str> = read.transcript.entries.iter().map(|entry| &*entry.id).collect();
    assert_eq!((&ids[..4], &ids[5..]), (&["a", "b", "c", "d"][..], &["e", "f"][..]));
    let EntryKind::Compaction(found) = &read.transcript.entries[4].kind else { panic!() };
    assert_eq!(
        (found.summary.as_str(), found.first_kept.as_deref(), found.tokens_before),
        ("SUM", Some("c"), Some(900))
    );
    assert_eq!(found.replacement.iter().map(text).collect::<Vec<_>>(), ["a"], "the prompt is in the head");
    assert_replays(&read.transcript, "compaction");
}

#[test]
fn calls_that_leave_the_context_are_branches_or_others() {
    let events = [
        call(&["system S", "user a"], "b", 10),
        // The reply was thrown away and asked for again.
        call(&["system S", "user a"], "c", 11),
        // A sub-agent under the same prompt.
        call(&["system S", "user x"], "y", 5),
        call(&["system S", "user a", "assistant c", "user d"], "e", 12),
    ];
    let state = [say("user", "a"), say("assistant", "c"), say("user", "d"), say("assistant", "e")];
    let read = all(&sample(&state, &events));
    assert_eq!(read.iter().map(|one| one.part.as_deref()).collect::<Vec<_>>(), [None, Some("s epoch 2 calls 2")]);
    assert_eq!(path(&read[0].transcript), ["a", "c", "d", "e"]);
    assert_eq!(read[0].transcript.entries.len(), 5, "the reply that was left is still there");
    assert_eq!(path(&read[1].transcript), ["x", "y"]);
}

#[test]
fn messages_of_every_shape_are_read() {
    let sample = r#"{"id":1,"epoch":1,"attachments":{"aa":"long \"text\"","bb":"data:image/png;base64,aGk="},
        "events_data":{"messages":[{"role":"user","content":"attachment://aa"},{"role":"user","content":[{"type":"image","image":"attachment://bb"},{"type":"text","text":"see attachment://aa, attachment://cc"}]}]},
        "messages":[],"events":[{"event":"model","model":"m","input_refs":[0,[1,2]],"output":{"model":"m","choices":[{"stop_reason":"tool_calls","message":{"role":"assistant",
        "content":[{"type":"reasoning","reasoning":"r","signature":"s"},{"type":"reasoning","reasoning":"opaque","redacted":true},{"type":"text","text":""},{"type":"tool_use","name":"web"}],
        "tool_calls":[{"id":"c","function":"f","arguments":{"x":"attachment://aa"}},{"id":"d","function":"g","arguments":{}}]}}],
        "usage":{"input_tokens":5,"output_tokens":2,"total_tokens":37,"input_tokens_cache_read":20,"input_tokens_cache_write":10,"reasoning_tokens":1}}},
        {"event":"model","model":"m","pending":true,"input":[]},
        {"event":"score","score":{"value":1}}],"error":{"message":"limit"}}"#;
    let read = one(&sample.replace(
        r#""messages":[],"events""#,
        r#""messages":[{"role":"user","content":"long \"text\""},{"role":"assistant","content":[{"type":"reasoning","reasoning":"r","signature":"s"},{"type":"reasoning","reasoning":"opaque","redacted":true},{"type":"text","text":""},{"type":"tool_use","name":"web"}],
        "tool_calls":[{"id":"c","function":"f","arguments":{}},{"id":"d","function":"g","arguments":{}}]},
        {"role":"tool","tool_call_id":"c","function":"f","content":"","error":{"type":"timeout","message":"too slow"}},{"role":"tool","tool_call_id":"d","function":"g","content":"G"},{"role":"oracle","content":"?"}],"events""#,
    ));
    let transcript = &read.transcript;
    let texts: Vec<_> = messages(transcript).map(text).collect();
    assert_eq!(texts, ["long \"text\"", "see long \"text\", attachment://cc", "", "too slow", "G"]);
    let blocks = messages(transcript).nth(2).unwrap().blocks();
    assert!(
        matches!(blocks, [Block::Thinking { redacted: false, .. }, Block::Thinking { redacted: true, text, .. }, Block::Other(_), Block::ToolCall(c), Block::ToolCall(_)]
        if text.is_empty() && c.arguments.as_str() == r#"{"x":"long \"text\""}"#),
        "{blocks:?}"
    );
    // 5 + 2 + 20 + 10 = 37: the input excludes the cache.
    let usage = usages(transcript)[0];
    assert_eq!((usage.input, usage.prompt().0, usage.reasoning), (5, 35, Some(1)));
    let facts = facts(transcript);
    assert_eq!((facts.images, facts.notes, facts.results), (1, 3, 2), "a strange role, the score, the error");
    assert_eq!(read.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [FindingKind::UnknownKind]);
    assert_replays(transcript, "shapes");
}

#[test]
fn a_call_that_failed_is_no_reply_that_is_sent() {
    let failed = r#"{"event":"model","model":"m","error":"overloaded","input":[{"role":"user","id":"a","content":"a"}],"output":{"model":"m","choices":[]}}"#;
    let read =
        one(&sample(&[say("user", "a"), say("assistant", "b")], &[failed.to_owned(), call(&["user a"], "b", 3)]));
    let errors: Vec<_> = messages(&read.transcript).filter_map(|m| m.reply()?.error.as_deref()).collect();
    assert_eq!(errors, ["overloaded"]);
    assert_eq!(path(&read.transcript), ["a", "b"]);
}

/// A zip archive of `members`: name, method, packed bytes, and the bytes themselves.
fn archive(members: &[(&str, u16, Vec<u8>, &[u8])], directory: bool) -> Vec<u8> {
    let (mut file, mut central) = (Vec::new(), Vec::new());
    for (name, method, packed, bytes) in members {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let mut common = vec![20, 0, 0, 0];
        common.extend(method.to_le_bytes());
        common.extend([0; 4]);
        for number in [crc.sum(), u32::try_from(packed.len()).unwrap(), u32::try_from(bytes.len()).unwrap()] {
            common.extend(number.to_le_bytes());
        }
        common.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        common.extend([0; 2]);
        let header = u32::try_from(file.len()).unwrap();
        file.extend(b"PK\x03\x04");
        file.extend(&common);
        file.extend(name.as_bytes());
        file.extend(packed);
        central.extend(b"PK\x01\x02\x14\0");
        central.extend(&common);
        central.extend([0; 10]);
        central.extend(header.to_le_bytes());
        central.extend(name.as_bytes());
    }
    if directory {
        let (at, size) = (u32::try_from(file.len()).unwrap(), u32::try_from(central.len()).unwrap());
        file.extend(&central);
        file.extend(b"PK\x05\x06\0\0\0\0");
        file.extend([u16::try_from(members.len()).unwrap().to_le_bytes(); 2].concat());
        file.extend(size.to_le_bytes());
        file.extend(at.to_le_bytes());
        file.extend([0; 2]);
    }
    file
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn archives_are_unpacked_whatever_the_method() {
    let header = br#"{"eval":{"task":"t","model":"openai/gpt"}}"#.as_slice();
    let [a, b, c] =
        ["a", "b", "c"].map(|id| sample(&[say("user", id)], &[]).replace("\"id\":\"s\"", &format!("\"id\":\"{id}\"")));
    let members = [
        ("header.json", 0, header.to_vec(), header),
        ("samples/a_epoch_2.json", 8, deflated(a.as_bytes()), a.as_bytes()),
        ("samples/b_epoch_2.json", 93, zstd(b.as_bytes()), b.as_bytes()),
        ("samples/c_epoch_2.json", 0, c.as_bytes().to_vec(), c.as_bytes()),
    ];
    let file = archive(&members, true);
    let (format, read) = read_all(&file).unwrap();
    let parts = |read: &[Imported]| read.iter().map(|one| one.part.clone().unwrap().to_string()).collect::<Vec<_>>();
    assert_eq!(
        (format, parts(&read)),
        (Format::Inspect, vec!["a epoch 2".into(), "b epoch 2".into(), "c epoch 2".into()])
    );
    assert!(read.iter().all(|one| one.findings.is_empty()));

    // A run that was killed left no directory.
    let (_, read) = read_all(&archive(&members, false)).unwrap();
    assert_eq!((read.len(), read[0].findings[0].kind), (3, FindingKind::TruncatedLine));

    // A flipped bit costs its own member; an unknown method too.
    let mut broken = members.clone();
    broken[1].1 = 14;
    broken[2].2[20] ^= 0xFF;
    let (_, read) = read_all(&archive(&broken, true)).unwrap();
    assert_eq!(parts(&read), ["c epoch 2"]);
    let faults: Vec<_> = read[0].findings.iter().map(|finding| (finding.line, finding.kind)).collect();
    assert_eq!(faults, [(0, FindingKind::MalformedLine); 2]);
    assert!(read[0].findings[0].message.starts_with("samples/a_epoch_2.json: "), "{}", read[0].findings[0].message);

    for end in 0..file.len() {
        let _ = Format::Inspect.read(&file[..end]);
        let _ = sniff(&file[..end]);
    }
    for at in 0..file.len() {
        let mut flipped = file.clone();
        flipped[at] ^= 0x81;
        let _ = Format::Inspect.read(&flipped);
    }
    let foreign = archive(&[("word/document.xml", 0, b"x".to_vec(), b"x")], true);
    assert!(matches!(read_all(&foreign), Err(ImportError::NotText { .. })));
}

#[test]
fn a_log_is_told_by_its_evaluation() {
    let sniffed = |head: &str| Format::Inspect.sniff(head.as_bytes());
    assert_eq!(sniffed(r#"{"version":2,"status":"started","eval":{"task":"t","mo"#), Confidence::Sure);
    for head in [r#"{"version":2,"status":"x"}"#, r#"{"samples":[]}"#, "", "PK"] {
        assert_eq!(sniffed(head), Confidence::No, "{head}");
    }
    let empty = read_all(log("").as_bytes()).unwrap_err();
    assert!(matches!(empty, ImportError::NoRecord { .. }), "{empty}");
    let torn = log(&sample(&[say("user", "a"), say("user", "b")], &[]));
    let (_, read) = read_all(&torn.as_bytes()[..torn.len() - 60]).unwrap();
    assert_eq!(read[0].findings[0].kind, FindingKind::TruncatedLine);
}
