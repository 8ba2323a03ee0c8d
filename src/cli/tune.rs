//! `cutpoint tune`: thresholds and retained budgets, chosen on one half of the lineages and confirmed on the other.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::compare::{Choice, choose};
use crate::engine::spec::{CutSpec, StrategySpec, SummarizerSpec, TriggerSpec};
use crate::error::Exit;
use crate::experiment::{
    Experiment, ModelConfig, OwnStrategy, RunOptions, StrategyConfig, load, run as run_experiment,
};
use crate::llm::{Blocking, Memo, Mock};
use crate::report::{Narrow, short_name};
use crate::results::Run;
use crate::stats::Resampling;

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cutpoint tune --transcripts sessions --window 64000 --share 0.5,0.7,0.9 --keep 5000,10000,20000
The trigger and the cut of the preset give way to a share of the window and a number of tokens kept; the rest stays. Those of Pi stay
Pi's, with other settings (compaction.reserveTokens is the window less its share).")]
pub(super) struct TuneArgs {
    /// Session files, dataset folders, or folders of sessions; without any, the embedded datasets
    #[arg(long, num_args = 1.., value_name = "PATH")]
    transcripts: Vec<PathBuf>,
    /// Preset whose other stages are used
    #[arg(long, default_value = "pi", value_name = "NAME")]
    strategy: String,
    /// Context window in tokens
    #[arg(long, default_value_t = 64_000, value_name = "TOKENS")]
    window: u64,
    /// Shares of the window at which to compact
    #[arg(long, value_delimiter = ',', default_value = "0.5,0.6,0.7,0.8,0.9", value_name = "SHARES")]
    share: Vec<f64>,
    /// Tokens to keep
    #[arg(long, value_delimiter = ',', default_value = "5000,10000,20000", value_name = "TOKENS")]
    keep: Vec<u64>,
    /// The measure to better
    #[arg(long, default_value = "goal_loss", value_name = "MEASURE")]
    by: String,
    /// Seed: which lineages choose, and the resampling
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Output folder; a repeated search takes over what is there
    #[arg(long, default_value = "reports/tune", value_name = "DIR")]
    out: PathBuf,
}

pub(super) fn tune(args: &TuneArgs) -> anyhow::Result<()> {
    let experiment = experiment(args)?;
    let corpus = load(&args.transcripts)?;
    let llm = Memo::new(Blocking::new(Mock::new(experiment.mock)?));
    let options = RunOptions { progress: &|_| {}, stop: &|| false, reuse: true, shard: None };
    run_experiment(&experiment, &corpus, &llm, &args.out, &options)?;
    let run = Run::read(&args.out)?;
    crate::report::write_all(&run, &args.out)?;
    let resampling = Resampling { seed: args.seed, ..Resampling::default() };
    let choice = choose(&run, &args.by, 0.05, resampling)?;
    print(&choice, &args.by, run.manifest.mock, &mut Narrow::new(io::stdout().lock()))?;
    // Without an interval the choice is not confirmed.
    if choice.interval.is_err() { Err(super::compare::Decided(Exit::Inconclusive).into()) } else { Ok(()) }
}

fn experiment(args: &TuneArgs) -> anyhow::Result<Experiment> {
    let preset = StrategyConfig::Preset(args.strategy.clone());
    let (_, _, spec) = preset.resolve()?;
    anyhow::ensure!(!args.share.is_empty() && !args.keep.is_empty(), "there is nothing to try");
    if let Some(share) = args.share.iter().find(|share| !(**share > 0.0 && **share <= 1.0)) {
        anyhow::bail!(
            "a share of the window is above 0 and up to 1, not {share}\nhint: 0.8 compacts above 80 % of the window"
        );
    }
    let mut strategies = Vec::new();
    for &share in &args.share {
        for &keep in &args.keep {
            let stages = tuned(&spec, args.window, share, keep);
            let name = format!("share {share}, keep {keep}");
            strategies.push(StrategyConfig::Own(Box::new(OwnStrategy { name, stages })));
        }
    }
    let name = args.out.file_name().context("--out needs a folder")?.to_string_lossy().into_owned();
    let models = vec![ModelConfig::window(args.window)];
    let transcripts = args.transcripts.clone();
    let mut experiment = Experiment { name, transcripts, strategies, models, ..Experiment::default_experiment() };
    experiment.settle_bill();
    Ok(experiment)
}

