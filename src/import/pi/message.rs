//! The `message` of an entry: all roles.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::de::MapAccess;
use sonic_rs::LazyValue;

use super::content::ContentSeed;
use super::usage::UsageFields;
use crate::import::FindingKind;
use crate::import::json::{Raw, reread};
use crate::import::object::{Fields, Fill, Rest, json_text};
use crate::import::slot::{Scalar, Sink, Slot};
use crate::transcript::{Bash, Block, Content, Custom, Message, Reply, StopReason, Text, ToolResult, Usage};

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
pub(super) struct MessageFields<'de, R> {
    role: Slot<RoleWord>,
    content: Slot<Content>,
    timestamp: Slot<i64>,
    api: Slot<Box<str>>,
    provider: Slot<Box<str>>,
    model: Slot<Box<str>>,
    usage: Slot<UsageFields<'de, R>>,
    stop: Slot<StopReason>,
    call_id: Slot<Box<str>>,
    tool: Slot<Box<str>>,
    is_error: Slot<bool>,
    details: Option<Cow<'de, str>>,
    rest: Rest<'de>,
    sink: Sink,
    raw: PhantomData<R>,
}

impl<R> Default for MessageFields<'_, R> {
    fn default() -> Self {
        Self {
            role: Slot::Missing,
            content: Slot::Missing,
            timestamp: Slot::Missing,
            api: Slot::Missing,
            provider: Slot::Missing,
            model: Slot::Missing,
            usage: Slot::Missing,
            stop: Slot::Missing,
            call_id: Slot::Missing,
            tool: Slot::Missing,
            is_error: Slot::Missing,
            details: None,
            rest: Rest::default(),
            sink: Sink::default(),
            raw: PhantomData,
        }
    }
}

impl<'de, R: Raw<'de>> Fields<'de> for MessageFields<'de, R> {
    fn field<A: MapAccess<'de>>(&mut self, key: Cow<'de, str>, map: &mut A) -> Result<(), A::Error> {
        let role = if let Slot::Good(role) = self.role { Some(role) } else { None };
        let reply = role == Some(RoleWord::Assistant);
        let result = role == Some(RoleWord::ToolResult);
        match &*key {
            "role" => self.role = map.next_value()?,
            "content" => {
                // A repeated key: the last value counts, and so do only its extras.
                self.sink = Sink::default();
                self.content = map.next_value_seed(ContentSeed::<R>::new(&mut self.sink, CONTENT))?;
            }
            "timestamp" => self.timestamp = map.next_value()?,
            "api" if reply => self.api = map.next_value()?,
            "provider" if reply => self.provider = map.next_value()?,
            "model" if reply => self.model = map.next_value()?,
            "usage" if reply => self.usage = map.next_value_seed(Fill(UsageFields::default()))?,
            "stopReason" if reply => self.stop = map.next_value()?,
            "toolCallId" if result => self.call_id = map.next_value()?,
            "toolName" if result => self.tool = map.next_value()?,
            "isError" if result => self.is_error = map.next_value()?,
            "details" if result => self.details = Some(map.next_value::<R>()?.into_text()),
            _ => self.rest.keep::<R, A>(key, map)?,
        }
        Ok(())
    }
}

/// `slot`, or the field of that name that came before the role.
fn either<T: Scalar>(slot: Slot<T>, rest: &mut Rest<'_>, name: &str) -> Slot<T> {
    if slot.is_missing() { rest.scalar(name) } else { slot }
}

impl<'de, R: Raw<'de>> MessageFields<'de, R> {
    /// The message and its time in milliseconds. `None` when the role is not known.
    pub(super) fn finish(mut self, sink: &mut Sink) -> Option<(Message, Option<i64>)> {
        sink.faults.append(&mut self.sink.faults);
        sink.extra.append(&mut self.sink.extra);
        let time = std::mem::take(&mut self.timestamp).optional(sink, "message.timestamp");
        let Slot::Good(role) = std::mem::take(&mut self.role) else {
            sink.bad("`message.role` is missing; the record is kept as a note");
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
                let fault = "a message of unknown role; the record is kept as a note".to_owned();
                sink.faults.push((FindingKind::UnknownKind, fault));
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
        let mut word = |slot: &mut Slot<Box<str>>, name: &str| {
            either(std::mem::take(slot), rest, name).required(sink, &format!("message.{name}"))
        };
        let (api, provider) = (word(&mut self.api, "api"), word(&mut self.provider, "provider"));
        let model = word(&mut self.model, "model");
        let stop = either(std::mem::take(&mut self.stop), rest, "stopReason");
        let reply = Reply {
            api,
            provider,
            model,
            stop: stop.optional(sink, "message.stopReason").unwrap_or_else(|| {
                sink.bad("`message.stopReason` is missing; read as empty");
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
            return slot.optional(sink, USAGE).map(|usage| usage.finish(sink, USAGE));
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
            nested_calls: rest.json("nestedCalls", sink),
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
        if let Some(raw) = self.rest.take("sections").filter(|raw| raw.trim() != "null") {
            let Some(mut fields) = Rest::of(&raw) else {
                sink.bad("`message.sections` is not an object and was left out");
                return Message::System { content: joined(&content), sections, tools_added };
            };
            for (name, raw) in std::mem::take(&mut fields.0) {
                match reread(&raw, PhantomData::<Slot<Box<str>>>) {
                    Some(Slot::Good(body)) => sections.push((name.into(), Text::new(body))),
                    _ => sink.extra.add(SECTIONS, &name, &raw),
                }
            }
        }
        Message::System { content: joined(&content), sections, tools_added }
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
    Text::new(rest.scalar::<Box<str>>(name).required(sink, name))
}

/// Removes the usage.
pub(super) fn usage(rest: &mut Rest<'_>, sink: &mut Sink, place: &str) -> Option<Usage> {
    let raw = rest.take("usage")?;
    let slot = reread(&raw, Fill(UsageFields::<LazyValue<'_>>::default())).unwrap_or(Slot::Wrong);
    slot.optional(sink, place).map(|usage| usage.finish(sink, place))
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
