//! Recorded usage: `{input, output, cacheRead, cacheWrite, totalTokens, cost}` and later additions.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::de::MapAccess;

use crate::import::json::Raw;
use crate::import::object::{Fields, Fill, Rest};
use crate::import::slot::{Sink, Slot};
use crate::transcript::{Cost, Usage};

/// A usage object as it is read.
pub(super) struct UsageFields<'de, R> {
    input: Slot<u64>,
    output: Slot<u64>,
    cache_read: Slot<u64>,
    cache_write: Slot<u64>,
    cache_write_1h: Slot<u64>,
    reasoning: Slot<u64>,
    total: Slot<u64>,
    cost: Slot<CostFields<'de, R>>,
    rest: Rest<'de>,
    raw: PhantomData<R>,
}

impl<R> Default for UsageFields<'_, R> {
    fn default() -> Self {
        Self {
            input: Slot::Missing,
            output: Slot::Missing,
            cache_read: Slot::Missing,
            cache_write: Slot::Missing,
            cache_write_1h: Slot::Missing,
            reasoning: Slot::Missing,
            total: Slot::Missing,
            cost: Slot::Missing,
            rest: Rest::default(),
            raw: PhantomData,
        }
    }
}

impl<'de, R: Raw<'de>> Fields<'de> for UsageFields<'de, R> {
    fn field<A: MapAccess<'de>>(&mut self, key: Cow<'de, str>, map: &mut A) -> Result<(), A::Error> {
        match &*key {
            "input" => self.input = map.next_value()?,
            "output" => self.output = map.next_value()?,
            "cacheRead" => self.cache_read = map.next_value()?,
            "cacheWrite" => self.cache_write = map.next_value()?,
            "cacheWrite1h" => self.cache_write_1h = map.next_value()?,
            "reasoning" => self.reasoning = map.next_value()?,
            "totalTokens" => self.total = map.next_value()?,
            "cost" => self.cost = map.next_value_seed(Fill(CostFields::default()))?,
            _ => self.rest.keep::<R, A>(key, map)?,
        }
        Ok(())
    }
}

impl<R> UsageFields<'_, R> {
    /// The usage; `place` is that of the object. A total of zero counts as none: Pi takes the sum of the parts then.
    pub(super) fn finish(self, sink: &mut Sink, place: &str) -> Usage {
        self.rest.flush(sink, place);
        Usage {
            input: self.input.required(sink, "usage.input"),
            output: self.output.required(sink, "usage.output"),
            cache_read: self.cache_read.required(sink, "usage.cacheRead"),
            cache_write: self.cache_write.required(sink, "usage.cacheWrite"),
            cache_write_1h: self.cache_write_1h.optional(sink, "usage.cacheWrite1h"),
            reasoning: self.reasoning.optional(sink, "usage.reasoning"),
            total: self.total.optional(sink, "usage.totalTokens").filter(|&total| total != 0),
            cost: self.cost.optional(sink, "usage.cost").map(|cost| cost.finish(sink, place)),
        }
    }
}

/// The dollars of a usage object as they are read.
struct CostFields<'de, R> {
    parts: [Slot<f64>; 5],
    rest: Rest<'de>,
    raw: PhantomData<R>,
}

impl<R> Default for CostFields<'_, R> {
    fn default() -> Self {
        Self { parts: Default::default(), rest: Rest::default(), raw: PhantomData }
    }
}

impl<'de, R: Raw<'de>> Fields<'de> for CostFields<'de, R> {
    fn field<A: MapAccess<'de>>(&mut self, key: Cow<'de, str>, map: &mut A) -> Result<(), A::Error> {
        let part = match &*key {
            "input" => 0,
            "output" => 1,
            "cacheRead" => 2,
            "cacheWrite" => 3,
            "total" => 4,
            _ => return self.rest.keep::<R, A>(key, map),
        };
        self.parts[part] = map.next_value()?;
        Ok(())
    }
}

impl<R> CostFields<'_, R> {
    /// A part that is missing is zero: dollars are the source's own estimate, and older files have fewer parts.
    fn finish(self, sink: &mut Sink, place: &str) -> Cost {
        self.rest.flush(sink, &format!("{place}.cost"));
        let [input, output, cache_read, cache_write, total] =
            self.parts.map(|part| part.optional(sink, "usage.cost").unwrap_or_default());
        Cost { input, output, cache_read, cache_write, total }
    }
}
