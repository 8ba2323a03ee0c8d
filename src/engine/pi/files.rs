//! The files that a dropped part touched, cumulative over compactions.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Rules;
use crate::transcript::json::js;
use crate::transcript::{Block, JsonText, Message};

/// Files by what was done to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOps {
    read: HashSet<String>,
    written: HashSet<String>,
    edited: HashSet<String>,
}

/// Two sorted lists: only read, and written or edited. The `details` of a compaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FileLists {
    /// Read and never changed.
    pub read_files: Vec<String>,
    /// Written or edited.
    pub modified_files: Vec<String>,
}

/// A call that ran inside a tool.
#[derive(Deserialize)]
struct NestedCall<'a> {
    #[serde(default)]
    name: String,
    #[serde(borrow, default)]
    arguments: Option<&'a serde_json::value::RawValue>,
}

impl FileOps {
    /// Adds the calls of one message: `read`, `write` and `edit` with a `path`, whether they succeeded or not.
    pub fn add(&mut self, message: &Message, rules: &Rules) {
        match message {
            Message::Assistant(content, _) => {
                for block in &content.blocks {
                    if let Block::ToolCall(call) = block {
                        self.add_call(call.name.as_str(), call.arguments.as_str());
                    }
                }
            }
            Message::ToolResult(result) if rules.nested_calls => {
                let calls =
                    result.nested_calls.as_ref().map(|raw| serde_json::from_str::<Vec<NestedCall<'_>>>(raw.as_str()));
                for call in calls.and_then(Result::ok).unwrap_or_default() {
                    self.add_call(&call.name, call.arguments.map_or("{}", serde_json::value::RawValue::get));
                }
            }
            _ => {}
        }
    }

    fn add_call(&mut self, tool: &str, arguments: &str) {
        let files = match tool {
            "read" => &mut self.read,
            "write" => &mut self.written,
            "edit" => &mut self.edited,
            _ => return,
        };
        if let Some(path) = js::text_member(arguments, "path").filter(|path| !path.is_empty()) {
            files.insert(path);
        }
    }

    /// Adds the lists of an earlier compaction; what it calls modified counts as edited. Other shapes add nothing.
    pub fn add_details(&mut self, details: &JsonText) {
        if let Ok(lists) = serde_json::from_str::<FileLists>(details.as_str()) {
            self.read.extend(lists.read_files);
            self.edited.extend(lists.modified_files);
        }
    }

    /// The lists, sorted as JavaScript sorts: by UTF-16 units.
    pub fn lists(&self) -> FileLists {
        let modified: HashSet<&String> = self.edited.union(&self.written).collect();
        let only_read = self.read.iter().filter(|path| !modified.contains(path)).cloned().collect();
        let modified = modified.into_iter().cloned().collect();
        FileLists { read_files: sorted(only_read), modified_files: sorted(modified) }
    }
}

fn sorted(mut paths: Vec<String>) -> Vec<String> {
    paths.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
    paths
}

impl FileLists {
    /// The blocks appended to a summary: one path a line, only lists that are not empty.
    pub fn tags(&self) -> String {
        let block = |tag: &str, paths: &[String]| {
            if paths.is_empty() { String::new() } else { format!("\n\n<{tag}>\n{}\n</{tag}>", paths.join("\n")) }
        };
        block("read-files", &self.read_files) + &block("modified-files", &self.modified_files)
    }
}
