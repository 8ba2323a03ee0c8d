//! What an estimate is compared with.

use std::sync::Arc;

use crate::tokens::CountTokens;

/// The truth behind a comparison.
#[derive(Clone)]
pub enum Truth {
    /// A tokenizer counts what is sent. Usage that estimators are anchored to is its count as well.
    Tokenizer(Arc<dyn CountTokens>),
    /// The provider's recorded usage, request by request. It knows no messages; the tokenizer counts those, tells how
    /// large a head must be, and is no truth.
    Recorded(Arc<dyn CountTokens>),
}

impl Truth {
    /// Its name in reports.
    pub fn name(&self) -> String {
        match self {
            Self::Tokenizer(tokenizer) => tokenizer.name().to_owned(),
            Self::Recorded(_) => "recorded".to_owned(),
        }
    }

    /// The tokenizer that counts messages.
    pub fn tokenizer(&self) -> &Arc<dyn CountTokens> {
        match self {
            Self::Tokenizer(tokenizer) | Self::Recorded(tokenizer) => tokenizer,
        }
    }

    /// Whether requests are compared with recorded usage.
    pub fn is_recorded(&self) -> bool {
        matches!(self, Self::Recorded(_))
    }
}

/// Where the size of the head comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadSource {
    /// The file holds system prompt and tools, and the tokenizer counted them.
    Counted,
    /// Recorded usage of the first request less the tokenizer's count of its messages.
    Inferred,
    /// It is not known and counts nothing.
    Unknown,
}

impl HeadSource {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Inferred => "inferred",
            Self::Unknown => "unknown",
        }
    }
}
