//! Finds the spellings of all items in one pass over a text.

use aho_corasick::AhoCorasick;

use super::polarity::{is_negated, is_retracted};
use super::{Category, ItemSet};
use crate::meter::goal::text::{MadeText, Standing};

/// The slots of an item must stand within so many bytes of normalised text: two or three lines. An anchor list that
/// names every value of a session far from its rule does not state the rule.
pub(super) const WITHIN: usize = 400;

/// What a spelling is to its item.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// One of the spellings of a slot.
    Slot(u8),
    /// Shows that the item is wrong.
    Wrong,
}

#[derive(Clone, Copy, Debug)]
struct Spelling {
    item: u32,
    role: Role,
}

#[derive(Clone, Copy, Debug)]
struct Hit {
    item: u32,
    role: Role,
    start: usize,
    end: usize,
}

/// What a text says about one item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "findings that do not exclude each other")]
pub(super) struct Said {
    /// Some slot is there.
    pub(super) part: bool,
    /// All slots stand together.
    pub(super) whole: bool,
    /// As `whole`, in a text of the strategy's own, with nothing beside it that takes it back.
    pub(super) current: bool,
    /// A `must_not` is there.
    pub(super) wrong: bool,
    /// Stated as finished.
    pub(super) done: bool,
    /// Stated as unfinished.
    pub(super) open: bool,
}

impl Said {
    pub(super) fn add(&mut self, other: Self) {
        self.part |= other.part;
        self.whole |= other.whole;
        self.current |= other.current;
        self.wrong |= other.wrong;
        self.done |= other.done;
        self.open |= other.open;
    }
}

/// The shape of an item, as far as matching needs it.
#[derive(Clone, Copy, Debug)]
struct Shape {
    slots: u8,
    within: usize,
    /// The item forbids something, and no slot of its own says so.
    negative: bool,
}

/// All spellings of an item set, compiled.
#[derive(Clone, Debug, Default)]
pub(super) struct Matcher {
    automaton: Option<AhoCorasick>,
    spellings: Vec<Spelling>,
    shapes: Vec<Shape>,
}

impl Matcher {
    /// Compiles the spellings. Texts are searched in time linear in their length, whatever the number of items.
    pub(super) fn new(items: &ItemSet) -> Self {
        let (mut words, mut spellings, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        for (index, item) in items.items.iter().enumerate() {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            for (slot, alternatives) in item.must.iter().enumerate() {
                let role = Role::Slot(u8::try_from(slot).unwrap_or(u8::MAX));
                for word in alternatives {
                    words.push(word.as_str());
                    spellings.push(Spelling { item: number, role });
                }
            }
            for word in &item.must_not {
                words.push(word.as_str());
                spellings.push(Spelling { item: number, role: Role::Wrong });
            }
            let negative = item.category == Category::Constraint && item.negated_without_slot();
            let slots = u8::try_from(item.must.len()).unwrap_or(u8::MAX);
            shapes.push(Shape { slots, within: item.within.unwrap_or(WITHIN), negative });
        }
        // Spellings are short and few; a set too large for an automaton would find nothing, and `parse` limits it.
        let automaton = if words.is_empty() { None } else { AhoCorasick::new(&words).ok() };
        Self { automaton, spellings, shapes }
    }

    /// What a normalised recorded text says about the items.
    pub(super) fn recorded(&self, text: &str) -> Vec<(u32, Said)> {
        self.said(text, |_| Standing::Unsaid, false)
    }

    /// What a text of the strategy's own says about the items.
    pub(super) fn made(&self, text: &MadeText) -> Vec<(u32, Said)> {
        self.said(&text.normal, |at| text.standing(at), true)
    }

    /// The slots, by item, with a spelling in a normalised line; each once.
    pub(super) fn slots_of(&self, line: &str) -> Vec<(usize, usize)> {
        let slot = |hit: Hit| match hit.role {
            Role::Slot(slot) => Some((hit.item as usize, usize::from(slot))),
            Role::Wrong => None,
        };
        let mut slots: Vec<_> = self.hits(line).into_iter().filter_map(slot).collect();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    fn said(&self, text: &str, standing: impl Fn(usize) -> Standing, is_made: bool) -> Vec<(u32, Said)> {
        let mut hits = self.hits(text);
        hits.sort_by_key(|hit| (hit.item, hit.start));
        let of_one = |hits: &[Hit]| {
            let shape = self.shapes[hits[0].item as usize];
            (hits[0].item, judge(hits, shape, text, &standing, is_made))
        };
        hits.chunk_by(|a, b| a.item == b.item).map(of_one).collect()
    }

    fn hits(&self, text: &str) -> Vec<Hit> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let whole = |found: &aho_corasick::Match| is_whole_number(text, found.start(), found.end());
        let hit = |found: aho_corasick::Match| {
            let Spelling { item, role } = self.spellings[found.pattern().as_usize()];
            Hit { item, role, start: found.start(), end: found.end() }
        };
        automaton.find_overlapping_iter(text).filter(whole).map(hit).collect()
    }
}

/// `42 g` is not said by `142 g`, nor `1.5` by `1.52`.
pub(in crate::meter::goal) fn is_whole_number(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let before = digit(start) && start > 0 && digit(start - 1);
    let after = end > 0 && digit(end - 1) && digit(end);
    !before && !after
}

/// Judges the hits of one item, in order of place: the slots that a window of `within` bytes holds together.
fn judge(hits: &[Hit], shape: Shape, text: &str, standing: &impl Fn(usize) -> Standing, is_made: bool) -> Said {
    let mut said = Said { wrong: hits.iter().any(|hit| matches!(hit.role, Role::Wrong)), ..Said::default() };
    let slots: Vec<(u8, Hit)> =
        hits.iter().filter_map(|&hit| if let Role::Slot(slot) = hit.role { Some((slot, hit)) } else { None }).collect();
    said.part = !slots.is_empty();
    let mut seen = vec![0_u32; usize::from(shape.slots)];
    let (mut from, mut distinct) = (0, 0);
    for (to, &(slot, hit)) in slots.iter().enumerate() {
        distinct += u32::from(seen[usize::from(slot)] == 0);
        seen[usize::from(slot)] += 1;
        while hit.end.saturating_sub(slots[from].1.start) > shape.within && from < to {
            let left = usize::from(slots[from].0);
            seen[left] -= 1;
            distinct -= u32::from(seen[left] == 0);
            from += 1;
        }
        if distinct < u32::from(shape.slots) {
            continue;
        }
        let start = slots[from..=to].iter().map(|(_, hit)| hit.start).min().unwrap_or(hit.start);
        if is_made && shape.negative && !is_negated(text, start, hit.end) {
            continue;
        }
        said.whole = true;
        said.current |= is_made && !is_retracted(text, start, hit.end);
        said.done |= standing(hit.start) == Standing::Done;
        said.open |= standing(hit.start) == Standing::Open;
    }
    said
}
