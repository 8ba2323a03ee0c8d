//! Telling the formats apart by their first bytes. File names are not looked at.

use super::finding::Lines;
use super::glued;
use super::source::Source;
use super::{
    ImportError, Imported, anthropic, atif, chat, claude_code, codex, gemini, inspect, langgraph, mini_swe, neutral,
    openhands, pi, swe_agent,
};

/// How sure a format is that a file is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Not this format.
    No,
    /// Some records look like it, but the mark of the format is missing.
    Maybe,
    /// The format's own mark is there.
    Sure,
}

/// A transcript format. Adding one takes a module with `sniff` and `read`, and a variant here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Pi session, JSON Lines, versions 1 to 3.
    Pi,
    /// Codex CLI rollout, JSON Lines.
    Codex,
    /// Gemini CLI session, one document or JSON Lines.
    Gemini,
    /// mini-swe-agent trajectory.
    MiniSwe,
    /// SWE-agent trajectory.
    SweAgent,
    /// `LangGraph` thread state, or LangChain messages.
    LangGraph,
    /// `OpenHands` evaluation output or events.
    OpenHands,
    /// ATIF trajectory, versions 1.x.
    Atif,
    /// Inspect log, `.json` or `.eval`.
    Inspect,
    /// Claude Code session, JSON Lines.
    ClaudeCode,
    /// Requests to Anthropic's Messages API: a body or a log.
    AnthropicMessages,
    /// Chat-completions messages in the manner of OpenAI: lists, bodies, logs, data sets.
    OpenAi,
    /// The program's own neutral JSON Lines, which `import --to jsonl` writes.
    Neutral,
}

impl Format {
    /// All formats, in the order in which they are asked.
    pub const ALL: &[Self] = &[
        Self::Pi,
        Self::Neutral,
        Self::ClaudeCode,
        Self::AnthropicMessages,
        Self::Codex,
        Self::Gemini,
        Self::MiniSwe,
        Self::SweAgent,
        Self::LangGraph,
        Self::OpenHands,
        Self::Atif,
        Self::Inspect,
        Self::OpenAi,
    ];

