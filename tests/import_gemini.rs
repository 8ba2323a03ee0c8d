//! Gemini CLI sessions: the shared files of both dialects, and each quirk in a made-up file.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its file has failed")]

mod common;

use common::imported::{count, kinds, messages, orphans, prompts, roles, said, usages};
use cutpoint::import::{Confidence, FindingKind, Format, ImportError, Imported, gemini, read_all, sniff};
use cutpoint::replay::History;
use cutpoint::transcript::{Block, EntryIdx, EntryKind, Message, StopReason};

const HEADER: &str = r#"{"sessionId":"s","projectHash":"h","startTime":"2026-01-01T00:00:00.000Z","kind":"main"}"#;

fn one(text: &str) -> Imported {
    gemini::read(text.as_bytes()).unwrap().remove(0)
}

#[test]
fn the_shared_sessions_have_their_counts() {
    let Some(shared) = common::shared() else { return };
    // File, messages and screen notes (PROVENANCE; of the second file it counts the lines, header and patch too),
    // results, usages, sums of prompts and of what was cached.
    let rows =
        [("gemini-entire-a.json", 13, 9, 10, 131_375, 113_854), ("gemini-stage0-v040.jsonl", 4, 1, 2, 23_924, 11_502)];
    for (file, all, results, calls, prompt, cached) in rows {
        let bytes = std::fs::read(shared.join("transcripts/gemini-cli").join(file)).unwrap();
        let (format, mut read) = read_all(&bytes).unwrap();
        assert_eq!((format, read.len()), (Format::Gemini, 1), "{file}");
        let imported = read.remove(0);
        let transcript = &imported.transcript;
        let answered = count(transcript, |kind| matches!(kind, EntryKind::Message(Message::ToolResult(_))));
        assert_eq!((transcript.entries.len() - answered, answered), (all, results), "{file}");
        assert_eq!((usages(transcript).len(), prompts(transcript)), (calls, prompt), "{file}");
        assert_eq!(usages(transcript).iter().map(|usage| usage.cache_read).sum::<u64>(), cached, "{file}");
        for usage in usages(transcript) {
            assert_eq!(Some(usage.prompt().0 + usage.output), usage.total, "{file}: prompt, output and thoughts");
        }
        assert_eq!((imported.findings.len(), orphans(transcript, History::Full)), (0, 0), "{file}");
    }
}

