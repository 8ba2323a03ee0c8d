//! A strategy as data: what a preset holds and what a configuration file can say.

use serde::{Deserialize, Serialize};

pub use super::estimate::spec::EstimatorSpec;
use super::langchain;
use super::pi::Rules;
pub use super::recover::spec::RecoverySpec;
use super::strategy::Strategy;
pub use super::summarize::spec::SummarizerSpec;

use super::estimate::outside::{Inside, Outside, OutsideError};
use super::{cut, edit, trigger};
use crate::transcript::Tokens;

/// Releases of Pi whose rules are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum PiRelease {
    /// 1.6.0.
    #[default]
    #[serde(rename = "1.6")]
    V1_6,
    /// 0.74.2.
    #[serde(rename = "0.74")]
    V0_74,
    /// 0.58.3.
    #[serde(rename = "0.58")]
    V0_58,
}

impl PiRelease {
    /// Its rules.
    pub fn rules(self) -> &'static Rules {
        match self {
            Self::V1_6 => &Rules::V1_6,
            Self::V0_74 => &Rules::V0_74,
            Self::V0_58 => &Rules::V0_58,
        }
    }
}

/// An amount of context.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SizeSpec {
    /// Messages.
    Messages(usize),
    /// Tokens.
    Tokens(u64),
    /// A share of the window, above 0 and up to 1.
    Fraction(f64),
}

/// A trigger.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TriggerSpec {
    /// Never.
    Never,
    /// Pi's.
    Pi {
        /// The release.
        #[serde(default)]
        release: PiRelease,
        /// Pi's setting `compaction.reserveTokens`, in place of the release's own. Until 1.3 it sized the summaries as well:
        /// `reserve_tokens` of the summarizer is the same setting, and has to be set with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reserve_tokens: Option<u64>,
    },
    /// The article's: a share of the window, or a number of messages.
    Article {
        /// Share of the window.
        threshold: f64,
        /// Ten times as many messages are too many.
        min_turns_to_keep: usize,
    },
    /// LangChain's, with the input budget of Deep Agents.
    Langchain {
        /// At least this much.
        when: SizeSpec,
        /// The model's profile states its input limit.
        profile: bool,
        /// Compact as well above 95 % of the limit less the largest reply.
        input_budget: bool,
    },
    /// A share of the window less reserves, or a number of tokens.
    Threshold {
        /// Share of the window.
        #[serde(default = "whole")]
        share: f64,
        /// Left free for the reply: the largest reply of the model, at most so much.
        #[serde(default)]
        output_tokens: u64,
        /// Left free beside that.
        #[serde(default)]
        less_tokens: u64,
        /// The limit is at most so much.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_tokens: Option<u64>,
    },
}

/// A cut policy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CutSpec {
    /// Nothing is ever dropped.
    Nothing,
    /// Everything is dropped.
    Everything,
    /// Pi's.
    Pi {
        /// The release.
        #[serde(default)]
        release: PiRelease,
        /// Pi's setting `compaction.keepRecentTokens`, in place of the release's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keep_recent_tokens: Option<u64>,
    },
    /// The article's: whole turns.
    Article {
        /// Share of the window at which the trigger fires.
        threshold: f64,
        /// Turns that are always kept.
        min_turns_to_keep: usize,
    },
    /// LangChain's.
    Langchain {
        /// What stays.
        keep: SizeSpec,
        /// The model's profile states its input limit.
        profile: bool,
    },
    /// The newest part up to a budget.
    Tail {
        /// The most estimated tokens to keep.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keep_tokens: Option<u64>,
        /// The most to keep as a share of the context.
        #[serde(default = "whole")]
        keep_share: f64,
        /// The kept part begins with a message of the person.
        #[serde(default)]
        whole_turns: bool,
    },
}

fn whole() -> f64 {
    1.0
}

/// A share above 0 and up to 1.
fn share(share: f64) -> Result<f64, SpecError> {
    if share > 0.0 && share <= 1.0 { Ok(share) } else { Err(SpecError::Fraction(share)) }
}

/// An edit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum EditSpec {
    /// Masks tool results outside of the newest tokens when the trigger fires.
    MaskResults {
        /// When.
        trigger: TriggerSpec,
        /// Estimated tokens at the end that stay.
        keep_tokens: u64,
        /// So many of the newest results stay, in place of a number of tokens.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keep_results: Option<usize>,
    },
    /// Deep Agents': eviction to the filesystem, and argument truncation.
    Deepagents {
        /// Arguments are cut from this size on.
        when: SizeSpec,
        /// The newest part that is left alone.
        keep: SizeSpec,
        /// The model's profile states its input limit.
        profile: bool,
    },
}

/// How the agent can get at what was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Not at all.
    Nothing,
    /// It can read the history in a file.
    File,
    /// It can search the history.
    Search {
        /// The most tokens of an answer.
        excerpt: Tokens,
    },
}

/// A whole strategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StrategySpec {
    /// Counts tokens.
    pub estimator: EstimatorSpec,
    /// Shorten or mask messages in place.
    #[serde(default)]
    pub edits: Vec<EditSpec>,
    /// Decides when.
    pub trigger: TriggerSpec,
    /// Decides what goes.
    pub cut: CutSpec,
    /// Writes what stands for it.
    pub summarizer: SummarizerSpec,
    /// Put things back.
    #[serde(default)]
    pub recovery: Vec<RecoverySpec>,
}

