//! The lines of a file, sorted into its conversations.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use super::chain::{Chain, Hang};
use super::index::{ByKey, Index, Key, Keys};
use super::item;
use super::row::{Body, ParentName, Row, RowFields};
use super::steady::Steady;
use crate::import::place::{Fault, Place, Report, Spot};
use crate::import::rows::Rows;
use crate::import::slot::Slot;
use crate::import::{FindingKind, ImportError, Imported, extra::quoted};
use crate::transcript::json::read::Reader;
use crate::transcript::{EntryKind, JsonText, Meta, Transcript};

/// A run of lines that repeat what was read before.
struct Copies {
    place: Place,
    records: usize,
}

/// Where a record went: its chain, and its number among the records there.
#[derive(Clone, Copy)]
struct Stored {
    chain: Index,
    record: Option<Index>,
}

/// A file that is being read.
#[derive(Default)]
pub(super) struct File {
    report: Report,
    /// The chain of the records from a line on, noted where it changes.
    owners: Vec<(usize, Index)>,
    steady: Steady,
    chains: Vec<Chain>,
    keys: Keys,
    /// What a uuid stands for.
    uuids: ByKey<Stored>,
    /// The same by time and message.
    copies: FxHashMap<u64, Stored>,
    /// The last uuid and what it stands for: most records name it as their parent.
    last: Option<(String, Stored)>,
    /// Records whose parent was not there when they were read, by its name.
    awaited: HashMap<Box<str>, Stored>,
    /// The main conversation of a session, and the sub-agent's of an agent.
    sessions: HashMap<Box<str>, usize>,
    agents: HashMap<Box<str>, usize>,
    run: Option<Copies>,
    timestamp: Option<Box<str>>,
    /// A record of a type that this reader knows was there.
    known: bool,
}

impl Rows for File {
    const BEGINS: &'static [&'static str] = &["{\"parentUuid\":", "{\"type\":"];

    fn report(&mut self) -> &mut Report {
        &mut self.report
    }

    type Record<'l> = RowFields<'l>;

    fn parse<'l>(text: &'l str, reader: &mut Reader<'l>) -> Result<RowFields<'l>, String> {
        RowFields::read(text, reader)
    }

    fn take(&mut self, at: Place, text: &str, fields: RowFields<'_>) {
        if let Some(row) = fields.finish(text, &mut self.steady) {
            self.push(at, text, row);
        } else {
            self.report.fault(at, FindingKind::MalformedLine, "not even a note could be made of it");
            self.report.counts.left_out += 1;
        }
    }
}

impl File {
    fn push(&mut self, at: Place, text: &str, mut row: Row<'_>) {
        self.known |= row.known;
        self.report.faults_in(at, text, std::mem::take(&mut row.faults));
        let key = row.uuid.as_ref().map(|uuid| self.keys.of(uuid));
        if self.is_copy(at, text, &row, key) {
            return;
        }
        self.end_run();
        if self.timestamp.is_none() {
            self.timestamp = row.timestamp.as_deref().map(Into::into);
        }
        let parent = self.parent(at, text, &row);
        let chain = self.chain(&row, parent);
        self.owned(at, Index::new(chain));
        let place = match parent {
            Some(Stored { chain: of, record: Some(record) }) if of.get() == chain => Hang::Below(record.get()),
            _ if row.parent == ParentName::Root && !matches!(row.body, Body::Boundary(_)) => {
                let child = row.uuid.as_deref().and_then(|uuid| self.awaited.remove(uuid));
                let child = child.filter(|child| child.chain.get() == chain).and_then(|child| child.record);
                child.map_or(Hang::Root, |child| Hang::Before(child.get()))
            }
            _ => Hang::Next,
        };
        let awaits: Option<Box<str>> = match &row.parent {
            ParentName::Named(name) if parent.is_none() && row.uuid.as_ref() != Some(name) => Some((**name).into()),
            _ => None,
        };
        let (uuid, copy_key) = (row.uuid.clone(), row.copy_key);
        let record = self.chains[chain].add(at.line(), row, place).map(Index::new);
        for (line, kind, message) in std::mem::take(&mut self.chains[chain].faults) {
            if line == at.line() { self.report.fault(at, kind, message) } else { self.report.late(line, kind, message) }
        }
        let stored = Stored { chain: Index::new(chain), record };
        if let Some(name) = awaits {
            self.awaited.entry(name).or_insert(stored);
        }
        if let Some((uuid, key)) = uuid.zip(key) {
            let (last, of_last) = self.last.get_or_insert_with(|| (String::new(), stored));
            last.clear();
            last.push_str(&uuid);
            *of_last = stored;
            self.uuids.insert(key, stored);
        }
        if let Some(key) = copy_key {
            self.copies.insert(key, stored);
        }
    }

