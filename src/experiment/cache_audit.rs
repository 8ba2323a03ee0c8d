//! A recorded session against a simulated cache: the replay of the recorded history with an [`Audit`] watching.

use super::{ConfigError, Session, StrategyConfig, marks};
use crate::llm::{Blocking, Mock, MockKnobs};
use crate::meter::cache::{
    Audit, AuditInput, AuditRow, BlockTable, Clock, HeadGuess, Matching, Millis, ModelCache, Placement, Places, Preset,
    Refresh, Rules, Seconds, guess_head, minimum, preset_of, preset_of_protocol, reasoning,
};
use crate::replay::{CountCache, EstimateTable, History, Live, Model, Outline, ReplayEvent, ReplayInput, replay};
use crate::tokens::{MessageTable, Reference};
use crate::transcript::{EntryIdx, EntryKind, Message, Reply, Tokens, Transcript};

/// What can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct AuditOptions {
    /// The cache; `None`: that of the recorded model.
    pub provider: Option<&'static Preset>,
    /// Time between requests where the file has none.
    pub interval: Seconds,
    /// The tokenizer of reference counts.
    pub reference: Reference,
    /// Rules that are not the preset's.
    pub rules: RuleOptions,
}

/// Rules in place of a preset's: another model, another reading of the sources, what-if.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleOptions {
    /// Shortest prefix that is cached.
    pub minimum: Option<Tokens>,
    /// Lifetime of an entry.
    pub lifetime: Option<Seconds>,
    /// What restarts it.
    pub refresh: Option<Refresh>,
    /// What counts as one place when a breakpoint walks back.
    pub places: Option<Places>,
}

impl RuleOptions {
    /// The preset's rules, with what is known of the model and what is chosen here.
    pub fn apply(self, provider: &Preset, model: &str) -> Rules {
        let mut rules = provider.rules;
        rules.minimum = self.minimum.or_else(|| minimum(model)).unwrap_or(rules.minimum);
        rules.refresh = self.refresh.unwrap_or(rules.refresh);
        if self.lifetime.is_some() {
            (rules.short, rules.long) = (self.lifetime, self.lifetime);
        }
        if let (Some(chosen), Matching::Breakpoints { places, .. }) = (self.places, &mut rules.matching) {
            *places = chosen;
        }
        rules
    }
}

/// Why a cache is simulated and no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderBasis {
    /// It was chosen.
    Chosen,
    /// It is that of the recorded model.
    Model,
    /// Nobody knows that of the model, and it is the default of the protocol that the replies were spoken over.
    Protocol,
    /// Nothing is known: the ideal one.
    Unknown,
}

impl ProviderBasis {
    /// Its name in a record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Model => "model",
            Self::Protocol => "protocol",
            Self::Unknown => "unknown",
        }
    }
}

/// An audited session.
#[derive(Clone, Debug)]
pub struct Audited {
    /// The cache of the first model.
    pub provider: &'static Preset,
    /// Why it is that one.
    pub basis: ProviderBasis,
    /// What is known of the head.
    pub head: HeadGuess,
    /// Requests whose time is not known.
    pub untimed: usize,
    /// The requests.
    pub rows: Vec<AuditRow>,
}

/// No audit is possible.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// Nobody knows the cache of the model.
    #[error("{session}: no cache is known for the model {model:?}")]
    Model {
        /// The session.
        session: String,
        /// The model.
        model: String,
    },
    /// The replay cannot be set up.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The stand-in for a model cannot be set up.
    #[error("{0}")]
    Llm(String),
}

/// A time stamp of RFC 3339.
pub fn read_time(stamp: &str) -> Option<Millis> {
    stamp.parse::<jiff::Timestamp>().ok().map(|time| Millis(time.as_millisecond()))
}

/// Audits a session.
///
/// # Errors
/// When no cache is chosen and none is known for the model or its protocol.
pub fn audit_cache(session: &Session, options: AuditOptions) -> Result<Audited, AuditError> {
    let transcript = &session.transcript;
    let path = transcript.path();
    let reply = first_reply(transcript, &path);
    let model = reply.map_or("", |reply| &*reply.model);
    let unknown = || AuditError::Model { session: session.name.clone(), model: model.to_owned() };
    let spoken = || preset_of_protocol(reply.map_or("", |reply| &*reply.api));
    let (provider, basis) =
        known(options.provider, model).or_else(|| Some((spoken()?, ProviderBasis::Protocol))).ok_or_else(unknown)?;
    let reference = MessageTable::new(transcript, options.reference);
    let head = guess_head(transcript, &path, &reference);
    let table = BlockTable::new(transcript, &reference);
    let table = head.inferred.map_or(table.clone(), |head| table.with_inferred_head(head));
    let models = models(session, &path, (provider, model), options);
    let marks = marks::by_reply(transcript);
    let clock = Clock::new(transcript, &path, options.interval, read_time);
    let counts = CountCache::new(options.reference);
    let mut watcher = Audit::new(AuditInput {
        transcript,
        path: &path,
        table: &table,
        counts: &counts,
        clock: &clock,
        models: &models,
        marks: &marks,
        head,
    });
    replayed(transcript, &path, &reference, &counts, &mut |event| watcher.observe(event), &mut |_| {})?;
    Ok(Audited { provider, basis, head, untimed: clock.unknown(), rows: watcher.finish() })
}

