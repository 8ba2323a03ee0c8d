//! What a recorded summary lost, without annotations: of the names and values that the person said or the agent acted on
//! in the dropped part, those that the summary does not hold, each with the line that said it.

use std::collections::{BTreeMap, BTreeSet};

use super::entity::{EntityId, EntityIndex, Kind, extract};
use super::seen::{Recovered, Seen};
use crate::replay::{CompactionEvent, Item, ReplayEvent, Source};
use crate::transcript::{EntryIdx, EntryKind, Message, Tokens, Transcript};

/// A fact of the dropped part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedFact {
    /// What it is.
    pub kind: Kind,
    /// Its normal form: text of the session.
    pub key: String,
    /// Line of the session file that said it last before the cut.
    pub line: usize,
    /// It stands in the summary, or in what was put back.
    pub kept: bool,
    /// Line of the reply that acts on it next; `None`: never again.
    pub next_use: Option<usize>,
    /// Line of the tool result or message that said it again before that.
    pub said_again: Option<usize>,
}

/// One recorded compaction.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditedCut {
    /// Number of the next request, from 1.
    pub request: u64,
    /// Line of the reply before it.
    pub after_line: usize,
    /// Reference tokens dropped.
    pub dropped: Tokens,
    /// Reference tokens of what stands for them.
    pub summary: Tokens,
    /// The summary can be read; an encrypted one cannot, and nothing is said about it.
    pub readable: bool,
    /// The facts of the dropped part, by line.
    pub facts: Vec<AuditedFact>,
}

/// Observes a replay of the recorded history.
#[derive(Debug)]
pub struct Audit<'m> {
    transcript: &'m Transcript,
    path: &'m [EntryIdx],
    index: &'m EntityIndex,
    now: Option<EntryIdx>,
    recovered: Recovered,
    /// Facts that summaries have kept so far: the next one must keep them too.
    carried: BTreeSet<EntityId>,
    cuts: Vec<AuditedCut>,
}

impl<'m> Audit<'m> {
    /// An audit of one session along its path.
    pub fn new(transcript: &'m Transcript, path: &'m [EntryIdx], index: &'m EntityIndex) -> Self {
        Self {
            transcript,
            path,
            index,
            now: None,
            recovered: Recovered::default(),
            carried: BTreeSet::new(),
            cuts: Vec::new(),
        }
    }

    /// Sees the next event.
    pub fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => self.now = Some(request.entry),
            ReplayEvent::Compaction(compaction) => self.compaction(compaction),
            _ => {}
        }
    }

    /// The recorded compactions, in order.
    pub fn finish(self) -> Vec<AuditedCut> {
        self.cuts
    }

    /// What an entry states as a fact: everything that the person says, and what the agent puts into a call.
    fn facts(&self, idx: EntryIdx) -> Vec<EntityId> {
        let Some(says) = self.index.says(idx) else { return Vec::new() };
        match &self.transcript.entry(idx).kind {
            EntryKind::Message(Message::User(_)) => says.entities.clone(),
            _ => says.uses.iter().filter(|one| one.in_call).map(|one| one.entity).collect(),
        }
    }

    fn compaction(&mut self, event: &CompactionEvent<'_, '_>) {
        self.recovered.note(event);
        let seen = Seen::new(event.after, &self.recovered);
        let readable = event.summary.message.is_some();
        let mut visible = BTreeSet::new();
        for says in seen.entries.iter().filter_map(|&idx| self.index.says(idx)) {
            visible.extend(says.entities.iter().copied());
        }
        let mut demanded = std::mem::take(&mut self.carried);
        for item in &event.before[..event.plan.kept_from] {
            if let Source::Entry(idx) = item.source {
                demanded.extend(self.facts(idx));
            }
        }
        demanded.retain(|id| !visible.contains(id) && !self.index.is_common(*id));
        let mut held = BTreeSet::new();
        for text in seen.made.iter().chain(&seen.recovered) {
            extract(text, |found| {
                let found = self.index.find(found.kind, &found.key);
                held.extend(found.into_iter().flat_map(|id| self.index.above(id).chain([id])));
            });
        }
        let newest = event.before.iter().rev().find_map(Item::origin);
        let now = self.now.max(newest);
        let mut later = if readable { self.later(now, &demanded) } else { BTreeMap::new() };
        let fact = |&id: &EntityId| {
            let line = self.index.places(id).iter().rev().find(|place| Some(place.entry) <= now)?;
            let (next_use, said_again) = later.remove(&id).unwrap_or_default();
            let line = self.transcript.entry(line.entry).line;
            let (kind, key) = (self.index.kind(id), self.index.key(id).to_owned());
            Some(AuditedFact { kind, key, line, kept: held.contains(&id), next_use, said_again })
        };
        let mut facts: Vec<AuditedFact> =
            if readable { demanded.iter().filter_map(fact).collect() } else { Vec::new() };
        facts.sort_by(|a, b| (a.line, a.kind, &a.key).cmp(&(b.line, b.kind, &b.key)));
        self.carried = demanded.into_iter().filter(|id| held.contains(id) || !readable).collect();
        self.cuts.push(AuditedCut {
            request: event.request,
            after_line: now.map_or(0, |idx| self.transcript.entry(idx).line),
            dropped: event.dropped_tokens(),
            summary: event.after.reference().range(0..event.made_items),
            readable,
            facts,
        });
    }

    /// For every fact that comes up again: the line that acts on it, and the line that said it before that.
    fn later(
        &self,
        now: Option<EntryIdx>,
        facts: &BTreeSet<EntityId>,
    ) -> BTreeMap<EntityId, (Option<usize>, Option<usize>)> {
        let mut later: BTreeMap<EntityId, (Option<usize>, Option<usize>)> = BTreeMap::new();
        for &idx in self.path.iter().filter(|idx| Some(**idx) > now) {
            let Some(says) = self.index.says(idx) else { continue };
            let line = self.transcript.entry(idx).line;
            let uses: BTreeSet<EntityId> = says.uses.iter().map(|one| one.entity).collect();
            for id in says.entities.iter().filter(|id| facts.contains(id)) {
                let (next_use, said_again) = later.entry(*id).or_default();
                if next_use.is_some() {
                    continue;
                }
                if uses.contains(id) {
                    *next_use = Some(line);
                } else if says.uses.is_empty() && said_again.is_none() {
                    *said_again = Some(line);
                }
            }
        }
        later
    }
}
