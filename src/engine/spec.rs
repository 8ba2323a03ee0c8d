//! A strategy as data: what a preset holds and what a configuration file can say.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::langchain;
use super::pi::Rules;
use super::strategy::Strategy;
use super::{cut, edit, estimate, recover, summarize, trigger};
use crate::transcript::Tokens;

/// Releases of Pi whose rules are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// An estimator.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
    /// LangChain's.
    Langchain {
        /// Characters per token: 4, or 3.3 for Anthropic's models.
        chars_per_token: f64,
        /// Raise towards reported usage, by a quarter at most.
        scaling: bool,
    },
}

/// An amount of context.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TriggerSpec {
    /// Never.
    Never,
    /// Pi's.
    Pi {
        /// The release.
        #[serde(default)]
        release: PiRelease,
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
}

/// A cut policy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
}

/// An edit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum EditSpec {
    /// Masks tool results outside of the newest tokens when the trigger fires.
    MaskResults {
        /// When.
        trigger: TriggerSpec,
        /// Estimated tokens at the end that stay.
        keep_tokens: u64,
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

/// A summarizer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SummarizerSpec {
    /// No summary.
    None,
    /// The first message of the person.
    OriginalPrompt,
    /// Pi's.
    Pi {
        /// The release.
        #[serde(default)]
        release: PiRelease,
        /// The template: a name, `by-task`, or the whole text of a template file.
        template: String,
        /// The whole history is summarized again at every compaction.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        from_start: bool,
    },
    /// The article's.
    Article {
        /// The template.
        template: String,
        /// Output limit.
        max_tokens: u64,
        /// Summaries are written by the extension that looks at git, not by a model.
        #[serde(default)]
        git_hook: bool,
    },
    /// Deep Agents'.
    Deepagents {
        /// The template.
        template: String,
        /// The summarizer's input is trimmed to so many tokens.
        trim_tokens: Option<u64>,
    },
}

