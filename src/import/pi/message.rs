//! The `message` of an entry: all roles.

use std::borrow::Cow;
use std::sync::Arc;

use super::content;
use super::usage::UsageFields;
use crate::import::FindingKind;
use crate::import::object::{Fields, Rest, either, fill, json_text};
use crate::import::place::Spot;
use crate::import::slot::{Scalar, Sink, Slot};
use crate::transcript::json::read::{Raw, Read, Reader};
use crate::transcript::{Bash, Block, Content, Custom, Message, Reply, StopReason, System, Text, ToolResult, Usage};

/// Place of a message, of its blocks and of its usage, for extras.
const PLACE: &str = "message";
const CONTENT: &str = "message.content";
const USAGE: &str = "message.usage";
const SECTIONS: &str = "message.sections";

/// The roles by their words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RoleWord {
    User,
    Assistant,
    ToolResult,
    Bash,
    Custom,
    BranchSummary,
    CompactionSummary,
    System,
    Unknown,
}

impl Scalar for RoleWord {
    fn text(text: &str) -> Option<Self> {
        Some(match text {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "toolResult" => Self::ToolResult,
            "bashExecution" => Self::Bash,
            // Version 2 called it hookMessage; Pi's own migration renames it.
            "custom" | "hookMessage" => Self::Custom,
            "branchSummary" => Self::BranchSummary,
            "compactionSummary" => Self::CompactionSummary,
            "system" => Self::System,
            _ => Self::Unknown,
        })
    }
}

impl Scalar for StopReason {
    fn text(text: &str) -> Option<Self> {
        Some(match text {
            "stop" => Self::Stop,
            "length" => Self::Length,
            "toolUse" => Self::ToolUse,
            "error" => Self::Error,
            "aborted" => Self::Aborted,
            other => Self::Other(other.into()),
        })
    }
}

/// A message as it is read. The fields of the frequent roles are typed, the others kept raw until the role is known.
#[derive(Default)]
pub(super) struct MessageFields<'a> {
    role: Slot<RoleWord>,
    content: Slot<Content>,
    timestamp: Slot<i64>,
    api: Slot<Arc<str>>,
    provider: Slot<Arc<str>>,
    model: Slot<Arc<str>>,
    usage: Slot<Usage>,
    stop: Slot<StopReason>,
    call_id: Slot<Box<str>>,
    tool: Slot<Arc<str>>,
    is_error: Slot<bool>,
    details: Option<Raw<'a>>,
    rest: Rest<'a>,
    /// What was found in the content and in the usage. Of a repeated key the last value counts, and so do only its
    /// extras.
    in_content: Sink,
    in_usage: Sink,
    /// Where it begins.
    spot: Spot,
}

impl<'a> Fields<'a> for MessageFields<'a> {
    fn field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match &*key {
            "role" => self.role = Slot::read(reader)?,
            "content" => {
                self.in_content = Sink::default();
                self.content = content::read(reader, &mut self.in_content, CONTENT)?;
            }
            "timestamp" => self.timestamp = Slot::read(reader)?,
            _ => match self.role {
                Slot::Good(RoleWord::Assistant) => return self.reply_field(key, reader),
                Slot::Good(RoleWord::ToolResult) => return self.result_field(key, reader),
                _ => self.rest.field(key, reader)?,
            },
        }
        Ok(())
    }
}

