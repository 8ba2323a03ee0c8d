//! Messages, head and entries as JSON.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::block::{BlockRecord, blocks, content, is_false, raw, some_json};
use super::usage::UsageRecord;
use crate::transcript::{Bash, Custom, Head, Message, Reply, StopReason, System, Text, ToolResult, ToolSchema};

/// System prompt and tool schemas.
#[derive(Default, Serialize, Deserialize)]
pub(in crate::import) struct HeadRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<ToolRecord<'a>>>,
}

/// `parameters` is the text of a JSON Schema, as it is sent.
#[derive(Serialize, Deserialize)]
struct ToolRecord<'a> {
    name: Cow<'a, str>,
    #[serde(default)]
    description: Cow<'a, str>,
    #[serde(default)]
    parameters: Cow<'a, str>,
}

impl<'a> From<&'a Head> for HeadRecord<'a> {
    fn from(head: &'a Head) -> Self {
        let tool = |tool: &'a ToolSchema| ToolRecord {
            name: (&*tool.name).into(),
            description: (&*tool.description).into(),
            parameters: (&*tool.parameters).into(),
        };
        Self {
            system: head.system.as_ref().map(|system| system.as_str().into()),
            tools: head.tools.as_ref().map(|tools| tools.iter().map(tool).collect()),
        }
    }
}

impl From<HeadRecord<'_>> for Head {
    fn from(record: HeadRecord<'_>) -> Self {
        let tool = |tool: ToolRecord<'_>| ToolSchema {
            name: boxed(tool.name),
            description: boxed(tool.description),
            parameters: boxed(tool.parameters),
        };
        Self {
            system: record.system.map(|system| Text::new(system.into_owned())),
            tools: record.tools.map(|tools| tools.into_iter().map(tool).collect()),
        }
    }
}

pub(super) fn boxed(text: Cow<'_, str>) -> Box<str> {
    text.into_owned().into()
}

/// A message. Which fields it has depends on `role`.
#[derive(Default, Serialize, Deserialize)]
pub(in crate::import) struct MessageRecord<'a> {
    role: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Vec<BlockRecord<'a>>>,
    #[serde(default, skip_serializing_if = "is_false")]
    plain: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply: Option<ReplyRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ResultRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bash: Option<BashRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom: Option<CustomRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<Vec<(Cow<'a, str>, Cow<'a, str>)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools_added: Option<Cow<'a, RawValue>>,
}

#[derive(Serialize, Deserialize)]
struct ReplyRecord<'a> {
    api: Cow<'a, str>,
    provider: Cow<'a, str>,
    model: Cow<'a, str>,
    stop: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageRecord>,
}

#[derive(Serialize, Deserialize)]
struct ResultRecord<'a> {
    call_id: Cow<'a, str>,
    tool: Cow<'a, str>,
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Cow<'a, RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nested_calls: Option<Cow<'a, RawValue>>,
}

#[derive(Serialize, Deserialize)]
struct BashRecord<'a> {
    command: Cow<'a, str>,
    output: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    #[serde(default, skip_serializing_if = "is_false")]
    cancelled: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output_path: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "is_false")]
    excluded: bool,
}

#[derive(Serialize, Deserialize)]
struct CustomRecord<'a> {
    kind: Cow<'a, str>,
    display: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Cow<'a, RawValue>>,
}

impl<'a> From<&'a Message> for MessageRecord<'a> {
    fn from(message: &'a Message) -> Self {
        let of = |role: &'static str| Self { role: role.into(), ..Self::default() };
        let with = |role: &'static str, content: &'a crate::transcript::Content| Self {
            content: Some(blocks(content)),
            plain: content.plain,
            ..of(role)
        };
        match message {
            Message::User(content) => with("user", content),
            Message::Assistant(content, reply) => {
                Self { reply: Some(reply_record(reply)), ..with("assistant", content) }
            }
            Message::ToolResult(result) => {
                Self { result: Some(result_record(result)), ..with("tool_result", &result.content) }
            }
            Message::Bash(bash) => Self { bash: Some(bash_record(bash)), ..of("bash") },
            Message::Custom(custom) => Self { custom: Some(custom_record(custom)), ..with("custom", &custom.content) },
            Message::BranchSummary(text) => Self { text: Some(text.as_str().into()), ..of("branch_summary") },
            Message::CompactionSummary(text) => Self { text: Some(text.as_str().into()), ..of("compaction_summary") },
            Message::System(system) => {
                let System { content, sections, tools_added } = &**system;
                let section = |(name, text): &'a (Box<str>, Text)| ((&**name).into(), text.as_str().into());
                Self {
                    text: Some(content.as_str().into()),
                    sections: (!sections.is_empty()).then(|| sections.iter().map(section).collect()),
                    tools_added: tools_added.as_ref().map(raw),
                    ..of("system")
                }
            }
        }
    }
}

