//! What is wrong with an experiment, and where it says so.

use crate::engine::spec::SpecError;

/// An experiment cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file has another shape.
    #[error("{origin}: {source}")]
    Shape {
        /// The file.
        origin: String,
        /// Why.
        source: Box<toml::de::Error>,
    },
    /// There is no such preset.
    #[error("no strategy is called {name:?}")]
    Preset {
        /// The name.
        name: String,
        /// The nearest name, if one is near.
        near: Option<&'static str>,
    },
    /// A field of the grid does not exist in a strategy.
    #[error("{field}: {of} has no such field")]
    Field {
        /// The field.
        field: String,
        /// The strategy.
        of: String,
        /// The nearest field in its place, if one is near.
        near: Option<String>,
        /// The fields in its place.
        known: Vec<String>,
    },
    /// A field holds what cannot be used.
    #[error("{problem}")]
    Entry {
        /// What stands in the line of the file: the field, or its value.
        at: String,
        /// What was found, and what was expected.
        problem: String,
        /// What to do about it.
        hint: String,
    },
    /// A value is out of range or unknown.
    #[error("{0}")]
    Value(String),
    /// A stage does not exist.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A stage of this strategy does not exist, or holds what cannot be used.
    #[error("strategy {name:?}: {}", told(problem))]
    Strategy {
        /// The strategy, without what a grid sets.
        name: String,
        /// Why.
        problem: SpecError,
    },
    /// One of these, in a file.
    #[error("{origin}:{line}: {problem}")]
    Placed {
        /// The file.
        origin: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        problem: Box<Self>,
    },
}

/// A template's error without its hint.
fn told(error: &SpecError) -> String {
    let text = error.to_string();
    text.split_once("\nhint: ").map_or(text.clone(), |(problem, _)| problem.to_owned())
}

impl ConfigError {
    /// A field, or its value, cannot be used.
    pub(crate) fn entry(at: impl Into<String>, problem: String, hint: impl Into<String>) -> Self {
        Self::Entry { at: at.into(), problem, hint: hint.into() }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Shape { source, .. } => misspelt(source.message()),
            Self::Field { near: Some(near), .. } => format!("did you mean `{near}`?"),
            Self::Field { near: None, known, .. } => format!("there are: {}", known.join(", ")),
            Self::Preset { near: Some(near), .. } => {
                format!("did you mean {near:?}? `cutpoint list presets` names all")
            }
            Self::Preset { near: None, .. } => "`cutpoint list presets` names all".to_owned(),
            Self::Entry { hint, .. } => hint.clone(),
            Self::Strategy { problem: SpecError::Template(error), .. } | Self::Spec(SpecError::Template(error)) => {
                error.hint.clone()
            }
            Self::Strategy { .. } => "`cutpoint list` names the parameters of every stage".to_owned(),
            Self::Placed { problem, .. } => problem.hint(),
            Self::Value(_) | Self::Spec(_) => "see `cutpoint run --help`".to_owned(),
        }
    }

    /// The same with the line of the file that it is about; as it is where no line says it, or the file was named already.
    #[must_use]
    pub fn placed(self, toml: &str, origin: &str) -> Self {
        let words = match &self {
            Self::Preset { name, .. } | Self::Strategy { name, .. } => name,
            Self::Field { field, .. } => field,
            Self::Entry { at, .. } => at,
            Self::Shape { .. } | Self::Value(_) | Self::Spec(_) | Self::Placed { .. } => return self,
        };
        // Of two lines the later: where a name stands twice, the second is one too many. A field is meant where it is set.
        let toml = toml.replace('\'', "\"");
        let last =
            |is_it: fn(&str, &str) -> bool| toml.lines().enumerate().filter(|(_, line)| is_it(line, words)).last();
        match last(sets).or_else(|| last(says)) {
            Some((at, _)) => Self::Placed { origin: origin.to_owned(), line: at + 1, problem: Box::new(self) },
            None => self,
        }
    }
}

/// Whether a line sets the field of this name.
fn sets(line: &str, field: &str) -> bool {
    let rest = line.trim_start().trim_start_matches(['[', '"']).strip_prefix(field);
    rest.is_some_and(|rest| rest.trim_start_matches('"').trim_start().starts_with(['=', ']']) && says(line, field))
}

/// Whether a line says these words, and no longer one, before a comment.
fn says(line: &str, words: &str) -> bool {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let line = line.split(" #").next().filter(|line| !line.trim_start().starts_with('#')).unwrap_or_default();
    line.match_indices(words).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + words.len()..].chars().next());
        !before.is_some_and(is_inside) && !after.is_some_and(is_inside)
    })
}

/// What to do about a message of the reader, which quotes an unknown word first and the known ones after it.
pub(super) fn misspelt(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next().filter(|_| message.starts_with("unknown"));
    let near = unknown.and_then(|unknown| {
        // A name that was not written to its end is nearer than a short one.
        let far = |known: &str| {
            if known.starts_with(unknown) { 0 } else { strsim::damerau_levenshtein(unknown, known) }
        };
        quoted.map(|known| (far(known), known)).min().filter(|(far, _)| *far <= 3)
    });
    match near {
        Some((_, near)) => format!("did you mean `{near}`?"),
        None => {
            "`cutpoint list` names the stages with their parameters, `cutpoint new --schema` every field".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_says_it_is_named() {
        let toml = "name = \"a\"\n# strategies = [\"py\"]\nstrategies = [\"pi-py\", \"py\"] # py\nmodels = []\n";
        let preset = ConfigError::Preset { name: "py".to_owned(), near: Some("pi") }.placed(toml, "x.toml");
        assert_eq!(preset.to_string(), "x.toml:3: no strategy is called \"py\"");
        assert!(preset.hint().starts_with("did you mean \"pi\"?"));
        let at = |words: &str| ConfigError::entry(words, "p".to_owned(), "h").placed(toml, "x.toml").to_string();
        assert_eq!((at("models"), at("model")), ("x.toml:4: p".to_owned(), "p".to_owned()));
        // A name of two tables is told by its value, a field by the line that sets it and not by one that says its name.
        let toml = "name = \"../a\"\nhistory = \"x\"\n[[models]]\nname = \"history\"\n";
        let placed = |error: ConfigError| error.placed(toml, "x.toml").to_string();
        let history = ConfigError::entry("history", "p".to_owned(), "h");
        assert_eq!(placed(history), "x.toml:2: p");
        assert_eq!(placed(ConfigError::entry("\"../a\"", "p".to_owned(), "h")), "x.toml:1: p");
        // What has a place keeps it.
        assert_eq!(preset.placed("py", "y.toml").to_string(), "x.toml:3: no strategy is called \"py\"");
    }
}
