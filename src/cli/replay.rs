//! `cutpoint replay`: one session, one strategy, request by request.

use std::io::{self, Write};

use super::args::ReplayArgs;
use crate::experiment::{Experiment, Prepared, Session, StrategyConfig, grid, load, run_cell};
use crate::llm::{Blocking, Mock};
use crate::measure::Measure;
use crate::replay::{CountCache, Manual};
use crate::report::Narrow;
use crate::results::{CellRecord, CompactionRecord, EventRecord, RequestRecord};
use crate::tokens::Reference;

pub(super) fn replay(args: &ReplayArgs) -> anyhow::Result<()> {
    let setting = &args.setting;
    let mut corpus = load(std::slice::from_ref(&args.transcript))?;
    super::findings::refuse(args.strict, &corpus.sessions)?;
    super::inspect::give_head(&mut corpus, setting)?;
    let reference: Reference = setting.reference.parse()?;
    let mut strategies = vec![StrategyConfig::Preset(args.strategy.clone())];
    if let Some(template) = &setting.template {
        strategies = super::template::replace(strategies, template)?;
    }
    let mut experiment = Experiment {
        transcripts: vec![args.transcript.clone()],
        strategies,
        models: setting.models(),
        history: setting.history.clone(),
        reference: setting.reference.clone(),
        seeds: vec![setting.seed],
        mock: super::run::mock(setting)?,
        cache: setting.cache_config(),
        grid: super::setting::grid(&setting.set),
        manual: args
            .compact_at
            .map(|request| Manual { request, instructions: args.focus.clone() })
            .into_iter()
            .collect(),
        ..Experiment::default_experiment()
    };
    experiment.settle_bill();
    let llm = Blocking::new(Mock::new(experiment.mock)?);
    super::run::warn_of_windows(&experiment, &corpus);
    let cells = grid(&experiment, &corpus.sessions)?;
    let counts = CountCache::new(reference);
    let mut out = Narrow::new(io::stdout().lock());
    for cell in &cells {
        let session = &corpus.sessions[cell.session];
        let one = || std::iter::once(cell);
        let prepared = Prepared::new(session, reference, one())?.with_bills(&experiment, one())?;
        let (record, events) = run_cell(cell, &prepared, &experiment, &counts, &llm)?;
        heading(session, &record, &mut out)?;
        for event in &events {
            print(event, args.summaries, &mut out)?;
        }
        measures(&record, &mut out)?;
        if let (Some(row), Some(ms)) = (&record.latency, super::latency::mean_ms(&events)) {
            writeln!(out, "  {:<34} {ms:>14.0} ms, mean; {}", "model_first_token_ms", super::latency::label(row))?;
        }
    }
    Ok(())
}

fn heading(session: &Session, record: &CellRecord, out: &mut impl Write) -> anyhow::Result<()> {
    let mock = if record.mock { ", summaries by a MOCK" } else { "" };
    writeln!(out, "{} · {} · window {}{mock}", session.name, record.strategy, record.window_tokens)?;
    writeln!(
        out,
        "{:>8} {:>6} {:>9} {:>9} {:>7} {:>9} {:>9}{}",
        "request",
        "line",
        "estimate",
        "reference",
        "error",
        "reused",
        "written",
        // The column is a model's, as the last line says.
        if record.latency.is_some() { "  model_ms" } else { "" }
    )?;
    Ok(())
}

fn print(event: &EventRecord, summaries: bool, out: &mut Narrow<impl Write>) -> anyhow::Result<()> {
    match event {
        EventRecord::Request(request) => print_request(request, out),
        EventRecord::Compaction(compaction) => print_compaction(compaction, summaries, out),
        EventRecord::Overflow { request, reference_tokens, .. } => {
            writeln!(out, "  ! request {request} does not fit: {reference_tokens} tokens")?;
            Ok(())
        }
        EventRecord::Stuck { request, checkpoint, reason, .. } => {
            writeln!(out, "  ! stuck before request {request} ({checkpoint}): {reason}")?;
            Ok(())
        }
        EventRecord::Fired { request, checkpoint, reason, .. } => {
            writeln!(out, "  * fires before request {request} ({checkpoint}): {reason}")?;
            Ok(())
        }
        EventRecord::Switched { model, window_tokens, .. } => {
            writeln!(out, "  > model {} from here: window {window_tokens}", crate::report::one_line(model))?;
            Ok(())
        }
        EventRecord::Edited { messages, saved_tokens, invalidated_tokens, .. } => {
            writeln!(
                out,
                "  ~ {messages} messages shortened, {saved_tokens} tokens saved, {invalidated_tokens} invalidated"
            )?;
            Ok(())
        }
    }
}

fn print_request(request: &RequestRecord, out: &mut impl Write) -> anyhow::Result<()> {
    let estimate = request.estimate_tokens.map_or_else(|| "–".to_owned(), |tokens| tokens.to_string());
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let error = request.estimate_tokens.filter(|_| request.reference_tokens > 0).map_or_else(
        || "–".to_owned(),
        |tokens| format!("{:+.1}%", (tokens as f64 / request.reference_tokens as f64 - 1.0) * 100.0),
    );
    let ms = request.cache.as_ref().and_then(|cache| cache.model_first_token_ms);
    let ms = ms.map_or_else(String::new, |ms| format!(" {ms:>9.0}"));
    let RequestRecord { request: number, line, reference_tokens, reused_tokens, written_tokens, .. } = request;
    let mark = if request.overflow { " !" } else { "" };
    writeln!(
        out,
        "{number:>8} {line:>6} {estimate:>9} {reference_tokens:>9} {error:>7} {reused_tokens:>9} {written_tokens:>9}{ms}{mark}"
    )?;
    Ok(())
}

fn print_compaction(
    compaction: &CompactionRecord,
    summaries: bool,
    out: &mut Narrow<impl Write>,
) -> anyhow::Result<()> {
    let CompactionRecord { before_tokens, after_tokens, checkpoint, reason, .. } = compaction;
    let split = if compaction.split_turn { ", splits a turn" } else { "" };
    writeln!(out, "  = compaction ({checkpoint}): {reason}")?;
    writeln!(
        out,
        "    {before_tokens} -> {after_tokens} tokens; {} messages dropped, {} kept{split}; {} tokens invalidated",
        compaction.dropped_messages, compaction.kept_messages, compaction.invalidated_tokens,
    )?;
    if let Some(fallback) = &compaction.fallback {
        writeln!(out, "    {fallback}")?;
    }
    if let Some(summary) = compaction.summary.as_ref().filter(|_| summaries) {
        for line in summary.lines() {
            // It stands nowhere else.
            out.whole(&format!("    | {line}"))?;
        }
    }
    Ok(())
}

fn measures(record: &CellRecord, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out)?;
    for def in crate::meter::definitions() {
        match record.measures.get(&def.name) {
            Some(Measure::Value(value)) => writeln!(out, "  {:<34} {value:>14.4} {}", def.name, def.unit)?,
            Some(Measure::Void(reason)) => writeln!(out, "  {:<34} {:>14} {reason}", def.name, "–")?,
            None => {}
        }
    }
    Ok(())
}