/// The stages that compact above a share of the window and keep so many tokens.
fn tuned(spec: &StrategySpec, window: u64, share: f64, keep: u64) -> StrategySpec {
    let mut stages = spec.clone();
    stages.trigger = match spec.trigger {
        TriggerSpec::Pi { release, .. } => {
            let reserve = Some(reserve(window, share));
            // One setting of Pi, and two stages that read it.
            if let SummarizerSpec::Pi { reserve_tokens, .. } = &mut stages.summarizer {
                *reserve_tokens = reserve;
            }
            TriggerSpec::Pi { release, reserve_tokens: reserve }
        }
        _ => TriggerSpec::Threshold { share, output_tokens: 0, less_tokens: 0, at_tokens: None },
    };
    stages.cut = match spec.cut {
        CutSpec::Pi { release, .. } => CutSpec::Pi { release, keep_recent_tokens: Some(keep) },
        _ => CutSpec::Tail { keep_tokens: Some(keep), keep_share: 1.0, whole_turns: false },
    };
    stages
}

/// What is left free of a window of which a share is used.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "windows are far below 2^52, and shares not negative"
)]
fn reserve(window: u64, share: f64) -> u64 {
    window.saturating_sub((window as f64 * share).floor() as u64)
}

fn print(choice: &Choice, by: &str, mock: bool, out: &mut impl Write) -> anyhow::Result<()> {
    if mock {
        writeln!(out, "MOCK: mock summaries, they say nothing about a real model.")?;
    }
    writeln!(out, "Chosen: {}", choice.strategy)?;
    let (chose, confirmed) = (choice.choosing.len(), choice.confirming.len());
    writeln!(out, "  {by} {:.4} on the {chose} lineages that chose", choice.chosen_on)?;
    if let Some(found) = &choice.confirmed_on {
        write!(out, "  {by} {:.4} on the {confirmed} others", found.mean)?;
        match &choice.interval {
            Ok(interval) => writeln!(out, ", [{:.4}, {:.4}] ({interval})", interval.low, interval.high)?,
            Err(reason) => writeln!(out, "; no interval: {reason}")?,
        }
    }
    if choice.left_out > 0 {
        writeln!(out, "  {} lineages took no part: some candidate has no number there", choice.left_out)?;
    }
    writeln!(out, "Told apart, and worse: {}", choice.worse)?;
    writeln!(out, "Cannot be told apart, the next-best first: {}", choice.alike.len())?;
    for rival in choice.alike.iter().take(8) {
        let number = |value: Option<f64>, sign| match value {
            Some(value) if sign => format!("{value:+.4}"),
            Some(value) => format!("{value:.3}"),
            None => "–".to_owned(),
        };
        writeln!(
            out,
            "  {:<28} {:.4}; worse by {} on the others, p {} after Holm",
            short_name(&rival.strategy, 28),
            rival.chosen_on,
            number(rival.worse_by, true),
            number(rival.p, false)
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::preset::preset;

    #[test]
    fn pi_is_tuned_by_its_own_settings_and_others_by_a_share() {
        let of = |name: &str| tuned(&preset(name).unwrap().spec, 64_000, 0.7, 5_000);
        let pi = of("pi");
        // 64,000 less 44,800.
        assert!(matches!(pi.trigger, TriggerSpec::Pi { reserve_tokens: Some(19_200), .. }));
        assert!(matches!(pi.cut, CutSpec::Pi { keep_recent_tokens: Some(5_000), .. }));
        assert!(matches!(pi.summarizer, SummarizerSpec::Pi { reserve_tokens: Some(19_200), .. }));
        let other = of("deepagents");
        assert!(matches!(other.trigger, TriggerSpec::Threshold { less_tokens: 0, .. }));
        assert!(matches!(other.cut, CutSpec::Tail { keep_tokens: Some(5_000), .. }));
        assert_eq!(other.summarizer, preset("deepagents").unwrap().spec.summarizer);
    }
}
