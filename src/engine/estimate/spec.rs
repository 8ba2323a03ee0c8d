//! An estimator as data: what a configuration file can say.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::anchored::Anchored;
use super::calibrated::{Calibrated, Coefficients};
use super::chars::Chars;
use super::exact::Exact;
use super::langchain::LangChain;
use super::length::{Length, Unit};
use super::outside::{Outside, OutsideError};
use super::{Estimator, codex, gemini, opencode, pi, real};
use crate::engine::langchain;
use crate::engine::spec::PiRelease;
use crate::tokens::Reference;

/// An estimator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum EstimatorSpec {
    /// Pi's, anchored to reported usage.
    Pi {
        /// The release.
        #[serde(default)]
        release: PiRelease,
    },
    /// Characters divided by a constant.
    Chars {
        /// Characters per token.
        per_token: f64,
        /// Chinese, Japanese and Korean characters per token.
        cjk_per_token: Option<f64>,
    },
    /// Length divided by a constant, in a unit that is named.
    Length {
        /// Units per token.
        per_token: f64,
        /// The unit.
        #[serde(default)]
        unit: Unit,
        /// Tokens per picture.
        #[serde(default = "flat_image")]
        image_tokens: u64,
    },
    /// LangChain's.
    Langchain {
        /// Characters per token: 4, or 3.3 for Anthropic's models.
        chars_per_token: f64,
        /// Raise towards reported usage, by a quarter at most.
        scaling: bool,
    },
    /// Codex CLI's.
    Codex,
    /// Gemini CLI's.
    Gemini,
    /// opencode's.
    Opencode,
    /// The last reported usage, and another estimator for what is newer.
    Anchored {
        /// The other estimator.
        inner: Box<EstimatorSpec>,
    },
    /// An exact tokenizer of the program.
    Exact {
        /// `o200k_base` or `cl100k_base`.
        tokenizer: Reference,
        /// Tokens added per message.
        #[serde(default)]
        per_message: u64,
    },
    /// A `tokenizer.json` of Hugging Face.
    TokenizerFile {
        /// The file.
        path: String,
        /// Tokens added per message.
        #[serde(default)]
        per_message: u64,
    },
    /// Another program, which reads and writes JSON Lines.
    Exec {
        /// The program and its arguments.
        command: Vec<String>,
        /// Seconds for one batch.
        #[serde(default = "exec_timeout")]
        timeout_seconds: u64,
    },
    /// Coefficients per content class.
    Calibrated(Coefficients),
}

/// Characters, or bytes, of a token: beyond these bounds a number is a slip.
const LEAST: f64 = 0.01;
const MOST: f64 = 1_000.0;

/// Tokens of a picture, a message or a character: more is a slip, and sums of it leave the range of counts.
const MOST_TOKENS: u64 = 1_000_000;

/// Pi's flat price of a picture, and the harness's.
fn flat_image() -> u64 {
    crate::tokens::IMAGE_TOKENS.0
}

fn exec_timeout() -> u64 {
    60
}

/// What is wrong with a length per token.
fn divisor(unit: &str, per_token: f64) -> Option<String> {
    let fits = (LEAST..=MOST).contains(&per_token);
    (!fits).then(|| format!("a token has {LEAST} to {MOST} {unit}, not {per_token}"))
}

/// What is wrong with a number of tokens.
fn tokens(of: &str, count: u64) -> Option<String> {
    (count > MOST_TOKENS).then(|| format!("{of} has 0 to {MOST_TOKENS} tokens, not {count}"))
}

/// What is wrong with a calibrated coefficient.
fn coefficient(value: f64) -> Option<String> {
    let fits = (0.0..=real(MOST_TOKENS)).contains(&value);
    (!fits).then(|| format!("a coefficient is 0 to {MOST_TOKENS}, not {value}"))
}

impl EstimatorSpec {
    /// The estimator.
    ///
    /// # Errors
    /// When it lives outside of the program, and there is no way there or nothing there.
    pub fn build(&self, outside: &dyn Outside) -> Result<Arc<dyn Estimator>, OutsideError> {
        self.check()?;
        Ok(match self {
            Self::Pi { release } => Arc::new(pi::Pi(release.rules())),
            &Self::Chars { per_token, cjk_per_token } => Arc::new(Chars { per_token, cjk_per_token }),
            &Self::Length { per_token, unit, image_tokens } => Arc::new(Length { per_token, unit, image_tokens }),
            &Self::Langchain { chars_per_token, scaling } => {
                let constants = langchain::Estimator { chars_per_token, ..langchain::Estimator::DEFAULT };
                Arc::new(LangChain { constants, scaling })
            }
            Self::Codex => Arc::new(codex::Codex),
            Self::Gemini => Arc::new(gemini::Gemini),
            Self::Opencode => Arc::new(opencode::OpenCode),
            Self::Anchored { inner } => Arc::new(Anchored(inner.build(outside)?)),
            &Self::Exact { tokenizer, per_message } => Arc::new(Exact { tokenizer: Arc::new(tokenizer), per_message }),
            Self::TokenizerFile { path, per_message } => {
                Arc::new(Exact { tokenizer: outside.tokenizer(path)?, per_message: *per_message })
            }
            Self::Exec { command, timeout_seconds } => outside.program(command, *timeout_seconds)?,
            Self::Calibrated(coefficients) => Arc::new(Calibrated(*coefficients)),
        })
    }

