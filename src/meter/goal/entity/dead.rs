//! Dead ends: edits that the agent takes back later. What it used in them was needed on a way that led nowhere.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::transcript::{Action, Block, EntryIdx, EntryKind, Message, ToolCall, Transcript, touches};

/// What became of what a call did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// It stands, or nothing tells.
    #[default]
    Stands,
    /// It takes back what a call of this earlier entry did.
    Undoes(EntryIdx),
    /// A later call takes it back.
    Undone,
}

/// A call: its entry, and its block there.
type Place = (EntryIdx, usize);

/// What a call does to files.
enum Deed {
    /// Exchanges these texts, in this order.
    Edit(String, Vec<(String, String)>),
    /// Gives a file this text.
    Write(String, String),
    /// Takes back the last edit of a file, or all edits of it.
    Undo(String, bool),
    /// Takes back everything since the last commit.
    UndoAll,
    /// What was done so far is no longer taken back by a checkout.
    Commit,
}

/// What stands of a file's changes, in order.
#[derive(Clone)]
enum Change {
    Edit(Place, Vec<(String, String)>),
    Write(Place, String),
}

impl Change {
    fn place(&self) -> Place {
        match self {
            Self::Edit(place, _) | Self::Write(place, _) => *place,
        }
    }
}

const OLD: [&str; 4] = ["oldText", "old_string", "old_str", "old"];
const NEW: [&str; 4] = ["newText", "new_string", "new_str", "new"];
const CONTENT: [&str; 3] = ["content", "file_text", "contents"];

fn text(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| value.get(name)?.as_str()).map(str::to_owned)
}

/// The texts that a call exchanges: of its own arguments, or of a list of edits.
fn exchanges(arguments: &Value) -> Vec<(String, String)> {
    let one = |value: &Value| Some((text(value, &OLD)?, text(value, &NEW)?));
    let list = arguments.get("edits").and_then(Value::as_array);
    list.map_or_else(|| one(arguments).into_iter().collect(), |edits| edits.iter().filter_map(one).collect())
}

fn deed(call: &ToolCall) -> Option<Deed> {
    let arguments: Value = serde_json::from_str(call.arguments.as_str()).ok()?;
    let command = arguments.get("command").and_then(Value::as_str);
    let Some(touch) = touches(call).into_iter().next() else { return command.and_then(git) };
    if command == Some("undo_edit") {
        return Some(Deed::Undo(touch.path, false));
    }
    if touch.action != Action::Modify {
        return None;
    }
    let edits = exchanges(&arguments);
    if edits.is_empty() {
        return text(&arguments, &CONTENT).map(|content| Deed::Write(touch.path, content));
    }
    Some(Deed::Edit(touch.path, edits))
}

/// What a command line of git does to files that were edited.
fn git(command: &str) -> Option<Deed> {
    command.split(['\n', ';', '&', '|']).find_map(|part| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let (verb, rest) = words.strip_prefix(&["git"])?.split_first()?;
        let path = rest.iter().rev().find(|word| !word.starts_with('-')).copied().unwrap_or_default();
        match *verb {
            "commit" => Some(Deed::Commit),
            "reset" if rest.contains(&"--hard") => Some(Deed::UndoAll),
            // Without `--` the word may be a branch.
            "checkout" if rest.contains(&"--") || path == "." => Some(of_path(path)),
            "restore" if !path.is_empty() && !rest.contains(&"--staged") => Some(of_path(path)),
            _ => None,
        }
    })
}

fn of_path(path: &str) -> Deed {
    if path == "." { Deed::UndoAll } else { Deed::Undo(path.to_owned(), true) }
}

/// What is known while a path is read.
#[derive(Default)]
struct Ledger {
    open: HashMap<String, Vec<Change>>,
    outcomes: HashMap<Place, Outcome>,
}

impl Ledger {
    fn undo(&mut self, at: Place, changes: impl IntoIterator<Item = Change>) {
        for change in changes {
            self.outcomes.insert(change.place(), Outcome::Undone);
            let first = self.outcomes.entry(at).or_insert(Outcome::Undoes(change.place().0));
            // Of several the first: a cut behind it makes the undoing a use like any other.
            if let Outcome::Undoes(entry) = first {
                *entry = (*entry).min(change.place().0);
            }
        }
    }

