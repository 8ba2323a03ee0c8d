//! A light message of the LangChain kind, borrowing its text.

use std::borrow::Cow;

use crate::transcript::{Text, Tokens};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Instructions.
    System,
    /// The person.
    Human,
    /// The model.
    Ai,
    /// The answer to a tool call.
    Tool,
}

impl Role {
    /// LangChain's `type`.
    pub fn kind(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Human => "human",
            Self::Ai => "ai",
            Self::Tool => "tool",
        }
    }

    /// Length of OpenAI's word for the role, which the estimate counts.
    pub(super) fn openai_chars(self) -> usize {
        match self {
            Self::System => "system".len(),
            Self::Human => "user".len(),
            Self::Ai => "assistant".len(),
            Self::Tool => "tool".len(),
        }
    }
}

/// A text with its number of code points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measured<'a> {
    text: Cow<'a, str>,
    chars: usize,
}

impl<'a> Measured<'a> {
    /// Counts `text`.
    pub fn new(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        let chars = bytecount::num_chars(text.as_bytes());
        Self { text, chars }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Length in code points.
    pub fn chars(&self) -> usize {
        self.chars
    }
}

impl<'a> From<&'a Text> for Measured<'a> {
    fn from(text: &'a Text) -> Self {
        Self { text: Cow::Borrowed(text.as_str()), chars: text.char_len() }
    }
}

/// What a message holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Content<'a> {
    /// A string, as the pieces it is joined from.
    Text(Vec<Measured<'a>>),
    /// A list of blocks.
    Parts(Vec<Part<'a>>),
}

impl<'a> Content<'a> {
    /// A string in one piece.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(vec![Measured::new(text)])
    }

    /// A string's pieces joined, or the text blocks of a list joined with `between`.
    pub fn joined(&self, between: &str) -> Cow<'_, str> {
        let pieces: Vec<&str> = match self {
            Self::Text(pieces) => {
                return match pieces.as_slice() {
                    [one] => Cow::Borrowed(one.as_str()),
                    more => Cow::Owned(more.iter().map(Measured::as_str).collect()),
                };
            }
            Self::Parts(parts) => parts.iter().filter_map(Part::text).collect(),
        };
        match pieces.as_slice() {
            [one] => Cow::Borrowed(one),
            more => Cow::Owned(more.join(between)),
        }
    }

    /// Code points of [`Content::joined`] with a separator of one character.
    pub fn text_chars(&self) -> usize {
        match self {
            Self::Text(pieces) => pieces.iter().map(Measured::chars).sum(),
            Self::Parts(parts) => {
                let texts: Vec<usize> = parts.iter().filter_map(Part::measured).map(Measured::chars).collect();
                texts.iter().sum::<usize>() + texts.len().saturating_sub(1)
            }
        }
    }
}

/// A block of list content.
#[derive(Clone, Debug, PartialEq)]
pub enum Part<'a> {
    /// A bare string in the list.
    Plain(Measured<'a>),
    /// `{"type": "text", "text": …}`.
    Text(Measured<'a>),
    /// `{"type": "thinking", "thinking": …, "signature": …}`, as Anthropic writes it.
    Thinking {
        /// The readable part.
        text: Cow<'a, str>,
        /// The signature, left out of the block when there is none.
        signature: Option<Cow<'a, str>>,
    },
    /// `{"type": "tool_use", "id": …, "name": …, "input": …}`, as Anthropic writes a call.
    ToolUse(Call<'a>),
    /// `image` or `image_url`.
    Image(Image<'a>),
    /// Any other block, as JSON.
    Other(Cow<'a, str>),
}

impl<'a> Part<'a> {
    /// The text with its length, if the block is text.
    pub fn measured(&self) -> Option<&Measured<'a>> {
        match self {
            Self::Plain(text) | Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text, if the block is text.
    pub fn text(&self) -> Option<&str> {
        self.measured().map(Measured::as_str)
    }
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Image<'a> {
    /// Base64 data within the message.
    Inline {
        /// Base64.
        data: Cow<'a, str>,
        /// Media type, such as `image/png`.
        media_type: Cow<'a, str>,
    },
    /// A link, which may be a path or a `data:` URL.
    Link(Cow<'a, str>),
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// Pairs the call with its result.
    pub id: Cow<'a, str>,
    /// The tool.
    pub name: Cow<'a, str>,
    /// The arguments: a JSON object, or the text that failed to be one in an invalid call.
    pub arguments: Cow<'a, str>,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatMessage<'a> {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Content<'a>,
    /// The speaker's name, or the tool's.
    pub name: Option<Cow<'a, str>>,
    /// `tool_calls` of an assistant message.
    pub calls: Vec<Call<'a>>,
    /// `invalid_tool_calls`: calls whose arguments are not a JSON object. Never counted.
    pub invalid_calls: Vec<Call<'a>>,
    /// `tool_call_id` of a tool result.
    pub answers: Option<Cow<'a, str>>,
    /// `usage_metadata.total_tokens`.
    pub usage: Option<Tokens>,
    /// `response_metadata.model_provider`.
    pub provider: Option<Cow<'a, str>>,
    /// The summary of an earlier compaction (`lc_source = "summarization"`).
    pub is_summary: bool,
}

impl<'a> ChatMessage<'a> {
    /// A message with nothing but content.
    pub fn new(role: Role, content: Content<'a>) -> Self {
        Self {
            role,
            content,
            name: None,
            calls: Vec::new(),
            invalid_calls: Vec::new(),
            answers: None,
            usage: None,
            provider: None,
            is_summary: false,
        }
    }

    /// The same message with other content.
    #[must_use]
    pub fn with_content(&self, content: Content<'a>) -> Self {
        Self { content, ..self.clone() }
    }

    /// The same message with `text` in place of all its text; blocks that are not text stay.
    #[must_use]
    pub fn with_text(&self, text: String) -> Self {
        let text = Measured::new(text);
        let content = match &self.content {
            Content::Parts(parts) if parts.iter().any(|part| part.text().is_none()) => {
                let others = parts.iter().filter(|part| part.text().is_none()).cloned();
                Content::Parts(std::iter::once(Part::Text(text)).chain(others).collect())
            }
            _ => Content::Text(vec![text]),
        };
        self.with_content(content)
    }
}
