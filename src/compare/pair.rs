//! Which cell of the base is the same cell as which of the head.

use std::collections::{BTreeMap, BTreeSet};

use crate::results::{CellRecord, Run};

/// One cell in both runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<'r> {
    pub(super) base: &'r CellRecord,
    pub(super) head: &'r CellRecord,
}

impl Pair<'_> {
    /// Both runs recorded the same.
    pub(super) fn is_same(&self) -> bool {
        self.base.measures == self.head.measures && self.base.items == self.head.items
    }
}

/// The pairs of two runs, and what has no partner.
#[derive(Debug)]
pub(super) struct Paired<'r> {
    pub(super) pairs: Vec<Pair<'r>>,
    pub(super) missing_in_head: usize,
    pub(super) missing_in_base: usize,
    pub(super) changed_transcripts: Vec<String>,
}

/// The pairs of one strategy in one setting.
#[derive(Debug)]
pub(super) struct Group<'r> {
    pub(super) pairs: Vec<Pair<'r>>,
}

/// What makes a cell the same cell when two strategies are compared: all that its id is made of, but the strategy.
type Place<'r> = (&'r str, &'r str, u64, &'r str, u64, u32);

fn place(cell: &CellRecord) -> Place<'_> {
    (&cell.transcript, &cell.model, cell.window_tokens, &cell.history, cell.seed, cell.replicate)
}

/// Pairs cells by their id; cells of two strategies by everything else.
pub(super) fn pairs<'r>(base: &'r Run, head: &'r Run, strategies: Option<&(String, String)>) -> Paired<'r> {
    let changed = changed_transcripts(base, head);
    let is_alike = |cell: &&CellRecord| !changed.contains(cell.transcript.as_str());
    let (old, new): (Vec<&CellRecord>, Vec<&CellRecord>) = match strategies {
        None => (base.cells.iter().filter(is_alike).collect(), head.cells.iter().filter(is_alike).collect()),
        Some((from, to)) => (
            base.cells.iter().filter(is_alike).filter(|cell| cell.strategy == *from).collect(),
            head.cells.iter().filter(is_alike).filter(|cell| cell.strategy == *to).collect(),
        ),
    };
    let pairs: Vec<Pair<'r>> = if strategies.is_none() {
        let by_id: BTreeMap<&str, &CellRecord> = new.iter().map(|cell| (cell.cell.as_str(), *cell)).collect();
        let pair = |base: &&'r CellRecord| Some(Pair { base, head: by_id.get(base.cell.as_str())? });
        old.iter().filter_map(pair).collect()
    } else {
        let by_place: BTreeMap<Place<'_>, &CellRecord> = new.iter().map(|cell| (place(cell), *cell)).collect();
        let pair = |base: &&'r CellRecord| Some(Pair { base, head: by_place.get(&place(base))? });
        old.iter().filter_map(pair).collect()
    };
    Paired {
        missing_in_head: old.len() - pairs.len(),
        missing_in_base: new.len().saturating_sub(pairs.len()),
        changed_transcripts: changed.into_iter().map(str::to_owned).collect(),
        pairs,
    }
}

/// Names that stand for another content, or other annotated items, in the head: a loss of other items is another measure.
fn changed_transcripts<'r>(base: &'r Run, head: &Run) -> BTreeSet<&'r str> {
    let items = |run: &'_ Run, name: &str| -> BTreeSet<Option<String>> {
        run.cells.iter().filter(|cell| cell.transcript == name).map(|cell| cell.items_sha256.clone()).collect()
    };
    let contents = |run: &'_ Run, name: &str| -> Vec<String> {
        run.manifest.transcripts.iter().filter(|one| one.name == name).map(|one| one.sha256.clone()).collect()
    };
    let names = base.manifest.transcripts.iter().map(|one| one.name.as_str());
    names
        .filter(|name| {
            let new = contents(head, name);
            let (old_items, new_items) = (items(base, name), items(head, name));
            let other_items = !old_items.is_empty() && !new_items.is_empty() && old_items != new_items;
            !new.is_empty() && (new != contents(base, name) || other_items)
        })
        .collect()
}

/// Groups pairs by strategy and setting, in the order of their first pair.
pub(super) fn groups<'r>(pairs: &[Pair<'r>]) -> Vec<Group<'r>> {
    let mut groups: Vec<Group<'r>> = Vec::new();
    let mut places: BTreeMap<(&str, &str, u64, &str), usize> = BTreeMap::new();
    for pair in pairs {
        let CellRecord { strategy, model, window_tokens, history, .. } = pair.base;
        let at = *places.entry((strategy, model, *window_tokens, history)).or_insert_with(|| {
            groups.push(Group { pairs: Vec::new() });
            groups.len() - 1
        });
        groups[at].pairs.push(*pair);
    }
    groups
}
