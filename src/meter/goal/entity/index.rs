//! The entities of a transcript: where each is said and used. Made once, shared by all cells.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use super::dead::{self, Outcome};
use super::{Entity, Extractor, Kind};
use crate::meter::goal::text::plain;
use crate::replay::Item;
use crate::transcript::{Block, EntryIdx, Message, Part, Transcript, sent_parts};

/// An entity of a transcript; aliases of one thing have one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EntityId(pub(crate) u32);

/// A line that says an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The entry.
    pub(crate) entry: EntryIdx,
    /// The line of its text, from 0.
    pub(crate) line: u32,
    /// Bytes of that line, its end included.
    pub(crate) bytes: u32,
}

/// A use by the agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Use {
    /// What is used.
    pub(crate) entity: EntityId,
    /// In the arguments of a call, not in words alone.
    pub(crate) in_call: bool,
    /// What became of that call.
    pub(crate) outcome: Outcome,
}

/// What an entry says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Says {
    /// Its entities, each once, in order of number.
    pub(crate) entities: Vec<EntityId>,
    /// For a reply: what the agent acts on, each once, a call before words.
    pub(crate) uses: Vec<Use>,
    /// Digests of its calls, by tool and arguments.
    pub(crate) calls: Vec<u64>,
    /// Bytes of its text.
    pub(crate) bytes: u64,
}

/// The entities of a transcript.
#[derive(Clone, Debug, Default)]
pub struct EntityIndex {
    extractor: Extractor,
    keys: HashMap<Box<str>, u32>,
    names: Vec<(Kind, Box<str>)>,
    /// The number that stands for all aliases.
    stands: Vec<u32>,
    /// Paths by their last part.
    by_name: HashMap<Box<str>, Vec<u32>>,
    places: Vec<Vec<Place>>,
    /// The folders above a path that the transcript names.
    above: Vec<Box<[EntityId]>>,
    /// Entries that say it.
    spread: Vec<u32>,
    says: Vec<Says>,
    /// The working folder, with a slash at its end.
    root: Option<String>,
    /// Some calls were taken back.
    has_dead_ends: bool,
}

/// An entity in more than this share of the entries is common: its survival says nothing.
const COMMON: f64 = 0.2;
/// An argument of no more bytes is a path, a command, a query: the agent had to know what it says.
const SHORT: usize = 400;
/// Below so many entries nothing is common.
const FEW: usize = 20;

/// Whether a message is a source of facts: a summary is none, whoever wrote it.
fn is_source(message: &Message) -> bool {
    !matches!(message, Message::BranchSummary(_) | Message::CompactionSummary(_))
}

/// How a text is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voice {
    Words,
    Thinking,
    /// An argument of the call in this block; a long one is the content of a file, and no choice of a name.
    Argument {
        block: usize,
        is_short: bool,
    },
}

/// Calls `each` with the texts of a message; the strings of arguments are decoded, so that `\n` is a line's end.
fn texts<'m>(message: &'m Message, mut each: impl FnMut(Cow<'m, str>, Voice)) {
    if !matches!(message, Message::Assistant(..)) {
        sent_parts(message, |part| {
            if let Part::Text(text) = part {
                each(text, Voice::Words);
            }
        });
        return;
    }
    for (block, content) in message.blocks().iter().enumerate() {
        match content {
            Block::Text(text) => each(Cow::Borrowed(text.as_str()), Voice::Words),
            Block::Thinking { text, .. } => each(Cow::Borrowed(text.as_str()), Voice::Thinking),
            Block::ToolCall(call) => match serde_json::from_str(call.arguments.as_str()) {
                Ok(value) => strings(value, &mut |text| {
                    let is_short = text.len() <= SHORT;
                    each(Cow::Owned(text), Voice::Argument { block, is_short });
                }),
                Err(_) => {
                    each(Cow::Borrowed(call.arguments.as_str()), Voice::Argument { block, is_short: true });
                }
            },
            Block::Image(_) | Block::Other(_) => {}
        }
    }
}

