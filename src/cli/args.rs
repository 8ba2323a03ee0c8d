//! The command tree. Help texts teach: what a command answers, and an example.

mod forgotten;
mod llm;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::setting::Assignment;
use crate::experiment::ModelConfig;
use crate::results::Shard;
pub(super) use forgotten::{AnnotateArgs, AuditArgs};
pub(super) use llm::{CheckArgs, LlmArgs, LlmCommand, LlmCommandArgs};

/// Offline evaluation of context compaction in coding agents.
///
/// Without a command it runs the default experiment: nine strategies on the embedded sessions, with a mock LLM, to
/// `reports/default/`.
#[derive(Debug, Parser)]
#[command(
    name = "cutpoint",
    version,
    max_term_width = 80,
    after_help = "\
Examples:
  cutpoint                                             the default experiment
  cutpoint inspect session.jsonl                       what is in this file?
  cutpoint replay session.jsonl --strategy pi          what would Pi do, request by request?
  cutpoint run --transcripts DIR --strategy pi,none    compare strategies on your sessions"
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// What the last column of `cutpoint cache` means.
const CACHE_HELP: &str = "\
Every break of the recording has a reason and the class of its evidence:
  known        the file shows what changed (a compaction, time, the model, a setting, tools, a message), and the simulation,
               which sees nothing else, breaks there as well
  inferred     the file does not hold what changed; the recorded usage around the break tells where: hidden_head,
               hidden_opening (only where the agent begins to work), hidden_return, hidden_shrunk, hidden_time
  unexplained  neither; no provider owes a hit, so chance looks like this

Examples:
  cutpoint cache session.jsonl --requests --out cache/         each request, a plot, CSV with the class of every break
  cutpoint cache session.jsonl --sweep 40000,80000 --price claude-opus-4-5";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run an experiment: strategies × sessions × windows, to a folder with HTML, CSV and JSON Lines
    Run(Box<RunArgs>),
    /// Replay one session through one strategy and print every request and compaction
    Replay(ReplayArgs),
    /// Say what is in a session file: entries, tokens, usage, compactions, faults
    Inspect(InspectArgs),
    /// Convert session files of any format to Pi sessions, chat-completions bodies or neutral JSON Lines
    Import(ImportArgs),
    /// Say what is wrong with session files; exit code 5 if anything is
    Validate(ValidateArgs),
    /// Compare token estimators with a truth, and show what their errors cause
    Estimate(EstimateArgs),
    /// Simulate a provider's prompt cache beside recorded usage: what is read, which breaks there are and why
    #[command(after_help = CACHE_HELP)]
    Cache(CacheArgs),
    /// Name what can be chosen: strategies, estimators, triggers, cuts, templates, formats, tokenizers, caches, prices
    List(ListArgs),
    /// Write the HTML and CSV of a finished run again
    Report(ReportArgs),
    /// Tell whether a run is worse than another: pass (exit 0), regress (1), inconclusive (3), void (4)
    Compare(super::compare::CompareArgs),
    /// Keep runs under a name, to compare with
    Baseline(super::baseline::BaselineArgs),
    /// Choose threshold and retained budget on one half of the lineages, and confirm them on the other
    Tune(super::tune::TuneArgs),
    /// Write a commented experiment file to start from, or the JSON Schema of such files
    New(super::new::NewArgs),
    /// Score the summaries that a recording holds, without a model: what they kept, lost and made up
    Audit(AuditArgs),
    /// Check annotated items, show each in its context, or draft some for a person to finish
    Annotate(AnnotateArgs),
    /// Put the shards of a run together, byte for byte as if it had run as one
    Merge(super::merge::MergeArgs),
    /// Check the endpoint of a real model
    Llm(LlmCommandArgs),
    /// Let a model grade the summaries of a run, after it has passed known cases; compare it with a person's labels
    Judge(super::judge::JudgeArgs),
}

