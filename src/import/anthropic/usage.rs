//! Usage in Anthropic's form. Its `input_tokens` excludes cache reads and writes, as the model's `input` does.

use std::borrow::Cow;

use crate::import::object::{Fields, Rest, fill};
use crate::import::slot::{Sink, Slot};
use crate::transcript::json::read::{Read, Reader};
use crate::transcript::{StopReason, Usage};

/// Counts that are in a usage object. A stream gives them in pieces.
#[derive(Clone, Copy, Default)]
pub(in crate::import) struct Counts {
    input: Option<u64>,
    output: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    cache_write_1h: Option<u64>,
}

impl Counts {
    /// Reads the usage object `raw`; its other fields go to the extras of `place`. `None` when it is no object.
    pub(in crate::import) fn read(raw: &str, place: &str, sink: &mut Sink) -> Option<Self> {
        Self::next(&mut Reader::new(raw), place, sink).unwrap_or_default()
    }

    /// [`Self::read`] of the value that is next.
    pub(in crate::import) fn next(reader: &mut Reader<'_>, place: &str, sink: &mut Sink) -> Read<Option<Self>> {
        let mut fields = UsageFields::default();
        Ok(fill(reader, &mut fields)?.good().map(|()| fields.finish(place, sink)))
    }

    fn five_minutes(&self) -> Option<u64> {
        self.cache_write?.checked_sub(self.cache_write_1h?)
    }

    /// The counts of `later` where it has them. The output of a reply only grows: of two the larger one counts.
    pub(in crate::import) fn update(&mut self, later: Self) {
        self.input = later.input.or(self.input);
        self.output = later.output.max(self.output);
        self.cache_read = later.cache_read.or(self.cache_read);
        self.cache_write = later.cache_write.or(self.cache_write);
        self.cache_write_1h = later.cache_write_1h.or(self.cache_write_1h);
    }

    /// The usage. `None` when there is no count of the input or all counts are zero: no request was made.
    pub(in crate::import) fn usage(self) -> Option<Usage> {
        let usage = Usage {
            input: self.input?,
            output: self.output.unwrap_or_default(),
            cache_read: self.cache_read.unwrap_or_default(),
            cache_write: self.cache_write.unwrap_or_default(),
            cache_write_1h: self.cache_write_1h,
            ..Usage::default()
        };
        (usage.context().0 > 0).then_some(usage)
    }
}

impl From<Usage> for Counts {
    /// What [`Counts::usage`] was made of; a count that was not given is zero in it.
    fn from(usage: Usage) -> Self {
        let Usage { input, output, cache_read, cache_write, cache_write_1h, .. } = usage;
        let [input, output, cache_read, cache_write] = [input, output, cache_read, cache_write].map(Some);
        Self { input, output, cache_read, cache_write, cache_write_1h }
    }
}

/// A usage object as it is read.
#[derive(Default)]
struct UsageFields<'a> {
    input: Slot<u64>,
    output: Slot<u64>,
    cache_read: Slot<u64>,
    cache_write: Slot<u64>,
    split: Split<'a>,
    rest: Rest<'a>,
}

impl<'a> Fields<'a> for UsageFields<'a> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match &*key {
            "input_tokens" => self.input = Slot::read(reader)?,
            "output_tokens" => self.output = Slot::read(reader)?,
            "cache_read_input_tokens" => self.cache_read = Slot::read(reader)?,
            "cache_creation_input_tokens" => self.cache_write = Slot::read(reader)?,
            "cache_creation" => {
                self.split = Split::default();
                fill(reader, &mut self.split)?;
            }
            _ => self.rest.field(key, reader)?,
        }
        Ok(())
    }
}

/// The writes by how long they are kept.
#[derive(Default)]
struct Split<'a> {
    five_minutes: Slot<u64>,
    hour: Slot<u64>,
    rest: Rest<'a>,
}

impl<'a> Fields<'a> for Split<'a> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match &*key {
            "ephemeral_5m_input_tokens" => self.five_minutes = Slot::read(reader)?,
            "ephemeral_1h_input_tokens" => self.hour = Slot::read(reader)?,
            _ => self.rest.field(key, reader)?,
        }
        Ok(())
    }
}

