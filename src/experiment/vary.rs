//! The `[grid]` of an experiment: every combination of values for chosen fields of a strategy, and of its bill.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Value;

use super::error::misspelt;
use super::{CacheConfig, ConfigError};
use crate::engine::spec::StrategySpec;

/// The values of each field; a field is a path into the stages, such as `trigger.threshold` or `summarizer.template`, or into the
/// bill: `cache.provider`, `cache.price`.
pub type Grid = BTreeMap<String, Vec<Value>>;

/// What the paths of a grid lead into, besides the stages.
const BILL: &str = "cache";
/// The field that is a file: where that lies names no strategy.
const PRICES: &str = "cache.prices";

/// One combination.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// What was set: `pi[trigger.threshold=0.8]`.
    pub name: String,
    /// The stages.
    pub spec: StrategySpec,
    /// What it is billed by.
    pub cache: CacheConfig,
}

/// A strategy and its bill with every combination of the grid's values, in the order of the fields' names, the last one fastest. An
/// empty grid gives both as they are.
///
/// # Errors
/// When a field does not exist, has no values, or cannot take one of them.
pub fn vary(name: &str, spec: &StrategySpec, cache: &CacheConfig, grid: &Grid) -> Result<Vec<Variant>, ConfigError> {
    if grid.is_empty() {
        return Ok(vec![Variant { name: name.to_owned(), spec: spec.clone(), cache: cache.clone() }]);
    }
    let unwritable = |error| ConfigError::Value(format!("{name}: {error}"));
    let mut base = Value::try_from(spec).map_err(unwritable)?;
    if let Value::Table(table) = &mut base {
        table.insert(BILL.to_owned(), Value::try_from(cache).map_err(unwritable)?);
    }
    let mut variants = vec![(Vec::new(), base)];
    for (path, values) in grid {
        if values.is_empty() {
            let problem = format!("{path}: there is no value to try");
            return Err(ConfigError::entry(path, problem, "name some, or take the field away"));
        }
        let mut next = Vec::with_capacity(variants.len() * values.len());
        for (set, stages) in variants {
            for value in values {
                let mut stages = stages.clone();
                place(&mut stages, path, value.clone()).map_err(|lost| missing(name, path, lost))?;
                let mut set = set.clone();
                set.push(format!("{path}={}", shown(path, value)));
                next.push((set, stages));
            }
        }
        variants = next;
    }
    let fields: Vec<&str> = grid.keys().map(String::as_str).collect();
    variants.into_iter().map(|(set, stages)| finished(name, &fields, &set.join(","), stages)).collect()
}

fn finished(name: &str, fields: &[&str], set: &str, mut stages: Value) -> Result<Variant, ConfigError> {
    let bill = stages.as_table_mut().and_then(|table| table.remove(BILL));
    let unfit = |error: toml::de::Error| {
        let message = error.message();
        // An unknown word is the last part of a field.
        let is_quoted = |field: &&&str| message.split('`').nth(1) == field.rsplit('.').next();
        let field = fields.iter().find(is_quoted).or(fields.first()).copied().unwrap_or_default();
        ConfigError::entry(field, format!("{set} does not fit {name}: {message}"), misspelt(message))
    };
    let cache = bill.map_or_else(|| Ok(CacheConfig::default()), |bill| bill.try_into().map_err(unfit))?;
    let spec = stages.try_into().map_err(unfit)?;
    Ok(Variant { name: format!("{name}[{set}]"), spec, cache })
}

/// Sets the field at a path; the error holds the part that is missing, and the fields that there are in its place.
fn place(stages: &mut Value, path: &str, value: Value) -> Result<(), (String, Vec<String>)> {
    let mut at = stages;
    let mut parts = path.split('.').peekable();
    let mut in_bill = false;
    while let Some(part) = parts.next() {
        let known: Vec<String> = fields(at);
        // The last part may be a field that has a default and is not written out; deserializing refuses what is none.
        let has_defaults = parts.peek().is_none() && (in_bill || known.iter().any(|field| field == "kind"));
        in_bill = part == BILL;
        let next = match at {
            Value::Table(table) => {
                if has_defaults {
                    table.entry(part.to_owned()).or_insert(Value::Boolean(false));
                }
                table.get_mut(part)
            }
            Value::Array(items) => part.parse::<usize>().ok().and_then(|index| items.get_mut(index)),
            _ => None,
        };
        at = next.ok_or_else(|| (part.to_owned(), known))?;
    }
    *at = value;
    Ok(())
}

