//! One JSON object of the file: a header or an entry.

use std::borrow::Cow;

use super::message::MessageFields;
use crate::import::object::{Fields, Rest};
use crate::import::slot::{Scalar, Sink, Slot};
use crate::transcript::Message;
use crate::transcript::json::read::{Read, Reader};

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
            // OpenClaw's name of the leaf, and those of Pi.
            "leaf" | "custom" | "label" | "session_info" | "usage" => Self::Note(text.into()),
            other => Self::Unknown(other.into()),
        })
    }
}

/// A record, read.
#[derive(Default)]
pub(super) struct Record<'a> {
    pub(super) kind: Slot<Kind>,
    pub(super) id: Slot<Box<str>>,
    pub(super) parent: Slot<Cow<'a, str>>,
    pub(super) timestamp: Slot<Box<str>>,
    /// The message and its time, of a `message` record that has a readable one.
    pub(super) message: Option<(Message, Option<i64>)>,
    /// All other fields.
    pub(super) rest: Rest<'a>,
    pub(super) sink: Sink,
}

impl<'a> Record<'a> {
    /// The record that is all of `text`, or why there is none.
    pub(super) fn read(text: &'a str, reader: &mut Reader<'a>) -> Result<Self, String> {
        reader.start(text);
        let mut record = Self::default();
        let read = reader.object(|reader, key| record.field(key, reader)).and_then(|()| reader.end());
        read.map_err(|_| reader.fault())?;
        record.finish();
        Ok(record)
    }

    fn finish(&mut self) {
        if !matches!(self.kind, Slot::Good(Kind::Message)) {
            return;
        }
        // The message came before the type, which no known writer does.
        if let Some(raw) = self.rest.take("message").filter(|_| self.message.is_none()) {
            self.message = MessageFields::read(&mut Reader::new(raw.text()), &mut self.sink).unwrap_or_default();
        }
        if self.message.is_none() && self.sink.faults.is_empty() {
            self.sink.bad("`message` is missing or not an object; the record is kept as a note");
        }
    }
}

impl<'a> Fields<'a> for Record<'a> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match &*key {
            "type" => self.kind = Slot::read(reader)?,
            "id" => self.id = Slot::read(reader)?,
            "parentId" => self.parent = Slot::borrowed(reader)?,
            "timestamp" => self.timestamp = Slot::read(reader)?,
            "message" if matches!(self.kind, Slot::Good(Kind::Message)) => {
                // Of a repeated key the last value counts.
                self.sink = Sink::default();
                self.message = MessageFields::read(reader, &mut self.sink)?;
            }
            _ => self.rest.field(key, reader)?,
        }
        Ok(())
    }
}
