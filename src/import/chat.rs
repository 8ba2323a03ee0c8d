//! Chat-completions lists in the manner of OpenAI, and what carries them.
//!
//! One document: a bare list of messages; a request body (`messages`, `tools`, `model`); a log entry of `LiteLLM` or of
//! a similar gateway, whose `response` is the last message; a wrapped request (`request.messages`); a list of such
//! records or of tau-bench dialogues (`traj`); tau2 results (`simulations`); a sequence of request bodies (`requests`, each
//! with its time `at_s` in seconds, in this form or in Anthropic's). JSON Lines: a record or a bare list a line, or one message a line. Each record is a
//! session of its own, named after its id; of a log in which requests repeat the conversation, those of one conversation are
//! one session, with the usage of every reply.
//!
//! In one document an entry's line is the ordinal of its message, from 1. The first system prompt and the schemas go to
//! the head. Usage is OpenAI's: the prompt figure includes what came from the cache.

mod body;
mod carrier;
pub(super) mod content;
mod fold;
pub(super) mod message;
pub(super) mod responses;
pub(super) mod usage;

use std::collections::HashSet;

use self::carrier::Session;
use super::chain::Chain;
use super::document::Document;
use super::finding::share;
use super::place::{Place, Report};
use super::rows::{self, Rows};
use super::source::Source;
use super::spelling::digest;
use super::value::Value;
use super::{Confidence, Finding, FindingKind, ImportError, Imported};
use crate::transcript::json::read::Reader;

/// Lines looked at to tell the format.
const LINES: usize = 5;
const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool", "function"];
const EXPECTED: &str = "a list of messages with roles, or records that carry one";

/// Sure of a record that carries messages with one of OpenAI's own marks (a system message in the list, `tool_calls`, a
/// `tool` role, `choices`, tau-bench's `traj`); other messages with roles are a maybe. Blocks of Anthropic's kind are
/// none.
pub(super) fn sniff(head: &[u8]) -> Confidence {
    let text = super::lines::lossy(head);
    let mut best = judge(Value::unchecked(&text, 0));
    if best == Confidence::No {
        for line in text.lines().take(LINES) {
            best = best.max(judge(Value::unchecked(line, 0)));
        }
    }
    best
}

fn judge(value: Value<'_>) -> Confidence {
    let (records, first) = if value.is_list() { (value.items(), true) } else { (vec![value], false) };
    let mut best = Confidence::No;
    for record in records.iter().take(LINES) {
        let fields = record.object();
        let bare = fields.text("role").is_some_and(|role| ROLES.contains(&&*role)) && fields.has("content");
        if bare {
            return if first { bare_list(&records) } else { Confidence::Maybe };
        }
        if !fields.items("simulations").is_empty() || carrier::bodies(&fields).is_some() {
            return Confidence::Sure;
        }
        let Some(list) = carrier::messages(&fields) else { continue };
        best = best.max(match bare_list(&list) {
            Confidence::Maybe if fields.has("traj") || !fields.object("response").items("choices").is_empty() => {
                Confidence::Sure
            }
            // Anthropic's bodies keep the system prompt beside the messages.
            Confidence::Maybe if fields.has("system") || fields.has("anthropic_version") => Confidence::No,
            other => other,
        });
    }
    best
}

/// What a list of messages looks like. A role that nobody knows is no reason to refuse the others.
fn bare_list(list: &[Value<'_>]) -> Confidence {
    let (mut best, mut unknown, mut known) = (Confidence::No, 0, 0);
    for fields in list.iter().take(50).map(|message| message.object()) {
        let role = fields.text("role").unwrap_or_default();
        let foreign = |block: &Value<'_>| {
            let kind = block.object().boxed("type").unwrap_or_default();
            matches!(&*kind, "tool_use" | "tool_result" | "functionCall")
        };
        let calls = fields.items("tool_calls");
        // LangChain's calls have `args`.
        let foreign_call = calls.iter().any(|call| call.object().has("args"));
        if foreign_call || fields.items("content").iter().any(foreign) {
            return Confidence::No;
        }
        if !ROLES.contains(&&*role) {
            unknown += 1;
            continue;
        }
        known += 1;
        let calls = calls.iter().any(|call| call.object().has("function"));
        let ours = matches!(&*role, "system" | "developer") || calls || fields.has("tool_call_id");
        best = best.max(if ours { Confidence::Sure } else { Confidence::Maybe });
    }
    if unknown < known { best } else { Confidence::No }
}

/// Reads every session of a file.
///
/// # Errors
/// When the file is empty, is not text, or no message is in it.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let mut file = File::default();
    if rows::several(bytes) {
        file.is_log = true;
        rows::read(&mut Source::bytes(bytes), &mut file)?;
    } else {
        let document = Document::read(bytes, EXPECTED)?;
        file.document(document.value());
        let mut all = file.finish()?;
        document.close(&mut all);
        return Ok(all);
    }
    file.finish()
}