impl<'a> MessageFields<'a> {
    fn reply_field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match &*key {
            "api" => self.api = Slot::read(reader)?,
            "provider" => self.provider = Slot::read(reader)?,
            "model" => self.model = Slot::read(reader)?,
            "usage" => {
                self.in_usage = Sink::default();
                self.usage = UsageFields::read(reader, &mut self.in_usage, USAGE)?;
            }
            "stopReason" => self.stop = Slot::read(reader)?,
            _ => self.rest.field(key, reader)?,
        }
        Ok(())
    }

    fn result_field(&mut self, key: Cow<'a, str>, reader: &mut Reader<'a>) -> Read<()> {
        match &*key {
            "toolCallId" => self.call_id = Slot::read(reader)?,
            "toolName" => self.tool = Slot::read(reader)?,
            "isError" => self.is_error = Slot::read(reader)?,
            "details" => self.details = Some(reader.raw()?),
            _ => self.rest.field(key, reader)?,
        }
        Ok(())
    }

    /// Reads the message that is next, and its time in milliseconds. `None` when it is no object or its role is not
    /// known.
    pub(super) fn read(reader: &mut Reader<'a>, sink: &mut Sink) -> Read<Option<(Message, Option<i64>)>> {
        reader.peek();
        let mut fields = Self { spot: Spot::of(reader.ahead()), ..Self::default() };
        let slot = fill(reader, &mut fields)?;
        let outside = std::mem::replace(&mut sink.around, fields.spot);
        let message = slot.good().and_then(|()| fields.finish(sink));
        sink.around = outside;
        Ok(message)
    }

    /// The message and its time in milliseconds. `None` when the role is not known.
    fn finish(mut self, sink: &mut Sink) -> Option<(Message, Option<i64>)> {
        sink.append(std::mem::take(&mut self.in_content));
        sink.append(std::mem::take(&mut self.in_usage));
        let time = std::mem::take(&mut self.timestamp).optional(sink, "message.timestamp");
        let Slot::Good(role) = std::mem::take(&mut self.role) else {
            sink.bad_at(self.spot, "`message.role` is missing; the record is kept as a note");
            return None;
        };
        let message = match role {
            RoleWord::User => Message::User(self.content(sink)),
            RoleWord::Assistant => self.assistant(sink),
            RoleWord::ToolResult => self.tool_result(sink),
            RoleWord::Bash => self.bash(sink),
            RoleWord::Custom => {
                let content = self.content(sink);
                Message::Custom(Box::new(custom(&mut self.rest, content, sink)))
            }
            RoleWord::BranchSummary => Message::BranchSummary(text(&mut self.rest, "summary", sink)),
            RoleWord::CompactionSummary => Message::CompactionSummary(text(&mut self.rest, "summary", sink)),
            RoleWord::System => self.system(sink),
            RoleWord::Unknown => {
                let fault = "a message of unknown role; the record is kept as a note";
                sink.fault(self.spot, FindingKind::UnknownKind, fault);
                return None;
            }
        };
        self.rest.flush(sink, PLACE);
        Some((message, time))
    }

    fn content(&mut self, sink: &mut Sink) -> Content {
        std::mem::take(&mut self.content).required(sink, CONTENT)
    }

    fn assistant(&mut self, sink: &mut Sink) -> Message {
        let content = self.content(sink);
        let usage = self.usage(sink);
        let rest = &mut self.rest;
        let api = either(std::mem::take(&mut self.api), rest, "api").required(sink, "message.api");
        let provider = either(std::mem::take(&mut self.provider), rest, "provider").required(sink, "message.provider");
        let model = either(std::mem::take(&mut self.model), rest, "model").required(sink, "message.model");
        let stop = either(std::mem::take(&mut self.stop), rest, "stopReason");
        let reply = Reply {
            api,
            provider,
            model,
            stop: stop.optional(sink, "message.stopReason").unwrap_or_else(|| {
                sink.bad_at(self.spot, "`message.stopReason` is missing; read as empty");
                StopReason::Other("".into())
            }),
            usage,
            error: rest.scalar("errorMessage").optional(sink, "message.errorMessage"),
        };
        Message::Assistant(content, Box::new(reply))
    }

    fn usage(&mut self, sink: &mut Sink) -> Option<Usage> {
        let slot = std::mem::take(&mut self.usage);
        if !slot.is_missing() {
            return slot.optional(sink, USAGE);
        }
        usage(&mut self.rest, sink, USAGE)
    }

    fn tool_result(&mut self, sink: &mut Sink) -> Message {
        let content = self.content(sink);
        let rest = &mut self.rest;
        let details = self.details.take().or_else(|| rest.take("details"));
        Message::ToolResult(Box::new(ToolResult {
            call_id: either(std::mem::take(&mut self.call_id), rest, "toolCallId").required(sink, "message.toolCallId"),
            tool: either(std::mem::take(&mut self.tool), rest, "toolName").required(sink, "message.toolName"),
            content,
            is_error: either(std::mem::take(&mut self.is_error), rest, "isError")
                .optional(sink, "message.isError")
                .unwrap_or_default(),
            details: details.and_then(|raw| json_text(raw, sink, "message.details")),
            nested_calls: rest.json("nestedCalls", sink).map(Box::new),
        }))
    }

    fn bash(&mut self, sink: &mut Sink) -> Message {
        let rest = &mut self.rest;
        let bash = Bash {
            command: text(rest, "command", sink),
            output: text(rest, "output", sink),
            exit_code: rest.scalar("exitCode").optional(sink, "message.exitCode"),
            cancelled: flag(rest, "cancelled", sink),
            truncated: flag(rest, "truncated", sink),
            full_output_path: rest.scalar("fullOutputPath").optional(sink, "message.fullOutputPath"),
            excluded: flag(rest, "excludeFromContext", sink),
        };
        Message::Bash(Box::new(bash))
    }

    fn system(&mut self, sink: &mut Sink) -> Message {
        let content = self.content(sink);
        let tools_added = self.rest.json("toolsAdded", sink);
        let mut sections = Vec::new();
        if let Some(raw) = self.rest.take("sections").filter(|raw| raw.text() != "null") {
            let Some(fields) = Rest::of(raw.text()) else {
                sink.bad_at(Spot::of(raw.text()), "`message.sections` is not an object and was left out");
                return Message::System(Box::new(System { content: joined(&content), sections, tools_added }));
            };
            for (name, raw) in fields.iter() {
                match Slot::of(raw.text()) {
                    Slot::Good(body) => sections.push((name.into(), body)),
                    _ => sink.extra.add(SECTIONS, name, raw),
                }
            }
        }
        Message::System(Box::new(System { content: joined(&content), sections, tools_added }))
    }
}

/// The text of a system message: one string, or its text blocks one after another.
fn joined(content: &Content) -> Text {
    if let [Block::Text(text)] = content.blocks.as_slice() {
        return text.clone();
    }
    let texts = content.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        _ => None,
    });
    Text::new(texts.collect::<String>())
}

fn flag(rest: &mut Rest<'_>, name: &str, sink: &mut Sink) -> bool {
    rest.scalar(name).optional(sink, name).unwrap_or_default()
}

/// Removes a text that must be there.
pub(super) fn text(rest: &mut Rest<'_>, name: &str, sink: &mut Sink) -> Text {
    rest.scalar(name).required(sink, name)
}

/// Removes the usage.
pub(super) fn usage(rest: &mut Rest<'_>, sink: &mut Sink, place: &str) -> Option<Usage> {
    let raw = rest.take("usage")?;
    let slot =
        UsageFields::read(&mut Reader::new(raw.text()), sink, place).unwrap_or(Slot::Wrong(Spot::of(raw.text())));
    slot.optional(sink, place)
}

/// Removes the fields that a custom message has besides its content.
pub(super) fn custom(rest: &mut Rest<'_>, content: Content, sink: &mut Sink) -> Custom {
    Custom {
        kind: rest.scalar("customType").optional(sink, "customType").unwrap_or_default(),
        content,
        display: flag(rest, "display", sink),
        details: rest.json("details", sink),
    }
}
