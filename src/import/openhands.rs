//! `OpenHands`: `output.jsonl` of its evaluations, its event streams, and the events of its SDK (V1).
//!
//! A line with a `history` is an instance, a session of its own whose name is the `instance_id`; other lines are the
//! events of one session. The line of an entry is that of the file: all entries of an instance share it, and their ids
//! are those of the events. A file that is one document, a list of events or one instance, has line 1.
//!
//! Counting: usage comes once per response id, from `metrics.token_usages` or from the response itself; SDK events have
//! running sums only, of which the difference belongs to the reply that follows, or to the last one if that has none
//! yet. Prompt figures include what was read from and written to a cache. Usage of a reply that is not among the events
//! is a finding.
//!
//! What the model was shown is what `content` holds, and for a command also the lines that `OpenHands` puts after it
//! (folder, interpreter, exit code), which the record keeps apart. Words that its prompt templates add around recalled
//! knowledge are not recorded. Actions of agents without tool calls become calls whose id is made from the event.
//!
//! A condensation is a compaction that keeps what follows the last forgotten event; events before it that a condenser
//! kept (`keep_first`) are written out as its `replacement`.

mod action;
mod event;
mod instance;
mod observation;
mod sdk;
mod sniff;
mod usage;

use self::event::Events;
pub(super) use self::sniff::sniff;
use super::chain::Chain;
use super::document::Document;
use super::finding::share;
use super::place::{Place, Report};
use super::source::Source;
use super::value::Value;
use super::{FindingKind, ImportError, Imported, rows};
use crate::transcript::json::read::Reader;

const EXPECTED: &str = "events of OpenHands, or instances with a `history`";

/// Reads one transcript per instance, or the one session whose events the file holds.
///
/// # Errors
/// When the file is empty, is not text, or holds no event.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    if is_document(bytes) {
        return document(bytes);
    }
    let mut builder = Sessions::default();
    rows::read(&mut Source::bytes(bytes), &mut builder)?;
    // A single line that ends early is a document that ends early.
    builder.finish().or_else(|error| document(bytes).map_err(|_| error))
}

/// Whether the file is a list, or one object over several lines.
fn is_document(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let parses = |bytes: &[u8]| serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok();
    text.starts_with(b"[") || text.starts_with(b"{") && !parses(first) && first.len() < text.len() && parses(text)
}

fn document(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let document = Document::read(bytes, EXPECTED)?;
    let mut builder = Sessions::default();
    let value = document.value();
    let items = if value.is_list() { value.items() } else { vec![value] };
    for item in items {
        builder.record(1, item);
    }
    let mut read = builder.finish()?;
    document.close(&mut read);
    Ok(read)
}

/// The sessions of a file.
#[derive(Default)]
struct Sessions {
    instances: Vec<Imported>,
    /// Events that stand on lines of their own.
    events: Events,
    report: Report,
}

impl Sessions {
    /// Takes an instance or an event.
    fn record(&mut self, line: usize, value: Value<'_>) {
        if instance::is(value) {
            self.instances.push(instance::read(line, value));
        } else {
            self.events.take(line, value);
        }
    }

    fn finish(mut self) -> Result<Vec<Imported>, ImportError> {
        let loose = self.events.finish(None);
        if !loose.transcript.entries.is_empty() || !loose.findings.is_empty() {
            self.instances.push(loose);
        }
        let known = |one: &Imported| {
            let note = |kind: &_| matches!(kind, crate::transcript::EntryKind::Note { .. });
            one.transcript.head.system.is_some() || one.transcript.entries.iter().any(|entry| !note(&entry.kind))
        };
        if !self.instances.iter().any(known) {
            let found =
                self.report.findings.first().map_or_else(|| "no event".to_owned(), |fault| fault.message.clone());
            let line = self.report.findings.first().map_or(1, |fault| fault.line);
            return Err(ImportError::NoRecord { line, expected: EXPECTED, found });
        }
        if let Some(first) = self.instances.first_mut() {
            first.lines = self.report.counts;
        }
        share(self.report.findings, &mut self.instances);
        Ok(self.instances)
    }
}

impl rows::Rows for Sessions {
    const BEGINS: &'static [&'static str] = &["{\"instance_id\":", "{\"id\":", "{\"kind\":"];

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    type Record<'l> = Value<'l>;

    fn parse<'l>(text: &'l str, reader: &mut Reader<'l>) -> Result<Value<'l>, String> {
        rows::object(text, reader)
    }

    fn take(&mut self, at: Place, _: &str, value: Value<'_>) {
        self.record(at.line(), value.in_record(at));
    }
}

/// The text of a string in the record, empty when it is missing.
fn said(chain: &mut Chain, line: usize, value: Option<Value<'_>>, name: &str) -> Box<str> {
    value.and_then(Value::boxed).unwrap_or_else(|| {
        chain.fault(line, FindingKind::BadField, format!("`{name}` is missing or no string; read as empty"));
        "".into()
    })
}
