//! Contexts and bodies for other programs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod common;

use common::imported::said;
use cutpoint::engine::preset::preset;
use cutpoint::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse};
use cutpoint::export::{Change, Fate, Past, Report, body, context};
use cutpoint::import::{chat, pi, read_all};
use cutpoint::replay::{CountCache, EstimateTable, History, Model, Outline, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{Block, EntryKind, Message, Tokens, Transcript};

struct Silent;

impl Completer for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }
    fn is_mock(&self) -> bool {
        true
    }
    fn complete(&self, _: &LlmRequest) -> Result<LlmResponse, LlmError> {
        panic!("nothing compacts here")
    }
}

/// The messages at the end of a replay that compacts nothing of its own.
fn replayed(transcript: &Transcript, history: History) -> Vec<Message> {
    let mut strategy = preset("none").unwrap().spec.build("none").unwrap();
    let reference = MessageTable::new(transcript, Reference::O200kBase);
    let estimates = EstimateTable::new(transcript, &*strategy.estimator);
    let counts = CountCache::new(Reference::O200kBase);
    let model = Model::new("", Tokens(100_000_000), Tokens(0));
    let path = transcript.path();
    let input = ReplayInput {
        transcript,
        path: &path,
        outline: &Outline::new(transcript),
        reference: &reference,
        estimates: &estimates,
        counts: &counts,
        model: &model,
        history,
        manual: &[],
        seed: 0,
    };
    replay(input, &mut strategy, &Silent, &mut |_| {}).sent().cloned().collect()
}

/// The context is the one that the replay ends in, for both pasts; open calls at the end are answered besides.
#[test]
fn a_context_is_that_of_the_replay() {
    for path in common::all_files() {
        let Ok((_, all)) = read_all(&std::fs::read(&path).unwrap()) else { continue };
        for imported in all.into_iter().take(3) {
            for (past, history) in [(Past::Recorded, History::Recorded), (Past::Full, History::Full)] {
                let expected = replayed(&imported.transcript, history);
                let mut report = Report::default();
                let context = context(&imported.transcript, past, &mut report);
                let what = format!("{} {:?} {past:?}", path.display(), imported.part);
                let (same, added) = context.split_at(expected.len().min(context.len()));
                assert!(same.iter().map(|message| &**message).eq(expected.iter()), "{what}");
                assert!(
                    added.iter().all(|message| matches!(&**message, Message::ToolResult(result) if result.is_error)),
                    "{what}"
                );
                assert!(report.of(Fate::Added, Change::StandIns) >= added.len(), "{what}");
            }
        }
    }
}

/// Who says what, with calls and answers: what a body must not change.
fn content(message: &Message) -> Vec<String> {
    let mut parts = vec![format!("{:?}", message.role())];
    if let Message::ToolResult(result) = message {
        parts.push(result.call_id.to_string());
    }
    for block in message.blocks() {
        parts.push(match block {
            Block::Text(text) if text.is_empty() => continue,
            Block::Thinking { text, .. } if text.is_empty() => continue,
            Block::Text(text) | Block::Thinking { text, .. } => text.as_str().to_owned(),
            Block::ToolCall(call) => format!("{} {} {}", call.id, call.name.as_str(), call.arguments.as_str()),
            Block::Image(image) => format!("{} {}", image.media_type, image.data),
            Block::Other(raw) => raw.as_str().to_owned(),
        });
    }
    parts
}

