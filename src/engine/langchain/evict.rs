//! Moving large tool results to files.

use std::borrow::Cow;

use super::message::ChatMessage;
use super::preview::preview;
use crate::digest::sha256;

/// Tools whose results stay whatever their size: they cut their own output or are small.
pub const EXEMPT_TOOLS: [&str; 7] = ["ls", "glob", "grep", "read_file", "edit_file", "write_file", "delete"];

/// Characters of a call id that a notice shows.
const SHOWN_ID: usize = 32;

/// Longest file name in bytes.
const FILE_NAME: usize = 128;

/// When a result or a human message is moved to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eviction {
    /// Largest tool result, in tokens of four characters.
    pub tool_limit: usize,
    /// Largest human message, in tokens of four characters.
    pub human_limit: usize,
}

impl Default for Eviction {
    fn default() -> Self {
        Self { tool_limit: 20_000, human_limit: 50_000 }
    }
}

/// A result that was moved to a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Evicted<'a> {
    /// What stays in the context.
    pub message: ChatMessage<'a>,
    /// Where the text goes.
    pub path: String,
    /// The text that goes there.
    pub saved: String,
}

impl Eviction {
    /// Whether the result of `tool` is too large: more characters of text than four times the limit.
    pub fn takes(&self, message: &ChatMessage<'_>, tool: &str) -> bool {
        !EXEMPT_TOOLS.contains(&tool) && message.content.text_chars() > 4 * self.tool_limit
    }

    /// Whether the last human message is too large.
    pub fn takes_human(&self, message: &ChatMessage<'_>) -> bool {
        message.content.text_chars() > 4 * self.human_limit
    }

    /// `message`, a tool result, with its text moved below `root` (`""` for `/`). Pictures stay.
    pub fn evict<'a>(message: &ChatMessage<'a>, root: &str) -> Evicted<'a> {
        let id = message.answers.as_deref().unwrap_or_default();
        let path = offload_path(root, id);
        let saved = message.content.joined("\n").into_owned();
        Evicted { message: message.with_text(notice(id, &path, &saved)), path, saved }
    }

    /// `message`, a human one, with its text moved to `path`. This is what one request shows; the state keeps the text.
    pub fn evict_human<'a>(message: &ChatMessage<'a>, path: String) -> Evicted<'a> {
        let saved = message.content.joined("\n").into_owned();
        let shown = preview(&saved).text;
        let notice = format!(
            "Message content too large and was saved to the filesystem at: {path}\n\n\
             You can read the full content using the read_file tool with pagination (offset and limit parameters).\n\n\
             Here is a preview showing the head and tail of the content:\n\n{shown}\n"
        );
        Evicted { message: message.with_text(notice), path, saved }
    }
}

/// The file of the result of call `id` below `root` (`""` for `/`).
pub fn offload_path(root: &str, id: &str) -> String {
    let name: String = id.chars().map(|char| if matches!(char, '.' | '/' | '\\') { '_' } else { char }).collect();
    let name = match name.len() {
        0 => "unknown".to_owned(),
        1..=FILE_NAME => name,
        _ => format!("call-{}", sha256(id)),
    };
    format!("{root}/large_tool_results/{name}")
}

/// The text that stands in for a result: a format of Deep Agents, reproduced to the letter because its size decides
/// what the next request costs.
fn notice(id: &str, path: &str, text: &str) -> String {
    let shown: Cow<'_, str> = match id.char_indices().nth(SHOWN_ID) {
        Some((end, _)) => format!("{}...", &id[..end]).into(),
        None => id.into(),
    };
    let preview = preview(text);
    let what = if preview.lines_omitted { "showing the head and tail of" } else { "of" };
    let omitted = "lines of the form `... [N lines truncated] ...` indicate omitted lines in the middle of the content";
    let clipped =
        "the output contains lines longer than 1000 characters; this preview shows only their first 1000 characters";
    let caveats = match (preview.lines_omitted, preview.lines_clipped) {
        (false, false) => String::new(),
        (true, false) => format!(" ({omitted})"),
        (false, true) => format!(" ({clipped})"),
        (true, true) => format!(" ({omitted}; {clipped})"),
    };
    format!(
        "Tool result too large, the result of this tool call {shown} was saved in the filesystem at this path: {path}\n\n\
         You can read the result from the filesystem by using the read_file tool, but make sure to only read part of the \
         result at a time.\n\n\
         You can do this by specifying an offset and limit in the read_file tool call. For example, to read the first 100 \
         lines, you can use the read_file tool with offset=0 and limit=100.\n\n\
         Here is a preview {what} the result{caveats}:\n\n{}\n",
        preview.text
    )
}

#[cfg(test)]
mod tests {
    use super::{Eviction, offload_path};
    use crate::engine::langchain::{ChatMessage, Content, Role};

    #[test]
    fn the_limit_itself_stays() {
        let result = |chars| ChatMessage::new(Role::Tool, Content::text("界".repeat(chars)));
        let eviction = Eviction::default();
        assert!(!eviction.takes(&result(80_000), "execute"));
        assert!(eviction.takes(&result(80_001), "execute"));
        assert!(!eviction.takes(&result(80_001), "grep"));
        assert!(!eviction.takes_human(&result(200_000)) && eviction.takes_human(&result(200_001)));
    }

    #[test]
    fn ids_become_file_names() {
        assert_eq!(offload_path("", "a.b/c\\d"), "/large_tool_results/a_b_c_d");
        assert_eq!(offload_path("/r", ""), "/r/large_tool_results/unknown");
        let long = offload_path("", &"x".repeat(129));
        assert!(long.starts_with("/large_tool_results/call-") && long.len() == 25 + 64, "{long}");
    }
}
