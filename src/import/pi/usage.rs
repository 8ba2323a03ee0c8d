//! Recorded usage: `{input, output, cacheRead, cacheWrite, totalTokens, cost}` and later additions.

use std::borrow::Cow;

use crate::import::object::{Fields, Rest, fill};
use crate::import::slot::{Sink, Slot};
use crate::transcript::json::read::{Read, Reader};
use crate::transcript::{Cost, Usage};

/// A usage object as it is read.
#[derive(Default)]
pub(super) struct UsageFields<'a> {
    input: Slot<u64>,
    output: Slot<u64>,
    cache_read: Slot<u64>,
    cache_write: Slot<u64>,
    cache_write_1h: Slot<u64>,
    reasoning: Slot<u64>,
    total: Slot<u64>,
    cost: Slot<CostFields<'a>>,
    rest: Rest<'a>,
}

impl<'a> Fields<'a> for UsageFields<'a> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match &*key {
            "input" => self.input = Slot::read(reader)?,
            "output" => self.output = Slot::read(reader)?,
            "cacheRead" => self.cache_read = Slot::read(reader)?,
            "cacheWrite" => self.cache_write = Slot::read(reader)?,
            "cacheWrite1h" => self.cache_write_1h = Slot::read(reader)?,
            "reasoning" => self.reasoning = Slot::read(reader)?,
            "totalTokens" => self.total = Slot::read(reader)?,
            "cost" => self.cost = cost(reader)?,
            _ => self.rest.field(key, reader)?,
        }
        Ok(())
    }
}

fn cost<'a>(reader: &mut Reader<'a>) -> Read<Slot<CostFields<'a>>> {
    let mut fields = CostFields::default();
    Ok(fill(reader, &mut fields)?.map(|()| fields))
}

impl UsageFields<'_> {
    /// Reads the object that is next.
    pub(super) fn read(reader: &mut Reader<'_>, sink: &mut Sink, place: &str) -> Read<Slot<Usage>> {
        let mut fields = UsageFields::default();
        Ok(fill(reader, &mut fields)?.map(|()| fields.finish(sink, place)))
    }

    /// The usage; `place` is that of the object. A total of zero counts as none: Pi takes the sum of the parts then.
    fn finish(self, sink: &mut Sink, place: &str) -> Usage {
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
#[derive(Default)]
struct CostFields<'a> {
    parts: [Slot<f64>; 5],
    rest: Rest<'a>,
}

impl<'a> Fields<'a> for CostFields<'a> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        let part = match &*key {
            "input" => 0,
            "output" => 1,
            "cacheRead" => 2,
            "cacheWrite" => 3,
            "total" => 4,
            _ => return self.rest.field(key, reader),
        };
        self.parts[part] = Slot::read(reader)?;
        Ok(())
    }
}

impl CostFields<'_> {
    /// A part that is missing is zero: dollars are the source's own estimate, and older files have fewer parts.
    fn finish(self, sink: &mut Sink, place: &str) -> Cost {
        if !self.rest.is_empty() {
            self.rest.flush(sink, &format!("{place}.cost"));
        }
        let [input, output, cache_read, cache_write, total] =
            self.parts.map(|part| part.optional(sink, "usage.cost").unwrap_or_default());
        Cost { input, output, cache_read, cache_write, total }
    }
}
