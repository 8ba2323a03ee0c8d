//! A sequence of request bodies against simulated caches: sessions of one file that hold a request each, and no reply.

use super::cache_audit::{AuditError, AuditOptions, Audited, ProviderBasis, known, read_time, replayed};
use super::{Session, marks};
use crate::meter::cache::{
    AuditRow, BlockTable, Clock, Digest, Feed, HeadGuess, Mark, Matching, ModelCache, Outcome, Preset, Providers,
    Reasoning, Request, Settings, marked, preset, preset_of,
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

/// Sends the requests of a file to the caches of their models, in the order of the file. Without a chosen cache a model that
/// nobody knows has that of the first body's model, and if nobody knows that either, the ideal one.
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
    let models: Vec<ModelCache> = bodies.iter().map(|body| cache_of(&body.model, provider, options)).collect();
    let own = own_marks(sessions, &models);
    let counts = CountCache::new(options.reference);
    let mut line = Line::default();
    let (mut rows, mut untimed) = (Vec::new(), 0);
    for (at, (session, body)) in sessions.iter().zip(&bodies).enumerate() {
        let (transcript, cache, own) = (&session.transcript, &models[at], &own[at]);
        let more = starts_with_the_next(&sessions[at..]);
        let path = transcript.path();
        let reference = MessageTable::new(transcript, options.reference);
        let table = BlockTable::new(transcript, &reference);
        let clock = Clock::new(transcript, &path, options.interval, read_time);
        let mut feed = Feed::new(&table, &counts, Reasoning::Kept);
        replayed(transcript, &path, &reference, &counts, &mut |_| {}, &mut |live| {
            let prompt = feed.request(live, body.settings);
            let moment = clock.end();
            let moment = if moment.known { moment } else { clock.nth(at as u64, options.interval) };
            untimed += usize::from(!moment.known);
            let placed = own.as_ref().map_or_else(|| cache.placement.place(prompt), |own| marked(own, prompt));
            let outcome = line.send(cache, &Request::new(moment.at, prompt, &placed), more);
            rows.push(AuditRow {
                request: at as u64 + 1,
                line: transcript.entries.first().map_or(0, |entry| entry.line),
                moment,
                model: body.model.as_str().into(),
                provider: cache.provider,
                marked: own.is_some(),
                simulated: outcome.split,
                missed: outcome.missed,
                ..AuditRow::default()
            });
        })?;
    }
    Ok(Audited { provider, basis, head: HeadGuess::default(), untimed, rows })
}

/// Whether the first two bodies start at the same moment.
fn starts_with_the_next(sessions: &[&Session]) -> bool {
    let mut times = sessions.iter().take(2).map(|session| session.transcript.meta.timestamp.as_deref());
    let (first, next) = (times.next().flatten(), times.next().flatten());
    first.is_some() && first == next
}

/// How the requests of a model are cached; `first` is the cache of the first body.
fn cache_of(model: &str, first: &'static Preset, options: AuditOptions) -> ModelCache {
    let provider = options.provider.or_else(|| preset_of(model)).unwrap_or(first);
    ModelCache {
        model: model.into(),
        provider: provider.name,
        rules: options.rules.apply(provider, model),
        placement: provider.placement,
        reasoning: Reasoning::Kept,
    }
}

/// The marks of the bodies, by body, where the cache of its model takes them. In a file that marks requests, one without a mark
/// asks for no cache.
fn own_marks(sessions: &[&Session], models: &[ModelCache]) -> Vec<Option<Vec<Mark>>> {
    let honours = |model: &ModelCache| matches!(model.rules.matching, Matching::Breakpoints { .. });
    let one = |(session, model): (&&Session, &ModelCache)| {
        honours(model).then(|| marks::of_body(&session.transcript)).flatten()
    };
    let mut own: Vec<Option<Vec<Mark>>> = sessions.iter().zip(models).map(one).collect();
    if own.iter().any(Option::is_some) {
        for (own, _) in own.iter_mut().zip(models).filter(|(_, model)| honours(model)) {
            own.get_or_insert_default();
        }
    }
    own
}

/// The caches as they stand, and as they stood before the requests that start now: what a request writes can be read once its
/// answer begins, so requests that start together do not read from each other.
#[derive(Default)]
struct Line {
    caches: Providers,
    before: Option<Providers>,
}

impl Line {
    /// Sends a request; `more` start at the same moment.
    fn send(&mut self, model: &ModelCache, request: &Request<'_>, more: bool) -> Outcome {
        let Some(before) = &self.before else {
            self.before = more.then(|| self.caches.clone());
            return self.caches.send(model, request);
        };
        let outcome = before.clone().send(model, request);
        self.caches.send(model, request);
        if !more {
            self.before = None;
        }
        outcome
    }
}
