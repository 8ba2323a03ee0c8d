//! What a tool call does to files, whatever agent made it: by the name of the tool and of its arguments.

use super::json::js;
use super::{Block, Message, ToolCall};

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// It is read.
    Read,
    /// It is created, edited or deleted.
    Modify,
}

/// A file, and what is done to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Touch {
    /// The path, as the call writes it.
    pub path: String,
    /// What is done.
    pub action: Action,
}

/// Tools that read, in lower case: Pi, Claude Code, Deep Agents, Gemini CLI, Cline and others.
const READS: [&str; 8] = ["read", "read_file", "readfile", "view", "open_file", "notebookread", "view_file", "fs_read"];

/// Tools that change a file.
const MODIFIES: [&str; 18] = [
    "write",
    "edit",
    "write_file",
    "writefile",
    "edit_file",
    "create_file",
    "multiedit",
    "multi_edit",
    "replace",
    "str_replace",
    "replace_in_file",
    "write_to_file",
    "insert",
    "create",
    "notebookedit",
    "delete",
    "fs_write",
    "apply_diff",
];

/// Tools whose `command` says which it is.
const EDITORS: [&str; 4] = ["str_replace_editor", "str_replace_based_edit_tool", "file_editor", "editor"];

/// Arguments that hold a path.
const PATHS: [&str; 8] =
    ["path", "file_path", "filepath", "filename", "notebook_path", "target_file", "absolute_path", "file"];

/// Lines of a patch that name a file (`apply_patch` of Codex).
const PATCHES: [&str; 4] = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "];

/// The files that a call touches, in its order.
pub fn touches(call: &ToolCall) -> Vec<Touch> {
    let arguments = call.arguments.as_str();
    if arguments.contains("*** Begin Patch") {
        return patched(arguments);
    }
    let name = call.name.as_str().to_ascii_lowercase();
    let action = if READS.contains(&name.as_str()) {
        Action::Read
    } else if MODIFIES.contains(&name.as_str()) {
        Action::Modify
    } else if EDITORS.contains(&name.as_str()) {
        let views = js::text_member(arguments, "command").is_some_and(|command| command == "view");
        if views { Action::Read } else { Action::Modify }
    } else {
        return Vec::new();
    };
    let path = PATHS.iter().find_map(|key| js::text_member(arguments, key)).filter(|path| !path.is_empty());
    path.map(|path| Touch { path, action }).into_iter().collect()
}

/// The files of a patch inside of a JSON text, where a line ends with an escape or with the text.
fn patched(arguments: &str) -> Vec<Touch> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for mark in PATCHES {
        for (at, _) in arguments.match_indices(mark) {
            let rest = &arguments[at + mark.len()..];
            let path = rest.split(['\\', '"', '\n']).next().unwrap_or_default().trim();
            if !path.is_empty() {
                found.push((at, path.to_owned()));
            }
        }
    }
    found.sort();
    found.into_iter().map(|(_, path)| Touch { path, action: Action::Modify }).collect()
}

/// The files that a message touches.
pub fn message_touches(message: &Message) -> Vec<Touch> {
    let calls =
        message.blocks().iter().filter_map(|block| if let Block::ToolCall(call) = block { Some(call) } else { None });
    calls.flat_map(touches).collect()
}

#[cfg(test)]
mod tests {
    use super::{Action, Touch, touches};
    use crate::transcript::{JsonText, Text, ToolCall};

    fn of(name: &str, arguments: &str) -> Vec<(String, Action)> {
        let call =
            ToolCall { id: "c".into(), name: Text::from(name).into(), arguments: JsonText::new(arguments).unwrap() };
        touches(&call).into_iter().map(|Touch { path, action }| (path, action)).collect()
    }

    #[test]
    fn tools_of_several_agents_touch_files() {
        assert_eq!(of("Read", r#"{"file_path":"/a/b.rs"}"#), [("/a/b.rs".to_owned(), Action::Read)]);
        assert_eq!(of("edit", r#"{"path":"b.rs"}"#), [("b.rs".to_owned(), Action::Modify)]);
        let view = r#"{"command":"view","path":"b.rs"}"#;
        assert_eq!(of("str_replace_editor", view), [("b.rs".to_owned(), Action::Read)]);
        let patch = r#"{"input":"*** Begin Patch\n*** Update File: src/a.rs\n@@\n*** Add File: b.md\n+x"}"#;
        let both = [("src/a.rs".to_owned(), Action::Modify), ("b.md".to_owned(), Action::Modify)];
        assert_eq!(of("apply_patch", patch), both);
        assert_eq!(of("shell", patch), both);
        assert!(of("bash", r#"{"command":"cat a.rs","path":"x"}"#).is_empty());
        assert!(of("read", r#"{"path":""}"#).is_empty());
    }
}
