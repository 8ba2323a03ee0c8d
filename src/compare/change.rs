//! What differs between two runs, beside the verdict.

use std::collections::BTreeMap;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;
use toml::Value;

use super::Difference;
use super::judge::{Numbers, TIE, difference};
use super::pair::{Group, Pair, groups};
use crate::measure::{Direction, MeasureDef};
use crate::results::Run;
use crate::stats::{Paired, Resampling, mean};

/// A field of the experiment that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The field, as a path.
    pub field: String,
    /// Its value in the base; `None` when it is not there.
    pub base: Option<String>,
    /// Its value in the head.
    pub head: Option<String>,
}

/// A measure whose mean over lineages moved. It is described, not judged: only gates are, and only they share Holm's correction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// Strategy of the head.
    pub strategy: String,
    /// The model.
    pub model: String,
    /// Its window.
    pub window_tokens: u64,
    /// The measure.
    pub measure: String,
    /// Its unit.
    pub unit: String,
    /// Which way is better.
    pub direction: Direction,
    /// Mean of the base.
    pub base: f64,
    /// Mean of the head.
    pub head: f64,
    /// Lineages with numbers in both.
    pub n: usize,
    /// The differences by lineage; positive is worse, or more where no way is better. Its p is not corrected.
    pub difference: Difference,
}

/// What a move means, as far as its interval tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shift {
    /// The interval of the difference lies below 0.
    Better,
    /// It lies above 0.
    Worse,
    /// It holds 0, or there is none: this may be chance.
    Unclear,
    /// No way is better.
    Neutral,
}

impl Moved {
    /// What the move means.
    pub fn shift(&self) -> Shift {
        match (self.direction, self.difference.interval) {
            (Direction::Neutral, _) => Shift::Neutral,
            (_, Some([_, high])) if high < 0.0 => Shift::Better,
            (_, Some([low, _])) if low > 0.0 => Shift::Worse,
            _ => Shift::Unclear,
        }
    }
}

/// The fields in which the experiments, and the programs, differ.
pub(super) fn changes(base: &Run, head: &Run) -> Vec<Change> {
    let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
    for (run, fields) in [(base, &mut old), (head, &mut new)] {
        fields.insert("program".to_owned(), run.manifest.generator.clone());
        if let Ok(config) = run.manifest.config.parse::<toml::Table>() {
            flatten("", &Value::Table(config), fields);
        }
    }
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name))
        .map(|name| Change { field: name.clone(), base: old.get(name).cloned(), head: new.get(name).cloned() })
        .collect()
}

fn flatten(path: &str, value: &Value, into: &mut BTreeMap<String, String>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Table(table) => table.iter().for_each(|(name, value)| flatten(&below(name), value, into)),
        // Found by its name, so that a strategy or model that moved in its list is no change.
        Value::Array(items) if items.iter().any(Value::is_table) => {
            for (index, item) in items.iter().enumerate() {
                let name = item.get("name").and_then(Value::as_str).map_or_else(|| index.to_string(), str::to_owned);
                flatten(&below(&name), item, into);
            }
        }
        other => {
            into.insert(path.to_owned(), other.to_string());
        }
    }
}

/// Every measure whose mean moved, in the order of the groups and of the definitions.
pub(super) fn moved(pairs: &[Pair<'_>], measures: &[MeasureDef], resampling: Resampling) -> Vec<Moved> {
    let groups = groups(pairs);
    let all: Vec<(&Group<'_>, &MeasureDef)> =
        groups.iter().flat_map(|group| measures.iter().map(move |def| (group, def))).collect();
    // In parallel, because every one is resampled; the order stays.
    all.into_par_iter().filter_map(|(group, def)| one(group, def, resampling)).collect()
}

fn one(group: &Group<'_>, def: &MeasureDef, resampling: Resampling) -> Option<Moved> {
    let rows = Numbers::of(&group.pairs, def).rows;
    let (base, head): (Vec<f64>, Vec<f64>) = rows.iter().map(|row| (row.base, row.head)).unzip();
    let (base, head) = (mean(&base)?, mean(&head)?);
    if (base - head).abs() <= 1e-9 * base.abs().max(1.0) {
        return None;
    }
    let worse: Vec<f64> = rows.iter().map(|row| row.worse_by).collect();
    let first = group.pairs[0].head;
    Some(Moved {
        strategy: first.strategy.clone(),
        model: first.model.clone(),
        window_tokens: first.window_tokens,
        measure: def.name.clone(),
        unit: def.unit.clone(),
        direction: def.direction,
        base,
        head,
        n: rows.len(),
        difference: difference(&Paired::of(&worse, TIE, resampling)?, &rows),
    })
}
