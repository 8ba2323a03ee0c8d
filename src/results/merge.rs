//! The shards of a run put together: the same bytes as a run of the whole.

use std::fs;
use std::path::{Path, PathBuf};

use super::folder::{ANNOTATIONS, CELLS, CLASSES, EVENTS, MANIFEST, MESSAGES};
use super::{Manifest, RunError, RunFolder, Shard};

/// Shards that do not make a whole.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A folder could not be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It is no shard.
    #[error("{}: this run is no shard", .0.display())]
    Whole(PathBuf),
    /// It belongs to another run.
    #[error("{}: its {what} differs from that of {}", path.display(), first.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// The first folder.
        first: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// A shard is missing, or there twice.
    #[error("of {of} shards there must be one each; there are {found:?}")]
    Parts {
        /// How many there should be.
        of: u64,
        /// Their numbers.
        found: Vec<u64>,
    },
    /// A shard was stopped.
    #[error("{}: it holds {found} of {planned} cells; run it again to finish it", path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
        /// Cells it holds.
        found: u64,
        /// Cells it should hold.
        planned: u64,
    },
}

/// Writes the run that `shards`, in any order, are the parts of. Returns its number of cells.
///
/// # Errors
/// When they are not the whole of one run.
pub fn merge(shards: &[PathBuf], out: &Path) -> Result<u64, MergeError> {
    let mut parts: Vec<(Shard, &PathBuf, Manifest)> = Vec::new();
    for path in shards {
        let mut manifest = Manifest::read(path)?;
        let shard = manifest.shard.take().ok_or_else(|| MergeError::Whole(path.clone()))?;
        parts.push((shard, path, manifest));
    }
    parts.sort_by_key(|(shard, ..)| *shard);
    let Some((first_shard, first, whole)) = parts.first() else {
        return Err(MergeError::Parts { of: 1, found: Vec::new() });
    };
    for (_, path, manifest) in &parts {
        if let Some(what) = difference(whole, manifest) {
            return Err(MergeError::Other { path: (*path).clone(), first: (*first).clone(), what });
        }
    }
    let found: Vec<u64> = parts.iter().map(|(shard, ..)| shard.part).collect();
    let is_complete = found.iter().copied().eq(1..=first_shard.of);
    if !is_complete || parts.iter().any(|(shard, ..)| shard.of != first_shard.of) {
        return Err(MergeError::Parts { of: first_shard.of, found });
    }
    let mut texts = Vec::new();
    for (shard, path, manifest) in &parts {
        let text = |name: &str| {
            let path = path.join(name);
            fs::read_to_string(&path).map_err(|source| RunError::Io { path, source })
        };
        let (cells, events) = (text(CELLS)?, text(EVENTS)?);
        let (range, found) = (shard.range(manifest.cells), cells.lines().count() as u64);
        let planned = range.end - range.start;
        if found != planned {
            return Err(MergeError::Unfinished { path: (*path).clone(), found, planned });
        }
        texts.push((cells, events));
    }
    let mut folder = RunFolder::create(out, whole)?;
    texts.iter().try_for_each(|(cells, events)| folder.push_lines(cells, events))?;
    folder.finish()?;
    copy_sources(first, out)?;
    Ok(whole.cells)
}

/// What lies behind the cells: every shard has those of all transcripts. Older runs have none.
fn copy_sources(from: &Path, to: &Path) -> Result<(), RunError> {
    for name in [MESSAGES, ANNOTATIONS, CLASSES] {
        let path = from.join(name);
        if path.exists() {
            fs::copy(&path, to.join(name)).map_err(|source| RunError::Io { path, source })?;
        }
    }
    Ok(())
}

/// The first thing in which two manifests differ, but for their shard.
fn difference(a: &Manifest, b: &Manifest) -> Option<&'static str> {
    if a.config_sha256 != b.config_sha256 {
        Some("experiment")
    } else if a.transcripts != b.transcripts {
        Some("list of transcripts")
    } else if a != b {
        Some(MANIFEST)
    } else {
        None
    }
}
