//! `cutpoint cache --sweep`: the bill against the threshold.

use std::fs::File;
use std::io::{self, Write};

use anyhow::Context;

use super::args::CacheArgs;
use crate::experiment::{CacheConfig, Sweep, load};
use crate::llm::{Blocking, Mock, MockKnobs};
use crate::report::{Narrow, SweepReport, break_even, break_even_lines, cache_sweep, records_csv};
use crate::results::CacheSweepRecord;

/// Name and version of the program.
const GENERATOR: &str = concat!("cutpoint ", env!("CARGO_PKG_VERSION"));

pub(super) fn sweep(args: &CacheArgs) -> anyhow::Result<()> {
    let sweep = Sweep {
        strategy: args.strategy.clone(),
        thresholds: args.sweep.clone(),
        cache: CacheConfig {
            provider: args.provider.clone(),
            price: args.price.clone(),
            prices: args.prices.clone(),
            latency: args.latency.clone(),
            interval_seconds: Some(args.interval),
        },
        reference: args.reference.parse()?,
    };
    let llm = Blocking::new(Mock::new(MockKnobs::default())?);
    let mut out = Narrow::new(io::stdout().lock());
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
        let lines = break_even_lines(records);
        if !lines.is_empty() {
            file(&format!("break-even-{index}.svg"))?.write_all(break_even(&lines)?.as_bytes())?;
        }
    }
    let command = command(&sweep);
    let page = SweepReport { command: &command, generator: GENERATOR, sweeps: &all }.page()?;
    file("index.html")?.write_all(page.as_bytes())?;
    records_csv(&all.concat(), file("cache-sweep.csv")?)?;
    Ok(())
}

/// The command without the names of folders.
fn command(sweep: &Sweep) -> String {
    let thresholds: Vec<String> = sweep.thresholds.iter().map(u64::to_string).collect();
    let cache = &sweep.cache;
    let chosen = [("--provider", &cache.provider), ("--price", &cache.price), ("--latency", &cache.latency)];
    let chosen = chosen.iter().filter_map(|(option, word)| Some(format!(" {option} {}", word.as_ref()?)));
    let chosen: String = chosen.collect();
    format!("cutpoint cache SESSIONS --sweep {} --strategy {}{chosen}", thresholds.join(","), sweep.strategy)
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
        let threshold = threshold(record);
        let CacheSweepRecord { compactions, invalidated_tokens, rewritten_tokens, .. } = record;
        let mark = if record.optimum { " *" } else { "" };
        writeln!(
            out,
            "{threshold:>10} {compactions:>11} {invalidated_tokens:>12} {rewritten_tokens:>12} {:>9.4} {:>9.4} {:>9.4}{mark}",
            record.cost_usd, record.summary_usd, record.riding_usd
        )?;
    }
    writeln!(out, "  * cheapest")?;
    let Some(row) = &first.latency_row else { return Ok(()) };
    writeln!(out, "{:>10} {:>11}  to the first token, mean; MODEL {row}, not measured", "threshold", "ms")?;
    for record in records {
        let threshold = threshold(record);
        let ms = record.model_first_token_ms.map_or_else(|| "–".to_owned(), |ms| format!("{ms:.0}"));
        writeln!(out, "{threshold:>10} {ms:>11}")?;
    }
    Ok(())
}

fn threshold(record: &CacheSweepRecord) -> String {
    record.threshold_tokens.map_or_else(|| "never".to_owned(), |tokens| tokens.to_string())
}