/// Reading a body gives the context again. Sessions of one format are enough for the exact comparison: other roles become
/// user messages.
#[test]
fn a_body_is_read_as_the_same_context() {
    let mut compared = 0;
    for path in common::all_files() {
        let Ok((_, all)) = read_all(&std::fs::read(&path).unwrap()) else { continue };
        for imported in all.into_iter().take(3) {
            let plain = |message: &Message| {
                let thinking = message.blocks().iter().filter(|block| matches!(block, Block::Thinking { .. })).count();
                let first = matches!(message.blocks().first(), Some(Block::Thinking { .. }));
                let other = message.blocks().iter().any(|block| matches!(block, Block::Other(_)));
                let role = matches!(message, Message::User(_) | Message::Assistant(..) | Message::ToolResult(_));
                let empty = message.blocks().is_empty();
                role && !other && !empty && (thinking == 0 || thinking == 1 && first)
            };
            for past in [Past::Recorded, Past::Full] {
                let mut report = Report::default();
                let text = body(&imported.transcript, past, &mut report).to_string();
                let again = chat::read(text.as_bytes());
                let context = context(&imported.transcript, past, &mut Report::default());
                if context.is_empty() {
                    continue;
                }
                let again = again.unwrap().remove(0);
                // A system message at the start reads as the head.
                if !matches!(&*context[0], Message::System(_)) {
                    assert_eq!(again.transcript.head.system, imported.transcript.head.system, "{}", path.display());
                }
                if context.iter().all(|message| plain(message)) {
                    compared += 1;
                    let again = common::imported::messages(&again.transcript).into_iter().map(content);
                    let expected = context.iter().map(|message| content(message));
                    assert!(again.eq(expected), "{} {:?} {past:?}", path.display(), imported.part);
                }
            }
        }
    }
    assert!(compared > 10, "{compared}");
}

const SESSION: &str = concat!(
    r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/k"}"#,
    "\n",
    r#"{"type":"message","id":"1","parentId":null,"timestamp":"t","message":{"role":"user","content":"one","timestamp":1}}"#,
    "\n",
    r#"{"type":"message","id":"2","parentId":"1","timestamp":"t","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"text","text":"two"}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2},"stopReason":"stop","timestamp":2}}"#,
    "\n",
    r#"{"type":"message","id":"3","parentId":"2","timestamp":"t","message":{"role":"user","content":"three","timestamp":3}}"#,
    "\n",
    r#"{"type":"compaction","id":"4","parentId":"3","timestamp":"t","summary":"SUM","firstKeptEntryId":"3","tokensBefore":9}"#,
    "\n",
    r#"{"type":"message","id":"5","parentId":"4","timestamp":"t","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"read","arguments":{"p":1}}],"api":"a","provider":"p","model":"n","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2},"stopReason":"toolUse","timestamp":5}}"#,
);

/// Everything is worked out by hand: the summary and the kept message, then the call, which gets a result.
#[test]
fn a_body_by_hand() {
    let transcript = pi::read(SESSION.as_bytes()).unwrap().transcript;
    let mut report = Report::default();
    let value = body(&transcript, Past::Recorded, &mut report);
    let messages = value["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "user", "assistant", "tool"]);
    assert!(messages[0]["content"].as_str().unwrap().contains("<summary>\nSUM\n</summary>"));
    assert_eq!(messages[1]["content"], "three");
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], "{\"p\":1}");
    assert_eq!((&messages[2]["content"], &messages[3]["tool_call_id"]), (&serde_json::Value::Null, &"c".into()));
    assert_eq!((&value["model"], value.get("tools")), (&"n".into(), None), "unknown tools are not an empty list");
    let counts: Vec<_> = report.counts().collect();
    assert_eq!(
        counts,
        [
            (Fate::Lost, Change::Compacted, 2),
            (Fate::Changed, Change::SentAsUser, 1),
            (Fate::Added, Change::StandIns, 1)
        ]
    );
    let full = body(&transcript, Past::Full, &mut Report::default());
    let texts: Vec<&str> =
        full["messages"].as_array().unwrap().iter().filter_map(|one| one["content"].as_str()).collect();
    assert_eq!(texts, ["one", "two", "three", "No result provided"]);
    assert_eq!(full["messages"][1]["reasoning_content"], "hm");
}

#[test]
fn what_a_body_loses_is_counted() {
    let transcript = pi::read(SESSION.as_bytes()).unwrap().transcript;
    let report = cutpoint::export::write(
        &transcript,
        cutpoint::export::Target::OpenAi,
        Past::Recorded,
        None,
        &mut std::io::sink(),
    )
    .unwrap();
    for (change, number) in [
        (Change::HeaderFields, 1),
        (Change::Times, 5),
        (Change::Compactions, 1),
        (Change::Compacted, 2),
        (Change::Usage, 2),
        (Change::Signatures, 1),
        (Change::OtherBranches, 0),
    ] {
        assert_eq!(report.of(Fate::Lost, change), number, "{change:?}");
    }
    let summary = transcript.entries.iter().find_map(|entry| match &entry.kind {
        EntryKind::Message(message) => Some(said(message)),
        _ => None,
    });
    assert_eq!(summary.as_deref(), Some("one"));
}
