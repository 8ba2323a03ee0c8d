//! One JSON object of the file: a header or an entry.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use sonic_rs::LazyValue;

use super::message::MessageFields;
use crate::import::json::{Raw, reread};
use crate::import::object::{Fields, Fill, Rest};
use crate::import::slot::{Key, Scalar, Sink, Slot};
use crate::transcript::Message;

/// The word in a record's `type`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Session,
    Message,
    ModelChange,
    ThinkingLevelChange,
    Compaction,
    BranchSummary,
    CustomMessage,
    ContextEdit,
    /// A kind Pi knows that never reaches the model.
    Note(Box<str>),
    /// A kind Pi does not know.
    Unknown(Box<str>),
}

impl Scalar for Kind {
    fn text(text: &str) -> Option<Self> {
        Some(match text {
            "session" => Self::Session,
            "message" => Self::Message,
            "model_change" => Self::ModelChange,
            "thinking_level_change" => Self::ThinkingLevelChange,
            "compaction" => Self::Compaction,
            "branch_summary" => Self::BranchSummary,
            "custom_message" => Self::CustomMessage,
            "context_edit" => Self::ContextEdit,
            "custom" | "label" | "session_info" | "usage" => Self::Note(text.into()),
            other => Self::Unknown(other.into()),
        })
    }
}

/// A record, read.
pub(super) struct Record<'de> {
    pub(super) kind: Slot<Kind>,
    pub(super) id: Slot<Box<str>>,
    pub(super) parent: Slot<Box<str>>,
    pub(super) timestamp: Slot<Box<str>>,
    /// The message and its time, of a `message` record that has a readable one.
    pub(super) message: Option<(Message, Option<i64>)>,
    /// All other fields.
    pub(super) rest: Rest<'de>,
    pub(super) sink: Sink,
}

/// Reads a record.
pub(super) struct RecordSeed<R>(PhantomData<R>);

impl<R> Default for RecordSeed<R> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<'de, R: Raw<'de>> DeserializeSeed<'de> for RecordSeed<R> {
    type Value = Record<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Record<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, R: Raw<'de>> Visitor<'de> for RecordSeed<R> {
    type Value = Record<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record<'de>, A::Error> {
        let mut fields = RecordFields::<R>::default();
        while let Some(Key(key)) = map.next_key()? {
            fields.field(key, &mut map)?;
        }
        Ok(fields.finish())
    }
}

struct RecordFields<'de, R> {
    kind: Slot<Kind>,
    id: Slot<Box<str>>,
    parent: Slot<Box<str>>,
    timestamp: Slot<Box<str>>,
    message: Slot<MessageFields<'de, R>>,
    rest: Rest<'de>,
}

impl<R> Default for RecordFields<'_, R> {
    fn default() -> Self {
        Self {
            kind: Slot::Missing,
            id: Slot::Missing,
            parent: Slot::Missing,
            timestamp: Slot::Missing,
            message: Slot::Missing,
            rest: Rest::default(),
        }
    }
}

impl<'de, R: Raw<'de>> Fields<'de> for RecordFields<'de, R> {
    fn field<A: MapAccess<'de>>(&mut self, key: Cow<'de, str>, map: &mut A) -> Result<(), A::Error> {
        match &*key {
            "type" => self.kind = map.next_value()?,
            "id" => self.id = map.next_value()?,
            "parentId" => self.parent = map.next_value()?,
            "timestamp" => self.timestamp = map.next_value()?,
            "message" if matches!(self.kind, Slot::Good(Kind::Message)) => {
                self.message = map.next_value_seed(Fill(MessageFields::default()))?;
            }
            _ => self.rest.keep::<R, A>(key, map)?,
        }
        Ok(())
    }
}

impl<'de, R: Raw<'de>> RecordFields<'de, R> {
    fn finish(mut self) -> Record<'de> {
        let mut sink = Sink::default();
        let mut message = None;
        if matches!(self.kind, Slot::Good(Kind::Message)) {
            message = match std::mem::take(&mut self.message) {
                Slot::Good(fields) => fields.finish(&mut sink),
                // The message came before the type, which no known writer does.
                Slot::Missing => self.rest.take("message").and_then(|raw| early_message(&raw, &mut sink)),
                Slot::Null | Slot::Wrong => None,
            };
            if message.is_none() && sink.faults.is_empty() {
                sink.bad("`message` is missing or not an object; the record is kept as a note");
            }
        }
        let Self { kind, id, parent, timestamp, rest, .. } = self;
        Record { kind, id, parent, timestamp, message, rest, sink }
    }
}

fn early_message(raw: &str, sink: &mut Sink) -> Option<(Message, Option<i64>)> {
    match reread(raw, Fill(MessageFields::<LazyValue<'_>>::default())) {
        Some(Slot::Good(fields)) => fields.finish(sink),
        _ => None,
    }
}
