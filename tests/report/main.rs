//! Reports, made from a run folder that is built here.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod against;
mod csv;
mod fixture;
mod glance;
mod html;
mod markdown;
mod model;
mod numbers;
#[cfg(feature = "parquet")]
mod parquet;
mod terminal;