fn fields(value: &Value) -> Vec<String> {
    match value {
        Value::Table(table) => table.keys().cloned().collect(),
        Value::Array(items) => (0..items.len()).map(|index| index.to_string()).collect(),
        _ => Vec::new(),
    }
}

fn missing(name: &str, path: &str, (wanted, known): (String, Vec<String>)) -> ConfigError {
    let near = known.iter().map(|field| (strsim::damerau_levenshtein(&wanted, field), field)).min();
    let near = near.filter(|(distance, _)| *distance <= 2).map(|(_, field)| field.clone());
    ConfigError::Field { field: path.to_owned(), of: name.to_owned(), near, known }
}

/// A value as a name carries it: text without quotes, a long text by its first line, a file without its folder.
fn shown(field: &str, value: &Value) -> String {
    match value {
        Value::String(path) if field == PRICES => {
            Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
        Value::String(text) if text.contains('\n') => {
            let name = text.lines().find_map(|line| line.strip_prefix("name = "));
            name.unwrap_or("own").trim_matches('"').to_owned()
        }
        Value::String(text) => text.clone(),
        Value::Table(table) => table.values().map(|value| shown(field, value)).collect::<Vec<_>>().join("/"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::preset::preset;

    fn grid(toml: &str) -> Grid {
        toml::from_str(toml).unwrap()
    }

    fn names(of: &str, toml: &str) -> Result<Vec<String>, ConfigError> {
        let spec = preset(of).unwrap().spec;
        Ok(vary(of, &spec, &CacheConfig::default(), &grid(toml))?.into_iter().map(|one| one.name).collect())
    }

    #[test]
    fn every_combination_once() {
        let found =
            names("pi-article", "\"trigger.threshold\" = [0.5, 0.75]\n\"cut.min_turns_to_keep\" = [1, 2]").unwrap();
        let expected = [
            "pi-article[cut.min_turns_to_keep=1,trigger.threshold=0.5]",
            "pi-article[cut.min_turns_to_keep=1,trigger.threshold=0.75]",
            "pi-article[cut.min_turns_to_keep=2,trigger.threshold=0.5]",
            "pi-article[cut.min_turns_to_keep=2,trigger.threshold=0.75]",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_whole_stage_can_be_exchanged() {
        let spec = preset("pi").unwrap().spec;
        let values = "estimator = [{ kind = \"pi\" }, { kind = \"chars\", per_token = 3.5 }]";
        let found = vary("pi", &spec, &CacheConfig::default(), &grid(values)).unwrap();
        assert_eq!(found[0].spec, spec);
        assert_eq!(found[1].spec.estimator.name(), "chars/3.5");
        assert_eq!(found[1].name, "pi[estimator=chars/3.5]");
    }

    #[test]
    fn the_bill_varies_beside_the_stages() {
        let spec = preset("pi").unwrap().spec;
        let bill = CacheConfig { interval_seconds: Some(60), ..CacheConfig::default() };
        let values = "\"cache.provider\" = [\"openai-5.6\", \"ideal\"]\n\"summarizer.template\" = [\"codex\"]";
        let found = vary("pi", &spec, &bill, &grid(values)).unwrap();
        assert_eq!(found[1].name, "pi[cache.provider=ideal,summarizer.template=codex]");
        assert_eq!(found[1].cache, CacheConfig { provider: Some("ideal".to_owned()), ..bill.clone() });
        assert_ne!(found[0].spec, spec);
        let error = names("pi", "\"cache.provder\" = [\"ideal\"]").unwrap_err();
        assert!(error.to_string().contains("unknown field `provder`, expected one of `provider`"), "{error}");
        assert!(names("pi", "\"cache.interval_seconds\" = [\"soon\"]").is_err());
    }

    #[test]
    fn a_field_that_is_not_there_is_named_with_the_nearest() {
        let error = names("pi-article", "\"triger.threshold\" = [0.5]").unwrap_err();
        assert_eq!(error.to_string(), "triger.threshold: pi-article has no such field");
        assert_eq!(error.hint(), "did you mean `trigger`?");
        let error = names("pi-article", "\"trigger.treshold\" = [0.5]").unwrap_err();
        assert!(error.to_string().contains("treshold"), "{error}");
        assert!(names("pi-article", "\"trigger.threshold\" = []").is_err());
        assert!(names("pi-article", "\"trigger.threshold\" = [\"much\"]").is_err());
        assert_eq!(names("pi", "").unwrap(), ["pi"]);
    }
}
