//! A conversation put together from requests, each of which repeats what went before.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::exchange::{Answer, Exchange, Sent, reply_print};
use crate::import::extra::{Extras, TooDeep, quoted};
use crate::import::slot::Sink;
use crate::transcript::{
    Block, Compaction, Content, Entry, EntryIdx, EntryKind, Head, JsonText, Message, Meta, Reply, StopReason, Text,
    Transcript, Usage, joined_text,
};

/// The field of a reply that holds the marks of its request.
const MARKS: &str = "cache_marks";

/// A message of the current list.
struct Link {
    print: u64,
    /// The last of its entries.
    entry: usize,
}

/// A conversation in the making.
pub(super) struct Session {
    /// Line of the first request, if the file has lines.
    pub(super) line: Option<usize>,
    model: Box<str>,
    head: Head,
    head_print: u64,
    settings: Vec<(Box<str>, Box<str>)>,
    began: Option<Box<str>>,
    entries: Vec<Entry>,
    ids: HashSet<Box<str>>,
    /// The messages of the last request, and its reply if there was one.
    list: Vec<Link>,
    /// How many messages the last request had.
    sent: usize,
    requests: usize,
    /// The entry that the next one follows.
    tail: Option<usize>,
    /// Line and time of the request that is being taken.
    now: (Option<usize>, Option<Box<str>>),
    /// The text of the last reply that did not fail, and its usage.
    reply: Option<(Text, Option<Usage>)>,
    /// Names of tools by the call.
    calls: HashMap<Box<str>, Arc<str>>,
}

