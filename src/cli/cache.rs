//! `cutpoint cache`: the prompt cache of recorded sessions, simulated beside recorded usage.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use serde::de::DeserializeOwned;

use super::args::CacheArgs;
use crate::experiment::{
    AuditOptions, Audited, ProviderBasis, RuleOptions, Session, audit_bodies, audit_cache, audit_records, is_body,
    load, named_latency,
};
use crate::meter::cache::{PRESETS, Preset, Seconds, preset};
use crate::meter::price::PriceBook;
use crate::report::{Narrow, cache_requests, records_csv};
use crate::results::{CacheRequestRecord, CacheSessionRecord};
use crate::transcript::Tokens;

pub(super) fn cache(args: &CacheArgs) -> anyhow::Result<()> {
    if !args.sweep.is_empty() {
        return super::sweep::sweep(args);
    }
    let options = AuditOptions {
        provider: args.provider.as_deref().map(named).transpose()?,
        interval: Seconds(args.interval),
        reference: args.reference.parse()?,
        rules: RuleOptions {
            minimum: args.minimum.map(Tokens),
            lifetime: args.lifetime.map(Seconds),
            refresh: args.refresh.as_deref().map(|word| chosen("refresh", word)).transpose()?,
            places: args.places.as_deref().map(|word| chosen("places", word)).transpose()?,
        },
    };
    let book = prices(args)?;
    let latency = args.latency.as_deref().map(|name| named_latency(&book, name)).transpose()?;
    let mut out = Narrow::new(io::stdout().lock());
    let (mut requests, mut sessions) = (Vec::new(), Vec::new());
    let corpus = load(&args.transcripts)?;
    let mut refused = Vec::new();
    for group in groups(&corpus.sessions) {
        let session = group[0];
        let done = if is_body(session) { audit_bodies(&group, options) } else { audit_cache(session, options) };
        let audited = match done {
            Ok(audited) => audited,
            Err(error) => {
                refused.push(error);
                continue;
            }
        };
        let name = if group.len() > 1 { &session.lineage } else { &session.name };
        let (rows, whole) = audit_records(session, name, &audited, (&book, latency.as_ref()));
        if !sessions.is_empty() {
            writeln!(out)?;
        }
        print(&whole, &audited, &mut out)?;
        if args.requests || is_body(session) {
            table(&rows, &mut out)?;
        } else {
            breaks(&rows, &mut out)?;
        }
        requests.extend(rows);
        sessions.push(whole);
    }
    if let Some(folder) = &args.out {
        write(folder, &requests, &sessions)?;
    }
    for (_, reason) in &corpus.skipped {
        writeln!(io::stderr(), "skipped: {reason}")?;
    }
    if sessions.is_empty()
        && let Some(error) = refused.pop()
    {
        return Err(error.into());
    }
    for error in &refused {
        writeln!(io::stderr(), "skipped: {error}")?;
    }
    Ok(())
}

/// Sessions that share a cache: request bodies of one file; any other session stands alone.
fn groups(sessions: &[Session]) -> Vec<Vec<&Session>> {
    let together = |a: &Session, b: &Session| a.lineage == b.lineage && is_body(a) && is_body(b);
    sessions.chunk_by(together).map(|group| group.iter().collect()).collect()
}

fn write(folder: &Path, requests: &[CacheRequestRecord], sessions: &[CacheSessionRecord]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let file = |name: &str| {
        let path = folder.join(name);
        File::create(&path).with_context(|| format!("cannot write {}", path.display()))
    };
    records_csv(requests, file("cache-requests.csv")?)?;
    records_csv(sessions, file("cache-sessions.csv")?)?;
    let several = requests.chunk_by(|a, b| a.session == b.session).filter(|rows| rows.len() > 1);
    for (rows, index) in several.zip(1..) {
        file(&format!("requests-{index}.svg"))?.write_all(cache_requests(rows)?.as_bytes())?;
    }
    Ok(())
}

/// A choice of rules, by its word.
fn chosen<T: DeserializeOwned>(option: &str, word: &str) -> anyhow::Result<T> {
    serde_json::from_value(word.into()).with_context(|| format!("--{option} does not know {word:?}"))
}

/// The preset of this name.
fn named(name: &str) -> anyhow::Result<&'static Preset> {
    let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    preset(name).with_context(|| format!("no cache is called {name:?}; there are {}", names.join(", ")))
}

/// The built-in prices, behind those of the user.
fn prices(args: &CacheArgs) -> anyhow::Result<PriceBook> {
    let builtin = PriceBook::builtin()?;
    let Some(path) = &args.prices else { return Ok(builtin) };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(PriceBook::parse(&text, &path.display().to_string())?.before(builtin))
}

fn percent(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{:.2} %", ratio * 100.0))
}

fn usd(dollars: Option<f64>) -> String {
    dollars.map_or_else(|| "–".to_owned(), |dollars| format!("${dollars:.4}"))
}

/// A labelled paragraph.
fn line(label: &str, text: &str, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  {label:<9} {text}")
}

