//! What `cutpoint inspect` says of a session, computed once for text and JSON.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::findings::as_json;
use crate::experiment::Session;
use crate::import::Finding;
use crate::lab::recording::{Opaque, Recording, Remark, Replaced, Standing};
use crate::tokens::{IMAGE_TOKENS, MessageTable, Reference};
use crate::transcript::class::{CLASSIFIER_VERSION, ContentClass, message_parts};
use crate::transcript::{EntryIdx, EntryKind, Message, Role, Tokens, Transcript, Usage, is_sent};

/// A session in numbers. What is not known is null.
#[derive(Debug, Serialize)]
pub(super) struct Inspection {
    pub(super) name: String,
    pub(super) format: &'static str,
    pub(super) version: Option<u32>,
    pub(super) sha256: String,
    pub(super) folder: Option<String>,
    pub(super) entries: usize,
    pub(super) entries_on_branch: usize,
    pub(super) lines: Lines,
    /// Tokenizer of all counts.
    pub(super) tokenizer: &'static str,
    /// Messages of the current branch by role.
    pub(super) roles: BTreeMap<&'static str, Share>,
    /// Parts of those messages by class of content.
    pub(super) classes: BTreeMap<&'static str, Share>,
    pub(super) classifier_version: u32,
    pub(super) signatures: Signatures,
    pub(super) context: Context,
    pub(super) head: Head,
    pub(super) requests: usize,
    pub(super) models: Vec<String>,
    pub(super) usage: Option<Sum>,
    pub(super) time: Option<Span>,
    pub(super) compactions: Vec<Compacted>,
    pub(super) annotations: usize,
    pub(super) remarks: Vec<Remarked>,
    /// The file it was read from.
    pub(super) file: String,
    findings: Vec<Value>,
    #[serde(skip)]
    pub(super) faults: Vec<Finding>,
}

/// The context at the end, by the rule of Pi 1.6.0.
#[derive(Debug, Serialize)]
pub(super) struct Context {
    pub(super) messages: usize,
    pub(super) tokens: u64,
    /// Recorded usage that it rests on, and its line; null where all is estimated.
    pub(super) anchor_tokens: Option<u64>,
    pub(super) anchor_line: Option<usize>,
    pub(super) estimated_tokens: u64,
}

/// Signatures of thinking in that context: sent, and in no count.
#[derive(Debug, Serialize)]
pub(super) struct Signatures {
    pub(super) number: usize,
    pub(super) bytes: u64,
    /// At four characters a token.
    pub(super) tokens_as_text: u64,
}

/// Something odd that the file holds.
#[derive(Debug, Serialize)]
pub(super) struct Remarked {
    pub(super) line: usize,
    pub(super) kind: &'static str,
    pub(super) message: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Lines {
    pub(super) total: usize,
    pub(super) blank: usize,
    pub(super) left_out: usize,
}

/// How many, and what they count.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Share {
    pub(super) number: usize,
    pub(super) tokens: u64,
}

/// System prompt and tool schemas, each null where the file lacks it.
#[derive(Debug, Serialize)]
pub(super) struct Head {
    pub(super) system_tokens: Option<u64>,
    pub(super) tools: Option<usize>,
    pub(super) tools_tokens: Option<u64>,
}

/// Recorded usage of all replies of the session, its other branches too: what was billed.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Sum {
    pub(super) replies: usize,
    pub(super) prompt_tokens: u64,
    pub(super) uncached_tokens: u64,
    pub(super) cache_read_tokens: u64,
    pub(super) cache_write_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) largest_prompt_tokens: u64,
    /// Null unless every reply has recorded dollars.
    pub(super) cost_usd: Option<f64>,
}

