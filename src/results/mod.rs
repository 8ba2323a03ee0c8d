//! What a run leaves on disk, and the only thing that a report reads.
//!
//! A run folder holds `manifest.json` ([`Manifest`]), `cells.jsonl` (one [`CellRecord`] a line) and `events.jsonl` (one
//! [`EventRecord`] a line, grouped by cell). The records are versioned ([`SCHEMA`]); a reader refuses a newer one.

mod cache;
mod folder;
mod record;

pub use crate::measure::{Direction, Measure, MeasureDef};
pub use cache::{CacheRequestRecord, CacheSessionRecord, CacheSweepRecord, CompactionCache, RequestCache};
pub use folder::{Run, RunError, RunFolder};
pub use record::{CellRecord, CompactionRecord, EventRecord, ItemRecord, Manifest, RequestRecord, TranscriptRecord};

/// Version of the records.
pub const SCHEMA: u32 = 1;
