//! What a recorded summary lost, without annotations: of the names and values that the person said or the agent acted on
//! in the dropped part, those that the summary does not hold, each with the line that said it.

use std::collections::BTreeSet;

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
    /// Found at the first cut.
    returns: Option<Returns>,
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
            returns: None,
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
                held.extend(found.into_iter().flat_map(|id| self.index.above(id).iter().copied().chain([id])));
            });
        }
        let newest = event.before.iter().rev().find_map(Item::origin);
        let now = self.now.max(newest);
        let returns = self.returns.get_or_insert_with(|| Returns::new(self.path, self.index));
        let line_of = |idx: EntryIdx| self.transcript.entry(idx).line;
        let fact = |&id: &EntityId| {
            let places = self.index.places(id);
            let said = places.partition_point(|place| Some(place.entry) <= now);
            let line = line_of(places[said.checked_sub(1)?].entry);
            let (next_use, said_again) = returns.after(now, id);
            let (next_use, said_again) = (next_use.map(line_of), said_again.map(line_of));
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
}

/// Where the path comes back to each entity: found once, asked by every cut.
#[derive(Debug)]
struct Returns {
    /// By entity: the entries that act on it, in order of the file, in which a parent may stand behind its children.
    acts: Vec<Vec<EntryIdx>>,
    /// By entity: the entries that say it and act on nothing, in the same order.
    says: Vec<Vec<EntryIdx>>,
}

impl Returns {
    fn new(path: &[EntryIdx], index: &EntityIndex) -> Self {
        let none = vec![Vec::new(); index.len()];
        let mut returns = Self { acts: none.clone(), says: none };
        let mut path = path.to_vec();
        path.sort_unstable();
        for idx in path {
            let Some(says) = index.says(idx) else { continue };
            if says.uses.is_empty() {
                says.entities.iter().for_each(|id| returns.says[id.0 as usize].push(idx));
            } else {
                says.uses.iter().for_each(|one| returns.acts[one.entity.0 as usize].push(idx));
            }
        }
        returns
    }

    /// The entry after `now` that acts on an entity first, and the one that says it first before that.
    fn after(&self, now: Option<EntryIdx>, id: EntityId) -> (Option<EntryIdx>, Option<EntryIdx>) {
        let next = |entries: &[EntryIdx]| entries.get(entries.partition_point(|idx| Some(*idx) <= now)).copied();
        let at = id.0 as usize;
        let (acts, says) = (next(&self.acts[at]), next(&self.says[at]));
        (acts, says.filter(|says| acts.is_none_or(|acts| *says < acts)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::sketch::{reply, session, user};
    use crate::transcript::StopReason;

    #[test]
    fn what_comes_next_is_found_where_a_parent_stands_behind_its_children() {
        let call = || Some(reply("", &[("c", "read", r#"{"path":"src/a.rs"}"#)], StopReason::ToolUse));
        let transcript = session([Some(user("Go on.")), call(), None, None, call()]);
        let index = EntityIndex::new(&transcript);
        let id = index.find(Kind::Path, "src/a.rs").unwrap();
        let returns = Returns::new(&[4, 0, 1].map(EntryIdx), &index);
        assert_eq!(returns.after(Some(EntryIdx(0)), id), (Some(EntryIdx(1)), None));
        assert_eq!(returns.after(Some(EntryIdx(1)), id), (Some(EntryIdx(4)), None));
    }
}
