//! The conversation as Pi sees it: the path of a leaf, context edits applied, the newest compaction in force.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::{Positions, Rules, message_tokens};
use crate::engine::view::{Kind, Track};
use crate::transcript::{Compaction, Content, Entry, EntryIdx, EntryKind, Message, Role, Tokens, Transcript};

/// One message of a context, and the place on the path it comes from (`None` for a summary).
#[derive(Clone, Debug)]
pub struct Item<'a> {
    /// Position on the path.
    pub position: Option<usize>,
    /// The message.
    pub message: Cow<'a, Message>,
}

/// A path, root first, with the message that each of its entries yields and what it counts.
#[derive(Debug)]
pub struct Path<'a> {
    entries: Vec<&'a Entry>,
    messages: Vec<Option<Cow<'a, Message>>>,
    estimates: Track,
    rules: &'a Rules,
}

impl Positions for Path<'_> {
    fn kind(&self, at: usize) -> Kind {
        match (&self.messages[at], &self.entries[at].kind) {
            (Some(message), _) => Kind::Message(message.role()),
            (None, EntryKind::Compaction(_)) => Kind::Boundary,
            // The older releases look at the type of the entry, not at what it yields.
            (None, EntryKind::BranchSummary(_)) if !self.rules.cut_sees_injected => Kind::Message(Role::BranchSummary),
            (None, _) => Kind::Hidden,
        }
    }

    fn estimates(&self) -> &Track {
        &self.estimates
    }
}

impl<'a> Path<'a> {
    /// The path `indices` of `transcript`, as the release of `rules` reads it.
    pub fn new(transcript: &'a Transcript, indices: &[EntryIdx], rules: &'a Rules) -> Self {
        let entries: Vec<&Entry> = indices.iter().map(|&idx| transcript.entry(idx)).collect();
        let mut edits = HashMap::new();
        for entry in entries.iter().filter(|_| rules.projection) {
            if let EntryKind::ContextEdit(edit) = &entry.kind {
                edits.insert(&*edit.target, edit.replacement.as_ref());
            }
        }
        Self::with_edits(entries, &edits, rules)
    }

    fn with_edits(entries: Vec<&'a Entry>, edits: &HashMap<&str, Option<&Content>>, rules: &'a Rules) -> Self {
        let messages: Vec<_> = entries.iter().map(|entry| yielded(entry, edits)).collect();
        let mut estimates = Track::default();
        for message in &messages {
            estimates.push(message.as_ref().map_or_else(Default::default, |message| message_tokens(message, rules)));
        }
        Self { entries, messages, estimates, rules }
    }

    /// Entries on the path.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the path has no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry at a position.
    pub fn entry(&self, position: usize) -> &'a Entry {
        self.entries[position]
    }

    /// The context message of the entry at a position.
    pub fn message(&self, position: usize) -> Option<&Cow<'a, Message>> {
        self.messages[position].as_ref()
    }

    /// The path as the exported cut function of Pi is given it: without context edits, and since 0.80.4 with the
    /// summaries of older compactions counted where they stand.
    #[must_use]
    pub fn as_recorded(&self) -> Self {
        let mut path = Self::with_edits(self.entries.clone(), &HashMap::new(), self.rules);
        if self.rules.cut_sees_injected {
            let counts = self.entries.iter().enumerate().map(|(at, entry)| match &entry.kind {
                EntryKind::Compaction(one) => {
                    message_tokens(&Message::CompactionSummary(one.summary.clone()), self.rules)
                }
                _ => path.estimates.at(at),
            });
            let counts: Vec<Tokens> = counts.collect();
            path.estimates.rebuild(counts);
        }
        path
    }

    /// The release.
    pub fn rules(&self) -> &'a Rules {
        self.rules
    }

    /// The newest compaction and its position.
    pub fn compaction(&self) -> Option<(usize, &'a Compaction)> {
        self.entries.iter().enumerate().rev().find_map(|(position, entry)| match &entry.kind {
            EntryKind::Compaction(compaction) => Some((position, &**compaction)),
            _ => None,
        })
    }

    /// Position of the newest entry that changed what earlier usage had counted.
    pub fn last_change(&self) -> Option<usize> {
        self.entries
            .iter()
            .rposition(|entry| matches!(entry.kind, EntryKind::Compaction(_) | EntryKind::ContextEdit(_)))
    }

    /// Position of an id, before `end`.
    pub fn find(&self, id: &str, end: usize) -> Option<usize> {
        self.entries[..end].iter().position(|entry| &*entry.id == id)
    }

    /// Messages of a range of positions.
    pub fn items(&self, range: Range<usize>) -> impl Iterator<Item = Item<'a>> + '_ {
        range.filter_map(|position| {
            let message = self.messages[position].clone()?;
            Some(Item { position: Some(position), message })
        })
    }

    /// `buildSessionContext`: the newest summary, what it kept, and what came after.
    pub fn context(&self) -> Vec<Item<'a>> {
        let Some((at, compaction)) = self.compaction() else {
            return self.items(0..self.len()).collect();
        };
        let kept = compaction.first_kept.as_deref().and_then(|id| self.find(id, at)).unwrap_or(at);
        let summary = Message::CompactionSummary(compaction.summary.clone());
        let mut items = vec![Item { position: None, message: Cow::Owned(summary) }];
        items.extend(self.items(kept..at).filter(|item| !is_system(item)));
        items.extend(self.items(at + 1..self.len()));
        items
    }
}

/// Whether it is a stored system message.
pub(super) fn is_system(item: &Item<'_>) -> bool {
    item.message.role() == Role::System
}

fn yielded<'a>(entry: &'a Entry, edits: &HashMap<&str, Option<&Content>>) -> Option<Cow<'a, Message>> {
    let message = match &entry.kind {
        EntryKind::Message(message) => Cow::Borrowed(message),
        EntryKind::BranchSummary(branch) if !branch.summary.is_empty() => {
            Cow::Owned(Message::BranchSummary(branch.summary.clone()))
        }
        _ => return None,
    };
    match edits.get(&*entry.id) {
        None => Some(message),
        Some(None) => None,
        Some(Some(content)) => Some(Cow::Owned(message.with_content((*content).clone()))),
    }
}
