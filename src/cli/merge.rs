//! `cutpoint merge`: one run from its shards.

use std::io;
use std::path::PathBuf;

use clap::Args;

use crate::results::{self, Run};

#[derive(Debug, Args)]
#[command(after_help = "\
Example, on two machines and a third:
  cutpoint run --config experiment.toml --out a --shard 1/2
  cutpoint run --config experiment.toml --out b --shard 2/2
  cutpoint merge a/NAME b/NAME --out reports/NAME")]
pub(super) struct MergeArgs {
    /// Folders of all shards of one run, in any order
    #[arg(required = true, value_name = "SHARD")]
    shards: Vec<PathBuf>,
    /// Folder of the whole run
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(super) fn merge(args: &MergeArgs) -> anyhow::Result<()> {
    let cells = results::merge(&args.shards, &args.out)?;
    let run = Run::read(&args.out)?;
    let mut out = io::stdout().lock();
    super::report::write_and_print(&run, &args.out, &mut out)?;
    super::report::name(cells, &args.out, &mut out)
}
