//! The cells of an experiment, with ids that stay the same from run to run.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::{ConfigError, Experiment, ModelConfig, Session};
use crate::engine::spec::StrategySpec;

/// One strategy × transcript × model × seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// 16 hexadecimal digits, from everything that decides the result.
    pub id: String,
    /// Name of the strategy.
    pub strategy: String,
    /// What it mimics.
    pub mimics: Option<String>,
    /// Its stages.
    pub spec: StrategySpec,
    /// Index of the session in the corpus.
    pub session: usize,
    /// The model.
    pub model: ModelConfig,
    /// The seed.
    pub seed: u64,
}

/// All cells: by session, then model, then seed, then strategy.
///
/// # Errors
/// When the experiment names something that does not exist.
pub fn grid(experiment: &Experiment, sessions: &[Session]) -> Result<Vec<Cell>, ConfigError> {
    let strategies = experiment.strategies.iter().map(super::StrategyConfig::resolve).collect::<Result<Vec<_>, _>>()?;
    if strategies.is_empty() || experiment.models.is_empty() || experiment.seeds.is_empty() {
        return Err(ConfigError::Value("an experiment needs a strategy, a model and a seed".to_owned()));
    }
    if let Some(model) = experiment.models.iter().find(|model| model.window_tokens == 0) {
        return Err(ConfigError::Value(format!("the window of {:?} is 0 tokens, it must have at least 1", model.name)));
    }
    let mut cells = Vec::new();
    for (session, recorded) in sessions.iter().enumerate() {
        for model in &experiment.models {
            for &seed in &experiment.seeds {
                for (strategy, mimics, spec) in &strategies {
                    // A template that does not exist is found here, before anything runs.
                    spec.build(strategy)?;
                    let id = id(experiment, recorded, model, seed, spec);
                    let (strategy, mimics, spec) = (strategy.clone(), mimics.clone(), spec.clone());
                    cells.push(Cell { id, strategy, mimics, spec, session, model: model.clone(), seed });
                }
            }
        }
    }
    Ok(cells)
}

fn id(experiment: &Experiment, session: &Session, model: &ModelConfig, seed: u64, spec: &StrategySpec) -> String {
    let mut hash = Sha256::new();
    let mock = toml::to_string(&experiment.mock).unwrap_or_default();
    let manual = format!("{:?}", experiment.manual);
    let stages = toml::to_string(spec).unwrap_or_default();
    let model = format!("{} {} {}", model.name, model.window_tokens, model.max_output_tokens);
    // Bills change no decision of a replay, but they are part of its record.
    let cache = if experiment.cache == super::CacheConfig::default() {
        String::new()
    } else {
        toml::to_string(&experiment.cache).unwrap_or_default()
    };
    let seed = seed.to_string();
    let name = &session.name;
    for part in
        [&session.sha256, name, &stages, &model, &seed, &experiment.history, &experiment.reference, &mock, &manual]
            .into_iter()
            .chain((!cache.is_empty()).then_some(&cache))
    {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    let mut id = String::new();
    for byte in &hash.finalize()[..8] {
        // Writing to a string cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}
