//! Answers on disk: one file each, named after what decides the answer.
//!
//! A file is written under another name, synced, and renamed: a process that dies at any moment leaves it whole or not at
//! all. Each carries a checksum of its content. Files are JSON with texts as lists of lines, so that a change shows in a
//! review; prompts are outlined and redacted, so that they are small enough to commit.

mod outline;
mod record;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use similar::TextDiff;

pub use record::{Key, Stored};

use record::Damage;

use super::LlmRequest;
use super::api::Reply;
use super::config::LlmConfig;

/// A store could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is not what was written.
    #[error("{path}: {why}\nhint: restore the file, or delete it and record the answer again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// A folder of answers. Several processes may use it at once.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    written: AtomicU64,
}

impl Store {
    /// The store in a folder, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), written: AtomicU64::new(0) }
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self, key: &Key) -> PathBuf {
        self.folder.join(&key.hex()[..2]).join(format!("{}.json", key.hex()))
    }

    /// The answer under a key; `None` when there is none.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged.
    pub fn get(&self, key: &Key) -> Result<Option<Stored>, StoreError> {
        let path = self.file(key);
        match fs::read_to_string(&path) {
            Ok(text) => {
                Stored::parse(&text, Some(key)).map(Some).map_err(|Damage(why)| StoreError::Damaged { path, why })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::Io { path, source }),
        }
    }

    /// Writes an answer. It is on disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, config: &LlmConfig, request: &LlmRequest, reply: &Reply) -> Result<(), StoreError> {
        let key = Key::of(config, request);
        let path = self.file(&key);
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let partial = self.folder.join(format!(".partial-{}-{number}", std::process::id()));
        let write = || -> io::Result<()> {
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            let mut file = fs::File::create(&partial)?;
            file.write_all(record::write(&key, config, request, reply).as_bytes())?;
            file.sync_data()?;
            fs::rename(&partial, &path)
        };
        write().map_err(|source| StoreError::Io { path: path.clone(), source })
    }

    /// All answers, by key; damaged files are errors of their own.
    pub fn all(&self) -> Vec<Result<Stored, StoreError>> {
        let mut files: Vec<PathBuf> = entries(&self.folder)
            .into_iter()
            .filter(|path| path.is_dir())
            .flat_map(|folder| entries(&folder))
            .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
            .collect();
        files.sort();
        let read = |path: PathBuf| match fs::read_to_string(&path) {
            Ok(text) => Stored::parse(&text, None).map_err(|Damage(why)| StoreError::Damaged { path, why }),
            Err(source) => Err(StoreError::Io { path, source }),
        };
        files.into_iter().map(read).collect()
    }

    /// Says what of a request differs from the nearest stored one, as a unified diff; `None` when the store is empty.
    pub fn nearest(&self, config: &LlmConfig, request: &LlmRequest) -> Option<String> {
        let wanted = record::describe(config, request);
        let likeness = |stored: &Stored| {
            let known: std::collections::HashSet<&String> = stored.described.iter().collect();
            wanted.iter().filter(|line| known.contains(line)).count()
        };
        let stored: Vec<Stored> = self.all().into_iter().filter_map(Result::ok).collect();
        // Of equal ones the first by key, so that the answer is always the same.
        let best = stored.iter().rev().max_by_key(|stored| likeness(stored))?;
        let (old, new) = (best.described.join("\n") + "\n", wanted.join("\n") + "\n");
        let diff = TextDiff::from_lines(&old, &new);
        let diff = diff.unified_diff().context_radius(2).header("stored", "asked").to_string();
        Some(super::failure::cut(&diff, 6_000))
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