/// The cache that is chosen, or that of the model.
pub(super) fn known(chosen: Option<&'static Preset>, model: &str) -> Option<(&'static Preset, ProviderBasis)> {
    let chosen = chosen.map(|provider| (provider, ProviderBasis::Chosen));
    chosen.or_else(|| Some((preset_of(model)?, ProviderBasis::Model)))
}

/// Replays the recorded history; `end` sees the context at its end.
pub(super) fn replayed(
    transcript: &Transcript,
    path: &[EntryIdx],
    reference: &MessageTable,
    counts: &CountCache,
    observe: &mut dyn FnMut(&ReplayEvent<'_, '_>),
    end: &mut dyn FnMut(&Live<'_>),
) -> Result<(), AuditError> {
    let (name, _, spec) = StrategyConfig::Preset("none".to_owned()).resolve()?;
    let mut strategy = spec.build(&name).map_err(ConfigError::from)?;
    let estimates = EstimateTable::new(transcript, &*strategy.estimator);
    let model = Model::new("", Tokens(u64::MAX), Tokens(0));
    // A replay of the recorded history asks no model.
    let llm = Blocking::new(Mock::new(MockKnobs::default()).map_err(|error| AuditError::Llm(error.to_string()))?);
    let outline = Outline::new(transcript);
    let input = ReplayInput {
        transcript,
        path,
        outline: &outline,
        reference,
        estimates: &estimates,
        counts,
        model: &model,
        history: History::Recorded,
        manual: &[],
        seed: 0,
    };
    end(&replay(input, &mut strategy, &llm, &mut |event| observe(event)));
    Ok(())
}

/// The model of the first reply with usage.
pub(super) fn first_model<'t>(transcript: &'t Transcript, path: &[EntryIdx]) -> &'t str {
    first_reply(transcript, path).map_or("", |reply| &*reply.model)
}

/// The first reply with usage, or else the first that did not fail.
fn first_reply<'t>(transcript: &'t Transcript, path: &[EntryIdx]) -> Option<&'t Reply> {
    let replies = path.iter().filter_map(|&idx| match &transcript.entry(idx).kind {
        EntryKind::Message(Message::Assistant(_, reply)) => Some(&**reply),
        _ => None,
    });
    let mut replies = replies.filter(|reply| !reply.failed()).peekable();
    let first = replies.peek().copied();
    let used = |usage: &crate::transcript::Usage| usage.prompt() > Tokens(0);
    replies.find(|reply| reply.usage.as_ref().is_some_and(used)).or(first)
}

/// The caches of all models of a session, that of the first model first. A model of which nobody knows the cache is taken to
/// be of the first one's provider, and so is every model where a cache was chosen.
fn models(
    session: &Session,
    path: &[EntryIdx],
    (first, model): (&'static Preset, &str),
    options: AuditOptions,
) -> Vec<ModelCache> {
    let replies = path.iter().filter_map(|&idx| match &session.transcript.entry(idx).kind {
        EntryKind::Message(Message::Assistant(_, reply)) => Some(&*reply.model),
        _ => None,
    });
    let mut models: Vec<ModelCache> = Vec::new();
    for model in std::iter::once(model).chain(replies) {
        if models.iter().all(|known| &*known.model != model) {
            let provider = options.provider.or_else(|| preset_of(model)).unwrap_or(first);
            models.push(ModelCache {
                model: model.into(),
                provider: provider.name,
                rules: options.rules.apply(provider, model),
                placement: placement(session, provider),
                reasoning: reasoning(model),
            });
        }
    }
    models
}

/// Where the recording agent puts breakpoints.
fn placement(session: &Session, provider: &Preset) -> Placement {
    match provider.placement {
        Placement::Agent { head, life, .. } if session.format == "pi" => Placement::Agent { head, last: 1, life },
        placement => placement,
    }
}
