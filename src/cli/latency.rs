//! Times to the first token, where a model of them was chosen. They are called a model wherever they are shown.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use crate::report::short_name;
use crate::results::{EventRecord, Run};

/// Columns of a strategy's name.
const NAME: usize = 40;

/// The time of a request, in milliseconds; `None` where no row was chosen.
fn time(event: &EventRecord) -> Option<f64> {
    match event {
        EventRecord::Request(request) => request.cache.as_ref()?.model_first_token_ms,
        _ => None,
    }
}

/// Mean time of the requests of a cell, in milliseconds; `None` where no row was chosen.
pub(super) fn mean_ms(events: &[EventRecord]) -> Option<f64> {
    let times: Vec<f64> = events.iter().filter_map(time).collect();
    crate::stats::mean(&times)
}

/// How a row is named beside its times.
pub(super) fn label(row: &str) -> String {
    format!("MODEL {row}, not measured")
}

/// Means over the requests of each strategy, under the row that they were made with; nothing where no row was chosen.
pub(super) fn print(run: &Run, out: &mut impl Write) -> io::Result<()> {
    let timed = run.cells.iter().filter_map(|cell| Some((&*cell.cell, (cell.latency.as_deref()?, &*cell.strategy))));
    let groups: HashMap<&str, (&str, &str)> = timed.collect();
    let mut times: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
    for event in &run.events {
        if let (Some(group), Some(ms)) = (groups.get(event.cell()), time(event)) {
            times.entry(*group).or_default().push(ms);
        }
    }
    let mut shown = None;
    for ((row, strategy), times) in times {
        if shown.replace(row) != Some(row) {
            writeln!(out, "Time to the first token, mean over requests; {}:", label(row))?;
        }
        let ms = crate::stats::mean(&times).map_or_else(|| "–".to_owned(), |ms| format!("{ms:.0} ms"));
        writeln!(out, "  {:<NAME$} {ms:>10}", short_name(strategy, NAME))?;
    }
    Ok(())
}
