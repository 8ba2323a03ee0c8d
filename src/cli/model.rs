//! The model that a command asks: the mock, or a real one with its store.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::args::LlmArgs;
use crate::experiment::Experiment;
use crate::llm::{
    Blocking, Completer, Gateway, LlmConfig, LlmError, LlmRequest, LlmResponse, LongPrice, Memo, Mock, Price, Traffic,
};
use crate::meter::price::PriceBook;

/// Who answers.
pub(super) enum Model {
    /// The mock, behind a memo.
    Mock(Memo<Blocking<Mock>>),
    /// A real model.
    Real(Box<Gateway>, Instant),
}

impl Model {
    /// The model of an experiment.
    pub(super) fn new(experiment: &Experiment, args: &LlmArgs, stop: &Arc<AtomicBool>) -> anyhow::Result<Self> {
        let Some(config) = &experiment.llm else {
            return Ok(Self::Mock(Memo::new(Blocking::new(Mock::new(experiment.mock)?))));
        };
        let gateway = Gateway::new(&priced(config)?, args.llm_mode, &args.llm_store, Arc::clone(stop))?;
        Ok(Self::Real(Box::new(gateway), Instant::now()))
    }

    /// Threads that a run needs: a real model is waited for, so that each call in flight takes one.
    pub(super) fn threads(&self, asked: usize, config: Option<&LlmConfig>) -> usize {
        match (self, config) {
            (Self::Real(..), Some(config)) if asked == 0 => config.limits.concurrency,
            _ => asked,
        }
    }

    /// What it was asked and took, in one line; nothing for the mock.
    pub(super) fn traffic(&self) -> Option<String> {
        let Self::Real(gateway, start) = self else { return None };
        let Traffic { stored, retries, in_flight, spent } = gateway.traffic();
        #[expect(clippy::cast_precision_loss, reason = "counts of calls are far below 2^52")]
        let rate = spent.calls as f64 * 60.0 / start.elapsed().as_secs_f64().max(0.001);
        let mut line = format!("{} calls ({rate:.0}/min, {in_flight} in flight), {stored} stored", spent.calls);
        if retries > 0 {
            line.push_str(&format!(", {retries} retries"));
        }
        line.push_str(&format!(", {} + {} tokens", spent.input_tokens, spent.output_tokens));
        if let Some(usd) = spent.usd {
            line.push_str(&format!(", {usd:.4} USD"));
        }
        if spent.estimated_calls > 0 {
            line.push_str(&format!(", usage estimated for {}", spent.estimated_calls));
        }
        Some(line)
    }

    /// Says on stderr what a real model took.
    pub(super) fn report(&self) {
        if let (Some(line), Self::Real(gateway, _)) = (self.traffic(), self) {
            // With no stderr there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "{}: {line}", gateway.name());
        }
    }
}

impl Completer for Model {
    fn name(&self) -> &str {
        match self {
            Self::Mock(mock) => mock.name(),
            Self::Real(gateway, _) => gateway.name(),
        }
    }

    fn is_mock(&self) -> bool {
        matches!(self, Self::Mock(_))
    }

    fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        match self {
            Self::Mock(mock) => mock.complete(request),
            Self::Real(gateway, _) => gateway.complete(request),
        }
    }

    fn halted(&self) -> Option<String> {
        match self {
            Self::Mock(mock) => mock.halted(),
            Self::Real(gateway, _) => gateway.halted(),
        }
    }
}

/// The model gave no further answer.
#[derive(Debug, thiserror::Error)]
#[error(
    "{reason}\n{cells} of {planned} cells are finished, and kept; what was answered is stored, so the same command goes on from there"
)]
pub(super) struct Halted {
    pub(super) reason: String,
    pub(super) cells: usize,
    pub(super) planned: usize,
}

/// The row of the price book that prices a model.
pub(super) fn price_row(model: &str) -> anyhow::Result<Option<String>> {
    Ok(PriceBook::builtin()?.find(model, None).map(|row| row.name.clone()))
}

/// The configuration with the price of its model, where the price book has one.
pub(super) fn priced(config: &LlmConfig) -> anyhow::Result<LlmConfig> {
    let mut config = config.clone();
    if config.price.is_none() {
        config.price = PriceBook::builtin()?.find(&config.model, None).map(|row| Price {
            input_usd_per_mtok: row.rates.input,
            output_usd_per_mtok: row.rates.output,
            cache_read_usd_per_mtok: row.rates.read,
            cache_write_usd_per_mtok: row.rates.write,
            long: row.above.as_ref().map(|tier| LongPrice {
                above_tokens: tier.tokens.0,
                input_usd_per_mtok: tier.rates.input,
                output_usd_per_mtok: tier.rates.output,
                cache_read_usd_per_mtok: tier.rates.read,
                cache_write_usd_per_mtok: tier.rates.write,
            }),
        });
    }
    Ok(config)
}
