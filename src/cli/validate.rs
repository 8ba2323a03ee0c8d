//! `cutpoint validate`: what is wrong with files.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::args::ValidateArgs;
use super::findings::{as_json, count, judge, table};
use crate::experiment::{CorpusError, Session, Source, Sources};
use crate::import::{Finding, FindingKind, LineCounts, pairs};
use crate::report::{Narrow, guarded};

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
    if args.csv {
        csv(&files, &mut out)?;
    } else if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&document(&files, &sources))?)?;
    } else {
        print(&files, &sources, &mut Narrow::new(&mut out))?;
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
            findings: in_order(sessions),
        },
        Err(CorpusError::Import(error)) if !source.is_required() && error.is_foreign() => {
            Outcome::Unknown(error.to_string())
        }
        Err(error) => Outcome::Failed(error.to_string()),
    };
    Checked { path: source.path(), outcome }
}

/// The findings of a file's sessions, and calls and results that do not pair up, in the order of the file.
fn in_order(sessions: Vec<Session>) -> Vec<Finding> {
    let all = sessions.into_iter().flat_map(|Session { transcript, places, findings, .. }| {
        let mut pairs = pairs(&transcript, &places, &findings);
        // The importers of most formats report a result without any call themselves.
        let missing = findings.iter().filter(|one| one.kind == FindingKind::MissingTarget);
        let told: HashSet<(usize, &str)> =
            missing.flat_map(|one| quoted(&one.message).map(|id| (one.line, id))).collect();
        let is_told = |pair: &Finding| quoted(&pair.message).next().is_some_and(|id| told.contains(&(pair.line, id)));
        pairs.retain(|pair| pair.kind != FindingKind::OrphanResult || !is_told(pair));
        findings.into_iter().chain(pairs)
    });
    let mut all: Vec<Finding> = all.collect();
    all.sort_by_key(|finding| (finding.line, finding.column));
    all
}

/// What stands between backquotes.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2)
}

/// A row per fault; what is not known is empty.
fn csv(files: &[Checked], out: &mut impl Write) -> anyhow::Result<()> {
    let mut rows = ::csv::Writer::from_writer(out);
    rows.write_record(["file", "line", "last_line", "column", "byte_offset", "kind", "message"])?;
    for Checked { path, outcome } in files {
        let file = path.display().to_string();
        let file = guarded(&file);
        match outcome {
            Outcome::Read { findings, .. } => {
                for finding in findings {
                    let known = |number: usize| (number > 0).then_some(number);
                    let word = |number: Option<usize>| number.map_or_else(String::new, |number| number.to_string());
                    let [line, last, column, offset] =
                        [known(finding.line), known(finding.last_line), finding.column, finding.offset].map(word);
                    let message = guarded(&finding.message);
                    rows.write_record([&*file, &line, &last, &column, &offset, finding.kind.name(), &message])?;
                }
            }
            Outcome::Failed(reason) => rows.write_record([&*file, "", "", "", "", "unreadable", &guarded(reason)])?,
            Outcome::Unknown(reason) => rows.write_record([&*file, "", "", "", "", "unknown", &guarded(reason)])?,
        }
    }
    rows.flush()?;
    Ok(())
}

fn print(files: &[Checked], sources: &Sources, out: &mut Narrow<impl Write>) -> anyhow::Result<()> {
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
                out.whole(&format!("{} ({format}): {}", path.display(), count(findings.len(), "finding")))?;
                table(&path.display().to_string(), findings, out)?;
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
            "findings": findings.iter().map(|one| as_json(&path.display().to_string(), one)).collect::<Vec<_>>(),
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