/// A file as it is read.
#[derive(Default)]
struct File {
    sessions: Vec<Session>,
    /// The session of a file with one message a line.
    messages: Option<Chain>,
    report: Report,
    /// One record a line.
    is_log: bool,
    /// The answers so far: their ids, and digests of their spelling.
    answers: HashSet<(Box<str>, u64)>,
}

impl Rows for File {
    const BEGINS: &'static [&'static str] = &["{\"messages\":", "{\"role\":", "{\"request\":"];

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    type Record<'l> = Value<'l>;

    fn parse<'l>(text: &'l str, reader: &mut Reader<'l>) -> Result<Value<'l>, String> {
        rows::value(text, reader)
    }

    fn take(&mut self, at: Place, _: &str, value: Value<'_>) {
        self.line(at.line(), value.in_record(at));
    }
}

impl File {
    /// One document.
    fn document(&mut self, value: Value<'_>) {
        if !value.is_list() {
            let fields = value.object();
            if let Some(bodies) = carrier::bodies(&fields) {
                bodies.into_iter().for_each(|one| self.add(body::body(one), one, None));
                return;
            }
            let several = fields.get("simulations").map_or_else(|| vec![value], Value::items);
            several.into_iter().for_each(|record| self.one(record, None));
            return;
        }
        let items = value.items();
        if items.iter().any(|item| item.object().has("role")) {
            self.sessions.push(Session { imported: carrier::bare(&items, None), name: None });
            return;
        }
        for item in items {
            self.one(item, None);
        }
    }

    /// One line.
    fn line(&mut self, line: usize, value: Value<'_>) {
        if value.object().has("role") {
            let chain = self.messages.get_or_insert_with(Chain::default);
            message::push(chain, line, value, message::Around::default());
            return;
        }
        // One answer is one call, however often it was logged.
        let response = value.object().get("response");
        let answer = response.and_then(|response| {
            Some((response.object().boxed("id").filter(|id| !id.is_empty())?, digest(response.raw())))
        });
        if answer.is_some_and(|answer| !self.answers.insert(answer)) {
            let message = "an answer that was read before, with the same id; left out".to_owned();
            let (kind, offset) = (FindingKind::DuplicateId, Some(value.at()));
            self.report.findings.push(Finding { line, last_line: line, offset, column: None, kind, message });
            self.report.counts.left_out += 1;
            return;
        }
        self.one(value, Some(line));
    }

    /// One record, or a list of messages.
    fn one(&mut self, value: Value<'_>, line: Option<usize>) {
        let session = if value.is_list() {
            let items = value.items();
            let any = items.iter().any(|item| item.object().has("role"));
            any.then(|| Session { imported: carrier::bare(&items, line), name: None })
        } else {
            carrier::record(&value.object(), line)
        };
        self.add(session, value, line);
    }

    /// What became of a record.
    fn add(&mut self, session: Option<Session>, record: Value<'_>, line: Option<usize>) {
        match session {
            Some(session) => self.sessions.push(session),
            None => self.without_messages(record, line),
        }
    }

    fn without_messages(&mut self, value: Value<'_>, line: Option<usize>) {
        let at = line.unwrap_or(1);
        let keys: Vec<String> = value.object().0.iter().take(6).map(|(key, _)| key.to_string()).collect();
        let message = format!("a record without messages (its fields: {}); left out", keys.join(", "));
        let offset = Some(value.at());
        let kind = FindingKind::UnknownKind;
        self.report.findings.push(Finding { line: at, last_line: at, offset, column: None, kind, message });
        self.report.counts.left_out += usize::from(line.is_some());
    }

    /// The sessions, named where there are several. Findings of the file stand with the first.
    fn finish(mut self) -> Result<Vec<Imported>, ImportError> {
        if let Some(chain) = self.messages.take() {
            self.sessions.insert(0, Session { imported: chain.finish(None), name: None });
        }
        // In one document the records are dialogues, or requests of which each is wanted.
        if self.is_log {
            self.sessions = fold::fold(std::mem::take(&mut self.sessions));
        }
        let several = self.sessions.len() > 1;
        let mut taken = HashSet::new();
        let mut all: Vec<Imported> = Vec::with_capacity(self.sessions.len());
        for (index, Session { mut imported, name }) in self.sessions.into_iter().enumerate() {
            if several {
                imported.part = Some(free(&name.unwrap_or_else(|| (index + 1).to_string().into()), &mut taken));
            }
            all.push(imported);
        }
        if all.is_empty() {
            let first = self.report.findings.first();
            let found = first.map_or_else(|| "none".to_owned(), |first| first.message.clone());
            let line = first.map_or(1, |first| first.line.max(1));
            return Err(if found == "none" {
                ImportError::Empty
            } else {
                ImportError::NoRecord { line, expected: EXPECTED, found }
            });
        }
        all[0].lines = self.report.counts;
        share(self.report.findings, &mut all);
        Ok(all)
    }
}

/// `name`, or the next form of it that is not taken.
fn free(name: &str, taken: &mut HashSet<Box<str>>) -> Box<str> {
    let mut free: Box<str> = name.into();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = format!("{name}-{number}").into();
        number += 1;
    }
    free
}
