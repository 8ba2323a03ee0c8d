//! What a judge said of the summaries of each cell.

use std::collections::BTreeMap;

use super::Cell;
use super::evidence::Searched;
use crate::results::{JudgementRecord, LastSummary, Run};

/// A judgement with its row in `judgements.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged<'run> {
    /// The row.
    pub row: usize,
    /// The record.
    pub record: &'run JudgementRecord,
    /// What became of its evidence.
    pub evidence: Evidence,
}

/// Whether the words that a grade rests on stand in the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// They do, whatever their case and white space.
    Stands,
    /// They were found when it was judged, in the text without headings, but run over one.
    AcrossHeadings,
    /// They do not, and the grade is void.
    Nowhere,
    /// They are not found, and the judgement does not say which summary it is of.
    Unknown,
    /// A grade of 0 needs none.
    NotNeeded,
    /// There are none.
    NotGiven,
}

/// The judgements of one cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellJudgements<'run> {
    /// Those of its last summary.
    pub judged: Vec<Judged<'run>>,
    /// Judgements of a summary that the run no longer has: it was run again since.
    pub stale: usize,
}

/// The judgements of every cell, in the order of the cells.
pub(super) fn judgements<'run>(run: &'run Run, cells: &[Cell<'run>]) -> Vec<CellJudgements<'run>> {
    let mut of: BTreeMap<&str, Vec<(usize, &JudgementRecord)>> = BTreeMap::new();
    for (row, record) in run.judgements.iter().enumerate() {
        of.entry(&record.cell).or_default().push((row, record));
    }
    let last = run.last_summaries();
    let one = |cell: &Cell<'_>| {
        let id = &*cell.record.cell;
        of.get(id).map_or_else(CellJudgements::default, |records| of_cell(last.get(id).copied(), records))
    };
    cells.iter().map(one).collect()
}

fn of_cell<'run>(last: Option<LastSummary<'_>>, records: &[(usize, &'run JudgementRecord)]) -> CellJudgements<'run> {
    let summary = last.unwrap_or(LastSummary(""));
    let digest = summary.sha256();
    let searched = Searched::new(summary.0);
    let current = records.iter().filter(|(_, record)| record.is_of(&digest));
    let judged =
        |&(row, record): &(usize, &'run JudgementRecord)| Judged { row, record, evidence: evidence(record, &searched) };
    let judged: Vec<Judged<'run>> = current.map(judged).collect();
    CellJudgements { stale: records.len() - judged.len(), judged }
}

fn evidence(record: &JudgementRecord, summary: &Searched) -> Evidence {
    let words = Searched::new(record.evidence.trim_matches(['"', '\'', '“', '”', '…', '.', ' ']));
    let stands = summary.places(words.folded()).next().is_some();
    match (record.grade, &record.summary_sha256) {
        _ if stands => Evidence::Stands,
        (Some(0), _) => Evidence::NotNeeded,
        _ if words.folded().is_empty() => Evidence::NotGiven,
        (None, _) => Evidence::Nowhere,
        // Judgements of another summary are left out before: this is the one.
        (Some(_), Some(_)) => Evidence::AcrossHeadings,
        (Some(_), None) => Evidence::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_looked_for_again() {
        let summary = Searched::new("## Goal\n- lock_timeout is now   45 s\n## Next\n- read it");
        let judged = |said: &str, grade, summary_sha256| {
            let record =
                JudgementRecord { evidence: said.to_owned(), grade, summary_sha256, ..JudgementRecord::default() };
            evidence(&record, &summary)
        };
        let of = |said: &str, grade| judged(said, grade, Some("of this one".to_owned()));
        assert_eq!(of("“LOCK_TIMEOUT is now 45 s”…", Some(2)), Evidence::Stands);
        assert_eq!(of("45 s - read it", Some(1)), Evidence::AcrossHeadings);
        assert_eq!(of("46 s", None), Evidence::Nowhere);
        assert_eq!(judged("46 s", Some(1), None), Evidence::Unknown);
        assert_eq!(of("", Some(0)), Evidence::NotNeeded);
        assert_eq!((of("", None), of(" “…” ", Some(1))), (Evidence::NotGiven, Evidence::NotGiven));
    }
}
