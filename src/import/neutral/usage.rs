//! Usage as JSON.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use crate::transcript::{Cost, Usage};

/// Usage: tokens, and dollars where they are known. `input` excludes what came from or went to a cache.
#[derive(Serialize, Deserialize)]
pub(super) struct UsageRecord {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_write_1h: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<CostRecord>,
}

#[derive(Serialize, Deserialize)]
struct CostRecord {
    #[serde(deserialize_with = "exact")]
    input: f64,
    #[serde(deserialize_with = "exact")]
    output: f64,
    #[serde(deserialize_with = "exact")]
    cache_read: f64,
    #[serde(deserialize_with = "exact")]
    cache_write: f64,
    #[serde(deserialize_with = "exact")]
    total: f64,
}

/// The nearest double: the JSON reader itself may miss it by one unit in the last place.
fn exact<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    raw.get().parse().map_err(|_| D::Error::custom("expected a number of dollars"))
}

impl From<&Usage> for UsageRecord {
    fn from(usage: &Usage) -> Self {
        Self {
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            cache_write_1h: usage.cache_write_1h,
            reasoning: usage.reasoning,
            total: usage.total,
            cost_usd: usage.cost.as_ref().and_then(CostRecord::of),
        }
    }
}

impl CostRecord {
    /// `None` where a figure is no number that JSON can spell: then no cost is known.
    fn of(cost: &Cost) -> Option<Self> {
        let Cost { input, output, cache_read, cache_write, total } = *cost;
        let finite = [input, output, cache_read, cache_write, total].iter().all(|one| one.is_finite());
        finite.then_some(Self { input, output, cache_read, cache_write, total })
    }
}

impl From<UsageRecord> for Usage {
    fn from(record: UsageRecord) -> Self {
        let cost = |cost: CostRecord| Cost {
            input: cost.input,
            output: cost.output,
            cache_read: cost.cache_read,
            cache_write: cost.cache_write,
            total: cost.total,
        };
        Self {
            input: record.input,
            output: record.output,
            cache_read: record.cache_read,
            cache_write: record.cache_write,
            cache_write_1h: record.cache_write_1h,
            reasoning: record.reasoning,
            total: record.total,
            cost: record.cost_usd.map(cost),
        }
    }
}
