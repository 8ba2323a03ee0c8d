//! Which annotated items each strategy loses.

use super::{Cell, Setting};
use crate::results::ItemRecord;

/// One annotated item in all cells of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemRow<'run> {
    /// The item as the first cell has it: id, category, weight, critical.
    pub item: &'run ItemRecord,
    /// Its fate in each cell of the table; `None` where a cell does not know it.
    pub fates: Vec<Option<&'run ItemRecord>>,
}

/// The items of one transcript in one setting.
#[derive(Clone, Debug)]
pub struct ItemTable<'run> {
    /// The transcript.
    pub transcript: &'run str,
    /// The setting.
    pub setting: Setting<'run>,
    /// The cells with annotations, in the order of the grid: index of the strategy, and seed.
    pub cells: Vec<(usize, u64)>,
    /// Of each of these cells, the index in [`super::ReportModel::cells`].
    pub cell_indices: Vec<usize>,
    /// The items, in the order of the first cell.
    pub rows: Vec<ItemRow<'run>>,
}

pub(super) fn tables<'run>(cells: &[Cell<'run>]) -> Vec<ItemTable<'run>> {
    type Key<'run> = (&'run str, Setting<'run>);
    let mut groups: Vec<(Key<'run>, Vec<(usize, &Cell<'run>)>)> = Vec::new();
    for cell in cells.iter().enumerate().filter(|(_, cell)| !cell.record.items.is_empty()) {
        let key = (cell.1.record.transcript.as_str(), Setting::of(cell.1.record));
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(cell),
            None => groups.push((key, vec![cell])),
        }
    }
    groups
        .into_iter()
        .map(|((transcript, setting), members)| ItemTable {
            transcript,
            setting,
            cells: members.iter().map(|(_, cell)| (cell.label, cell.record.seed)).collect(),
            cell_indices: members.iter().map(|(index, _)| *index).collect(),
            rows: rows(&members.iter().map(|(_, cell)| *cell).collect::<Vec<_>>()),
        })
        .collect()
}

fn rows<'run>(cells: &[&Cell<'run>]) -> Vec<ItemRow<'run>> {
    let mut known: Vec<&ItemRecord> = Vec::new();
    for item in cells.iter().flat_map(|cell| &cell.record.items) {
        if !known.iter().any(|other| other.item == item.item) {
            known.push(item);
        }
    }
    let fate =
        |cell: &&Cell<'run>, item: &ItemRecord| cell.record.items.iter().find(|candidate| candidate.item == item.item);
    known.into_iter().map(|item| ItemRow { item, fates: cells.iter().map(|cell| fate(cell, item)).collect() }).collect()
}