/// A digest that equal calls share. The hasher has fixed keys, so it is the same in every run.
fn call_digest(block: &Block) -> Option<u64> {
    let Block::ToolCall(call) = block else { return None };
    let mut hasher = std::hash::DefaultHasher::new();
    (call.name.as_str(), call.arguments.as_str()).hash(&mut hasher);
    Some(hasher.finish())
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a path ends in another one, at a slash.
fn ends_in(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'))
}

/// The value that all have in common; `None` for several, or for none.
fn only(mut values: impl Iterator<Item = u32>) -> Option<u32> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

fn strings(value: serde_json::Value, each: &mut impl FnMut(String)) {
    match value {
        serde_json::Value::String(text) => each(text),
        serde_json::Value::Array(items) => items.into_iter().for_each(|item| strings(item, each)),
        serde_json::Value::Object(members) => members.into_iter().for_each(|(_, value)| strings(value, each)),
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => {}
    }
}

impl EntityIndex {
    /// Reads every entry once, by the rules of the first extractor.
    pub fn new(transcript: &Transcript) -> Self {
        Self::by(Extractor::default(), transcript)
    }

    /// Reads every entry once. Dead ends are those of the path of the session.
    pub fn by(extractor: Extractor, transcript: &Transcript) -> Self {
        let root =
            transcript.meta.cwd.as_deref().map(|cwd| format!("{}/", cwd.replace('\\', "/").trim_end_matches('/')));
        let mut index = Self { extractor, root: root.filter(|root| root.len() > 2), ..Self::default() };
        let outcomes = dead::outcomes(transcript, &transcript.path());
        index.has_dead_ends = !outcomes.is_empty();
        for position in 0..transcript.entries.len() {
            let entry = EntryIdx(position);
            let item = Item::entry(transcript, entry);
            let message = item.message(transcript).filter(|message| is_source(message));
            let says = message.map(|message| index.read(entry, message, &outcomes)).unwrap_or_default();
            index.says.push(says);
        }
        index.join_aliases();
        index
    }

    fn read(&mut self, entry: EntryIdx, message: &Message, outcomes: &HashMap<(EntryIdx, usize), Outcome>) -> Says {
        let calls = message.blocks().iter().filter_map(call_digest).collect();
        let mut says = Says { calls, ..Says::default() };
        let mut number = 0;
        let is_reply = matches!(message, Message::Assistant(..));
        texts(message, |text, voice| {
            says.bytes += text.len() as u64;
            let used = match voice {
                Voice::Words => is_reply.then_some((false, Outcome::Stands)),
                Voice::Thinking => None,
                Voice::Argument { block, is_short } => {
                    Some((is_short, outcomes.get(&(entry, block)).copied().unwrap_or_default()))
                }
            };
            for line in text.lines() {
                let place = Place { entry, line: number, bytes: u32::try_from(line.len() + 1).unwrap_or(u32::MAX) };
                self.extractor.extract(&plain(line), |found| {
                    let id = self.intern(&found);
                    says.entities.push(EntityId(id));
                    let places = &mut self.places[id as usize];
                    if places.last() != Some(&place) {
                        places.push(place);
                    }
                    if let Some((in_call, outcome)) = used {
                        says.uses.push(Use { entity: EntityId(id), in_call, outcome });
                    }
                });
                number += 1;
            }
        });
        says
    }

    /// A path below the working folder is written from there.
    fn normal<'k>(&self, kind: Kind, key: &'k str) -> &'k str {
        let below = self.root.as_ref().filter(|_| kind == Kind::Path).and_then(|root| key.strip_prefix(root.as_str()));
        below.filter(|rest| !rest.is_empty()).unwrap_or(key)
    }

    fn intern(&mut self, found: &Entity<'_>) -> u32 {
        let key = self.normal(found.kind, &found.key);
        if let Some(&id) = self.keys.get(key) {
            return id;
        }
        let id = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let key: Box<str> = key.into();
        self.names.push((found.kind, key.clone()));
        self.places.push(Vec::new());
        self.keys.insert(key, id);
        id
    }

    /// One number for `loader.rs`, `feeder/loader.rs` and `src/feeder/loader.rs`, where only one path ends so.
    fn join_aliases(&mut self) {
        self.stands = (0..u32::try_from(self.names.len()).unwrap_or(u32::MAX)).collect();
        for (id, (kind, key)) in (0..).zip(&self.names) {
            if *kind == Kind::Path {
                self.by_name.entry(last_part(key).into()).or_default().push(id);
            }
        }
        for ids in self.by_name.values_mut() {
            // The longest first, so that what a path stands for is known before shorter forms of it are looked at.
            ids.sort_by_key(|id| (std::cmp::Reverse(self.names[*id as usize].1.len()), *id));
            for (at, &id) in ids.iter().enumerate() {
                let longer =
                    ids[..at].iter().filter(|one| ends_in(&self.names[**one as usize].1, &self.names[id as usize].1));
                self.stands[id as usize] = only(longer.map(|one| self.stands[*one as usize])).unwrap_or(id);
            }
        }
        for id in 0..self.names.len() {
            let whole = self.stands[id] as usize;
            if whole != id {
                let places = std::mem::take(&mut self.places[id]);
                self.places[whole].extend(places);
                self.places[whole].sort_unstable();
                self.places[whole].dedup();
            }
        }
        let stands = |id: EntityId| EntityId(self.stands[id.0 as usize]);
        for says in &mut self.says {
            says.entities.iter_mut().for_each(|id| *id = stands(*id));
            says.entities.sort_unstable();
            says.entities.dedup();
            says.uses.iter_mut().for_each(|one| one.entity = stands(one.entity));
            // What stands before what came to nothing, a call before words.
            says.uses.sort_by_key(|one| (one.entity, one.outcome, !one.in_call));
            says.uses.dedup_by_key(|one| one.entity);
        }
        self.above = self.names.iter().map(|(kind, key)| self.folders_above(*kind, key)).collect();
        self.spread = vec![0; self.names.len()];
        for says in &self.says {
            says.entities.iter().for_each(|id| self.spread[id.0 as usize] += 1);
        }
    }

    /// The number of an entity that a text of the strategy names; `None` when the transcript never says it.
    pub(crate) fn find(&self, kind: Kind, key: &str) -> Option<EntityId> {
        let key = self.normal(kind, key);
        let found = self.keys.get(key).copied().or_else(|| {
            let ids = self.by_name.get(last_part(key)).filter(|_| kind == Kind::Path)?;
            let same = |id: &&u32| {
                let whole = &*self.names[**id as usize].1;
                ends_in(whole, key) || ends_in(key, whole)
            };
            only(ids.iter().filter(same).map(|id| self.stands[*id as usize]))
        })?;
        Some(EntityId(self.stands[found as usize]))
    }

    /// The folders above a path that the transcript names: whoever keeps the path knows them.
    pub(crate) fn above(&self, id: EntityId) -> &[EntityId] {
        &self.above[id.0 as usize]
    }

    fn folders_above(&self, kind: Kind, key: &str) -> Box<[EntityId]> {
        let cuts = key.match_indices('/').map(|(at, _)| at).filter(|&at| kind == Kind::Path && at > 0);
        cuts.filter_map(|at| self.keys.get(&key[..at]).map(|&id| EntityId(self.stands[id as usize]))).collect()
    }

    /// Whether some calls were taken back later.
    pub(crate) fn has_dead_ends(&self) -> bool {
        self.has_dead_ends
    }

    /// Calls `each` with every entity of a text, by the rules of this index.
    pub(crate) fn extract<'t>(&self, text: &'t str, each: impl FnMut(Entity<'t>)) {
        self.extractor.extract(text, each);
    }

    /// What an entry says.
    pub(crate) fn says(&self, idx: EntryIdx) -> Option<&Says> {
        self.says.get(idx.0)
    }

    /// The lines that say an entity, in order.
    pub(crate) fn places(&self, id: EntityId) -> &[Place] {
        &self.places[id.0 as usize]
    }

    /// Its kind.
    pub(crate) fn kind(&self, id: EntityId) -> Kind {
        self.names[id.0 as usize].0
    }

    /// Its normal form.
    pub(crate) fn key(&self, id: EntityId) -> &str {
        &self.names[id.0 as usize].1
    }

    /// Numbers are below this.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether so many entries say it that its survival means nothing.
    pub(crate) fn is_common(&self, id: EntityId) -> bool {
        let entries = u32::try_from(self.says.len()).unwrap_or(u32::MAX);
        self.says.len() >= FEW && f64::from(self.spread[id.0 as usize]) > COMMON * f64::from(entries)
    }

    /// The normal forms of all entities: for frequencies over a corpus.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(_, key)| &**key)
    }
}
