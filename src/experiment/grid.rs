//! The cells of an experiment, with ids that stay the same from run to run.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{CacheConfig, ConfigError, Experiment, ModelConfig, Session, Variant, vary};
use crate::digest::hex;
use crate::engine::spec::StrategySpec;
use crate::llm::LlmConfig;
use crate::results::SCHEMA;

/// One strategy × transcript × model × seed × replicate.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// 16 hexadecimal digits, from strategy, transcript, model, window, history, seed and replicate, by name: what is the same
    /// cell in two runs.
    pub id: String,
    /// 32 hexadecimal digits, from everything that decides the result: what need not be run again.
    pub inputs: String,
    /// Name of the strategy.
    pub strategy: String,
    /// What it mimics.
    pub mimics: Option<String>,
    /// Its stages.
    pub spec: StrategySpec,
    /// What it is billed by.
    pub cache: CacheConfig,
    /// Index of the session in the corpus.
    pub session: usize,
    /// The model.
    pub model: ModelConfig,
    /// The seed.
    pub seed: u64,
    /// Which repetition of the seed, from 0.
    pub replicate: u32,
}

impl Cell {
    /// The seed of its draws: replicates of one seed draw differently.
    pub fn draws(&self) -> u64 {
        if self.replicate == 0 {
            return self.seed;
        }
        let digest = Sha256::new().chain_update(self.seed.to_le_bytes()).chain_update(self.replicate.to_le_bytes());
        digest.finalize()[..8].iter().fold(0, |seed, byte| seed << 8 | u64::from(*byte))
    }
}

/// All cells: by session, then model, then seed, then replicate, then strategy.
///
/// # Errors
/// When the experiment names something that does not exist, or two strategies have one name.
pub fn grid(experiment: &Experiment, sessions: &[Session]) -> Result<Vec<Cell>, ConfigError> {
    let strategies = strategies(experiment)?;
    experiment.check_values()?;
    let mut cells = Vec::new();
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for (session, recorded) in sessions.iter().enumerate() {
        // Files of one name in several folders are told apart by their order.
        let twin = seen.entry(&recorded.name).and_modify(|count| *count += 1).or_insert(0).to_string();
        let source = digest(&source(recorded));
        for model in &experiment.models {
            let model_name = format!("{} {} {}", model.name, model.window_tokens, model.max_output_tokens);
            // Without windows by recorded model the digest is that of runs before there were any.
            let windows = (!model.recorded.is_empty()).then(|| format!("{:?}", model.recorded));
            for (seed, replicate) in draws(experiment) {
                let draw = format!("{seed} {replicate}");
                cells.extend(strategies.iter().map(|Named { variant, mimics, stages, settings }| {
                    let Variant { name, spec, cache } = variant.clone();
                    let place = [&name, &recorded.name, &twin, &model_name, &experiment.history, &draw];
                    let id = digest(&place)[..16].to_owned();
                    let decides = [&id, settings, &source, stages].into_iter().chain(&windows);
                    let inputs = digest(&decides.collect::<Vec<_>>())[..32].to_owned();
                    let (mimics, model) = (mimics.clone(), model.clone());
                    Cell { id, inputs, strategy: name, mimics, spec, cache, session, model, seed, replicate }
                }));
            }
        }
    }
    Ok(cells)
}

/// Every replicate of every seed.
fn draws(experiment: &Experiment) -> impl Iterator<Item = (u64, u32)> {
    let replicates = experiment.replicates;
    experiment.seeds.iter().flat_map(move |&seed| (0..replicates).map(move |replicate| (seed, replicate)))
}

/// A strategy of the grid.
pub(super) struct Named {
    variant: Variant,
    mimics: Option<String>,
    /// The stages as text, for the digest.
    stages: String,
    /// The digest of what else decides its results.
    settings: String,
}

/// The strategies, each varied by the `[grid]`.
pub(super) fn strategies(experiment: &Experiment) -> Result<Vec<Named>, ConfigError> {
    let mut all: Vec<Named> = Vec::new();
    for strategy in &experiment.strategies {
        let (base, mimics, spec) = strategy.resolve()?;
        for variant in vary(&base, &spec, &experiment.cache, &experiment.grid)? {
            let Variant { name, spec, cache } = &variant;
            // What does not exist is found here, before anything runs.
            let wrong = |problem| ConfigError::Strategy { name: base.clone(), problem };
            spec.build_with(name, &crate::outside::System).map_err(wrong)?;
            if all.iter().all(|other| other.variant.cache != *cache) {
                cache.check()?;
            }
            if all.iter().any(|other| other.variant.name == *name) {
                let problem = format!("two strategies are called {name:?}; give one another name");
                return Err(ConfigError::entry(&base, problem, "a strategy, or a value of [grid], stands there twice"));
            }
            let mimics = mimics.clone().filter(|_| experiment.grid.is_empty());
            let stages = toml::to_string(&variant.spec).unwrap_or_default();
            let settings = digest(&settings(experiment, &variant.cache)?);
            all.push(Named { variant, mimics, stages, settings });
        }
    }
    if all.is_empty() {
        let hint = "`cutpoint list presets` names some";
        return Err(ConfigError::entry("strategies", "an experiment needs a strategy".to_owned(), hint));
    }
    Ok(all)
}

/// What of an experiment decides the results of all its cells of one bill.
fn settings(experiment: &Experiment, cache: &CacheConfig) -> Result<[String; 7], ConfigError> {
    Ok([
        format!("{} {SCHEMA}", env!("CARGO_PKG_VERSION")),
        experiment.reference.clone(),
        experiment
            .llm
            .as_ref()
            .map_or_else(|| toml::to_string(&experiment.mock).unwrap_or_default(), LlmConfig::identity),
        format!("{:?}", experiment.manual),
        format!("{:?}", experiment.meters),
        // Without probes the digest is that of runs before there were any.
        format!("{:?}", experiment.goal) + &experiment.probes.as_ref().map(|it| format!("{it:?}")).unwrap_or_default(),
        cache.identity()? + if experiment.redact { " redacted" } else { "" },
    ])
}

/// What of a session decides the results of its cells.
fn source(session: &Session) -> [String; 4] {
    let head = format!("{:?}", session.transcript.head);
    [session.sha256.clone(), session.lineage.clone(), head, format!("{:?}", session.items)]
}

/// SHA-256 of texts in hexadecimal; each enters with its length.
pub(super) fn digest(parts: &[impl AsRef<str>]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_ref().len().to_le_bytes());
        hash.update(part.as_ref());
    }
    hex(&hash.finalize())
}