fn print(whole: &CacheSessionRecord, audited: &Audited, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{}", whole.session)?;
    line("cache", &format!("{}: {}", whole.provider, audited.provider.about), out)?;
    if audited.basis == ProviderBasis::Protocol {
        line(
            "",
            "the default of the protocol of the replies, because their model is not known; --provider chooses",
            out,
        )?;
    }
    if let Some(best_effort) = &whole.best_effort {
        line("", &format!("best effort: {best_effort}"), out)?;
    }
    if let (Some(head), Some(opening)) = (whole.inferred_head_tokens, whole.inferred_opening_tokens) {
        let shared = if whole.shared_head { ", kept warm by other sessions" } else { "" };
        line("head", &format!("inferred: {head} tokens{shared}; {opening} more before the first message"), out)?;
    }
    let CacheSessionRecord { requests, compared, untimed, marked, .. } = whole;
    let marks = if *marked > 0 { format!(", {marked} with recorded breakpoints") } else { String::new() };
    line("requests", &format!("{requests}; {compared} compared, {untimed} without a time{marks}"), out)?;
    if *compared > 0 {
        comparison(whole, out)?;
    }
    if let Some(reason) = &whole.not_compared {
        line("", reason, out)?;
    }
    dollars(whole, out)?;
    latency(whole, out)?;
    Ok(())
}

fn comparison(whole: &CacheSessionRecord, out: &mut impl Write) -> io::Result<()> {
    let read = (whole.recorded_read_tokens, whole.simulated_read_tokens, percent(whole.hit_ratio));
    line("read", &format!("{} tokens recorded, {} simulated; hit rate {}", read.0, read.1, read.2), out)?;
    let errors = [whole.median_error_ratio, whole.total_error_ratio, whole.total_error_without_hidden_ratio];
    let [median, total, open] = errors.map(percent);
    line("error", &format!("{median} median, {total} of the total, {open} without hidden changes"), out)?;
    let CacheSessionRecord { breaks, breaks_known, breaks_inferred, breaks_unexplained, breaks_false, .. } = whole;
    let kinds = format!("{breaks_known} known, {breaks_inferred} inferred, {breaks_unexplained} unexplained");
    line("breaks", &format!("{breaks}: {kinds}; {breaks_false} simulated in vain"), out)
}

fn dollars(whole: &CacheSessionRecord, out: &mut impl Write) -> io::Result<()> {
    if let Some(reason) = &whole.void {
        line("dollars", &format!("none: {reason}"), out)?;
    } else {
        let all = [whole.recorded_usd, whole.simulated_usd, whole.uncached_usd].map(usd);
        let [recorded, simulated, uncached] = all;
        let bills = format!("{recorded} by recorded usage, {simulated} simulated, {uncached} without a cache");
        line("dollars", &format!("{bills}; prices: {}", whole.price_rows), out)?;
    }
    match whole.file_usd {
        Some(file) => line("", &format!("the file itself says {}", usd(Some(file))), out),
        None => Ok(()),
    }
}

fn latency(whole: &CacheSessionRecord, out: &mut impl Write) -> io::Result<()> {
    let times = [
        whole.recorded_model_first_token_ms,
        whole.simulated_model_first_token_ms,
        whole.uncached_model_first_token_ms,
    ];
    let [Some(recorded), Some(simulated), Some(uncached)] = times else { return Ok(()) };
    let means = format!("{recorded:.0} ms by recorded usage, {simulated:.0} simulated, {uncached:.0} without a cache");
    let label = format!("MODEL {}, not measured", whole.latency_rows);
    line("latency", &format!("to the first token, mean: {means}; {label}"), out)
}

fn breaks(rows: &[CacheRequestRecord], out: &mut impl Write) -> anyhow::Result<()> {
    let broken: Vec<_> = rows.iter().filter(|row| row.recorded_break.is_some()).collect();
    if broken.is_empty() {
        return Ok(());
    }
    writeln!(out, "{:>9} {:>6} {:>9} {:>9} {:>9}  why", "request", "line", "lost", "read", "simulated")?;
    for row in broken {
        let why = row.recorded_break.as_deref().unwrap_or_default();
        let basis = row.recorded_break_basis.as_deref().unwrap_or_default();
        writeln!(
            out,
            "{:>9} {:>6} {:>9} {:>9} {:>9}  {why} ({basis})",
            row.request,
            row.line,
            row.recorded_lost_tokens.unwrap_or_default(),
            row.recorded_read_tokens.unwrap_or_default(),
            row.simulated_read_tokens
        )?;
    }
    Ok(())
}

fn table(rows: &[CacheRequestRecord], out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "{:>7} {:>6} {:>8} {:>8} {:>9} {:>8} {:>8}  break",
        "request", "line", "prompt", "read", "simulated", "written", "plain"
    )?;
    for row in rows {
        let read = row.recorded_read_tokens.map_or_else(|| "–".to_owned(), |tokens| tokens.to_string());
        let mark = if row.after_compaction { "= " } else { "" };
        let why = row.recorded_break.as_deref().or(row.simulated_break.as_deref()).unwrap_or_default();
        writeln!(
            out,
            "{:>7} {:>6} {:>8} {read:>8} {:>9} {:>8} {:>8}  {mark}{why}",
            row.request,
            row.line,
            row.prompt_tokens,
            row.simulated_read_tokens,
            row.simulated_write_tokens + row.simulated_write_long_tokens,
            row.simulated_plain_tokens
        )?;
    }
    Ok(())
}
