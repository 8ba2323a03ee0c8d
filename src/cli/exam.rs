//! What the reader answered, by strategy, under the table of a run.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::measure::Measure;
use crate::report::{EVERY, short_name, validity};
use crate::results::{CellRecord, Run};

/// Columns of a strategy's name.
const NAME: usize = 17;

/// Measures that are shown, and their titles.
const SHOWN: [(&str, &str); 7] = [
    ("probe_effect_retention", "effect"),
    ("probe_full_accuracy", "full"),
    ("probe_view_accuracy", "view"),
    ("probe_empty_accuracy", "empty"),
    ("probe_false_recall_ratio", "made_up"),
    ("next_action_agreement", "action"),
    ("next_action_tool_agreement", "tool"),
];

/// Means over the cells of a strategy, and from how many of them; nothing where nobody asked.
pub(super) fn print(run: &Run, out: &mut impl Write) -> io::Result<()> {
    let mut strategies: BTreeMap<&str, Vec<&CellRecord>> = BTreeMap::new();
    for cell in run.cells.iter().filter(|cell| cell.exam.is_some()) {
        strategies.entry(&cell.strategy).or_default().push(cell);
    }
    let Some(exam) = run.cells.iter().find_map(|cell| cell.exam.as_ref()) else { return Ok(()) };
    let mock = if exam.mock { ", a MOCK" } else { "" };
    writeln!(out, "Probes and next actions, answered by {}{mock}:", exam.reader)?;
    write!(out, "{:<NAME$}", "strategy")?;
    for (_, title) in SHOWN {
        write!(out, " {title:>7}")?;
    }
    writeln!(out, " {:>6}", "asked")?;
    for (strategy, cells) in strategies {
        write!(out, "{:<NAME$}", short_name(strategy, NAME))?;
        for (measure, _) in SHOWN {
            write!(out, " {:>7}", mean(&cells, measure))?;
        }
        let asked: usize = cells.iter().filter_map(|cell| cell.exam.as_ref()).map(|exam| exam.probes.len()).sum();
        writeln!(out, " {asked:>6}")?;
    }
    writeln!(
        out,
        "* some cells are void; – all are. What each was asked and answered is in probes.csv and next_actions.csv."
    )?;
    correlations(run, out)
}

/// Whether losses that need no model go with what the reader still knows, over all strategies; each is in validity.csv.
fn correlations(run: &Run, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "Do losses without a model predict probe_loss? Spearman over lineages, 95 %:")?;
    for row in validity(&run.cells).into_iter().filter(|row| row.strategy == EVERY) {
        let shown = if row.is_shown() { "" } else { ": not shown, so gate on nothing by it" };
        let mock = if row.mock { ", a MOCK" } else { "" };
        match row.spearman {
            Ok(found) => {
                let none = || "no interval".to_owned();
                let interval = found.interval.map_or_else(none, |[low, high]| format!("[{low:+.2}, {high:+.2}]"));
                let (rho, n) = (found.rho, found.n);
                writeln!(out, "  {:<18} {rho:+.2} {interval}, {n} lineages{mock}{shown}", row.loss)?;
            }
            Err(why) => writeln!(out, "  {:<18} void: {why}{mock}", row.loss)?,
        }
    }
    Ok(())
}

fn mean(cells: &[&CellRecord], measure: &str) -> String {
    let values: Vec<f64> =
        cells.iter().filter_map(|cell| cell.measures.get(measure).and_then(Measure::value)).collect();
    let mark = if values.len() < cells.len() { "*" } else { "" };
    crate::stats::mean(&values).map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}{mark}"))
}
