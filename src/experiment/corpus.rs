//! Transcripts ready to be replayed, with their annotations and what was wrong with their files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::embedded::{EMBEDDED, Embedded};
use super::source::Sources;
use crate::digest::sha256;
use crate::import::{Finding, ImportError, Imported, LineCounts, read_all};
use crate::meter::goal::{ItemSet, ItemsError};
use crate::redact::Redacted;
use crate::transcript::{Head, Text, ToolSchema, Transcript};

/// A session of a corpus.
#[derive(Debug)]
pub struct Session {
    /// Its name: the dataset's, or the file's.
    pub name: String,
    /// Sessions that share an origin.
    pub lineage: String,
    /// The session.
    pub transcript: Transcript,
    /// Annotated items; none where nobody annotated it.
    pub items: ItemSet,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// The format it was read as.
    pub format: &'static str,
    /// What was wrong with the file.
    pub findings: Vec<Finding>,
    /// Line and column of each entry, where they are not those of its record: [`Imported::places`].
    pub places: Vec<(usize, usize)>,
    /// Lines of the file read and left out; with the first session of a file.
    pub lines: LineCounts,
}

/// Sessions, and the files that are none.
#[derive(Debug, Default)]
pub struct Corpus {
    /// In the order in which they were named; files of a folder by name.
    pub sessions: Vec<Session>,
    /// Files of folders that nothing could be read from, and why.
    pub skipped: Vec<(PathBuf, String)>,
    /// What was replaced in the sessions; `None` when they are as they were read.
    pub redacted: Option<Redacted>,
}

/// A corpus could not be read.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A file that was named holds no transcript.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The manifest of a dataset.
    #[error("{origin}: {source}")]
    Manifest {
        /// The file.
        origin: String,
        /// Why.
        source: Box<toml::de::Error>,
    },
    /// The annotations of a dataset.
    #[error("{origin}: {source}")]
    Items {
        /// The file.
        origin: String,
        /// Why.
        source: ItemsError,
    },
    /// There is no embedded dataset of this name.
    #[error("no embedded dataset is called {0:?}; there are {names}", names = names())]
    NoDataset(String),
    /// Nothing was found.
    #[error("no transcript was found in {0}")]
    Nothing(String),
}

fn names() -> String {
    EMBEDDED.iter().map(|own| own.name).collect::<Vec<_>>().join(", ")
}

/// `dataset.toml`.
#[derive(Debug, Deserialize)]
struct Dataset {
    name: String,
    lineage: Option<String>,
    #[serde(default)]
    head: HeadConfig,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadConfig {
    system: Option<String>,
    tools: Option<Vec<Tool>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    name: String,
    description: String,
    parameters: String,
}

impl HeadConfig {
    fn head(self) -> Head {
        let tool = |tool: Tool| ToolSchema {
            name: tool.name.into(),
            description: tool.description.into(),
            parameters: tool.parameters.into(),
        };
        Head {
            system: self.system.map(Text::new),
            tools: self.tools.map(|tools| tools.into_iter().map(tool).collect()),
        }
    }
}

/// Reads files, dataset folders and folders of files; no path means the embedded datasets.
///
/// # Errors
/// When a named file holds no transcript, or a dataset's own files are wrong. Other files of a folder are skipped and listed.
pub fn load(paths: &[PathBuf]) -> Result<Corpus, CorpusError> {
    let sources = Sources::of(paths)?;
    let mut corpus = Corpus { sessions: Vec::new(), skipped: sources.skipped.clone(), redacted: None };
    for (source, sessions) in sources.read(|source, sessions| (source.clone(), sessions)) {
        match sessions {
            Ok(sessions) => corpus.sessions.extend(sessions),
            Err(error) if !source.is_required() => corpus.skipped.push((source.path(), error.to_string())),
            Err(error) => return Err(error),
        }
    }
    if corpus.sessions.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(CorpusError::Nothing(names.join(", ")));
    }
    Ok(corpus)
}

pub(super) fn embedded_session(embedded: &Embedded) -> Result<Session, CorpusError> {
    let origin = |file: &str| format!("embedded:{}/{file}", embedded.name);
    let name = PathBuf::from(origin("session.jsonl"));
    let sessions = imported(embedded.session.as_bytes(), embedded.name).map_err(|error| error.in_file(name))?;
    annotated(only(sessions, embedded.name)?, embedded.dataset, Some(embedded.items), &origin)
}

fn read(path: &Path) -> Result<Vec<u8>, CorpusError> {
    std::fs::read(path).map_err(|error| ImportError::from(error).in_file(path).into())
}

pub(super) fn file(path: &Path) -> Result<Vec<Session>, CorpusError> {
    let name = path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned());
    Ok(imported(&read(path)?, &name).map_err(|error| error.in_file(path))?)
}

/// The only session of a dataset's file.
fn only(sessions: Vec<Session>, origin: &str) -> Result<Session, CorpusError> {
    sessions.into_iter().next().ok_or_else(|| CorpusError::Nothing(origin.to_owned()))
}

pub(super) fn dataset(path: &Path) -> Result<Session, CorpusError> {
    let text = |name: &str| {
        let path = path.join(name);
        std::fs::read_to_string(&path).map_err(|source| CorpusError::Io { path, source })
    };
    let session = only(file(&path.join("session.jsonl"))?, &path.display().to_string())?;
    let items = path.join("items.toml").is_file().then(|| text("items.toml")).transpose()?;
    annotated(session, &text("dataset.toml")?, items.as_deref(), &|file| path.join(file).display().to_string())
}

/// Every session of a file. Sessions of one file share their lineage.
fn imported(bytes: &[u8], name: &str) -> Result<Vec<Session>, ImportError> {
    let (format, all) = read_all(bytes)?;
    let sha256 = sha256(bytes);
    let session = |Imported { transcript, findings, lines, part, places }| Session {
        name: part.map_or_else(|| name.to_owned(), |part| format!("{name}#{part}")),
        lineage: name.to_owned(),
        transcript,
        items: ItemSet::default(),
        sha256: sha256.clone(),
        format: format.name(),
        findings,
        places,
        lines,
    };
    Ok(all.into_iter().map(session).collect())
}

fn annotated(
    mut session: Session,
    dataset: &str,
    items: Option<&str>,
    origin: &dyn Fn(&str) -> String,
) -> Result<Session, CorpusError> {
    let manifest: Dataset = toml::from_str(dataset)
        .map_err(|source| CorpusError::Manifest { origin: origin("dataset.toml"), source: Box::new(source) })?;
    session.lineage = manifest.lineage.unwrap_or_else(|| manifest.name.clone());
    session.name = manifest.name;
    session.transcript.head = manifest.head.head();
    if let Some(items) = items {
        session.items = ItemSet::parse(items, &session.transcript)
            .map_err(|source| CorpusError::Items { origin: origin("items.toml"), source })?;
    }
    Ok(session)
}

impl Session {
    /// Findings by kind.
    pub fn finding_counts(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for finding in &self.findings {
            *counts.entry(format!("{:?}", finding.kind)).or_default() += 1;
        }
        counts
    }
}
