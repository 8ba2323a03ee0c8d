//! Future-use recall: what the recorded continuation acts on, and only the dropped part knew.
//!
//! It needs no annotations. It is use by *the recorded continuation*: another agent might have gone another way, and the
//! recorded one saw another context. Each fact is asked of the last cut before its first use.

mod frequencies;
mod ledger;
mod second;
mod shown;
mod star;

pub use frequencies::Frequencies;
pub use ledger::KindUse;
pub use second::Second;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::entity::{EntityId, EntityIndex, Outcome, Place, Use};
use super::item::DROPPED_FLOOR;
use super::seen::Recovered;
use crate::measure::Measure;
use crate::meter::{Measures, Meter, number};
use crate::replay::{Item, Live, ReplayEvent};
use crate::tokens::MessageTable;
use crate::transcript::{EntryIdx, EntryKind, Message, Tokens, Transcript};
use ledger::Ledger;
use shown::{Look, Shown};
use star::Needed;

/// Fewer facts than this say nothing.
const FEWEST: usize = 8;

/// A use in a call weighs 1, one in words a half.
const IN_WORDS: f64 = 0.5;

/// After so many turns a use weighs half: our own choice.
const HALF_AFTER_TURNS: f64 = 10.0;

/// What a replay is measured against.
#[derive(Clone, Copy, Debug)]
pub struct FutureInput<'m> {
    /// The session.
    pub transcript: &'m Transcript,
    /// Its path, whole: the past and the future.
    pub path: &'m [EntryIdx],
    /// Its entities.
    pub index: &'m EntityIndex,
    /// Reference counts, for the price of fetching again.
    pub reference: &'m MessageTable,
    /// How many sessions of the corpus say an entity; see [`Frequencies`].
    pub frequencies: Option<&'m Frequencies>,
    /// The model's window.
    pub window: Tokens,
    /// The recorded agent acted on summaries of its own: then recall says nothing, and only fetching again is measured.
    pub contaminated: bool,
}

/// The meter.
#[derive(Debug)]
pub struct Future<'m> {
    input: FutureInput<'m>,
    on_path: Vec<bool>,
    recovered: Recovered,
    /// Entries of the path that were taken in.
    taken: usize,
    /// Bytes of those.
    bytes: u64,
    dropped: u64,
    turns: u32,
    /// What the context showed at the last cut.
    shown: Shown,
    /// What is known, by entity.
    ledger: Ledger,
    needed: Vec<Needed>,
    /// The last cut.
    cut: Option<Cut>,
    /// By cut, bytes of what stands for the dropped part.
    made: Vec<u64>,
    fetched: FxHashMap<EntityId, EntryIdx>,
    paid: FxHashMap<EntryIdx, Tokens>,
    fetched_facts: u64,
    calls: FxHashMap<u64, EntryIdx>,
    asked: (u64, u64),
    /// By entity, the last use that did not come to nothing.
    last_standing: FxHashMap<EntityId, EntryIdx>,
    /// Facts that were used in dead ends alone.
    dead_ends: BTreeSet<EntityId>,
    /// By entity that was asked for: the entries of its lines on the path, each with the shortest line so far.
    lines: FxHashMap<EntityId, Vec<(EntryIdx, Place)>>,
}

/// A cut, as far as the future asks about it.
#[derive(Clone, Debug)]
struct Cut {
    now: Option<EntryIdx>,
    /// The share of the dropped bytes that what stands for them has.
    share: f64,
    overflowed: bool,
}

impl<'m> Future<'m> {
    /// A meter for one replay.
    pub fn new(input: FutureInput<'m>) -> Self {
        let mut on_path = vec![false; input.transcript.entries.len()];
        for idx in input.path {
            on_path[idx.0] = true;
        }
        let mut ledger = Ledger::new(input.index.len());
        let system = input.transcript.head.system.iter().map(crate::transcript::Text::as_str);
        let tools = input.transcript.head.tools.iter().flatten().map(|tool| &*tool.description);
        for text in system.chain(tools) {
            input.index.extract(text, |found| {
                input.index.find(found.kind, &found.key).into_iter().for_each(|id| ledger.show(id, &[]));
            });
        }
        Self {
            on_path,
            recovered: Recovered::default(),
            taken: 0,
            bytes: 0,
            dropped: 0,
            turns: 0,
            shown: Shown::new(input.transcript.entries.len()),
            ledger,
            needed: Vec::new(),
            cut: None,
            made: Vec::new(),
            fetched: FxHashMap::default(),
            paid: FxHashMap::default(),
            fetched_facts: 0,
            calls: FxHashMap::default(),
            asked: (0, 0),
            last_standing: last_standing(&input),
            dead_ends: BTreeSet::new(),
            lines: FxHashMap::default(),
            input,
        }
    }

    /// Items of contexts that were looked at, over all cuts.
    pub fn looked_items(&self) -> u64 {
        self.shown.looked
    }

