//! The command line: one file per command.

mod annotate;
mod args;
mod audit;
mod baseline;
mod cache;
mod compare;
mod config;
mod dry_run;
mod estimate;
mod exam;
mod findings;
mod import;
mod inspect;
mod inspection;
mod judge;
mod latency;
mod list;
mod llm;
mod merge;
mod model;
mod new;
mod redaction;
mod replay;
mod report;
mod run;
mod setting;
mod spread;
mod sweep;
mod template;
mod tune;
mod validate;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

use crate::compare::Unlike;
use crate::error::Exit;
use crate::experiment::{AuditError, ConfigError, CorpusError, FailedRun};
use crate::import::ImportError;
use crate::meter::goal::ItemsError;
use crate::meter::price::PriceError;
use crate::results::{MergeError, RunError};
use crate::tokens::UnknownReference;

/// Parses the command line, runs the command, and prints what went wrong with a hint.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        None => run::run(&args::RunArgs::default_experiment()),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Replay(args)) => replay::replay(&args),
        Some(Command::Inspect(args)) => inspect::inspect(&args),
        Some(Command::Import(args)) => import::import(&args),
        Some(Command::Validate(args)) => validate::validate(&args),
        Some(Command::Estimate(args)) => estimate::estimate(&args),
        Some(Command::Cache(args)) => cache::cache(&args),
        Some(Command::List(args)) => list::list(&args),
        Some(Command::Report(args)) => report::report(&args),
        Some(Command::Compare(args)) => compare::compare(&args),
        Some(Command::Baseline(args)) => baseline::baseline(&args),
        Some(Command::Tune(args)) => tune::tune(&args),
        Some(Command::New(args)) => new::new(&args),
        Some(Command::Audit(args)) => audit::run(&args),
        Some(Command::Annotate(args)) => annotate::annotate(&args),
        Some(Command::Merge(args)) => merge::merge(&args),
        Some(Command::Llm(args)) => llm::llm(&args),
        Some(Command::Judge(args)) => judge::judge(&args),
    };
    let exit = match result {
        Ok(()) => Exit::Pass,
        // The reader of a pipe went away: that is its right.
        Err(error) if is_broken_pipe(&error) => Exit::Pass,
        Err(error) if error.is::<compare::Decided>() => exit_of(&error),
        Err(error) => {
            complain(&error);
            exit_of(&error)
        }
    };
    ExitCode::from(exit.code())
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}

/// The message, then the hint on a line of its own.
fn complain(error: &anyhow::Error) {
    let mut stderr = io::stderr().lock();
    // With no stderr there is nobody to tell.
    let _ = writeln!(stderr, "error: {}", message(error));
    if let Some(hint) = hint(error) {
        let _ = writeln!(stderr, "hint: {hint}");
    }
}

/// The causes, outermost first; one that an outer message already quotes is not said again.
fn message(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain().map(|cause| cause.to_string().trim_end().to_owned()) {
        if message.contains(&cause) {
            continue;
        }
        if !message.is_empty() {
            message.push_str(": ");
        }
        message.push_str(&cause);
    }
    message
}

fn hint(error: &anyhow::Error) -> Option<String> {
    if error.is::<run::Stopped>() || error.is::<model::Halted>() || error.is::<judge::JudgeHalted>() {
        return None;
    }
    if let Some(error) = error.downcast_ref::<ConfigError>() {
        return Some(error.hint());
    }
    if let Some(error) = error.downcast_ref::<PriceError>() {
        return Some(error.hint().to_owned());
    }
    if let Some(AuditError::Model { .. }) = error.downcast_ref() {
        return Some("choose one with --provider; `cutpoint list caches` names all".to_owned());
    }
    if let Some(FailedRun::Config(error)) = error.downcast_ref() {
        return Some(error.hint());
    }
    match error.downcast_ref::<CorpusError>() {
        Some(CorpusError::Import(error)) => return Some(error.hint().to_owned()),
        Some(CorpusError::NoDataset(_)) => return Some("`cutpoint list datasets` names all".to_owned()),
        Some(CorpusError::Nothing(_)) => return Some("name a session file, or a folder with some in it".to_owned()),
        _ => {}
    }
    if error.is::<findings::Faulty>() {
        return Some("each is listed with what was done about it; all else was read".to_owned());
    }
    if error.is::<UnknownReference>() {
        return Some("`cutpoint list tokenizers` names all".to_owned());
    }
    if let Some(FailedRun::Folder(_)) = error.downcast_ref() {
        return Some("choose a folder that can be written, with --out".to_owned());
    }
    if let Some(error) = error.downcast_ref::<Unlike>() {
        return Some(error.hint());
    }
    if error.is::<report::NoParquet>() {
        return Some(report::NoParquet::HINT.to_owned());
    }
    if error.is::<MergeError>() {
        return Some("name the folder of every shard of one run, each made with --shard PART/OF".to_owned());
    }
    if error.is::<RunError>() {
        return Some("name the folder of a run, such as reports/default: it holds manifest.json".to_owned());
    }
    if let Some(error) = error.downcast_ref::<ImportError>() {
        return Some(error.hint().to_owned());
    }
    if error.chain().any(<dyn std::error::Error>::is::<io::Error>) {
        return Some("check the path and the permissions".to_owned());
    }
    // Some errors of stages bring a hint of their own.
    (!message(error).contains("\nhint: ")).then(|| "`cutpoint help` names the commands and their options".to_owned())
}

fn exit_of(error: &anyhow::Error) -> Exit {
    if let Some(compare::Decided(exit)) = error.downcast_ref() {
        return *exit;
    }
    if error.is::<run::Stopped>()
        || error.is::<model::Halted>()
        || error.is::<llm::Silent>()
        || error.is::<judge::JudgeHalted>()
        || error.is::<judge::Unfit>()
    {
        return Exit::Inconclusive;
    }
    if let Some(CorpusError::NoDataset(_)) = error.downcast_ref() {
        return Exit::Usage;
    }
    if error.is::<findings::Faulty>()
        || error.is::<CorpusError>()
        || error.is::<ItemsError>()
        || error.is::<ImportError>()
        || error.is::<RunError>()
        || error.is::<MergeError>()
    {
        Exit::BadInput
    } else {
        Exit::Usage
    }
}
