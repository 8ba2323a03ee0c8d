//! `cutpoint report`: HTML and CSV from a run folder.

use std::io::{self, Write};
use std::path::Path;

use super::args::ReportArgs;
use crate::report;
use crate::results::Run;

pub(super) fn report(args: &ReportArgs) -> anyhow::Result<()> {
    let run = Run::read(&args.run)?;
    let folder = args.out.as_deref().unwrap_or(&args.run);
    let mut out = io::stdout().lock();
    for path in write(&run, folder)? {
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
