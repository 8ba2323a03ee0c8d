//! What a replay is given. Everything but the strategy is shared by all cells of a transcript.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{CountCache, Outline};
use crate::engine::estimate::Estimator;
use crate::engine::view::Item;
use crate::tokens::MessageTable;
use crate::transcript::{EntryIdx, EntryKind, Tokens, Transcript};

/// Which past a replay follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum History {
    /// Every recorded message, as if nothing had ever been compacted. Usage is simulated: the reference count.
    #[default]
    Full,
    /// The compactions that really happened, with the recorded usage. The strategy is asked, and never acts: a
    /// trigger that fires is an event of its own.
    Recorded,
}

impl History {
    /// Its name in configuration and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Recorded => "recorded",
        }
    }
}

impl FromStr for History {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        [Self::Full, Self::Recorded]
            .into_iter()
            .find(|one| one.name() == name)
            .ok_or_else(|| format!("no history is called {name:?}; there are full and recorded"))
    }
}

/// How much a model takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Context window.
    pub window: Tokens,
    /// The most tokens a reply may have.
    pub max_output: Tokens,
}

/// The model whose context is at stake.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Model {
    /// Its name.
    pub name: String,
    /// Context window.
    pub window: Tokens,
    /// The most tokens a reply may have.
    pub max_output: Tokens,
    /// What holds instead while the session ran on one of these models, by the name that was recorded.
    pub recorded: BTreeMap<String, Limits>,
}

impl Model {
    /// The one model of a session, whatever models it was recorded with.
    pub fn new(name: &str, window: Tokens, max_output: Tokens) -> Self {
        Self { name: name.to_owned(), window, max_output, recorded: BTreeMap::new() }
    }

    /// What holds while the session runs on `recorded`; `None`: it does not say on which model.
    pub fn limits(&self, recorded: Option<&str>) -> Limits {
        let own = Limits { window: self.window, max_output: self.max_output };
        recorded.and_then(|name| self.recorded.get(name)).copied().unwrap_or(own)
    }
}

/// What an estimator says of every entry of a transcript; made once per estimator and transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EstimateTable {
    counts: Vec<Tokens>,
    head: Option<Tokens>,
}

impl EstimateTable {
    /// Asks the estimator about every entry.
    pub fn new(transcript: &Transcript, estimator: &dyn Estimator) -> Self {
        let entries = &transcript.entries;
        // Most entries are messages; what others show has to be made first.
        let others = entries.iter().enumerate().filter(|(_, entry)| !matches!(entry.kind, EntryKind::Message(_)));
        let others: Vec<Item> = others.map(|(at, _)| Item::entry(transcript, EntryIdx(at))).collect();
        let mut made = others.iter();
        let mut counts = vec![Tokens(0); entries.len()];
        let (mut places, mut messages) = (Vec::with_capacity(entries.len()), Vec::with_capacity(entries.len()));
        for (at, entry) in entries.iter().enumerate() {
            let message = match &entry.kind {
                EntryKind::Message(message) => Some(message),
                _ => made.next().and_then(|item| item.message(transcript)),
            };
            places.extend(message.map(|_| at));
            messages.extend(message);
        }
        for (at, tokens) in places.into_iter().zip(estimator.messages(&messages)) {
            counts[at] = tokens;
        }
        Self { counts, head: estimator.head(&transcript.head) }
    }

    /// Estimate of an entry.
    pub fn entry(&self, idx: EntryIdx) -> Tokens {
        self.counts[idx.0]
    }

    /// Estimate of system prompt and tool schemas.
    pub fn head(&self) -> Option<Tokens> {
        self.head
    }
}

/// A compaction by hand (`/compact`).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Manual {
    /// Before this request, from 1.
    pub request: u64,
    /// What the summary shall look at.
    pub instructions: Option<String>,
}

/// One transcript, ready to be replayed under a model.
#[derive(Clone, Copy, Debug)]
pub struct ReplayInput<'a> {
    /// The session.
    pub transcript: &'a Transcript,
    /// The branch to follow, root first.
    pub path: &'a [EntryIdx],
    /// What a replay asks of every entry.
    pub outline: &'a Outline,
    /// Reference counts.
    pub reference: &'a MessageTable,
    /// Estimates of the strategy's estimator.
    pub estimates: &'a EstimateTable,
    /// Counts of made texts.
    pub counts: &'a CountCache,
    /// The model.
    pub model: &'a Model,
    /// Which past to follow.
    pub history: History,
    /// Compactions by hand.
    pub manual: &'a [Manual],
    /// Seed of the cell.
    pub seed: u64,
}