    /// The file that was edited under this name, or under a longer one.
    fn edited(&self, path: &str) -> Option<String> {
        let path = path.trim_start_matches("./");
        let same = |open: &&String| open.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        let mut found = self.open.keys().filter(same);
        found.next().filter(|_| found.next().is_none()).cloned()
    }

    fn take(&mut self, at: Place, deed: Deed) {
        match deed {
            Deed::Edit(path, edits) => self.edit(at, path, edits),
            Deed::Write(path, content) => self.write(at, path, content),
            Deed::Undo(path, all) => {
                let Some(changes) = self.edited(&path).and_then(|path| self.open.get_mut(&path)) else { return };
                let from = if all { 0 } else { changes.len().saturating_sub(1) };
                let taken = changes.split_off(from);
                self.undo(at, taken);
            }
            Deed::UndoAll => {
                let taken: Vec<Change> = std::mem::take(&mut self.open).into_values().flatten().collect();
                self.undo(at, taken);
            }
            Deed::Commit => self.open.clear(),
        }
    }

    /// An edit that puts back what an earlier one exchanged takes that one back.
    fn edit(&mut self, at: Place, path: String, edits: Vec<(String, String)>) {
        let changes = self.open.entry(path).or_default();
        let back: Vec<(String, String)> = edits.iter().rev().map(|(old, new)| (new.clone(), old.clone())).collect();
        let is_back = |change: &Change| matches!(change, Change::Edit(_, earlier) if *earlier == back);
        match changes.iter().rposition(is_back) {
            Some(index) => {
                let taken = changes.remove(index);
                self.undo(at, [taken]);
            }
            None => changes.push(Change::Edit(at, edits)),
        }
    }

    /// A file that gets the text again that it had takes back what came between.
    fn write(&mut self, at: Place, path: String, content: String) {
        let changes = self.open.entry(path).or_default();
        let is_same = |change: &Change| matches!(change, Change::Write(_, earlier) if *earlier == content);
        match changes.iter().rposition(is_same) {
            Some(index) if index + 1 < changes.len() => {
                let taken = changes.split_off(index + 1);
                self.undo(at, taken);
            }
            Some(_) => {}
            None => changes.push(Change::Write(at, content)),
        }
    }
}

/// The outcomes of the calls of a path that stand for more than themselves. A call that failed did nothing.
pub(super) fn outcomes(transcript: &Transcript, path: &[EntryIdx]) -> HashMap<Place, Outcome> {
    let message = |idx: EntryIdx| match &transcript.entry(idx).kind {
        EntryKind::Message(message) => Some(message),
        _ => None,
    };
    let failed: HashSet<&str> = path
        .iter()
        .filter_map(|&idx| match message(idx)? {
            Message::ToolResult(result) if result.is_error => Some(&*result.call_id),
            _ => None,
        })
        .collect();
    let mut ledger = Ledger::default();
    for &idx in path {
        let blocks = message(idx).map_or(&[][..], Message::blocks);
        for (block, call) in blocks.iter().enumerate() {
            let Block::ToolCall(call) = call else { continue };
            if let Some(deed) = deed(call).filter(|_| !failed.contains(&*call.id)) {
                ledger.take((idx, block), deed);
            }
        }
    }
    ledger.outcomes
}

#[cfg(test)]
mod tests {
    use super::{Deed, git};

    #[test]
    fn commands_that_take_back() {
        let name = |command: &str| match git(command) {
            None => "nothing".to_owned(),
            Some(Deed::Undo(path, true)) => path,
            Some(Deed::UndoAll) => "all".to_owned(),
            Some(Deed::Commit) => "commit".to_owned(),
            Some(_) => "other".to_owned(),
        };
        for (command, expected) in [
            ("git checkout -- src/a.rs", "src/a.rs"),
            ("cd x && git restore src/a.rs", "src/a.rs"),
            ("git checkout HEAD~1 -- src/a.rs", "src/a.rs"),
            ("git checkout .", "all"),
            ("git reset --hard HEAD", "all"),
            ("git reset --hard", "all"),
            ("git commit -am done", "commit"),
            ("git checkout main", "nothing"),
            ("git restore --staged src/a.rs", "nothing"),
            ("git reset HEAD", "nothing"),
            ("git status", "nothing"),
            ("echo git restore", "nothing"),
        ] {
            assert_eq!(name(command), expected, "{command}");
        }
    }
}
