//! Arguments of the commands about what is forgotten.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutpoint audit session.jsonl                    what did its compactions lose, and in which line was it said?
  cutpoint audit DIR --out reports/audit          a page and two CSV files for all sessions of a folder")]
pub(in crate::cli) struct AuditArgs {
    /// Session files, dataset folders, or folders of sessions
    #[arg(required = true)]
    pub(in crate::cli) transcripts: Vec<PathBuf>,
    /// Output folder; without it, the page goes to stdout
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: Option<PathBuf>,
    /// Print the names and values themselves, not digests of them
    #[arg(long)]
    pub(in crate::cli) show_text: bool,
    /// Exact tokenizer behind reference counts
    #[arg(long, default_value = "o200k_base", value_name = "NAME")]
    pub(in crate::cli) reference: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cutpoint annotate session.jsonl --draft > items.toml     rules, values, files and errors, to be finished by hand
  cutpoint annotate session.jsonl --items items.toml       is it valid, what is doubtful, where does each item stand?
  cutpoint annotate session.jsonl --items a.toml --against b.toml     do two annotators agree?")]
pub(in crate::cli) struct AnnotateArgs {
    /// Session file or dataset folder; `embedded:NAME` is one of the program's own
    pub(in crate::cli) transcript: PathBuf,
    /// Items to check; by default those of the dataset folder
    #[arg(long, value_name = "FILE", conflicts_with = "draft")]
    pub(in crate::cli) items: Option<PathBuf>,
    /// Items of a second annotator: print the agreement
    #[arg(long, value_name = "FILE", conflicts_with = "draft")]
    pub(in crate::cli) against: Option<PathBuf>,
    /// Print draft items instead
    #[arg(long)]
    pub(in crate::cli) draft: bool,
    /// Leave the items out, print only whether they are valid and what is doubtful
    #[arg(long)]
    pub(in crate::cli) quiet: bool,
}
