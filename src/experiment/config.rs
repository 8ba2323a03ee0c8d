//! `experiment.toml`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::source::OWN;
use super::vary::Grid;
use super::{CacheConfig, ConfigError, ProbeConfig};
use crate::engine::preset::{preset, presets};
use crate::engine::spec::StrategySpec;
use crate::llm::{LlmConfig, MockKnobs};
use crate::meter::goal::Weights;
use crate::replay::{Limits, Manual, Model};
use crate::transcript::Tokens;

/// What is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name: the folder under the output folder.
    pub name: String,
    /// Files and folders; none means the embedded datasets.
    #[serde(default)]
    pub transcripts: Vec<PathBuf>,
    /// Strategies: names of presets, or stages spelled out.
    pub strategies: Vec<StrategyConfig>,
    /// Models.
    #[serde(default = "ModelConfig::default_models")]
    pub models: Vec<ModelConfig>,
    /// `full` or `recorded`.
    #[serde(default = "full")]
    pub history: String,
    /// Reference tokenizer.
    #[serde(default = "o200k")]
    pub reference: String,
    /// Seeds; each makes a cell of its own.
    #[serde(default = "first_seed")]
    pub seeds: Vec<u64>,
    /// Repetitions of every seed, each with draws of its own: to tell the noise of a summarizer from an effect.
    #[serde(default = "once")]
    pub replicates: u32,
    /// Replace secrets, e-mail addresses and names in home paths before anything is replayed, asked or written.
    #[serde(default, skip_serializing_if = "is_off")]
    pub redact: bool,
    /// Meters to run: `structure`, `estimation`, `cache`, `goal`; all by default.
    #[serde(default = "MeterName::all")]
    pub meters: Vec<MeterName>,
    /// Compactions by hand, in every cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manual: Vec<Manual>,
    /// The mock LLM.
    #[serde(default)]
    pub mock: MockKnobs,
    /// The prompt cache and the prices.
    #[serde(default)]
    pub cache: CacheConfig,
    /// A real model, in place of the mock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llm: Option<LlmConfig>,
    /// Questions about the last cut of every cell; none without this table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probes: Option<ProbeConfig>,
    /// Weights of the parts of `goal_offline_loss`.
    #[serde(default)]
    pub goal: Weights,
    /// Every combination of these values is a strategy of its own: `"trigger.threshold" = [0.6, 0.8]`.
    #[serde(default, skip_serializing_if = "Grid::is_empty")]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Vec<serde_json::Value>>"))]
    pub grid: Grid,
    /// Margins for `cutpoint compare`: how much worse a measure may become, in its unit or as `"5%"` of the base.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub gate: BTreeMap<String, MarginConfig>,
}

/// A meter in an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MeterName {
    /// Compactions, overflows, sizes.
    Structure,
    /// Error of the estimates.
    Estimation,
    /// Prompt-cache prefixes.
    Cache,
    /// Goal-loss.
    Goal,
}

impl MeterName {
    /// All meters.
    pub fn all() -> Vec<Self> {
        vec![Self::Structure, Self::Estimation, Self::Cache, Self::Goal]
    }
}

/// How much worse a measure may become.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum MarginConfig {
    /// In the unit of the measure.
    Absolute(f64),
    /// A share of the base's mean, as `"5%"`.
    Share(String),
}

/// A strategy in an experiment.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum StrategyConfig {
    /// A preset.
    Preset(String),
    /// Stages spelled out, under a name.
    Own(Box<OwnStrategy>),
}

/// A strategy whose stages are spelled out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnStrategy {
    /// Its name.
    pub name: String,
    /// Its stages.
    pub stages: StrategySpec,
}

/// Written out, because a derived untagged enum would say only that nothing matched.
impl<'de> Deserialize<'de> for StrategyConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = StrategyConfig;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a preset, or a table with `name` and `stages`")
            }

            fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
                Ok(StrategyConfig::Preset(name.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                OwnStrategy::deserialize(MapAccessDeserializer::new(map)).map(|own| StrategyConfig::Own(Box::new(own)))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A model in an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    /// Its name.
    pub name: String,
    /// Context window in tokens.
    pub window_tokens: u64,
    /// The most tokens a reply may have.
    #[serde(default = "ModelConfig::default_output")]
    pub max_output_tokens: u64,
    /// What holds instead while a session ran on one of these models, by the name that was recorded. Under other models,
    /// and where a session does not say, it is the above.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub recorded: BTreeMap<String, RecordedModel>,
}

/// A model that a session was recorded with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RecordedModel {
    /// Context window in tokens.
    pub window_tokens: u64,
    /// The most tokens a reply may have; without it that of the model of the cell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
}

impl ModelConfig {
    /// The model of the default experiment: a window that the embedded sessions outgrow.
    pub fn default_models() -> Vec<Self> {
        vec![Self::window(64_000)]
    }

