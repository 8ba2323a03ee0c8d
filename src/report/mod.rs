//! Reports of a run. They read a [`Run`] and nothing else, so that a report can be made again, years later, from the
//! folder alone.
//!
//! [`ReportModel`] computes every number once; a [`Reporter`] lays it out. Equal runs give equal bytes. Text of a run
//! comes from transcripts and is not trusted: it is escaped, and what would reorder or hide text is made visible.

mod comparison;
mod csv;
mod html;
mod json;
mod lab;
mod markdown;
pub mod model;
mod narrow;
mod number;
mod palette;
mod plot;
mod stale;
mod sweep;
mod terminal;
mod text;
mod validity;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

pub use comparison::ComparisonForm;
pub(crate) use csv::guarded;
#[cfg(feature = "parquet")]
pub use csv::write_parquet;
pub use csv::{CsvFile, judgements_csv, records_csv};
pub use html::{Html, Sibling};
pub use json::Json;
pub use lab::{LabReport, write_lab};
pub use markdown::Markdown;
pub use model::{Against, ReportModel};
pub use narrow::Narrow;
pub use number::Format;
pub use plot::{BreakEvenLine, break_even, cache_requests, cache_sweep};
pub use sweep::{SweepReport, break_even_lines};
pub use terminal::Terminal;
pub use text::{one_line, short_name};
pub use validity::{EVERY, Validity, validity};

use crate::results::Run;

/// A report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Writing to the output failed.
    #[error("writing the report: {0}")]
    Write(#[from] io::Error),
    /// Writing a file failed.
    #[error("{path}: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A table could not be written as CSV.
    #[error("writing CSV: {0}")]
    Csv(#[from] ::csv::Error),
    /// A document could not be written as JSON.
    #[error("writing JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A table could not be written as Parquet.
    #[cfg(feature = "parquet")]
    #[error("writing Parquet: {0}")]
    Parquet(String),
    /// A plot could not be drawn.
    #[error("drawing a plot: {0}")]
    Plot(String),
}

/// A form of the report.
///
/// ```
/// use cutpoint::report::{CsvFile, ReportError, ReportModel, Reporter};
///
/// fn cells(model: &ReportModel) -> Result<Vec<u8>, ReportError> {
///     let mut out = Vec::new();
///     CsvFile::Cells.render(model, &mut out)?;
///     Ok(out)
/// }
/// ```
pub trait Reporter: Sync {
    /// Writes the whole report. Equal models give equal bytes.
    fn render(&self, model: &ReportModel, out: &mut dyn Write) -> Result<(), ReportError>;
}

/// Writes `index.html` with its siblings, the CSV files, `report.json` and `report.md` to a folder, which is created. Each file is written beside its place and
/// renamed, so that a reader never sees half a file; what an earlier report left there and this one lacks is removed. Returns the paths, the page first.
pub fn write_all(run: &Run, folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
    write_model(&ReportModel::new(run), folder)
}

/// The same for a model, which may have a base: then the files about it are written too.
pub fn write_model(model: &ReportModel, folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
    fs::create_dir_all(folder).map_err(|source| ReportError::File { path: folder.to_owned(), source })?;
    let siblings = Sibling::all(model);
    let pages = siblings.iter().map(|page| (page as &dyn Reporter, page.name));
    let files = CsvFile::of(model);
    let tables = files.iter().map(|file| (file as &dyn Reporter, file.name()));
    let files: Vec<(&dyn Reporter, &str)> = std::iter::once((&Html as &dyn Reporter, "index.html"))
        .chain(pages)
        .chain(tables)
        .chain([(&Json as &dyn Reporter, "report.json"), (&Markdown, "report.md")])
        .collect();
    let paths = files.par_iter().map(|&(reporter, name)| write(model, reporter, &folder.join(name)));
    let paths = paths.collect::<Result<_, _>>()?;
    stale::remove(model, folder, &files.iter().map(|&(_, name)| name).collect())?;
    Ok(paths)
}

fn write(model: &ReportModel, reporter: &dyn Reporter, path: &Path) -> Result<PathBuf, ReportError> {
    let mut bytes = Vec::new();
    reporter.render(model, &mut bytes)?;
    let failed = |source| ReportError::File { path: path.to_owned(), source };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    fs::write(&partial, &bytes).and_then(|()| fs::rename(&partial, path)).map_err(failed)?;
    Ok(path.to_owned())
}
