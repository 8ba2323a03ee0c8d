//! `cutpoint inspect`: what is in a file.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use serde::Deserialize;
use serde_json::json;

use super::args::{InspectArgs, Setting};
use super::findings::{self, judge};
use super::inspection::{Compacted, Context as Standing, Head, Inspection, Remarked, Share, Signatures, Span, Sum};
use crate::experiment::{Corpus, CorpusError, Sources};
use crate::report::{Narrow, one_line};
use crate::tokens::Reference;
use crate::transcript::{Text, ToolSchema};

pub(super) fn inspect(args: &InspectArgs) -> anyhow::Result<()> {
    let reference: Reference = args.reference.parse()?;
    let sources = Sources::of(&args.transcripts)?;
    // Only numbers of a session stay in memory.
    let read = sources.read(|source, sessions| {
        let file = || source.path().display().to_string();
        let sessions =
            sessions.map(|all| all.into_iter().map(|one| Inspection::new(file(), one, reference)).collect::<Vec<_>>());
        (source.clone(), sessions)
    });
    let (mut all, mut skipped) = (Vec::new(), Vec::new());
    for (source, sessions) in read {
        match sessions {
            Ok(sessions) => all.extend(sessions),
            Err(error) if !source.is_required() => skipped.push((source.path(), error.to_string())),
            Err(error) => return Err(error.into()),
        }
    }
    skipped.extend(sources.skipped);
    if all.is_empty() {
        let names: Vec<String> = args.transcripts.iter().map(|path| path.display().to_string()).collect();
        return Err(CorpusError::Nothing(names.join(", ")).into());
    }
    let mut out = io::stdout().lock();
    if args.json {
        let skipped: Vec<_> = skipped
            .iter()
            .map(|(path, reason)| json!({ "path": path.display().to_string(), "reason": reason }))
            .collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&json!({ "sessions": all, "skipped": skipped }))?)?;
    } else {
        let out = &mut Narrow::new(&mut out);
        for (index, one) in all.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            print(one, out)?;
        }
        for (_, reason) in &skipped {
            writeln!(out, "skipped: {reason}")?;
        }
    }
    drop(out);
    Ok(judge(args.strict, all.iter().map(|one| one.faults.len()))?)
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

fn print(one: &Inspection, out: &mut Narrow<impl Write>) -> io::Result<()> {
    let version = one.version.map_or_else(String::new, |version| format!(", version {version}"));
    writeln!(out, "{}", one_line(&one.name))?;
    writeln!(out, "  format      {}{version}", one.format)?;
    writeln!(out, "  sha256      {}", one.sha256)?;
    if let Some(folder) = &one.folder {
        writeln!(out, "  folder      {}", one_line(folder))?;
    }
    if let Some(Span { first, last, seconds }) = &one.time {
        let long = seconds.map_or_else(String::new, |seconds| format!(", {}", duration(seconds)));
        writeln!(out, "  time        {} to {}{long}", one_line(first), one_line(last))?;
    }
    writeln!(out, "  entries     {}, {} on the current branch", one.entries, one.entries_on_branch)?;
    shares(one, out)?;
    writeln!(out, "  requests    {}{}", one.requests, by(&one.models))?;
    match &one.usage {
        Some(usage) => {
            let largest = usage.largest_prompt_tokens;
            writeln!(out, "  usage       recorded for {} replies; largest prompt {largest} tokens", usage.replies)?;
            let Sum { prompt_tokens, cache_read_tokens, cache_write_tokens, output_tokens, .. } = usage;
            writeln!(
                out,
                "    billed    {prompt_tokens} prompt ({cache_read_tokens} read from the cache, {cache_write_tokens} written), {output_tokens} output"
            )?;
        }
        None => writeln!(out, "  usage       not recorded")?,
    }
    writeln!(out, "  head        {}{}", head(&one.head), tools_share(one))?;
    writeln!(out, "  context     {}", context(&one.context))?;
    let items = one.annotations;
    writeln!(out, "  annotations {}", if items == 0 { "none".to_owned() } else { format!("{items} items") })?;
    compactions(one, out)?;
    remarks(&one.remarks, out)?;
    writeln!(out, "  findings    {}", one.faults.len())?;
    if one.faults.is_empty() { Ok(()) } else { findings::table(&one.file, &one.faults, out) }
}

