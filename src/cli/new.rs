//! `cutpoint new`: a commented experiment to start from.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use crate::experiment::{EXAMPLE, SCHEMA_JSON};

#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// The file; it must not be there yet
    #[arg(default_value = "experiment.toml", value_name = "FILE")]
    file: PathBuf,
    /// Print the JSON Schema of experiment files instead, for editors
    #[arg(long)]
    schema: bool,
}

pub(super) fn new(args: &NewArgs) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    if args.schema {
        out.write_all(SCHEMA_JSON.as_bytes())?;
        return Ok(());
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&args.file)
        .with_context(|| format!("cannot create {}", args.file.display()))?;
    file.write_all(EXAMPLE.as_bytes())?;
    writeln!(out, "{0}; run it with `cutpoint run --config {0}`", args.file.display())?;
    Ok(())
}
