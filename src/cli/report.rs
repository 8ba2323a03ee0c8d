//! `cutpoint report`: pages, tables and text from a run folder.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::args::ReportArgs;
use crate::compare::{Plan, compare};
use crate::report::{self, ComparisonForm, ReportModel};
use crate::results::Run;

/// The program was built without what was asked for.
#[derive(Debug, thiserror::Error)]
#[error("this program was built without Parquet")]
pub(super) struct NoParquet;

impl NoParquet {
    pub(super) const HINT: &str = "build it with `cargo build --release --features parquet`";
}

pub(super) fn report(args: &ReportArgs) -> anyhow::Result<()> {
    if args.parquet && cfg!(not(feature = "parquet")) {
        return Err(NoParquet.into());
    }
    let mut run = Run::read(&args.run)?;
    let mut base = args.against.as_ref().map(|base| Run::read(&super::baseline::folder(base))).transpose()?;
    if args.redact {
        (run, base) = redacted(run, base)?;
    }
    let folder = args.out.as_deref().unwrap_or(&args.run);
    let mut out = io::stdout().lock();
    let Some(base) = base else { return write_model(args, &ReportModel::new(&run), folder, &mut out) };
    let plan = Plan { gates: super::compare::gates(&args.gate, &base)?, ..Plan::default() };
    let comparison = compare(&base, &run, &plan)?;
    writeln!(out, "{}", ComparisonForm::Terminal.render(&comparison))?;
    write_model(args, &ReportModel::new(&run).against(&base.manifest, &comparison), folder, &mut out)
}

/// Both runs without secrets; what was replaced is told on stderr.
fn redacted(run: Run, base: Option<Run>) -> anyhow::Result<(Run, Option<Run>)> {
    let all: Vec<Run> = std::iter::once(run).chain(base).collect();
    let (runs, redactor) = super::redaction::redacted(&all)?;
    // With no stderr there is nobody to tell.
    let _ = writeln!(io::stderr(), "redacted: {}", redactor.counts().in_words());
    let mut runs = runs.into_iter();
    let run = runs.next().context("there is no run")?;
    Ok((run, runs.next()))
}

/// Writes all files of a report, and names them.
fn write_model(args: &ReportArgs, model: &ReportModel, folder: &Path, out: &mut impl Write) -> anyhow::Result<()> {
    let mut paths = report::write_model(model, folder)?;
    paths.extend(parquet(args.parquet, model, folder)?);
    for path in paths {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

#[cfg(feature = "parquet")]
fn parquet(is_wanted: bool, model: &ReportModel, folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if is_wanted { Ok(report::write_parquet(model, folder)?) } else { Ok(Vec::new()) }
}

#[cfg(not(feature = "parquet"))]
fn parquet(is_wanted: bool, _: &ReportModel, _: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if is_wanted { Err(NoParquet.into()) } else { Ok(Vec::new()) }
}

/// Says where the report of a run is: on a line of its own, which may be as long as the path.
pub(super) fn name(cells: u64, folder: &Path, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "{cells} {}; report:", if cells == 1 { "cell" } else { "cells" })?;
    writeln!(out, "{}", folder.join("index.html").display())?;
    Ok(())
}

/// Writes all reports of a run, and prints the strategy table, as wide as the terminal.
pub(super) fn write_and_print(run: &Run, folder: &Path, out: &mut impl Write) -> anyhow::Result<()> {
    let model = ReportModel::new(run);
    report::write_model(&model, folder)?;
    report::Reporter::render(&report::Terminal::default(), &model, out)?;
    Ok(())
}
