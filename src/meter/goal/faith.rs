//! Faithfulness: what a summary says that nobody said, and what it merely copies.

use std::collections::{HashMap, HashSet};

use aho_corasick::AhoCorasick;

use super::copied::Copied;
use super::entity::{EntityIndex, Kind, extract};
use super::text::{normalise, plain, whole_text};
use crate::measure::Measure;
use crate::meter::{Measures, Meter, number};
use crate::replay::{CompactionEvent, Item, ReplayEvent};
use crate::transcript::{EntryIdx, Transcript};

/// A compaction after which this share of the context is still there has compacted next to nothing.
const KEPT_MOST: f64 = 0.95;

/// Why nothing is said of the summaries, where a session begins with one.
pub(super) const UNSOURCED: &str = "what the summary replaces is not in the file";

/// Whether nothing stood before a compaction: what it replaces was said in another file.
pub(super) fn is_unsourced(event: &CompactionEvent<'_, '_>, transcript: &Transcript) -> bool {
    event.before.iter().all(|item| item.message(transcript).is_none())
}

/// Above this share of a summary's identifiers, fabrication is a veto.
pub const FABRICATION_VETO: f64 = 0.02;

/// The meter.
#[derive(Debug)]
pub struct Faith<'m> {
    transcript: &'m Transcript,
    path: &'m [EntryIdx],
    index: &'m EntityIndex,
    /// By entry, whether it is on the path.
    on_path: Vec<bool>,
    now: Option<EntryIdx>,
    summaries: u64,
    /// Summaries of what the file does not hold: nothing is known of their source.
    unsourced: u64,
    identifiers: u64,
    /// Identifiers that the index does not know, with the moment of their summary.
    unknown: Vec<Unknown>,
    words: (u64, u64),
    entity_bytes: (u64, u64),
    tokens: (u64, u64),
    not_compressing: u64,
    kept_most: u64,
}

/// The parts of which a joined name is made: `a/b/c` without a file at its end is a list as often as a path, and
/// `name=value` may join what its source has apart.
fn parts(kind: Kind, key: &str) -> Vec<&str> {
    let is_list = kind == Kind::Path && !key.starts_with(['/', '.', '~']) && !key.contains('.');
    match kind {
        Kind::Setting => key.splitn(2, '=').collect(),
        Kind::Path if is_list => key.split('/').collect(),
        _ => vec![key],
    }
}

/// An identifier without a source, so far.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unknown {
    key: String,
    kind: Kind,
    now: Option<EntryIdx>,
}

/// An identifier of a summary that stands nowhere in its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fabrication {
    /// What it is.
    pub kind: Kind,
    /// Its normal form.
    pub key: String,
    /// The session says it later: the summary knows what it cannot know, or names what it plans.
    pub foreseen: bool,
}

impl<'m> Faith<'m> {
    /// A meter for one replay. Only recorded messages are a source; an earlier summary never is.
    pub fn new(transcript: &'m Transcript, path: &'m [EntryIdx], index: &'m EntityIndex) -> Self {
        let mut on_path = vec![false; transcript.entries.len()];
        path.iter().for_each(|idx| on_path[idx.0] = true);
        Self {
            transcript,
            path,
            index,
            on_path,
            now: None,
            summaries: 0,
            unsourced: 0,
            identifiers: 0,
            unknown: Vec::new(),
            words: (0, 0),
            entity_bytes: (0, 0),
            tokens: (0, 0),
            not_compressing: 0,
            kept_most: 0,
        }
    }

    fn summary(&mut self, event: &CompactionEvent<'_, '_>) {
        if is_unsourced(event, self.transcript) {
            self.unsourced += 1;
            return;
        }
        let after = event.after.reference().range(0..event.made_items);
        let dropped = event.dropped_tokens();
        self.not_compressing += u64::from(after >= dropped);
        let left = number(event.after.request_tokens().0);
        self.kept_most += u64::from(left >= KEPT_MOST * number(event.before_tokens().0));
        let text = event.summary.text.as_str();
        if text.is_empty() {
            return;
        }
        self.summaries += 1;
        self.tokens = (self.tokens.0 + after.0, self.tokens.1 + dropped.0);
        self.copied(event, text);
        let newest = event.before.iter().rev().find_map(Item::origin);
        self.identify(&plain(text), self.now.max(newest));
    }

