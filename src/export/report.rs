//! What a target cannot hold.

use std::collections::BTreeMap;

use super::Past;
use crate::transcript::{Block, EntryKind, JsonText, Message, StopReason, Transcript};

/// What became of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It is not in the output.
    Lost,
    /// It is in the output in another form.
    Changed,
    /// It is in fields that the target's own programs pass over; reading the file here gives it back.
    KeptAside,
    /// It is in the output and was not in the source.
    Added,
}

impl Fate {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Changed => "changed",
            Self::KeptAside => "kept aside",
            Self::Added => "added",
        }
    }
}

/// A kind of thing that a target has no place for, or another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is described by its own word in `about`")]
pub enum Change {
    Head,
    FormatVersion,
    HeaderFields,
    ForeignNotes,
    Replacements,
    UnknownSize,
    OtherTimes,
    CollidingFields,
    JsonSpacing,
    OtherBranches,
    Notes,
    ModelChanges,
    ThinkingLevels,
    Compacted,
    Compactions,
    UnreadableSummaries,
    FailedReplies,
    ExcludedCommands,
    OrphanResults,
    StandIns,
    Usage,
    Times,
    StopReasons,
    ErrorMarks,
    Details,
    ExtraFields,
    Signatures,
    ForeignParts,
    ImagesInResults,
    SentAsUser,
    EmptyReplies,
    AddedTools,
    Models,
    Edits,
}

impl Change {
    /// The word for it, and what it is.
    pub fn about(self) -> (&'static str, &'static str) {
        match self {
            Self::Head => ("head", "system prompt and tool schemas"),
            Self::FormatVersion => ("format-version", "version of the source's format"),
            Self::HeaderFields => ("header-fields", "facts of the header: id, folder, time and others"),
            Self::ForeignNotes => ("foreign-notes", "records of another format that never reach the model"),
            Self::Replacements => ("replacements", "contexts that the source writes out after a compaction"),
            Self::UnknownSize => {
                ("unknown-size", "compactions of which the size before is not known; the target reads 0")
            }
            Self::OtherTimes => ("other-times", "message times of records that are no message"),
            Self::CollidingFields => ("colliding-fields", "entries with fields that the target would take for its own"),
            Self::JsonSpacing => ("json-spacing", "line breaks between the tokens of kept JSON, now spaces"),
            Self::OtherBranches => ("other-branches", "entries that are not on the current branch"),
            Self::Notes => ("notes", "records that never reach the model"),
            Self::ModelChanges => ("model-changes", "changes of the model"),
            Self::ThinkingLevels => ("thinking-levels", "changes of the thinking level"),
            Self::Compacted => ("compacted-messages", "messages that a recorded compaction dropped"),
            Self::Compactions => ("compactions", "recorded compactions: their place, size and details"),
            Self::UnreadableSummaries => ("unreadable-summaries", "encrypted summaries"),
            Self::FailedReplies => ("failed-replies", "failed or stopped replies, which are not sent again"),
            Self::ExcludedCommands => ("excluded-commands", "shell commands that the person kept from the model"),
            Self::OrphanResults => ("orphan-results", "tool results without their call, which a provider refuses"),
            Self::StandIns => ("stand-in-results", "results for calls that nothing answered"),
            Self::Usage => ("usage", "recorded usage of replies"),
            Self::Times => ("times", "ids and times of entries"),
            Self::StopReasons => ("stop-reasons", "why a reply ended, where it is not plain from its content"),
            Self::ErrorMarks => ("error-marks", "marks of failed tool results"),
            Self::Details => ("details", "data of results and extensions that is never sent"),
            Self::ExtraFields => ("extra-fields", "entries with fields that the model of a session has no place for"),
            Self::Signatures => ("signatures", "signatures of reasoning, and reasoning that was withheld"),
            Self::ForeignParts => ("foreign-parts", "content parts of unknown kind, written as they are"),
            Self::ImagesInResults => {
                ("images-in-results", "pictures in tool results, where the API itself takes text only")
            }
            Self::SentAsUser => {
                ("sent-as-user", "commands, extension texts and summaries, which are sent as user messages")
            }
            Self::EmptyReplies => ("empty-replies", "replies without any content"),
            Self::AddedTools => ("added-tools", "tool schemas that a message added later, now among all tools"),
            Self::Models => ("models", "models of replies other than the last, and providers"),
            Self::Edits => ("edits", "recorded changes of messages, now applied"),
        }
    }
}

/// How much of each kind was lost, changed, kept aside or added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report(BTreeMap<(Fate, Change), usize>);

impl Report {
    /// Counts `number` more; nothing for zero.
    pub fn add(&mut self, fate: Fate, change: Change, number: usize) {
        if number > 0 {
            *self.0.entry((fate, change)).or_default() += number;
        }
    }

    /// All counts that are not zero, what is lost first.
    pub fn counts(&self) -> impl Iterator<Item = (Fate, Change, usize)> {
        self.0.iter().map(|(&(fate, change), &number)| (fate, change, number))
    }

    /// How many of a kind.
    pub fn of(&self, fate: Fate, change: Change) -> usize {
        self.0.get(&(fate, change)).copied().unwrap_or_default()
    }

