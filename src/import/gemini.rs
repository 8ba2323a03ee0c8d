//! Gemini CLI sessions: one document with `messages`, or (0.40 and later) JSON Lines of a header, messages and `$set`
//! patches, where a message that is written again replaces the earlier writing.
//!
//! A reply holds the results of its tool calls: they become entries of their own. Usage is Google's: `input` includes
//! `cached`, and `output` excludes `thoughts`. Messages of type `info`, `error` and `warning` are for the screen only
//! and are notes. In one document an entry's line is the ordinal of its message, from 1.

mod message;

use std::collections::{HashMap, HashSet};

use super::chain::{Chain, Stamp};
use super::document::Document;
use super::place::{Place, Report};
use super::rows::{self, Rows};
use super::source::Source;
use super::value::{Object, Value};
use super::{Confidence, FindingKind, ImportError, Imported};
use crate::transcript::json::read::Reader;
use crate::transcript::{EntryKind, JsonText, Message, Meta};

const EXPECTED: &str = "the session of Gemini CLI: an object with `sessionId` and `projectHash`";
/// Fields of the header that are kept beside id and start.
const KEPT: &[&str] = &["projectHash", "lastUpdated", "kind", "summary", "directories"];

/// Sure of a header with a project hash.
pub(super) fn sniff(head: &[u8]) -> Confidence {
    let text = String::from_utf8_lossy(head);
    let fields = Value::unchecked(&text, 0).object();
    if fields.has("sessionId") && fields.has("projectHash") {
        return Confidence::Sure;
    }
    let of_type = |fields: &Object<'_>| fields.text("type").as_deref() == Some("gemini") && fields.has("content");
    let any = text.lines().take(20).any(|line| of_type(&Value::unchecked(line, 0).object()));
    if any { Confidence::Maybe } else { Confidence::No }
}

/// Reads a session of either dialect.
///
/// # Errors
/// When the file is empty, is not text, or is no session.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let mut file = File::default();
    if rows::several(bytes) {
        rows::read(&mut Source::bytes(bytes), &mut file)?;
    } else {
        let document = Document::read(bytes, EXPECTED)?;
        let fields = document.value().object();
        file.header(0, &fields);
        for (index, message) in fields.items("messages").into_iter().enumerate() {
            file.message(index + 1, message);
        }
        let mut all = file.finish()?;
        document.close(&mut all);
        return Ok(all);
    }
    file.finish()
}

/// One record in the order of the file, with its line and its byte.
enum Row {
    Message(usize, usize, String),
    /// Back to before the message of this id.
    Rewind(usize, usize, Box<str>),
    Note(usize, usize, &'static str, String),
    /// The list of messages anew, by their ids.
    Anew(usize, usize, Vec<Box<str>>),
}

/// A file as it is read: messages stay text until their last writing is known.
#[derive(Default)]
struct File {
    meta: Option<Meta>,
    rows: Vec<Row>,
    by_id: HashMap<Box<str>, usize>,
    report: Report,
}

impl Rows for File {
    const BEGINS: &'static [&'static str] = &["{\"id\":", "{\"sessionId\":", "{\"$set\":"];

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    type Record<'l> = Value<'l>;

    fn parse<'l>(text: &'l str, reader: &mut Reader<'l>) -> Result<Value<'l>, String> {
        rows::object(text, reader)
    }

    fn take(&mut self, at: Place, _: &str, value: Value<'_>) {
        self.line(at.line(), value.in_record(at));
    }
}

impl File {
    fn line(&mut self, line: usize, value: Value<'_>) {
        let fields = value.object();
        if fields.has("sessionId") && !fields.has("type") {
            self.header(line, &fields);
            for message in fields.items("messages") {
                self.message(line, message);
            }
        } else if let Some(patch) = fields.get("$set") {
            if let Some(messages) = patch.object().get("messages") {
                self.anew(line, value, messages);
            }
            self.rows.push(Row::Note(line, value.at(), "$set", value.raw().to_owned()));
        } else if let Some(id) = fields.boxed("$rewindTo") {
            self.rows.push(Row::Rewind(line, value.at(), id));
        } else {
            self.message(line, value);
        }
    }

    /// Reads a patch of the messages, which is the whole list anew. What has no id cannot be told from what was there before.
    fn anew(&mut self, line: usize, patch: Value<'_>, messages: Value<'_>) {
        let list = messages.items();
        let id = |message: &Value<'_>| message.object().boxed("id");
        let (named, nameless): (Vec<_>, Vec<_>) = list.into_iter().partition(|message| id(message).is_some());
        let ids = named.iter().filter_map(id).collect();
        named.into_iter().for_each(|message| self.message(line, message));
        if messages.is_list() && nameless.is_empty() {
            return self.rows.push(Row::Anew(line, patch.at(), ids));
        }
        let left_out = nameless.len();
        self.report.counts.left_out += left_out;
        let fault = format!(
            "`messages` anew that is no list of messages with ids: nothing was taken back, {left_out} messages left out"
        );
        self.report.late(line, FindingKind::BadField, &fault);
    }