/// What decides the result of a replay.
#[derive(Debug, Clone, Args)]
pub(super) struct Setting {
    /// Context window of the model in tokens; several make several cells
    #[arg(long, value_delimiter = ',', default_value = "64000", value_name = "TOKENS")]
    pub(super) window: Vec<u64>,
    /// Context window while a session ran on this recorded model, in place of `--window`; may be given more than once
    #[arg(long, value_name = "MODEL=TOKENS", value_parser = super::setting::model_window)]
    pub(super) model_window: Vec<(String, u64)>,
    /// Which past to follow: `full` replays every message as if never compacted, `recorded` follows what happened
    #[arg(long, default_value = "full", value_name = "full|recorded")]
    pub(super) history: String,
    /// Exact tokenizer behind reference counts
    #[arg(long, default_value = "o200k_base", value_name = "NAME")]
    pub(super) reference: String,
    /// Seed, handed to the mock LLM
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// A field of the strategies, such as `trigger.reserve_tokens=8000`; several values, here or in several options, make several
    /// cells
    #[arg(long, value_name = "FIELD=VALUE[,VALUE…]", value_parser = super::setting::parse)]
    pub(super) set: Vec<Assignment>,
    /// Summary template in place of the strategy's own: a name, `by-task`, or a TOML file
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) template: Option<String>,
    /// Share of what the mock LLM would keep that it loses, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SHARE")]
    pub(super) mock_loss: f64,
    /// Prompt cache that bills the requests; by default that of the recorded model. Without `--cache` and `--price` the embedded
    /// sessions, which a script recorded, are billed by `anthropic-5m` at `claude-sonnet-5-5`
    #[arg(long, value_name = "PRESET")]
    pub(super) cache: Option<String>,
    /// Price: a row of the price book, or a model; by default the recorded model's
    #[arg(long, value_name = "NAME")]
    pub(super) price: Option<String>,
    /// Price book (TOML) whose rows count before the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(super) prices: Option<PathBuf>,
    /// Model of the time to the first token (no measurement): `base,uncached,cached` in ms, the latter two for 1,000 tokens, or a
    /// [[latency]] row of the price book
    #[arg(long, value_name = "MS,MS,MS|NAME")]
    pub(super) latency: Option<String>,
    /// File with the system prompt, which session files lack
    #[arg(long, value_name = "FILE")]
    pub(super) system: Option<PathBuf>,
    /// JSON file with the tool schemas: an array of {name, description, parameters}
    #[arg(long, value_name = "FILE")]
    pub(super) tools: Option<PathBuf>,
}

impl Setting {
    /// A model for every window.
    pub(super) fn models(&self) -> Vec<ModelConfig> {
        self.window.iter().map(|&window| ModelConfig::window(window).with_windows(&self.model_window)).collect()
    }

    /// Which cache and which prices.
    pub(super) fn cache_config(&self) -> crate::experiment::CacheConfig {
        crate::experiment::CacheConfig {
            provider: self.cache.clone(),
            price: self.price.clone(),
            prices: self.prices.clone(),
            latency: self.latency.clone(),
            interval_seconds: None,
        }
    }
}

#[derive(Debug, Clone, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct RunArgs {
    /// Experiment file (TOML), in place of the options that choose sessions, strategies and models
    #[arg(long, value_name = "FILE", conflicts_with_all = ["transcripts", "strategy", "window", "model_window", "history", "reference", "seed", "set", "template", "mock_loss", "cache", "price", "prices", "latency"])]
    pub(super) config: Option<PathBuf>,
    /// Session files, dataset folders, or folders of sessions; without any, the embedded datasets
    #[arg(long, num_args = 1.., value_name = "PATH")]
    pub(super) transcripts: Vec<PathBuf>,
    /// Strategies, by name of the preset; `cutpoint list presets` explains them
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub(super) strategy: Vec<String>,
    #[command(flatten)]
    pub(super) setting: Setting,
    /// Name of the run: its folder under the output folder
    #[arg(long, default_value = "run", value_name = "NAME")]
    pub(super) name: String,
    /// Output folder
    #[arg(long, default_value = "reports", value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Threads; 0 takes all cores
    #[arg(long, default_value_t = 0)]
    pub(super) threads: usize,
    /// Run only one part of the grid, such as 2/4; `cutpoint merge` puts the parts together
    #[arg(long, value_name = "PART/OF")]
    pub(super) shard: Option<Shard>,
    /// Say how many calls, tokens and dollars the experiment would take, by strategy; ask and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) llm: LlmArgs,
    /// Ask the model about the last cut: probes, and the next recorded tool calls; with `search`, also after one search of the
    /// dropped part
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "ask", help_heading = "Real model (without these, a mock answers)")]
    pub(super) probes: Option<Probes>,
    /// Replace secrets, e-mail addresses and names in home paths by signs of the same length before anything is replayed, asked or
    /// written; what was found is counted
    #[arg(long)]
    pub(super) redact: bool,
    /// Run every cell again, also those that an earlier run in the folder has with the same inputs
    #[arg(long)]
    pub(super) fresh: bool,
    /// Exit with 5 if the files have findings, after all of them are printed
    #[arg(long)]
    pub(super) strict: bool,
}

/// What `--probes` asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Probes {
    Ask,
    Search,
}

impl RunArgs {
    /// The arguments of the default experiment.
    pub(super) fn default_experiment() -> Self {
        #[derive(Parser)]
        struct Alone {
            #[command(flatten)]
            args: RunArgs,
        }
        Alone::parse_from(["cutpoint", "--name", "default"]).args
    }
}