impl UsageFields<'_> {
    fn finish(self, place: &str, sink: &mut Sink) -> Counts {
        let cache_write_1h = self.split.hour.optional(sink, "ephemeral_1h_input_tokens");
        let cache_write = self.cache_write.optional(sink, "cache_creation_input_tokens");
        let five_minutes = if let Slot::Good(five) = self.split.five_minutes { Some(five) } else { None };
        // Some gateways give the writes by how long they are kept, and not their sum.
        let split = (cache_write_1h.is_some() || five_minutes.is_some())
            .then(|| cache_write_1h.unwrap_or_default() + five_minutes.unwrap_or_default());
        let counts = Counts {
            input: self.input.optional(sink, "input_tokens"),
            output: self.output.optional(sink, "output_tokens"),
            cache_read: self.cache_read.optional(sink, "cache_read_input_tokens"),
            cache_write: cache_write.or(split),
            cache_write_1h,
        };
        // The rest of the writes: it follows from the other two.
        if let Some(five) = five_minutes
            && Some(five) != counts.five_minutes()
        {
            sink.extra.add_count(&format!("{place}.cache_creation"), "ephemeral_5m_input_tokens", five);
        }
        if !self.split.rest.is_empty() {
            self.split.rest.flush(sink, &format!("{place}.cache_creation"));
        }
        self.rest.flush(sink, place);
        counts
    }
}

/// The reason for which a reply ended. `None` and `null` say nothing.
pub(in crate::import) fn stop_reason(word: Option<&str>) -> Option<StopReason> {
    Some(match word? {
        "end_turn" => StopReason::Stop,
        "max_tokens" => StopReason::Length,
        "tool_use" => StopReason::ToolUse,
        other => StopReason::Other(other.into()),
    })
}

#[cfg(test)]
mod tests {
    use super::{Counts, stop_reason};
    use crate::import::slot::Sink;
    use crate::transcript::{StopReason, Tokens};

    #[test]
    fn writes_for_an_hour_are_told_apart() {
        let mut sink = Sink::default();
        let raw = r#"{"input_tokens":7,"output_tokens":30,"cache_read_input_tokens":9000,"cache_creation_input_tokens":500,
            "cache_creation":{"ephemeral_5m_input_tokens":200,"ephemeral_1h_input_tokens":300},"service_tier":"s"}"#;
        let usage = Counts::read(raw, "u", &mut sink).and_then(Counts::usage).unwrap();
        // 7 + 9,000 + 500 = 9,507, and 30 of output.
        assert_eq!((usage.prompt(), usage.context()), (Tokens(9_507), Tokens(9_537)));
        assert_eq!(usage.cache_write_1h, Some(300));
        assert_eq!(sink.extra.render().as_deref(), Some(r#"{"u":{"service_tier":"s"}}"#));
    }

    #[test]
    fn writes_that_are_only_told_apart_are_added_up() {
        let written = |split: &str| {
            let raw = format!(r#"{{"input_tokens":7,"output_tokens":3,"cache_creation":{{{split}}}}}"#);
            let usage = Counts::read(&raw, "u", &mut Sink::default()).and_then(Counts::usage).unwrap();
            (usage.cache_write, usage.cache_write_1h)
        };
        let both = r#""ephemeral_5m_input_tokens":2000,"ephemeral_1h_input_tokens":1000"#;
        assert_eq!(written(both), (3_000, Some(1_000)));
        assert_eq!(written(r#""ephemeral_1h_input_tokens":1000"#), (1_000, Some(1_000)));
        assert_eq!(written(r#""ephemeral_5m_input_tokens":2000"#), (2_000, None));
        assert_eq!(written(""), (0, None));
        let raw = format!(r#"{{"input_tokens":7,"cache_creation_input_tokens":3600,"cache_creation":{{{both}}}}}"#);
        let usage = Counts::read(&raw, "u", &mut Sink::default()).and_then(Counts::usage).unwrap();
        assert_eq!(usage.cache_write, 3_600, "the sum counts where it is there");
    }

    #[test]
    fn the_pieces_of_a_stream_add_up_to_the_last_counts() {
        let read = |raw: &str| Counts::read(raw, "u", &mut Sink::default()).unwrap();
        let mut counts = read(r#"{"input_tokens":4,"cache_creation_input_tokens":15032,"output_tokens":3}"#);
        counts.update(read(r#"{"output_tokens":174}"#));
        let usage = counts.usage().unwrap();
        assert_eq!((usage.input, usage.cache_write, usage.output), (4, 15_032, 174));
        assert_eq!(read(r#"{"input_tokens":0,"output_tokens":0}"#).usage(), None, "no request was made");
        assert_eq!(read("{}").usage(), None);
    }

    #[test]
    fn words_for_the_end_of_a_reply() {
        assert_eq!(stop_reason(Some("end_turn")), Some(StopReason::Stop));
        assert_eq!(stop_reason(Some("refusal")), Some(StopReason::Other("refusal".into())));
        assert_eq!(stop_reason(None), None);
    }
}
