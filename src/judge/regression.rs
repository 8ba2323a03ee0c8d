//! The cases that a judge must grade right before any of its grades is used.

use serde::Deserialize;

use super::rubric::Rubric;
use super::verdict::{Judgement, Subject, judge};
use crate::engine::summarize::Completer;

const CASES: &str = include_str!("regression.toml");

/// One case.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// What it is for.
    pub why: String,
    /// Name of the rubric.
    pub rubric: String,
    /// What is known to be right.
    pub gold: String,
    /// The text.
    pub text: String,
    /// The least grade that is right.
    pub least: u8,
    /// The highest grade that is right.
    pub most: u8,
}

/// A case with what the judge said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The case.
    pub case: Case,
    /// What the judge said.
    pub judgement: Judgement,
}

impl Checked {
    /// Whether the grade is a right one; a void one never is.
    pub fn passes(&self) -> bool {
        self.judgement.grade.as_ref().is_ok_and(|grade| (self.case.least..=self.case.most).contains(grade))
    }
}

/// The set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regression {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// SHA-256 of the file, in hexadecimal: a record names the set that its judge passed.
    pub sha256: String,
}

/// A set of cases could not be used.
#[derive(Debug, thiserror::Error)]
pub enum RegressionError {
    /// It has another shape.
    #[error("cases of a judge: {0}")]
    Shape(#[from] toml::de::Error),
    /// A case is wrong.
    #[error("case {id:?} of a judge: {why}")]
    Case {
        /// The case.
        id: String,
        /// What is wrong.
        why: &'static str,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

impl Regression {
    /// The set that the program brings.
    ///
    /// # Errors
    /// Never, as long as its test passes.
    pub fn builtin() -> Result<Self, RegressionError> {
        Self::parse(CASES)
    }

    /// Reads a set.
    ///
    /// # Errors
    /// When it has another shape, names no rubric, or allows no grade.
    pub fn parse(toml: &str) -> Result<Self, RegressionError> {
        let File { case: cases } = toml::from_str(toml)?;
        for case in &cases {
            let wrong = |why| Err(RegressionError::Case { id: case.id.clone(), why });
            let Some(rubric) = Rubric::named(&case.rubric) else { return wrong("there is no such rubric") };
            if case.least > case.most || case.most > rubric.most() {
                return wrong("it allows no grade of its rubric");
            }
        }
        let sha256 = crate::digest::sha256(toml);
        Ok(Self { cases, sha256 })
    }

    /// Asks the judge about one case.
    pub fn check(case: &Case, llm: &dyn Completer) -> Checked {
        // `parse` has looked up every name.
        let rubric = Rubric::named(&case.rubric).unwrap_or(Rubric::Strict);
        let judgement = judge(Subject { rubric, gold: &case.gold, text: &case.text }, 0, llm);
        Checked { case: case.clone(), judgement }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_has_every_trap_and_is_well_formed() {
        let set = Regression::builtin().unwrap();
        for id in ["right", "wrong-value", "hedge", "inverted-rule", "stale-value", "instruction-in-text"] {
            assert!(set.cases.iter().any(|case| case.id == id), "{id}");
        }
        let mut ids: Vec<&String> = set.cases.iter().map(|case| &case.id).collect();
        ids.sort();
        ids.dedup();
        assert_eq!((ids.len(), set.sha256.len()), (set.cases.len(), 64));
        // Neither a judge that always gives the highest grade nor one that always gives 0 can pass.
        assert!(set.cases.iter().any(|case| case.most == 0) && set.cases.iter().any(|case| case.least == 2));
    }

    #[test]
    fn a_faulty_case_is_named() {
        let toml = |rubric: &str, most: u8| {
            format!("[[case]]\nid='x'\nwhy=''\nrubric='{rubric}'\ngold=''\ntext=''\nleast=0\nmost={most}\n")
        };
        assert!(Regression::parse(&toml("strict", 2)).is_ok());
        let error = Regression::parse(&toml("strict", 3)).unwrap_err().to_string();
        assert!(error.contains("\"x\"") && error.contains("no grade"), "{error}");
        assert!(Regression::parse(&toml("lenient", 1)).unwrap_err().to_string().contains("no such rubric"));
    }
}
