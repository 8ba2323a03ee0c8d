//! The plain text that Pi gives a summarizer.

use std::fmt::Write;

use super::Rules;
use crate::transcript::json::js;
use crate::transcript::{Block, Content, Message, ToolCall, joined_text, user_text};

/// A tool result longer than this many UTF-16 units is cut in the summarizer's input (0.56.3).
const RESULT_LIMIT: usize = 2_000;

/// `serializeConversation`: the parts of all messages, joined by a blank line.
pub fn serialize<'m>(messages: impl IntoIterator<Item = &'m Message>, rules: &Rules) -> String {
    let mut out = String::new();
    for message in messages {
        part(message, rules, &mut out);
    }
    out
}

/// Appends the parts of one message.
fn part(message: &Message, rules: &Rules, out: &mut String) {
    match message {
        Message::Assistant(content, _) => assistant(content, rules, out),
        Message::ToolResult(result) => {
            let text = joined_text(&result.content);
            if !text.is_empty() {
                begin(out, "[Tool result]: ");
                clipped(&text, utf16_len(&result.content), rules, out);
            }
        }
        Message::System(_) => {}
        other => {
            if let Some(text) = user_text(other).filter(|text| !text.is_empty()) {
                begin(out, "[User]: ");
                out.push_str(&text);
            }
        }
    }
}

fn begin(out: &mut String, label: &str) {
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(label);
}

fn assistant(content: &Content, rules: &Rules, out: &mut String) {
    let thinking = content.blocks.iter().filter_map(|block| match block {
        Block::Thinking { text, .. } => Some(text.as_str()),
        _ => None,
    });
    list(out, "[Assistant thinking]: ", thinking.filter(|_| rules.serializes_thinking), "\n");
    let texts = content.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        _ => None,
    });
    list(out, "[Assistant]: ", texts, "\n");
    let calls = content.blocks.iter().filter_map(|block| match block {
        Block::ToolCall(call) => Some(call),
        _ => None,
    });
    list(out, "[Assistant tool calls]: ", calls.map(called), "; ");
}

fn list(out: &mut String, label: &str, parts: impl Iterator<Item = impl AsRef<str>>, separator: &str) {
    for (index, part) in parts.enumerate() {
        if index == 0 {
            begin(out, label);
        } else {
            out.push_str(separator);
        }
        out.push_str(part.as_ref());
    }
}

/// `name(key=JSON, key=JSON)`.
fn called(call: &ToolCall) -> String {
    let mut text = format!("{}(", call.name.as_str());
    for (index, (key, value)) in js::members(call.arguments.as_str()).unwrap_or_default().iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{key}={value}");
    }
    text.push(')');
    text
}

/// UTF-16 units of the texts of a content: they were measured when it was read.
fn utf16_len(content: &Content) -> usize {
    let units = |block: &Block| if let Block::Text(text) = block { text.utf16_len() } else { 0 };
    content.blocks.iter().map(units).sum()
}

/// The first 2,000 UTF-16 units of a text of so many, and how many were cut.
fn clipped(text: &str, length: usize, rules: &Rules, out: &mut String) {
    if length <= RESULT_LIMIT {
        out.push_str(text);
        return;
    }
    match text.get(..RESULT_LIMIT).filter(|start| start.is_ascii()) {
        Some(start) => out.push_str(start),
        None => first_units(text, rules, out),
    }
    let cut = length - RESULT_LIMIT;
    let _ = write!(out, "\n\n[... {cut} more characters truncated]");
}

/// The first 2,000 UTF-16 units of a longer text.
fn first_units(text: &str, rules: &Rules, out: &mut String) {
    let mut units = 0;
    for character in text.chars() {
        units += character.len_utf16();
        if units > RESULT_LIMIT {
            // The units end inside a pair. Until 1.5.1 its first half is left, which is sent as U+FFFD.
            if units == RESULT_LIMIT + 2 || rules.whole_surrogates || character.len_utf16() == 1 {
                break;
            }
            out.push(char::REPLACEMENT_CHARACTER);
            break;
        }
        out.push(character);
    }
}
