//! `cutpoint audit`: what the summaries that a recording holds kept and lost. No model is asked.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;

use super::args::AuditArgs;
use crate::digest::sha256;
use crate::experiment::{SessionAudit, audit, load};
use crate::measure::Measure;
use crate::meter::goal::entity::EXTRACTOR;
use crate::meter::goal::{AuditedCut, AuditedFact};
use crate::tokens::Reference;
use crate::transcript::Tokens;

pub(super) fn run(args: &AuditArgs) -> anyhow::Result<()> {
    let reference: Reference = args.reference.parse()?;
    let mut audits = Vec::new();
    let mut stderr = io::stderr().lock();
    for path in &args.transcripts {
        let corpus = load(std::slice::from_ref(path))?;
        for (_, reason) in &corpus.skipped {
            // With no stderr there is nobody to tell.
            let _ = writeln!(stderr, "skipped: {reason}");
        }
        for session in &corpus.sessions {
            audits.push(audit(session, reference)?);
        }
    }
    let show = Show { text: args.show_text };
    let page = markdown(&audits, reference, show)?;
    let mut out = io::stdout().lock();
    let Some(folder) = &args.out else {
        out.write_all(page.as_bytes())?;
        return Ok(());
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join("audit.md");
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    writeln!(out, "{}", path.display())?;
    for (name, write) in [("facts.csv", facts as Rows), ("measures.csv", measures)] {
        let path = folder.join(name);
        write(&path, &audits, show).with_context(|| format!("cannot write {}", path.display()))?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

type Rows = fn(&Path, &[SessionAudit], Show) -> anyhow::Result<()>;

/// How entities are shown: they are text of other people's sessions.
#[derive(Clone, Copy)]
struct Show {
    text: bool,
}

impl Show {
    /// The entity itself, or eight digits of its digest.
    fn entity(self, key: &str) -> String {
        if self.text {
            return key.to_owned();
        }
        sha256(key)[..8].to_owned()
    }
}

/// What became of a fact, in one word.
fn fate(fact: &AuditedFact) -> &'static str {
    match (fact.kept, fact.next_use, fact.said_again) {
        (true, ..) => "kept",
        (false, None, _) => "lost",
        (false, Some(_), Some(_)) => "lost, then fetched again",
        (false, Some(_), None) => "lost, and used all the same",
    }
}

fn markdown(audits: &[SessionAudit], reference: Reference, show: Show) -> anyhow::Result<String> {
    let mut page = String::new();
    writeln!(page, "# What recorded summaries kept and lost\n")?;
    writeln!(
        page,
        "A fact is a name or a value ({EXTRACTOR}) that the person said, or the agent put into a call, in the part that the \
         compaction dropped, and that stands neither in the kept tail nor in a fifth of all entries. It is kept if the \
         summary names it. Survival of text is an upper bound of what an agent remembers. Tokens are {}. No model was \
         asked.\n",
        reference.name()
    )?;
    if !show.text {
        writeln!(
            page,
            "An entity is shown by the first eight digits of its SHA-256, because it is text of the session: `--show-text` shows it.\n"
        )?;
    }
    for audit in audits {
        writeln!(page, "## {}\n", audit.session)?;
        writeln!(page, "Format {}, SHA-256 `{}`.\n", audit.format, &audit.sha256)?;
        if audit.cuts.is_empty() {
            writeln!(page, "Void: the session has no recorded compaction.\n")?;
            continue;
        }
        for (index, cut) in audit.cuts.iter().enumerate() {
            compaction(&mut page, index + 1, cut, show)?;
        }
        summary_measures(&mut page, audit, show)?;
    }
    Ok(page)
}

fn compaction(page: &mut String, number: usize, cut: &AuditedCut, show: Show) -> anyhow::Result<()> {
    writeln!(page, "### Compaction {number}, after line {}\n", cut.after_line)?;
    writeln!(page, "{} tokens gave way to {}.", cut.dropped.0, cut.summary.0)?;
    if cut.dropped == Tokens(0) && cut.facts.is_empty() {
        writeln!(page, "Void: what it replaced is not in the file.\n")?;
        return Ok(());
    }
    if !cut.readable {
        writeln!(page, "Void: the summary cannot be read, it is encrypted.\n")?;
        return Ok(());
    }
    let kept = cut.facts.iter().filter(|fact| fact.kept).count();
    let total = if kept == 0 && !cut.facts.is_empty() { " Total loss." } else { "" };
    let size = if cut.summary >= cut.dropped { " It does not compress." } else { "" };
    writeln!(page, "{kept} of {} facts are kept.{total}{size}\n", cut.facts.len())?;
    let mut kinds: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    for fact in &cut.facts {
        let row = kinds.entry(fact.kind.name()).or_default();
        let column = match fate(fact) {
            "kept" => 1,
            "lost" => 2,
            "lost, then fetched again" => 3,
            _ => 4,
        };
        row[0] += 1;
        row[column] += 1;
    }
    writeln!(page, "| kind | facts | kept | lost | lost, then fetched again | lost, and used all the same |")?;
    writeln!(page, "|---|---:|---:|---:|---:|---:|")?;
    for (kind, [all, kept, lost, fetched, used]) in kinds {
        writeln!(page, "| {kind} | {all} | {kept} | {lost} | {fetched} | {used} |")?;
    }
    let missed: Vec<&AuditedFact> = cut.facts.iter().filter(|fact| !fact.kept && fact.next_use.is_some()).collect();
    if !missed.is_empty() {
        writeln!(page, "\nLost, though the agent used them again:\n")?;
        writeln!(page, "| kind | entity | said in line | said again in line | used in line |")?;
        writeln!(page, "|---|---|---:|---:|---:|")?;
        for fact in missed {
            let line = |line: Option<usize>| line.map_or_else(|| "–".to_owned(), |line| line.to_string());
            let entity = show.entity(&fact.key).replace('|', "\\|");
            let (again, used) = (line(fact.said_again), line(fact.next_use));
            writeln!(page, "| {} | `{entity}` | {} | {again} | {used} |", fact.kind.name(), fact.line)?;
        }
    }
    let never = cut.facts.iter().filter(|fact| !fact.kept && fact.next_use.is_none());
    let mut lines: BTreeMap<usize, usize> = BTreeMap::new();
    never.for_each(|fact| *lines.entry(fact.line).or_default() += 1);
    if !lines.is_empty() {
        let list: Vec<String> = lines.iter().map(|(line, count)| format!("{line} ({count})")).collect();
        writeln!(page, "\nLost and never used again, by line (number of facts): {}.", list.join(", "))?;
    }
    writeln!(page)?;
    Ok(())
}

fn summary_measures(page: &mut String, audit: &SessionAudit, show: Show) -> anyhow::Result<()> {
    writeln!(page, "### All summaries together\n\n| measure | value |\n|---|---:|")?;
    for (name, measure) in &audit.measures {
        match measure {
            Measure::Value(value) => writeln!(page, "| {name} | {value:.3} |")?,
            Measure::Void(reason) => writeln!(page, "| {name} | void: {reason} |")?,
        }
    }
    if !audit.fabrications.is_empty() {
        let one = |one: &crate::meter::goal::Fabrication| {
            format!(
                "{} `{}`{}",
                one.kind.name(),
                show.entity(&one.key),
                if one.foreseen { " (said later)" } else { "" }
            )
        };
        let list: Vec<String> = audit.fabrications.iter().map(one).collect();
        writeln!(page, "\nIdentifiers without a source: {}.", list.join(", "))?;
    }
    if show.text && !audit.unsupported_rules.is_empty() {
        writeln!(page, "\nRules without a source: \"{}\".", audit.unsupported_rules.join("\", \""))?;
    }
    writeln!(page)?;
    Ok(())
}

/// Text that a spreadsheet would run gets an apostrophe, as in every other CSV of the program.
fn guarded(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

fn facts(path: &Path, audits: &[SessionAudit], show: Show) -> anyhow::Result<()> {
    let mut csv = csv::Writer::from_path(path)?;
    csv.write_record([
        "session",
        "compaction",
        "kind",
        "entity",
        "source_line",
        "fate",
        "said_again_line",
        "next_use_line",
    ])?;
    for audit in audits {
        for (number, cut) in (1..).zip(&audit.cuts) {
            for fact in &cut.facts {
                let line = |line: Option<usize>| line.map_or_else(String::new, |line| line.to_string());
                csv.write_record([
                    guarded(audit.session.clone()),
                    u64::to_string(&number),
                    fact.kind.name().to_owned(),
                    guarded(show.entity(&fact.key)),
                    fact.line.to_string(),
                    fate(fact).to_owned(),
                    line(fact.said_again),
                    line(fact.next_use),
                ])?;
            }
        }
    }
    csv.flush()?;
    Ok(())
}

fn measures(path: &Path, audits: &[SessionAudit], _: Show) -> anyhow::Result<()> {
    let mut csv = csv::Writer::from_path(path)?;
    csv.write_record(["session", "measure", "value", "void_reason"])?;
    for audit in audits {
        for (name, measure) in &audit.measures {
            let (value, reason) = match measure {
                Measure::Value(value) => (value.to_string(), String::new()),
                Measure::Void(reason) => (String::new(), reason.clone()),
            };
            csv.write_record([guarded(audit.session.clone()), (*name).to_owned(), value, guarded(reason)])?;
        }
    }
    csv.flush()?;
    Ok(())
}
