//! Ties the entries of a file into a tree, in their place: a second list of a long session would be as large as the first.

use std::collections::HashSet;

use super::ids::Ids;
use super::links;
use super::tree::{Builder, ParentName};
use crate::import::FindingKind;
use crate::import::object::Rest;
use crate::transcript::{Entry, EntryIdx, EntryKind, JsonText};

impl Builder {
    /// Version 1 has no ids: the order is the only structure. Pi gives random ids when it loads such a file; here an
    /// id is the entry's ordinal in hexadecimal, so that two readings agree.
    pub(super) fn link_version_1(&mut self) {
        for (ordinal, entry) in self.entries.iter_mut().enumerate() {
            entry.id = hex_id(ordinal);
            entry.parent = ordinal.checked_sub(1).map(EntryIdx);
        }
        for (at, index) in std::mem::take(&mut self.first_kept) {
            // The index counts the objects of the file, so 0 is the header, which is no entry: nothing was kept.
            let Some(number) = usize::try_from(index).ok().filter(|&number| number < self.objects()) else {
                let fault = format!("`firstKeptEntryIndex` {index} is beyond the file: nothing was kept");
                self.fault_of(at, FindingKind::MissingTarget, fault);
                continue;
            };
            let kept = self.entry_of(number).map(hex_id);
            if let EntryKind::Compaction(compaction) = &mut self.entries[at].kind {
                compaction.first_kept = kept.or(compaction.first_kept.take());
            }
        }
        relink_notes(&mut self.entries, |_| true);
    }

    /// Versions 2 and 3. Of several entries with the same id the first one is meant: an id that was reused later can
    /// then not bend the history before it.
    pub(super) fn link_by_id(&mut self) {
        let (open, nameless) = (std::mem::take(&mut self.open), std::mem::take(&mut self.nameless));
        let ids = Ids::new(&self.entries, &nameless);
        let twins = ids.twins(&self.entries);
        self.report_twins(&twins);
        let mut changed = HashSet::new();
        let (mut names, mut lacking) = (open.iter().peekable(), nameless.iter().peekable());
        let mut before = twins.iter().peekable();
        for at in 0..self.entries.len() {
            let has_id = lacking.next_if_eq(&&at).is_none();
            // The entry before has an id that another one had first.
            let first = before.next_if(|(twin, _)| twin + 1 == at).map(|&(_, first)| first);
            if let Some((_, name)) = names.next_if(|(of, _)| *of == at) {
                let parent = self.parent(at, name, has_id, &ids);
                if matches!((name, parent), (ParentName::Named(_), None) | (ParentName::Missing, Some(_))) {
                    changed.insert(at);
                }
                self.entries[at].parent = parent.map(EntryIdx);
            } else if let Some(first) = first {
                self.entries[at].parent = Some(EntryIdx(first));
            }
            if !has_id && self.invent_id(at, &ids) {
                changed.insert(at);
            }
            self.check_target(at, &ids);
        }
        changed.extend(self.follow_leaf(&ids));
        changed.extend(self.cut_cycles(&open, &ids, !twins.is_empty()));
        self.check_kept(&ids);
        relink_notes(&mut self.entries, |at| changed.contains(&at));
    }

    fn fault_of(&mut self, at: usize, kind: FindingKind, fault: String) {
        self.report.late(self.entries[at].line, kind, fault);
    }

    /// Reports entries whose id stands at an earlier one already.
    fn report_twins(&mut self, twins: &[(usize, usize)]) {
        for &(at, first) in twins {
            let (id, before) = (&self.entries[at].id, self.entries[first].line);
            let fault = format!("id `{id}` occurs already on line {before}; references to it mean that one");
            self.fault_of(at, FindingKind::DuplicateId, fault);
        }
    }

    /// Cuts cycles of parents and returns where. Pi takes the last of several entries with the same id (`twins`), so a
    /// cycle that appears only then is reported too.
    fn cut_cycles(&mut self, open: &[(usize, ParentName)], ids: &Ids, twins: bool) -> Vec<usize> {
        let mut cut = Vec::new();
        // A parent that stands before its child is in no cycle with it alone.
        let forward = |(at, entry): (usize, &Entry)| entry.parent.is_some_and(|parent| parent.0 >= at);
        if self.entries.iter().enumerate().any(forward) {
            let mut parents: Vec<Option<usize>> =
                self.entries.iter().map(|entry| entry.parent.map(|parent| parent.0)).collect();
            cut = links::cut_cycles(&mut parents);
            for (entry, parent) in self.entries.iter_mut().zip(parents) {
                entry.parent = parent.map(EntryIdx);
            }
        }
        for &(at, length) in &cut {
            let fault = if length == 1 {
                "the entry is its own parent; read as a root".to_owned()
            } else {
                format!("parents form a cycle of {length} entries; this one, the first of them, is read as a root")
            };
            self.fault_of(at, FindingKind::ParentCycle, fault);
        }
        if twins {
            for (at, length) in links::cut_cycles(&mut self.parents_of_pi(open, ids)) {
                if cut.iter().all(|&(known, _)| known != at) {
                    let fault =
                        format!("readers that take the last of equal ids, as Pi does, find a cycle of {length}");
                    self.fault_of(at, FindingKind::ParentCycle, fault);
                }
            }
        }
        cut.into_iter().map(|(at, _)| at).collect()
    }