/// From the first to the last time of an entry, as written.
#[derive(Debug, Serialize)]
pub(super) struct Span {
    pub(super) first: String,
    pub(super) last: String,
    /// Null where the times are in no form that is known.
    pub(super) seconds: Option<i64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Compacted {
    pub(super) line: usize,
    pub(super) tokens_before: Option<u64>,
    pub(super) summary_tokens: u64,
    /// What it took out of the context, and what it put in its place, by Pi's estimate. Null where the summary before it cannot be read.
    pub(super) replaced_estimate: Option<u64>,
    /// Null where the summary cannot be read.
    pub(super) put_estimate: Option<u64>,
    pub(super) first_kept: Option<String>,
    /// Messages that the source writes out in place of those it kept.
    pub(super) replacement_messages: usize,
}

impl Inspection {
    /// Counts a session of `file`.
    pub(super) fn new(file: String, session: Session, reference: Reference) -> Self {
        let transcript = &session.transcript;
        let path = transcript.path();
        let table = MessageTable::new(transcript, reference);
        let (requests, models) = replies(transcript, &path);
        let Recording { standing, opaque, replaced, remarks } = Recording::of(transcript, &path);
        let remarked = |one: Remark| Remarked { line: one.line, kind: one.kind.name(), message: one.text };
        Self {
            version: transcript.meta.version,
            folder: transcript.meta.cwd.as_deref().map(str::to_owned),
            entries: transcript.entries.len(),
            entries_on_branch: path.len(),
            tokenizer: reference.name(),
            roles: roles(transcript, &path, &table),
            classes: classes(transcript, &path, reference),
            classifier_version: CLASSIFIER_VERSION,
            signatures: signatures(opaque),
            context: context(&standing),
            head: head(transcript, reference),
            requests,
            models,
            usage: usage(transcript),
            time: time(transcript),
            compactions: compactions(transcript, &path, &replaced, reference),
            remarks: remarks.into_iter().map(remarked).collect(),
            annotations: session.items.items.len(),
            lines: Lines { total: session.lines.total, blank: session.lines.blank, left_out: session.lines.left_out },
            name: session.name,
            format: session.format,
            sha256: session.sha256,
            findings: session.findings.iter().map(|finding| as_json(&file, finding)).collect(),
            faults: session.findings,
            file,
        }
    }
}

fn messages<'t>(transcript: &'t Transcript, path: &[EntryIdx]) -> impl Iterator<Item = (EntryIdx, &'t Message)> {
    path.iter().filter_map(|&idx| match &transcript.entry(idx).kind {
        EntryKind::Message(message) => Some((idx, message)),
        _ => None,
    })
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

fn roles(transcript: &Transcript, path: &[EntryIdx], table: &MessageTable) -> BTreeMap<&'static str, Share> {
    let mut roles: BTreeMap<&str, Share> = BTreeMap::new();
    for (idx, message) in messages(transcript, path) {
        let share = roles.entry(role_name(message.role())).or_default();
        *share = Share { number: share.number + 1, tokens: share.tokens + table.entry(idx).0 };
    }
    roles
}

/// Parts by class. The words that are put around a shell command when it is sent are in none.
fn classes(transcript: &Transcript, path: &[EntryIdx], reference: Reference) -> BTreeMap<&'static str, Share> {
    let mut classes: BTreeMap<&str, Share> = BTreeMap::new();
    for (_, message) in messages(transcript, path).filter(|(_, message)| is_sent(message)) {
        message_parts(message, |class: ContentClass, _, text| {
            let tokens = text.map_or(IMAGE_TOKENS, |text| reference.count(text));
            let share = classes.entry(class.name()).or_default();
            *share = Share { number: share.number + 1, tokens: share.tokens + tokens.0 };
        });
    }
    classes
}

fn head(transcript: &Transcript, reference: Reference) -> Head {
    let known = &transcript.head;
    let count = |text: &str| reference.count(text).0;
    let tools = known.tools.as_ref();
    let tokens = |tools: &Vec<crate::transcript::ToolSchema>| {
        tools.iter().map(|tool| count(&tool.name) + count(&tool.description) + count(&tool.parameters)).sum()
    };
    Head {
        system_tokens: known.system.as_ref().map(|system| count(system.as_str())),
        tools: tools.map(Vec::len),
        tools_tokens: tools.map(tokens),
    }
}

