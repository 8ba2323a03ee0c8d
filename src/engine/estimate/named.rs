//! Estimators by a short name, as the command line takes them.

use super::length::Unit;
use super::spec::EstimatorSpec;
use crate::engine::spec::PiRelease;
use crate::tokens::{IMAGE_TOKENS, Reference};

/// Names that stand for a whole estimator. Others are built from a prefix: `utf16/N`, `code-points/N`, `bytes/N`,
/// `anchored:NAME`, `file:PATH`, `exec:COMMAND`.
pub const NAMED: &[&str] = &[
    "chars/4",
    "chars/3.5",
    "chars/4+cjk/1.5",
    "code-points/4",
    "bytes/4",
    "pi",
    "langchain",
    "langchain/3.3",
    "langchain-scaled",
    "codex",
    "gemini",
    "opencode",
    "o200k_base",
    "cl100k_base",
];

/// What the laboratory compares when nothing is named.
pub const COMPARED: &[&str] = &[
    "chars/4",
    "chars/3.5",
    "chars/4+cjk/1.5",
    "code-points/4",
    "bytes/4",
    "pi",
    "langchain",
    "langchain/3.3",
    "langchain-scaled",
    "codex",
    "gemini",
    "opencode",
    "anchored:o200k_base",
    "o200k_base",
    "cl100k_base",
];

/// No estimator has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no estimator is called {0:?}; there are {names}, and utf16/N, code-points/N, bytes/N, anchored:NAME, file:PATH, exec:COMMAND",
    names = NAMED.join(", ")
)]
pub struct UnknownEstimator(pub String);

/// The estimator of a name.
///
/// # Errors
/// When there is none of that name.
pub fn named(name: &str) -> Result<EstimatorSpec, UnknownEstimator> {
    let length = |unit, per_token| EstimatorSpec::Length { per_token, unit, image_tokens: IMAGE_TOKENS.0 };
    let langchain = |chars_per_token, scaling| EstimatorSpec::Langchain { chars_per_token, scaling };
    Ok(match name {
        "pi" | "pi-1.6" => EstimatorSpec::Pi { release: PiRelease::V1_6 },
        "pi-0.74" => EstimatorSpec::Pi { release: PiRelease::V0_74 },
        "pi-0.58" => EstimatorSpec::Pi { release: PiRelease::V0_58 },
        "chars/4+cjk/1.5" => EstimatorSpec::Chars { per_token: 4.0, cjk_per_token: Some(1.5) },
        "langchain" => langchain(4.0, false),
        "langchain/3.3" => langchain(3.3, false),
        "langchain-scaled" => langchain(4.0, true),
        "codex" => EstimatorSpec::Codex,
        "gemini" => EstimatorSpec::Gemini,
        "opencode" => EstimatorSpec::Opencode,
        "o200k" => EstimatorSpec::Exact { tokenizer: Reference::O200kBase, per_message: 0 },
        "cl100k" => EstimatorSpec::Exact { tokenizer: Reference::Cl100kBase, per_message: 0 },
        other => {
            if let Ok(tokenizer) = other.parse() {
                return Ok(EstimatorSpec::Exact { tokenizer, per_message: 0 });
            }
            let unknown = || UnknownEstimator(other.to_owned());
            if let Some((kind, rest)) = other.split_once(':').filter(|(_, rest)| !rest.trim().is_empty()) {
                return match kind {
                    "anchored" => Ok(EstimatorSpec::Anchored { inner: Box::new(named(rest)?) }),
                    "file" => Ok(EstimatorSpec::TokenizerFile { path: rest.to_owned(), per_message: 0 }),
                    "exec" => Ok(EstimatorSpec::Exec {
                        command: rest.split_whitespace().map(str::to_owned).collect(),
                        timeout_seconds: 60,
                    }),
                    _ => Err(unknown()),
                };
            }
            let (unit, number) = other.split_once('/').ok_or_else(unknown)?;
            let per_token =
                number.parse().ok().filter(|per: &f64| per.is_finite() && *per > 0.0).ok_or_else(unknown)?;
            match unit {
                "chars" | "utf16" => length(Unit::Utf16, per_token),
                "code-points" => length(Unit::CodePoints, per_token),
                "bytes" => length(Unit::Bytes, per_token),
                _ => return Err(unknown()),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{COMPARED, NAMED, named};
    use crate::engine::estimate::outside::Inside;

    #[test]
    fn every_name_is_an_estimator_of_its_own() {
        for list in [NAMED, COMPARED] {
            let names: std::collections::BTreeSet<_> = list.iter().map(|name| named(name).unwrap().name()).collect();
            assert_eq!(names.len(), list.len());
            assert!(list.iter().all(|name| named(name).unwrap().build(&Inside).is_ok()));
        }
    }

    #[test]
    fn names_with_a_prefix_are_built() {
        assert_eq!(named("bytes/3").unwrap().name(), "bytes/3");
        assert_eq!(named("anchored:o200k").unwrap().name(), "anchored:o200k_base");
        assert_eq!(named("exec:python3 count.py").unwrap().name(), "exec:python3 count.py");
        for wrong in ["", "words", "bytes/0", "bytes/x", "anchored:", "anchored:words", "miles/4"] {
            assert!(named(wrong).is_err(), "{wrong}");
        }
    }
}
