//! The report of the estimation laboratory: tables for a terminal, tidy CSV files, one page.

mod page;
mod table;
mod tables_csv;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::ReportError;
use crate::lab::{Findings, Observed};

/// What a report of the laboratory is made of.
#[derive(Clone, Copy, Debug)]
pub struct LabReport<'a> {
    /// The truth's name.
    pub truth: &'a str,
    /// The command that made it, without paths.
    pub command: &'a str,
    /// Name and version of the program.
    pub generator: &'a str,
    /// The sessions.
    pub sessions: &'a [Observed],
    /// The findings.
    pub findings: &'a Findings,
}

impl LabReport<'_> {
    /// Writes the table for people, at most 80 columns wide.
    ///
    /// # Errors
    /// When `out` refuses.
    pub fn table(&self, out: &mut dyn Write) -> Result<(), ReportError> {
        table::write(self, out)
    }
}

/// Writes the CSV files and `index.html` to a folder, which is created; with `messages`, also the large `messages.csv`.
/// Returns the paths.
///
/// # Errors
/// When the folder cannot be written.
pub fn write_lab(report: &LabReport<'_>, folder: &Path, messages: bool) -> Result<Vec<PathBuf>, ReportError> {
    fs::create_dir_all(folder).map_err(|source| ReportError::File { path: folder.to_owned(), source })?;
    let mut files = tables_csv::all(report)?;
    if messages {
        files.push(("messages.csv", tables_csv::messages(report)?));
    }
    files.push(("index.html", page::page(report)?.into_bytes()));
    files.into_iter().map(|(name, bytes)| write(&folder.join(name), &bytes)).collect()
}

fn write(path: &Path, bytes: &[u8]) -> Result<PathBuf, ReportError> {
    let partial = path.with_extension("partial");
    let failed = |source| ReportError::File { path: path.to_owned(), source };
    fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, path)).map_err(failed)?;
    Ok(path.to_owned())
}
