//! `cutpoint llm`: commands about the model itself.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Context;

use super::args::{CheckArgs, LlmCommand, LlmCommandArgs};
use super::model::priced;
use crate::engine::summarize::Purpose;
use crate::experiment::Experiment;
use crate::llm::{Api, Completer, Gateway, LlmConfig, LlmRequest, Mode};
use crate::transcript::Tokens;

pub(super) fn llm(args: &LlmCommandArgs) -> anyhow::Result<()> {
    match &args.what {
        LlmCommand::Check(args) => check(args),
    }
}

/// The endpoint did not answer as it should.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Silent(String);

fn check(args: &CheckArgs) -> anyhow::Result<()> {
    let file = args.config.as_deref().map(read).transpose()?.flatten();
    let config =
        args.llm.over(file)?.context("no model is named\nhint: --llm API:MODEL, or --config with an [llm] table")?;
    let mut config = priced(&config)?;
    // A question, not an experiment: once is enough to tell.
    config.limits.attempts = 1;
    let mut out = io::stdout().lock();
    writeln!(out, "{}", config.name())?;
    let mut silent = None;
    let streams = matches!(config.api, Api::Chat | Api::Responses | Api::Messages);
    for stream in [false, true].into_iter().filter(|stream| !stream || streams) {
        let way = if stream { "streamed" } else { "whole" };
        match ask(&config, stream) {
            Ok(told) => writeln!(out, "  {way:<9} {told}")?,
            Err(why) => {
                writeln!(out, "  {way:<9} no answer: {why}")?;
                silent.get_or_insert(why);
            }
        }
    }
    match &config.price {
        Some(price) => writeln!(
            out,
            "  price     {} USD per million tokens of input, {} of output",
            price.input_usd_per_mtok, price.output_usd_per_mtok
        )?,
        None => writeln!(out, "  price     not known: dollars cannot be counted; set price in [llm]")?,
    }
    silent.map_or(Ok(()), |why| Err(Silent(why).into()))
}

/// Asks a small question; says what came back.
fn ask(config: &LlmConfig, stream: bool) -> Result<String, String> {
    let config = LlmConfig { stream, ..config.clone() };
    let gateway = Gateway::new(&config, Mode::Live, "", Arc::new(AtomicBool::new(false))).map_err(|e| e.to_string())?;
    let request = LlmRequest {
        max_output: Some(Tokens(256)),
        ..LlmRequest::new(Purpose::Summary, Some("Answer in one short sentence.".into()), "Say that you are ready.")
    };
    let start = Instant::now();
    let answer = gateway.complete(&request);
    if let Some(why) = gateway.halted() {
        return Err(why);
    }
    let seconds = start.elapsed().as_secs_f64();
    let (usage, said) = match answer {
        Ok(answer) => {
            let short: String = answer.text.trim().chars().take(60).collect();
            (answer.usage, format!("{short:?}"))
        }
        // An endpoint for compaction may answer that there is nothing to read, or to compact.
        Err(why) => (None, format!("it works, but {why}")),
    };
    let usage = usage.map_or_else(
        || "usage not told".to_owned(),
        |usage| format!("usage {} + {} tokens", usage.prompt(), usage.output),
    );
    Ok(format!("{seconds:.2} s, {usage}: {said}"))
}

fn read(path: &Path) -> anyhow::Result<Option<LlmConfig>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Experiment::parse(&text, &path.display().to_string())?.llm)
}
