//! Recovery actions as data.

use serde::{Deserialize, Serialize};

use super::{Recovery, history, recent_files, reread, user_messages};
use crate::transcript::Tokens;

/// A recovery action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

impl RecoverySpec {
    pub(in crate::engine) fn build(&self) -> Box<dyn Recovery> {
        match *self {
            Self::RecentFiles { count } => Box::new(recent_files::RecentFiles { count }),
            Self::Reread { count, file_tokens, total_tokens, rules } => {
                Box::new(reread::Reread { count, file_tokens, total_tokens, rules })
            }
            Self::HistoryFile { ref path } => Box::new(history::History::file(path)),
            Self::Search { ref tool, .. } => Box::new(history::History::search(tool)),
            Self::UserMessages { tokens } => Box::new(user_messages::UserMessages { tokens: Tokens(tokens) }),
        }
    }
}