    /// A model known by its window alone.
    pub fn window(tokens: u64) -> Self {
        let name = if tokens.is_multiple_of(1_000) { format!("{}k", tokens / 1_000) } else { tokens.to_string() };
        Self { name, window_tokens: tokens, max_output_tokens: Self::default_output(), recorded: BTreeMap::new() }
    }

    /// The same for sessions that change between models of these windows, by recorded name.
    #[must_use]
    pub fn with_windows(mut self, windows: &[(String, u64)]) -> Self {
        let one = |(name, window): &(String, u64)| {
            (name.clone(), RecordedModel { window_tokens: *window, max_output_tokens: None })
        };
        self.recorded.extend(windows.iter().map(one));
        self
    }

    /// What a replay is told of it.
    pub fn model(&self) -> Model {
        let limits = |one: &RecordedModel| Limits {
            window: Tokens(one.window_tokens),
            max_output: Tokens(one.max_output_tokens.unwrap_or(self.max_output_tokens)),
        };
        let recorded = self.recorded.iter().map(|(name, one)| (name.clone(), limits(one))).collect();
        Model { recorded, ..Model::new(&self.name, Tokens(self.window_tokens), Tokens(self.max_output_tokens)) }
    }

    fn default_output() -> u64 {
        8_192
    }
}

/// Variants of one system are left out: they crowd the plots, and `--strategy` names them.
const DEFAULT_STRATEGIES: [&str; 9] =
    ["pi", "pi@0.58", "pi-article", "pi-three-part", "deepagents", "none", "tail-only", "drop-tool-results", "ralph"];

fn full() -> String {
    "full".to_owned()
}

fn o200k() -> String {
    "o200k_base".to_owned()
}

fn once() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_off(flag: &bool) -> bool {
    !flag
}

fn first_seed() -> Vec<u64> {
    vec![0]
}

impl Experiment {
    /// The default experiment: the real systems and the baselines on the embedded datasets.
    pub fn default_experiment() -> Self {
        Self {
            name: "default".to_owned(),
            transcripts: Vec::new(),
            strategies: DEFAULT_STRATEGIES.map(|name| StrategyConfig::Preset(name.to_owned())).to_vec(),
            models: ModelConfig::default_models(),
            history: full(),
            reference: o200k(),
            seeds: first_seed(),
            replicates: once(),
            redact: false,
            meters: MeterName::all(),
            manual: Vec::new(),
            mock: MockKnobs::default(),
            cache: CacheConfig::default(),
            llm: None,
            probes: None,
            goal: Weights::default(),
            grid: Grid::new(),
            gate: BTreeMap::new(),
        }
    }

    /// Reads an `experiment.toml`; `origin` names it in errors.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn parse(toml: &str, origin: &str) -> Result<Self, ConfigError> {
        let shape = |source| ConfigError::Shape { origin: origin.to_owned(), source: Box::new(source) };
        let mut experiment: Self = toml::from_str(toml).map_err(shape)?;
        let says = toml.parse::<toml::Table>().is_ok_and(|table| table.contains_key("replicates"));
        if experiment.llm.is_some() && !says {
            experiment.replicates = LlmConfig::REPLICATES;
        }
        experiment.settle_bill();
        Ok(experiment)
    }

    /// Chooses cache and price for the program's own sessions, where neither is named: a script recorded them, which has no price,
    /// and money should be compared. Sessions of others are billed as their recorded model.
    pub fn settle_bill(&mut self) {
        let is_own = self.transcripts.iter().all(|path| path.to_string_lossy().starts_with(OWN));
        if is_own && self.cache.provider.is_none() && self.cache.price.is_none() {
            self.cache.provider = Some("anthropic-5m".to_owned());
            self.cache.price = Some("claude-sonnet-5-5".to_owned());
        }
    }

    /// The experiment as TOML, whole.
    pub fn to_toml(&self) -> String {
        // Every field is a plain value, so this cannot fail; an empty text would show it.
        toml::to_string(self).unwrap_or_default()
    }
}

impl StrategyConfig {
    /// Its name, what it mimics, and its stages.
    ///
    /// # Errors
    /// When there is no preset of this name.
    pub fn resolve(&self) -> Result<(String, Option<String>, StrategySpec), ConfigError> {
        match self {
            Self::Own(own) => Ok((own.name.clone(), None, own.stages.clone())),
            Self::Preset(name) => {
                let found = preset(name).ok_or_else(|| {
                    let names = presets();
                    let near = names.iter().map(|preset| (strsim::damerau_levenshtein(name, preset.name), preset.name));
                    let near = near.min().filter(|(distance, _)| *distance <= 3).map(|(_, name)| name);
                    ConfigError::Preset { name: name.clone(), near }
                })?;
                Ok((name.clone(), found.mimics.map(str::to_owned), found.spec))
            }
        }
    }
}