    /// What was needed and what of it was kept, by kind, in the order of kinds.
    pub fn by_kind(&self) -> Vec<KindUse> {
        ledger::by_kind(self.needed.iter().map(|one| (one.kind, one.kept)))
    }

    /// Takes in the path up to a record. Records of a path stand in the order of the file.
    fn take_until(&mut self, last: EntryIdx) {
        while let Some(&idx) = self.input.path.get(self.taken).filter(|idx| **idx <= last) {
            self.take(idx);
            self.taken += 1;
        }
    }

    fn take(&mut self, idx: EntryIdx) {
        let Some(says) = self.input.index.says(idx) else { return };
        self.bytes += says.bytes;
        let message = match &self.input.transcript.entry(idx).kind {
            EntryKind::Message(message) => Some(message),
            _ => None,
        };
        if matches!(message, Some(Message::User(_))) {
            self.turns += 1;
        }
        self.reissues(idx, &says.calls);
        if self.cut.is_none() {
            return;
        }
        for one in &says.uses {
            if self.is_dead_end(idx, one) {
                self.ledger.use_made(one.entity);
                if !self.ledger.knows(one.entity) && self.was_dropped(one.entity) {
                    self.dead_ends.insert(one.entity);
                }
            } else {
                self.used(one.entity, one.in_call);
            }
        }
        let is_result = matches!(message, Some(Message::ToolResult(_)));
        for &entity in &says.entities {
            if is_result && !self.ledger.knows(entity) && self.was_dropped(entity) {
                self.fetched.insert(entity, idx);
            }
            self.ledger.learn(entity);
        }
    }

    /// Whether a use came to nothing, together with all later ones of the same thing. To take back what was done before the cut
    /// is a use like any other.
    fn is_dead_end(&self, idx: EntryIdx, one: &Use) -> bool {
        let came_to_nothing = match one.outcome {
            Outcome::Stands => false,
            Outcome::Undone => true,
            Outcome::Undoes(earlier) => Some(earlier) > self.cut.as_ref().and_then(|cut| cut.now),
        };
        came_to_nothing && self.last_standing.get(&one.entity).is_none_or(|&last| last < idx)
    }

    /// Counts calls that were made before, and whose first call is gone.
    fn reissues(&mut self, idx: EntryIdx, calls: &[u64]) {
        for &call in calls {
            let before = self.calls.insert(call, idx);
            let Some(cut) = &self.cut else { continue };
            self.asked.1 += 1;
            let is_gone = |entry: EntryIdx| Some(entry) <= cut.now && !self.shown.holds(entry);
            self.asked.0 += u64::from(before.is_some_and(is_gone));
        }
    }

    /// Whether a dropped line says an entity. None stands in the context: then it would be known.
    fn was_dropped(&self, entity: EntityId) -> bool {
        let now = self.cut.as_ref().and_then(|cut| cut.now);
        let places = self.input.index.places(entity).iter();
        places.take_while(|place| Some(place.entry) <= now).any(|place| self.on_path[place.entry.0])
    }

    /// The shortest dropped line that says an entity, and how many say it. The lines of an entity are walked once, however
    /// many cuts ask for them.
    fn dropped_lines(&mut self, entity: EntityId) -> Option<(Place, usize)> {
        let now = self.cut.as_ref().and_then(|cut| cut.now);
        let (index, on_path) = (self.input.index, &self.on_path);
        let lines = self.lines.entry(entity).or_insert_with(|| {
            let mut shortest: Option<Place> = None;
            let places = index.places(entity).iter().filter(|place| on_path[place.entry.0]);
            let so_far = |place: &Place| {
                let best = shortest.filter(|best| (best.bytes, *best) < (place.bytes, *place)).unwrap_or(*place);
                shortest = Some(best);
                (place.entry, best)
            };
            places.map(so_far).collect()
        });
        let before = lines.partition_point(|(entry, _)| Some(*entry) <= now);
        Some((lines[before.checked_sub(1)?].1, before))
    }

    /// The agent acts on an entity.
    fn used(&mut self, entity: EntityId, in_call: bool) {
        self.ledger.use_made(entity);
        if self.ledger.knows(entity) {
            if let Some(result) = self.fetched.remove(&entity) {
                self.fetched_facts += 1;
                self.paid.insert(result, self.input.reference.entry(result));
            }
            return;
        }
        self.ledger.learn(entity);
        if self.input.index.is_common(entity) {
            return;
        }
        let Some((line, lines)) = self.dropped_lines(entity) else { return };
        let Some(share) = self.cut.as_ref().map(|cut| cut.share) else { return };
        let lines = i32::try_from(lines).unwrap_or(i32::MAX);
        let cut = self.made.len() - 1;
        let kind = self.input.index.kind(entity);
        let idf = self.input.frequencies.map_or(1.0, |all| all.idf(self.input.index.key(entity)));
        let decay = 0.5_f64.powf(f64::from(self.turns) / HALF_AFTER_TURNS);
        let value = kind.weight() * if in_call { 1.0 } else { IN_WORDS } * idf * decay;
        let chance = 1.0 - (1.0 - share).powi(lines);
        self.needed.push(Needed { kind, value, kept: self.ledger.made(entity), chance, line, cut });
    }

