//! The way to estimators that are files or other programs. The engine itself reads no file and starts no program.

use std::sync::Arc;

use super::Estimator;
use crate::tokens::CountTokens;

/// Finds what an estimator needs from outside.
pub trait Outside {
    /// The tokenizer of a file.
    ///
    /// # Errors
    /// When the file cannot be read or is no tokenizer.
    fn tokenizer(&self, path: &str) -> Result<Arc<dyn CountTokens>, OutsideError>;

    /// The estimator that is a program.
    ///
    /// # Errors
    /// When the program cannot be started.
    fn program(&self, command: &[String], timeout_seconds: u64) -> Result<Arc<dyn Estimator>, OutsideError>;
}

/// Why there is no such estimator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("estimator {what}: {reason}")]
pub struct OutsideError {
    /// The file or the command; of an estimator of the program, its name.
    pub what: String,
    /// Why not.
    pub reason: String,
}

/// No way out: only built-in estimators can be made.
#[derive(Clone, Copy, Debug)]
pub struct Inside;

impl Outside for Inside {
    fn tokenizer(&self, path: &str) -> Result<Arc<dyn CountTokens>, OutsideError> {
        Err(OutsideError { what: path.to_owned(), reason: "files are not read here".to_owned() })
    }

    fn program(&self, command: &[String], _: u64) -> Result<Arc<dyn Estimator>, OutsideError> {
        Err(OutsideError { what: command.join(" "), reason: "programs are not started here".to_owned() })
    }
}
