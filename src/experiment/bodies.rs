//! A sequence of request bodies against one simulated cache: sessions of one file that hold a request each, and no reply.

use super::Session;
use super::cache_audit::{AuditError, AuditOptions, Audited, read_time, replayed};
use crate::meter::cache::{
    AuditRow, BlockTable, Clock, Feed, HeadGuess, Reasoning, Request, Settings, Simulator, preset,
};
use crate::replay::CountCache;
use crate::tokens::MessageTable;
use crate::transcript::{EntryKind, Message};

/// Whether a session holds a request and no reply.
pub fn is_body(session: &Session) -> bool {
    let replies =
        |kind: &EntryKind| matches!(kind, EntryKind::Message(Message::Assistant(_, reply)) if reply.usage.is_some());
    !session.transcript.entries.is_empty() && !session.transcript.entries.iter().any(|entry| replies(&entry.kind))
}

/// Sends the requests of a file to one cache, in the order of the file. Without a chosen cache it is the ideal one.
///
/// # Errors
/// When a replay cannot be set up.
pub fn audit_bodies(sessions: &[&Session], options: AuditOptions) -> Result<Audited, AuditError> {
    let provider = options.provider.or_else(|| preset("ideal"));
    let provider = provider.ok_or_else(|| AuditError::Llm("there is no ideal cache".to_owned()))?;
    let counts = CountCache::new(options.reference);
    let rules = options.rules.apply(provider, "");
    let mut cache = Simulator::new(rules);
    let (mut rows, mut untimed) = (Vec::new(), 0);
    for (session, request) in sessions.iter().zip(1..) {
        let transcript = &session.transcript;
        let path = transcript.path();
        let reference = MessageTable::new(transcript, options.reference);
        let table = BlockTable::new(transcript, &reference);
        let clock = Clock::new(transcript, &path, options.interval, read_time);
        let mut feed = Feed::new(&table, &counts, Reasoning::Kept);
        replayed(transcript, &path, &reference, &counts, &mut |_| {}, &mut |live| {
            let prompt = feed.request(live, Settings::default());
            let moment = clock.end();
            let moment = if moment.known { moment } else { clock.nth(request - 1, options.interval) };
            untimed += usize::from(!moment.known);
            let outcome = cache.send(&Request::new(moment.at, prompt, &provider.placement.place(prompt)));
            rows.push(AuditRow {
                request,
                line: transcript.entries.first().map_or(0, |entry| entry.line),
                moment,
                simulated: outcome.split,
                missed: outcome.missed,
                ..AuditRow::default()
            });
        })?;
    }
    Ok(Audited { provider, rules, head: HeadGuess::default(), untimed, rows })
}
