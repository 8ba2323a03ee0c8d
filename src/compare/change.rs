//! What differs between two runs, beside the verdict.

use std::collections::BTreeMap;

use serde::Serialize;
use toml::Value;

use super::pair::{Pair, groups};
use crate::measure::{Measure, MeasureDef};
use crate::results::Run;
use crate::stats::{Observation, Sample, mean};

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

/// A measure whose mean over lineages moved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// Strategy of the head.
    pub strategy: String,
    /// The model.
    pub model: String,
    /// The measure.
    pub measure: String,
    /// Its unit.
    pub unit: String,
    /// Mean of the base.
    pub base: f64,
    /// Mean of the head.
    pub head: f64,
    /// Lineages with numbers in both.
    pub n: usize,
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
pub(super) fn moved(pairs: &[Pair<'_>], measures: &[MeasureDef]) -> Vec<Moved> {
    let mut moved = Vec::new();
    for group in groups(pairs) {
        for def in measures {
            let number = |measure: Option<&Measure>| measure.and_then(Measure::value);
            let both = group.pairs.iter().filter_map(|pair| {
                let old = number(pair.base.measures.get(&def.name))?;
                Some((pair.base, old, number(pair.head.measures.get(&def.name))?))
            });
            let (mut base, mut head) = (Vec::new(), Vec::new());
            for (cell, old, new) in both {
                let of =
                    |value| Observation { lineage: &cell.lineage, transcript: &cell.transcript, value: Some(value) };
                base.push(of(old));
                head.push(of(new));
            }
            let (base, head) = (Sample::of(base).values(), Sample::of(head).values());
            let (Some(old), Some(new)) = (mean(&base), mean(&head)) else { continue };
            if (old - new).abs() > 1e-9 * old.abs().max(1.0) {
                let first = group.pairs[0].head;
                moved.push(Moved {
                    strategy: first.strategy.clone(),
                    model: first.model.clone(),
                    measure: def.name.clone(),
                    unit: def.unit.clone(),
                    base: old,
                    head: new,
                    n: base.len(),
                });
            }
        }
    }
    moved
}
