//! Tokenizers whose vocabulary is inside the program.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use tiktoken::CoreBpe;

use super::CountTokens;
use super::long;
use crate::transcript::Tokens;

/// An exact tokenizer. Text that looks like a special token is counted as text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Reference {
    /// `o200k_base`, of GPT-4o and later models of OpenAI.
    #[default]
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// `cl100k_base`, of GPT-4.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
}

/// There is no tokenizer of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no reference tokenizer is called {0:?}; there are o200k_base and cl100k_base")]
pub struct UnknownReference(pub String);

impl Reference {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::O200kBase, Self::Cl100kBase];

    /// Its name in configuration and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::O200kBase => "o200k_base",
            Self::Cl100kBase => "cl100k_base",
        }
    }

    /// Tokens of `text`; linear in its length, whatever it is.
    pub fn count(self, text: &str) -> Tokens {
        if !long::has_long_run(text) {
            return self.count_by_pieces(text);
        }
        Tokens(long::count(self.encoder(), self.pattern(), text) as u64)
    }

    /// The same by the crate that is fast on real text and slow on long runs.
    pub(super) fn count_by_pieces(self, text: &str) -> Tokens {
        Tokens(self.encoder().count(text) as u64)
    }

    /// What splits a text into the pieces that are merged on their own.
    pub(super) fn pattern(self) -> &'static regex::Regex {
        match self {
            Self::O200kBase => long::o200k(),
            Self::Cl100kBase => long::cl100k(),
        }
    }

    /// The token ids of `text`.
    pub fn encode(self, text: &str) -> Vec<u32> {
        self.encoder().encode(text)
    }

    pub(super) fn encoder(self) -> &'static CoreBpe {
        // The names are fixed above and the vocabularies are compiled in.
        tiktoken::get_encoding(self.name()).unwrap_or_else(|| unreachable!("{self} is not compiled in"))
    }
}

impl CountTokens for Reference {
    fn name(&self) -> &str {
        Self::name(*self)
    }

    fn count(&self, text: &str) -> Tokens {
        Self::count(*self, text)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Reference {
    type Err = UnknownReference;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|one| one.name() == name).ok_or_else(|| UnknownReference(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Reference, Tokens};

    #[test]
    fn special_tokens_in_text_are_text() {
        assert!(Reference::O200kBase.count("<|endoftext|>") > Tokens(1));
        assert!(Reference::Cl100kBase.count("<|endoftext|>") > Tokens(1));
    }

    #[test]
    fn known_strings_have_the_published_ids() {
        // OpenAI's own cookbook prints these ids for cl100k_base.
        assert_eq!(Reference::Cl100kBase.encode("tiktoken is great!"), [83, 1609, 5963, 374, 2294, 0]);
        assert_eq!(Reference::O200kBase.count("tiktoken is great!"), Tokens(6));
    }

    #[test]
    fn names_round_trip() {
        for reference in Reference::ALL {
            assert_eq!(reference.name().parse(), Ok(reference));
        }
        assert!("p50k_base".parse::<Reference>().is_err());
    }
}