    fn header(&mut self, line: usize, fields: &Object<'_>) {
        if self.meta.is_some() {
            self.report.late(line, FindingKind::ExtraHeader, "a second header; left out");
            self.report.counts.left_out += 1;
            return;
        }
        if !fields.has("sessionId") {
            return;
        }
        let kept = KEPT.iter().filter_map(|key| Some(format!("\"{key}\":{}", fields.get(key)?.raw())));
        let kept: Vec<String> = kept.collect();
        self.meta = Some(Meta {
            id: fields.boxed("sessionId").unwrap_or_default(),
            timestamp: fields.boxed("startTime"),
            extra: JsonText::new(format!("{{{}}}", kept.join(","))),
            ..Meta::default()
        });
    }

    /// A message, or another writing of it.
    fn message(&mut self, line: usize, value: Value<'_>) {
        let new = Row::Message(line, value.at(), value.raw().to_owned());
        match value.object().boxed("id").map(|id| (self.by_id.get(&id).copied(), id)) {
            Some((Some(at), _)) => {
                // The place in the conversation is that of the first writing.
                let first = if let Row::Message(first, ..) = &self.rows[at] { *first } else { line };
                self.rows[at] = Row::Message(first, value.at(), value.raw().to_owned());
            }
            Some((None, id)) => {
                self.by_id.insert(id, self.rows.len());
                self.rows.push(new);
            }
            None => self.rows.push(new),
        }
    }

    fn finish(self) -> Result<Vec<Imported>, ImportError> {
        let messages = self.rows.iter().any(|row| matches!(row, Row::Message(..)));
        if self.meta.is_none() && !messages {
            let first = self.report.findings.first();
            let found = first.map_or_else(|| "no record of one".to_owned(), |first| first.message.clone());
            return Err(ImportError::NoRecord { line: first.map_or(1, |first| first.line), expected: EXPECTED, found });
        }
        let mut chain = Chain::default();
        chain.report = self.report;
        match self.meta {
            Some(meta) => chain.transcript.meta = meta,
            None => chain.fault(0, FindingKind::MissingHeader, "no header (`sessionId` and `projectHash`)"),
        }
        for row in self.rows {
            match row {
                Row::Message(line, at, raw) => message::push(&mut chain, line, Value::unchecked(&raw, at)),
                Row::Note(line, at, kind, raw) => {
                    chain.here = Some(at);
                    chain.note(line, Stamp::default(), kind, Value::unchecked(&raw, at));
                }
                Row::Rewind(line, at, id) => {
                    chain.here = Some(at);
                    rewind(&mut chain, line, &id);
                }
                Row::Anew(line, at, ids) => {
                    chain.here = Some(at);
                    leave(&mut chain, line, &ids);
                }
            }
        }
        Ok(vec![chain.finish(None)])
    }
}

/// What follows hangs on the entry before the message `id`: the messages from it on become a branch that was left.
fn rewind(chain: &mut Chain, line: usize, id: &str) {
    if let Some(at) = chain.transcript.entries.iter().position(|entry| &*entry.id == id) {
        chain.tip = chain.transcript.entries[at].parent.map(|parent| parent.0);
    } else {
        let message = format!("a rewind to `{id}`, which is not in the file; nothing was taken back");
        chain.fault(line, FindingKind::MissingTarget, message);
    }
}

/// Leaves the messages of the path that are not among `ids`: they are no longer in the session. Those that the list has
/// behind the first one that it lacks stay with it on the branch that was left, and so do those that an earlier list had left;
/// both are reported.
fn leave(chain: &mut Chain, line: usize, list: &[Box<str>]) {
    let ids: HashSet<&str> = list.iter().map(|id| &**id).collect();
    let entries = &chain.transcript.entries;
    let parent = |at: &usize| entries[*at].parent.map(|parent| parent.0);
    let path: Vec<usize> = std::iter::successors(chain.tip, parent).collect();
    // Results have ids that the file does not know, and follow their reply.
    let own = |at: usize| match &entries[at].kind {
        EntryKind::Message(Message::User(_) | Message::Assistant(..)) => Some(&*entries[at].id),
        _ => None,
    };
    let on_path: HashSet<&str> = path.iter().map(|&at| &*entries[at].id).collect();
    let again = ids.iter().filter(|id| !on_path.contains(*id)).count();
    let lacks = |at: &usize| own(*at).is_some_and(|id| !ids.contains(id));
    let mut lost = 0;
    if let Some(first) = path.iter().rposition(lacks) {
        lost = path[..first].iter().filter(|&&at| own(at).is_some_and(|id| ids.contains(id))).count();
        chain.tip = parent(&path[first]);
    }
    if lost > 0 {
        let message =
            format!("a list of messages anew that lacks one in the middle: {lost} behind it are left out too");
        chain.fault(line, FindingKind::MissingTarget, message);
    }
    if again > 0 {
        let message =
            format!("a list of messages anew with {again} that are no longer on the branch: they stay left out");
        chain.fault(line, FindingKind::MissingTarget, message);
    }
}
