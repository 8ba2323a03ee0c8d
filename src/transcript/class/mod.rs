//! What kind of content a text is: the classes by which errors of estimators are told apart.
//!
//! Version 1. A class is decided by shares of bytes and votes of lines, in this order:
//!
//! 1. a block that says what it is: a picture, reasoning, a tool call (JSON), a schema;
//! 2. **CJK** when a quarter of the visible characters are Chinese, Japanese or Korean;
//! 3. **encoded** when half of the visible bytes stand in unbroken runs of base64 or hexadecimal digits;
//! 4. the class with the most bytes among the lines that have one ([`line`]): diff, JSON, log, code, prose;
//! 5. prose, when no line has one.
//!
//! The rules are heuristics of our own, fixed by the hand-labelled texts of the tests. A change of any of them raises
//! [`CLASSIFIER_VERSION`], because errors by class of two versions are not comparable.

mod census;
mod diff;
mod line;
#[cfg(test)]
mod tests;

pub use census::Script;

use census::Census;
use diff::DiffState;

use super::{Block, Message, System};

/// Version of the rules.
pub const CLASSIFIER_VERSION: u32 = 1;

/// A kind of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentClass {
    /// Sentences in an alphabet.
    Prose,
    /// Source code, markup, shell commands.
    Code,
    /// JSON and its look-alikes; arguments of tool calls.
    Json,
    /// A unified diff.
    Diff,
    /// Output of programs: time-stamped lines, stack traces, listings, tables of numbers.
    Log,
    /// Text with a quarter or more of Chinese, Japanese or Korean characters, whatever it is.
    Cjk,
    /// Base64 or hexadecimal data.
    Encoded,
    /// A picture.
    Image,
    /// Tool schemas.
    ToolSchema,
    /// Reasoning of the model.
    Thinking,
}

impl ContentClass {
    /// All, in the order of reports.
    pub const ALL: [Self; 10] = [
        Self::Prose,
        Self::Code,
        Self::Json,
        Self::Diff,
        Self::Log,
        Self::Cjk,
        Self::Encoded,
        Self::Image,
        Self::ToolSchema,
        Self::Thinking,
    ];

    /// Its name in reports and configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Code => "code",
            Self::Json => "json",
            Self::Diff => "diff",
            Self::Log => "log",
            Self::Cjk => "cjk",
            Self::Encoded => "encoded",
            Self::Image => "image",
            Self::ToolSchema => "tool_schema",
            Self::Thinking => "thinking",
        }
    }

    /// The class of a block.
    pub fn of_block(block: &Block) -> Self {
        match block {
            Block::Text(text) => Self::of_text(text.as_str()),
            Block::Thinking { .. } => Self::Thinking,
            Block::ToolCall(_) | Block::Other(_) => Self::Json,
            Block::Image(_) => Self::Image,
        }
    }

    /// The class of a text, in one pass over its bytes and one over its lines.
    pub fn of_text(text: &str) -> Self {
        describe(text).0
    }
}

/// Class and script of a text.
pub fn describe(text: &str) -> (ContentClass, Script) {
    let census = Census::of(text);
    let class = if census.is_cjk() {
        ContentClass::Cjk
    } else if census.is_encoded() {
        ContentClass::Encoded
    } else {
        vote(text)
    };
    (class, census.script())
}

/// The class and script of the longest part; a picture is as long as a text of `image_bytes`.
pub fn dominant(message: &Message, image_bytes: u64) -> (ContentClass, Script) {
    let mut best = (0, ContentClass::Prose, Script::None);
    message_parts(message, |class, script, text| {
        let length = text.map_or(image_bytes, |text| text.len() as u64);
        if length > best.0 {
            best = (length, class, script);
        }
    });
    (best.1, best.2)
}

/// Every part of a message that stages may count, with its class: `each` gets the class, the script, and the text
/// (nothing for a picture). A text that is not made of blocks is a part of its own; reasoning and arguments are parts.
pub fn message_parts<'m>(message: &'m Message, mut each: impl FnMut(ContentClass, Script, Option<&'m str>)) {
    let mut text = |text: &'m str| {
        let (class, script) = describe(text);
        each(class, script, Some(text));
    };
    match message {
        Message::Bash(bash) => {
            text(bash.command.as_str());
            text(bash.output.as_str());
        }
        Message::BranchSummary(summary) | Message::CompactionSummary(summary) => text(summary.as_str()),
        Message::System(system) => {
            let System { content, sections, tools_added } = &**system;
            text(content.as_str());
            for (_, section) in sections {
                text(section.as_str());
            }
            if let Some(tools) = tools_added {
                each(ContentClass::ToolSchema, Census::of(tools.as_str()).script(), Some(tools.as_str()));
            }
        }
        _ => message.blocks().iter().for_each(|block| block_parts(block, &mut each)),
    }
}

fn block_parts<'m>(block: &'m Block, each: &mut impl FnMut(ContentClass, Script, Option<&'m str>)) {
    let script = |text: &str| Census::of(text).script();
    match block {
        Block::Text(text) => {
            let (class, script) = describe(text.as_str());
            each(class, script, Some(text.as_str()));
        }
        Block::Thinking { text, .. } => each(ContentClass::Thinking, script(text.as_str()), Some(text.as_str())),
        Block::ToolCall(call) => {
            each(ContentClass::Json, Script::Latin, Some(call.name.as_str()));
            each(ContentClass::Json, script(call.arguments.as_str()), Some(call.arguments.as_str()));
        }
        Block::Image(_) => each(ContentClass::Image, Script::None, None),
        Block::Other(raw) => each(ContentClass::Json, script(raw.as_str()), Some(raw.as_str())),
    }
}

/// The class with the most bytes; of two with as many the earlier one in [`ContentClass::ALL`].
fn vote(text: &str) -> ContentClass {
    let mut votes = [0usize; 7];
    let mut fence: Option<ContentClass> = None;
    let mut diff = DiffState::default();
    for line in text.split('\n') {
        let trimmed = line.trim();
        if let Some(language) = trimmed.strip_prefix("```").or_else(|| trimmed.strip_prefix("~~~")) {
            fence = if fence.is_some() { None } else { Some(fenced(language)) };
            continue;
        }
        let class = if diff.takes(line) { Some(ContentClass::Diff) } else { line::class(line) };
        let class = match (fence, class) {
            // What stands in a fence is not prose, and what cannot be told is of the fence.
            (Some(inside), None | Some(ContentClass::Prose)) => Some(inside),
            (_, class) => class,
        };
        if let Some(class) = class {
            votes[class as usize] += trimmed.len();
        }
    }
    let most = votes.iter().copied().max().unwrap_or(0);
    let first = votes.iter().position(|&bytes| bytes == most).filter(|_| most > 0);
    first.map_or(ContentClass::Prose, |index| ContentClass::ALL[index])
}

/// What a fence holds, by the word behind it.
fn fenced(language: &str) -> ContentClass {
    match language.split_whitespace().next().unwrap_or_default() {
        "json" | "jsonl" | "json5" => ContentClass::Json,
        "diff" | "patch" => ContentClass::Diff,
        "log" | "text" | "txt" | "console" => ContentClass::Log,
        _ => ContentClass::Code,
    }
}
