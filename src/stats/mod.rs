//! Statistics of measured differences: numbers in, numbers out.
//!
//! The unit is the *lineage*: transcripts that share an origin say the same thing several times. [`Sample::of`] brings
//! cells down to one number per lineage (mean over replicates, then over transcripts); everything else works on those.
//!
//! | question | answer |
//! |---|---|
//! | how large, how sure | [`describe`], [`interval`] (bootstrap-t; percentile, `BCa` and Student's on demand) |
//! | could it be chance | [`sign_flip`] (exact up to 16 units), [`sign_test`] as the companion that assumes less |
//! | several questions at once | [`holm`] for a declared family, [`benjamini_hochberg`] for exploring |
//! | what could this set have shown | [`minimum_detectable`], [`least_units`] |
//! | is one arm better than another | [`Paired`] |
//! | which choices are not beaten | [`pareto`] |
//! | how long do things last | [`survival`] (Kaplan–Meier with Greenwood's intervals), [`half_life`], [`cliff`] |
//! | do two raters agree | [`cohen_kappa`], [`krippendorff_alpha`], [`Confusion`] |
//! | what would a person say on average | [`powered_mean`] |
//! | does one measure go with another | [`spearman`] |
//! | does the order depend on weights | [`stability`] |
//!
//! Everything is deterministic: draws come from xoshiro256++ (Blackman and Vigna 2021), seeded through `SplitMix64`.

mod agreement;
mod bca;
mod describe;
mod family;
mod interval;
mod paired;
mod pareto;
mod power;
mod powered;
mod proportion;
mod random;
mod rank;
mod sample;
mod sign;
mod spearman;
mod survival;

pub use agreement::{Confusion, Level, cohen_kappa, krippendorff_alpha};
pub use describe::{Description, describe, mean, quantile};
pub use family::{benjamini_hochberg, holm};
pub use interval::{Interval, Method, NoInterval, Resampling, interval};
pub use paired::Paired;
pub use pareto::pareto;
pub use power::{least_units, minimum_detectable};
pub use powered::{Judged, NotPowered, Powered, powered_mean, stands_for};
pub use proportion::{rule_of_three, wilson};
pub use random::Draws;
pub use rank::{Stability, stability};
pub use sample::{Observation, Sample};
pub use sign::{SignFlip, sign_flip, sign_test};
pub use spearman::{NoSpearman, Spearman, spearman};
pub use survival::{Life, Survival, cliff, half_life, survival};

/// A count as a real number: exact, because no count here comes near 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(crate) fn real(count: usize) -> f64 {
    count as f64
}
