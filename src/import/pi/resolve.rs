//! Ties the entries of a file into a tree.

use std::collections::{HashMap, HashSet};

use super::links;
use super::tree::{Builder, Draft, ParentName};
use crate::import::FindingKind;
use crate::transcript::{Entry, EntryIdx, EntryKind, JsonText};

impl Builder {
    /// Version 1 has no ids: the order is the only structure. Pi gives random ids when it loads such a file; here an
    /// id is the entry's ordinal in hexadecimal, so that two readings agree.
    pub(super) fn link_version_1(&mut self, drafts: Vec<Draft>) -> Vec<Entry> {
        let count = drafts.len();
        let objects = std::mem::take(&mut self.objects);
        let mut entries = Vec::with_capacity(count);
        for (ordinal, mut draft) in drafts.into_iter().enumerate() {
            draft.entry.id = hex_id(ordinal);
            draft.entry.parent = ordinal.checked_sub(1).map(EntryIdx);
            if let (EntryKind::Compaction(compaction), Some(index)) = (&mut draft.entry.kind, draft.first_kept_index) {
                // The index counts the objects of the file, so 0 is the header, which is no entry: nothing was kept.
                let object = usize::try_from(index).ok().and_then(|index| objects.get(index));
                match object {
                    Some(Some(kept)) => compaction.first_kept = Some(hex_id(*kept)),
                    Some(None) => {}
                    None => {
                        let fault = format!("`firstKeptEntryIndex` {index} is beyond the file: nothing was kept");
                        let line = draft.entry.line;
                        self.note_fault((line, line), None, FindingKind::MissingTarget, fault);
                    }
                }
            }
            entries.push(draft.entry);
        }
        relink_notes(&mut entries, &(0..count).collect());
        entries
    }

    /// Versions 2 and 3. Of several entries with the same id the first one is meant: an id that was reused later can
    /// then not bend the history before it.
    pub(super) fn link_by_id(&mut self, drafts: Vec<Draft>) -> Vec<Entry> {
        let first = self.first_of_each_id(&drafts);
        let mut changed = HashSet::new();
        let mut parents = Vec::with_capacity(drafts.len());
        let mut ids: Vec<Option<Box<str>>> = Vec::with_capacity(drafts.len());
        for (at, draft) in drafts.iter().enumerate() {
            let parent = self.parent(at, draft, &first);
            if matches!((&draft.parent, parent), (ParentName::Named(_), None) | (ParentName::Missing, Some(_))) {
                changed.insert(at);
            }
            parents.push(parent);
            ids.push(self.invented_id(at, draft, &first));
            self.check_target(draft, &first);
        }
        changed.extend(self.cut_cycles(&drafts, &mut parents));
        changed.extend(ids.iter().enumerate().filter(|(_, id)| id.is_some()).map(|(at, _)| at));
        let mut entries: Vec<Entry> = drafts
            .into_iter()
            .zip(parents.into_iter().zip(ids))
            .map(|(draft, (parent, invented))| Entry {
                id: draft.id.or(invented).unwrap_or_default(),
                parent: parent.map(EntryIdx),
                ..draft.entry
            })
            .collect();
        relink_notes(&mut entries, &changed);
        entries
    }

