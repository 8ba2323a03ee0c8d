//! A session that goes on after a compaction: what the context holds then.

use std::path::Path;

use cutpoint::engine::pi::Rules;
use cutpoint::import::{Format, read_bytes};
use cutpoint::replay::ReplayEvent;
use cutpoint::transcript::{Message, Transcript, user_text};

use crate::Case;

fn lines() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field-cases/boundary-kept-segment.claude.jsonl");
    std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}

/// The context at the end, by the last word of every message, and whether the last usage of the file anchors it.
fn context(transcript: &Transcript) -> (Vec<String>, Option<u64>) {
    let case = Case { transcript: transcript.clone(), numbers: serde_json::Value::Null };
    let word = |message: &Message| {
        let text = match message {
            Message::Assistant(content, _) => cutpoint::transcript::joined_text(content).into_owned(),
            other => user_text(other).unwrap_or_default().into_owned(),
        };
        text.split_whitespace().last().unwrap_or_default().to_owned()
    };
    let sent = case.follow(&Rules::V1_6, 200_000, &mut |_| {}, |live| live.sent().map(word).collect());
    (sent, case.estimate().anchored.map(|tokens| tokens.0))
}

#[test]
fn a_preserved_segment_is_kept_and_without_one_nothing_is() {
    let case = Case::read("boundary-kept-segment");
    let (with, anchor) = context(&case.transcript);
    // The summary ends with a tag of its own; then u3, u4, u5, u6.
    assert_eq!(with[1..], ["question", "answer", "question", "answer"]);
    assert_eq!(with.len(), case.numbers["context_with_segment"].as_array().unwrap().len());
    // The usage of the last reply, not that of msg_2, which belongs to the context before.
    assert_eq!(anchor, Some(case.number("context_after")));
    let strict: Vec<String> = lines()
        .into_iter()
        .map(|line| match line.split_once(r#","preservedSegment""#) {
            Some((before, _)) => format!("{before}}}}}"),
            None => line,
        })
        .collect();
    let strict = read_bytes(strict.join("\n").as_bytes(), Format::ClaudeCode).unwrap();
    assert_eq!(strict.findings, []);
    let (without, _) = context(&strict.transcript);
    assert_eq!(without[1..], ["question", "answer"]);
    assert_eq!(without.len(), case.numbers["context_without_segment"].as_array().unwrap().len());
}

#[test]
fn the_usage_before_a_boundary_anchors_nothing_after_it() {
    let all = lines();
    let before_reply = read_bytes(all[..all.len() - 1].join("\n").as_bytes(), Format::ClaudeCode).unwrap();
    let (sent, anchor) = context(&before_reply.transcript);
    assert_eq!((sent.len(), anchor), (4, None), "summary, kept question and answer, new question");
}

#[test]
fn variants_of_a_boundary() {
    let case = Case::read("boundary-kept-segment");
    let replaced =
        |from: &str, to: &str| read_bytes(lines().join("\n").replace(from, to).as_bytes(), Format::ClaudeCode).unwrap();
    // A segment of one message; one whose head is nowhere; a second boundary that keeps nothing.
    let one = replaced(r#""headUuid":"u3""#, r#""headUuid":"u4""#);
    assert_eq!(context(&one.transcript).0.len(), 4);
    let lost = replaced(r#""headUuid":"u3""#, r#""headUuid":"gone""#);
    assert_eq!((context(&lost.transcript).0.len(), lost.findings.len()), (3, 1));
    let boundary = lines()[4].replace(r#""uuid":"b1""#, r#""uuid":"b2""#).replace("\"u4\"", "\"u6\"");
    let boundary = boundary.split_once(r#","preservedSegment""#).unwrap().0.to_owned() + "}}";
    let summary = lines()[5].replace(r#""uuid":"c1""#, r#""uuid":"c2""#).replace("\"b1\"", "\"b2\"");
    let again = [lines(), vec![boundary, summary]].concat().join("\n");
    let twice = read_bytes(again.as_bytes(), Format::ClaudeCode).unwrap();
    let mut compactions = 0;
    let counted = Case { transcript: twice.transcript.clone(), numbers: case.numbers.clone() };
    counted.follow(
        &Rules::V1_6,
        200_000,
        &mut |event| compactions += u64::from(matches!(event, ReplayEvent::Compaction(_))),
        |_| (),
    );
    assert_eq!((compactions, context(&twice.transcript).0.len()), (2, 1), "{:?}", twice.findings);
}