    /// The parents as Pi finds them: the last entry of each name.
    fn parents_of_pi(&self, open: &[(usize, ParentName)], ids: &Ids) -> Vec<Option<usize>> {
        let mut open = open.iter().peekable();
        let parent = |at: usize| match open.next_if(|(of, _)| *of == at) {
            Some((_, ParentName::Named(name))) => ids.last(&self.entries, name),
            Some((_, ParentName::Root | ParentName::Missing)) => None,
            // The others name the entry before.
            None => ids.last(&self.entries, &self.entries[at.checked_sub(1)?].id),
        };
        (0..self.entries.len()).map(parent).collect()
    }

    /// The position of the parent. An entry without an id follows the one before it, as in version 1.
    fn parent(&mut self, at: usize, name: &ParentName, has_id: bool, ids: &Ids) -> Option<usize> {
        match name {
            ParentName::Root => None,
            ParentName::Missing if !has_id => at.checked_sub(1),
            ParentName::Missing => {
                let fault = "`parentId` is missing; read as null: a root".to_owned();
                self.fault_of(at, FindingKind::BadField, fault);
                None
            }
            ParentName::Named(name) => {
                let parent = ids.first(&self.entries, name);
                if parent.is_none() {
                    let fault = format!("parent `{name}` is not in the file; the entry is read as a root");
                    self.fault_of(at, FindingKind::MissingParent, fault);
                }
                parent
            }
        }
    }

    /// Gives an entry without an id one: its ordinal, or the next number that is free. Whether there was one.
    fn invent_id(&mut self, at: usize, ids: &Ids) -> bool {
        // Numbers from 0xF0000000 on keep clear of ids that count up from zero.
        let mut numbers = (0..=self.entries.len()).map(|step| hex_id(0xF000_0000 + at + step));
        let Some(id) = numbers.find(|id| ids.first(&self.entries, id).is_none()) else { return false };
        self.fault_of(at, FindingKind::MissingId, format!("the entry has no id; it gets `{id}`"));
        self.entries[at].id = id;
        true
    }

    /// Hangs a `leaf` entry of `OpenClaw` that ends the file below the entry that it names: that is the end of the branch in
    /// force. Returns where it stands.
    fn follow_leaf(&mut self, ids: &Ids) -> Option<usize> {
        let at = self.entries.len().checked_sub(1)?;
        let EntryKind::Note { kind, raw } = &self.entries[at].kind else { return None };
        let target = Rest::of(raw.as_str())?.scalar::<Box<str>>("targetId").good().filter(|_| &**kind == "leaf")?;
        match ids.first(&self.entries, &target) {
            Some(place) if place != at => self.entries[at].parent = Some(EntryIdx(place)),
            _ => {
                let fault = format!("entry `{target}` is not in the file: the leaf is the entry before");
                self.fault_of(at, FindingKind::MissingTarget, fault);
            }
        }
        Some(at)
    }

    /// Reports a compaction whose first kept entry is in the file and not between it and the root: Pi then keeps nothing.
    fn check_kept(&mut self, ids: &Ids) {
        for at in 0..self.entries.len() {
            let EntryKind::Compaction(compaction) = &self.entries[at].kind else { continue };
            let Some(name) = compaction.first_kept.clone() else { continue };
            let Some(target) = ids.first(&self.entries, &name) else { continue };
            let parent = |at: &usize| self.entries[*at].parent.map(|parent| parent.0);
            if !std::iter::successors(Some(at), parent).any(|before| before == target) {
                let fault = format!("entry `{name}` is not on the branch of the compaction: nothing was kept");
                self.fault_of(at, FindingKind::MissingTarget, fault);
            }
        }
    }

    /// Reports a compaction or an edit whose target is not in the file.
    fn check_target(&mut self, at: usize, ids: &Ids) {
        let (target, effect) = match &self.entries[at].kind {
            EntryKind::Compaction(compaction) => match &compaction.first_kept {
                Some(target) => (target, "nothing was kept"),
                None => return,
            },
            EntryKind::ContextEdit(edit) => (&edit.target, "the edit changes nothing"),
            _ => return,
        };
        if ids.first(&self.entries, target).is_none() {
            let fault = format!("entry `{target}` is not in the file: {effect}");
            self.fault_of(at, FindingKind::MissingTarget, fault);
        }
    }
}

/// An id as Pi makes them, eight hexadecimal digits.
fn hex_id(number: usize) -> Box<str> {
    // A session of version 1 needs one for each entry, and `format!` is slow.
    let digits: [u8; 8] = std::array::from_fn(|at| b"0123456789abcdef"[number >> (28 - 4 * at) & 0xF]);
    let short = std::str::from_utf8(&digits).ok().filter(|_| number >> 32 == 0);
    short.map_or_else(|| format!("{number:08x}").into(), Into::into)
}

/// Notes hold their whole record, so their links must say what the tree says.
fn relink_notes(entries: &mut [Entry], changed: impl Fn(usize) -> bool) {
    for at in 0..entries.len() {
        let EntryKind::Note { raw, .. } = &entries[at].kind else { continue };
        if !changed(at) {
            continue;
        }
        let parent = entries[at].parent.map(|parent| &*entries[parent.0].id);
        let json = links::relinked(raw.as_str(), &entries[at].id, parent).and_then(JsonText::new);
        if let (Some(json), EntryKind::Note { raw, .. }) = (json, &mut entries[at].kind) {
            *raw = json;
        }
    }
}
