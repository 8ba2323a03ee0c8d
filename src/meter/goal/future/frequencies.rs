//! How common a thing is among the sessions of a corpus.

use std::collections::HashMap;

use crate::meter::goal::entity::EntityIndex;
use crate::meter::number;

/// How many sessions say each entity.
#[derive(Clone, Debug, Default)]
pub struct Frequencies {
    sessions: usize,
    counts: HashMap<Box<str>, usize>,
}

impl Frequencies {
    /// Counts over the sessions of a corpus.
    pub fn new<'i>(indexes: impl Iterator<Item = &'i EntityIndex>) -> Self {
        let mut found = Self::default();
        for index in indexes {
            found.sessions += 1;
            index.keys().for_each(|key| *found.counts.entry(key.into()).or_default() += 1);
        }
        found
    }

    /// `1 + ln((n + 1) / (df + 1))`, which is 1 for what all sessions say.
    pub(super) fn idf(&self, key: &str) -> f64 {
        let df = self.counts.get(key).copied().unwrap_or(1);
        1.0 + (number(self.sessions as u64 + 1) / number(df as u64 + 1)).ln()
    }
}
