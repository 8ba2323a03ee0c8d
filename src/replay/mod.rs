//! Drives a transcript through a strategy, request by request.
//!
//! The path is linear. For every recorded reply: append what came before it, ask the edits and the trigger, count the
//! request with the reference tokenizer, emit it, append the reply, ask the trigger again. The only output is a stream
//! of [`ReplayEvent`] values; whoever observes them may know the future, the stages never do.

mod compaction;
mod counts;
mod driver;
mod event;
mod input;
mod irreducible;
mod live;
mod outline;
mod pairing;
mod prefix;

pub use crate::engine::view::{Item, Kind, Source};
pub use counts::CountCache;
pub use driver::replay;
pub use event::{
    CompactionEvent, EditEvent, FiredEvent, OverflowEvent, ReplayEvent, RequestEvent, StuckEvent, SummaryCall,
    SwitchEvent,
};
pub use input::{EstimateTable, History, Limits, Manual, Model, ReplayInput};
pub use live::Live;
pub use outline::Outline;
