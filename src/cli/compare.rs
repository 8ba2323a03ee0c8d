//! `cutpoint compare`: is the head worse than the base?

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use crate::compare::{self, Comparison, Gate, Plan, Verdict};
use crate::error::Exit;
use crate::experiment::{Experiment, MarginConfig};
use crate::report::ComparisonForm;
use crate::results::Run;
use crate::stats::{Method, Resampling};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutpoint compare reports/main reports/branch                      by goal-loss, at most 0.02 worse
  cutpoint compare A B --gate goal_loss=0.02 --gate prompt_tokens=5%
  cutpoint compare A A --strategies pi,deepagents                   two strategies of one run
  cutpoint compare A B --markdown comment.md --junit junit.xml      for a pull request")]
pub(super) struct CompareArgs {
    /// Run folder of the base
    base: PathBuf,
    /// Run folder of the head
    head: PathBuf,
    /// A measure and how much worse it may become, in its unit or in percent of the base; without any, those of the base's
    /// experiment file, or `goal_loss=0.02`
    #[arg(long, value_name = "MEASURE=MARGIN")]
    gate: Vec<Gate>,
    /// Compare this strategy of the base with that one of the head
    #[arg(long, num_args = 1, value_name = "BASE,HEAD", value_parser = two)]
    strategies: Option<(String, String)>,
    /// Seed of the resampling
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How intervals are made
    #[arg(long, value_enum, default_value = "bootstrap-t")]
    interval: IntervalName,
    /// Write JSON to a file; `-` is standard output, in place of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write Markdown for a pull request
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the XML of `JUnit`
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum IntervalName {
    BootstrapT,
    Percentile,
    Bca,
    Student,
}

impl IntervalName {
    fn method(self) -> Method {
        match self {
            Self::BootstrapT => Method::BootstrapT,
            Self::Percentile => Method::Percentile,
            Self::Bca => Method::Bca,
            Self::Student => Method::StudentT,
        }
    }
}

fn two(text: &str) -> Result<(String, String), String> {
    match text.split_once(',') {
        Some((base, head)) if !base.is_empty() && !head.is_empty() => Ok((base.to_owned(), head.to_owned())),
        _ => Err("two names are needed: BASE,HEAD".to_owned()),
    }
}

/// A comparison ended with this code; it has been printed.
#[derive(Debug, thiserror::Error)]
#[error("the comparison did not pass")]
pub(super) struct Decided(pub(super) Exit);

pub(super) fn compare(args: &CompareArgs) -> anyhow::Result<()> {
    let base = Run::read(&super::baseline::folder(&args.base))?;
    let head = Run::read(&super::baseline::folder(&args.head))?;
    let resampling = Resampling { method: args.interval.method(), seed: args.seed, ..Resampling::default() };
    let plan =
        Plan { gates: gates(&args.gate, &base)?, resampling, strategies: args.strategies.clone(), ..Plan::default() };
    let comparison = compare::compare(&base, &head, &plan)?;
    write(args, &comparison)?;
    match comparison.verdict {
        Verdict::Pass => Ok(()),
        Verdict::Regress => Err(Decided(Exit::Regress).into()),
        Verdict::Inconclusive => Err(Decided(Exit::Inconclusive).into()),
        Verdict::Void => Err(Decided(Exit::Void).into()),
    }
}

/// The gates asked for; else those of the base's experiment, because a head must not loosen its own; else the default.
pub(super) fn gates(asked: &[Gate], base: &Run) -> anyhow::Result<Vec<Gate>> {
    if !asked.is_empty() {
        return Ok(asked.to_vec());
    }
    // A base of an older program may hold fields that this one does not know: then it declares no gates.
    let declared = Experiment::parse(&base.manifest.config, "the base").map(|base| base.gate).unwrap_or_default();
    if declared.is_empty() {
        return Ok(Plan::default().gates);
    }
    let gate = |(measure, margin): (&String, &MarginConfig)| {
        let margin = match margin {
            MarginConfig::Absolute(margin) => margin.to_string(),
            MarginConfig::Share(text) => text.clone(),
        };
        let text = format!("{measure}={margin}");
        text.parse::<Gate>().with_context(|| "the [gate] of the base's experiment".to_owned())
    };
    declared.iter().map(gate).collect()
}

fn write(args: &CompareArgs, comparison: &Comparison) -> anyhow::Result<()> {
    let forms = [
        (&args.json, ComparisonForm::Json),
        (&args.markdown, ComparisonForm::Markdown),
        (&args.junit, ComparisonForm::Junit),
    ];
    let mut out = io::stdout().lock();
    let mut is_taken = false;
    for (path, form) in forms.iter().filter_map(|(path, form)| Some((path.as_ref()?, form))) {
        let text = form.render(comparison);
        if path == Path::new("-") {
            is_taken = true;
            out.write_all(text.as_bytes())?;
        } else {
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    if !is_taken {
        out.write_all(ComparisonForm::Terminal.render(comparison).as_bytes())?;
    }
    Ok(())
}
