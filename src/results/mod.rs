//! What a run leaves on disk, and the only thing that a report reads.
//!
//! A run folder holds `manifest.json` ([`Manifest`]), `cells.jsonl` (one [`CellRecord`] a line) and `events.jsonl` (one
//! [`EventRecord`] a line, grouped by cell), and what lies behind the cells: `messages.jsonl`, `annotations.jsonl` and
//! `classes.jsonl` ([`Sources`]; older runs have none). A judge adds `judgements.jsonl` ([`JudgementRecord`]). The records are
//! versioned ([`SCHEMA`]); a reader refuses a newer one.

mod cache;
mod exam;
mod folder;
mod judgement;
mod merge;
mod record;
mod source;
mod stored;

pub use crate::measure::{Direction, Measure, MeasureDef};
pub use cache::{CacheRequestRecord, CacheSessionRecord, CacheSweepRecord, CompactionCache, RequestCache};
pub use exam::{ActionRecord, AnswerRecord, ExamRecord, LeftOutRecord, ProbeRecord};
pub use folder::{Run, RunError, RunFolder};
pub use judgement::{JudgementRecord, LastSummary};
pub use merge::{MergeError, merge};
pub use record::{
    CellRecord, CompactionRecord, EventRecord, FutureRecord, ItemRecord, Manifest, RequestRecord, Shard,
    TranscriptRecord,
};
pub use source::{AnnotationRecord, ClassRecord, MessageRecord, RECORDED_CHARS, Sources};
pub use stored::{Stored, StoredCell};

/// Version of the records.
pub const SCHEMA: u32 = 1;