    /// A length is divided by what is above 0, and no estimate leaves the range of counts.
    fn check(&self) -> Result<(), OutsideError> {
        let fault = match *self {
            Self::Chars { per_token, cjk_per_token } => {
                divisor("characters", per_token).or_else(|| divisor("characters", cjk_per_token?))
            }
            Self::Length { per_token, unit, image_tokens } => {
                divisor(unit.plural(), per_token).or_else(|| tokens("a picture", image_tokens))
            }
            Self::Langchain { chars_per_token, .. } => divisor("characters", chars_per_token),
            Self::Exact { per_message, .. } | Self::TokenizerFile { per_message, .. } => {
                tokens("a message", per_message)
            }
            Self::Calibrated(coefficients) => coefficients.all().into_iter().find_map(coefficient),
            _ => None,
        };
        fault.map_or(Ok(()), |reason| Err(OutsideError { what: self.name(), reason }))
    }

    /// Its name in records.
    pub fn name(&self) -> String {
        let around = |per_message: &u64| if *per_message == 0 { String::new() } else { format!("+{per_message}") };
        match self {
            Self::Pi { release } => format!("pi-{}", release.rules().version),
            Self::Chars { per_token, cjk_per_token: None } => format!("chars/{per_token}"),
            Self::Chars { per_token, cjk_per_token: Some(cjk) } => format!("chars/{per_token},cjk/{cjk}"),
            Self::Length { per_token, unit, image_tokens } if *image_tokens == flat_image() => {
                format!("{}/{per_token}", unit.name())
            }
            Self::Length { per_token, unit, image_tokens } => {
                format!("{}/{per_token},image={image_tokens}", unit.name())
            }
            Self::Langchain { chars_per_token, scaling: true } => format!("langchain/{chars_per_token},scaled"),
            Self::Langchain { chars_per_token, scaling: false } => format!("langchain/{chars_per_token}"),
            Self::Codex => "codex".to_owned(),
            Self::Gemini => "gemini".to_owned(),
            Self::Opencode => "opencode".to_owned(),
            Self::Anchored { inner } => format!("anchored:{}", inner.name()),
            Self::Exact { tokenizer, per_message } => format!("{}{}", tokenizer.name(), around(per_message)),
            Self::TokenizerFile { path, per_message } => format!("file:{path}{}", around(per_message)),
            Self::Exec { command, .. } => format!("exec:{}", command.join(" ")),
            Self::Calibrated(coefficients) => format!("calibrated-{}", coefficients.fingerprint()),
        }
    }

    /// Whether the estimate rests on reported usage, where there is some.
    pub fn uses_usage(&self) -> bool {
        matches!(
            self,
            Self::Pi { .. }
                | Self::Langchain { scaling: true, .. }
                | Self::Codex
                | Self::Opencode
                | Self::Anchored { .. }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::estimate::outside::Inside;

    #[track_caller]
    fn refused(spec: &EstimatorSpec, why: &str) {
        let found = spec.build(&Inside).map(|_| ()).unwrap_err();
        assert_eq!(found.reason, why);
    }

    #[test]
    fn no_estimate_leaves_the_range_of_counts() {
        let length = |unit, per_token, image_tokens| EstimatorSpec::Length { per_token, unit, image_tokens };
        assert!(length(Unit::Bytes, 4.0, MOST_TOKENS).build(&Inside).is_ok());
        refused(&length(Unit::Bytes, 0.0, 0), "a token has 0.01 to 1000 bytes, not 0");
        refused(&length(Unit::Utf16, f64::NAN, 0), "a token has 0.01 to 1000 UTF-16 units, not NaN");
        refused(&length(Unit::Bytes, 4.0, u64::MAX), &format!("a picture has 0 to 1000000 tokens, not {}", u64::MAX));
        let exact = EstimatorSpec::Exact { tokenizer: Reference::O200kBase, per_message: u64::MAX };
        refused(&exact, &format!("a message has 0 to 1000000 tokens, not {}", u64::MAX));
        let inner = Box::new(EstimatorSpec::Chars { per_token: 4.0, cjk_per_token: Some(-1.0) });
        refused(&EstimatorSpec::Anchored { inner }, "a token has 0.01 to 1000 characters, not -1");
    }

    #[test]
    fn a_coefficient_is_a_number_that_is_not_negative() {
        assert!(EstimatorSpec::Calibrated(Coefficients::FLAT).build(&Inside).is_ok());
        for bad in [f64::NAN, f64::INFINITY, -0.25, 1e9] {
            let why = format!("a coefficient is 0 to 1000000, not {bad}");
            refused(&EstimatorSpec::Calibrated(Coefficients { message: bad, ..Coefficients::FLAT }), &why);
            refused(&EstimatorSpec::Calibrated(Coefficients { thinking: bad, ..Coefficients::FLAT }), &why);
        }
    }
}
