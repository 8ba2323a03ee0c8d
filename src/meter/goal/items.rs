//! Annotated items of a transcript, frozen before any run.

use serde::Deserialize;

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
    /// The item that replaces it; by id.
    pub superseded_by: Option<usize>,
    /// From this entry on it is done.
    pub done_at: Option<EntryIdx>,
    /// Slots, each a list of spellings of which one must be there. Normalised.
    pub must: Vec<Vec<String>>,
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
}

fn one() -> f64 {
    1.0
}

/// Lower case, with every run of white space as one space: how texts and spellings are compared.
pub(super) fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

impl ItemSet {
    /// Reads an `items.toml` for `transcript`.
    ///
    /// # Errors
    /// When it has another shape, or an item names something that is not there.
    pub fn parse(toml: &str, transcript: &Transcript) -> Result<Self, ItemsError> {
        let File { item: rows } = toml::from_str(toml)?;
        let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
        let items = rows.into_iter().map(|row| item(row, &ids, transcript)).collect::<Result<_, _>>()?;
        Ok(Self { items })
    }
}

fn item(row: Row, ids: &[String], transcript: &Transcript) -> Result<GoalItem, ItemsError> {
    let wrong = |reason: String| ItemsError::Item { item: row.id.clone(), reason };
    let entry = |id: &String| {
        let found = transcript.entries.iter().position(|entry| *entry.id == **id);
        found.map(EntryIdx).ok_or_else(|| wrong(format!("no entry has the id {id:?}")))
    };
    if row.source.is_empty() || row.must.is_empty() || row.must.iter().any(Vec::is_empty) {
        return Err(wrong("it needs a source, and at least one slot with a spelling".to_owned()));
    }
    if !(row.weight.is_finite() && row.weight > 0.0) {
        return Err(wrong(format!("its weight is {}, expected a number above 0", row.weight)));
    }
    let superseder = |id: &String| {
        let found = ids.iter().position(|other| other == id);
        found.ok_or_else(|| wrong(format!("no item has the id {id:?}")))
    };
    let normal = |spellings: &Vec<String>| spellings.iter().map(|spelling| normalise(spelling)).collect();
    Ok(GoalItem {
        source: row.source.iter().map(entry).collect::<Result<_, _>>()?,
        superseded_by: row.superseded_by.as_ref().map(superseder).transpose()?,
        done_at: row.done_at.as_ref().map(entry).transpose()?,
        must: row.must.iter().map(normal).collect(),
        must_not: normal(&row.must_not),
        category: row.category,
        text: row.text,
        weight: row.weight,
        critical: row.critical,
        id: row.id,
    })
}
