//! The `message` of a record, read before it is known whether it is one of the person or a reply.

use std::borrow::Cow;

use crate::import::anthropic::content::{self, Parts, Place};
use crate::import::anthropic::usage::Counts;
use crate::import::object::{Fields, Rest, fill};
use crate::import::slot::{Scalar, Sink, Slot};
use crate::transcript::json::read::{Raw, Read, Reader};

/// Place of a message's blocks and usage, for extras.
const CONTENT: &str = "message.content";
const USAGE: &str = "message.usage";

/// The roles by their words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    Other,
}

impl Scalar for Role {
    fn text(text: &str) -> Option<Self> {
        Some(match text {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            _ => Self::Other,
        })
    }
}

/// A message as it is read.
#[derive(Default)]
pub(super) struct MessageRead<'a> {
    /// All of it, as it is spelled.
    pub(super) raw: &'a str,
    pub(super) role: Slot<Role>,
    content: Option<(Parts, Sink)>,
    /// The usage of a reply, if the role came first, and how it is spelled.
    usage: Option<(Option<Counts>, Sink, Raw<'a>)>,
    pub(super) rest: Rest<'a>,
}

impl<'a> Fields<'a> for MessageRead<'a> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match &*key {
            "role" => self.role = Slot::read(reader)?,
            "content" => {
                let mut sink = Sink::default();
                self.content = Some((content::read(reader, &Place::Named(CONTENT), &mut sink, false)?, sink));
            }
            "usage" if matches!(self.role, Slot::Good(Role::Assistant)) => {
                let (mut sink, from) = (Sink::default(), reader.mark());
                let counts = Counts::next(reader, USAGE, &mut sink)?;
                self.usage = Some((counts, sink, reader.since(from)));
            }
            _ => self.rest.field(key, reader)?,
        }
        Ok(())
    }
}

impl<'a> MessageRead<'a> {
    /// Reads the value that is next into `place`, where it stays. `None` when it is no object.
    pub(super) fn read(place: &mut Option<Self>, reader: &mut Reader<'a>) -> Read<()> {
        let (message, from) = (place.insert(Self::default()), reader.mark());
        let read = fill(reader, message)?.good();
        message.raw = reader.since(from).text();
        if read.is_none() {
            *place = None;
        }
        Ok(())
    }

    /// Takes the message for a reply, or for none: then a usage, which only replies have, is a field like any other.
    pub(super) fn of(mut self, reply: bool, sink: &mut Sink) -> Self {
        if let (false, Some((_, _, raw))) = (reply, &self.usage) {
            sink.extra.add("message", "usage", *raw);
            self.usage = None;
        }
        self
    }

    /// Removes the content.
    pub(super) fn parts(&mut self, sink: &mut Sink) -> Parts {
        match self.content.take() {
            Some((parts, found)) => {
                sink.append(found);
                parts
            }
            None => content::parts(None, CONTENT, sink),
        }
    }

    /// Removes the usage.
    pub(super) fn counts(&mut self, sink: &mut Sink) -> Option<Counts> {
        match self.usage.take() {
            Some((counts, found, _)) => {
                sink.append(found);
                counts
            }
            None => self.rest.take("usage").and_then(|raw| Counts::read(raw.text(), USAGE, sink)),
        }
    }
}
