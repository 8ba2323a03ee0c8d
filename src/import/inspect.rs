//! Logs of Inspect: `.json`, and the `.eval` archive (zip with deflate or zstd). Every sample is a session.
//!
//! A session is built from the model calls, because their inputs are exactly what was sent; the messages of the sample
//! are only the state at its end. A call that goes on from the last one adds what is new; one that leaves messages out
//! is a branch, or after a `compaction` event a compaction, whose `replacement` is what
//! stands before the summary; one that has nothing to do with what came before, such as
//! that of a sub-agent or a grader, is a session of its own. Messages after the last call come from the sample. A sample
//! without calls has its messages only. The line of an entry is its ordinal in its session, from 1.
//!
//! Texts that the log keeps once (`attachment://HASH`) are put back. Inputs that name messages of a pool
//! (`input_refs` into `events_data.messages`: positions, or ranges without their end) are looked up there.
//!
//! Counting: providers disagree on whether `input_tokens` includes the cache, and Inspect passes on what they say. Where
//! `total_tokens` is the sum of input and output alone, it does, and is converted; else it does not.
//!
//! Kept as notes: scores, errors, limits and information. Spans, states and tool events repeat what the messages hold
//! and are not kept.

mod archive;
mod attachments;
mod content;
mod sample;
mod sniff;
mod thread;

use self::archive::Archive;
pub(super) use self::sniff::sniff;
use super::document::Document;
use super::value::Object;
use super::{Finding, FindingKind, ImportError, Imported};

const EXPECTED: &str = "an Inspect log with `samples`";

/// Reads one transcript per sample, and one for each other line of calls in a sample.
///
/// # Errors
/// When the file is empty, is no log, or holds no sample with a message.
pub fn read(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let read = if archive::is(bytes) { members(bytes)? } else { log(bytes)? };
    if read.iter().all(|one| one.transcript.entries.is_empty()) {
        let found = "no sample with a message".to_owned();
        return Err(ImportError::NoRecord { line: 1, expected: EXPECTED, found });
    }
    Ok(read)
}

/// A `.json` log.
fn log(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let document = Document::read(bytes, EXPECTED)?;
    let fields = document.value().object();
    let samples = fields.items("samples");
    let eval = fields.object("eval");
    let mut read = Vec::new();
    for sample in &samples {
        sample::read(*sample, &eval, samples.len() > 1, &mut read);
    }
    document.close(&mut read);
    Ok(read)
}

/// An `.eval` archive.
fn members(bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
    let archive = Archive::open(bytes).map_err(|found| ImportError::NoRecord { line: 1, expected: EXPECTED, found })?;
    let mut findings = Vec::new();
    if archive.torn {
        let fault = "the archive has no directory; its members were read one after another".to_owned();
        findings.push(of_file(FindingKind::TruncatedLine, fault));
    }
    let header = ["header.json", "_journal/start.json"].into_iter().find_map(|name| archive.find(name));
    let header = header.and_then(|member| archive.read(member).ok()).unwrap_or_default();
    let header = Document::read(&header, EXPECTED).ok();
    let eval = header.as_ref().map(|header| header.value().object().object("eval")).unwrap_or_default();
    let is_sample = |name: &str| name.strip_prefix("samples/").is_some_and(|name| !name.is_empty());
    let samples: Vec<_> = archive.members.iter().filter(|member| is_sample(&member.name)).collect();
    let mut read = Vec::new();
    for member in &samples {
        let sample = archive.read(member).map_err(|fault| (FindingKind::MalformedLine, fault));
        if let Err((kind, fault)) = sample.and_then(|bytes| one_member(&bytes, &eval, samples.len() > 1, &mut read)) {
            findings.push(of_file(kind, format!("{}: {fault}; left out", member.name)));
        }
    }
    if let Some(first) = read.first_mut() {
        first.findings.splice(0..0, findings);
    }
    Ok(read)
}

fn one_member(
    bytes: &[u8],
    eval: &Object<'_>,
    several: bool,
    read: &mut Vec<Imported>,
) -> Result<(), (FindingKind, String)> {
    let document = Document::read(bytes, EXPECTED).map_err(|error| (FindingKind::MalformedLine, error.to_string()))?;
    let first = read.len();
    sample::read(document.value(), eval, several, read);
    document.close(&mut read[first..]);
    Ok(())
}

/// A finding about the file as a whole.
fn of_file(kind: FindingKind, message: String) -> Finding {
    Finding { line: 0, last_line: 0, offset: None, column: None, kind, message }
}
