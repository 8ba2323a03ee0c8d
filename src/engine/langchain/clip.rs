//! Clipping the tool results at the end of a request that is too large.

use super::evict::{Evicted, Eviction};
use super::message::{Call, ChatMessage, Role};

/// Characters of a `read_file` result that stay.
const READ_FILE: usize = 4_000;

/// The clipped end of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clipped<'a> {
    /// The new results by index; they replace the old ones in the state as well.
    pub results: Vec<(usize, ChatMessage<'a>)>,
    /// Files that take the clipped texts, as path and text.
    pub files: Vec<(String, String)>,
}

/// Clips the unbroken run of tool results that ends `kept`, large or small.
///
/// Results of `read_file` keep their first 4,000 characters and name the file they came from; shorter ones stay. All
/// others go to a file as in [`Eviction::evict`], which can make a small result larger. `root` is `""` for `/`.
pub fn clip_tail<'a>(kept: &[ChatMessage<'a>], root: &str) -> Clipped<'a> {
    let start = kept.iter().rposition(|message| message.role != Role::Tool).map_or(0, |last| last + 1);
    let mut clipped = Clipped::default();
    for (index, result) in kept.iter().enumerate().skip(start) {
        if let Some(path) = read_path(kept, result) {
            clipped.results.extend(slice(result, &path).map(|message| (index, message)));
        } else {
            let Evicted { message, path, saved } = Eviction::evict(result, root);
            clipped.results.push((index, message));
            clipped.files.push((path, saved));
        }
    }
    clipped
}

/// The `file_path` of the `read_file` call that `result` answers.
fn read_path(kept: &[ChatMessage<'_>], result: &ChatMessage<'_>) -> Option<String> {
    let id = result.answers.as_deref().filter(|id| !id.is_empty())?;
    let made = |message: &ChatMessage<'_>| message.calls.iter().rposition(|call| call.id == id);
    let call: &Call<'_> = kept.iter().rev().find_map(|message| made(message).map(|at| &message.calls[at]))?;
    if call.name != "read_file" {
        return None;
    }
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).ok()?;
    let path = arguments.get("file_path")?.as_str()?;
    (!path.is_empty()).then(|| path.to_owned())
}

/// The notice is a format of Deep Agents, reproduced to the letter because its size decides what a request costs.
fn slice<'a>(result: &ChatMessage<'a>, path: &str) -> Option<ChatMessage<'a>> {
    let text = result.content.joined("\n");
    let (end, _) = text.char_indices().nth(READ_FILE)?;
    let notice = format!(
        "\n\n[Output was truncated due to context window size limits. The full content is at {path}. \
         Use read_file with offset and limit parameters to retrieve specific portions. \
         For example, to read the first 100 lines, call read_file with file_path='{path}', offset=0, limit=100.]"
    );
    Some(result.with_text(format!("{}{notice}", &text[..end])))
}

#[cfg(test)]
mod tests {
    use super::clip_tail;
    use crate::engine::langchain::{Call, ChatMessage, Content, Role};

    #[test]
    fn a_read_file_result_keeps_its_head() {
        let mut asks = ChatMessage::new(Role::Ai, Content::text(""));
        let arguments = r#"{"file_path":"/a.rs"}"#;
        asks.calls.push(Call { id: "r".into(), name: "read_file".into(), arguments: arguments.into() });
        let answer = |chars| {
            let mut message = ChatMessage::new(Role::Tool, Content::text("x".repeat(chars)));
            message.answers = Some("r".into());
            message
        };
        let clipped = clip_tail(&[asks.clone(), answer(4_001)], "");
        let text = clipped.results[0].1.content.joined("");
        assert!(text.starts_with(&"x".repeat(4_000)) && text.contains("file_path='/a.rs'") && clipped.files.is_empty());
        assert!(clip_tail(&[asks.clone(), answer(4_000)], "").results.is_empty());
        assert!(clip_tail(&[answer(9_000), asks], "").results.is_empty(), "only results at the very end");
    }
}
