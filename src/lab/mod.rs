//! The estimation laboratory: how wrong is an estimator, and what does the error cause?
//!
//! Every session is followed once, with the compactions that really happened (`observe`); all estimators look at the
//! same contexts. An estimate is compared with a [truth](Truth): an exact tokenizer, or the usage that the provider
//! recorded. Then [`judge`] turns the pairs into [`Findings`]:
//!
//! | question | answer |
//! |---|---|
//! | how wrong, and where | [`ErrorRow`]: signed error by message and by request, by class, role and script |
//! | when would compaction start | [`TriggerRow`]: the same threshold on estimates and on the truth |
//! | what would be kept | [`CutRow`]: the same budget on estimates and on the truth |
//! | which margin is safe | [`ReserveRow`]: the margin that an overflow escapes once in 100, or in 1,000 requests |
//!
//! What a file does not hold, system prompt and tool schemas, is *inferred* from the first recorded request. It is shown as
//! inferred and is on both sides of every comparison, so that it is never taken for an error of an estimator.

mod causes;
mod error;
mod fit;
mod judge;
mod observe;
pub mod recording;
mod reserve;
mod shadow;
mod truth;
mod usage;

pub use causes::{CutRow, TriggerRow};
pub use error::{ErrorRow, Group, Scope};
pub use fit::{Fit, FitError, fit};
pub use judge::{Findings, Settings, judge};
pub use observe::{Bench, MessageRow, Observed, RequestRow, SessionRow, Subject};
pub use reserve::{LEAST, Margin, ReserveRow};
pub use truth::{HeadSource, Truth};
pub use usage::{TruthRow, Verdict, truth_rows};
