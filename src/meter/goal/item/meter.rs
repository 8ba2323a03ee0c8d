//! The meter: at every cut, what of the items is still visible.

use super::control::{self, Budget};
use super::fates::{Marks, Moment, fates};
use super::rounds::Rounds;
use super::{Category, Fate, ItemFate, ItemSet, Lifetime, Presence, Score};
use crate::measure::Measure;
use crate::meter::goal::reach::Reach;
use crate::meter::goal::seen::{Mirror, Recovered, Seen, Whole};
use crate::meter::{Measures, Meter, number};
use crate::replay::{Item, Live, ReplayEvent};
use crate::tokens::MessageTable;
use crate::transcript::{EntryIdx, Tokens, Transcript};

/// A cut that dropped less than this share of the window is not scored.
pub(crate) const DROPPED_FLOOR: f64 = 0.05;

/// Measures of items, after the loss itself, in the order of [`Category::ALL`].
const BY_CATEGORY: [&str; 7] = [
    "goal_loss_goal",
    "goal_loss_constraint",
    "goal_loss_decision",
    "goal_loss_artifact",
    "goal_loss_progress",
    "goal_loss_value",
    "goal_loss_error",
];

/// The others.
const REST: [&str; 9] = [
    "goal_loss_with_recovery",
    "recovery_price_tokens",
    "goal_loss_full_history",
    "goal_loss_nothing_kept",
    "goal_loss_random_extract",
    "goal_loss_oracle_extract",
    "goal_loss_hidden_items",
    "critical_lost_count",
    "inverted_constraints_count",
];

/// Scores the items at every cut; the last one counts.
#[derive(Debug)]
pub struct Goal<'m> {
    items: &'m ItemSet,
    presence: &'m Presence,
    floor: f64,
    /// By entry, whether it is on the path; empty when all are.
    on_path: Vec<bool>,
    reach: Reach,
    reference: Option<&'m MessageTable>,
    /// The newest entry that a request has held.
    now: Option<EntryIdx>,
    dropped: u64,
    recovered: Recovered,
    rounds: Rounds,
    cut: Option<Cut>,
    /// The context when messages were changed in place.
    mirror: Mirror,
    /// That was after the last cut: it is looked at when it is asked for.
    edited: Option<Edited>,
    overflowed: bool,
}

/// The last change in place.
#[derive(Clone, Copy, Debug)]
struct Edited {
    /// The newest entry that had been said by then.
    now: Option<EntryIdx>,
}

/// A scored cut.
#[derive(Clone, Debug)]
struct Cut {
    fates: ItemFate,
    /// With what recovery put back into the context.
    put_back: ItemFate,
    now: Option<EntryIdx>,
    /// What the context holds whole.
    whole: Whole,
    made_bytes: u64,
}

impl<'m> Goal<'m> {
    /// A meter of these items, for a model with a window of this many tokens.
    pub fn new(items: &'m ItemSet, presence: &'m Presence, window: Tokens) -> Self {
        Self {
            items,
            presence,
            floor: number(window.0) * DROPPED_FLOOR,
            on_path: Vec::new(),
            reach: Reach::Nothing,
            reference: None,
            now: None,
            dropped: 0,
            recovered: Recovered::default(),
            rounds: Rounds::default(),
            cut: None,
            mirror: Mirror::default(),
            edited: None,
            overflowed: false,
        }
    }

    /// Items that are stated off this path only are not demanded.
    #[must_use]
    pub fn on_path(mut self, path: &[EntryIdx], transcript: &Transcript) -> Self {
        self.on_path = vec![false; transcript.entries.len()];
        for idx in path {
            self.on_path[idx.0] = true;
        }
        self
    }

    /// What the strategy can still reach, priced by these counts.
    #[must_use]
    pub fn reaching(mut self, reach: Reach, reference: &'m MessageTable) -> Self {
        (self.reach, self.reference) = (reach, Some(reference));
        self
    }

    /// The fate of every item at the last cut; `None` when there was none.
    pub fn fates(&self) -> Option<&[Fate]> {
        self.cut.as_ref().map(|cut| cut.fates.as_slice())
    }

    /// The lives of the items over the cuts, in the order of the items; empty without a scored cut.
    pub fn lives(&self) -> &[Lifetime] {
        self.rounds.lives()
    }

    /// Scores what was edited since, so that the last cut is the last one indeed.
    pub fn settle(&mut self, transcript: &Transcript) {
        if let Some(Edited { now }) = self.edited.take() {
            let seen = Seen::of(self.mirror.items(), transcript, &self.recovered);
            self.score(seen, now);
        }
    }

    fn compacted(&mut self, live: &Live<'_>) {
        if number(self.dropped) < self.floor {
            return;
        }
        let seen = Seen::new(live, &self.recovered);
        let now = self.now.max(seen.newest);
        self.score(seen, now);
        self.edited = None;
        if let Some(cut) = &self.cut {
            self.rounds.add(&cut.fates);
        }
    }

    fn score(&mut self, seen: Seen, now: Option<EntryIdx>) {
        let (closed, open) = Marks::of_seen(self.items, self.presence, &seen);
        let whole = Whole::new(seen.entries);
        let moment = Moment { now, whole: &whole, on_path: &self.on_path };
        let closed = fates(self.items, &closed, moment);
        let put_back = open.map_or_else(|| closed.clone(), |open| fates(self.items, &open, moment));
        self.overflowed = false;
        self.cut = Some(Cut { fates: closed, put_back, now, whole, made_bytes: seen.made_bytes });
    }

