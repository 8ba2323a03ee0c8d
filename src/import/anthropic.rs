//! Requests in the form of Anthropic's Messages API: a request body, or a log of requests with their responses, one a
//! line, as `claude-trace` writes it (`{request, response, logged_at}`).
//!
//! Requests of a log repeat the conversation so far. Those that repeat one another become one transcript, with a branch
//! where one turned off; each reply carries the usage of its own request. Streamed responses are put together from their
//! events. A request that repeats a conversation and asks for its summary becomes a compaction, if a later list begins
//! with the summary, and that list goes on with the transcript. The transcript with most messages comes first.
//!
//! An entry of a log has the line on which it was first sent; an entry of a body has the ordinal of its message, from 1.
//! The id of a reply is that of its response; other entries are numbered. System prompt and tools are those of the
//! first request; its other fields are in the header. Marks for the cache are kept by request (`cache_marks`, a field of the
//! reply). Not kept: what later requests say outside of their messages, and HTTP headers.

mod block;
pub(super) mod content;
mod exchange;
mod log;
mod marks;
mod session;
mod sniff;
mod stream;
pub(super) mod usage;

use self::log::Log;
pub(super) use self::sniff::{is_body, sniff};
use super::document::Document;
use super::object::Rest;
use super::place::Place;
use super::source::Source;
use super::value::Value;
use super::{ImportError, Imported, rows};
use crate::transcript::Entry;

/// What a readable file holds.
const EXPECTED: &str = "a request to the Messages API";

/// Reads a request body or a log of requests.
///
/// # Errors
/// When the file is empty, is not text, or holds no request.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    if rows::several(bytes) {
        let mut log = Log::new(false);
        rows::read(&mut Source::bytes(bytes), &mut log)?;
        return log.finish(EXPECTED);
    }
    let document = match Document::read(bytes, EXPECTED) {
        Ok(document) => document,
        // A log whose first line is damaged is no document either.
        Err(error) => return damaged(bytes).ok_or(error),
    };
    let mut read = request(document.value())?;
    document.close(&mut read);
    Ok(read)
}

/// Reads one request body of a document that holds several. `None`: it has no messages.
pub(super) fn body(value: Value<'_>) -> Option<Imported> {
    request(value).ok()?.pop()
}

/// Reads a document, or a part of one, that is one request. The document knows better on which of its lines findings are.
fn request(value: Value<'_>) -> Result<Vec<Imported>, ImportError> {
    let (mut log, text) = (Log::new(true), value.raw());
    let whole = Place { lines: (1, 1), offset: value.at(), column: 1, straight: usize::MAX };
    log.read(whole, text, Rest::of(text).unwrap_or_default());
    log.report.findings.iter_mut().for_each(|finding| finding.column = None);
    let mut read = log.finish(EXPECTED)?;
    if let [one] = read.as_mut_slice() {
        // Of a body that has an answer, entries have the line.
        let bytes = exchange::message_bytes(text);
        let place = |entry: &Entry| (0, value.at() + bytes.get(entry.line - 1).copied().unwrap_or_default());
        one.places = one.transcript.entries.iter().map(place).collect();
    }
    Ok(read)
}

/// The requests behind a first line that is no JSON.
fn damaged(bytes: &[u8]) -> Option<Vec<Imported>> {
    let mut log = Log::new(false);
    rows::read(&mut Source::bytes(bytes), &mut log).ok()?;
    log.finish(EXPECTED).ok()
}
