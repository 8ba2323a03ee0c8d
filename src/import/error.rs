//! Why a file could not be read at all.

use std::io;
use std::path::PathBuf;

/// A file nothing could be read from. Everything less than that is a [`super::Finding`].
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file system refused.
    #[error("cannot read the file: {0}")]
    Io(#[from] io::Error),
    /// No bytes, or nothing but white space.
    #[error("the file is empty")]
    Empty,
    /// The bytes are not text in UTF-8.
    #[error("line 1: expected UTF-8 text, found {found}")]
    NotText {
        /// What the first bytes look like.
        found: &'static str,
    },
    /// No known format claims the first bytes.
    #[error("line {line}: not a known transcript format; it begins with {begins:?}")]
    UnknownFormat {
        /// First line that is not blank, from 1.
        line: usize,
        /// Its first characters.
        begins: String,
    },
    /// The format is known or was given, yet there is no record of it.
    #[error("line {line}: expected {expected}, found {found}")]
    NoRecord {
        /// Line of the first fault, from 1.
        line: usize,
        /// What a readable file has there.
        expected: &'static str,
        /// What was there.
        found: String,
    },
    /// Any of the above, with the name of the file.
    #[error("{}: {source}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: Box<Self>,
    },
}

impl ImportError {
    /// Names the file.
    #[must_use]
    pub fn in_file(self, path: impl Into<PathBuf>) -> Self {
        Self::InFile { path: path.into(), source: Box::new(self) }
    }

    /// Whether the file is likely no transcript at all, rather than a faulty one.
    pub fn is_foreign(&self) -> bool {
        match self {
            Self::Empty | Self::NotText { .. } | Self::UnknownFormat { .. } => true,
            Self::Io(_) | Self::NoRecord { .. } => false,
            Self::InFile { source, .. } => source.is_foreign(),
        }
    }

    /// What the reader of the message can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io(_) => "check the path and the permissions; a folder is not a transcript",
            Self::Empty => "nothing was recorded, or the copy failed: compare its size with the original's",
            Self::NotText { .. } => "save the file as UTF-8, or unpack it first",
            Self::UnknownFormat { .. } => "`cutpoint list formats` names the formats that can be read",
            Self::NoRecord { .. } => {
                "no session could be made out: the file has another format than it seems to have, or is damaged from its start"
            }
            Self::InFile { source, .. } => source.hint(),
        }
    }
}
