//! `cutpoint validate`: what is wrong with files.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::args::ValidateArgs;
use super::findings::{as_json, count, judge, table};
use crate::experiment::{CorpusError, Session, Source, Sources};
use crate::import::{Finding, LineCounts};

/// What is known of a file once its sessions are forgotten.
struct Checked {
    path: PathBuf,
    outcome: Outcome,
}

enum Outcome {
    Read {
        format: &'static str,
        sessions: usize,
        lines: LineCounts,
        findings: Vec<Finding>,
    },
    /// Nothing could be read, and that is a fault.
    Failed(String),
    /// A file of a folder that is no transcript.
    Unknown(String),
}

pub(super) fn validate(args: &ValidateArgs) -> anyhow::Result<()> {
    let sources = Sources::of(&args.sources)?;
    let files = sources.read(check);
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&document(&files, &sources))?)?;
    } else {
        print(&files, &sources, &mut out)?;
    }
    drop(out);
    let faults = files.iter().map(|file| match &file.outcome {
        Outcome::Read { findings, .. } => findings.len(),
        Outcome::Failed(_) => 1,
        Outcome::Unknown(_) => 0,
    });
    Ok(judge(true, faults)?)
}

fn check(source: &Source, sessions: Result<Vec<Session>, CorpusError>) -> Checked {
    let outcome = match sessions {
        Ok(sessions) => Outcome::Read {
            format: sessions.first().map_or("", |session| session.format),
            sessions: sessions.len(),
            lines: sessions.first().map(|session| session.lines).unwrap_or_default(),
            findings: sessions.into_iter().flat_map(|session| session.findings).collect(),
        },
        Err(CorpusError::Import(error)) if !source.is_required() && error.is_foreign() => {
            Outcome::Unknown(error.to_string())
        }
        Err(error) => Outcome::Failed(error.to_string()),
    };
    Checked { path: source.path(), outcome }
}

fn print(files: &[Checked], sources: &Sources, out: &mut impl Write) -> anyhow::Result<()> {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut read, mut failed, mut unknown, mut faulty) = (0, 0, 0, 0);
    for Checked { path, outcome } in files {
        match outcome {
            Outcome::Read { format, findings, .. } => {
                read += 1;
                if findings.is_empty() {
                    continue;
                }
                faulty += 1;
                writeln!(out, "{} ({format}): {}", path.display(), count(findings.len(), "finding"))?;
                table(findings, out)?;
                findings.iter().for_each(|finding| *kinds.entry(finding.kind.name()).or_default() += 1);
            }
            Outcome::Failed(reason) => {
                failed += 1;
                writeln!(out, "unreadable: {reason}")?;
            }
            Outcome::Unknown(_) => unknown += 1,
        }
    }
    for (_, reason) in &sources.skipped {
        writeln!(out, "skipped: {reason}")?;
    }
    let kinds: Vec<String> = kinds.iter().map(|(kind, number)| format!("{number} {kind}")).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    writeln!(out, "{} read, {faulty} with findings{kinds}", count(read, "file"))?;
    if failed + unknown > 0 {
        writeln!(out, "{} unreadable, {} of no known format", count(failed, "file"), count(unknown, "file"))?;
    }
    Ok(())
}

fn document(files: &[Checked], sources: &Sources) -> Value {
    let file = |Checked { path, outcome }: &Checked| match outcome {
        Outcome::Read { format, sessions, lines, findings } => json!({
            "path": path.display().to_string(),
            "format": format,
            "sessions": sessions,
            "lines": { "total": lines.total, "blank": lines.blank, "left_out": lines.left_out },
            "findings": findings.iter().map(as_json).collect::<Vec<_>>(),
        }),
        Outcome::Failed(reason) => json!({ "path": path.display().to_string(), "error": reason }),
        Outcome::Unknown(reason) => json!({ "path": path.display().to_string(), "unknown": reason }),
    };
    let skipped = |(path, reason): &(PathBuf, String)| json!({ "path": path.display().to_string(), "reason": reason });
    json!({
        "files": files.iter().map(file).collect::<Vec<_>>(),
        "skipped": sources.skipped.iter().map(skipped).collect::<Vec<_>>(),
    })
}
