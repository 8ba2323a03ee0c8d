//! `cutpoint judge`: a model grades the summaries of a run, after it has shown that it can.

mod calibrate;
mod check;
mod score;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, Subcommand, ValueEnum};

use super::args::LlmArgs;
use super::model::Model;
use crate::experiment::Experiment;
use crate::judge::Rubric;
use crate::llm::{Completer, LlmConfig};

pub(super) use check::Unfit;
pub(super) use score::JudgeHalted;

#[derive(Debug, Args)]
pub(super) struct JudgeArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Ask a judge (`--llm`) about cases whose grades are known; exit code 3 if one is graded wrong, as the mock does all
    Check(CheckArgs),
    /// Grade the last summary of every cell of a run; writes judgements.jsonl and judgements.csv beside it
    Score(ScoreArgs),
    /// Write judgements for a person to label, or read the labels and say how far judge and person agree
    Calibrate(CalibrateArgs),
}

#[derive(Debug, Args)]
struct CheckArgs {
    #[command(flatten)]
    llm: LlmArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutpoint judge score reports/real --llm messages:claude-opus-5 --dry-run     calls, tokens, dollars
  cutpoint judge score reports/real --llm messages:claude-opus-5               every dropped item, 2, 1 or 0
  cutpoint judge score reports/real --llm chat:qwen3 --rubric dimensions       six dimensions, 0 to 5")]
struct ScoreArgs {
    /// Run folder
    run: PathBuf,
    /// `strict`: is every dropped item stated, 2, 1 or 0; `dimensions`: six grades of 0 to 5 for the whole summary
    #[arg(long, value_enum, default_value = "strict")]
    rubric: RubricName,
    /// Say how many calls, tokens and dollars it would take; ask and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    llm: LlmArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RubricName {
    Strict,
    Dimensions,
}

impl RubricName {
    fn rubrics(self) -> Vec<Rubric> {
        match self {
            Self::Strict => vec![Rubric::Strict],
            Self::Dimensions => Rubric::dimensions().collect(),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutpoint judge calibrate reports/real --write labels.csv     fill the column `label`, and `second_label` if two people label
  cutpoint judge calibrate reports/real --read labels.csv      κ, α, confusion matrix, corrected means")]
struct CalibrateArgs {
    /// Run folder with judgements
    run: PathBuf,
    /// Write a sample to label: strategy and grade are not in it
    #[arg(long, value_name = "FILE", required_unless_present = "read", conflicts_with = "read")]
    write: Option<PathBuf>,
    /// Read a file with labels
    #[arg(long, value_name = "FILE")]
    read: Option<PathBuf>,
    /// Judgements of every grade in the sample
    #[arg(long, default_value_t = 50, value_name = "N")]
    per_grade: usize,
    /// Seed of the sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(super) fn judge(args: &JudgeArgs) -> anyhow::Result<()> {
    match &args.what {
        What::Check(args) => check::check(args),
        What::Score(args) => score::score(args),
        What::Calibrate(args) => calibrate::calibrate(args),
    }
}

/// The model that judges, with threads for its calls: it is waited for.
struct Bench {
    model: Model,
    config: Option<LlmConfig>,
    pool: rayon::ThreadPool,
}

impl Bench {
    fn new(args: &LlmArgs) -> anyhow::Result<Self> {
        let experiment = Experiment { llm: args.over(None)?, ..Experiment::default_experiment() };
        let model = Model::new(&experiment, args, &Arc::new(AtomicBool::new(false)))?;
        let threads = model.threads(0, experiment.llm.as_ref());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { model, config: experiment.llm, pool })
    }

    fn name(&self) -> String {
        let mock = if self.model.is_mock() { ", a MOCK that knows words and not what they mean" } else { "" };
        format!("{}{mock}", self.model.name())
    }
}
