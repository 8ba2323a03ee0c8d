//! Reading and writing a run folder.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::stored::{self, Stored};
use super::{CellRecord, EventRecord, JudgementRecord, Manifest, SCHEMA, Sources};

pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const CELLS: &str = "cells.jsonl";
pub(super) const EVENTS: &str = "events.jsonl";
pub(super) const MESSAGES: &str = "messages.jsonl";
pub(super) const ANNOTATIONS: &str = "annotations.jsonl";
pub(super) const CLASSES: &str = "classes.jsonl";

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
    /// What a judge said of its summaries; empty where nobody judged.
    pub judgements: Vec<JudgementRecord>,
}

impl Manifest {
    /// Reads the manifest of a run folder.
    ///
    /// # Errors
    /// When there is none, or it was written by a newer program.
    pub fn read(folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(MANIFEST);
        let text = fs::read_to_string(&path).map_err(|source| RunError::Io { path: path.clone(), source })?;
        let record = |source| RunError::Record { path: path.clone(), line: 1, source };
        let manifest: Self = serde_json::from_str(&text).map_err(record)?;
        if manifest.schema > SCHEMA {
            return Err(RunError::Newer { path, found: manifest.schema });
        }
        Ok(manifest)
    }
}

impl Run {
    /// Reads a run folder. What a killed run left unfinished is no part of it: a last line without an end, and the events of a
    /// cell that is not there.
    pub fn read(folder: &Path) -> Result<Self, RunError> {
        let manifest = Manifest::read(folder)?;
        let cells: Vec<CellRecord> = lines(&folder.join(CELLS))?;
        let mut events: Vec<EventRecord> = lines(&folder.join(EVENTS))?;
        let finished: HashSet<&str> = cells.iter().map(|cell| cell.cell.as_str()).collect();
        events.retain(|event| finished.contains(event.cell()));
        let sources = Sources {
            messages: maybe_lines(&folder.join(MESSAGES))?,
            annotations: maybe_lines(&folder.join(ANNOTATIONS))?,
            classes: maybe_lines(&folder.join(CLASSES))?,
        };
        let judgements = JudgementRecord::read_all(folder)?;
        Ok(Self { manifest, cells, events, sources, judgements })
    }
}

/// The same for a file that older runs do not have.
pub(super) fn maybe_lines<T: DeserializeOwned + Send>(path: &Path) -> Result<Vec<T>, RunError> {
    if path.exists() { lines(path) } else { Ok(Vec::new()) }
}

/// Read on all threads; of several faulty lines the first is told.
fn lines<T: DeserializeOwned + Send>(path: &Path) -> Result<Vec<T>, RunError> {
    let text = fs::read_to_string(path).map_err(|source| RunError::Io { path: path.to_owned(), source })?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let read: Vec<serde_json::Result<T>> = lines.par_iter().map(|line| serde_json::from_str(line)).collect();
    let mut records = Vec::with_capacity(read.len());
    for (index, (line, record)) in lines.into_iter().zip(read).enumerate() {
        match record {
            Ok(record) => records.push(record),
            Err(_) if !line.ends_with('\n') => {}
            Err(source) => return Err(RunError::Record { path: path.to_owned(), line: index + 1, source }),
        }
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

    /// Writes what lies behind the cells.
    pub fn write_sources(&self, sources: &Sources) -> Result<(), RunError> {
        all_lines(&self.path.join(MESSAGES), &sources.messages)?;
        all_lines(&self.path.join(ANNOTATIONS), &sources.annotations)?;
        all_lines(&self.path.join(CLASSES), &sources.classes)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the folder for a run that takes over finished cells of an earlier one in it: they are set aside first, and go when
    /// [`RunFolder::finish`] is called.
    pub fn resume(path: &Path, manifest: &Manifest) -> Result<(Self, Stored), RunError> {
        let stored = Stored::read(path)?;
        stored.set_aside(path)?;
        Ok((Self::create(path, manifest)?, stored))
    }

    /// Appends lines that were written before.
    pub fn push_lines(&mut self, cells: &str, events: &str) -> Result<(), RunError> {
        let mut write = || -> io::Result<()> {
            self.events.write_all(events.as_bytes())?;
            self.events.flush()?;
            self.cells.write_all(cells.as_bytes())?;
            self.cells.flush()
        };
        write().map_err(|source| RunError::Io { path: self.path.clone(), source })
    }

    /// Ends the run: what was set aside, and was not taken over, goes.
    pub fn finish(self) -> Result<(), RunError> {
        stored::forget(&self.path)
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