#[test]
fn a_reply_holds_its_calls_and_their_results() {
    let imported = one(r#"{"sessionId":"s","projectHash":"h","startTime":"t","messages":[
      {"id":"u1","type":"user","timestamp":"t1","content":[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"aGk="}}]},
      {"id":"g1","type":"gemini","content":"I run","model":"m","thoughts":[{"subject":"S","description":"D"}],
       "tokens":{"input":1000,"output":20,"cached":700,"thoughts":5,"tool":3,"total":1028},
       "toolCalls":[
        {"id":"c1","name":"sh","args":{"n": 1.0},"status":"success","timestamp":"t2","result":[{"functionResponse":{"id":"c1","name":"sh","response":{"output":"out"}}}]},
        {"id":"c2","name":"read","args":{},"status":"error","result":[{"functionResponse":{"id":"c2","response":{"error":"no such file"}}}]},
        {"id":"c3","name":"shot","args":{},"status":"success","result":[{"functionResponse":{"id":"c3","response":{"ok":true}}},{"inlineData":{"mimeType":"image/png","data":"QUI="}}]},
        {"id":"c4","name":"sh","args":{},"status":"cancelled"}]},
      {"id":"i","type":"info","content":"update"},{"id":"e","type":"error","content":"quota"},
      {"id":"g2","type":"gemini","content":"","thoughts":[],"tokens":{"input":0,"output":0,"cached":0,"thoughts":0,"tool":0,"total":0}},
      {"id":"n","type":"novel","content":"x"}]}"#);
    let transcript = &imported.transcript;
    assert_eq!(kinds(&imported), [(12, FindingKind::UnknownKind)], "on the twelfth line");
    assert_eq!(roles(transcript), ["user", "assistant", "result", "result", "result", "assistant"]);
    let messages = messages(transcript);
    assert!(matches!(messages[0].blocks(), [Block::Text(_), Block::Image(image)] if &*image.data == "aGk="));
    let [Block::Thinking { text, .. }, Block::Text(_), Block::ToolCall(call), ..] = messages[1].blocks() else {
        panic!("{:?}", messages[1])
    };
    assert_eq!((text.as_str(), call.arguments.as_str()), ("S\nD", r#"{"n": 1.0}"#));
    let reply = messages[1].reply().unwrap();
    let usage = reply.usage.unwrap();
    // 1,000 include 700 cached; the 3 of the provider's own tools come on top; 20 exclude the 5 of thoughts.
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.reasoning), (303, 700, 25, Some(5)));
    assert_eq!((usage.prompt().0, usage.context().0, &reply.stop), (1003, 1028, &StopReason::ToolUse));
    let results: Vec<_> = messages
        .iter()
        .filter_map(|message| match message {
            Message::ToolResult(result) => Some((&*result.call_id, result.is_error, said(message))),
            _ => None,
        })
        .collect();
    let expected = [("c1", false, "out"), ("c2", true, "no such file"), ("c3", false, r#"{"ok":true}"#)];
    assert_eq!(results, expected.map(|(id, error, said)| (id, error, said.to_owned())));
    assert!(matches!(messages[4].blocks(), [Block::Text(_), Block::Image(image)] if &*image.data == "QUI="));
    assert_eq!(messages[5].reply().unwrap().usage, None, "all zero is none");
    assert_eq!(transcript.entries[2].timestamp.as_deref(), Some("t2"));
    assert_eq!(transcript.entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [1, 2, 2, 2, 2, 3, 4, 5, 6]);
    assert_eq!(orphans(transcript, History::Full), 0);
}

#[test]
fn a_message_written_again_counts_once() {
    let lines = [
        HEADER,
        r#"{"id":"u","type":"user","content":"q"}"#,
        r#"{"id":"g","type":"gemini","content":"","toolCalls":[{"id":"c","name":"sh","args":{}}]}"#,
        r#"{"$set":{"lastUpdated":"later"}}"#,
        r#"{"id":"g","type":"gemini","content":"done","tokens":{"input":5,"output":1,"cached":0},"toolCalls":[{"id":"c","name":"sh","args":{},"result":[{"functionResponse":{"response":{"output":"o"}}}]}]}"#,
        r#"{"id":"u2","type":"user","content":"more"}"#,
    ];
    let imported = one(&lines.join("\n"));
    let transcript = &imported.transcript;
    assert_eq!((imported.findings.len(), roles(transcript)), (0, vec!["user", "assistant", "result", "user"]));
    assert_eq!((said(messages(transcript)[1]), prompts(transcript)), ("done".to_owned(), 5));
    assert_eq!(transcript.entries[1].line, 3, "its place is that of the first writing");
    assert_eq!((&*transcript.meta.id, transcript.meta.timestamp.as_deref().map(str::len)), ("s", Some(24)));
}

#[test]
fn a_rewind_leaves_a_branch() {
    let lines = [
        HEADER,
        r#"{"id":"u1","type":"user","content":"one"}"#,
        r#"{"id":"g1","type":"gemini","content":"a"}"#,
        r#"{"id":"u2","type":"user","content":"two"}"#,
        r#"{"$rewindTo":"u2"}"#,
        r#"{"id":"u3","type":"user","content":"three"}"#,
        r#"{"$rewindTo":"gone"}"#,
    ];
    let imported = one(&lines.join("\n"));
    assert_eq!(kinds(&imported), [(7, FindingKind::MissingTarget)]);
    assert_eq!(imported.transcript.path(), [EntryIdx(0), EntryIdx(1), EntryIdx(3)]);
}

#[test]
fn damaged_files_give_what_they_hold() {
    let user = r#"{"id":"u","type":"user","content":"q"}"#;
    let imported = one(&format!("{HEADER}\n{user}\n{}", &user[..20]));
    assert_eq!((kinds(&imported), messages(&imported.transcript).len()), (vec![(3, FindingKind::TruncatedLine)], 1));
    let imported = one(&format!("{user}\n{user}\n").replacen("\"u\"", "\"v\"", 1));
    assert_eq!((kinds(&imported), messages(&imported.transcript).len()), (vec![(0, FindingKind::MissingHeader)], 2));
    let imported = one(&format!("{HEADER}\n"));
    assert!(imported.transcript.entries.is_empty());
    let torn = r#"{"sessionId":"s","projectHash":"h","messages":[{"id":"u","type":"user","content":"q"},{"id":"#;
    assert_eq!(messages(&one(torn).transcript).len(), 1);
    assert!(matches!(gemini::read(b"{}"), Err(ImportError::NoRecord { .. })));
    assert!(matches!(gemini::read(b""), Err(ImportError::Empty)));
}

#[test]
fn a_session_is_told_by_its_first_bytes() {
    assert_eq!(sniff(HEADER.as_bytes()), Some(Format::Gemini));
    assert_eq!(sniff(b"{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"h\",\n  \"messa"), Some(Format::Gemini));
    assert_eq!(Format::Gemini.sniff(br#"{"id":"g","type":"gemini","content":"a"}"#), Confidence::Maybe);
    assert_eq!(Format::Gemini.sniff(br#"{"sessionId":"s","parentUuid":null,"type":"user"}"#), Confidence::No);
}

#[test]
fn no_cut_and_no_changed_byte_is_a_panic() {
    let file = format!(
        "{HEADER}\n{}\n{}\n",
        r#"{"id":"g","type":"gemini","content":[{"text":"x"}],"tokens":{"input":5,"cached":9},"toolCalls":[{"id":"c","result":[{"functionResponse":{"response":{"output":"o"}}}]}]}"#,
        r#"{"$rewindTo":"g"}"#
    );
    for at in 0..file.len() {
        let _ = gemini::read(&file.as_bytes()[..at]);
        for byte in *b"\"{1" {
            let mut bytes = file.as_bytes().to_vec();
            bytes[at] = byte;
            let _ = gemini::read(&bytes);
            let _ = sniff(&bytes[at..]);
        }
    }
}
