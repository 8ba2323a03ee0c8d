//! The `[grid]` of an experiment: every combination of values for chosen fields of a strategy.

use std::collections::BTreeMap;

use toml::Value;

use super::ConfigError;
use crate::engine::spec::StrategySpec;

/// The values of each field; a field is a path into the stages, such as `trigger.threshold` or `summarizer.template`.
pub type Grid = BTreeMap<String, Vec<Value>>;

/// A strategy with every combination of the grid's values, in the order of the fields' names, the last one fastest. Names say
/// what was set: `pi[trigger.threshold=0.8]`. An empty grid gives the strategy as it is.
///
/// # Errors
/// When a field does not exist in the strategy, has no values, or cannot take one of them.
pub fn vary(name: &str, spec: &StrategySpec, grid: &Grid) -> Result<Vec<(String, StrategySpec)>, ConfigError> {
    if grid.is_empty() {
        return Ok(vec![(name.to_owned(), spec.clone())]);
    }
    let base = Value::try_from(spec).map_err(|error| ConfigError::Value(format!("{name}: {error}")))?;
    let mut variants = vec![(Vec::new(), base)];
    for (path, values) in grid {
        if values.is_empty() {
            return Err(ConfigError::Value(format!("[grid] {path}: there is no value to try")));
        }
        let mut next = Vec::with_capacity(variants.len() * values.len());
        for (set, stages) in variants {
            for value in values {
                let mut stages = stages.clone();
                place(&mut stages, path, value.clone()).map_err(|lost| missing(name, path, lost))?;
                let mut set = set.clone();
                set.push(format!("{path}={}", shown(value)));
                next.push((set, stages));
            }
        }
        variants = next;
    }
    variants.into_iter().map(|(set, stages)| finished(name, &set.join(","), stages)).collect()
}

fn finished(name: &str, set: &str, stages: Value) -> Result<(String, StrategySpec), ConfigError> {
    let spec = stages.try_into().map_err(|error: toml::de::Error| {
        ConfigError::Value(format!("[grid] {set} does not fit {name}: {}", error.message()))
    })?;
    Ok((format!("{name}[{set}]"), spec))
}

/// Sets the field at a path; the error holds the part that is missing, and the fields that there are in its place.
fn place(stages: &mut Value, path: &str, value: Value) -> Result<(), (String, Vec<String>)> {
    let mut at = stages;
    let mut parts = path.split('.').peekable();
    while let Some(part) = parts.next() {
        let known: Vec<String> = fields(at);
        // The last part may be a field that has a default and is not written out; deserializing refuses what is none.
        let is_stage = parts.peek().is_none() && known.iter().any(|field| field == "kind");
        let next = match at {
            Value::Table(table) => {
                if is_stage {
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

/// A value as a name carries it: text without quotes, a long text by its first line.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) if text.contains('\n') => {
            let name = text.lines().find_map(|line| line.strip_prefix("name = "));
            name.unwrap_or("own").trim_matches('"').to_owned()
        }
        Value::String(text) => text.clone(),
        Value::Table(table) => table.values().map(shown).collect::<Vec<_>>().join("/"),
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
        Ok(vary(of, &spec, &grid(toml))?.into_iter().map(|(name, _)| name).collect())
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
        let found = vary("pi", &spec, &grid(values)).unwrap();
        assert_eq!(found[0].1, spec);
        assert_eq!(found[1].1.estimator.name(), "chars/3.5");
        assert_eq!(found[1].0, "pi[estimator=chars/3.5]");
    }

    #[test]
    fn a_field_that_is_not_there_is_named_with_the_nearest() {
        let error = names("pi-article", "\"triger.threshold\" = [0.5]").unwrap_err();
        assert_eq!(error.to_string(), "[grid] triger.threshold: pi-article has no such field");
        assert_eq!(error.hint(), "did you mean `trigger`?");
        let error = names("pi-article", "\"trigger.treshold\" = [0.5]").unwrap_err();
        assert!(error.to_string().contains("treshold"), "{error}");
        assert!(names("pi-article", "\"trigger.threshold\" = []").is_err());
        assert!(names("pi-article", "\"trigger.threshold\" = [\"much\"]").is_err());
        assert_eq!(names("pi", "").unwrap(), ["pi"]);
    }
}
