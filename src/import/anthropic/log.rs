//! A file of requests, sorted into conversations.

use std::collections::HashSet;

use super::exchange::{Exchange, answer};
use super::session::Session;
use crate::import::finding::share;
use crate::import::object::Rest;
use crate::import::place::{Place, Report};
use crate::import::rows::Rows;
use crate::import::slot::{Sink, Slot};
use crate::import::spelling::digest;
use crate::import::{FindingKind, ImportError, Imported};
use crate::transcript::Block;
use crate::transcript::json::read::{Raw, Reader};

/// Shortest line by which a summary is recognised in the message that carries it.
const TELLING: usize = 40;

/// A file that is being read.
#[derive(Default)]
pub(super) struct Log {
    pub(super) report: Report,
    /// The file is one request: its messages are counted, not its lines.
    single: bool,
    sessions: Vec<Session>,
    /// The answers so far: their ids, and digests of their spelling.
    answers: HashSet<(Box<str>, u64)>,
}

impl Rows for Log {
    const BEGINS: &'static [&'static str] = &["{\"request\":", "{\"model\":"];

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    type Record<'l> = Rest<'l>;

    fn parse<'l>(text: &'l str, reader: &mut Reader<'l>) -> Result<Rest<'l>, String> {
        Rest::line(text, reader)
    }

    fn take(&mut self, at: Place, text: &str, rest: Rest<'_>) {
        self.read(at, text, rest);
    }
}

impl Log {
    /// A file which is a `single` request or a log.
    pub(super) fn new(single: bool) -> Self {
        Self { single, ..Self::default() }
    }

    /// Takes the record `text`, which is the object `rest`.
    pub(super) fn read(&mut self, at: Place, text: &str, rest: Rest<'_>) {
        let mut sink = Sink::default();
        let response = rest.get("response").map(|raw| digest(raw.text()));
        match exchange(text, rest, &mut sink) {
            Ok(exchange) if self.is_copy(&exchange, response) => {
                self.report.counts.left_out += 1;
                let fault = "an answer that was read before, with the same id; left out";
                return self.report.fault(at, FindingKind::DuplicateId, fault);
            }
            Ok(mut exchange) => {
                exchange.line = (!self.single || exchange.answer.is_some()).then_some(at.line());
                self.push(exchange, &mut sink);
            }
            Err(fault) => {
                self.report.counts.left_out += 1;
                self.report.fault(at, fault.0, fault.1);
            }
        }
        self.report.faults_in(at, text, sink.faults);
    }

    /// Whether the answer was logged before: one answer is one call.
    fn is_copy(&mut self, exchange: &Exchange, response: Option<u64>) -> bool {
        let id = exchange.answer.as_ref().and_then(|answer| answer.id.clone()).filter(|id| !id.is_empty());
        id.zip(response).is_some_and(|answer| !self.answers.insert(answer))
    }

    fn push(&mut self, mut exchange: Exchange, sink: &mut Sink) {
        if let Some(at) = self.sessions.iter().rposition(|session| session.goes_on(&exchange)) {
            self.sessions[at].take(exchange, sink);
        } else if let Some(at) = self.compacted(&mut exchange, sink) {
            self.sessions[at].take(exchange, sink);
        } else {
            let mut session = Session::new(&exchange);
            session.take(exchange, sink);
            self.sessions.push(session);
        }
    }

    /// The session that goes on with `exchange` after a compaction: the first message holds the answer to an earlier
    /// request. The summary goes from the message to the compaction.
    fn compacted(&mut self, exchange: &mut Exchange, sink: &mut Sink) -> Option<usize> {
        let blocks = &exchange.messages.first()?.parts.content.blocks;
        let (by, block) = self.sessions.iter().enumerate().rev().find_map(|(by, session)| {
            let reply = session.last_reply().filter(|_| session.asked_for_a_summary())?;
            let line = reply.lines().map(str::trim).max_by_key(|line| line.len())?;
            let holds = |block: &Block| matches!(block, Block::Text(text) if text.as_str().contains(line));
            let block = (line.len() >= TELLING).then(|| blocks.iter().position(holds))??;
            Some((by, block))
        })?;
        let about = self.sessions.iter().rposition(|session| self.sessions[by].asks_about(session));
        let own = about.is_none();
        let at = about.unwrap_or(by);
        if !self.sessions[at].is_like(exchange) {
            return None;
        }
        let Block::Text(summary) = exchange.messages.first_mut()?.parts.content.blocks.remove(block) else {
            return None;
        };
        let compaction = self.sessions[by].as_compaction(summary);
        self.sessions[at].compact(compaction, own, sink);
        if !own {
            // The request for the summary is the compaction now.
            self.sessions.remove(by);
        }
        Some(if !own && by < at { at - 1 } else { at })
    }

    /// The conversations: the one with most messages first, the others in the order of the file.
    pub(super) fn finish(mut self, expected: &'static str) -> Result<Vec<Imported>, ImportError> {
        if self.sessions.is_empty() {
            let (line, found) =
                self.report.findings.first().map_or((1, ""), |finding| (finding.line, &finding.message));
            let found = if found.is_empty() { "no request" } else { found }.to_owned();
            return Err(ImportError::NoRecord { line, expected, found });
        }
        // The first of the longest.
        let sizes = self.sessions.iter().map(Session::messages).enumerate().rev();
        if let Some((longest, _)) = sizes.max_by_key(|&(_, messages)| messages) {
            self.sessions[..=longest].rotate_right(1);
        }
        let alone = self.sessions.len() == 1;
        let imported = |session: Session| {
            let name = session.line.map_or_else(|| "request".to_owned(), |line| format!("line-{line}"));
            let transcript = session.finish(&name);
            Imported { transcript, part: (!alone).then(|| name.into()), ..Imported::default() }
        };
        let mut all: Vec<Imported> = self.sessions.into_iter().map(imported).collect();
        let Report { counts, findings, .. } = self.report;
        share(findings, &mut all);
        if let Some(first) = all.first_mut() {
            first.lines = counts;
        }
        Ok(all)
    }
}

/// A request with its response, or a request body alone.
fn exchange(text: &str, mut rest: Rest<'_>, sink: &mut Sink) -> Result<Exchange, (FindingKind, &'static str)> {
    let no_body = (FindingKind::BadField, "the request has no list of messages; left out");
    if rest.has("messages") {
        return Exchange::of_body(text, sink).ok_or(no_body);
    }
    let request = rest.take("request");
    let mut request = request
        .and_then(|request| Rest::of(request.text()))
        .ok_or((FindingKind::UnknownKind, "neither a request with its response nor a request body; left out"))?;
    let url: Slot<Box<str>> = request.scalar("url");
    if let Slot::Good(url) = url
        && !is_messages(&url)
    {
        return Err((FindingKind::UnknownKind, "a request that is not for a reply; left out"));
    }
    let body = request.take("body").ok_or(no_body)?;
    let mut exchange = Exchange::of_body(&body, sink).ok_or(no_body)?;
    exchange.time = request.take("timestamp").map(|raw| raw.trim().trim_matches('"').into());
    exchange.answer = Some(answer(rest.take("response").map_or("", Raw::text), sink));
    Ok(exchange)
}

/// Whether a request to this address asks for a reply: counting tokens and batches do not.
fn is_messages(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.trim_end_matches('/').ends_with("/v1/messages")
}
