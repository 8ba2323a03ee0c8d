//! Summarizers as data.

use serde::{Deserialize, Serialize};

use super::extract::{Extract, Pick};
use super::{Summarizer, article, deepagents, hook, none, original_prompt, pi};
use crate::engine::langchain;
use crate::engine::spec::{PiRelease, SpecError};
use crate::transcript::Tokens;

/// A summarizer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
        /// Pi's setting `compaction.reserveTokens`, in place of the release's own: until 1.3 it sized the summaries.
        /// `reserve_tokens` of the trigger is the same setting, and has to be set with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reserve_tokens: Option<u64>,
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
    /// Lines of the dropped part, drawn by lot: what a summary keeps by chance.
    RandomExtract {
        /// The most tokens, by characters / 4.
        tokens: u64,
    },
    /// Names of the dropped part, the newest first: a mechanical index.
    AnchorExtract {
        /// The most tokens, by characters / 4.
        tokens: u64,
    },
    /// The annotated facts: an upper bound, because no strategy knows them.
    OracleExtract {
        /// The most tokens, by characters / 4.
        tokens: u64,
    },
}

impl SummarizerSpec {
    pub(in crate::engine) fn build(&self) -> Result<Box<dyn Summarizer>, SpecError> {
        Ok(match self {
            Self::None => Box::new(none::NoSummary),
            Self::OriginalPrompt => Box::new(original_prompt::OriginalPrompt),
            Self::Pi { release, reserve_tokens, template, from_start } => {
                let rules = release.rules().with_reserve(reserve_tokens.map(Tokens));
                Box::new(pi::Pi::new(rules, template)?.from_start(*from_start))
            }
            Self::Article { template, max_tokens, git_hook } => {
                let article = article::Article::new(template, Tokens(*max_tokens))?;
                if *git_hook { Box::new(hook::Hooked::git(article)) } else { Box::new(article) }
            }
            Self::Deepagents { template, trim_tokens } => {
                let estimator = langchain::Estimator::DEFAULT;
                Box::new(deepagents::DeepAgents::new(template, trim_tokens.map(Tokens), estimator)?)
            }
            Self::RandomExtract { tokens } => Box::new(Extract { pick: Pick::Random, budget: Tokens(*tokens) }),
            Self::AnchorExtract { tokens } => Box::new(Extract { pick: Pick::Anchors, budget: Tokens(*tokens) }),
            // Who knows the annotations exchanges it for one that holds them.
            Self::OracleExtract { tokens } => {
                Box::new(Extract { pick: Pick::Oracle(Vec::new()), budget: Tokens(*tokens) })
            }
        })
    }

    /// Whether a model writes the summaries.
    pub fn asks_model(&self) -> bool {
        !matches!(
            self,
            Self::None
                | Self::OriginalPrompt
                | Self::Article { git_hook: true, .. }
                | Self::RandomExtract { .. }
                | Self::AnchorExtract { .. }
                | Self::OracleExtract { .. }
        )
    }

    /// The template, as it is named; `None` where no model is asked.
    pub(in crate::engine) fn template(&self) -> Option<&str> {
        match self {
            Self::Pi { template, .. }
            | Self::Article { template, git_hook: false, .. }
            | Self::Deepagents { template, .. } => Some(template),
            Self::None
            | Self::OriginalPrompt
            | Self::Article { .. }
            | Self::RandomExtract { .. }
            | Self::AnchorExtract { .. }
            | Self::OracleExtract { .. } => None,
        }
    }

    /// Takes another template, where there is one.
    pub(in crate::engine) fn set_template(&mut self, name: &str) {
        match self {
            Self::Pi { template, .. } | Self::Article { template, .. } | Self::Deepagents { template, .. } => {
                name.clone_into(template);
            }
            Self::None
            | Self::OriginalPrompt
            | Self::RandomExtract { .. }
            | Self::AnchorExtract { .. }
            | Self::OracleExtract { .. } => {}
        }
    }
}
