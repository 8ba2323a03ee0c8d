//! An experiment: transcripts × strategies × models × seeds, run to a folder.

mod audit;
mod cell;
mod config;
mod corpus;
mod embedded;
mod grid;
mod record;
mod run;
mod source;
mod vary;

pub use audit::{SessionAudit, audit};
pub use cell::{Prepared, run_cell};
pub use config::{ConfigError, Experiment, MarginConfig, MeterName, ModelConfig, OwnStrategy, StrategyConfig};
pub use corpus::{Corpus, CorpusError, Session, load};
pub use embedded::EMBEDDED;
pub use grid::{Cell, grid};
pub use run::{FailedRun, RunOptions, RunOutcome, run};
pub use source::{Source, Sources};
pub use vary::{Grid, vary};
