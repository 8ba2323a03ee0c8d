//! An experiment: transcripts × strategies × models × seeds, run to a folder.

mod audit;
mod audit_record;
mod bodies;
mod cache;
mod cell;
mod config;
mod corpus;
mod embedded;
mod grid;
mod record;
mod run;
mod source;
mod sweep;

pub use audit::{AuditError, AuditOptions, Audited, RuleOptions, audit, read_time};
pub use audit_record::audit_records;
pub use bodies::{audit_bodies, is_body};
pub use cache::{CacheConfig, CacheSetup};
pub use cell::{Prepared, run_cell};
pub use config::{ConfigError, Experiment, ModelConfig, OwnStrategy, StrategyConfig};
pub use corpus::{Corpus, CorpusError, Session, load};
pub use embedded::EMBEDDED;
pub use grid::{Cell, grid};
pub use run::{FailedRun, RunOptions, RunOutcome, run};
pub use source::{Source, Sources};
pub use sweep::Sweep;