impl Session {
    /// A conversation that will begin with `exchange`.
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self {
            line: exchange.line,
            model: exchange.model.clone(),
            head: exchange.head.clone(),
            head_print: exchange.head_print(),
            settings: settings(exchange),
            began: exchange.time.clone(),
            entries: Vec::new(),
            ids: HashSet::new(),
            list: Vec::new(),
            sent: 0,
            requests: 0,
            tail: None,
            now: (None, None),
            reply: None,
            calls: HashMap::new(),
        }
    }

    /// How many messages at the start of a request are those of the last one and its reply.
    fn common(&self, messages: &[Sent]) -> usize {
        self.list.iter().zip(messages).take_while(|(link, sent)| link.print == sent.print).count()
    }

    /// Whether `exchange` goes on with this conversation: it repeats the whole last request, or it turned off at an
    /// earlier reply. One message in common says too little, unless system prompt and tools are the same as well.
    pub(super) fn goes_on(&self, exchange: &Exchange) -> bool {
        let common = self.common(&exchange.messages);
        let same_head = self.head_print == exchange.head_print();
        let repeats = common >= self.sent && (common > 2 || common > 0 && same_head);
        self.model == exchange.model && (repeats || common > 1 && same_head)
    }

    /// The text of its last reply.
    pub(super) fn last_reply(&self) -> Option<&str> {
        self.reply.as_ref().map(|(text, _)| text.as_str())
    }

    /// Whether this is one request that repeats `other` and adds a message. The first message may differ: it is sent
    /// without its reminders when a summary is asked for. So may the last reply, which nobody sent before.
    pub(super) fn asks_about(&self, other: &Self) -> bool {
        let known = other.list.len();
        let same = self.list.iter().zip(&other.list).skip(1).filter(|(own, other)| own.print == other.print).count();
        self.requests == 1 && known > 2 && self.sent == known + 1 && same + 2 >= known
    }

    /// Whether the last message of the person asks for a summary.
    pub(super) fn asked_for_a_summary(&self) -> bool {
        self.instruction().to_ascii_lowercase().contains("summar")
    }

    /// Whether `exchange` could be of this conversation, by its model and its tools: short requests beside the conversation
    /// differ in both.
    pub(super) fn is_like(&self, exchange: &Exchange) -> bool {
        let tools = |head: &Head| head.tools.as_ref().map_or(0, Vec::len);
        self.model == exchange.model && self.list.len() > 2 && tools(&self.head) == tools(&exchange.head)
    }

    /// The last message of the person.
    fn instruction(&self) -> Cow<'_, str> {
        let said = self.entries.iter().rev().find_map(|entry| match &entry.kind {
            EntryKind::Message(Message::User(content)) => Some(joined_text(content)),
            _ => None,
        });
        said.unwrap_or_default()
    }

    /// The compaction for which this session's last request was made, `summary` being what became of its answer.
    pub(super) fn as_compaction(&self, summary: Text) -> (Compaction, (Option<usize>, Option<Box<str>>)) {
        let (answer, usage) = self.reply.clone().unwrap_or_default();
        let field = |name: &str, text: &str| format!("{}:{}", quoted(name), quoted(text));
        let instruction = field("instruction", &self.instruction());
        let details = JsonText::new(format!("{{{instruction},{}}}", field("answer", answer.as_str())));
        (Compaction { summary, details, usage, ..Compaction::default() }, self.now.clone())
    }

    /// Puts a compaction behind the last message; with `own`, behind the one before the request for the summary, which
    /// was made in this session. The next request is a new list.
    pub(super) fn compact(
        &mut self,
        (compaction, now): (Compaction, (Option<usize>, Option<Box<str>>)),
        own: bool,
        sink: &mut Sink,
    ) {
        let back = if own { 2 } else { 0 };
        let last = self.list.len().checked_sub(back + 1).and_then(|at| self.list.get(at));
        self.tail = last.map(|link| link.entry).or(self.tail);
        self.list.clear();
        self.sent = 0;
        self.now = now;
        self.append(EntryKind::Compaction(Box::new(compaction)), None, 0, Extras::default(), sink);
    }

    /// Takes the request: what is new in it, and the answer.
    pub(super) fn take(&mut self, exchange: Exchange, sink: &mut Sink) {
        let Exchange { line, time, model, messages, answer, marks, .. } = exchange;
        self.now = (line, time);
        let common = self.common(&messages);
        // A reply that was sent back with small changes is still the reply.
        let changed =
            self.requests > 0 && common == self.sent && messages.get(common).is_some_and(|next| next.assistant);
        let recorded = if changed { self.list.get(common).map(|link| link.entry) } else { None };
        self.list.truncate(if recorded.is_some() { common + 1 } else { common });
        if let Some(link) = self.list.last() {
            self.tail = Some(link.entry);
        }
        self.sent = messages.len();
        self.requests += 1;
        for (at, message) in messages.into_iter().enumerate().skip(common) {
            match recorded.filter(|_| at == common) {
                Some(entry) => self.update_reply(entry, message),
                None => self.message(message, at, &model, sink),
            }
        }
        if let Some(mut answer) = answer {
            answer.extra.add_json("", MARKS, &marks);
            self.answer(answer, &model, sink);
        }
    }

    /// The reply as it was sent back: that is what the model saw.
    fn update_reply(&mut self, entry: usize, message: Sent) {
        self.note_calls(&message.parts.content);
        if let EntryKind::Message(Message::Assistant(content, _)) = &mut self.entries[entry].kind {
            *content = message.parts.content;
        }
        if let Some(link) = self.list.last_mut() {
            link.print = message.print;
        }
    }

    /// Appends the message at `at`: its tool results first, then what else it says.
    fn message(&mut self, message: Sent, at: usize, model: &str, sink: &mut Sink) {
        let Sent { assistant, parts, mut extra, print } = message;
        if assistant {
            self.note_calls(&parts.content);
            let calls = parts.content.blocks.iter().any(|block| matches!(block, Block::ToolCall(_)));
            let stop = if calls { StopReason::ToolUse } else { StopReason::Stop };
            let reply = reply_of(model, stop, None, None);
            self.append(EntryKind::Message(Message::Assistant(parts.content, reply)), None, at, extra, sink);
        } else {
            let empty = parts.content.blocks.is_empty();
            let results = !parts.results.is_empty();
            for mut result in parts.results {
                result.tool = self.calls.get(&result.call_id).cloned().unwrap_or_default();
                let kind = EntryKind::Message(Message::ToolResult(Box::new(result)));
                self.append(kind, None, at, std::mem::take(&mut extra), sink);
            }
            // Nothing is left of a message that was only the summary.
            let summary = matches!(self.entries.last(), Some(Entry { kind: EntryKind::Compaction(_), .. }));
            if !(empty && (results || summary)) {
                self.append(EntryKind::Message(Message::User(parts.content)), None, at, extra, sink);
            }
        }
        if let Some(entry) = self.tail {
            self.list.push(Link { print, entry });
        }
    }

    fn note_calls(&mut self, content: &Content) {
        for block in &content.blocks {
            if let Block::ToolCall(call) = block {
                self.calls.insert(call.id.clone(), call.name.as_str().into());
            }
        }
    }

    fn answer(&mut self, answer: Answer, model: &str, sink: &mut Sink) {
        let Answer { id, model: by, content, usage, stop, error, extra } = answer;
        self.note_calls(&content);
        let reply = reply_of(by.as_deref().unwrap_or(model), stop.unwrap_or(StopReason::Stop), usage, error);
        let failed = reply.failed();
        let print = reply_print(&content);
        if !failed {
            self.reply = Some((Text::new(joined_text(&content).into_owned()), usage));
        }
        let at = self.list.len();
        self.append(EntryKind::Message(Message::Assistant(content, reply)), id, at, extra, sink);
        let entry = self.entries.len() - 1;
        match self.list.last_mut() {
            // It is not sent again, but what comes next follows it.
            Some(link) if failed => link.entry = entry,
            _ => self.list.push(Link { print, entry }),
        }
    }

    /// Appends an entry of the message at `at`.
    fn append(&mut self, kind: EntryKind, id: Option<Box<str>>, at: usize, extra: Extras, sink: &mut Sink) {
        let extra = extra.json().unwrap_or_else(|TooDeep| {
            sink.bad("`extra` could not be measured as JSON and was left out");
            None
        });
        let id = id.filter(|id| !self.ids.contains(id)).unwrap_or_else(|| format!("e{}", self.entries.len()).into());
        self.ids.insert(id.clone());
        let (line, time) = &self.now;
        let entry = Entry {
            id,
            parent: self.tail.map(EntryIdx),
            line: line.unwrap_or(at + 1),
            timestamp: time.clone(),
            message_time_ms: time.as_deref().and_then(milliseconds),
            kind,
            extra,
        };
        self.tail = Some(self.entries.len());
        self.entries.push(entry);
    }

    /// How many messages it holds.
    pub(super) fn messages(&self) -> usize {
        self.entries.iter().filter(|entry| matches!(entry.kind, EntryKind::Message(_))).count()
    }

    /// The transcript; `name` is its id.
    pub(super) fn finish(self, name: &str) -> Transcript {
        let fields: Vec<String> = self.settings.iter().map(|(key, raw)| format!("{}:{raw}", quoted(key))).collect();
        let extra = (!fields.is_empty()).then(|| format!("{{{}}}", fields.join(",")));
        let meta =
            Meta { id: name.into(), timestamp: self.began, extra: extra.and_then(JsonText::new), ..Meta::default() };
        Transcript { meta, head: self.head, entries: self.entries }
    }
}

/// The other fields of a request for the header, with its model and its marks where no reply can hold them.
fn settings(exchange: &Exchange) -> Vec<(Box<str>, Box<str>)> {
    let mut settings = exchange.settings.clone();
    if exchange.answer.is_none() {
        if !exchange.model.is_empty() {
            settings.push(("model".into(), quoted(&exchange.model).into()));
        }
        if exchange.marks != "[]" {
            settings.push((MARKS.into(), exchange.marks.as_str().into()));
        }
    }
    settings
}

fn reply_of(model: &str, stop: StopReason, usage: Option<Usage>, error: Option<Box<str>>) -> Box<Reply> {
    Box::new(Reply {
        api: "anthropic-messages".into(),
        provider: "anthropic".into(),
        model: model.into(),
        stop,
        usage,
        error,
    })
}

/// Seconds since 1970, as the log writes them, in milliseconds.
fn milliseconds(seconds: &str) -> Option<i64> {
    let seconds: f64 = seconds.parse().ok()?;
    let milliseconds = (seconds * 1000.0).round();
    #[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
    (milliseconds.abs() < 9e15).then_some(milliseconds as i64)
}
