//! How far the answers of a real model lie apart. Their mean is one number; this says how much it is worth.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::measure::Measure;
use crate::results::Run;

/// What is shown.
const MEASURE: &str = "goal_loss";

/// The least and the most of every cell's replicates; nothing where a mock answered, or only once.
pub(super) fn print(run: &Run, out: &mut impl Write) -> io::Result<()> {
    let asks = run.cells.iter().filter(|cell| !cell.mock && cell.summarizer != "none");
    let mut groups: BTreeMap<(&str, &str, &str, u64), Vec<Option<f64>>> = BTreeMap::new();
    for cell in asks {
        let group = (&*cell.strategy, &*cell.transcript, &*cell.model, cell.seed);
        groups.entry(group).or_default().push(cell.measures.get(MEASURE).and_then(Measure::value));
    }
    groups.retain(|_, values| values.len() > 1);
    if groups.is_empty() {
        return Ok(());
    }
    writeln!(out, "{MEASURE} over replicates, which are one number and not a sample:")?;
    for ((strategy, transcript, model, seed), values) in groups {
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        let (least, most) = known
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), &value| (least.min(value), most.max(value)));
        let range = if known.is_empty() { "void".to_owned() } else { format!("{least:.3} to {most:.3}") };
        let void =
            if known.len() < values.len() { format!(", {} void", values.len() - known.len()) } else { String::new() };
        writeln!(out, "  {strategy} · {transcript} · {model} · seed {seed}: {range} ({} answers{void})", values.len())?;
    }
    Ok(())
}
