//! `cutpoint import`: sessions of any format to files of another.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::args::ImportArgs;
use super::findings::{as_json, count, judge, table};
use crate::experiment::{CorpusError, Session, Source, Sources};
use crate::export::{Past, Report, Target, write};
use crate::import::Finding;
use crate::redact::{Redacted, redact};
use crate::report::Narrow;
use crate::tokens::{MessageTable, Reference};
use crate::transcript::EntryIdx;

/// The folder name that means stdout.
const STDOUT: &str = "-";

/// What the options say.
struct Job<'a> {
    target: Target,
    past: Past,
    reference: Option<Reference>,
    /// Where the sources lie.
    sources: Vec<PathBuf>,
    args: &'a ImportArgs,
}

/// What became of one file.
struct Done {
    path: PathBuf,
    outcome: Outcome,
}

enum Outcome {
    Written {
        format: &'static str,
        sessions: Vec<Written>,
        findings: Vec<Finding>,
    },
    /// A file of a folder that is no transcript.
    Unknown(String),
    Failed(anyhow::Error),
}

/// One session that was written.
struct Written {
    name: String,
    to: PathBuf,
    report: Report,
    /// What was replaced, if that was asked for.
    redacted: Option<Redacted>,
}

pub(super) fn import(args: &ImportArgs) -> anyhow::Result<()> {
    let sources = Sources::of(&args.sources)?;
    let job = Job {
        target: args.to.parse()?,
        past: past(&args.history)?,
        reference: args.tokens.as_deref().map(str::parse).transpose()?,
        sources: sources.all.iter().map(Source::path).collect(),
        args,
    };
    let names = names(args, &sources);
    let to_stdout = args.out.as_os_str() == STDOUT;
    if to_stdout && sources.all.len() > 1 {
        bail!("{} files cannot go to stdout one after another; name a folder with --out", sources.all.len());
    }
    // One file at a time on stdout; on disk each has its own name, so that their order does not matter.
    let names: BTreeMap<PathBuf, PathBuf> = sources.all.iter().map(Source::path).zip(names).collect();
    let stdout = Mutex::new(io::stdout());
    let done = sources.read(|source, sessions| {
        let path = source.path();
        let name = names.get(&path).cloned().unwrap_or_default();
        let outcome = match sessions {
            Ok(sessions) => converted(&job, sessions, &name, to_stdout.then_some(&stdout)),
            Err(CorpusError::Import(error)) if !source.is_required() && error.is_foreign() => {
                Ok(Outcome::Unknown(error.to_string()))
            }
            Err(error) => Err(error.into()),
        };
        Done { path, outcome: outcome.unwrap_or_else(Outcome::Failed) }
    });
    finish(&job, done, &sources)
}

fn past(name: &str) -> anyhow::Result<Past> {
    match name {
        "recorded" => Ok(Past::Recorded),
        "full" => Ok(Past::Full),
        other => bail!("no history is called {other:?}; there are full and recorded"),
    }
}

/// Where each source goes, without the end of its name: a file of a folder keeps its place below it. Sources that would
/// go to the same place are numbered.
fn names(args: &ImportArgs, sources: &Sources) -> Vec<PathBuf> {
    let mut taken = HashSet::new();
    let name = |source: &Source| {
        let path = source.path();
        let root = args.sources.iter().find(|root| root.is_dir() && path.starts_with(root));
        let inner =
            root.and_then(|root| path.strip_prefix(root).ok()).filter(|inner| inner.components().next().is_some());
        let inner = inner.map_or_else(|| PathBuf::from(path.file_name().unwrap_or_default()), Path::to_owned);
        let plain: PathBuf = inner.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        let stem = plain.file_stem().unwrap_or_default().to_string_lossy().replace("embedded:", "");
        free(&plain.with_file_name(stem), &mut taken)
    };
    sources.all.iter().map(name).collect()
}

/// `path`, or its next form that is not taken.
fn free(path: &Path, taken: &mut HashSet<PathBuf>) -> PathBuf {
    let stem = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut free = path.to_owned();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = path.with_file_name(format!("{stem}-{number}"));
        number += 1;
    }
    free
}

/// Writes the sessions of one file.
fn converted(
    job: &Job<'_>,
    sessions: Vec<Session>,
    name: &Path,
    stdout: Option<&Mutex<io::Stdout>>,
) -> anyhow::Result<Outcome> {
    let format = sessions.first().map_or("", |session| session.format);
    let several = sessions.len() > 1;
    if several && stdout.is_some() && job.target != Target::OpenAi {
        bail!("the file holds {} sessions; name a folder with --out", sessions.len());
    }
    let (mut written, mut findings, mut taken) = (Vec::new(), Vec::new(), HashSet::new());
    for mut session in sessions {
        findings.append(&mut session.findings);
        let redacted = job.args.redact.then(|| redact(&mut session.transcript));
        let part = session.name.split_once('#').map(|(_, part)| part).filter(|_| several);
        let stem = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = part.map_or(stem.clone(), |part| format!("{stem}.{}", plain(part)));
        let to = free(&name.with_file_name(stem), &mut taken);
        let to = to.with_file_name(format!(
            "{}.{}",
            to.file_name().unwrap_or_default().to_string_lossy(),
            job.target.extension()
        ));
        let (report, to) = one(job, &session, &to, stdout)?;
        written.push(Written { name: session.name, to, report, redacted });
    }
    Ok(Outcome::Written { format, sessions: written, findings })
}

/// A part's name as part of a file's name.
fn plain(part: &str) -> String {
    part.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' }).take(80).collect()
}