    /// Takes over the counts of `other`.
    pub fn append(&mut self, other: &Self) {
        other.counts().for_each(|(fate, change, number)| self.add(fate, change, number));
    }
}

/// What a Pi session keeps aside.
pub(super) fn of_pi(transcript: &Transcript) -> Report {
    let mut report = Report::default();
    let head = &transcript.head;
    report.add(Fate::KeptAside, Change::Head, usize::from(head.system.is_some() || head.tools.is_some()));
    report.add(
        Fate::Lost,
        Change::FormatVersion,
        usize::from(transcript.meta.version.is_some_and(|version| version != 3)),
    );
    for entry in &transcript.entries {
        let aside = crate::import::pi::aside(entry);
        report.add(Fate::KeptAside, Change::ForeignNotes, usize::from(aside.note));
        report.add(Fate::KeptAside, Change::Replacements, usize::from(aside.replacement));
        report.add(Fate::KeptAside, Change::UnknownSize, usize::from(aside.size_unknown));
        report.add(Fate::KeptAside, Change::OtherTimes, usize::from(aside.time));
        report.add(Fate::KeptAside, Change::CollidingFields, usize::from(aside.fields));
    }
    report.append(&of_neutral(transcript));
    report
}

/// What the neutral form changes.
pub(super) fn of_neutral(transcript: &Transcript) -> Report {
    let mut report = Report::default();
    let broken = |json: &JsonText| json.as_str().contains(['\n', '\r']);
    let mut spaced = usize::from(transcript.meta.extra.as_ref().is_some_and(broken));
    for entry in &transcript.entries {
        spaced += usize::from(entry.extra.as_ref().is_some_and(broken));
        spaced += match &entry.kind {
            EntryKind::Message(message) => {
                let details = details(message).into_iter().flatten().filter(|json| broken(json)).count();
                let blocks = message.blocks().iter().filter(|block| match block {
                    Block::ToolCall(call) => broken(&call.arguments),
                    Block::Other(raw) => broken(raw),
                    _ => false,
                });
                details + blocks.count()
            }
            EntryKind::Note { raw, .. } => usize::from(broken(raw)),
            EntryKind::Compaction(one) => {
                [&one.details, &one.system].into_iter().flatten().filter(|json| broken(json)).count()
            }
            EntryKind::BranchSummary(branch) => usize::from(branch.details.as_ref().is_some_and(broken)),
            _ => 0,
        };
    }
    report.add(Fate::Changed, Change::JsonSpacing, spaced);
    report
}

/// JSON of a message that is never sent.
fn details(message: &Message) -> [Option<&JsonText>; 3] {
    match message {
        Message::ToolResult(result) => [result.details.as_ref(), result.nested_calls.as_deref(), None],
        Message::Custom(custom) => [custom.details.as_ref(), None, None],
        Message::System(system) => [None, None, system.tools_added.as_ref()],
        _ => [None; 3],
    }
}

/// What the body of a request leaves out besides its messages' own parts.
pub(super) fn of_openai(transcript: &Transcript, past: Past) -> Report {
    let mut report = Report::default();
    let mut lost = |change, number: usize| report.add(Fate::Lost, change, number);
    let path = transcript.path();
    lost(Change::OtherBranches, transcript.entries.len() - path.len());
    lost(Change::HeaderFields, 1);
    for entry in path.iter().map(|&idx| transcript.entry(idx)) {
        lost(Change::Times, 1);
        lost(Change::ExtraFields, usize::from(entry.extra.is_some()));
        match &entry.kind {
            EntryKind::Note { .. } => lost(Change::Notes, 1),
            EntryKind::ModelChange { .. } => lost(Change::ModelChanges, 1),
            EntryKind::ThinkingLevelChange(_) => lost(Change::ThinkingLevels, 1),
            EntryKind::Compaction(compaction) => {
                lost(Change::Compactions, 1);
                let unreadable = compaction.summary.is_empty() && !compaction.replacement.is_empty();
                lost(Change::UnreadableSummaries, usize::from(unreadable && past == Past::Recorded));
            }
            EntryKind::Message(message) => of_message(message, &mut lost),
            EntryKind::BranchSummary(_) | EntryKind::ContextEdit(_) => {}
        }
    }
    report
}

fn of_message(message: &Message, lost: &mut impl FnMut(Change, usize)) {
    if let Some(reply) = message.reply() {
        lost(Change::Usage, usize::from(reply.usage.is_some()));
        let plain = match reply.stop {
            StopReason::Stop => !calls(message),
            StopReason::ToolUse => calls(message),
            _ => false,
        };
        lost(Change::StopReasons, usize::from(!plain && !reply.failed()));
    }
    if let Message::ToolResult(result) = message {
        lost(Change::ErrorMarks, usize::from(result.is_error));
    }
    if !matches!(message, Message::System(_)) {
        lost(Change::Details, details(message).into_iter().flatten().count());
    }
    let signed = |block: &&Block| matches!(block, Block::Thinking { signature, redacted, .. } if signature.is_some() || *redacted);
    lost(Change::Signatures, message.blocks().iter().filter(signed).count());
}

fn calls(message: &Message) -> bool {
    message.blocks().iter().any(|block| matches!(block, Block::ToolCall(_)))
}
