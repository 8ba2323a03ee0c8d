//! What of a message reaches the provider.
//!
//! The forms are those of the recording agent, Pi, whose golden answers (`tests/golden/pi`, `as_sent`) check their
//! lengths: a shell command, an extension's text and a summary go out as user text.

use std::borrow::Cow;
use std::fmt::Write;

use super::{Bash, Block, Content, Image, Message, System, Text};

/// Words around a summary, by which the model knows that it is one: part of the format that is sent.
const COMPACTION: [&str; 2] = [
    "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
    "\n</summary>",
];
const BRANCH: [&str; 2] =
    ["The following is a summary of a branch that this conversation came back from:\n\n<summary>\n", "</summary>"];

/// The user text that a message becomes, for kinds that become one. `None`: never sent, or not user text.
pub fn user_text(message: &Message) -> Option<Cow<'_, str>> {
    match message {
        Message::User(content) => Some(joined_text(content)),
        Message::Custom(custom) => Some(joined_text(&custom.content)),
        Message::Bash(bash) if bash.excluded => None,
        Message::Bash(bash) => Some(Cow::Owned(ran(bash))),
        Message::BranchSummary(summary) => Some(Cow::Owned(wrapped(BRANCH, summary))),
        Message::CompactionSummary(summary) => Some(Cow::Owned(wrapped(COMPACTION, summary))),
        Message::Assistant(..) | Message::ToolResult(_) | Message::System(_) => None,
    }
}

fn wrapped([before, after]: [&str; 2], summary: &Text) -> String {
    format!("{before}{}{after}", summary.as_str())
}

fn ran(bash: &Bash) -> String {
    let mut text = format!("Ran `{}`\n", bash.command.as_str());
    if bash.output.is_empty() {
        text.push_str("(no output)");
    } else {
        text.push_str("```\n");
        text.push_str(bash.output.as_str());
        text.push_str("\n```");
    }
    match bash.exit_code {
        _ if bash.cancelled => text.push_str("\n\n(command cancelled)"),
        Some(code) if code != 0 => {
            let _ = write!(text, "\n\nCommand exited with code {code}");
        }
        _ => {}
    }
    if let Some(path) = bash.full_output_path.as_deref().filter(|_| bash.truncated) {
        let _ = write!(text, "\n\n[Output truncated. Full output: {path}]");
    }
    text
}

/// The text blocks of a content, joined without separator.
pub fn joined_text(content: &Content) -> Cow<'_, str> {
    let mut texts = content.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        _ => None,
    });
    let Some(first) = texts.next() else { return Cow::Borrowed("") };
    let rest: String = texts.collect();
    if rest.is_empty() { Cow::Borrowed(first) } else { Cow::Owned([first, &rest].concat()) }
}

/// A part of a message that is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Part<'m> {
    /// Text that is tokenized on its own.
    Text(Cow<'m, str>),
    /// A picture.
    Image(&'m Image),
}

/// Whether a message is sent at all: failed replies and commands marked as excluded are not.
pub fn is_sent(message: &Message) -> bool {
    match message {
        Message::Assistant(_, reply) => !reply.failed(),
        Message::Bash(bash) => !bash.excluded,
        _ => true,
    }
}

/// Calls `each` with every part of a message that is sent, in order. Ids, signatures and data for a user interface are
/// not sent as text.
pub fn sent_parts<'m>(message: &'m Message, mut each: impl FnMut(Part<'m>)) {
    if !is_sent(message) {
        return;
    }
    match message {
        Message::Bash(_) | Message::BranchSummary(_) | Message::CompactionSummary(_) => {
            each(Part::Text(user_text(message).unwrap_or_default()));
        }
        Message::System(system) => {
            let System { content, sections, tools_added } = &**system;
            each(Part::Text(Cow::Borrowed(content.as_str())));
            for (_, text) in sections {
                each(Part::Text(Cow::Borrowed(text.as_str())));
            }
            if let Some(tools) = tools_added {
                each(Part::Text(Cow::Borrowed(tools.as_str())));
            }
        }
        _ => message.blocks().iter().for_each(|block| block_parts(block, &mut each)),
    }
}

fn block_parts<'m>(block: &'m Block, each: &mut impl FnMut(Part<'m>)) {
    let text = |text: &'m str| Part::Text(Cow::Borrowed(text));
    match block {
        Block::Text(said) | Block::Thinking { text: said, .. } => each(text(said.as_str())),
        Block::ToolCall(call) => {
            each(text(call.name.as_str()));
            each(text(call.arguments.as_str()));
        }
        Block::Image(image) => each(Part::Image(image)),
        Block::Other(raw) => each(text(raw.as_str())),
    }
}
