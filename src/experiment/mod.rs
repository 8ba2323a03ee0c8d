//! An experiment: transcripts × strategies × models × seeds, run to a folder.

mod audit;
mod audit_record;
mod bodies;
mod cache;
mod cache_audit;
mod cell;
mod config;
mod corpus;
mod embedded;
mod exam;
mod grid;
mod marks;
mod quoted;
mod record;
mod run;
mod schema;
mod source;
mod sweep;
mod vary;
mod watch;

pub use audit::{SessionAudit, audit};
pub use audit_record::audit_records;
pub use bodies::{audit_bodies, is_body};
pub use cache::{CacheConfig, CacheSetup, named_latency};
pub use cache_audit::{AuditError, AuditOptions, Audited, RuleOptions, audit_cache, read_time};
pub use cell::{Prepared, run_cell};
pub use config::{ConfigError, Experiment, MarginConfig, MeterName, ModelConfig, OwnStrategy, StrategyConfig};
pub use corpus::{Corpus, CorpusError, Session, load};
pub use embedded::EMBEDDED;
pub use exam::ProbeConfig;
pub use grid::{Cell, grid};
pub use run::{FailedRun, RunOptions, RunOutcome, run};
pub use schema::{EXAMPLE, SCHEMA_JSON};
pub use source::{Source, Sources};
pub use sweep::Sweep;
pub use vary::{Grid, vary};
