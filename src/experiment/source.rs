//! What a list of paths stands for: files, dataset folders, folders of files, and the program's own datasets.

use std::path::{Path, PathBuf};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::corpus::{CorpusError, Session, dataset, embedded_session, file};
use super::embedded::{EMBEDDED, Embedded};
use crate::import::{Walk, walk};

/// The mark before the name of one of the program's own datasets.
pub(super) const OWN: &str = "embedded:";

/// One file, or one dataset.
#[derive(Clone, Debug)]
pub enum Source {
    /// A file or a dataset's folder.
    Path {
        /// Where it lies.
        path: PathBuf,
        /// It was named itself; the other files are those of a folder that was named.
        named: bool,
    },
    /// A dataset of the program.
    Embedded(&'static Embedded),
}

/// The sources of a list of paths, and what below them is none.
#[derive(Debug, Default)]
pub struct Sources {
    /// In the order in which they were named; files of a folder by name.
    pub all: Vec<Source>,
    /// Parts of folders that cannot be looked at, and why.
    pub skipped: Vec<(PathBuf, String)>,
}

impl Sources {
    /// What `paths` stand for; no path means the program's own datasets, `embedded:NAME` one of them.
    ///
    /// # Errors
    /// When a folder that was named cannot be read, or there is no dataset of that name.
    pub fn of(paths: &[PathBuf]) -> Result<Self, CorpusError> {
        let mut sources = Self::default();
        if paths.is_empty() {
            sources.all.extend(EMBEDDED.iter().map(Source::Embedded));
        }
        for path in paths {
            sources.add(path)?;
        }
        Ok(sources)
    }

    fn add(&mut self, path: &Path) -> Result<(), CorpusError> {
        if let Some(name) = path.to_str().and_then(|path| path.strip_prefix(OWN)) {
            let own = EMBEDDED.iter().find(|own| own.name == name);
            self.all.push(Source::Embedded(own.ok_or_else(|| CorpusError::NoDataset(name.to_owned()))?));
        } else if path.is_dir() {
            let io = |source| CorpusError::Io { path: path.to_owned(), source };
            let Walk { paths, skipped } = walk(path, &is_dataset).map_err(io)?;
            self.all.extend(paths.into_iter().map(|path| Source::Path { path, named: false }));
            let with_path = |(path, reason): (PathBuf, String)| (path.clone(), format!("{}: {reason}", path.display()));
            self.skipped.extend(skipped.into_iter().map(with_path));
        } else {
            self.all.push(Source::Path { path: path.to_owned(), named: true });
        }
        Ok(())
    }

    /// Reads every source on all threads and gives what `work` makes of each, in order. What `work` returns is all that
    /// stays in memory.
    pub fn read<T: Send>(&self, work: impl Fn(&Source, Result<Vec<Session>, CorpusError>) -> T + Sync) -> Vec<T> {
        self.all.par_iter().map(|source| work(source, source.read())).collect()
    }
}

impl Source {
    /// The sessions in it.
    ///
    /// # Errors
    /// When nothing can be read from it.
    pub fn read(&self) -> Result<Vec<Session>, CorpusError> {
        match self {
            Self::Embedded(own) => Ok(vec![embedded_session(own)?]),
            Self::Path { path, .. } if path.is_dir() => Ok(vec![dataset(path)?]),
            Self::Path { path, .. } => file(path),
        }
    }

    /// Whether a failure to read it is an error. Any other file of a folder may well be no transcript.
    pub fn is_required(&self) -> bool {
        match self {
            Self::Embedded(_) => true,
            Self::Path { path, named } => *named || path.is_dir(),
        }
    }

    /// Its path, or `embedded:NAME`.
    pub fn path(&self) -> PathBuf {
        match self {
            Self::Embedded(own) => format!("{OWN}{}", own.name).into(),
            Self::Path { path, .. } => path.clone(),
        }
    }
}

fn is_dataset(path: &Path) -> bool {
    path.join("session.jsonl").is_file() && path.join("dataset.toml").is_file()
}
