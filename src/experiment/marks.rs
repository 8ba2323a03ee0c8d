//! Breakpoints that recorded requests asked for, as the importer of request bodies keeps them (`cache_marks`).

use std::collections::HashMap;

use serde::Deserialize;

use crate::meter::cache::{Life, Mark, Spot};
use crate::transcript::{EntryIdx, JsonText, Transcript};

/// The extra fields of a reply, by the place of their object.
#[derive(Deserialize)]
struct Places {
    #[serde(rename = "")]
    record: Option<Record>,
}

/// The extra fields of a reply itself, or of a header.
#[derive(Deserialize)]
struct Record {
    cache_marks: Option<Vec<Fields>>,
}

#[derive(Deserialize)]
struct Fields {
    tools: Option<usize>,
    system: Option<usize>,
    of: Option<usize>,
    behind: Option<usize>,
    ttl: Box<str>,
}

impl Fields {
    /// A system prompt is one block here: a mark in the middle of it has no place.
    fn mark(&self) -> Option<Mark> {
        let spot = match (self.tools, self.system, self.behind) {
            (Some(tools), ..) => Spot::Tools(tools),
            (_, Some(at), _) => (Some(at) == self.of).then_some(Spot::System)?,
            (_, _, behind) => Spot::Behind(behind?),
        };
        Some(Mark { spot, life: if &*self.ttl == "1h" { Life::Long } else { Life::Short } })
    }
}

fn read<T: for<'d> Deserialize<'d>>(extra: Option<&JsonText>) -> Option<T> {
    let text = extra.map(JsonText::as_str).filter(|text| text.contains("\"cache_marks\""))?;
    serde_json::from_str(text).ok()
}

fn marks(record: Record) -> Option<Vec<Mark>> {
    Some(record.cache_marks?.iter().filter_map(Fields::mark).collect())
}

/// The marks of every request whose body the file holds, by the reply.
pub(super) fn by_reply(transcript: &Transcript) -> HashMap<EntryIdx, Vec<Mark>> {
    let entries = transcript.entries.iter().enumerate();
    let one = |(index, entry): (usize, &crate::transcript::Entry)| {
        let places: Places = read(entry.extra.as_ref())?;
        Some((EntryIdx(index), marks(places.record?)?))
    };
    entries.filter_map(one).collect()
}

/// The marks of a request without a reply.
pub(super) fn of_body(transcript: &Transcript) -> Option<Vec<Mark>> {
    marks(read(transcript.meta.extra.as_ref())?)
}