/// A part of a strategy does not exist, or a number is out of range.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// A share.
    #[error("a share of the window is above 0 and up to 1, not {0}")]
    Fraction(f64),
    /// The template.
    #[error(transparent)]
    Template(#[from] super::template::TemplateError),
    /// An estimator that is a file or a program.
    #[error(transparent)]
    Outside(#[from] OutsideError),
}

impl SizeSpec {
    fn build(self) -> Result<langchain::Size, SpecError> {
        Ok(match self {
            Self::Messages(messages) => langchain::Size::Messages(messages),
            Self::Tokens(tokens) => langchain::Size::Tokens(Tokens(tokens)),
            Self::Fraction(share) => {
                langchain::Size::Fraction(langchain::Fraction::new(share).ok_or(SpecError::Fraction(share))?)
            }
        })
    }
}

impl TriggerSpec {
    fn build(self) -> Result<Box<dyn trigger::Trigger>, SpecError> {
        Ok(match self {
            Self::Never => Box::new(trigger::never::Never),
            Self::Pi { release, reserve_tokens } => {
                Box::new(trigger::pi::Pi(release.rules().with_reserve(reserve_tokens.map(Tokens))))
            }
            Self::Article { threshold, min_turns_to_keep } => {
                Box::new(trigger::article::Article { threshold: share(threshold)?, min_turns_to_keep })
            }
            Self::Langchain { when, profile, input_budget } => {
                Box::new(trigger::langchain::LangChain { clauses: when.build()?.into(), profile, input_budget })
            }
            Self::Threshold { share: of_window, output_tokens, less_tokens, at_tokens } => {
                let (output, less) = (Tokens(output_tokens), Tokens(less_tokens));
                Box::new(trigger::threshold::Threshold {
                    share: share(of_window)?,
                    output,
                    less,
                    at: at_tokens.map(Tokens),
                })
            }
        })
    }
}

impl CutSpec {
    fn build(self) -> Result<Box<dyn cut::CutPolicy>, SpecError> {
        Ok(match self {
            Self::Nothing => Box::new(cut::nothing::Nothing),
            Self::Everything => Box::new(cut::everything::Everything),
            Self::Pi { release, keep_recent_tokens } => {
                Box::new(cut::pi::Pi(release.rules().with_keep_recent(keep_recent_tokens.map(Tokens))))
            }
            Self::Article { threshold, min_turns_to_keep } => {
                Box::new(cut::article::Article { threshold: share(threshold)?, min_turns_to_keep })
            }
            Self::Langchain { keep, profile } => Box::new(cut::langchain::LangChain { keep: keep.build()?, profile }),
            Self::Tail { keep_tokens, keep_share, whole_turns } => {
                let keep = keep_tokens.map_or(Tokens(u64::MAX), Tokens);
                Box::new(cut::tail::Tail { keep, share: share(keep_share)?, whole_turns })
            }
        })
    }
}

impl EditSpec {
    fn build(self) -> Result<Box<dyn edit::Edit>, SpecError> {
        Ok(match self {
            Self::MaskResults { trigger, keep_tokens, keep_results } => {
                let (trigger, keep) = (trigger.build()?, Tokens(keep_tokens));
                Box::new(edit::mask_results::MaskResults {
                    trigger,
                    keep,
                    results: keep_results,
                    masked: edit::mask_results::Masked::default(),
                })
            }
            Self::Deepagents { when, keep, profile } => {
                let max_length = langchain::TruncateArguments::MAX_LENGTH;
                let (trigger, keep) = (when.build()?, keep.build()?);
                let arguments = Some(langchain::TruncateArguments { trigger, keep, max_length });
                Box::new(edit::deepagents::DeepAgents { eviction: langchain::Eviction::default(), arguments, profile })
            }
        })
    }
}

impl StrategySpec {
    /// How the agent can get at what was dropped: the cheapest way that the strategy offers.
    pub fn access(&self) -> Access {
        let searches = self.recovery.iter().filter_map(|one| match *one {
            RecoverySpec::Search { excerpt_tokens, .. } => Some(Tokens(excerpt_tokens)),
            _ => None,
        });
        if let Some(excerpt) = searches.min() {
            return Access::Search { excerpt };
        }
        let has_file = self.recovery.iter().any(|one| matches!(one, RecoverySpec::HistoryFile { .. }));
        // Deep Agents' summary names the file with the whole history.
        let names_file = matches!(self.summarizer, SummarizerSpec::Deepagents { .. });
        if has_file || names_file { Access::File } else { Access::Nothing }
    }

    /// The template of its summaries, as its specification names it; `None` where no model is asked.
    pub fn template(&self) -> Option<&str> {
        self.summarizer.template()
    }

    /// The same strategy with another template; one that asks no model stays as it is.
    #[must_use]
    pub fn with_template(mut self, name: &str) -> Self {
        self.summarizer.set_template(name);
        self
    }

    /// The strategy, ready for one replay; its estimator is a built-in.
    ///
    /// # Errors
    /// When a template does not exist, or the estimator is a file or a program.
    pub fn build(&self, name: &str) -> Result<Strategy, SpecError> {
        self.build_with(name, &Inside)
    }

    /// The strategy, ready for one replay.
    ///
    /// # Errors
    /// When a template does not exist, or an estimator from outside cannot be had.
    pub fn build_with(&self, name: &str, outside: &dyn Outside) -> Result<Strategy, SpecError> {
        Ok(Strategy {
            name: name.to_owned(),
            estimator_name: self.estimator.name(),
            estimator: self.estimator.build(outside)?,
            edits: self.edits.iter().map(|edit| edit.build()).collect::<Result<_, _>>()?,
            trigger: self.trigger.build()?,
            cut: self.cut.build()?,
            summarizer: self.summarizer.build()?,
            recovery: self.recovery.iter().map(RecoverySpec::build).collect(),
        })
    }
}
