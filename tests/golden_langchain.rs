//! LangChain's estimate of every message of the shared Pi sessions, and of lists of them, against the answers of the package's own
//! function (`scripts/golden/langchain.py`).

#![expect(clippy::unwrap_used, reason = "an answer of another shape is a failed test")]

mod common;

use std::path::Path;

use cutpoint::engine::langchain::{ChatMessage, Dialect, Estimator, Ledger, Measure, from_transcript, tool_chars};
use cutpoint::import::read_file;
use cutpoint::transcript::{EntryKind, Message, Tokens, Transcript, is_sent};
use serde_json::{Value, value::RawValue};

const DIALECTS: [Dialect; 2] = [Dialect::Plain, Dialect::Blocks];
const RATES: [Estimator; 2] = [Estimator::DEFAULT, Estimator::ANTHROPIC];

fn golden(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Every recorded session with its answers; none without the shared folder. A session without answers, or answers without a
/// session, are a failed test.
fn sessions() -> Vec<(String, Transcript, Value)> {
    let Some(shared) = common::shared() else { return Vec::new() };
    let Value::Object(answers) = serde_json::from_str::<Value>(&golden("langchain.json")).unwrap()["sessions"].take()
    else {
        panic!("an object of sessions")
    };
    let folder = shared.join("transcripts/pi");
    let recorded = std::fs::read_dir(&folder).unwrap().filter(|file| {
        Path::new(&file.as_ref().unwrap().file_name()).extension().is_some_and(|extension| extension == "jsonl")
    });
    assert_eq!(recorded.count(), answers.len(), "one answer for each session");
    let read = |(name, answer): (String, Value)| {
        let transcript = read_file(folder.join(&name)).unwrap().transcript;
        (name, transcript, answer)
    };
    answers.into_iter().map(read).collect()
}

/// All messages of the file, whatever their branch, with their lines.
fn messages(transcript: &Transcript) -> Vec<(usize, &Message)> {
    let entries = transcript.entries.iter();
    let messages = entries.filter_map(|entry| match &entry.kind {
        EntryKind::Message(message) => Some((entry.line, message)),
        _ => None,
    });
    messages.collect()
}

#[test]
fn every_message_counts_as_the_package_counts_it() {
    let mut counted = 0;
    for (name, transcript, answer) in sessions() {
        let messages = messages(&transcript);
        let rows = answer["messages"].as_array().unwrap();
        assert_eq!(messages.len(), rows.len(), "{name}");
        for ((line, message), row) in messages.into_iter().zip(rows) {
            let mut expected = vec![line as u64];
            for dialect in DIALECTS {
                let measure = Measure::of(&from_transcript(message, dialect).unwrap());
                expected.extend(RATES.map(|rate| rate.message(&measure).0));
            }
            assert_eq!(*row, Value::from(expected), "{name}: line, plain at 4 and 3.3, blocks at 4 and 3.3");
            counted += 1;
        }
    }
    assert!(counted == 0 || counted == 2_041, "{counted} messages");
}

#[test]
fn lists_count_as_the_package_counts_them_with_tools_and_with_usage() {
    let tools = golden("deepagents/tools.json");
    let tools: Vec<&RawValue> = serde_json::from_str(&tools).unwrap();
    let tool_chars: usize = tools.iter().map(|tool| tool_chars(tool.get()).unwrap()).sum();
    let mut scaled_up = 0;
    for (name, transcript, answer) in sessions() {
        let sent: Vec<&Message> =
            messages(&transcript).into_iter().map(|(_, message)| message).filter(|message| is_sent(message)).collect();
        let lists: Vec<Vec<ChatMessage<'_>>> = DIALECTS
            .map(|dialect| sent.iter().map(|message| from_transcript(message, dialect).unwrap()).collect())
            .into();
        let ledgers: Vec<(Estimator, Ledger)> = RATES
            .iter()
            .flat_map(|rate| lists.iter().map(|list| (*rate, Ledger::new(list.iter().map(|one| (one, rate.of(one)))))))
            .collect();
        let rows = answer["lists"].as_array().unwrap();
        assert_eq!(rows.last().unwrap()[0], sent.len(), "{name}: the whole list is there");
        for row in rows {
            let length = usize::try_from(row[0].as_u64().unwrap()).unwrap();
            let mut expected = vec![length as u64];
            for (scaling, with_tools) in [(false, false), (false, true), (true, false), (true, true)] {
                expected.extend(ledgers.iter().map(|(rate, ledger)| {
                    let before = if with_tools { rate.tools(tool_chars) } else { Tokens(0) };
                    let plain = before + ledger.plain(0..length);
                    let scaled = if scaling { ledger.scaled(0..length, before, 0) } else { plain };
                    scaled_up += usize::from(scaled > plain);
                    scaled.0
                }));
            }
            assert_eq!(*row, Value::from(expected), "{name}");
        }
        assert!(scaled_up > 0 || name != "pi-v1-large-session.jsonl", "usage that is above the estimate scales");
    }
}