    fn identify(&mut self, text: &str, now: Option<EntryIdx>) {
        let mut seen = HashSet::new();
        let mut bytes = 0;
        extract(text, |found| {
            if found.kind == Kind::Command {
                return;
            }
            bytes += found.key.len() as u64;
            if !seen.insert(found.key.clone()) {
                return;
            }
            self.identifiers += 1;
            let places = self.index.find(found.kind, &found.key).map_or(&[][..], |id| self.index.places(id));
            let said = places.iter().find(|place| self.on_path[place.entry.0]);
            if said.is_none_or(|place| Some(place.entry) > now) {
                self.unknown.push(Unknown { key: found.key.to_lowercase(), kind: found.kind, now });
            }
        });
        let solid = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count() as u64;
        self.entity_bytes = (self.entity_bytes.0 + bytes, self.entity_bytes.1 + solid);
    }

    /// Counts the words of a summary that stand in runs which the dropped part holds too.
    fn copied(&mut self, event: &CompactionEvent<'_, '_>, text: &str) {
        let mut summary = Copied::new(text);
        let dropped = event.before[..event.plan.kept_from].iter();
        dropped.filter_map(|item| item.message(self.transcript)).for_each(|message| summary.look_in(message));
        self.words = (self.words.0 + summary.copied_words(), self.words.1 + summary.words());
    }

    /// The identifiers that stand nowhere in the source, letter by letter, at the moment of their summary. One pass over the
    /// session, whatever the number of summaries.
    pub fn fabrications(&self) -> Vec<Fabrication> {
        let pieces: Vec<Vec<&str>> = self.unknown.iter().map(|one| parts(one.kind, &one.key)).collect();
        // Each once: summary after summary may repeat it.
        let mut keys: Vec<&str> = pieces.iter().flatten().copied().collect();
        keys.sort_unstable();
        keys.dedup();
        let mut first: HashMap<usize, EntryIdx> = HashMap::new();
        if let Some(automaton) = AhoCorasick::new(&keys).ok().filter(|_| !keys.is_empty()) {
            for &idx in self.path {
                let item = Item::entry(self.transcript, idx);
                let Some(message) = item.message(self.transcript) else { continue };
                let text = normalise(&whole_text(message));
                for found in automaton.find_overlapping_iter(&text) {
                    first.entry(found.pattern().as_usize()).or_insert(idx);
                }
                if first.len() == keys.len() {
                    break;
                }
            }
        }
        let fabricated = |(one, pieces): (&Unknown, &Vec<&str>)| {
            // A joined name is said when the last of its parts is.
            let own = pieces.iter().map(|piece| first.get(&keys.binary_search(piece).ok()?).copied());
            let said = own.collect::<Option<Vec<_>>>();
            let said = said.and_then(|all| all.into_iter().max());
            let is_said = said.is_some_and(|idx| Some(idx) <= one.now);
            (!is_said).then(|| Fabrication { kind: one.kind, key: one.key.clone(), foreseen: said.is_some() })
        };
        self.unknown.iter().zip(&pieces).filter_map(fabricated).collect()
    }
}

impl Meter for Faith<'_> {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => self.now = self.now.max(Some(request.entry)),
            ReplayEvent::Compaction(compaction) => self.summary(compaction),
            _ => {}
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        let ratio = |(part, whole): (u64, u64), none: &str| {
            if whole == 0 { Measure::void(none) } else { Measure::from(number(part) / number(whole)) }
        };
        let none = if self.unsourced > 0 { UNSOURCED } else { "no summary was written" };
        let fabricated = self.fabrications();
        let foreseen = fabricated.iter().filter(|one| one.foreseen).count() as u64;
        let count = |count: u64| if self.summaries == 0 { Measure::void(none) } else { Measure::Value(number(count)) };
        let known = |count: u64| {
            if self.unsourced > 0 && self.summaries == 0 {
                Measure::void(UNSOURCED)
            } else {
                Measure::Value(number(count))
            }
        };
        let identifiers = if self.summaries == 0 { none } else { "the summaries hold no identifier" };
        vec![
            ("fabricated_count", count(fabricated.len() as u64)),
            ("fabrication_ratio", ratio((fabricated.len() as u64, self.identifiers), identifiers)),
            ("foreseen_count", count(foreseen)),
            ("copied_ratio", ratio(self.words, none)),
            ("summary_entity_ratio", ratio(self.entity_bytes, none)),
            ("summary_to_dropped_ratio", ratio(self.tokens, none)),
            ("not_compressing_count", known(self.not_compressing)),
            ("kept_most_count", known(self.kept_most)),
        ]
    }
}