/// Requests of the current branch, and the models that answered them.
fn replies(transcript: &Transcript, path: &[EntryIdx]) -> (usize, Vec<String>) {
    let (mut requests, mut models) = (0, Vec::new());
    for reply in messages(transcript, path).filter_map(|(_, message)| message.reply()) {
        requests += 1;
        if !models.iter().any(|known| *known == *reply.model) {
            models.push(reply.model.to_string());
        }
    }
    (requests, models)
}

fn usage(transcript: &Transcript) -> Option<Sum> {
    let all = transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message(message) => message.reply()?.usage,
        EntryKind::Compaction(compaction) => compaction.usage,
        _ => None,
    });
    // Replies that failed are recorded with zeros.
    let all: Vec<Usage> = all.filter(|usage| usage.context() > Tokens(0)).collect();
    let mut sum = Sum { replies: all.len(), ..Sum::default() };
    for usage in &all {
        sum.prompt_tokens += usage.prompt().0;
        sum.uncached_tokens += usage.input;
        sum.cache_read_tokens += usage.cache_read;
        sum.cache_write_tokens += usage.cache_write;
        sum.output_tokens += usage.output;
        sum.largest_prompt_tokens = sum.largest_prompt_tokens.max(usage.prompt().0);
    }
    sum.cost_usd = all.iter().map(|usage| usage.cost.map(|cost| cost.total)).sum();
    (!all.is_empty()).then_some(sum)
}

fn time(transcript: &Transcript) -> Option<Span> {
    let mut times = transcript.entries.iter().filter_map(|entry| entry.timestamp.as_deref());
    let first = times.next()?;
    let last = times.next_back().unwrap_or(first);
    // RFC 3339, or seconds since 1970.
    let parsed = |text: &str| {
        let seconds = || text.parse::<f64>().ok().and_then(|seconds| Timestamp::from_millisecond(millis(seconds)).ok());
        text.parse::<Timestamp>().ok().or_else(seconds)
    };
    let seconds = parsed(first).zip(parsed(last)).map(|(first, last)| last.as_second() - first.as_second());
    Some(Span { first: first.to_owned(), last: last.to_owned(), seconds })
}

#[expect(clippy::cast_possible_truncation, reason = "a time out of range is refused afterwards")]
fn millis(seconds: f64) -> i64 {
    (seconds * 1000.0).round() as i64
}

fn signatures(opaque: Opaque) -> Signatures {
    Signatures { number: opaque.blocks, bytes: opaque.bytes, tokens_as_text: opaque.tokens_as_text().0 }
}

fn context(standing: &Standing) -> Context {
    Context {
        messages: standing.messages,
        tokens: standing.tokens.0,
        anchor_tokens: standing.anchor.map(|(_, usage)| usage.0),
        anchor_line: standing.anchor.map(|(line, _)| line),
        estimated_tokens: standing.estimated.0,
    }
}

fn compactions(
    transcript: &Transcript,
    path: &[EntryIdx],
    replaced: &[Replaced],
    reference: Reference,
) -> Vec<Compacted> {
    let recorded = path.iter().filter_map(|&idx| match &transcript.entry(idx).kind {
        EntryKind::Compaction(compaction) => Some((transcript.entry(idx).line, compaction)),
        _ => None,
    });
    recorded
        .zip(replaced)
        .map(|((line, one), replaced)| Compacted {
            replaced_estimate: replaced.before.map(|tokens| tokens.0),
            put_estimate: replaced.after.map(|tokens| tokens.0),
            line,
            tokens_before: one.tokens_before,
            summary_tokens: reference.count(one.summary.as_str()).0,
            first_kept: one.first_kept.as_deref().map(str::to_owned),
            replacement_messages: one.replacement.len(),
        })
        .collect()
}
