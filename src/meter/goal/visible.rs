//! The meter: at every cut, what of the items is still visible.

use std::collections::HashSet;

use memchr::memmem;

use super::presence::normalised;
use super::{Category, Fate, GoalItem, ItemFate, ItemSet, Presence, Score};
use crate::measure::Measure;
use crate::meter::{Measures, Meter, number};
use crate::replay::Source;
use crate::replay::{Live, ReplayEvent};
use crate::transcript::EntryIdx;

/// A cut that dropped less than this share of the window is not scored.
const DROPPED_FLOOR: f64 = 0.05;

/// Scores the items at every cut; the last one counts.
#[derive(Debug)]
pub struct Goal<'m> {
    items: &'m ItemSet,
    presence: &'m Presence,
    floor: f64,
    /// The newest entry that a request has held.
    now: Option<EntryIdx>,
    dropped: u64,
    fates: Option<ItemFate>,
}

/// What can be seen: the recorded entries that are whole, and the texts of everything else.
struct Visible {
    entries: HashSet<EntryIdx>,
    made: Vec<String>,
    newest: Option<EntryIdx>,
}

impl Visible {
    fn new(live: &Live<'_>) -> Self {
        let mut visible = Self { entries: HashSet::new(), made: Vec::new(), newest: None };
        for (index, item) in live.view().items().iter().enumerate() {
            match &item.source {
                Source::Entry(idx) => {
                    visible.entries.insert(*idx);
                }
                Source::Changed(..) | Source::Made(_) => {
                    visible.made.extend(live.view().message(index).map(normalised));
                }
                Source::Omitted(_) | Source::Nothing => {}
            }
            visible.newest = visible.newest.max(item.origin());
        }
        visible
    }

    fn made_holds(&self, spelling: &str) -> bool {
        self.made.iter().any(|text| memmem::find(text.as_bytes(), spelling.as_bytes()).is_some())
    }
}

impl<'m> Goal<'m> {
    /// A meter of these items, for a model with a window of this many tokens.
    pub fn new(items: &'m ItemSet, presence: &'m Presence, window: crate::transcript::Tokens) -> Self {
        Self { items, presence, floor: number(window.0) * DROPPED_FLOOR, now: None, dropped: 0, fates: None }
    }

    /// The fate of every item at the last cut; `None` when there was none.
    pub fn fates(&self) -> Option<&[Fate]> {
        self.fates.as_deref()
    }

    fn cut(&mut self, live: &Live<'_>) {
        if number(self.dropped) < self.floor {
            return;
        }
        let visible = Visible::new(live);
        let now = self.now.max(visible.newest);
        let fates = self.items.items.iter().enumerate().map(|(index, item)| self.fate(index, item, &visible, now));
        self.fates = Some(fates.collect());
    }

    fn fate(&self, index: usize, item: &GoalItem, visible: &Visible, now: Option<EntryIdx>) -> Fate {
        let said = |source: &[EntryIdx]| source.iter().any(|&idx| Some(idx) <= now);
        if item.superseded_by.is_some_and(|newer| said(&self.items.items[newer].source)) {
            return Fate::Superseded;
        }
        if !said(&item.source) || item.source.iter().any(|idx| visible.entries.contains(idx)) {
            return Fate::InTail;
        }
        if item.must_not.iter().any(|spelling| visible.made_holds(spelling)) {
            return Fate::Wrong;
        }
        let held = |slot: usize, spelling: usize| {
            let holders = self.presence.holders(index, slot, spelling);
            holders.iter().any(|idx| visible.entries.contains(idx)) || visible.made_holds(&item.must[slot][spelling])
        };
        let slots =
            (0..item.must.len()).filter(|&slot| (0..item.must[slot].len()).any(|spelling| held(slot, spelling)));
        match slots.count() {
            0 => Fate::Lost,
            all if all == item.must.len() => Fate::Kept,
            _ => Fate::Partly,
        }
    }
}

impl Meter for Goal<'_> {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => self.now = self.now.max(Some(request.entry)),
            ReplayEvent::Compaction(compaction) => {
                self.dropped += compaction.dropped_tokens().0;
                self.cut(compaction.after);
            }
            ReplayEvent::Edit(edit) => {
                self.dropped += edit.saved.0;
                self.cut(edit.after);
            }
            ReplayEvent::Overflow(_) | ReplayEvent::Stuck(_) | ReplayEvent::Fired(_) => {}
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        let names = [
            "goal_loss_goal",
            "goal_loss_constraint",
            "goal_loss_decision",
            "goal_loss_artifact",
            "goal_loss_progress",
            "goal_loss_value",
            "goal_loss_error",
        ];
        let none = if self.items.items.is_empty() {
            Some("the transcript has no annotated items")
        } else if self.fates.is_none() {
            Some("less than 5 % of the window was dropped")
        } else {
            None
        };
        if let Some(reason) = none {
            let all = ["goal_loss"].into_iter().chain(names).chain(["critical_lost_count"]);
            return all.map(|name| (name, Measure::void(reason))).collect();
        }
        let score = Score::new(self.items, self.fates.as_deref().unwrap_or_default());
        let measure =
            |loss: Option<f64>| loss.map_or_else(|| Measure::void("no item of it was dropped"), Measure::from);
        let mut measures = vec![("goal_loss", measure(score.loss))];
        measures.extend(names.into_iter().zip(score.by_category).map(|(name, loss)| (name, measure(loss))));
        measures.push(("critical_lost_count", Measure::Value(number(score.critical_lost))));
        debug_assert_eq!(names.len(), Category::ALL.len());
        measures
    }
}
