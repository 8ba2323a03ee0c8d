//! Times to the first token, where a model of them was chosen. They are called a model wherever they are shown.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::results::{CellRecord, EventRecord, Run};

/// Mean time of the requests of a cell, in milliseconds; `None` where no row was chosen.
pub(super) fn mean_ms(events: &[EventRecord]) -> Option<f64> {
    let time = |event: &EventRecord| match event {
        EventRecord::Request(request) => request.cache.as_ref()?.model_first_token_ms,
        _ => None,
    };
    let times: Vec<f64> = events.iter().filter_map(time).collect();
    crate::stats::mean(&times)
}

/// How a row is named beside its times.
pub(super) fn label(row: &str) -> String {
    format!("MODEL {row}, not measured")
}

/// Means over the requests of each strategy; nothing where no row was chosen.
pub(super) fn print(run: &Run, out: &mut impl Write) -> io::Result<()> {
    let Some(row) = run.cells.iter().find_map(|cell: &CellRecord| cell.latency.as_deref()) else { return Ok(()) };
    let strategy: BTreeMap<&str, &str> = run.cells.iter().map(|cell| (&*cell.cell, &*cell.strategy)).collect();
    let mut events: BTreeMap<&str, Vec<EventRecord>> = BTreeMap::new();
    for event in &run.events {
        if let (EventRecord::Request(_), Some(name)) = (event, strategy.get(event.cell())) {
            events.entry(name).or_default().push(event.clone());
        }
    }
    writeln!(out, "Time to the first token, mean over requests; {}:", label(row))?;
    for (strategy, events) in events {
        let ms = mean_ms(&events).map_or_else(|| "–".to_owned(), |ms| format!("{ms:.0} ms"));
        writeln!(out, "  {strategy:<22} {ms:>10}")?;
    }
    Ok(())
}