#[derive(Debug, Args)]
pub(super) struct ReplayArgs {
    /// Session file or dataset folder; `embedded:NAME` is one of the program's own
    pub(super) transcript: PathBuf,
    /// Strategy, by name of the preset
    #[arg(long, default_value = "pi", value_name = "NAME")]
    pub(super) strategy: String,
    #[command(flatten)]
    pub(super) setting: Setting,
    /// Print the summaries too
    #[arg(long)]
    pub(super) summaries: bool,
    /// Compact by hand before this request, as `/compact` does
    #[arg(long, value_name = "REQUEST")]
    pub(super) compact_at: Option<u64>,
    /// What the summary of that compaction shall look at
    #[arg(long, value_name = "TEXT", requires = "compact_at")]
    pub(super) focus: Option<String>,
    /// Exit with 5 if the files have findings, after all of them are printed
    #[arg(long)]
    pub(super) strict: bool,
}

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// Session files or dataset folders; `embedded:NAME` is one of the program's own
    #[arg(required = true)]
    pub(super) transcripts: Vec<PathBuf>,
    /// Exit with 5 if the files have findings, after all of them are printed
    #[arg(long)]
    pub(super) strict: bool,
    /// Exact tokenizer behind reference counts
    #[arg(long, default_value = "o200k_base", value_name = "NAME")]
    pub(super) reference: String,
    /// Print one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
What the target cannot hold is counted on stderr, and as JSON with --report.

Examples:
  cutpoint import rollout.jsonl --to pi > session.jsonl     one session, on stdout
  cutpoint import ~/.claude/projects --to jsonl --out out   a folder, for analysis elsewhere
  cutpoint import session.jsonl --to openai                 the context of the next request")]
