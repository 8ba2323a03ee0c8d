//! What a reader was asked after the last cut of a cell, and what it answered.

use serde::{Deserialize, Serialize};

/// Probes and next actions of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExamRecord {
    /// Who answered.
    pub reader: String,
    /// The answers are a mock's: they say nothing about a real model.
    pub mock: bool,
    /// Why nothing was asked; `None` when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
    /// The request after the cut, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_request: Option<u64>,
    /// SHA-256 of the question bank, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_sha256: Option<String>,
    /// SHA-256 of the context after the cut, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view_sha256: Option<String>,
    /// Annotated items of the dropped part that gave no question, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutRecord>,
    /// Calls that were made, those with the same prompt as another included.
    pub requests_count: u64,
    /// Reference tokens of their prompts.
    pub input_tokens: u64,
    /// Reference tokens of their answers.
    pub output_tokens: u64,
    /// The probes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probes: Vec<ProbeRecord>,
    /// The next actions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionRecord>,
}

/// An annotated item that gave no question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutRecord {
    /// The item.
    pub item: String,
    /// Why.
    pub reason: String,
}

/// A question and its answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeRecord {
    /// Its id within the bank.
    pub probe: String,
    /// What it asks for, such as `recall`.
    pub kind: String,
    /// The annotated item behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// The question.
    pub question: String,
    /// The right answer, in words; `None` in runs that did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// It enters effect retention: the whole history answers it, and nothing does not.
    pub kept: bool,
    /// The answers, by condition and run.
    pub answers: Vec<AnswerRecord>,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerRecord {
    /// What the reader saw: `full`, `view`, `empty`, `search`.
    pub condition: String,
    /// Which run of the condition, from 0.
    pub run: u32,
    /// `right`, `wrong`, `stale`, `abstained`, `unparsed`, `refused`, `overflow`.
    pub verdict: String,
    /// The answer, as it was read from the reply.
    pub answer: String,
    /// The words of the search, for `search`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

fn in_words() -> String {
    "words".to_owned()
}

/// A recorded tool call, and the one that the reader named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActionRecord {
    /// The request, from 1.
    pub request: u64,
    /// Line of the recorded reply in its file.
    pub line: u64,
    /// What the reader saw: `view`, `full`.
    pub condition: String,
    /// `agrees`, `same_tool`, `differs`, `unparsed`, `refused`, `overflow`.
    pub verdict: String,
    /// The recorded calls: tool and target.
    pub recorded: Vec<String>,
    /// The call in the reply: tool and target; `None` when none can be read.
    pub named: Option<String>,
    /// Where the offered tools are known from: `file`, `seen` (names of recorded calls, any object for arguments),
    /// `file_and_seen`, `unknown`; empty in records of before.
    #[serde(default)]
    pub tools: String,
    /// How they were offered: `protocol`, or `words` (lines of the prompt, the only way of before).
    #[serde(default = "in_words")]
    pub offered: String,
}
