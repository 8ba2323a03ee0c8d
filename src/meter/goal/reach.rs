//! What of the dropped part a strategy leaves within the agent's reach.

use crate::transcript::Tokens;

/// How the agent can get a dropped text back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Not at all.
    #[default]
    Nothing,
    /// The history lies in a file that the context names; reading it costs the whole message.
    History,
    /// The history can be searched; an answer is no larger than this.
    Search {
        /// The largest excerpt.
        excerpt: Tokens,
    },
}

impl Reach {
    /// Tokens that it takes to get a message of this size back.
    pub fn price(self, message: Tokens) -> Tokens {
        match self {
            Self::Nothing => Tokens(0),
            Self::History => message,
            Self::Search { excerpt } => message.min(excerpt),
        }
    }
}
