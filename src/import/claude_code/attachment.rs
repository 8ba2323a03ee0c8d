//! Records of type `attachment`: text that the agent puts into the next request besides the messages.
//!
//! The tags and phrases that the agent wraps it in are not recorded, so the text is that of the record alone.

use super::row::Body;
use crate::import::FindingKind;
use crate::import::anthropic::content::parts;
use crate::import::object::Rest;
use crate::import::place::Spot;
use crate::import::slot::{Sink, Slot};
use crate::transcript::json::read::{Raw, Reader};
use crate::transcript::{Block, Content, Custom, Text};

/// Kinds whose text is not in the record or is only for the person.
const NEVER_SENT: &[&str] = &["hook_system_message", "command_permissions", "task_reminder", "todo_reminder"];

/// The text that an attachment brings into the context. `None`: a note.
pub(super) fn read(rest: &mut Rest<'_>, sink: &mut Sink) -> Option<Body> {
    let raw = rest.get("attachment")?;
    let mut fields = Rest::of(raw.text())?;
    let kind = fields.scalar::<Box<str>>("type").optional(sink, "attachment.type").unwrap_or_default();
    let content = match &*kind {
        "hook_success" | "skill_listing" => text(fields.take("content")),
        "hook_additional_context" => list(fields.take("content"), "\n"),
        "deferred_tools_delta" | "agent_listing_delta" => list(fields.take("addedLines"), "\n"),
        "mcp_instructions_delta" => list(fields.take("addedBlocks"), "\n\n"),
        "nested_memory" => {
            let content = fields.take("content");
            content.and_then(|raw| Rest::of(raw.text())).and_then(|mut inner| text(inner.take("content")))
        }
        "edited_text_file" => {
            let name = string(fields.take("filename"));
            name.zip(string(fields.take("snippet"))).and_then(|(name, part)| said(format!("{name}\n{part}")))
        }
        // What the person typed while the agent was at work.
        "queued_command" => Some(parts(fields.take("prompt").map(Raw::text), "attachment.prompt", sink).content),
        known if NEVER_SENT.contains(&known) => None,
        unknown => {
            let fault = format!("an attachment of unknown type `{unknown}`; kept as a note");
            sink.fault(Spot::of(raw.text()), FindingKind::UnknownKind, fault);
            None
        }
    }?;
    rest.take("attachment");
    fields.flush(sink, "attachment");
    Some(Body::Injected(Box::new(Custom { kind, content, display: false, details: None })))
}

/// A content of one text; `None` when it is empty.
fn said(text: impl Into<Box<str>>) -> Option<Content> {
    let text = Text::new(text);
    (!text.is_empty()).then(|| Content { blocks: vec![Block::Text(text)], plain: true })
}

fn string(raw: Option<Raw<'_>>) -> Option<Box<str>> {
    Slot::of(raw?.text()).good()
}

fn text(raw: Option<Raw<'_>>) -> Option<Content> {
    said(string(raw)?)
}

/// The strings of a list, with `between` between them.
fn list(raw: Option<Raw<'_>>, between: &str) -> Option<Content> {
    let mut items: Vec<Box<str>> = Vec::new();
    let read = Reader::new(raw?.text()).list(|reader| {
        items.extend(Slot::read(reader)?.good());
        Ok(())
    });
    read.ok()?;
    said(items.join(between))
}
