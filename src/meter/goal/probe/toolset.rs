//! The tools that a reader may name, and where they are known from.

use std::collections::BTreeMap;
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

impl Toolset {
    /// The tools of a path: an agent has the same from its first request to its last, so that a name counts wherever it is seen.
    pub fn of(transcript: &Transcript, path: &[EntryIdx]) -> Self {
        let known = transcript.head.tools.clone().unwrap_or_default();
        let is_new = |name: &str| !known.iter().any(|tool| *tool.name == *name);
        let seen: Vec<ToolSchema> =
            seen(transcript, path).into_iter().filter(|(name, _)| is_new(name)).map(open).collect();
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

/// Tools of recorded calls, and the arguments that they were given.
fn seen(transcript: &Transcript, path: &[EntryIdx]) -> BTreeMap<String, Vec<String>> {
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for &idx in path {
        let EntryKind::Message(message) = &transcript.entry(idx).kind else { continue };
        for block in message.blocks() {
            let Block::ToolCall(call) = block else { continue };
            let arguments = seen.entry(call.name.as_str().to_owned()).or_default();
            let Ok(Value::Object(given)) = serde_json::from_str(call.arguments.as_str()) else { continue };
            let fresh: Vec<String> = given.keys().filter(|key| !arguments.contains(key)).cloned().collect();
            arguments.extend(fresh);
        }
    }
    seen
}

fn open((name, arguments): (String, Vec<String>)) -> ToolSchema {
    let given = if arguments.is_empty() { "none".to_owned() } else { arguments.join(", ") };
    let description = format!("Its schema is not known. Arguments in recorded calls: {given}.");
    ToolSchema { name: name.into(), description: description.into(), parameters: OPEN.into() }
}