fn reply_record(reply: &Reply) -> ReplyRecord<'_> {
    let stop = match &reply.stop {
        StopReason::Stop => "stop",
        StopReason::Length => "length",
        StopReason::ToolUse => "tool_use",
        StopReason::Error => "error",
        StopReason::Aborted => "aborted",
        StopReason::Other(word) => word,
    };
    ReplyRecord {
        api: (&*reply.api).into(),
        provider: (&*reply.provider).into(),
        model: (&*reply.model).into(),
        stop: stop.into(),
        error: reply.error.as_deref().map(Into::into),
        usage: reply.usage.as_ref().map(UsageRecord::from),
    }
}

fn result_record(result: &ToolResult) -> ResultRecord<'_> {
    ResultRecord {
        call_id: (&*result.call_id).into(),
        tool: (&*result.tool).into(),
        is_error: result.is_error,
        details: result.details.as_ref().map(raw),
        nested_calls: result.nested_calls.as_deref().map(raw),
    }
}

fn bash_record(bash: &Bash) -> BashRecord<'_> {
    BashRecord {
        command: bash.command.as_str().into(),
        output: bash.output.as_str().into(),
        exit_code: bash.exit_code,
        cancelled: bash.cancelled,
        truncated: bash.truncated,
        full_output_path: bash.full_output_path.as_deref().map(Into::into),
        excluded: bash.excluded,
    }
}

fn custom_record(custom: &Custom) -> CustomRecord<'_> {
    CustomRecord { kind: (&*custom.kind).into(), display: custom.display, details: custom.details.as_ref().map(raw) }
}

impl MessageRecord<'_> {
    /// The message; `None` for a role that nobody knows, or without the fields of its role.
    pub(in crate::import) fn message(self) -> Option<Message> {
        let text = |text: Option<Cow<'_, str>>| text.map(|text| Text::new(text.into_owned()));
        let said = content(self.content.unwrap_or_default(), self.plain);
        Some(match &*self.role {
            "user" => Message::User(said),
            "assistant" => Message::Assistant(said, Box::new(reply(self.reply?))),
            "tool_result" => {
                let result = self.result?;
                Message::ToolResult(Box::new(ToolResult {
                    call_id: boxed(result.call_id),
                    tool: (*result.tool).into(),
                    content: said,
                    is_error: result.is_error,
                    details: some_json(result.details.as_ref()),
                    nested_calls: some_json(result.nested_calls.as_ref()).map(Box::new),
                }))
            }
            "bash" => Message::Bash(Box::new(bash(self.bash?))),
            "custom" => {
                let CustomRecord { kind, display, details } = self.custom?;
                let details = some_json(details.as_ref());
                Message::Custom(Box::new(Custom { kind: boxed(kind), content: said, display, details }))
            }
            "branch_summary" => Message::BranchSummary(text(self.text)?),
            "compaction_summary" => Message::CompactionSummary(text(self.text)?),
            "system" => Message::System(Box::new(System {
                content: text(self.text)?,
                sections: self.sections.unwrap_or_default().into_iter().map(section).collect(),
                tools_added: some_json(self.tools_added.as_ref()),
            })),
            _ => return None,
        })
    }
}

fn section((name, text): (Cow<'_, str>, Cow<'_, str>)) -> (Box<str>, Text) {
    (boxed(name), Text::new(text.into_owned()))
}

fn reply(record: ReplyRecord<'_>) -> Reply {
    let stop = match &*record.stop {
        "stop" => StopReason::Stop,
        "length" => StopReason::Length,
        "tool_use" => StopReason::ToolUse,
        "error" => StopReason::Error,
        "aborted" => StopReason::Aborted,
        other => StopReason::Other(other.into()),
    };
    Reply {
        api: record.api.into(),
        provider: record.provider.into(),
        model: record.model.into(),
        stop,
        usage: record.usage.map(Into::into),
        error: record.error.map(boxed),
    }
}

fn bash(record: BashRecord<'_>) -> Bash {
    Bash {
        command: Text::new(record.command.into_owned()),
        output: Text::new(record.output.into_owned()),
        exit_code: record.exit_code,
        cancelled: record.cancelled,
        truncated: record.truncated,
        full_output_path: record.full_output_path.map(boxed),
        excluded: record.excluded,
    }
}