    /// The first entry of each id; further ones are reported.
    fn first_of_each_id<'d>(&mut self, drafts: &'d [Draft]) -> HashMap<&'d str, usize> {
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(drafts.len());
        for (at, draft) in drafts.iter().enumerate() {
            let Some(id) = &draft.id else { continue };
            let earlier = *first.entry(id).or_insert(at);
            if earlier != at {
                let (line, before) = (draft.entry.line, drafts[earlier].entry.line);
                let fault = format!("id `{id}` occurs already on line {before}; references to it mean that one");
                self.note_fault((line, line), None, FindingKind::DuplicateId, fault);
            }
        }
        first
    }

    /// Cuts cycles of parents and returns where. Pi takes the last of several entries with the same id, so a cycle that
    /// appears only then is reported too.
    fn cut_cycles(&mut self, drafts: &[Draft], parents: &mut [Option<usize>]) -> Vec<usize> {
        let cut = links::cut_cycles(parents);
        for &(at, length) in &cut {
            let line = drafts[at].entry.line;
            let fault = if length == 1 {
                "the entry is its own parent; read as a root".to_owned()
            } else {
                format!("parents form a cycle of {length} entries; this one, the first of them, is read as a root")
            };
            self.note_fault((line, line), None, FindingKind::ParentCycle, fault);
        }
        let last: HashMap<&str, usize> =
            drafts.iter().enumerate().filter_map(|(at, draft)| Some((draft.id.as_deref()?, at))).collect();
        let position = |draft: &Draft| match &draft.parent {
            ParentName::Named(name) => last.get(&**name).copied(),
            ParentName::Root | ParentName::Missing => None,
        };
        let ids = drafts.iter().filter(|draft| draft.id.is_some()).count();
        if last.len() < ids {
            let mut parents: Vec<Option<usize>> = drafts.iter().map(position).collect();
            for (at, length) in links::cut_cycles(&mut parents) {
                if cut.iter().all(|&(known, _)| known != at) {
                    let line = drafts[at].entry.line;
                    let fault =
                        format!("readers that take the last of equal ids, as Pi does, find a cycle of {length}");
                    self.note_fault((line, line), None, FindingKind::ParentCycle, fault);
                }
            }
        }
        cut.into_iter().map(|(at, _)| at).collect()
    }

    /// The position of the parent. An entry without an id follows the one before it, as in version 1.
    fn parent(&mut self, at: usize, draft: &Draft, first: &HashMap<&str, usize>) -> Option<usize> {
        let line = draft.entry.line;
        match &draft.parent {
            ParentName::Root => None,
            ParentName::Missing if draft.id.is_none() => at.checked_sub(1),
            ParentName::Missing => {
                let fault = "`parentId` is missing; read as null: a root".to_owned();
                self.note_fault((line, line), None, FindingKind::BadField, fault);
                None
            }
            ParentName::Named(name) => {
                let parent = first.get(&**name).copied();
                if parent.is_none() {
                    let fault = format!("parent `{name}` is not in the file; the entry is read as a root");
                    self.note_fault((line, line), None, FindingKind::MissingParent, fault);
                }
                parent
            }
        }
    }

    /// An id for an entry that has none: its ordinal, or the next number that is free.
    fn invented_id(&mut self, at: usize, draft: &Draft, first: &HashMap<&str, usize>) -> Option<Box<str>> {
        if draft.id.is_some() {
            return None;
        }
        let line = draft.entry.line;
        // Numbers from 0xF0000000 on keep clear of ids that count up from zero.
        let id = (0..=first.len()).map(|step| hex_id(0xF000_0000 + at + step)).find(|id| !first.contains_key(&**id))?;
        let fault = format!("the entry has no id; it gets `{id}`");
        self.note_fault((line, line), None, FindingKind::MissingId, fault);
        Some(id)
    }

    /// Reports a compaction or an edit whose target is not in the file.
    fn check_target(&mut self, draft: &Draft, first: &HashMap<&str, usize>) {
        let (target, effect) = match &draft.entry.kind {
            EntryKind::Compaction(compaction) => match &compaction.first_kept {
                Some(target) => (target, "nothing was kept"),
                None => return,
            },
            EntryKind::ContextEdit(edit) => (&edit.target, "the edit changes nothing"),
            _ => return,
        };
        if !first.contains_key(&**target) {
            let line = draft.entry.line;
            let fault = format!("entry `{target}` is not in the file: {effect}");
            self.note_fault((line, line), None, FindingKind::MissingTarget, fault);
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
fn relink_notes(entries: &mut [Entry], changed: &HashSet<usize>) {
    for at in 0..entries.len() {
        let EntryKind::Note { raw, .. } = &entries[at].kind else { continue };
        if !changed.contains(&at) {
            continue;
        }
        let parent = entries[at].parent.map(|parent| &*entries[parent.0].id);
        let json = links::relinked(raw.as_str(), &entries[at].id, parent).and_then(JsonText::new);
        if let (Some(json), EntryKind::Note { raw, .. }) = (json, &mut entries[at].kind) {
            *raw = json;
        }
    }
}