fn one(
    job: &Job<'_>,
    session: &Session,
    to: &Path,
    stdout: Option<&Mutex<io::Stdout>>,
) -> anyhow::Result<(Report, PathBuf)> {
    let transcript = &session.transcript;
    let table = job.reference.map(|reference| MessageTable::new(transcript, reference));
    let count = |table: &MessageTable, idx: EntryIdx| table.entry(idx);
    let tokens = table.as_ref().map(|table| move |idx| count(table, idx));
    let tokens = tokens.as_ref().map(|tokens| tokens as &dyn Fn(EntryIdx) -> crate::transcript::Tokens);
    if let Some(stdout) = stdout {
        let stdout = stdout.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut out = BufWriter::new(stdout.lock());
        let report = write(transcript, job.target, job.past, tokens, &mut out)?;
        out.flush()?;
        return Ok((report, PathBuf::from(STDOUT)));
    }
    let path = job.args.out.join(to);
    let folder = path.parent().unwrap_or(&job.args.out);
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let source = |one: &PathBuf| fs::canonicalize(one).ok();
    if fs::canonicalize(&path).is_ok_and(|path| job.sources.iter().filter_map(source).any(|source| source == path)) {
        bail!("{} is a source, and is not overwritten", path.display());
    }
    let mut options = File::options();
    // Nothing is overwritten unasked.
    let file = if job.args.force { options.create(true).truncate(true) } else { options.create_new(true) }
        .write(true)
        .open(&path);
    let file = file.with_context(|| format!("cannot write {}", path.display()))?;
    let mut out = BufWriter::new(file);
    let report = write(transcript, job.target, job.past, tokens, &mut out)?;
    out.flush().with_context(|| format!("cannot write {}", path.display()))?;
    Ok((report, path))
}

/// Says on stderr what was written, found and lost; the exit code follows from it.
fn finish(job: &Job<'_>, done: Vec<Done>, sources: &Sources) -> anyhow::Result<()> {
    let mut stderr = io::stderr().lock();
    let (mut files, mut unknown, mut all, mut findings) = (0, 0, Report::default(), Vec::new());
    let mut redacted = job.args.redact.then(Redacted::default);
    let mut failed = None;
    if let Some(path) = &job.args.report {
        let text = serde_json::to_string_pretty(&document(job, &done, sources))?;
        fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
    }
    for Done { path, outcome } in done {
        match outcome {
            Outcome::Written { sessions, findings: found, .. } => {
                files += 1;
                for Written { name, to, report, redacted: one } in &sessions {
                    writeln!(stderr, "{name} -> {}", to.display())?;
                    all.append(report);
                    if let (Some(sum), Some(one)) = (&mut redacted, one) {
                        sum.append(one);
                    }
                }
                findings.push(found.len());
                if !found.is_empty() {
                    writeln!(stderr, "{}: {}", path.display(), self::count(found.len(), "finding"))?;
                    table(&path.display().to_string(), &found, &mut Narrow::new(&mut stderr))?;
                }
            }
            Outcome::Unknown(_) => unknown += 1,
            Outcome::Failed(error) => {
                writeln!(stderr, "failed: {error:#}")?;
                failed.get_or_insert(error);
            }
        }
    }
    for (_, reason) in &sources.skipped {
        writeln!(stderr, "skipped: {reason}")?;
    }
    let unknown = if unknown > 0 { format!("; {} of no known format", count(unknown, "file")) } else { String::new() };
    writeln!(stderr, "{} converted to {}{unknown}", count(files, "file"), job.target.name())?;
    for (fate, change, number) in all.counts() {
        let (name, about) = change.about();
        writeln!(stderr, "  {:<10} {number:>8}  {name}: {about}", fate.name())?;
    }
    if let Some(redacted) = &redacted {
        writeln!(stderr, "  {:<10} {:>8}  {}", "redacted", redacted.total(), redacted.in_words())?;
    }
    drop(stderr);
    if let Some(error) = failed {
        return Err(error);
    }
    Ok(judge(job.args.strict, findings.into_iter())?)
}

fn document(job: &Job<'_>, done: &[Done], sources: &Sources) -> Value {
    let file = |Done { path, outcome }: &Done| match outcome {
        Outcome::Written { format, sessions, findings } => json!({
            "path": path.display().to_string(),
            "format": format,
            "sessions": sessions.iter().map(session).collect::<Vec<_>>(),
            "findings": findings.iter().map(|one| as_json(&path.display().to_string(), one)).collect::<Vec<_>>(),
        }),
        Outcome::Unknown(reason) => json!({ "path": path.display().to_string(), "unknown": reason }),
        Outcome::Failed(error) => json!({ "path": path.display().to_string(), "error": format!("{error:#}") }),
    };
    let skipped = |(path, reason): &(PathBuf, String)| json!({ "path": path.display().to_string(), "reason": reason });
    json!({
        "to": job.target.name(),
        "files": done.iter().map(file).collect::<Vec<_>>(),
        "skipped": sources.skipped.iter().map(skipped).collect::<Vec<_>>(),
    })
}

fn session(written: &Written) -> Value {
    let mut fates = serde_json::Map::new();
    for (fate, change, number) in written.report.counts() {
        let counts = fates.entry(fate.name().replace(' ', "_")).or_insert_with(|| json!({}));
        counts[change.about().0] = number.into();
    }
    let redacted = written.redacted.as_ref().map(|redacted| {
        let mut counts: serde_json::Map<String, Value> =
            redacted.found.iter().map(|(kind, &number)| (kind.name().to_owned(), number.into())).collect();
        counts.insert("repeated".to_owned(), redacted.repeated.into());
        counts
    });
    json!({
        "name": written.name,
        "written_to": written.to.display().to_string(),
        "changes": fates,
        "redacted": redacted,
    })
}
