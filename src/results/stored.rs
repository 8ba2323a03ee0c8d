//! Finished cells of an earlier run in the same folder, as the bytes that lie on disk.
//!
//! A run appends to `cells.jsonl` and `events.jsonl`. Before a new one empties them, what they hold moves to
//! `previous.cells.jsonl` and `previous.events.jsonl`, which are removed when the new run has written all that it takes over. So
//! at no moment is a finished cell only in memory: a kill loses the cells in flight, and nothing else.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::RunError;
use super::folder::{CELLS, EVENTS};

const PREVIOUS_CELLS: &str = "previous.cells.jsonl";
const PREVIOUS_EVENTS: &str = "previous.events.jsonl";

/// A finished cell: its lines, with their ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCell {
    /// Its line of `cells.jsonl`.
    pub record: String,
    /// Its lines of `events.jsonl`.
    pub events: String,
}

/// Finished cells, by the digest of their inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stored(BTreeMap<String, StoredCell>);

#[derive(Deserialize)]
struct CellKey<'a> {
    #[serde(borrow)]
    cell: Cow<'a, str>,
    #[serde(borrow, default)]
    inputs: Cow<'a, str>,
}

#[derive(Deserialize)]
struct EventKey<'a> {
    #[serde(borrow)]
    cell: Cow<'a, str>,
}

impl Stored {
    /// The finished cells of a folder. A line that a kill broke off, and events of a cell that did not end, are left out; so are
    /// cells that do not name their inputs.
    ///
    /// # Errors
    /// When a file is there and cannot be read.
    pub fn read(folder: &Path) -> Result<Self, RunError> {
        let mut stored = Self::default();
        stored.add(&folder.join(CELLS), &folder.join(EVENTS))?;
        stored.add(&folder.join(PREVIOUS_CELLS), &folder.join(PREVIOUS_EVENTS))?;
        Ok(stored)
    }

    /// Takes out the cell with these inputs.
    pub fn take(&mut self, inputs: &str) -> Option<StoredCell> {
        self.0.remove(inputs)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, cells: &Path, events: &Path) -> Result<(), RunError> {
        let (cells, events) = (text(cells)?, text(events)?);
        let mut of: HashMap<Cow<'_, str>, String> = HashMap::new();
        for line in whole_lines(&events) {
            if let Ok(EventKey { cell }) = serde_json::from_str(line) {
                of.entry(cell).or_default().push_str(line);
            }
        }
        for line in whole_lines(&cells) {
            let Ok(CellKey { cell, inputs }) = serde_json::from_str(line) else { continue };
            if inputs.is_empty() || self.0.contains_key(&*inputs) {
                continue;
            }
            let cell = StoredCell { record: line.to_owned(), events: of.remove(&cell).unwrap_or_default() };
            self.0.insert(inputs.into_owned(), cell);
        }
        Ok(())
    }

    /// Moves the finished cells aside. The events go first, so that a cell that is there is whole.
    pub(super) fn set_aside(&self, folder: &Path) -> Result<(), RunError> {
        if self.is_empty() {
            return Ok(());
        }
        let write = |name: &str, part: fn(&StoredCell) -> &str| {
            let path = folder.join(name);
            let partial = folder.join(format!("{name}.partial"));
            let written = || -> io::Result<()> {
                let mut out = BufWriter::new(File::create(&partial)?);
                self.0.values().try_for_each(|cell| out.write_all(part(cell).as_bytes()))?;
                out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
                fs::rename(&partial, &path)
            };
            written().map_err(|source| RunError::Io { path: path.clone(), source })
        };
        write(PREVIOUS_EVENTS, |cell| &cell.events)?;
        write(PREVIOUS_CELLS, |cell| &cell.record)
    }
}

/// Removes what was set aside. The cells go first: events without a cell are nothing.
pub(super) fn forget(folder: &Path) -> Result<(), RunError> {
    for path in [folder.join(PREVIOUS_CELLS), folder.join(PREVIOUS_EVENTS)] {
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(RunError::Io { path, source }),
            _ => {}
        }
    }
    Ok(())
}

/// A file that is not there is empty. A kill may have left half a character at the end.
fn text(path: &Path) -> Result<String, RunError> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(source) => Err(RunError::Io { path: PathBuf::from(path), source }),
    }
}

fn whole_lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').filter(|line| line.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(cells: &str, events: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(CELLS), cells).unwrap();
        fs::write(folder.path().join(EVENTS), events).unwrap();
        folder
    }

    #[test]
    fn what_a_kill_broke_off_is_left_out() {
        let cells = "{\"cell\":\"a\",\"inputs\":\"1\"}\n{\"cell\":\"b\",\"inputs\":\"2\"}";
        let events =
            "{\"cell\":\"a\",\"n\":1}\n{\"cell\":\"a\",\"n\":2}\n{\"cell\":\"b\",\"n\":1}\n{\"cell\":\"b\",\"n";
        let mut stored = Stored::read(folder(cells, events).path()).unwrap();
        assert_eq!(stored.len(), 1);
        let a = stored.take("1").unwrap();
        assert_eq!(a.record, "{\"cell\":\"a\",\"inputs\":\"1\"}\n");
        assert_eq!(a.events, "{\"cell\":\"a\",\"n\":1}\n{\"cell\":\"a\",\"n\":2}\n");
    }

    #[test]
    fn cells_set_aside_are_found_beside_newer_ones() {
        let folder = folder("{\"cell\":\"a\",\"inputs\":\"1\"}\n", "{\"cell\":\"a\"}\n");
        let stored = Stored::read(folder.path()).unwrap();
        stored.set_aside(folder.path()).unwrap();
        fs::write(folder.path().join(CELLS), "{\"cell\":\"b\",\"inputs\":\"2\"}\n").unwrap();
        fs::write(folder.path().join(EVENTS), "{\"cell\":\"b\"}\n").unwrap();
        let both = Stored::read(folder.path()).unwrap();
        assert_eq!(both.len(), 2);
        assert_eq!(both.0["1"].events, "{\"cell\":\"a\"}\n");
        forget(folder.path()).unwrap();
        forget(folder.path()).unwrap();
        assert_eq!(Stored::read(folder.path()).unwrap().len(), 1);
        assert!(Stored::read(&folder.path().join("nowhere")).unwrap().is_empty());
    }
}
