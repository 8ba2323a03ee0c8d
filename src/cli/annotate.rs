//! `cutpoint annotate`: checks annotated items, shows them in their context, drafts new ones.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;

use super::args::AnnotateArgs;
use crate::engine::template::Template;
use crate::experiment::{Session, load};
use crate::meter::goal::{GoalItem, ItemSet, agreement, doubts, draft, searched_text};
use crate::transcript::{EntryIdx, Role};

pub(super) fn annotate(args: &AnnotateArgs) -> anyhow::Result<()> {
    let corpus = load(std::slice::from_ref(&args.transcript))?;
    let mut out = io::stdout().lock();
    for session in &corpus.sessions {
        let path = session.transcript.path();
        if args.draft {
            out.write_all(draft(&session.transcript, &path).as_bytes())?;
            continue;
        }
        let items = match &args.items {
            Some(file) => read(file, session)?,
            None => session.items.clone(),
        };
        anyhow::ensure!(
            !items.items.is_empty(),
            "{} has no annotated items\nhint: name them with --items FILE, or start with --draft > items.toml",
            session.name
        );
        show(session, &items, args.quiet, &mut out)?;
        check(session, &items, &path, &mut out)?;
        if let Some(file) = &args.against {
            compare(&items, &read(file, session)?, &path, &mut out)?;
        }
    }
    Ok(())
}

fn read(file: &Path, session: &Session) -> anyhow::Result<ItemSet> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    ItemSet::parse(&text, &session.transcript).with_context(|| format!("{}", file.display()))
}

fn role(session: &Session, idx: EntryIdx) -> &'static str {
    let role = match &session.transcript.entry(idx).kind {
        crate::transcript::EntryKind::Message(message) => message.role(),
        _ => return "record",
    };
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::ToolResult => "tool result",
        Role::BashExecution => "shell",
        _ => "other",
    }
}

/// Every item with the lines that state it.
fn show(session: &Session, items: &ItemSet, quiet: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let digest = items.sha256().unwrap_or_default();
    writeln!(out, "{}: {} items, SHA-256 {digest}", session.name, items.items.len())?;
    for item in items.items.iter().filter(|_| !quiet) {
        let critical = if item.critical { ", critical" } else { "" };
        let hidden = if item.is_hidden() { ", hidden split" } else { "" };
        writeln!(out, "\n{} [{}, weight {}{critical}{hidden}]", item.id, item.category.name(), item.weight)?;
        writeln!(out, "  {}", item.text)?;
        if let Some(newer) = item.superseded_by {
            writeln!(out, "  superseded by {}", items.items[newer].id)?;
        }
        if let Some(done) = item.done_at {
            writeln!(out, "  done at line {}", session.transcript.entry(done).line)?;
        }
        for &idx in &item.source {
            source(session, item, idx, out)?;
        }
    }
    Ok(())
}

/// The line that states an item, with one before and one after.
fn source(session: &Session, item: &GoalItem, idx: EntryIdx, out: &mut impl Write) -> anyhow::Result<()> {
    const WIDTH: usize = 160;
    let entry = session.transcript.entry(idx);
    writeln!(out, "  line {}, {} {}:", entry.line, role(session, idx), entry.id)?;
    let text = searched_text(&session.transcript, idx);
    let lines: Vec<&str> = text.lines().collect();
    let says = |line: &str| {
        let line = line.to_lowercase();
        item.must.iter().flatten().any(|spelling| line.contains(spelling.as_str()))
    };
    let Some(at) = lines.iter().position(|line| says(line)) else {
        writeln!(out, "    (no single line says a spelling)")?;
        return Ok(());
    };
    for line in &lines[at.saturating_sub(1)..(at + 2).min(lines.len())] {
        let mark = if says(line) { ">" } else { " " };
        let short: String = line.chars().take(WIDTH).collect();
        writeln!(out, "    {mark} {short}{}", if short.len() < line.len() { "…" } else { "" })?;
    }
    Ok(())
}

fn check(session: &Session, items: &ItemSet, path: &[EntryIdx], out: &mut impl Write) -> anyhow::Result<()> {
    let templates: Vec<String> =
        Template::names().map(|name| Template::builtin_file(name).map(str::to_owned)).collect::<Result<_, _>>()?;
    let found = doubts(items, &session.transcript, path, &templates);
    writeln!(out, "\n{}: valid, {} doubts", session.name, found.len())?;
    for doubt in found {
        writeln!(out, "  {}: {}", doubt.item, doubt.words)?;
    }
    Ok(())
}

fn compare(items: &ItemSet, other: &ItemSet, path: &[EntryIdx], out: &mut impl Write) -> anyhow::Result<()> {
    let found = agreement(items, other, path);
    let kappa = found.kappa.map_or_else(|| "void: chance alone would agree".to_owned(), |kappa| format!("{kappa:.3}"));
    writeln!(
        out,
        "agreement: {} of {} sources are named by both, over {} records; Cohen's kappa {kappa}",
        found.both, found.either, found.messages
    )?;
    Ok(())
}
