//! What compactions cost: the dearest one, the one that broke most of the cache, and the means.

use super::Cell;
use crate::results::{CompactionRecord, EventRecord};
use crate::stats::{Observation, Sample, mean};

/// What a compaction did to the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorstCompaction<'run> {
    /// Index of the cell.
    pub cell: usize,
    /// Which compaction of it, from 0.
    pub nth: usize,
    /// The record.
    pub record: &'run CompactionRecord,
    /// Compactions of the setting.
    pub count: usize,
    /// Tokens that one made worthless, mean over lineages.
    pub mean_invalidated_tokens: f64,
}

/// The compaction that cost most at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DearestCompaction<'run> {
    /// Index of the cell.
    pub cell: usize,
    /// Which compaction of it, from 0.
    pub nth: usize,
    /// Its record.
    pub record: &'run CompactionRecord,
    /// What it cost once.
    pub one_time_usd: f64,
    /// Requests after which it has paid for itself; `None`: never.
    pub break_even_requests: Option<f64>,
    /// Compactions of the setting that have a price.
    pub count: usize,
    /// What one costs once, mean over lineages.
    pub mean_one_time_usd: f64,
}

/// A compaction: its cell, which of its compactions it is from 0, and its record.
type Placed<'c, 'run> = (usize, usize, &'run CompactionRecord, &'c Cell<'run>);

fn compactions<'c, 'run>(cells: &'c [(usize, &'c Cell<'run>)]) -> Vec<Placed<'c, 'run>> {
    let of = |(index, cell): &'c (usize, &'c Cell<'run>)| {
        let compactions = cell.events.iter().filter_map(|event| match event {
            EventRecord::Compaction(compaction) => Some(&**compaction),
            _ => None,
        });
        compactions.enumerate().map(move |(nth, compaction)| (*index, nth, compaction, *cell))
    };
    cells.iter().flat_map(of).collect()
}

/// The first of those that cost most.
pub(super) fn dearest_compaction<'run>(cells: &[(usize, &Cell<'run>)]) -> Option<DearestCompaction<'run>> {
    let all = compactions(cells);
    let usd = |one: &Placed<'_, 'run>| one.2.cache.as_ref().and_then(|cache| cache.one_time_usd);
    let priced = all.iter().filter_map(|one| Some((one, usd(one)?)));
    let (&(cell, nth, record, _), one_time_usd) =
        priced.clone().reduce(|dearest, one| if one.1 > dearest.1 { one } else { dearest })?;
    Some(DearestCompaction {
        cell,
        nth,
        record,
        one_time_usd,
        break_even_requests: record.cache.as_ref().and_then(|cache| cache.break_even_requests),
        count: priced.count(),
        mean_one_time_usd: over_lineages(&all, usd)?,
    })
}

pub(super) fn worst_compaction<'run>(cells: &[(usize, &Cell<'run>)]) -> Option<WorstCompaction<'run>> {
    let all = compactions(cells);
    let &(cell, nth, record, _) =
        all.iter().max_by_key(|(index, nth, one, _)| (one.invalidated_tokens, std::cmp::Reverse((*index, *nth))))?;
    Some(WorstCompaction {
        cell,
        nth,
        record,
        count: all.len(),
        mean_invalidated_tokens: over_lineages(&all, |one| Some(super::super::number::real(one.2.invalidated_tokens)))?,
    })
}

/// Each lineage counts once, however often its sessions were compacted.
fn over_lineages<'c, 'run>(all: &[Placed<'c, 'run>], value: impl Fn(&Placed<'c, 'run>) -> Option<f64>) -> Option<f64> {
    let sample = Sample::of(all.iter().map(|one| Observation {
        lineage: &one.3.record.lineage,
        transcript: &one.3.record.transcript,
        value: value(one),
    }));
    mean(&sample.values())
}
