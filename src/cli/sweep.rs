//! `cutpoint cache --sweep`: the bill against the threshold.

use std::fs::File;
use std::io::{self, Write};

use anyhow::Context;

use super::args::CacheArgs;
use crate::experiment::{CacheConfig, Sweep, load};
use crate::llm::{Blocking, Mock, MockKnobs};
use crate::report::{BreakEvenLine, break_even, cache_csv, cache_sweep};
use crate::results::CacheSweepRecord;

pub(super) fn sweep(args: &CacheArgs) -> anyhow::Result<()> {
    let sweep = Sweep {
        strategy: args.strategy.clone(),
        thresholds: args.sweep.clone(),
        cache: CacheConfig {
            provider: args.provider.clone(),
            price: args.price.clone(),
            prices: args.prices.clone(),
            interval_seconds: Some(args.interval),
        },
        reference: args.reference.parse()?,
    };
    let llm = Blocking::new(Mock::new(MockKnobs::default())?);
    let mut out = io::stdout().lock();
    let mut all = Vec::new();
    for session in &load(&args.transcripts)?.sessions {
        let records = sweep.run(session, &llm)?;
        print(&records, &mut out)?;
        all.push(records);
    }
    let Some(folder) = &args.out else { return Ok(()) };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = |name: &str| {
        let path = folder.join(name);
        File::create(&path).with_context(|| format!("cannot write {}", path.display()))
    };
    for (records, index) in all.iter().zip(1..) {
        file(&format!("sweep-{index}.svg"))?.write_all(cache_sweep(records)?.as_bytes())?;
        let lines = lines(records);
        if !lines.is_empty() {
            file(&format!("break-even-{index}.svg"))?.write_all(break_even(&lines)?.as_bytes())?;
        }
    }
    cache_csv(&all.concat(), file("cache-sweep.csv")?)?;
    Ok(())
}

/// The mean compaction of the cheapest threshold, as its summary was made and with a summary call that rides.
fn lines(records: &[CacheSweepRecord]) -> Vec<BreakEvenLine> {
    let Some(best) = records.iter().find(|record| record.optimum) else { return Vec::new() };
    let line = |label: &str, one_time: Option<f64>| {
        let (one_time_tokens, saving_tokens) = (one_time?, best.saving_tokens?);
        Some(BreakEvenLine { label: label.to_owned(), one_time_tokens, saving_tokens })
    };
    let made = line("as made", best.one_time_tokens);
    made.into_iter().chain(line("summary call riding", best.one_time_riding_tokens)).collect()
}

fn print(records: &[CacheSweepRecord], out: &mut impl Write) -> io::Result<()> {
    let Some(first) = records.first() else { return Ok(()) };
    let head = if first.head_inferred { "inferred" } else { "known" };
    writeln!(out, "{} · {}, summaries by a MOCK", first.session, first.strategy)?;
    writeln!(out, "  {}, prices {}; head {} tokens, {head}", first.provider, first.price_row, first.head_tokens)?;
    writeln!(
        out,
        "{:>10} {:>11} {:>12} {:>12} {:>9} {:>9} {:>9}",
        "threshold", "compactions", "invalidated", "rewritten", "bill $", "summary $", "riding $"
    )?;
    for record in records {
        let threshold = record.threshold_tokens.map_or_else(|| "never".to_owned(), |tokens| tokens.to_string());
        let CacheSweepRecord { compactions, invalidated_tokens, rewritten_tokens, .. } = record;
        let mark = if record.optimum { " *" } else { "" };
        writeln!(
            out,
            "{threshold:>10} {compactions:>11} {invalidated_tokens:>12} {rewritten_tokens:>12} {:>9.4} {:>9.4} {:>9.4}{mark}",
            record.cost_usd, record.summary_usd, record.riding_usd
        )?;
    }
    writeln!(out, "  * cheapest")
}
