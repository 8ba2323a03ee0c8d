//! Prices as dated data, and what a request costs. Every dollar names the row it was reckoned with.

mod bill;
mod book;
mod latency;

pub use bill::{Bill, Usd};
pub use book::{PriceBook, PriceError, PriceRow, Rates, Tier};
pub use latency::LatencyRow;
