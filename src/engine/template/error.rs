//! What can be wrong with a template.

use std::fmt;

/// A template that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The file, with its line where one is known.
    pub origin: String,
    /// The field at fault, such as `initial.prompt`.
    pub field: Option<String>,
    /// What was found, and what was expected.
    pub problem: String,
    /// What to do about it.
    pub hint: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "template {}: ", self.origin)?;
        if let Some(field) = &self.field {
            write!(f, "`{field}`: ")?;
        }
        write!(f, "{}\nhint: {}", self.problem, self.hint)
    }
}

impl std::error::Error for TemplateError {}

impl TemplateError {
    pub(super) fn new(origin: &str, field: &str, problem: impl Into<String>, hint: impl Into<String>) -> Self {
        let field = Some(field.to_owned());
        Self { origin: origin.to_owned(), field, problem: problem.into(), hint: hint.into() }
    }
}

/// The candidate that `word` is most likely a misspelling of.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |candidate: &str| strsim::damerau_levenshtein(&word.to_lowercase(), candidate);
    let (best, candidate) = candidates.into_iter().map(|candidate| (distance(candidate), candidate)).min()?;
    // One slip in three letters is a misspelling, more is another word.
    (best <= word.chars().count().div_ceil(3)).then_some(candidate)
}