    /// Why nothing is measured, if nothing is.
    fn void(&self) -> Option<&'static str> {
        if self.items.items.is_empty() {
            Some("the transcript has no annotated items")
        } else if self.cut.is_none() {
            Some("less than 5 % of the window was dropped")
        } else if self.overflowed {
            Some("the reader overflowed: a request after the last cut did not fit the window")
        } else {
            None
        }
    }

    /// The score with what can be reached, and what reaching it costs.
    fn with_recovery(&self, cut: &Cut) -> (Option<f64>, Tokens) {
        let mut price = Tokens(0);
        let mut reached = |(item, fate): (&super::GoalItem, &Fate)| {
            if !matches!(fate, Fate::Lost | Fate::Partly) || self.reach == Reach::Nothing {
                return fate.score();
            }
            let tokens = item.source.iter().map(|&idx| self.reference.map_or(Tokens(0), |table| table.entry(idx)));
            price = price + self.reach.price(tokens.min().unwrap_or_default());
            Some(1.0)
        };
        let scores: Vec<_> = self.items.items.iter().zip(&cut.put_back).map(&mut reached).collect();
        (Score::of_scores(self.items, &scores).loss, price)
    }

    /// Losses of the controls: full history, nothing kept, random extract, best extract.
    fn controls(&self, cut: &Cut) -> [Option<f64>; 4] {
        let until = cut.now.map_or(0, |idx| idx.0 + 1);
        let is_on_path = |index: &usize| self.on_path.get(*index).copied().unwrap_or(self.on_path.is_empty());
        let path = || (0..until).filter(is_on_path).map(EntryIdx);
        let is_whole = |idx: &EntryIdx| cut.whole.holds(*idx);
        let moment = Moment { now: cut.now, whole: &cut.whole, on_path: &self.on_path };
        let of = |marks: &Marks| Score::new(self.items, &fates(self.items, marks, moment)).loss;
        let full = of(&Marks::of_entries(self.items, self.presence, path()));
        let tail = Marks::of_entries(self.items, self.presence, path().filter(is_whole));
        let tail = fates(self.items, &tail, moment);
        let nothing = Score::new(self.items, &tail).loss;
        let mut dropped = vec![false; until];
        for idx in path().filter(|idx| !is_whole(idx)) {
            dropped[idx.0] = true;
        }
        let budget = Budget { dropped: &dropped, bytes: cut.made_bytes };
        let lines = self.presence.lines();
        let random = control::random(self.items, lines, &tail, budget);
        [full, nothing, random, control::oracle(self.items, lines, &tail, budget)]
    }
}

impl Meter for Goal<'_> {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => {
                self.now = self.now.max(Some(request.entry));
                self.overflowed |= request.overflow;
            }
            ReplayEvent::Compaction(compaction) => {
                self.recovered.note(compaction);
                self.dropped += compaction.dropped_tokens().0;
                // What stood in the context was said, also where the cut drops it at once.
                self.now = self.now.max(compaction.before.iter().filter_map(Item::origin).max());
                self.compacted(compaction.after);
            }
            ReplayEvent::Edit(edit) => {
                self.dropped += edit.saved.0;
                self.mirror.note(edit.places);
                if number(self.dropped) >= self.floor && !self.items.items.is_empty() {
                    self.mirror.look(edit.after);
                    let newest = edit.after.view().items().iter().rev().find_map(Item::origin);
                    self.edited = Some(Edited { now: self.now.max(newest) });
                    self.overflowed = false;
                }
            }
            // What was reached stays reached: what is dropped only grows.
            ReplayEvent::Switch(switch) if number(self.dropped) < self.floor => {
                self.floor = number(switch.limits.window.0) * DROPPED_FLOOR;
            }
            ReplayEvent::Switch(_) | ReplayEvent::Overflow(_) | ReplayEvent::Stuck(_) | ReplayEvent::Fired(_) => {}
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        if let Some(reason) = self.void() {
            let all = ["goal_loss"].into_iter().chain(BY_CATEGORY).chain(REST);
            return all.map(|name| (name, Measure::void(reason))).collect();
        }
        let Some(cut) = &self.cut else { return Measures::new() };
        let score = Score::new(self.items, &cut.fates);
        let measure =
            |loss: Option<f64>| loss.map_or_else(|| Measure::void("no item of it was dropped"), Measure::from);
        let mut measures = vec![("goal_loss", measure(score.loss))];
        measures.extend(BY_CATEGORY.into_iter().zip(score.by_category).map(|(name, loss)| (name, measure(loss))));
        let (reached, price) = self.with_recovery(cut);
        let controls = self.controls(cut);
        let hidden = Score::only(self.items, &cut.fates, super::GoalItem::is_hidden).loss;
        let inverted = self.items.items.iter().zip(&cut.fates);
        let inverted = inverted.filter(|(item, fate)| item.category == Category::Constraint && **fate == Fate::Wrong);
        let counts = [score.critical_lost, inverted.count() as u64].map(|count| Measure::Value(number(count)));
        let price = match self.reach {
            Reach::Nothing => Measure::void("the strategy leaves nothing within reach"),
            Reach::History | Reach::Search { .. } => Measure::Value(number(price.0)),
        };
        let rest =
            [measure(reached), price].into_iter().chain(controls.map(measure)).chain([measure(hidden)]).chain(counts);
        measures.extend(REST.into_iter().zip(rest));
        debug_assert_eq!(BY_CATEGORY.len(), Category::ALL.len());
        measures
    }
}
