//! What of a run is judged: the last summary of every cell.

use super::rubric::Rubric;
use super::verdict::judged_text;
use crate::digest::sha256;
use crate::results::{CellRecord, Run};

/// One judgement to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// 16 hexadecimal digits, from cell, rubric and item.
    pub id: String,
    /// The cell.
    pub cell: String,
    /// Its strategy, which the judge is not told.
    pub strategy: String,
    /// Its transcript.
    pub transcript: String,
    /// The lineage of that.
    pub lineage: String,
    /// The rubric.
    pub rubric: Rubric,
    /// The annotated item, for the strict rubric.
    pub item: Option<String>,
    /// What is known to be right.
    pub gold: String,
    /// The summary as the judge sees it.
    pub text: String,
    /// SHA-256 of the summary as it is recorded, in hexadecimal.
    pub summary_sha256: String,
}

/// The judgements of a run: for the strict rubric one per annotated item that the cut dropped, else one per cell. Cells
/// without a summary or without such items have none.
pub fn targets(run: &Run, rubrics: &[Rubric]) -> Vec<Target> {
    let last = run.last_summaries();
    let of = |cell: &CellRecord| -> Vec<Target> {
        let Some(summary) = last.get(&*cell.cell) else { return Vec::new() };
        let text = judged_text(summary.0);
        let gold: Vec<(&str, &str)> =
            cell.items.iter().filter(|item| item.score.is_some()).map(|item| (&*item.item, &*item.text)).collect();
        let summary_sha256 = summary.sha256();
        if text.trim().is_empty() || gold.is_empty() {
            return Vec::new();
        }
        rubrics.iter().flat_map(|&rubric| of_rubric(cell, rubric, &gold, (&text, &summary_sha256))).collect()
    };
    run.cells.iter().flat_map(of).collect()
}

fn of_rubric(
    cell: &CellRecord,
    rubric: Rubric,
    gold: &[(&str, &str)],
    (text, summary_sha256): (&str, &str),
) -> Vec<Target> {
    let target = |item: Option<&str>, gold: String| Target {
        id: id(&[&cell.cell, rubric.name(), item.unwrap_or_default()]),
        cell: cell.cell.clone(),
        strategy: cell.strategy.clone(),
        transcript: cell.transcript.clone(),
        lineage: cell.lineage.clone(),
        rubric,
        item: item.map(str::to_owned),
        gold,
        text: text.to_owned(),
        summary_sha256: summary_sha256.to_owned(),
    };
    match rubric {
        Rubric::Strict => gold.iter().map(|(item, fact)| target(Some(item), (*fact).to_owned())).collect(),
        Rubric::Dimension(_) => {
            let facts: Vec<String> = gold.iter().map(|(_, fact)| format!("- {fact}")).collect();
            vec![target(None, facts.join("\n"))]
        }
    }
}

fn id(parts: &[&str]) -> String {
    sha256(parts.join("\0"))[..16].to_owned()
}