    fn cut(&mut self, live: &Live<'_>) {
        let look = Look { live, index: self.input.index, recovered: &self.recovered };
        self.shown.look(look, &mut self.ledger);
        self.ledger.start();
        let newest = self.input.path[..self.taken].last().copied().max(self.shown.newest);
        let dropped = self.bytes.saturating_sub(self.shown.visible);
        let made = self.shown.made;
        let share = if dropped == 0 { 0.0 } else { (number(made) / number(dropped)).min(1.0) };
        self.cut = Some(Cut { now: newest, share, overflowed: false });
        self.made.push(made);
        self.fetched.clear();
        self.turns = 0;
    }

    fn is_large(&self) -> bool {
        number(self.dropped) >= DROPPED_FLOOR * number(self.input.window.0)
    }

    /// Why recall says nothing, if it does not.
    fn void(&self) -> Option<&'static str> {
        if self.cut.is_none() {
            Some("less than 5 % of the window was dropped")
        } else if self.input.contaminated {
            Some("the recorded agent acted on its own summary, so its future says nothing about what was needed")
        } else if self.cut.as_ref().is_some_and(|cut| cut.overflowed) {
            Some("the reader overflowed: a request after the last cut did not fit the window")
        } else if self.needed.len() < FEWEST {
            Some("the continuation needs fewer than 8 facts that only the dropped part knew")
        } else {
            None
        }
    }
}

/// By entity, the last entry of the path that uses it in what stands; nothing where nobody asks, because no call was taken back.
fn last_standing(input: &FutureInput<'_>) -> FxHashMap<EntityId, EntryIdx> {
    if !input.index.has_dead_ends() {
        return FxHashMap::default();
    }
    let uses = input.path.iter().filter_map(|&idx| Some((idx, &input.index.says(idx)?.uses)));
    let standing = uses.flat_map(|(idx, uses)| {
        uses.iter().filter(|one| one.outcome == Outcome::Stands).map(move |one| (one.entity, idx))
    });
    standing.collect()
}

impl Meter for Future<'_> {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => {
                self.take_until(request.entry);
                if let Some(cut) = &mut self.cut {
                    cut.overflowed |= request.overflow;
                }
            }
            ReplayEvent::Compaction(compaction) => {
                self.recovered.note(compaction);
                self.dropped += compaction.dropped_tokens().0;
                // What stood in the context before the cut was known before it, also where the cut drops it at once.
                if let Some(newest) = compaction.before.iter().filter_map(Item::origin).max() {
                    self.take_until(newest);
                }
                if self.is_large() {
                    self.cut(compaction.after);
                }
            }
            ReplayEvent::Edit(edit) => {
                self.dropped += edit.saved.0;
                self.shown.changed(edit.places);
                if self.is_large() {
                    self.cut(edit.after);
                }
            }
            // What was reached stays reached: what is dropped only grows.
            ReplayEvent::Switch(switch) if !self.is_large() => self.input.window = switch.limits.window,
            ReplayEvent::Switch(_) | ReplayEvent::Overflow(_) | ReplayEvent::Stuck(_) | ReplayEvent::Fired(_) => {}
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        let recall = match self.void() {
            Some(reason) => Err(reason),
            None => star::recall(&self.needed, &self.made).ok_or("nothing that was needed has a weight"),
        };
        let of =
            |pick: fn(star::Recall) -> f64| recall.map_or_else(Measure::void, |recall| Measure::from(pick(recall)));
        let scale = "the best extract of this size is no better than a random one";
        let loss = recall.and_then(|recall| star::normalised_loss(recall).ok_or(scale));
        let none = self.cut.is_none().then_some("less than 5 % of the window was dropped");
        let count = |count: u64| none.map_or_else(|| Measure::Value(number(count)), Measure::void);
        let (made, used) = self.ledger.made_and_used();
        let unused = || {
            if made == 0 {
                Measure::void("nothing of the dropped part was kept by name")
            } else {
                Measure::from(1.0 - number(used) / number(made))
            }
        };
        vec![
            ("future_loss", loss.map_or_else(Measure::void, Measure::from)),
            ("future_recall", of(|recall| recall.kept)),
            ("future_recall_random", of(|recall| recall.random)),
            ("future_recall_best", of(|recall| recall.best)),
            ("future_facts_count", count(self.needed.len() as u64)),
            ("dead_end_facts_count", count(self.dead_ends.len() as u64)),
            ("kept_unused_ratio", none.map_or_else(unused, Measure::void)),
            ("refetched_facts_count", count(self.fetched_facts)),
            ("refetch_calls_count", count(self.paid.len() as u64)),
            ("refetch_tokens", count(self.paid.values().map(|tokens| tokens.0).sum())),
            ("reissued_calls_count", count(self.asked.0)),
        ]
    }
}
