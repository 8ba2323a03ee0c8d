//! Contexts for tests, in one line: `u10 A20 r30 | a5=900`.
//!
//! A word is a kind and its estimate: `u` user, `a` reply, `A` reply with one call, `x` stopped reply, `e` failed reply,
//! `r` result of the newest call, `h` a record without a message, `s` a summary that a strategy made. `=900` after a reply
//! is its reported usage, and `|` the place of a compaction.

use super::view::{ContextView, Item};
use crate::transcript::{
    Block, Content, Entry, EntryIdx, EntryKind, JsonText, Message, Reply, StopReason, Text, Tokens, ToolCall,
    ToolResult, Transcript,
};

/// A context, and the records behind it.
pub(crate) struct Sketch {
    pub(crate) transcript: Transcript,
    words: Vec<Word>,
}

struct Word {
    kind: char,
    estimate: u64,
    usage: Option<u64>,
}

fn text(said: &str) -> Content {
    Content { blocks: vec![Block::Text(Text::from(said))], plain: false }
}

/// A user message.
pub(crate) fn user(said: &str) -> Message {
    Message::User(text(said))
}

/// A result of the call `id`.
pub(crate) fn result(id: &str, said: &str) -> Message {
    let (call_id, tool) = (id.into(), "read".into());
    let content = text(said);
    Message::ToolResult(Box::new(ToolResult {
        call_id,
        tool,
        content,
        is_error: false,
        details: None,
        nested_calls: None,
    }))
}

/// A reply, with calls as (id, tool, arguments).
pub(crate) fn reply(said: &str, calls: &[(&str, &str, &str)], stop: StopReason) -> Message {
    let mut content = text(said);
    for &(id, name, arguments) in calls {
        let arguments = JsonText::new(arguments).unwrap();
        content.blocks.push(Block::ToolCall(ToolCall { id: id.into(), name: Text::from(name).into(), arguments }));
    }
    let (api, provider, model) = ("api".into(), "provider".into(), "model".into());
    Message::Assistant(content, Box::new(Reply { api, provider, model, stop, usage: None, error: None }))
}

/// A session of messages, one after the other.
pub(crate) fn session(messages: impl IntoIterator<Item = Option<Message>>) -> Transcript {
    let mut transcript = Transcript::default();
    for (index, message) in messages.into_iter().enumerate() {
        let raw = JsonText::new("{}").unwrap();
        let kind = message.map_or_else(|| EntryKind::Note { kind: "note".into(), raw }, EntryKind::Message);
        transcript.entries.push(Entry {
            id: format!("e{index}").into(),
            parent: index.checked_sub(1).map(EntryIdx),
            line: index + 2,
            timestamp: None,
            message_time_ms: None,
            kind,
            extra: None,
        });
    }
    transcript
}

impl Sketch {
    pub(crate) fn new(line: &str) -> Self {
        let mut words = Vec::new();
        for word in line.split_whitespace() {
            let (kind, rest) = word.split_at(1);
            let (estimate, usage) =
                rest.split_once('=').map_or((rest, None), |(estimate, usage)| (estimate, Some(usage)));
            words.push(Word {
                kind: kind.parse().unwrap(),
                estimate: estimate.parse().unwrap_or(0),
                usage: usage.map(|usage| usage.parse().unwrap()),
            });
        }
        let mut calls = 0;
        let message = |word: &Word| match word.kind {
            'u' => Some(user("u")),
            'a' => Some(reply("a", &[], StopReason::Stop)),
            'x' => Some(reply("x", &[], StopReason::Aborted)),
            'e' => Some(reply("e", &[], StopReason::Error)),
            'A' => {
                calls += 1;
                Some(reply("A", &[(&format!("c{calls}"), "read", r#"{"path":"a"}"#)], StopReason::ToolUse))
            }
            'r' => Some(result(&format!("c{calls}"), "r")),
            _ => None,
        };
        let transcript = session(words.iter().map(message));
        Self { transcript, words }
    }

    pub(crate) fn view(&self) -> ContextView<'_> {
        let mut view = ContextView::new(&self.transcript, None);
        for (index, word) in self.words.iter().enumerate() {
            let item = match word.kind {
                '|' => Item::boundary(),
                's' => Item::made(Message::CompactionSummary(Text::from("s"))),
                _ => Item::entry(&self.transcript, EntryIdx(index)),
            };
            view.push(item, Tokens(word.estimate));
            if let Some(usage) = word.usage {
                view.anchor_last(Tokens(usage));
            }
        }
        view
    }
}
