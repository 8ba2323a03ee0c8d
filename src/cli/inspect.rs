//! `cutpoint inspect`: what is in a file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use serde::Deserialize;

use super::args::{InspectArgs, Setting};
use super::findings::{self, judge};
use crate::experiment::{Corpus, Session, load};
use crate::tokens::{MessageTable, Reference};
use crate::transcript::{EntryIdx, EntryKind, Message, Role, Text, Tokens, ToolSchema};

pub(super) fn inspect(args: &InspectArgs) -> anyhow::Result<()> {
    let reference: Reference = args.reference.parse()?;
    let mut out = io::stdout().lock();
    let mut findings = Vec::new();
    for (index, path) in args.transcripts.iter().enumerate() {
        let corpus = load(std::slice::from_ref(path))?;
        for session in &corpus.sessions {
            if index > 0 {
                writeln!(out)?;
            }
            print(session, reference, &mut out)?;
            findings.push(session.findings.len());
        }
        for (_, reason) in &corpus.skipped {
            writeln!(out, "skipped: {reason}")?;
        }
    }
    Ok(judge(args.strict, findings.into_iter())?)
}

#[derive(Deserialize)]
struct Tool {
    name: Box<str>,
    #[serde(default)]
    description: Box<str>,
    #[serde(default)]
    parameters: serde_json::Value,
}

/// Gives every session of a corpus the head named on the command line.
pub(super) fn give_head(corpus: &mut Corpus, setting: &Setting) -> anyhow::Result<()> {
    let read =
        |path: &PathBuf| std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()));
    let system = setting.system.as_ref().map(read).transpose()?.map(Text::new);
    let tools = setting.tools.as_ref().map(|path| {
        let tools: Vec<Tool> = serde_json::from_str(&read(path)?).with_context(|| {
            format!("{}: expected an array of objects with name, description and parameters", path.display())
        })?;
        let schema = |tool: Tool| ToolSchema {
            name: tool.name,
            description: tool.description,
            parameters: tool.parameters.to_string().into(),
        };
        anyhow::Ok(tools.into_iter().map(schema).collect::<Vec<_>>())
    });
    let tools = tools.transpose()?;
    for session in &mut corpus.sessions {
        let head = &mut session.transcript.head;
        head.system = system.clone().or_else(|| head.system.take());
        head.tools = tools.clone().or_else(|| head.tools.take());
    }
    Ok(())
}

fn print(session: &Session, reference: Reference, out: &mut impl Write) -> anyhow::Result<()> {
    let transcript = &session.transcript;
    let path = transcript.path();
    let table = MessageTable::new(transcript, reference);
    let version = transcript.meta.version.map_or_else(String::new, |version| format!(", version {version}"));
    writeln!(out, "{}", session.name)?;
    writeln!(out, "  format      {}{version}", session.format)?;
    writeln!(out, "  sha256      {}", session.sha256)?;
    if let Some(cwd) = &transcript.meta.cwd {
        writeln!(out, "  folder      {cwd}")?;
    }
    writeln!(out, "  entries     {}, {} on the current branch", transcript.entries.len(), path.len())?;
    roles(session, &path, &table, out)?;
    usage(session, &path, out)?;
    let known = &transcript.head;
    let unknown = match (&known.system, &known.tools) {
        (None, None) => "unknown: the file has no system prompt and no tool schemas",
        (None, Some(_)) => "not counted: the file has tool schemas and no system prompt",
        (Some(_), _) => "not counted: the file has a system prompt and no tool schemas",
    };
    let head = table.head().map_or_else(|| unknown.to_owned(), |head| format!("{head} tokens"));
    writeln!(out, "  head        {head}")?;
    let items = session.items.items.len();
    writeln!(out, "  annotations {}", if items == 0 { "none".to_owned() } else { format!("{items} items") })?;
    compactions(session, &path, out)?;
    writeln!(out, "  findings    {}", session.findings.len())?;
    if !session.findings.is_empty() {
        findings::table(&session.findings, out)?;
    }
    Ok(())
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::ToolResult => "tool result",
        Role::BashExecution => "shell command",
        Role::Custom => "extension text",
        Role::BranchSummary => "branch summary",
        Role::CompactionSummary => "compaction summary",
        Role::System => "system",
    }
}

fn roles(session: &Session, path: &[EntryIdx], table: &MessageTable, out: &mut impl Write) -> anyhow::Result<()> {
    let mut counts: BTreeMap<&str, (usize, Tokens)> = BTreeMap::new();
    for &idx in path {
        if let EntryKind::Message(message) = &session.transcript.entry(idx).kind {
            let count = counts.entry(role_name(message.role())).or_default();
            *count = (count.0 + 1, count.1 + table.entry(idx));
        }
    }
    let (messages, tokens) = counts.values().fold((0, Tokens(0)), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    writeln!(out, "  messages    {messages}, {tokens} tokens by {}", table.reference())?;
    for (role, (messages, tokens)) in counts {
        writeln!(out, "    {role:<18} {messages:>6} messages {tokens:>9} tokens")?;
    }
    Ok(())
}

fn usage(session: &Session, path: &[EntryIdx], out: &mut impl Write) -> anyhow::Result<()> {
    let replies = path.iter().filter_map(|&idx| match &session.transcript.entry(idx).kind {
        EntryKind::Message(Message::Assistant(_, reply)) => Some(reply),
        _ => None,
    });
    let (mut requests, mut largest, mut models) = (0, None, Vec::new());
    for reply in replies {
        requests += 1;
        largest = largest.max(reply.usage.map(|usage| usage.prompt()).filter(|&prompt| prompt > Tokens(0)));
        if !models.contains(&&reply.model) {
            models.push(&reply.model);
        }
    }
    let models: Vec<&str> = models.iter().map(|model| &***model).collect();
    writeln!(out, "  requests    {requests}, by {}", models.join(", "))?;
    match largest {
        Some(tokens) => writeln!(out, "  usage       recorded; largest prompt {tokens} tokens")?,
        None => writeln!(out, "  usage       not recorded")?,
    }
    Ok(())
}

fn compactions(session: &Session, path: &[EntryIdx], out: &mut impl Write) -> anyhow::Result<()> {
    let recorded = path.iter().filter_map(|&idx| match &session.transcript.entry(idx).kind {
        EntryKind::Compaction(compaction) => Some((session.transcript.entry(idx).line, compaction)),
        _ => None,
    });
    let recorded: Vec<_> = recorded.collect();
    writeln!(out, "  compactions {} recorded", recorded.len())?;
    for (line, compaction) in recorded {
        match compaction.tokens_before {
            Some(tokens) => write!(out, "    line {line}: at {tokens} tokens by the agent's estimate")?,
            None => write!(out, "    line {line}: at a size that is not recorded")?,
        }
        match (compaction.first_kept.as_deref(), compaction.replacement.len()) {
            (Some(kept), _) => writeln!(out, ", kept from {kept}")?,
            (None, 0) => writeln!(out, ", kept from nothing")?,
            (None, written) => writeln!(out, ", {written} messages written out anew")?,
        }
    }
    Ok(())
}
