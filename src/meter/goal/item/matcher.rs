//! Finds the spellings of all items in one pass over a text.

use aho_corasick::AhoCorasick;

use super::polarity::{has_denial, has_negation, is_negated_right_before};
use super::sentences::Sentences;
use super::spelling::is_whole;
use super::{Category, GoalItem, ItemSet};
use crate::meter::goal::text::{MadeText, Standing, normalise};

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
    /// All slots stand together, in a sentence that says that it does not hold.
    pub(super) denied: bool,
    /// All slots stand together, behind a negation that the source does not have, or under a heading of what is past.
    pub(super) negated: bool,
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
        self.denied |= other.denied;
        self.negated |= other.negated;
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
    /// The item itself speaks in the negative.
    denies: bool,
    /// The item is about what holds no more, or its source says so: that is no denial.
    takes_back: bool,
}

impl Shape {
    fn new(item: &GoalItem) -> Self {
        let own = normalise(&item.text);
        let spellings = || item.must.iter().flatten().map(String::as_str);
        Self {
            slots: u8::try_from(item.must.len()).unwrap_or(u8::MAX),
            within: item.within.unwrap_or(WITHIN),
            negative: item.category == Category::Constraint && item.negated_without_slot(),
            denies: has_negation(&own) || spellings().any(has_negation),
            takes_back: spellings().chain([own.as_str()]).any(has_denial),
        }
    }
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
            shapes.push(Shape::new(item));
        }
        // Spellings are short and few; a set too large for an automaton would find nothing, and `parse` limits it.
        let automaton = if words.is_empty() { None } else { AhoCorasick::new(&words).ok() };
        Self { automaton, spellings, shapes }
    }

    /// What a normalised recorded text says about the items.
    pub(super) fn recorded(&self, text: &str) -> Vec<(u32, Said)> {
        self.said(text, None)
    }

    /// What a text of the strategy's own says about the items.
    pub(super) fn made(&self, text: &MadeText) -> Vec<(u32, Said)> {
        self.said(&text.normal, Some(text))
    }

    /// Looks at the text of a source: an item that is denied already there cannot be denied by a summary.
    pub(super) fn learn_source(&mut self, text: &MadeText, is_source_of: impl Fn(usize) -> bool) {
        for (item, said) in self.made(text) {
            let item = item as usize;
            self.shapes[item].takes_back |= (said.denied || said.negated) && is_source_of(item);
        }
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

    fn said(&self, text: &str, made: Option<&MadeText>) -> Vec<(u32, Said)> {
        let mut hits = self.hits(text);
        hits.sort_by_key(|hit| (hit.item, hit.start));
        let made = made.map(|made| (made, Sentences::new(&made.normal)));
        let of_one = |hits: &[Hit]| (hits[0].item, judge(hits, self.shapes[hits[0].item as usize], made.as_ref()));
        hits.chunk_by(|a, b| a.item == b.item).map(of_one).collect()
    }

    fn hits(&self, text: &str) -> Vec<Hit> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        let whole = |found: &aho_corasick::Match| is_whole(text, found.start(), found.end());
        let hit = |found: aho_corasick::Match| {
            let Spelling { item, role } = self.spellings[found.pattern().as_usize()];
            Hit { item, role, start: found.start(), end: found.end() }
        };
        automaton.find_overlapping_iter(text).filter(whole).map(hit).collect()
    }
}

/// Judges the hits of one item, in order of place: the slots that a window of `within` bytes holds together.
fn judge(hits: &[Hit], shape: Shape, made: Option<&(&MadeText, Sentences<'_>)>) -> Said {
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
        // The shortest text that holds all of them.
        while seen[usize::from(slots[from].0)] > 1 {
            seen[usize::from(slots[from].0)] -= 1;
            from += 1;
        }
        match made {
            None => said.whole = true,
            Some((made, sentences)) => statement(&mut said, shape, made, sentences, (slots[from], hit)),
        }
    }
    said
}

/// Adds a statement of a strategy's own text, from its first slot to its last hit.
fn statement(
    said: &mut Said,
    shape: Shape,
    made: &MadeText,
    sentences: &Sentences<'_>,
    (first, last): ((u8, Hit), Hit),
) {
    let (start, end) = (first.1.start, last.end);
    let text = made.normal.as_str();
    let place = start..end;
    let lines = made.paragraph(start).start..made.paragraph(last.start).end;
    if shape.negative && !sentences.is_negated(&place, &lines) {
        return;
    }
    // `do not commit before the tests` denies no rule that begins with the tests.
    let is_turned = first.0 == 0 && !shape.denies && is_negated_right_before(text, start);
    // One word behind a `not` may be about anything: then nothing is stated, and nothing is wrong.
    let is_exact = shape.slots > 1 || text[start..end].bytes().any(|byte| byte.is_ascii_digit());
    // The sentences in which it begins and ends: what stands between them is about something else.
    let is_denied = |at: usize| sentences.is_denied(at, &made.paragraph(at));
    if !shape.takes_back && (is_denied(start) || last.start != start && is_denied(last.start)) {
        said.denied = true;
    } else if !shape.takes_back && (made.is_past(start) || is_turned) {
        said.negated |= is_exact || made.is_past(start);
    } else {
        said.whole = true;
        said.current |= !sentences.is_retracted(&place, &lines);
        said.done |= made.standing(last.start) == Standing::Done;
        said.open |= made.standing(last.start) == Standing::Open;
    }
}