    /// The word for it in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::MiniSwe => "mini-swe-agent",
            Self::SweAgent => "swe-agent",
            Self::LangGraph => "langgraph",
            Self::OpenHands => "openhands",
            Self::Atif => "atif",
            Self::Inspect => "inspect",
            Self::ClaudeCode => "claude-code",
            Self::AnthropicMessages => "anthropic-messages",
            Self::OpenAi => "openai",
            Self::Neutral => "jsonl",
        }
    }

    /// What it is, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Pi => "Pi sessions, versions 1 to 3: JSON Lines whose first line has type `session`",
            Self::Codex => "Codex CLI rollouts: JSON Lines of `timestamp`, `type` and `payload`, old bare items too",
            Self::Gemini => "Gemini CLI sessions: one document with `messages`, or JSON Lines (0.40 and later)",
            Self::MiniSwe => "mini-swe-agent trajectories: `.traj.json` with `messages`, or the bare list",
            Self::SweAgent => "SWE-agent trajectories: `.traj` with `trajectory` and `history`",
            Self::LangGraph => {
                "LangGraph thread states and histories, LangChain and Deep Agents messages: one JSON document"
            }
            Self::OpenHands => "OpenHands `output.jsonl`, V0 event streams and V1 (SDK) events",
            Self::Atif => "ATIF trajectories, versions 1.x: one JSON document, or JSON Lines with a header",
            Self::Inspect => "Inspect logs: `.json`, and `.eval` archives with deflate or zstd; a session per sample",
            Self::ClaudeCode => "Claude Code sessions: JSON Lines whose records have `sessionId` and `parentUuid`",
            Self::AnthropicMessages => {
                "Anthropic Messages: a request body, or a claude-trace log of requests and responses"
            }
            Self::Neutral => "cutpoint's own JSON Lines, one record an entry: what `import --to jsonl` writes",
            Self::OpenAi => "chat-completions messages: lists, request bodies, LiteLLM logs, tau-bench, data sets",
        }
    }

    /// How sure the format is that a file beginning with `head` is its own.
    pub fn sniff(self, head: &[u8]) -> Confidence {
        match self {
            Self::Pi => pi::sniff(head),
            Self::Codex => codex::sniff(head),
            Self::Gemini => gemini::sniff(head),
            Self::MiniSwe => mini_swe::sniff(head),
            Self::SweAgent => swe_agent::sniff(head),
            Self::LangGraph => langgraph::sniff(head),
            Self::OpenHands => openhands::sniff(head),
            Self::Atif => atif::sniff(head),
            Self::Inspect => inspect::sniff(head),
            Self::ClaudeCode => claude_code::sniff(head),
            Self::AnthropicMessages => anthropic::sniff(head),
            Self::OpenAi => chat::sniff(head),
            Self::Neutral => neutral::sniff(head),
        }
    }

    /// Reads a whole file of this format: one transcript, or several where the format allows it.
    pub fn read(self, bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
        self.read_from(&mut Source::bytes(bytes))
    }

    /// [`Self::read`] of a file that need not be in memory. The formats that can be one document are read whole.
    pub(super) fn read_from(self, source: &mut Source<'_>) -> Result<Vec<Imported>, ImportError> {
        match self {
            Self::Pi => pi::read_from(source).map(|one| vec![one]),
            Self::Codex => codex::read_from(source),
            Self::ClaudeCode => claude_code::read_from(source),
            Self::Neutral => neutral::read_from(source).map(|one| vec![one]),
            _ => {
                let bytes = source.whole()?;
                let mut all = self.read_whole(bytes)?;
                columns(bytes, &mut all);
                glued::read_rest(self, bytes, &mut all);
                Ok(all)
            }
        }
    }

    /// Reads a file that is in memory. Findings of values have offsets and no columns yet.
    pub(super) fn read_whole(self, bytes: &[u8]) -> Result<Vec<Imported>, ImportError> {
        match self {
            Self::Pi => pi::read(bytes).map(|one| vec![one]),
            Self::Codex => codex::read(bytes),
            Self::Gemini => gemini::read(bytes),
            Self::MiniSwe => mini_swe::read(bytes),
            Self::SweAgent => swe_agent::read(bytes),
            Self::LangGraph => langgraph::read(bytes),
            Self::OpenHands => openhands::read(bytes),
            Self::Atif => atif::read(bytes),
            Self::Inspect => inspect::read(bytes),
            Self::ClaudeCode => claude_code::read(bytes),
            Self::AnthropicMessages => anthropic::read(bytes),
            Self::OpenAi => chat::read(bytes),
            Self::Neutral => neutral::read(bytes).map(|one| vec![one]),
        }
    }
}

/// Gives the findings that know only their offset their columns.
pub(super) fn columns(bytes: &[u8], all: &mut [Imported]) {
    let lines = Lines::of(bytes);
    for one in all {
        lines.columns(&mut one.findings);
        lines.of_entries(&mut one.places, |at| at);
    }
}

/// `head` without what may stand before a file: a byte order mark, NULs, white space.
fn bare(head: &[u8]) -> &[u8] {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let start = head.iter().position(|byte| *byte != 0 && !byte.is_ascii_whitespace());
    &head[start.unwrap_or(head.len())..]
}

/// The format that is surest of a file beginning with `head`; the earlier of two that are equally sure.
///
/// Some 64 KiB are enough. They may end inside a line, or inside a character.
pub fn sniff(head: &[u8]) -> Option<Format> {
    let head = bare(head);
    let mut best = (Confidence::No, None);
    for &format in Format::ALL {
        let confidence = format.sniff(head);
        if confidence > best.0 {
            best = (confidence, Some(format));
        }
    }
    best.1
}
