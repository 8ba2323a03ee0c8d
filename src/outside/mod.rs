//! Estimators that are files or other programs.
//!
//! The engine neither reads files nor starts programs; [`System`] does it for the command line and for experiments.

mod program;

use std::sync::Arc;

use crate::engine::estimate::Estimator;
use crate::engine::estimate::outside::{Outside, OutsideError};
use crate::tokens::{CountTokens, TokenizerFile};

pub use program::Program;

/// The machine this runs on.
#[derive(Clone, Copy, Debug)]
pub struct System;

impl Outside for System {
    fn tokenizer(&self, path: &str) -> Result<Arc<dyn CountTokens>, OutsideError> {
        let fault = |reason: String| OutsideError { what: path.to_owned(), reason };
        let bytes = std::fs::read(path).map_err(|error| fault(error.to_string()))?;
        let name = std::path::Path::new(path).file_name().map_or_else(|| path.into(), |name| name.to_string_lossy());
        let tokenizer = TokenizerFile::from_bytes(name, &bytes).map_err(|error| fault(error.reason))?;
        Ok(Arc::new(tokenizer))
    }

    fn program(&self, command: &[String], timeout_seconds: u64) -> Result<Arc<dyn Estimator>, OutsideError> {
        let program = Program::new(command, timeout_seconds);
        // A program that cannot be started is an error now and not after a run.
        program.try_start().map_err(|reason| OutsideError { what: command.join(" "), reason })?;
        Ok(Arc::new(program))
    }
}
