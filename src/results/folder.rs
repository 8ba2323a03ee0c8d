//! Reading and writing a run folder.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{CellRecord, EventRecord, Manifest, SCHEMA, Sources};

const MANIFEST: &str = "manifest.json";
const CELLS: &str = "cells.jsonl";
const EVENTS: &str = "events.jsonl";
const MESSAGES: &str = "messages.jsonl";
const ANNOTATIONS: &str = "annotations.jsonl";

/// A run folder could not be used.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file holds something else than its record.
    #[error("{path}:{line}: not a record of a run: {source}")]
    Record {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Why.
        source: serde_json::Error,
    },
    /// The run was written by a newer program.
    #[error("{path}: records of version {found}, this program reads up to {SCHEMA}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Version found.
        found: u32,
    },
}

/// A finished run, in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Where it comes from.
    pub manifest: Manifest,
    /// Its cells, in the order of the grid.
    pub cells: Vec<CellRecord>,
    /// Its events, grouped by cell in the same order.
    pub events: Vec<EventRecord>,
    /// The texts that a report quotes.
    pub sources: Sources,
}

impl Run {
    /// Reads a run folder.
    pub fn read(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|source| RunError::Io { path: path.clone(), source })?;
        let record = |source| RunError::Record { path: path.clone(), line: 1, source };
        let manifest: Manifest = serde_json::from_str(&text).map_err(record)?;
        if manifest.schema > SCHEMA {
            return Err(RunError::Newer { path, found: manifest.schema });
        }
        let sources = Sources {
            messages: maybe_lines(&folder.join(MESSAGES))?,
            annotations: maybe_lines(&folder.join(ANNOTATIONS))?,
        };
        Ok(Self { manifest, cells: lines(&folder.join(CELLS))?, events: lines(&folder.join(EVENTS))?, sources })
    }
}

/// The same for a file that older runs do not have.
fn maybe_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, RunError> {
    if path.exists() { lines(path) } else { Ok(Vec::new()) }
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, RunError> {
    let failed = |source| RunError::Io { path: path.to_owned(), source };
    let reader = BufReader::new(File::open(path).map_err(failed)?);
    let mut records = Vec::new();
    for (index, line) in reader.lines().enumerate() {
        let line = line.map_err(failed)?;
        let record = |source| RunError::Record { path: path.to_owned(), line: index + 1, source };
        records.push(serde_json::from_str(&line).map_err(record)?);
    }
    Ok(records)
}

/// A run folder that is being written. A cell is on disk when [`RunFolder::push`] returns.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    cells: BufWriter<File>,
    events: BufWriter<File>,
}

impl RunFolder {
    /// Creates the folder, or empties the record files of an older run in it, and writes the manifest.
    pub fn create(path: &Path, manifest: &Manifest) -> Result<Self, RunError> {
        let failed = |source| RunError::Io { path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(failed)?;
        let file = |name: &str| File::create(path.join(name)).map(BufWriter::new).map_err(failed);
        let mut out = file(MANIFEST)?;
        serde_json::to_writer_pretty(&mut out, manifest).map_err(io::Error::from).map_err(failed)?;
        out.write_all(b"\n").and_then(|()| out.flush()).map_err(failed)?;
        Ok(Self { path: path.to_owned(), cells: file(CELLS)?, events: file(EVENTS)? })
    }

    /// Writes the texts that a report quotes.
    pub fn write_sources(&self, sources: &Sources) -> Result<(), RunError> {
        all_lines(&self.path.join(MESSAGES), &sources.messages)?;
        all_lines(&self.path.join(ANNOTATIONS), &sources.annotations)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a finished cell: its events first, so that a cell that is there is whole.
    pub fn push(&mut self, cell: &CellRecord, events: &[EventRecord]) -> Result<(), RunError> {
        let mut write = || -> io::Result<()> {
            for event in events {
                line(&mut self.events, event)?;
            }
            self.events.flush()?;
            line(&mut self.cells, cell)?;
            self.cells.flush()
        };
        write().map_err(|source| RunError::Io { path: self.path.clone(), source })
    }
}

fn line(out: &mut impl Write, record: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, record)?;
    out.write_all(b"\n")
}

fn all_lines<T: Serialize>(path: &Path, records: &[T]) -> Result<(), RunError> {
    let write = || -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        records.iter().try_for_each(|record| line(&mut out, record))?;
        out.flush()
    };
    write().map_err(|source| RunError::Io { path: path.to_owned(), source })
}