    /// Whether the record was read before: agents append the history once more when they resume a session, with the same
    /// uuids or with new ones.
    fn is_copy(&mut self, at: Place, text: &str, row: &Row<'_>, key: Option<Key>) -> bool {
        let by_uuid = key.and_then(|key| self.uuids.get(&key)).copied();
        let by_text = row.copy_key.and_then(|key| self.copies.get(&key)).copied();
        let Some(original) = by_text.or(by_uuid) else { return false };
        if by_text.is_none() && row.copy_key.is_some() {
            let spot = row.uuid.as_deref().map(Spot::of).unwrap_or_default();
            let message = "the uuid occurs already, with another message; left out".to_owned();
            self.report.fault_in(at, text, Fault { kind: FindingKind::DuplicateId, message, spot });
        } else {
            let run = self.run.get_or_insert(Copies { place: at, records: 0 });
            run.place.lines.1 = at.lines.1;
            run.records += 1;
        }
        self.owned(at, original.chain);
        if let Some(key) = key {
            self.uuids.entry(key).or_insert(original);
        }
        self.report.counts.left_out += 1;
        true
    }

    /// Reports a run of copies.
    fn end_run(&mut self) {
        if let Some(Copies { place, records }) = self.run.take() {
            let fault = format!("{records} records that were read before, appended once more; left out");
            self.report.fault(place, FindingKind::DuplicateId, fault);
        }
    }

    /// Notes to which chain the record at `at` belongs, and so its findings.
    fn owned(&mut self, at: Place, chain: Index) {
        if self.owners.last().is_none_or(|&(_, last)| last != chain) {
            self.owners.push((at.line(), chain));
        }
    }

    /// Chain and record of the parent; of a boundary, of the record before it.
    fn parent(&mut self, at: Place, text: &str, row: &Row<'_>) -> Option<Stored> {
        let name = match (&row.body, &row.parent) {
            (Body::Boundary(boundary), ParentName::Root) => boundary.logical_parent.as_deref(),
            (_, ParentName::Named(name)) => Some(&**name),
            _ => None,
        }?;
        let last = self.last.as_ref().filter(|(last, _)| last == name).map(|(_, stored)| *stored);
        let parent = last.or_else(|| self.uuids.get(&self.keys.of(name)).copied());
        if parent.is_none() {
            let (kind, message) = if row.uuid.as_deref() == Some(name) {
                let fault = "the record is its own parent; it follows the one before";
                (FindingKind::ParentCycle, fault.to_owned())
            } else {
                let fault = format!("parent `{name}` is not in the file before this line; it follows the one before");
                (FindingKind::MissingParent, fault)
            };
            self.report.fault_in(at, text, Fault { kind, message, spot: Spot::of(name) });
        }
        parent
    }

    /// The conversation that a record belongs to.
    fn chain(&mut self, row: &Row<'_>, parent: Option<Stored>) -> usize {
        let of_parent = parent.map(|stored| stored.chain.get());
        if row.sidechain {
            return self.sub_agent(row, of_parent);
        }
        let last_main = self.chains.iter().rposition(|chain| !chain.sidechain);
        let in_tree = row.uuid.is_some();
        let of_parent = of_parent.filter(|&chain| !self.chains[chain].sidechain);
        let of_session = || self.sessions.get(row.session.as_deref()?).copied();
        let chain = of_parent.or_else(of_session).or_else(|| {
            // A root of another session is a conversation of its own.
            last_main.filter(|&chain| !in_tree || row.parent != ParentName::Root || !self.chains[chain].has_records())
        });
        let chain = chain.unwrap_or_else(|| {
            self.chains.push(Chain::default());
            self.chains.len() - 1
        });
        if let Some(session) = row.session.as_deref().filter(|session| !self.chains[chain].is_in(session)) {
            self.sessions.entry(session.into()).or_insert(chain);
        }
        chain
    }

    fn sub_agent(&mut self, row: &Row<'_>, of_parent: Option<usize>) -> usize {
        let of_agent = row.agent.as_ref().and_then(|agent| self.agents.get(&**agent)).copied();
        let of_parent = of_parent.filter(|&chain| self.chains[chain].sidechain);
        let last = self.chains.iter().rposition(|chain| chain.sidechain);
        let last = last.filter(|_| row.agent.is_none() && row.parent != ParentName::Root);
        let chain = of_agent.or(of_parent).or(last).unwrap_or_else(|| {
            // Bookkeeping alone came before: it is of this one.
            let first = self.chains.iter().position(|chain| !chain.has_records());
            let chain = first.unwrap_or_else(|| {
                self.chains.push(Chain::default());
                self.chains.len() - 1
            });
            self.chains[chain].sidechain = true;
            self.chains[chain].agent = row.agent.as_deref().map(Into::into);
            chain
        });
        if let Some(agent) = &row.agent {
            self.agents.entry(agent.as_ref().into()).or_insert(chain);
        }
        chain
    }