/// A recovery action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RecoverySpec {
    /// Names the files touched last.
    RecentFiles {
        /// How many.
        count: usize,
    },
    /// Puts files that were in use, and files with rules, back.
    Reread {
        /// The most files.
        count: usize,
        /// The most tokens of a file, by characters / 4; a larger one is only named.
        file_tokens: u64,
        /// The most tokens of all files.
        total_tokens: u64,
        /// Files with rules too.
        rules: bool,
    },
    /// The history lies in a file that the context names.
    HistoryFile {
        /// Its path.
        path: String,
    },
    /// The history can be searched.
    Search {
        /// Name of the tool.
        tool: String,
        /// The most tokens of an answer.
        excerpt_tokens: u64,
    },
    /// Puts the newest messages of the person back.
    UserMessages {
        /// The most tokens, by bytes / 4.
        tokens: u64,
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

impl EstimatorSpec {
    /// The estimator.
    pub fn build(&self) -> Arc<dyn estimate::Estimator> {
        match *self {
            Self::Pi { release } => Arc::new(estimate::pi::Pi(release.rules())),
            Self::Chars { per_token, cjk_per_token } => Arc::new(estimate::chars::Chars { per_token, cjk_per_token }),
            Self::Langchain { chars_per_token, scaling } => {
                let constants = langchain::Estimator { chars_per_token, ..langchain::Estimator::DEFAULT };
                Arc::new(estimate::langchain::LangChain { constants, scaling })
            }
        }
    }

    /// Its name in records.
    pub fn name(&self) -> String {
        match self {
            Self::Pi { release } => format!("pi-{}", release.rules().version),
            Self::Chars { per_token, cjk_per_token: None } => format!("chars/{per_token}"),
            Self::Chars { per_token, cjk_per_token: Some(cjk) } => format!("chars/{per_token},cjk/{cjk}"),
            Self::Langchain { chars_per_token, scaling: true } => format!("langchain/{chars_per_token},scaled"),
            Self::Langchain { chars_per_token, scaling: false } => format!("langchain/{chars_per_token}"),
        }
    }
}

impl TriggerSpec {
    fn build(self) -> Result<Box<dyn trigger::Trigger>, SpecError> {
        Ok(match self {
            Self::Never => Box::new(trigger::never::Never),
            Self::Pi { release } => Box::new(trigger::pi::Pi(release.rules())),
            Self::Article { threshold, min_turns_to_keep } => {
                Box::new(trigger::article::Article { threshold, min_turns_to_keep })
            }
            Self::Langchain { when, profile, input_budget } => {
                Box::new(trigger::langchain::LangChain { clauses: when.build()?.into(), profile, input_budget })
            }
        })
    }
}

impl CutSpec {
    fn build(self) -> Result<Box<dyn cut::CutPolicy>, SpecError> {
        Ok(match self {
            Self::Nothing => Box::new(cut::nothing::Nothing),
            Self::Everything => Box::new(cut::everything::Everything),
            Self::Pi { release } => Box::new(cut::pi::Pi(release.rules())),
            Self::Article { threshold, min_turns_to_keep } => {
                Box::new(cut::article::Article { threshold, min_turns_to_keep })
            }
            Self::Langchain { keep, profile } => Box::new(cut::langchain::LangChain { keep: keep.build()?, profile }),
        })
    }
}

impl EditSpec {
    fn build(self) -> Result<Box<dyn edit::Edit>, SpecError> {
        Ok(match self {
            Self::MaskResults { trigger, keep_tokens } => {
                let (trigger, keep) = (trigger.build()?, Tokens(keep_tokens));
                Box::new(edit::mask_results::MaskResults {
                    trigger,
                    keep,
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

impl SummarizerSpec {
    fn build(&self) -> Result<Box<dyn summarize::Summarizer>, SpecError> {
        Ok(match self {
            Self::None => Box::new(summarize::none::NoSummary),
            Self::OriginalPrompt => Box::new(summarize::original_prompt::OriginalPrompt),
            Self::Pi { release, template, from_start } => {
                Box::new(summarize::pi::Pi::new(release.rules(), template)?.from_start(*from_start))
            }
            Self::Article { template, max_tokens, git_hook } => {
                let article = summarize::article::Article::new(template, Tokens(*max_tokens))?;
                if *git_hook { Box::new(summarize::hook::Hooked::git(article)) } else { Box::new(article) }
            }
            Self::Deepagents { template, trim_tokens } => {
                let estimator = langchain::Estimator::DEFAULT;
                Box::new(summarize::deepagents::DeepAgents::new(template, trim_tokens.map(Tokens), estimator)?)
            }
        })
    }

    /// Whether a model writes the summaries.
    pub fn asks_model(&self) -> bool {
        !matches!(self, Self::None | Self::OriginalPrompt | Self::Article { git_hook: true, .. })
    }
}

impl RecoverySpec {
    fn build(&self) -> Box<dyn recover::Recovery> {
        match *self {
            Self::RecentFiles { count } => Box::new(recover::recent_files::RecentFiles { count }),
            Self::Reread { count, file_tokens, total_tokens, rules } => {
                Box::new(recover::reread::Reread { count, file_tokens, total_tokens, rules })
            }
            Self::HistoryFile { ref path } => Box::new(recover::history::History::file(path)),
            Self::Search { ref tool, .. } => Box::new(recover::history::History::search(tool)),
            Self::UserMessages { tokens } => Box::new(recover::user_messages::UserMessages { tokens: Tokens(tokens) }),
        }
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
        match &self.summarizer {
            SummarizerSpec::Pi { template, .. }
            | SummarizerSpec::Article { template, git_hook: false, .. }
            | SummarizerSpec::Deepagents { template, .. } => Some(template),
            SummarizerSpec::None | SummarizerSpec::OriginalPrompt | SummarizerSpec::Article { .. } => None,
        }
    }

    /// The same strategy with another template; one that asks no model stays as it is.
    #[must_use]
    pub fn with_template(mut self, name: &str) -> Self {
        match &mut self.summarizer {
            SummarizerSpec::Pi { template, .. }
            | SummarizerSpec::Article { template, .. }
            | SummarizerSpec::Deepagents { template, .. } => name.clone_into(template),
            SummarizerSpec::None | SummarizerSpec::OriginalPrompt => {}
        }
        self
    }

    /// The strategy, ready for one replay.
    ///
    /// # Errors
    /// When a template does not exist.
    pub fn build(&self, name: &str) -> Result<Strategy, SpecError> {
        Ok(Strategy {
            name: name.to_owned(),
            estimator_name: self.estimator.name(),
            estimator: self.estimator.build(),
            edits: self.edits.iter().map(|edit| edit.build()).collect::<Result<_, _>>()?,
            trigger: self.trigger.build()?,
            cut: self.cut.build()?,
            summarizer: self.summarizer.build()?,
            recovery: self.recovery.iter().map(RecoverySpec::build).collect(),
        })
    }
}
