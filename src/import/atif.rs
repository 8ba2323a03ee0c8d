//! ATIF, the Agent Trajectory Interchange Format, versions 1.x: one document, or JSON Lines with a header.
//!
//! A step holds a reply together with the results of its calls; they become entries of their own, `ID.CALL`. In a
//! document the line of an entry is the ordinal of its step, from 1; in JSON Lines it is the line. Trajectories of
//! sub-agents inside the file are sessions of their own.
//!
//! Counting: `metrics.prompt_tokens` includes `cached_tokens`. Steps with `is_copied_context` repeat what an earlier
//! file recorded: they are part of the context, but their usage is not counted again.
//!
//! Observations without a call are text that the agent was shown (`observation`). A step that says it compacted the
//! context is a compaction; its summary lies in the trajectories it names, not here. A file that continues another
//! (`agent.extra.continuation_index`) begins with the context after a compaction, which its copied steps spell out: a
//! note says so, and `continued_trajectory_ref` and the index are kept with the session. The files are not joined.
//!
//! Variants seen: versions without prefix, observations that are no list, contents that are objects.

mod session;
mod sniff;
mod step;

use self::session::Session;
pub(super) use self::sniff::sniff;
use super::document::Document;
use super::place::{Place, Report};
use super::source::Source;
use super::value::Value;
use super::{ImportError, Imported, rows};
use crate::transcript::json::read::Reader;

const EXPECTED: &str = "an ATIF trajectory with `steps`";

/// Reads the trajectory, and those of sub-agents in it.
///
/// # Errors
/// When the file is empty, is not text, or holds no step.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    if sniff::is_stream(bytes) { stream(bytes) } else { document(bytes) }
}

fn document(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let document = Document::read(bytes, EXPECTED)?;
    let mut read = Vec::new();
    trajectory(document.value(), None, 0, &mut read);
    if read.iter().all(|one| one.transcript.entries.is_empty() && one.transcript.head.system.is_none()) {
        let found = "no steps".to_owned();
        return Err(ImportError::NoRecord { line: 1, expected: EXPECTED, found });
    }
    document.close(&mut read);
    Ok(read)
}

/// How deep sub-agents may lie in one another; no writer nests them more than once.
const MAX_NESTED: usize = 8;

fn trajectory(value: Value<'_>, part: Option<Box<str>>, depth: usize, read: &mut Vec<Imported>) {
    let fields = value.object();
    let mut session = Session::default();
    session.chain.here = Some(value.at());
    session.header(1, &fields);
    for (step, ordinal) in fields.items("steps").into_iter().zip(1..) {
        step::take(&mut session, ordinal, step);
    }
    session.end(&fields);
    read.push(session.chain.finish(part));
    if depth < MAX_NESTED {
        for (nested, ordinal) in fields.items("subagent_trajectories").into_iter().zip(1..) {
            let name = nested.object().boxed("session_id").or_else(|| nested.object().boxed("trajectory_id"));
            let name = name.unwrap_or_else(|| format!("subagent {ordinal}").into());
            trajectory(nested, Some(name), depth + 1, read);
        }
    }
}

fn stream(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let mut stream = Stream::default();
    rows::read(&mut Source::bytes(bytes), &mut stream)?;
    let imported = stream.session.chain.finish(None);
    if imported.transcript.entries.is_empty() && imported.transcript.head.system.is_none() {
        return Err(ImportError::NoRecord { line: 1, expected: EXPECTED, found: "no steps".to_owned() });
    }
    Ok(vec![imported])
}

/// A trajectory line by line.
#[derive(Default)]
struct Stream {
    session: Session,
}

impl rows::Rows for Stream {
    const BEGINS: &'static [&'static str] = &["{\"step_id\":", "{\"__header__\":"];

    fn report(&mut self) -> &mut Report {
        &mut self.session.chain.report
    }

    type Record<'l> = Value<'l>;

    fn parse<'l>(text: &'l str, reader: &mut Reader<'l>) -> Result<Value<'l>, String> {
        rows::object(text, reader)
    }

    fn take(&mut self, at: Place, _: &str, value: Value<'_>) {
        let value = value.in_record(at);
        self.session.chain.here = Some(value.at());
        let fields = value.object();
        if fields.has("__header__") {
            self.session.header(at.line(), &fields);
        } else {
            step::take(&mut self.session, at.line(), value);
        }
    }
}
