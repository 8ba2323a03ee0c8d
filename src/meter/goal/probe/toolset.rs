//! The tools that a reader may name, and where they are known from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use serde_json::Value;

use crate::transcript::{Block, EntryIdx, EntryKind, ToolSchema, Transcript};

/// Where the tools of a session are known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSource {
    /// The file, or its dataset, has their schemas.
    File,
    /// It has none: names are those of recorded calls, and each takes any object.
    Seen,
    /// It has some; recorded calls name more.
    FileAndSeen,
    /// Neither: there is nothing to offer.
    Unknown,
}

impl ToolSource {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Seen => "seen",
            Self::FileAndSeen => "file_and_seen",
            Self::Unknown => "unknown",
        }
    }
}

/// The tools of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolset {
    /// Their schemas: those of the file in its order, then others by name.
    pub schemas: Arc<[ToolSchema]>,
    /// Where they are known from.
    pub source: ToolSource,
}

/// Any object is an argument.
const OPEN: &str = r#"{"type":"object","properties":{},"additionalProperties":true}"#;

/// The most names of arguments that are told of a tool. No tool has so many; a file that says so is broken, or hostile.
const MOST_ARGUMENTS: usize = 32;

impl Toolset {
    /// The tools of a path: an agent has the same from its first request to its last, so that a name counts wherever it is
    /// seen. What a call was given counts until `now` alone: what comes after it is what the reader has to guess.
    pub fn of(transcript: &Transcript, path: &[EntryIdx], now: EntryIdx) -> Self {
        let known = transcript.head.tools.clone().unwrap_or_default();
        let is_new = |name: &str| !known.iter().any(|tool| *tool.name == *name);
        let seen: Vec<ToolSchema> =
            seen(transcript, path, now).into_iter().filter(|(name, _)| is_new(name)).map(open).collect();
        let source = match (known.is_empty(), seen.is_empty()) {
            (false, true) => ToolSource::File,
            (true, false) => ToolSource::Seen,
            (false, false) => ToolSource::FileAndSeen,
            (true, true) => ToolSource::Unknown,
        };
        Self { schemas: known.into_iter().chain(seen).collect(), source }
    }

    /// A line for each tool, for servers that take no tools.
    pub fn lines(&self) -> String {
        let mut text = String::new();
        for tool in &*self.schemas {
            let _ = writeln!(text, "{}: {} {}", &*tool.name, &*tool.description, &*tool.parameters);
        }
        text
    }
}

/// Tools of recorded calls, and the arguments that they were given until `now`.
fn seen(transcript: &Transcript, path: &[EntryIdx], now: EntryIdx) -> BTreeMap<String, BTreeSet<String>> {
    let mut seen: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for &idx in path {
        let EntryKind::Message(message) = &transcript.entry(idx).kind else { continue };
        for block in message.blocks() {
            let Block::ToolCall(call) = block else { continue };
            let arguments = seen.entry(call.name.as_str().to_owned()).or_default();
            if idx > now || arguments.len() >= MOST_ARGUMENTS {
                continue;
            }
            let Ok(Value::Object(given)) = serde_json::from_str(call.arguments.as_str()) else { continue };
            for (key, _) in given {
                if arguments.len() < MOST_ARGUMENTS {
                    arguments.insert(key);
                }
            }
        }
    }
    seen
}

fn open((name, arguments): (String, BTreeSet<String>)) -> ToolSchema {
    let arguments = arguments.into_iter().collect::<Vec<_>>().join(", ");
    let given = if arguments.is_empty() { "none" } else { &arguments };
    let description = format!("Its schema is not known. Arguments in recorded calls: {given}.");
    ToolSchema { name: name.into(), description: description.into(), parameters: OPEN.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::sketch::{reply, session, user};
    use crate::transcript::StopReason;

    #[track_caller]
    fn assert_told(calls: &[(&str, &str)], now: usize, expected: &[(&str, &str)]) {
        let call = |&(name, arguments): &(&str, &str)| reply("", &[("c", name, arguments)], StopReason::ToolUse);
        let messages = std::iter::once(user("Go on.")).chain(calls.iter().map(call));
        let transcript = session(messages.map(Some));
        let tools = Toolset::of(&transcript, &transcript.path(), EntryIdx(now));
        assert_eq!(tools.source, ToolSource::Seen);
        let told = |tool: &ToolSchema| {
            let (_, given) = tool.description.rsplit_once(": ").unwrap();
            (tool.name.to_string(), given.trim_end_matches('.').to_owned())
        };
        let found: Vec<(String, String)> = tools.schemas.iter().map(told).collect();
        let expected: Vec<_> = expected.iter().map(|&(name, given)| (name.to_owned(), given.to_owned())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_tool_counts_wherever_it_is_called_and_its_arguments_until_the_cut() {
        let calls = [
            ("write", r#"{"path":"a","content":"x"}"#),
            ("write", r#"{"path":"b","mode":"append"}"#),
            ("edit", r#"{"oldText":"x"}"#),
        ];
        assert_told(&calls, 1, &[("edit", "none"), ("write", "content, path")]);
        assert_told(&calls, 3, &[("edit", "oldText"), ("write", "content, mode, path")]);
    }

    #[test]
    fn no_call_tells_more_than_so_many_arguments() {
        let keys: Vec<String> = (0..1_000).map(|at| format!("\"k{at:03}\":0")).collect();
        let first: Vec<String> = (0..MOST_ARGUMENTS).map(|at| format!("k{at:03}")).collect();
        let all = format!("{{{}}}", keys.join(","));
        assert_told(&[("a", &all), ("a", r#"{"another":0}"#)], 2, &[("a", &first.join(", "))]);
        // Names that are known take no place twice.
        let known = format!("{{{}}}", keys[..20].join(","));
        let more = format!("{{{},\"z\":0}}", keys[..20].join(","));
        let told = first[..20].iter().map(String::as_str).chain(["z"]).collect::<Vec<_>>().join(", ");
        assert_told(&[("a", &known), ("a", &more)], 2, &[("a", &told)]);
    }
}