pub(super) struct ImportArgs {
    /// Session files, dataset folders, or folders of sessions
    #[arg(required = true, value_name = "SRC")]
    pub(super) sources: Vec<PathBuf>,
    /// What to write: `pi` (version 3), `openai` (a request body with the session's context), `jsonl` (one record an entry)
    #[arg(long, value_name = "pi|openai|jsonl")]
    pub(super) to: String,
    /// Folder to write to, or `-` for stdout
    #[arg(long, default_value = "-", value_name = "DIR")]
    pub(super) out: PathBuf,
    /// Context of an `openai` body: `recorded` with the recorded compactions in force, `full` as if never compacted
    #[arg(long, default_value = "recorded", value_name = "full|recorded")]
    pub(super) history: String,
    /// Add token counts by this exact tokenizer to `jsonl`
    #[arg(long, value_name = "NAME")]
    pub(super) tokens: Option<String>,
    /// Write what was found, lost, changed and added to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Replace secrets, e-mail addresses and names in home paths by signs of the same length; what was found is counted
    #[arg(long)]
    pub(super) redact: bool,
    /// Overwrite files that are there
    #[arg(long)]
    pub(super) force: bool,
    /// Exit with 5 if the files have findings, after all of them are printed
    #[arg(long)]
    pub(super) strict: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cutpoint validate ~/.pi/agent/sessions --json    every fault with file, line, column, kind and what was done
  cutpoint validate ~/.claude/projects --csv       the same, a row each")]
pub(super) struct ValidateArgs {
    /// Session files, dataset folders, or folders of sessions
    #[arg(required = true, value_name = "SRC")]
    pub(super) sources: Vec<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    pub(super) json: bool,
    /// Print a CSV row per fault
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutpoint estimate session.jsonl                          every estimator against o200k_base
  cutpoint estimate DIR --truth recorded --out reports/e   against the provider's own usage, with CSV and a page
  cutpoint estimate DIR --estimator pi,bytes/3,exec:./count.py --calibrate")]
pub(super) struct EstimateArgs {
    /// Session files, dataset folders, or folders of sessions; without any, the embedded datasets
    #[arg(value_name = "SRC")]
    pub(super) sources: Vec<PathBuf>,
    #[expect(clippy::doc_markdown, reason = "the help shows it as it is written")]
    /// Estimators: names of `cutpoint list estimators`, utf16/N, code-points/N, bytes/N, anchored:NAME, file:PATH, exec:COMMAND
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    pub(super) estimator: Vec<String>,
    /// What is right: o200k, cl100k, recorded (the provider's usage), or a tokenizer.json
    #[arg(long, default_value = "o200k", value_name = "NAME")]
    pub(super) truth: String,
    /// Windows at which triggers are compared
    #[arg(long, value_delimiter = ',', default_value = "32000,64000,128000,200000", value_name = "TOKENS")]
    pub(super) window: Vec<u64>,
    /// Triggers fire above the window less this
    #[arg(long, default_value_t = 16_384, value_name = "TOKENS")]
    pub(super) reserve: u64,
    /// Budget of the kept tail at which cuts are compared
    #[arg(long, default_value_t = 20_000, value_name = "TOKENS")]
    pub(super) keep: u64,
    /// Fit tokens per character and content class on every other lineage, print them, and judge all on the rest
    #[arg(long)]
    pub(super) calibrate: bool,
    /// Write CSV files and a page to this folder
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Write messages.csv too: a row per message and estimator
    #[arg(long, requires = "out")]
    pub(super) messages: bool,
}

#[derive(Debug, Args)]
pub(super) struct CacheArgs {
    /// Session files, dataset folders, or folders of sessions; `embedded:NAME` is one of the program's own
    #[arg(required = true)]
    pub(super) transcripts: Vec<PathBuf>,
    /// Cache to simulate; by default that of the recorded model, or else of the protocol of its replies
    #[arg(long, value_name = "PRESET")]
    pub(super) provider: Option<String>,
    /// Price book (TOML) whose rows count before the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(super) prices: Option<PathBuf>,
    /// Model of the time to the first token (no measurement): `base,uncached,cached` in ms, the latter two for 1,000 tokens, or a
    /// [[latency]] row of the price book
    #[arg(long, value_name = "MS,MS,MS|NAME")]
    pub(super) latency: Option<String>,
    /// Sweep these thresholds instead (tokens of messages): the bill of the session compacted at each
    #[arg(long, value_delimiter = ',', value_name = "TOKENS")]
    pub(super) sweep: Vec<u64>,
    /// Strategy of the sweep, whose trigger gets the thresholds
    #[arg(long, default_value = "pi", value_name = "NAME", requires = "sweep")]
    pub(super) strategy: String,
    /// Price of the sweep: a row of the price book, or a model; by default the recorded model's
    #[arg(long, value_name = "NAME", requires = "sweep")]
    pub(super) price: Option<String>,
    /// Print every request, not only the breaks
    #[arg(long)]
    pub(super) requests: bool,
    /// Write cache-requests.csv, cache-sessions.csv and a plot per session to this folder; of a sweep cache-sweep.csv, the page
    /// index.html and its plots
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Shortest prefix that is cached, in place of the model's
    #[arg(long, value_name = "TOKENS")]
    pub(super) minimum: Option<u64>,
    /// Lifetime of a cache entry, in place of the preset's
    #[arg(long, value_name = "SECONDS")]
    pub(super) lifetime: Option<u64>,
    /// What restarts a lifetime: a request whose breakpoints lie in what it reads (`marked`), a read alone (`hit`), nothing
    #[arg(long, value_name = "marked|hit|never")]
    pub(super) refresh: Option<String>,
    /// What is one of the 20 places a breakpoint looks at: a block, or a run of tool blocks
    #[arg(long, value_name = "blocks|runs")]
    pub(super) places: Option<String>,
    /// Seconds between requests where a file has no times
    #[arg(long, default_value_t = 30, value_name = "SECONDS")]
    pub(super) interval: u64,
    /// Exact tokenizer behind reference counts
    #[arg(long, default_value = "o200k_base", value_name = "NAME")]
    pub(super) reference: String,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// What to list; without it, everything
    #[arg(value_enum)]
    pub(super) what: Option<Listed>,
    /// Print one template whole: a file to start one's own from
    #[arg(long, value_name = "NAME")]
    pub(super) show: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Listed {
    #[value(alias = "strategies")]
    Presets,
    Estimators,
    Triggers,
    Cuts,
    Templates,
    Datasets,
    Formats,
    Tokenizers,
    Measures,
    Caches,
    Prices,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Run folder
    pub(super) run: PathBuf,
    /// Where to write; by default into the run folder
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Show what moved and what was newly lost since another run: its folder, or baseline:NAME
    #[arg(long, value_name = "BASE")]
    pub(super) against: Option<PathBuf>,
    /// A measure and how much worse it may become, as in `compare`; without any, those of the base's experiment file, or
    /// `goal_loss=0.02`
    #[arg(long, value_name = "MEASURE=MARGIN", requires = "against")]
    pub(super) gate: Vec<crate::compare::Gate>,
    /// Replace secrets, e-mail addresses and names in home paths in everything that is written; the records of the run stay as they are
    #[arg(long, requires = "out")]
    pub(super) redact: bool,
    /// Write every table as Parquet too, for `DuckDB`, Polars and pandas; needs a program built with `--features parquet`
    #[arg(long)]
    pub(super) parquet: bool,
}
