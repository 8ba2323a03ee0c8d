//! Recorded messages as a LangChain agent would have held them.

use super::message::{Call, ChatMessage, Content, Image, Measured, Part, Role};
use crate::transcript::{self, Block, Message, Reply, System, ToolCall, ToolResult, user_text};

/// How a provider's package lays out an assistant message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Chat completions: the text is a string, calls are `tool_calls`, reasoning is outside the content and so costs
    /// nothing in the estimate.
    Plain,
    /// Anthropic: a reply of text alone is a string; any other is a list of `thinking`, `text` and `tool_use` blocks, and
    /// the calls are in `tool_calls` as well.
    Blocks,
}

impl Dialect {
    /// The dialect of the package that speaks the reply's API.
    pub fn of(reply: &Reply) -> Self {
        if reply.api.contains("anthropic") { Self::Blocks } else { Self::Plain }
    }
}

/// `message` with its text borrowed; `None` when it never reaches the model (a shell command that was excluded).
///
/// What the recording agent has and LangChain lacks is mapped like this:
/// - a text of several blocks is one string in a reply of the [`Dialect::Plain`] kind, a list elsewhere; one block alone
///   is a string everywhere;
/// - a call whose arguments are not a JSON object becomes an invalid call, as LangChain's parser does;
/// - a tool result carries its tool's name, as `LangGraph`'s tool node sets it;
/// - shell commands, summaries and texts of extensions are human messages, worded as the recording agent sends them
///   ([`user_text`]);
/// - failed replies are converted like others: whether they are sent is for the caller to decide.
pub fn from_transcript(message: &Message, dialect: Dialect) -> Option<ChatMessage<'_>> {
    Some(match message {
        Message::User(content) => ChatMessage::new(Role::Human, plain_content(content)),
        Message::Custom(custom) => ChatMessage::new(Role::Human, plain_content(&custom.content)),
        Message::Assistant(content, reply) => assistant(content, reply, dialect),
        Message::ToolResult(result) => tool_result(result),
        Message::Bash(_) | Message::BranchSummary(_) | Message::CompactionSummary(_) => {
            ChatMessage::new(Role::Human, Content::text(user_text(message)?))
        }
        Message::System(system) => {
            let System { content, sections, .. } = &**system;
            let mut pieces = vec![Measured::from(content)];
            for (_, section) in sections {
                pieces.extend([Measured::new("\n\n"), section.into()]);
            }
            ChatMessage::new(Role::System, Content::Text(pieces))
        }
    })
}

fn assistant<'a>(content: &'a transcript::Content, reply: &'a Reply, dialect: Dialect) -> ChatMessage<'a> {
    let texts = || content.blocks.iter().filter_map(text);
    let only_text = content.blocks.iter().all(|block| text(block).is_some());
    let body = match dialect {
        Dialect::Plain => Content::Text(texts().collect()),
        Dialect::Blocks if only_text && content.blocks.len() < 2 => Content::Text(texts().collect()),
        Dialect::Blocks => Content::Parts(content.blocks.iter().map(part).collect()),
    };
    let mut message = ChatMessage::new(Role::Ai, body);
    for block in &content.blocks {
        if let Block::ToolCall(made) = block {
            let calls = if is_object(made) { &mut message.calls } else { &mut message.invalid_calls };
            calls.push(call(made));
        }
    }
    message.usage = reply.usage.map(|usage| usage.context());
    message.provider = Some(reply.provider.as_ref().into());
    message
}

fn tool_result(result: &ToolResult) -> ChatMessage<'_> {
    let mut message = ChatMessage::new(Role::Tool, plain_content(&result.content));
    message.name = Some(result.tool.as_ref().into());
    message.answers = Some(result.call_id.as_ref().into());
    message
}

/// A string for what is at most one text, else a list.
fn plain_content(content: &transcript::Content) -> Content<'_> {
    match content.blocks.as_slice() {
        [] => Content::Text(Vec::new()),
        [Block::Text(text)] => Content::Text(vec![text.into()]),
        blocks => Content::Parts(blocks.iter().map(part).collect()),
    }
}

fn text(block: &Block) -> Option<Measured<'_>> {
    match block {
        Block::Text(text) => Some(text.into()),
        _ => None,
    }
}

fn part(block: &Block) -> Part<'_> {
    match block {
        Block::Text(text) => Part::Text(text.into()),
        Block::Thinking { text, signature, .. } => {
            Part::Thinking { text: text.as_str().into(), signature: signature.as_deref().map(Into::into) }
        }
        Block::ToolCall(made) => Part::ToolUse(call(made)),
        Block::Image(image) => Part::Image(Image::Inline {
            data: image.data.as_ref().into(),
            media_type: image.media_type.as_ref().into(),
        }),
        Block::Other(json) => Part::Other(json.as_str().into()),
    }
}

fn call(made: &ToolCall) -> Call<'_> {
    Call { id: made.id.as_ref().into(), name: made.name.as_str().into(), arguments: made.arguments.as_str().into() }
}

/// Whether the arguments are a JSON object: other calls are invalid ones.
pub(super) fn is_object(made: &ToolCall) -> bool {
    made.arguments.as_str().trim_start().starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::{Dialect, from_transcript};
    use crate::engine::langchain::{Content, Estimator, Measure, Part};
    use crate::transcript::{self, Block, JsonText, Message, Reply, StopReason, Text, ToolCall, Usage};

    fn reply() -> Message {
        let call = ToolCall {
            id: "c1".into(),
            name: Text::from("ls").into(),
            arguments: JsonText::new(r#"{"p":"a"}"#).unwrap(),
        };
        let thinking = Block::Thinking { text: "hm".into(), signature: Some("s".into()), redacted: false };
        let blocks = vec![thinking, Block::Text("ok".into()), Block::ToolCall(call)];
        let usage = Usage { input: 10, output: 5, ..Usage::default() };
        let reply = Reply {
            api: "openai-completions".into(),
            provider: "openai".into(),
            model: "m".into(),
            stop: StopReason::ToolUse,
            usage: Some(usage),
            error: None,
        };
        Message::Assistant(transcript::Content { blocks, plain: false }, Box::new(reply))
    }

    #[test]
    fn a_plain_reply_is_a_string_beside_its_calls() {
        let recorded = reply();
        let message = from_transcript(&recorded, Dialect::Plain).unwrap();
        assert_eq!((message.content.joined(""), message.calls.len(), message.usage.unwrap().0), ("ok".into(), 1, 15));
        // "ok" and "assistant" 11, and [{'name': 'ls', 'args': {'p': 'a'}, 'id': 'c1', 'type': 'tool_call'}] 69.
        assert_eq!(Measure::of(&message).chars, 80);
        assert_eq!(Estimator::DEFAULT.of(&message).0, 23);
    }

    #[test]
    fn a_reply_in_blocks_is_counted_by_its_blocks() {
        let recorded = reply();
        let message = from_transcript(&recorded, Dialect::Blocks).unwrap();
        let Content::Parts(parts) = &message.content else { panic!("a list") };
        assert!(matches!(parts.as_slice(), [Part::Thinking { .. }, Part::Text(_), Part::ToolUse(_)]));
        // {'type': 'thinking', 'thinking': 'hm', 'signature': 's'} 56,
        // {'type': 'tool_use', 'id': 'c1', 'name': 'ls', 'input': {'p': 'a'}} 67, "ok" and "assistant" 11.
        assert_eq!(Measure::of(&message).chars, 134);
    }
}