/// Messages by role and parts by class, as two tables.
fn shares(one: &Inspection, out: &mut impl Write) -> io::Result<()> {
    let sum = one.roles.values().fold(Share::default(), |sum, share| Share {
        number: sum.number + share.number,
        tokens: sum.tokens + share.tokens,
    });
    writeln!(out, "  messages    {}, {} tokens by {}", sum.number, sum.tokens, one.tokenizer)?;
    for (role, Share { number, tokens }) in &one.roles {
        writeln!(out, "    {role:<18} {number:>6} messages {tokens:>9} tokens")?;
    }
    writeln!(out, "  content     by class, version {} of the rules", one.classifier_version)?;
    for (class, Share { number, tokens }) in &one.classes {
        writeln!(out, "    {class:<18} {number:>6} parts    {tokens:>9} tokens")?;
    }
    let Signatures { number, bytes, tokens_as_text } = &one.signatures;
    if *number > 0 {
        writeln!(out, "    {:<18} {number:>6} parts    {bytes:>9} bytes, sent but in no count", "signatures")?;
        writeln!(out, "    {:<18} {:>6}          {tokens_as_text:>9} tokens more if they were text", "", "")?;
    }
    Ok(())
}

/// The models that answered; nothing where the file names none.
fn by(models: &[String]) -> String {
    let named: Vec<_> = models.iter().filter(|model| !model.is_empty()).map(|model| one_line(model)).collect();
    match (named.is_empty(), models.is_empty()) {
        (false, _) => format!(", by {}", named.join(", ")),
        (true, false) => ", by a model that the file does not name".to_owned(),
        (true, true) => String::new(),
    }
}

/// How full the context is at the end.
fn context(context: &Standing) -> String {
    let Standing { messages, tokens, anchor_tokens, anchor_line, estimated_tokens } = context;
    let rest = match anchor_tokens.zip(*anchor_line) {
        Some((anchor, line)) => format!("usage of line {line} ({anchor}) and {estimated_tokens} estimated after it"),
        None => "all of it estimated".to_owned(),
    };
    format!("{tokens} tokens in {messages} messages at the end, by Pi's rule: {rest}")
}

/// Remarks of one kind that are printed; JSON has all.
const SHOWN: usize = 5;

fn remarks(remarks: &[Remarked], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  remarks     {}", remarks.len())?;
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for Remarked { line, kind, message } in remarks {
        let number = shown.entry(kind).or_default();
        *number += 1;
        if *number <= SHOWN {
            writeln!(out, "    line {line}: {kind}: {}", one_line(message))?;
        }
    }
    for (kind, number) in shown.into_iter().filter(|(_, number)| *number > SHOWN) {
        writeln!(out, "    and {} more of kind {kind}; --json lists all", number - SHOWN)?;
    }
    Ok(())
}

fn head(head: &Head) -> String {
    if head.system_tokens.is_none() && head.tools.is_none() {
        return "unknown: the file has no system prompt and no tool schemas".to_owned();
    }
    let system = head
        .system_tokens
        .map_or_else(|| "system prompt unknown".to_owned(), |tokens| format!("system prompt {tokens} tokens"));
    let tools = head.tools.zip(head.tools_tokens);
    let tools = tools.map_or_else(
        || "tool schemas unknown".to_owned(),
        |(number, tokens)| format!("{number} tool schemas {tokens} tokens"),
    );
    format!("{system}, {tools}")
}

/// The part of the tool schemas in all that is known of a prompt, where they are the larger part.
fn tools_share(one: &Inspection) -> String {
    let tools = one.head.tools_tokens.unwrap_or_default();
    let rest = one.head.system_tokens.unwrap_or_default() + one.roles.values().map(|share| share.tokens).sum::<u64>();
    if tools <= rest { String::new() } else { format!(", {} % of all", tools * 100 / (tools + rest)) }
}

/// Days, hours, minutes and seconds, the two largest of them.
fn duration(seconds: i64) -> String {
    let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds.max(0);
    let mut parts = Vec::new();
    for (size, unit) in units {
        if rest >= size {
            parts.push(format!("{} {unit}", rest / size));
            rest %= size;
        }
    }
    parts.truncate(2);
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
}

fn compactions(one: &Inspection, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  compactions {} recorded", one.compactions.len())?;
    for one in &one.compactions {
        let Compacted { line, tokens_before, summary_tokens, first_kept, replacement_messages, .. } = one;
        match tokens_before {
            Some(tokens) => write!(out, "    line {line}: at {tokens} tokens by the agent's estimate")?,
            None => write!(out, "    line {line}: at a size that is not recorded")?,
        }
        match (first_kept, replacement_messages) {
            (Some(kept), _) => write!(out, ", kept from {}", one_line(kept))?,
            (None, 0) => write!(out, ", kept from nothing")?,
            (None, written) => write!(out, ", {written} messages written out anew")?,
        }
        writeln!(out, ", summary of {summary_tokens} tokens")?;
        let put = one
            .put_estimate
            .map_or_else(|| "what it put there cannot be read".to_owned(), |put| format!("put {put} there"));
        let taken =
            one.replaced_estimate.map_or_else(|| "what cannot be read".to_owned(), |taken| format!("{taken} tokens"));
        writeln!(out, "      took {taken} out of the context and {put}, by Pi's estimate")?;
    }
    Ok(())
}
