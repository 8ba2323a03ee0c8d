//! Annotated items of a transcript, frozen before any run.

use std::collections::BTreeMap;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::polarity::has_negation;
use crate::digest::hex;
use crate::meter::goal::text::{normalise, whole_text};
use crate::replay::Item;
use crate::transcript::{EntryIdx, Transcript};

/// What an item is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Goal and success criteria.
    Goal,
    /// A rule of the person.
    Constraint,
    /// A decision with its reason, or a rejected option.
    Decision,
    /// A file and what was done to it.
    Artifact,
    /// A step that is done or open.
    Progress,
    /// An exact value.
    Value,
    /// An error message.
    Error,
}

impl Category {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Goal, Self::Constraint, Self::Decision, Self::Artifact, Self::Progress, Self::Value, Self::Error];

    /// Its name in files and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goal => "goal",
            Self::Constraint => "constraint",
            Self::Decision => "decision",
            Self::Artifact => "artifact",
            Self::Progress => "progress",
            Self::Value => "value",
            Self::Error => "error",
        }
    }

    /// Its share of the whole. Exact values and error messages are one part of 0.10 and share it.
    pub fn share(self) -> f64 {
        match self {
            Self::Goal => 0.25,
            Self::Constraint => 0.20,
            Self::Decision | Self::Artifact | Self::Progress => 0.15,
            Self::Value | Self::Error => 0.05,
        }
    }
}

/// Something that the agent must still know.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalItem {
    /// Its id.
    pub id: String,
    /// What it is about.
    pub category: Category,
    /// The item in words, for people.
    pub text: String,
    /// Its weight within the category.
    pub weight: f64,
    /// Losing it is a veto.
    pub critical: bool,
    /// The entries that state it.
    pub source: Vec<EntryIdx>,
    /// The words that state it, as they stand in one of those entries.
    pub quote: Option<String>,
    /// The item that replaces it; by id.
    pub superseded_by: Option<usize>,
    /// From this entry on it is done: a summary that lists it as open is wrong, and the other way round.
    pub done_at: Option<EntryIdx>,
    /// Slots, each a list of spellings of which one must be there. Normalised.
    pub must: Vec<Vec<String>>,
    /// The slots must stand within so many bytes of each other, where not the usual number.
    pub within: Option<usize>,
    /// Spellings that show the item wrong or stale. Normalised.
    pub must_not: Vec<String>,
}

/// The items of a transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ItemSet {
    /// In the order of the file.
    pub items: Vec<GoalItem>,
}

/// A file of items could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ItemsError {
    /// It is not TOML of the right shape.
    #[error("{0}")]
    Shape(#[from] toml::de::Error),
    /// An item names an entry or item that is not there, or says nothing.
    #[error("item {item:?}: {reason}")]
    Item {
        /// The item.
        item: String,
        /// What is wrong.
        reason: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    item: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    category: Category,
    text: String,
    #[serde(default = "one")]
    weight: f64,
    #[serde(default)]
    critical: bool,
    source: Vec<String>,
    superseded_by: Option<String>,
    done_at: Option<String>,
    must: Vec<Vec<String>>,
    #[serde(default)]
    must_not: Vec<String>,
    quote: Option<String>,
    within: Option<usize>,
}

fn one() -> f64 {
    1.0
}

/// The most slots of an item, and the most bytes of a spelling: more is a mistake, not an item.
const MOST_SLOTS: usize = 32;
const LONGEST: usize = 1_000;

impl GoalItem {
    /// Whether the item forbids something in words, while none of its slots carries the negation.
    pub(super) fn negated_without_slot(&self) -> bool {
        let carries = |slot: &Vec<String>| slot.iter().all(|spelling| has_negation(spelling));
        has_negation(&normalise(&self.text)) && !self.must.iter().any(carries)
    }

    /// Whether it belongs to the fifth of the items that nobody may look at while tuning: by the digest of its id, so
    /// that nobody chooses it.
    pub fn is_hidden(&self) -> bool {
        Sha256::digest(&self.id)[0] % 5 == 0
    }
}

impl ItemSet {
    /// Reads an `items.toml` for `transcript`.
    ///
    /// # Errors
    /// When it has another shape, or an item names something that is not there.
    pub fn parse(toml: &str, transcript: &Transcript) -> Result<Self, ItemsError> {
        let File { item: rows } = toml::from_str(toml)?;
        let mut ids = BTreeMap::new();
        for (index, row) in rows.iter().enumerate() {
            if ids.insert(row.id.clone(), index).is_some() {
                let reason = "there are two items of this id".to_owned();
                return Err(ItemsError::Item { item: row.id.clone(), reason });
            }
        }
        let entries = transcript.entries.iter().enumerate().map(|(index, entry)| (&*entry.id, EntryIdx(index)));
        let names = Names { ids: &ids, entries: entries.collect(), transcript };
        let items = rows.iter().map(|row| names.item(row)).collect::<Result<_, _>>()?;
        Ok(Self { items })
    }

    /// SHA-256 of everything that decides a score, in hexadecimal: items are frozen before any run, and every record
    /// names what it was scored against. `None` without items.
    pub fn sha256(&self) -> Option<String> {
        if self.items.is_empty() {
            return None;
        }
        let mut hash = Sha256::new();
        for item in &self.items {
            // `Debug` of plain values is unambiguous: texts are quoted.
            hash.update(format!("{item:?}\n"));
        }
        Some(hex(&hash.finalize()))
    }
}

/// What an item may name.
struct Names<'a> {
    ids: &'a BTreeMap<String, usize>,
    entries: BTreeMap<&'a str, EntryIdx>,
    transcript: &'a Transcript,
}

