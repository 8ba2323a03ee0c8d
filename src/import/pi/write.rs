//! The native writer: Pi version 3, which Pi itself opens.

use std::io;

use super::emit::Object;
use super::links::{agrees, relinked};
use super::own;
use crate::import::extra::Extras;
use crate::transcript::{
    Bash, BranchSummary, Compaction, Custom, Entry, EntryKind, Message, Reply, StopReason, System, Text, ToolResult,
    Transcript,
};

/// Version of the format written.
const VERSION: u64 = 3;

/// Writes `transcript` as a Pi session of version 3: reading it again gives the same content.
///
/// Ids are written as they are; Pi makes them of eight hexadecimal digits and takes any text. What has no place in the
/// format (system prompt, tool schemas, contexts that other agents write out) is kept in fields that Pi passes over.
///
/// # Errors
/// Those of `out`.
pub fn write(transcript: &Transcript, out: &mut impl io::Write) -> io::Result<()> {
    let mut line = Vec::with_capacity(4096);
    header(transcript, &mut line)?;
    out.write_all(&line)?;
    for entry in &transcript.entries {
        line.clear();
        let parent = entry.parent.map(|parent| &*transcript.entry(parent).id);
        match (&entry.kind, own::wrapped(entry)) {
            (EntryKind::Note { .. }, Some(data)) => wrapped_note(entry, parent, &data, &mut line)?,
            (EntryKind::Note { raw, .. }, None) => note(raw.as_str(), &entry.id, parent, &mut line),
            _ => record(entry, parent, &mut line)?,
        }
        one_line(&mut line);
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

/// Line breaks between the tokens of JSON that came from a document become spaces; inside of a string JSON has none.
fn one_line(line: &mut [u8]) {
    line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
}

/// A record of another format as an entry that Pi knows and passes over.
fn wrapped_note(entry: &Entry, parent: Option<&str>, data: &str, line: &mut Vec<u8>) -> io::Result<()> {
    let mut object = Object::new(line);
    object.text("type", "custom")?;
    links(&mut object, entry, parent)?;
    object.text("customType", own::NOTE)?;
    object.raw("data", data);
    object.end();
    Ok(())
}

/// Id, parent and time of an entry.
fn links(object: &mut Object<'_>, entry: &Entry, parent: Option<&str>) -> io::Result<()> {
    object.text("id", &entry.id)?;
    match parent {
        Some(parent) => object.text("parentId", parent)?,
        None => object.raw("parentId", "null"),
    }
    object.some_text("timestamp", entry.timestamp.as_deref())
}

fn header(transcript: &Transcript, line: &mut Vec<u8>) -> io::Result<()> {
    let meta = &transcript.meta;
    let mut object = Object::new(line);
    object.text("type", "session")?;
    object.number("version", VERSION);
    object.text("id", &meta.id)?;
    object.some_text("timestamp", meta.timestamp.as_deref())?;
    object.some_text("cwd", meta.cwd.as_deref())?;
    object.some_text("parentSession", meta.parent_session.as_deref())?;
    if let Some(extra) = meta.extra.as_ref().filter(|extra| !own::header_collides(extra)) {
        object.fields_of(extra.as_str());
    }
    if let Some(field) = own::of_header(transcript) {
        object.raw(own::FIELD, &field);
    }
    object.end();
    one_line(line);
    line.push(b'\n');
    Ok(())
}

/// A note is its own record, unless its links have changed.
fn note(raw: &str, id: &str, parent: Option<&str>, line: &mut Vec<u8>) {
    let new = if agrees(raw, id, parent) { None } else { relinked(raw, id, parent) };
    line.extend_from_slice(new.as_deref().unwrap_or(raw).as_bytes());
}

/// The word in `type`.
fn kind(entry: &Entry, extras: &Extras) -> &'static str {
    match &entry.kind {
        // As an entry of its own a custom message has no time besides the entry's.
        EntryKind::Message(Message::Custom(_)) if entry.message_time_ms.is_none() && !extras.any_below("message") => {
            "custom_message"
        }
        EntryKind::Message(_) | EntryKind::Note { .. } => "message",
        EntryKind::ModelChange { .. } => "model_change",
        EntryKind::ThinkingLevelChange(_) => "thinking_level_change",
        EntryKind::Compaction(_) => "compaction",
        EntryKind::BranchSummary(_) => "branch_summary",
        EntryKind::ContextEdit(_) => "context_edit",
    }
}

fn record(entry: &Entry, parent: Option<&str>, line: &mut Vec<u8>) -> io::Result<()> {
    let extras = Extras::parse(entry.extra.as_ref().filter(|_| !own::collides(entry)));
    let kind = kind(entry, &extras);
    let mut object = Object::new(line);
    object.text("type", kind)?;
    links(&mut object, entry, parent)?;
    match &entry.kind {
        EntryKind::Message(Message::Custom(custom)) if kind == "custom_message" => {
            custom_fields(&mut object, custom, "content", &extras)?;
        }
        EntryKind::Message(message) => object.nested("message", |inner| {
            message_fields(inner, message, &extras)?;
            if let Some(time) = entry.message_time_ms {
                inner.number("timestamp", time);
            }
            inner.extras(&extras, "message");
            Ok(())
        })?,
        other => entry_fields(&mut object, other, &extras)?,
    }
    object.extras(&extras, "");
    if let Some(field) = own::of_entry(entry) {
        object.raw(own::FIELD, &field);
    }
    object.end();
    Ok(())
}

fn entry_fields(object: &mut Object<'_>, kind: &EntryKind, extras: &Extras) -> io::Result<()> {
    match kind {
        EntryKind::ModelChange { provider, model } => {
            object.text("provider", provider)?;
            object.text("modelId", model)
        }
        EntryKind::ThinkingLevelChange(level) => object.text("thinkingLevel", level),
        EntryKind::Compaction(compaction) => compaction_fields(object, compaction, extras),
        EntryKind::BranchSummary(branch) => {
            let BranchSummary { from, summary, details, from_hook } = &**branch;
            object.text("fromId", from)?;
            object.text("summary", summary.as_str())?;
            object.some_json("details", details.as_ref());
            object.flag("fromHook", *from_hook);
            Ok(())
        }
        EntryKind::ContextEdit(edit) => {
            object.text("targetId", &edit.target)?;
            let Some(content) = &edit.replacement else {
                object.raw("replacement", "null");
                return Ok(());
            };
            object.nested("replacement", |inner| {
                inner.content(content, "replacement.content", extras)?;
                inner.extras(extras, "replacement");
                Ok(())
            })
        }
        EntryKind::Message(_) | EntryKind::Note { .. } => Ok(()),
    }
}

fn compaction_fields(object: &mut Object<'_>, compaction: &Compaction, extras: &Extras) -> io::Result<()> {
    object.text("summary", compaction.summary.as_str())?;
    object.some_text("firstKeptEntryId", compaction.first_kept.as_deref())?;
    object.number("tokensBefore", compaction.tokens_before.unwrap_or(0));
    object.some_json("details", compaction.details.as_ref());
    object.flag("fromHook", compaction.from_hook);
    if let Some(usage) = &compaction.usage {
        object.usage(usage, "usage", extras)?;
    }
    object.some_json("systemMessage", compaction.system.as_ref());
    Ok(())
}

fn message_fields(object: &mut Object<'_>, message: &Message, extras: &Extras) -> io::Result<()> {
    const CONTENT: &str = "message.content";
    match message {
        Message::User(content) => {
            object.text("role", "user")?;
            object.content(content, CONTENT, extras)
        }
        Message::Assistant(content, reply) => {
            object.text("role", "assistant")?;
            object.content(content, CONTENT, extras)?;
            reply_fields(object, reply, extras)
        }
        Message::ToolResult(result) => tool_result_fields(object, result, extras),
        Message::Bash(bash) => bash_fields(object, bash),
        Message::Custom(custom) => {
            object.text("role", "custom")?;
            custom_fields(object, custom, CONTENT, extras)
        }
        Message::BranchSummary(summary) => {
            object.text("role", "branchSummary")?;
            object.text("summary", summary.as_str())
        }
        Message::CompactionSummary(summary) => {
            object.text("role", "compactionSummary")?;
            object.text("summary", summary.as_str())
        }
        Message::System(system) => {
            let System { content, sections, tools_added } = &**system;
            object.text("role", "system")?;
            object.text("content", content.as_str())?;
            section_fields(object, sections, extras)?;
            object.some_json("toolsAdded", tools_added.as_ref());
            Ok(())
        }
    }
}

fn section_fields(object: &mut Object<'_>, sections: &[(Box<str>, Text)], extras: &Extras) -> io::Result<()> {
    const PLACE: &str = "message.sections";
    if sections.is_empty() && !extras.any_below(PLACE) {
        return Ok(());
    }
    object.nested("sections", |inner| {
        for (name, text) in sections {
            inner.text(name, text.as_str())?;
        }
        inner.extras(extras, PLACE);
        Ok(())
    })
}

fn reply_fields(object: &mut Object<'_>, reply: &Reply, extras: &Extras) -> io::Result<()> {
    object.text("api", &reply.api)?;
    object.text("provider", &reply.provider)?;
    object.text("model", &reply.model)?;
    if let Some(usage) = &reply.usage {
        object.usage(usage, "message.usage", extras)?;
    }
    let stop = match &reply.stop {
        StopReason::Stop => "stop",
        StopReason::Length => "length",
        StopReason::ToolUse => "toolUse",
        StopReason::Error => "error",
        StopReason::Aborted => "aborted",
        StopReason::Other(word) => word,
    };
    object.text("stopReason", stop)?;
    object.some_text("errorMessage", reply.error.as_deref())
}

fn tool_result_fields(object: &mut Object<'_>, result: &ToolResult, extras: &Extras) -> io::Result<()> {
    object.text("role", "toolResult")?;
    object.text("toolCallId", &result.call_id)?;
    object.text("toolName", &result.tool)?;
    object.content(&result.content, "message.content", extras)?;
    object.some_json("details", result.details.as_ref());
    object.some_json("nestedCalls", result.nested_calls.as_deref());
    object.boolean("isError", result.is_error);
    Ok(())
}

fn bash_fields(object: &mut Object<'_>, bash: &Bash) -> io::Result<()> {
    object.text("role", "bashExecution")?;
    object.text("command", bash.command.as_str())?;
    object.text("output", bash.output.as_str())?;
    if let Some(code) = bash.exit_code {
        object.number("exitCode", code);
    }
    object.boolean("cancelled", bash.cancelled);
    object.boolean("truncated", bash.truncated);
    object.some_text("fullOutputPath", bash.full_output_path.as_deref())?;
    object.flag("excludeFromContext", bash.excluded);
    Ok(())
}

fn custom_fields(object: &mut Object<'_>, custom: &Custom, place: &str, extras: &Extras) -> io::Result<()> {
    object.text("customType", &custom.kind)?;
    object.content(&custom.content, place, extras)?;
    object.boolean("display", custom.display);
    object.some_json("details", custom.details.as_ref());
    Ok(())
}
