//! What is doubtful about annotated items: they may be used, but would measure something else than they mean.

use std::collections::HashSet;

use super::{Category, GoalItem, ItemSet};
use crate::meter::goal::text::{normalise, whole_text};
use crate::replay::Item;
use crate::transcript::{EntryIdx, Transcript};

/// A doubt about an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Id of the item.
    pub item: String,
    /// What is doubtful, and what to do.
    pub words: String,
}

/// A spelling in more than this share of the messages is found by chance.
const EVERYWHERE: f64 = 0.3;

/// Looks at every item. `templates` are texts that any summary may repeat: words that stand there prove nothing.
pub fn doubts(items: &ItemSet, transcript: &Transcript, path: &[EntryIdx], templates: &[String]) -> Vec<Doubt> {
    let text = |idx: &EntryIdx| {
        Item::entry(transcript, *idx).message(transcript).map(|message| normalise(&whole_text(message)))
    };
    let texts: Vec<(EntryIdx, String)> = path.iter().filter_map(|idx| Some((*idx, text(idx)?))).collect();
    let on_path: HashSet<EntryIdx> = path.iter().copied().collect();
    let templates: Vec<String> = templates.iter().map(|text| normalise(text)).collect();
    let look = Look { items, texts: &texts, on_path: &on_path, templates: &templates };
    items.items.iter().flat_map(|item| look.at(item)).collect()
}

struct Look<'a> {
    items: &'a ItemSet,
    texts: &'a [(EntryIdx, String)],
    on_path: &'a HashSet<EntryIdx>,
    templates: &'a [String],
}

impl Look<'_> {
    fn at(&self, item: &GoalItem) -> Vec<Doubt> {
        let mut words = Vec::new();
        self.slots(item, &mut words);
        self.life(item, &mut words);
        if item.category == Category::Constraint && item.negated_without_slot() {
            words.push(
                "it forbids something, but no slot carries the negation: add one, such as [\"not\", \"never\"]"
                    .to_owned(),
            );
        }
        words.into_iter().map(|words| Doubt { item: item.id.clone(), words }).collect()
    }

    fn source_says(&self, item: &GoalItem, spelling: &str) -> bool {
        self.texts.iter().any(|(idx, text)| item.source.contains(idx) && text.contains(spelling))
    }

    fn slots(&self, item: &GoalItem, words: &mut Vec<String>) {
        for (number, slot) in (1..).zip(&item.must) {
            if !slot.iter().any(|spelling| self.source_says(item, spelling)) {
                words.push(format!(
                    "no source says slot {number} ({}): even the whole history would lose it",
                    slot.join(" | ")
                ));
            }
            for spelling in slot {
                let holders = self.texts.iter().filter(|(_, text)| text.contains(spelling.as_str())).count();
                #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
                let share = holders as f64 / self.texts.len().max(1) as f64;
                if self.templates.iter().any(|text| text.contains(spelling.as_str())) {
                    words.push(format!("{spelling:?} stands in a summary template: it proves nothing"));
                } else if holders > 3 && share > EVERYWHERE {
                    words.push(format!("{spelling:?} stands in {holders} messages: it is found by chance"));
                }
            }
        }
        for spelling in item.must_not.iter().filter(|spelling| self.source_says(item, spelling)) {
            words.push(format!(
                "its own source says {spelling:?}, which must not be said: a faithful copy would be wrong"
            ));
        }
    }

    fn life(&self, item: &GoalItem, words: &mut Vec<String>) {
        if !item.source.iter().any(|idx| self.on_path.contains(idx)) {
            words.push("its sources are on another branch: it is never scored".to_owned());
        }
        let first = item.source.iter().min();
        if item.done_at.as_ref().is_some_and(|done| Some(done) < first) {
            words.push("it is done before it is said".to_owned());
        }
        let newer = item.superseded_by.map(|newer| &self.items.items[newer]);
        if newer.is_some_and(|newer| newer.source.iter().max() < first) {
            words.push("what supersedes it is said before it".to_owned());
        }
        let mut seen = HashSet::from([item.id.as_str()]);
        let mut next = newer;
        while let Some(one) = next {
            if !seen.insert(one.id.as_str()) {
                words.push("it supersedes itself in a circle".to_owned());
                break;
            }
            next = one.superseded_by.map(|newer| &self.items.items[newer]);
        }
    }
}

/// Agreement of two annotators on which messages state something to remember.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Messages on the path.
    pub messages: usize,
    /// Messages that both name as a source.
    pub both: usize,
    /// Messages that one of them names.
    pub either: usize,
    /// Cohen's kappa over the messages (Cohen 1960); `None` when chance alone would agree always.
    pub kappa: Option<f64>,
}

/// Compares the sources of two item sets for one session.
pub fn agreement(a: &ItemSet, b: &ItemSet, path: &[EntryIdx]) -> Agreement {
    let sources =
        |items: &ItemSet| items.items.iter().flat_map(|item| item.source.iter().copied()).collect::<HashSet<_>>();
    let (a, b) = (sources(a), sources(b));
    let count = |of: &dyn Fn(&EntryIdx) -> bool| path.iter().filter(|idx| of(idx)).count();
    let both = count(&|idx| a.contains(idx) && b.contains(idx));
    let either = count(&|idx| a.contains(idx) || b.contains(idx));
    let (in_a, in_b) = (count(&|idx| a.contains(idx)), count(&|idx| b.contains(idx)));
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let share = |count: usize| count as f64 / path.len().max(1) as f64;
    let observed = share(both) + share(path.len() - either);
    let chance = share(in_a) * share(in_b) + (1.0 - share(in_a)) * (1.0 - share(in_b));
    let kappa = (chance < 1.0).then(|| (observed - chance) / (1.0 - chance));
    Agreement { messages: path.len(), both, either, kappa }
}
