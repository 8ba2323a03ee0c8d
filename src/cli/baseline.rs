//! `cutpoint baseline`: runs kept under a name, to compare with.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};

use crate::results::{Manifest, Run};

/// Where baselines lie: beside the experiment, so that they can be committed.
const FOLDER: &str = "baselines";

/// What makes a run; the rest is made from it.
const FILES: [&str; 3] = ["manifest.json", "cells.jsonl", "events.jsonl"];

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  cutpoint run --config experiment.toml --name head
  cutpoint baseline save reports/head main
  cutpoint compare baseline:main reports/head")]
pub(super) struct BaselineArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Keep the records of a run under a name, in `baselines/NAME`
    Save {
        /// Run folder
        run: PathBuf,
        /// The name
        name: String,
        /// Replace a baseline of this name
        #[arg(long)]
        force: bool,
        /// Leave out events, which a comparison does not need
        #[arg(long)]
        small: bool,
    },
    /// Name the baselines
    List,
}

/// The folder that a name on the command line means: `baseline:NAME`, or a path.
pub(super) fn folder(path: &Path) -> PathBuf {
    match path.to_str().and_then(|path| path.strip_prefix("baseline:")) {
        Some(name) => Path::new(FOLDER).join(name),
        None => path.to_owned(),
    }
}

pub(super) fn baseline(args: &BaselineArgs) -> anyhow::Result<()> {
    match &args.what {
        What::Save { run, name, force, small } => save(run, name, *force, *small),
        What::List => list(),
    }
}

fn save(run: &Path, name: &str, force: bool, small: bool) -> anyhow::Result<()> {
    anyhow::ensure!(
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && !name.starts_with('.'),
        "{name:?} cannot be the name of a baseline\nhint: use letters, digits, `-`, `_` and `.`"
    );
    let read = Run::read(run)?;
    let found = read.cells.len() as u64;
    anyhow::ensure!(
        found == read.manifest.cells && read.manifest.shard.is_none(),
        "{} holds {found} of {} cells, and a baseline must be whole\nhint: finish it with the same `cutpoint run`, or merge its shards",
        run.display(),
        read.manifest.cells
    );
    let to = Path::new(FOLDER).join(name);
    anyhow::ensure!(force || !to.exists(), "there is a baseline {name:?} already\nhint: --force replaces it");
    fs::create_dir_all(&to).with_context(|| format!("cannot create {}", to.display()))?;
    for file in FILES {
        let path = to.join(file);
        let partial = to.join(format!("{file}.partial"));
        let written = if small && file == "events.jsonl" {
            fs::write(&partial, "")
        } else {
            fs::copy(run.join(file), &partial).map(|_| ())
        };
        written
            .and_then(|()| fs::rename(&partial, &path))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    writeln!(io::stdout(), "{}: {found} cells", to.display())?;
    Ok(())
}

fn list() -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    let mut names: Vec<String> = match fs::read_dir(FOLDER) {
        Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error).context("cannot read baselines"),
    };
    names.sort();
    for name in names {
        match Manifest::read(&Path::new(FOLDER).join(&name)) {
            Ok(manifest) => {
                let mock = if manifest.mock { ", mock" } else { "" };
                let (cells, transcripts) = (manifest.cells, manifest.transcripts.len());
                writeln!(out, "{name:<20} {cells} cells, {transcripts} transcripts, {}{mock}", manifest.generator)?;
            }
            Err(error) => writeln!(out, "{name:<20} unreadable: {error}")?,
        }
    }
    Ok(())
}
