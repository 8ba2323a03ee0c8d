//! `cutpoint report`: pages, tables and text from a run folder.

use std::io::{self, Write};
use std::path::Path;

use super::args::ReportArgs;
use crate::compare::{Plan, compare};
use crate::report::{self, ComparisonForm, ReportModel};
use crate::results::Run;

pub(super) fn report(args: &ReportArgs) -> anyhow::Result<()> {
    let run = Run::read(&args.run)?;
    let folder = args.out.as_deref().unwrap_or(&args.run);
    let mut out = io::stdout().lock();
    let Some(base) = &args.against else { return list(&write(&run, folder)?, &mut out) };
    let base = Run::read(&super::baseline::folder(base))?;
    let plan = Plan { gates: super::compare::gates(&args.gate, &base)?, ..Plan::default() };
    let comparison = compare(&base, &run, &plan)?;
    let model = ReportModel::new(&run).against(&base.manifest, &comparison);
    let paths = report::write_model(&model, folder)?;
    writeln!(out, "{}", ComparisonForm::Terminal.render(&comparison))?;
    list(&paths, &mut out)
}

fn list(paths: &[std::path::PathBuf], out: &mut impl Write) -> anyhow::Result<()> {
    for path in paths {
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}

/// Writes all reports of a run.
pub(super) fn write(run: &Run, folder: &Path) -> anyhow::Result<Vec<std::path::PathBuf>> {
    Ok(report::write_all(run, folder)?)
}

/// The strategy table, as wide as the terminal.
pub(super) fn print_table(run: &Run, out: &mut impl Write) -> anyhow::Result<()> {
    let model = report::ReportModel::new(run);
    report::Reporter::render(&report::Terminal::default(), &model, out)?;
    Ok(())
}
