//! The bill of a session against the threshold at which it is compacted.

use super::{
    CacheConfig, CacheSetup, Cell, ConfigError, Experiment, MeterName, ModelConfig, Prepared, Session, StrategyConfig,
    run_cell,
};
use crate::engine::spec::{SizeSpec, TriggerSpec};
use crate::engine::summarize::Completer;
use crate::measure::Measure;
use crate::replay::CountCache;
use crate::results::{CacheSweepRecord, CellRecord, CompactionCache, EventRecord};
use crate::tokens::Reference;
use crate::transcript::Tokens;

/// A window that no session outgrows, so that the threshold alone decides.
const WINDOW: u64 = 100_000_000;

/// What is swept.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Name of the preset whose trigger gets the thresholds.
    pub strategy: String,
    /// Tokens of messages at which it compacts.
    pub thresholds: Vec<u64>,
    /// The cache and the prices.
    pub cache: CacheConfig,
    /// The tokenizer of reference counts.
    pub reference: Reference,
}

impl Sweep {
    /// Replays a session at every threshold, and without any compaction. The cheapest is marked.
    ///
    /// # Errors
    /// When the configuration names what does not exist, or the session has no price.
    pub fn run(&self, session: &Session, llm: &dyn Completer) -> Result<Vec<CacheSweepRecord>, ConfigError> {
        let (_, mimics, mut spec) = StrategyConfig::Preset(self.strategy.clone()).resolve()?;
        let prepared = |cell: &Cell| {
            let one = || std::iter::once(cell);
            let prepared = Prepared::new(session, self.reference, one())?.with_cache(&cell.cache)?;
            Ok::<_, ConfigError>(prepared.with_inferred_head())
        };
        let experiment =
            Experiment { meters: vec![MeterName::Structure, MeterName::Cache], ..Experiment::default_experiment() };
        let counts = CountCache::new(self.reference);
        let mut shared = None;
        let mut records = Vec::new();
        for threshold in self.thresholds.iter().copied().map(Some).chain([None]) {
            spec.trigger = threshold.map_or(TriggerSpec::Never, |tokens| TriggerSpec::Langchain {
                when: SizeSpec::Tokens(tokens),
                profile: false,
                input_budget: false,
            });
            let cell = Cell {
                id: String::new(),
                inputs: String::new(),
                replicate: 0,
                strategy: self.strategy.clone(),
                mimics: mimics.clone(),
                spec: spec.clone(),
                cache: self.cache.clone(),
                session: 0,
                model: ModelConfig::window(WINDOW),
                seed: 0,
            };
            let prepared = match &shared {
                Some(prepared) => prepared,
                None => &*shared.insert(prepared(&cell)?),
            };
            let (record, events) = run_cell(&cell, prepared, &experiment, &counts, llm)?;
            let compactions = Compactions::new(&events);
            let head = prepared.bill(&cell).map_or_else(Default::default, CacheSetup::head);
            let point = point(&record, threshold, head)?;
            records.push(CacheSweepRecord {
                one_time_tokens: compactions.mean(|cache| cache.one_time_tokens),
                one_time_riding_tokens: compactions.mean(|cache| cache.one_time_riding_tokens),
                saving_tokens: compactions.mean(|cache| cache.saving_tokens),
                model_first_token_ms: mean(&events.iter().filter_map(first_token_ms).collect::<Vec<_>>()),
                latency_row: prepared.bill(&cell).and_then(CacheSetup::latency_row),
                ..point
            });
        }
        mark_cheapest(&mut records);
        Ok(records)
    }
}

fn point(
    cell: &CellRecord,
    threshold: Option<u64>,
    (head, inferred): (Tokens, bool),
) -> Result<CacheSweepRecord, ConfigError> {
    let value = |name: &str| match cell.measures.get(name) {
        Some(Measure::Value(value)) => Ok(*value),
        Some(Measure::Void(reason)) => Err(ConfigError::Value(format!("{}: no {name}: {reason}", cell.transcript))),
        None => Err(ConfigError::Value(format!("{}: nothing is billed", cell.transcript))),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts of tokens are whole")]
    let whole = |name: &str| Ok::<_, ConfigError>(value(name)? as u64);
    let (cost, summary) = (value("cost_usd")?, value("cost_summary_usd")?);
    Ok(CacheSweepRecord {
        session: cell.transcript.clone(),
        strategy: cell.strategy.clone(),
        provider: cell.cache.clone(),
        price_row: cell.price.clone().unwrap_or_default(),
        threshold_tokens: threshold,
        head_tokens: head.0,
        head_inferred: inferred,
        compactions: whole("compactions_count")?,
        invalidated_tokens: whole("cache_invalidated_tokens")?,
        rewritten_tokens: whole("cache_rewritten_tokens")?,
        prompt_tokens: whole("cache_read_tokens")? + whole("cache_write_tokens")? + whole("cache_plain_tokens")?,
        cost_usd: cost,
        summary_usd: summary,
        riding_usd: cost - summary + value("cost_summary_riding_usd")?,
        ..CacheSweepRecord::default()
    })
}

/// The compactions of a cell that another request followed.
struct Compactions<'e>(Vec<&'e CompactionCache>);

impl<'e> Compactions<'e> {
    fn new(events: &'e [EventRecord]) -> Self {
        let cache =
            |event: &'e EventRecord| if let EventRecord::Compaction(one) = event { one.cache.as_ref() } else { None };
        Self(events.iter().filter_map(cache).collect())
    }

    fn mean(&self, of: impl Fn(&CompactionCache) -> Option<f64>) -> Option<f64> {
        mean(&self.0.iter().filter_map(|one| of(one)).collect::<Vec<_>>())
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn first_token_ms(event: &EventRecord) -> Option<f64> {
    if let EventRecord::Request(request) = event { request.cache.as_ref()?.model_first_token_ms } else { None }
}

fn mark_cheapest(records: &mut [CacheSweepRecord]) {
    let cheapest = records.iter_mut().min_by(|a, b| a.cost_usd.total_cmp(&b.cost_usd));
    if let Some(cheapest) = cheapest {
        cheapest.optimum = true;
    }
}
