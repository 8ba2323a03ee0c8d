//! Findings as people and as programs read them, and what `--strict` makes of them.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::experiment::Session;
use crate::import::Finding;
use crate::report::{Narrow, one_line};

/// A place that is no wider leaves room for what was found beside it.
const PLACE: usize = 40;

/// Findings where none were wanted.
#[derive(Debug, thiserror::Error)]
#[error("{findings} in {files}", findings = count(*.findings, "finding"), files = count(*.files, "file"))]
pub(super) struct Faulty {
    findings: usize,
    files: usize,
}

/// `1 file`, `2 files`.
pub(super) fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

/// With `strict` an error, if `files`, given by the number of their findings, have any.
pub(super) fn judge(strict: bool, files: impl Iterator<Item = usize>) -> Result<(), Faulty> {
    let (findings, files) =
        files.filter(|&findings| findings > 0).fold((0, 0), |(all, files), findings| (all + findings, files + 1));
    if strict && findings > 0 { Err(Faulty { findings, files }) } else { Ok(()) }
}

/// Prints all findings of `sessions` on stderr if `strict`, and fails if there are any.
pub(super) fn refuse(strict: bool, sessions: &[Session]) -> anyhow::Result<()> {
    if strict {
        let mut stderr = Narrow::new(io::stderr().lock());
        for session in sessions.iter().filter(|session| !session.findings.is_empty()) {
            table(&session.name, &session.findings, &mut stderr)?;
        }
    }
    Ok(judge(strict, sessions.iter().map(|session| session.findings.len()))?)
}

/// Findings of `file` as a table, a line each; where a place is long, it has a line of its own, to be copied whole.
pub(super) fn table(file: &str, findings: &[Finding], out: &mut Narrow<impl Write>) -> io::Result<()> {
    let width = findings.iter().map(|finding| finding.kind.name().len()).max().unwrap_or_default().max(4);
    let places: Vec<String> = findings.iter().map(|finding| place(file, finding)).collect();
    let room = places.iter().map(|place| place.chars().count()).max().unwrap_or_default().max(5);
    if room > PLACE {
        for (finding, place) in findings.iter().zip(places) {
            out.whole(&format!("  {place}"))?;
            writeln!(out, "    {:width$}  {}", finding.kind.name(), one_line(&finding.message))?;
        }
        return Ok(());
    }
    writeln!(out, "  {:room$}  {:width$}  found, and what was done", "place", "kind")?;
    for (finding, place) in findings.iter().zip(places) {
        writeln!(out, "  {place:room$}  {:width$}  {}", finding.kind.name(), one_line(&finding.message))?;
    }
    Ok(())
}

/// `FILE:LINE:COLUMN`, as far as it is known.
pub(super) fn place(file: &str, finding: &Finding) -> String {
    match (finding.line, finding.column) {
        (0, _) => file.to_owned(),
        (line, None) => format!("{file}:{line}"),
        (line, Some(column)) => format!("{file}:{line}:{column}"),
    }
}

/// A finding of `file` as JSON. What is not known is null.
pub(super) fn as_json(file: &str, finding: &Finding) -> Value {
    let known = |line: usize| (line > 0).then_some(line);
    json!({
        "place": place(file, finding),
        "line": known(finding.line),
        "last_line": known(finding.last_line),
        "column": finding.column,
        "byte_offset": finding.offset,
        "kind": finding.kind.name(),
        "message": finding.message,
    })
}
