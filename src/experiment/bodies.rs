//! A sequence of request bodies against one simulated cache: sessions of one file that hold a request each, and no reply.

use super::cache_audit::{AuditError, AuditOptions, Audited, ProviderBasis, known, read_time, replayed};
use super::{Session, marks};
use crate::meter::cache::{
    AuditRow, BlockTable, Clock, Digest, Feed, HeadGuess, Matching, Reasoning, Request, Settings, Simulator, marked,
    preset,
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

/// Fields of a body that stand between the system prompt and the messages: another value, and the messages are another prefix.
const BEFORE_MESSAGES: &[&str] = &["tool_choice", "thinking", "effort", "output_config"];

/// The same between tools and system prompt: Anthropic's speed, and what changes the whole prefix of OpenAI's models (the
/// prompt caching guide names them; a schema of the output stands before the system prompt).
const BEFORE_SYSTEM: &[&str] =
    &["speed", "response_format", "text", "reasoning", "reasoning_effort", "verbosity", "parallel_tool_calls"];

/// A body beside its messages and its head.
struct Body {
    model: String,
    settings: Settings,
}

impl Body {
    fn of(session: &Session) -> Self {
        let header = session.transcript.meta.extra.as_ref().and_then(|extra| serde_json::from_str(extra.as_str()).ok());
        let header: serde_json::Map<String, serde_json::Value> = header.unwrap_or_default();
        let of = |names: &[&str]| {
            let named = names.iter().filter_map(|&name| Some(format!("{name}={}", header.get(name)?)));
            let found: Vec<String> = named.collect();
            let texts: Vec<&str> = found.iter().map(String::as_str).collect();
            if texts.is_empty() { Digest::default() } else { Digest::of(&texts) }
        };
        let model = header.get("model").and_then(|model| model.as_str()).unwrap_or_default().to_owned();
        let settings =
            Settings { model: Digest::of(&[&model]), system: of(BEFORE_SYSTEM), messages: of(BEFORE_MESSAGES) };
        Self { model, settings }
    }
}

/// Sends the requests of a file to one cache, in the order of the file. Without a chosen cache it is that of the first body's
/// model, and the ideal one where nobody knows it.
///
/// # Errors
/// When a replay cannot be set up.
pub fn audit_bodies(sessions: &[&Session], options: AuditOptions) -> Result<Audited, AuditError> {
    let bodies: Vec<Body> = sessions.iter().map(|session| Body::of(session)).collect();
    let model = bodies.first().map_or("", |body| &body.model);
    let ideal = || Some((preset("ideal")?, ProviderBasis::Unknown));
    let (provider, basis) = known(options.provider, model)
        .or_else(ideal)
        .ok_or_else(|| AuditError::Llm("there is no ideal cache".to_owned()))?;
    let counts = CountCache::new(options.reference);
    let rules = options.rules.apply(provider, model);
    let mut cache = Simulator::new(rules);
    let (mut rows, mut untimed) = (Vec::new(), 0);
    let honoured = matches!(rules.matching, Matching::Breakpoints { .. });
    let mut own: Vec<_> = sessions.iter().map(|session| marks::of_body(&session.transcript)).collect();
    if honoured && own.iter().any(Option::is_some) {
        // In a file that marks requests, one without a mark asks for no cache.
        own.iter_mut().for_each(|marks| *marks = Some(marks.take().unwrap_or_default()));
    } else {
        own.fill(None);
    }
    for (((session, body), own), request) in sessions.iter().zip(&bodies).zip(&own).zip(1..) {
        let transcript = &session.transcript;
        let path = transcript.path();
        let reference = MessageTable::new(transcript, options.reference);
        let table = BlockTable::new(transcript, &reference);
        let clock = Clock::new(transcript, &path, options.interval, read_time);
        let mut feed = Feed::new(&table, &counts, Reasoning::Kept);
        replayed(transcript, &path, &reference, &counts, &mut |_| {}, &mut |live| {
            let prompt = feed.request(live, body.settings);
            let moment = clock.end();
            let moment = if moment.known { moment } else { clock.nth(request - 1, options.interval) };
            untimed += usize::from(!moment.known);
            let placed = own.as_ref().map_or_else(|| provider.placement.place(prompt), |own| marked(own, prompt));
            let outcome = cache.send(&Request::new(moment.at, prompt, &placed));
            rows.push(AuditRow {
                request,
                line: transcript.entries.first().map_or(0, |entry| entry.line),
                moment,
                model: body.model.as_str().into(),
                provider: provider.name,
                marked: own.is_some(),
                simulated: outcome.split,
                missed: outcome.missed,
                ..AuditRow::default()
            });
        })?;
    }
    Ok(Audited { provider, basis, head: HeadGuess::default(), untimed, rows })
}
