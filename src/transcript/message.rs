//! What one entry says to the model.

use std::sync::Arc;

use super::{JsonText, Text, Usage};

/// Who speaks, in the terms of the recording agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The answer to a tool call.
    ToolResult,
    /// A shell command the person ran beside the agent.
    BashExecution,
    /// Text an extension put into the context.
    Custom,
    /// A summary of a branch that was left.
    BranchSummary,
    /// A summary of the dropped part.
    CompactionSummary,
    /// A system message stored in the session.
    System,
}

/// The blocks of a message, and whether the source wrote them as one plain string.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Content {
    /// In the order of the source.
    pub blocks: Vec<Block>,
    /// The source had a string, not a list.
    pub plain: bool,
}

/// One block of content.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// Ordinary text.
    Text(Text),
    /// Reasoning. `signature` is opaque and is never counted as text.
    Thinking {
        /// The readable part.
        text: Text,
        /// The provider's signature.
        signature: Option<Box<str>>,
        /// The readable part was withheld.
        redacted: bool,
    },
    /// A tool call.
    ToolCall(ToolCall),
    /// A picture.
    Image(Image),
    /// A kind this model has no name for, kept as JSON.
    Other(JsonText),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// Pairs the call with its result.
    pub id: Box<str>,
    /// The tool: a name that the calls of a session share.
    pub name: Arc<Text>,
    /// The arguments, as JSON.
    pub arguments: JsonText,
}

/// A picture, kept as the source wrote it (base64) and never counted as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Base64 data.
    pub data: Box<str>,
    /// Media type, such as `image/png`.
    pub media_type: Box<str>,
}

/// Why a reply ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The model was done.
    Stop,
    /// The output limit.
    Length,
    /// It calls a tool.
    ToolUse,
    /// The provider failed.
    Error,
    /// The person stopped it.
    Aborted,
    /// Another word of the source.
    Other(Box<str>),
}

/// What came with a reply besides its content.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The API spoken. This name and the next two are shared by the replies of a session.
    pub api: Arc<str>,
    /// The provider.
    pub provider: Arc<str>,
    /// The model.
    pub model: Arc<str>,
    /// Why it ended.
    pub stop: StopReason,
    /// Recorded usage.
    pub usage: Option<Usage>,
    /// The provider's error text.
    pub error: Option<Box<str>>,
}

impl Reply {
    /// Names in place of a model where the agent wrote the reply itself: Claude Code's, and that of `OpenClaw`.
    const WRITTEN_BY_THE_AGENT: [&str; 2] = ["<synthetic>", "gateway-injected"];

    /// Whether this stands in the place of a model where no model answered, but the agent itself.
    pub fn is_the_agent(model: &str) -> bool {
        Self::WRITTEN_BY_THE_AGENT.contains(&model)
    }

    /// The model that answered; `None` where the agent wrote the reply itself, or where the file does not say.
    pub fn answered_by(&self) -> Option<&str> {
        Some(&*self.model).filter(|name| !name.is_empty() && !Self::is_the_agent(name))
    }

    /// Whether the reply failed or was stopped: it is recorded, but not sent to the model again.
    pub fn failed(&self) -> bool {
        matches!(self.stop, StopReason::Error | StopReason::Aborted)
    }
}

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The call it answers.
    pub call_id: Box<str>,
    /// The tool: a name that the results of a session share.
    pub tool: Arc<str>,
    /// What the model is shown.
    pub content: Content,
    /// The tool failed.
    pub is_error: bool,
    /// Data for the user interface, never sent.
    pub details: Option<JsonText>,
    /// Calls that ran inside this one: never sent, but their files count as touched.
    pub nested_calls: Option<Box<JsonText>>,
}

impl ToolResult {
    /// The same answer with another content: neither the text that gives way is copied, nor what is never sent.
    #[must_use]
    pub fn with_content(&self, content: Content) -> Self {
        Self {
            call_id: self.call_id.clone(),
            tool: self.tool.clone(),
            content,
            is_error: self.is_error,
            details: None,
            nested_calls: self.nested_calls.clone(),
        }
    }
}

/// A shell command the person ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bash {
    /// The command.
    pub command: Text,
    /// What it printed.
    pub output: Text,
    /// Exit code, where it ended by itself.
    pub exit_code: Option<i64>,
    /// The person stopped it.
    pub cancelled: bool,
    /// The output was cut.
    pub truncated: bool,
    /// Where the whole output lies.
    pub full_output_path: Option<Box<str>>,
    /// Never sent to the model (`!!`).
    pub excluded: bool,
}

/// Text an extension put into the context.
#[derive(Clone, Debug, PartialEq)]
pub struct Custom {
    /// The extension's word for it.
    pub kind: Box<str>,
    /// What the model is shown.
    pub content: Content,
    /// Shown to the person.
    pub display: bool,
    /// The extension's own data, never sent.
    pub details: Option<JsonText>,
}

/// A system message stored in the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// The text.
    pub content: Text,
    /// Named sections that are not null.
    pub sections: Vec<(Box<str>, Text)>,
    /// `toolsAdded`, as JSON: the schemas it adds.
    pub tools_added: Option<JsonText>,
}

/// A message of the context.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The person.
    User(Content),
    /// The model.
    Assistant(Content, Box<Reply>),
    /// A tool's answer.
    ToolResult(Box<ToolResult>),
    /// A shell command of the person.
    Bash(Box<Bash>),
    /// Text of an extension.
    Custom(Box<Custom>),
    /// Summary of an abandoned branch.
    BranchSummary(Text),
    /// Summary of a dropped part.
    CompactionSummary(Text),
    /// A stored system message.
    System(Box<System>),
}

impl Message {
    /// Who speaks.
    pub fn role(&self) -> Role {
        match self {
            Self::User(_) => Role::User,
            Self::Assistant(..) => Role::Assistant,
            Self::ToolResult(_) => Role::ToolResult,
            Self::Bash(_) => Role::BashExecution,
            Self::Custom(_) => Role::Custom,
            Self::BranchSummary(_) => Role::BranchSummary,
            Self::CompactionSummary(_) => Role::CompactionSummary,
            Self::System(_) => Role::System,
        }
    }

    /// Its blocks; none for kinds that are not made of blocks.
    pub fn blocks(&self) -> &[Block] {
        match self {
            Self::User(content) | Self::Assistant(content, _) => &content.blocks,
            Self::ToolResult(result) => &result.content.blocks,
            Self::Custom(custom) => &custom.content.blocks,
            _ => &[],
        }
    }

    /// The same message with another content, which is all that is copied; kinds that are not made of blocks stay as
    /// they are.
    #[must_use]
    pub fn with_content(&self, content: Content) -> Self {
        match self {
            Self::User(_) => Self::User(content),
            Self::Assistant(_, reply) => Self::Assistant(content, reply.clone()),
            Self::ToolResult(result) => Self::ToolResult(Box::new(result.with_content(content))),
            Self::Custom(custom) => Self::Custom(Box::new(Custom {
                kind: custom.kind.clone(),
                content,
                display: custom.display,
                details: custom.details.clone(),
            })),
            other => other.clone(),
        }
    }

    /// The reply, if it is one.
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Assistant(_, reply) => Some(reply),
            _ => None,
        }
    }
}
