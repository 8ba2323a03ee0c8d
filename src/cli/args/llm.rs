//! Which model writes the summaries.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::llm::{Api, LlmConfig, Mode};

/// A real model in place of the mock.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Real model (without these, a mock answers)")]
pub(in crate::cli) struct LlmArgs {
    /// Protocol and model: `chat:gpt-5-mini`, `responses:…`, `messages:claude-…`, `responses-compact:…`, `messages-compact:…`
    #[arg(long, value_name = "API:MODEL")]
    pub(in crate::cli) llm: Option<String>,
    #[expect(clippy::doc_markdown, reason = "the help shows it as it is written")]
    /// Where the model is served, such as http://localhost:8080/v1; by default by the maker of the protocol
    #[arg(long, value_name = "URL")]
    pub(in crate::cli) llm_url: Option<String>,
    /// Environment variable with the key; by default `OPENAI_API_KEY` or `ANTHROPIC_API_KEY` for the makers' own addresses
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) llm_key_env: Option<String>,
    /// Ask for whole answers, not streamed ones
    #[arg(long)]
    pub(in crate::cli) llm_no_stream: bool,
    /// Answers per request: spread is shown, and never counted as a sample
    #[arg(long, value_name = "K")]
    pub(in crate::cli) llm_replicates: Option<u32>,
    /// Calls at the same time
    #[arg(long, value_name = "N")]
    pub(in crate::cli) llm_concurrency: Option<usize>,
    /// Stop before more tokens than this are used
    #[arg(long, value_name = "TOKENS")]
    pub(in crate::cli) llm_budget_tokens: Option<u64>,
    /// Stop before more dollars than this are spent
    #[arg(long, value_name = "USD")]
    pub(in crate::cli) llm_budget_usd: Option<f64>,
    /// `record` asks for what is not in the store; `replay` never asks; `live` always asks and stores nothing
    #[arg(long, default_value = "record", value_name = "live|record|replay")]
    pub(in crate::cli) llm_mode: Mode,
    /// Folder of recorded answers, shared between runs
    #[arg(long, default_value = "llm-store", value_name = "DIR")]
    pub(in crate::cli) llm_store: PathBuf,
}

impl LlmArgs {
    /// The model of the flags over that of the configuration file; `None` for the mock.
    pub(in crate::cli) fn over(&self, file: Option<LlmConfig>) -> anyhow::Result<Option<LlmConfig>> {
        let mut config = match &self.llm {
            Some(named) => named_model(named)?,
            None => match file {
                Some(config) => config,
                None => return Ok(None),
            },
        };
        config.base_url = self.llm_url.clone().or(config.base_url);
        config.key_env = self.llm_key_env.clone().or(config.key_env);
        config.stream &= !self.llm_no_stream;
        config.limits.concurrency = self.llm_concurrency.unwrap_or(config.limits.concurrency);
        config.budget.tokens = self.llm_budget_tokens.or(config.budget.tokens);
        config.budget.usd = self.llm_budget_usd.or(config.budget.usd);
        Ok(Some(config))
    }
}

fn named_model(named: &str) -> anyhow::Result<LlmConfig> {
    let names = || Api::ALL.map(Api::name).join(", ");
    let (api, model) = named.split_once(':').ok_or_else(|| {
        anyhow::anyhow!("--llm {named:?} names no protocol\nhint: API:MODEL, where API is {}", names())
    })?;
    let api = Api::ALL
        .into_iter()
        .find(|known| known.name() == api && *known != Api::Exec)
        .ok_or_else(|| anyhow::anyhow!("--llm: {api:?} is no protocol of this option\nhint: one of {}; `exec` is set in [llm] of an experiment file", names()))?;
    Ok(LlmConfig::new(api, model))
}

/// Commands about the model itself.
#[derive(Debug, Args)]
pub(in crate::cli) struct LlmCommandArgs {
    #[command(subcommand)]
    pub(in crate::cli) what: LlmCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum LlmCommand {
    /// Ask an endpoint a small question, whole and streamed: does it answer, what does it tell, what would it cost?
    Check(CheckArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutpoint llm check --llm chat:qwen3 --llm-url http://localhost:8080/v1
  cutpoint llm check --config experiment.toml
  cutpoint run --config experiment.toml --dry-run        what would this experiment cost?")]
pub(in crate::cli) struct CheckArgs {
    /// Experiment file with an `[llm]` table
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) config: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) llm: LlmArgs,
}