    /// The conversations, main ones first. Counts of lines are with the first.
    pub(super) fn finish(mut self) -> Result<Vec<Imported>, ImportError> {
        self.end_run();
        if !self.known {
            let (line, found) =
                self.report.findings.first().map_or((1, ""), |finding| (finding.line, &finding.message));
            let found = if found.is_empty() { "nothing" } else { found }.to_owned();
            return Err(ImportError::NoRecord { line, expected: "a record of a Claude Code session", found });
        }
        self.kept_targets();
        // The entries take their place in memory.
        (self.uuids, self.copies) = (ByKey::default(), FxHashMap::default());
        let mut chains = std::mem::take(&mut self.chains);
        let mut order: Vec<usize> = (0..chains.len()).collect();
        order.sort_by_key(|&chain| chains[chain].sidechain);
        chains.sort_by_key(|chain| chain.sidechain);
        let mains = chains.iter().filter(|chain| !chain.sidechain).count();
        let alone = chains.len() == 1;
        let mut all = Vec::with_capacity(chains.len());
        for (at, mut chain) in chains.into_iter().enumerate() {
            chain.missing_summary();
            let part: Option<Box<str>> = match &chain.agent {
                _ if alone || at == 0 && mains == 1 => None,
                Some(agent) => Some(agent.clone()),
                None if chain.sidechain => Some(format!("sidechain-{}", at + 1 - mains).into()),
                None => chain.sessions.as_ref().map(|(_, session)| session.clone()),
            };
            let meta = self.meta(&chain, part.as_deref());
            let (items, mut faults) = chain.into_items();
            let entries = item::entries(items, &mut faults);
            for (line, kind, message) in faults {
                self.report.late(line, kind, message);
            }
            let transcript = Transcript { meta, entries, ..Transcript::default() };
            all.push(Imported { transcript, part, ..Imported::default() });
        }
        self.share(&order, &mut all);
        Ok(all)
    }

    /// Gives each conversation the findings of its lines; `order` names the chains of `all`.
    fn share(self, order: &[usize], all: &mut [Imported]) {
        let Report { counts, mut findings, .. } = self.report;
        findings.sort_by_key(|finding| finding.line);
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &chain)| places[chain] = place);
        for finding in findings {
            let behind = self.owners.partition_point(|&(line, _)| line <= finding.line);
            let owner = behind.checked_sub(1).map(|at| self.owners[at].1.get());
            let place = owner.and_then(|chain| places.get(chain).copied()).unwrap_or_default();
            if let Some(one) = all.get_mut(place) {
                one.findings.push(finding);
            }
        }
        if let Some(first) = all.first_mut() {
            first.lines = counts;
        }
    }

    /// Compactions name the first record that was kept; here that becomes the entry it went into.
    fn kept_targets(&mut self) {
        for at in 0..self.chains.len() {
            for item in 0..self.chains[at].items.len() {
                let line = self.chains[at].items[item].line;
                let EntryKind::Compaction(compaction) = &self.chains[at].items[item].kind else { continue };
                let Some(name) = compaction.first_kept.clone() else { continue };
                let target = match self.uuids.get(&self.keys.of(&name)) {
                    Some(&Stored { chain, record: Some(record) }) if chain.get() == at => {
                        let chain = &self.chains[at];
                        chain.items[chain.item_of(record.get())].id.clone()
                    }
                    _ => None,
                };
                if target.is_none() {
                    let fault = format!("record `{name}` is not in the conversation: nothing was kept");
                    self.report.late(line, FindingKind::MissingTarget, fault);
                }
                if let EntryKind::Compaction(compaction) = &mut self.chains[at].items[item].kind {
                    compaction.first_kept = target;
                }
            }
        }
    }

    fn meta(&self, chain: &Chain, part: Option<&str>) -> Meta {
        let (first, last) = chain.sessions.clone().unwrap_or_default();
        let (id, parent) = if chain.sidechain {
            let name = chain.agent.as_deref().or(part).unwrap_or("sidechain");
            (name.into(), Some(last))
        } else {
            let resumed = (first != last).then_some(first);
            (last, resumed)
        };
        let mut fields = self.steady.first.iter().filter(|(key, _)| &**key != "cwd").peekable();
        let extra = fields.peek().is_some().then(|| {
            let fields: Vec<String> = fields.map(|(key, raw)| format!("{}:{raw}", quoted(key))).collect();
            format!("{{{}}}", fields.join(","))
        });
        let cwd = self.steady.first.iter().find(|(key, _)| &**key == "cwd");
        let cwd = cwd.and_then(|(_, raw)| Slot::of(raw).good());
        Meta {
            id,
            version: None,
            timestamp: self.timestamp.clone(),
            cwd,
            parent_session: parent.filter(|parent| !parent.is_empty()),
            extra: extra.and_then(JsonText::new),
        }
    }
}
