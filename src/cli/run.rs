//! `cutpoint run`, and the default experiment.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::args::{Probes, RunArgs, Setting};
use super::model::{Halted, Model};
use crate::experiment::{Corpus, Experiment, RunOptions, StrategyConfig, grid, load, run as run_experiment};
use crate::llm::{Completer, LlmConfig, Mock, MockKnobs};
use crate::report::Narrow;
use crate::results::Run;

pub(super) fn run(args: &RunArgs) -> anyhow::Result<()> {
    let mut experiment = experiment(args)?;
    give_model(&mut experiment, args)?;
    if let Some(probes) = args.probes {
        experiment.probes.get_or_insert_default().search |= probes == Probes::Search;
    }
    experiment.redact |= args.redact;
    let mut corpus = load(&experiment.transcripts)?;
    super::inspect::give_head(&mut corpus, &args.setting)?;
    if experiment.redact {
        corpus.redact();
    }
    warn(&corpus);
    warn_of_windows(&experiment, &corpus);
    super::findings::refuse(args.strict, &corpus.sessions)?;
    let folder = args.out.join(&experiment.name);
    if args.dry_run {
        return super::dry_run::dry_run(&experiment, &corpus);
    }
    let stopped = Arc::new(AtomicBool::new(false));
    let llm = Model::new(&experiment, &args.llm, &stopped)?;
    let threads = llm.threads(args.threads, experiment.llm.as_ref());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
    let cells = grid(&experiment, &corpus.sessions)?.len() as u64;
    let bar = progress(args.shard.map_or(cells, |shard| shard.range(cells).count() as u64));
    stop_on_interrupt(&stopped)?;
    let options = RunOptions {
        progress: &|cell| {
            let traffic = llm.traffic().map(|traffic| format!(" · {traffic}")).unwrap_or_default();
            bar.set_message(format!("{} · {}{traffic}", cell.transcript, cell.strategy));
            bar.inc(1);
        },
        stop: &|| stopped.load(Ordering::Relaxed),
        reuse: !args.fresh,
        shard: args.shard,
    };
    let outcome = pool.install(|| run_experiment(&experiment, &corpus, &llm, &folder, &options))?;
    bar.finish_and_clear();
    llm.report();
    if let Some(reason) = llm.halted().filter(|_| outcome.cells < outcome.planned && !stopped.load(Ordering::Relaxed)) {
        return Err(Halted { reason, cells: outcome.cells, planned: outcome.planned }.into());
    }
    let run = Run::read(&folder)?;
    let mut out = io::stdout().lock();
    super::report::write_and_print(&run, &folder, &mut out)?;
    let narrow = &mut Narrow::new(&mut out);
    super::spread::print(&run, narrow)?;
    super::exam::print(&run, narrow)?;
    super::latency::print(&run, narrow)?;
    if outcome.reused > 0 {
        // On stderr, because the same data is printed whether it is new or not.
        let _ = writeln!(
            io::stderr(),
            "{} of {} cells were there already, with the same inputs",
            outcome.reused,
            outcome.cells
        );
    }
    super::report::name(outcome.cells as u64, &folder, &mut out)?;
    if outcome.cells < outcome.planned {
        return Err(Stopped { cells: outcome.cells, planned: outcome.planned }.into());
    }
    Ok(())
}

/// The run was stopped by hand.
#[derive(Debug, thiserror::Error)]
#[error("stopped: {cells} of {planned} cells are finished, and kept")]
pub(super) struct Stopped {
    cells: usize,
    planned: usize,
}

/// The first Ctrl-C ends the run after the cells in flight, the second at once.
fn stop_on_interrupt(stopped: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let stopped = Arc::clone(stopped);
    ctrlc::set_handler(move || {
        if stopped.swap(true, Ordering::Relaxed) {
            // 128 + SIGINT, as shells count it.
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")
}

fn experiment(args: &RunArgs) -> anyhow::Result<Experiment> {
    if let Some(path) = &args.config {
        return super::config::read(path);
    }
    let setting = &args.setting;
    let mut experiment = Experiment::default_experiment();
    experiment.name.clone_from(&args.name);
    experiment.transcripts.clone_from(&args.transcripts);
    if !args.strategy.is_empty() {
        experiment.strategies = args.strategy.iter().cloned().map(StrategyConfig::Preset).collect();
    }
    if let Some(template) = &setting.template {
        experiment.strategies = super::template::replace(experiment.strategies, template)?;
    }
    experiment.models = setting.models();
    experiment.history.clone_from(&setting.history);
    experiment.reference.clone_from(&setting.reference);
    experiment.seeds = vec![setting.seed];
    experiment.mock = mock(setting)?;
    experiment.cache = setting.cache_config();
    experiment.settle_bill();
    experiment.grid = super::setting::grid(&setting.set);
    Ok(experiment)
}

/// The model of the flags over that of the file; a real one answers several times, unless it is said how often.
fn give_model(experiment: &mut Experiment, args: &RunArgs) -> anyhow::Result<()> {
    experiment.llm = args.llm.over(experiment.llm.take())?;
    if args.llm.llm.is_some() && args.config.is_none() {
        experiment.replicates = LlmConfig::REPLICATES;
    }
    experiment.replicates = args.llm.llm_replicates.unwrap_or(experiment.replicates);
    Ok(())
}

/// The knobs of the mock.
pub(super) fn mock(setting: &Setting) -> anyhow::Result<MockKnobs> {
    let knobs = MockKnobs { loss_rate: setting.mock_loss, ..MockKnobs::default() };
    Mock::new(knobs).context("--mock-loss")?;
    Ok(knobs)
}

/// What was left out, on stderr.
fn warn(corpus: &Corpus) {
    let mut stderr = io::stderr().lock();
    for (_, reason) in &corpus.skipped {
        // With no stderr there is nobody to tell.
        let _ = writeln!(stderr, "skipped: {reason}");
    }
    if let Some(redacted) = &corpus.redacted {
        let _ = writeln!(stderr, "redacted: {}", redacted.in_words());
    }
    for session in corpus.sessions.iter().filter(|session| !session.findings.is_empty()) {
        let name = &session.name;
        let _ = writeln!(stderr, "{name}: {} findings; `cutpoint inspect` lists them", session.findings.len());
    }
}

/// Windows that no session uses, on stderr.
pub(super) fn warn_of_windows(experiment: &Experiment, corpus: &Corpus) {
    for words in experiment.unused_windows(&corpus.sessions) {
        // With no stderr there is nobody to tell.
        let _ = writeln!(io::stderr(), "warning: {words}");
    }
}

fn progress(cells: u64) -> ProgressBar {
    let target = if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(cells), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta:>4} left  {msg}") {
        bar.set_style(style);
    }
    bar
}
