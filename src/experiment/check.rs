//! What can be told wrong of an experiment before a session is read.

use std::fmt::Debug;

use super::grid::strategies;
use super::{ConfigError, Experiment, MarginConfig};
use crate::meter::definitions;
use crate::replay::History;
use crate::tokens::Reference;

impl Experiment {
    /// Looks at everything but the sessions.
    ///
    /// # Errors
    /// When it names something that does not exist, or holds a value that cannot be used.
    pub fn check(&self) -> Result<(), ConfigError> {
        strategies(self)?;
        self.check_values()
    }

    /// The same without the strategies.
    pub(super) fn check_values(&self) -> Result<(), ConfigError> {
        self.check_name()?;
        self.check_lists()?;
        let named = |error: String| ConfigError::entry("history", error, "take one of them");
        let _: History = self.history.parse().map_err(named)?;
        let unknown = |error| ConfigError::entry("reference", format!("{error}"), "take one of them");
        let _: Reference = self.reference.parse().map_err(unknown)?;
        self.check_numbers()?;
        self.gate.iter().try_for_each(|(measure, margin)| check_gate(measure, margin))
    }

    fn check_name(&self) -> Result<(), ConfigError> {
        let name = self.name.trim();
        let is_folder = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
        let problem = || format!("{:?} cannot be the name of an experiment: it is that of its folder", self.name);
        let hint = "letters, digits, `-` and `_` will do; --out chooses where the folder lies";
        if is_folder { Ok(()) } else { Err(ConfigError::entry(format!("{:?}", self.name), problem(), hint)) }
    }

    fn check_lists(&self) -> Result<(), ConfigError> {
        let lists =
            [("models", self.models.len()), ("seeds", self.seeds.len()), ("replicates", self.replicates as usize)];
        if let Some((field, _)) = lists.into_iter().find(|(_, count)| *count == 0) {
            let problem = "an experiment needs a strategy, a model, a seed and a replicate".to_owned();
            return Err(ConfigError::entry(field, problem, format!("without `{field}` in the file there is one")));
        }
        for model in &self.models {
            // The name of a model is a value, that of a recorded one a field.
            check_window(format!("{:?}", model.name), &model.name, model.window_tokens)?;
            model.recorded.iter().try_for_each(|(name, one)| check_window(name.clone(), name, one.window_tokens))?;
        }
        once("models", self.models.iter().map(|model| (&model.name, model.window_tokens, model.max_output_tokens)))?;
        once("seeds", self.seeds.iter())
    }

    fn check_numbers(&self) -> Result<(), ConfigError> {
        if self.manual.iter().any(|manual| manual.request == 0) {
            let problem = "a compaction by hand comes before a request, and the first of them is 1, not 0".to_owned();
            return Err(ConfigError::entry("manual", problem, "take 1 or more"));
        }
        let weights = [self.goal.items, self.goal.future];
        if weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0) && weights.iter().sum::<f64>() > 0.0 {
            return Ok(());
        }
        let problem = format!("the weights of [goal] are {} and {}", weights[0], weights[1]);
        Err(ConfigError::entry("[goal]", problem, "a weight is 0 or more, and one of them is more"))
    }
}

/// A window holds something.
fn check_window(at: String, name: &str, window: u64) -> Result<(), ConfigError> {
    if window > 0 {
        return Ok(());
    }
    let problem = format!("the window of {name:?} is 0 tokens, it must have at least 1");
    Err(ConfigError::entry(at, problem, "`window_tokens` is the context window of the model"))
}

/// Cells of equal settings have one id.
fn once<T: PartialEq + Debug>(field: &str, values: impl Iterator<Item = T>) -> Result<(), ConfigError> {
    let mut seen: Vec<T> = Vec::new();
    for value in values {
        if seen.contains(&value) {
            let problem = format!("`{field}` holds {value:?} twice, and their cells could not be told apart");
            return Err(ConfigError::entry(
                field,
                problem,
                "take one away; `replicates` repeats a seed with other draws",
            ));
        }
        seen.push(value);
    }
    Ok(())
}

/// A gate is on a measure, by a number or a share.
fn check_gate(measure: &str, margin: &MarginConfig) -> Result<(), ConfigError> {
    let known = definitions();
    if known.iter().all(|def| def.name != measure) {
        let near = known.iter().map(|def| (strsim::damerau_levenshtein(measure, &def.name), &def.name)).min();
        let near = near.filter(|(far, _)| *far <= 3).map(|(_, name)| format!("did you mean `{name}`? "));
        let hint = format!("{}`cutpoint list measures` names all", near.unwrap_or_default());
        return Err(ConfigError::entry(measure, format!("[gate] no measure is called {measure:?}"), hint));
    }
    let number = match margin {
        MarginConfig::Absolute(margin) => Some(*margin),
        MarginConfig::Share(text) => text.strip_suffix('%').and_then(|share| share.trim().parse().ok()),
    };
    if number.is_some_and(|number: f64| number.is_finite() && number >= 0.0) {
        return Ok(());
    }
    let shown = match margin {
        MarginConfig::Absolute(margin) => margin.to_string(),
        MarginConfig::Share(text) => format!("{text:?}"),
    };
    let problem = format!("[gate] {measure}: {shown} is no margin");
    Err(ConfigError::entry(
        measure,
        problem,
        "a number in the unit of the measure, or a share of the base such as \"5%\"",
    ))
}