impl Names<'_> {
    fn item(&self, row: &Row) -> Result<GoalItem, ItemsError> {
        let wrong = |reason: String| ItemsError::Item { item: row.id.clone(), reason };
        check_slots(row).map_err(wrong)?;
        let entry = |id: &String| {
            let found = self.entries.get(id.as_str()).copied();
            found.ok_or_else(|| wrong(format!("no entry has the id {id:?}")))
        };
        let superseder = |id: &String| match self.ids.get(id) {
            Some(_) if *id == row.id => Err(wrong("it cannot supersede itself".to_owned())),
            Some(&found) => Ok(found),
            None => Err(wrong(format!("no item has the id {id:?}"))),
        };
        let normal = |spellings: &Vec<String>| spellings.iter().map(|spelling| normalise(spelling)).collect();
        let item = GoalItem {
            source: row.source.iter().map(entry).collect::<Result<_, _>>()?,
            superseded_by: row.superseded_by.as_ref().map(superseder).transpose()?,
            done_at: row.done_at.as_ref().map(entry).transpose()?,
            must: row.must.iter().map(normal).collect(),
            must_not: normal(&row.must_not),
            quote: row.quote.clone(),
            within: row.within,
            category: row.category,
            text: row.text.clone(),
            weight: row.weight,
            critical: row.critical,
            id: row.id.clone(),
        };
        self.check_quote(&item).map_err(wrong)?;
        Ok(item)
    }

    /// A quote stands in one of the sources.
    fn check_quote(&self, item: &GoalItem) -> Result<(), String> {
        let Some(quote) = &item.quote else { return Ok(()) };
        let said = |&idx: &EntryIdx| {
            let entry = Item::entry(self.transcript, idx);
            entry
                .message(self.transcript)
                .is_some_and(|message| normalise(&whole_text(message)).contains(&normalise(quote)))
        };
        if item.source.iter().any(said) { Ok(()) } else { Err(format!("no source says {quote:?}")) }
    }
}

fn check_slots(row: &Row) -> Result<(), String> {
    if row.source.is_empty() || row.must.is_empty() || row.must.iter().any(Vec::is_empty) {
        return Err("it needs a source, and at least one slot with a spelling".to_owned());
    }
    if row.must.len() > MOST_SLOTS {
        return Err(format!("it has {} slots, {MOST_SLOTS} at most: split it", row.must.len()));
    }
    let spellings = || row.must.iter().flatten().chain(&row.must_not);
    if let Some(long) = spellings().find(|spelling| spelling.len() > LONGEST) {
        return Err(format!("a spelling has {} bytes, {LONGEST} at most", long.len()));
    }
    if spellings().any(|spelling| spelling.trim().is_empty()) {
        return Err("a spelling is empty, and would be found everywhere".to_owned());
    }
    if !(row.weight.is_finite() && row.weight > 0.0) {
        return Err(format!("its weight is {}, expected a number above 0", row.weight));
    }
    Ok(())
}
