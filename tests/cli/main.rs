//! The program from outside: output, errors, exit codes, folders.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod caching;
mod columns;
mod comparing;
mod errors;
mod estimating;
mod experiments;
mod forgotten;
mod importing;
mod reading;
mod redacting;
mod running;
mod switching;
mod validating;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a command printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program, in a folder of its own choice.
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutpoint"));
    command.current_dir(folder).args(arguments).env_remove("NO_COLOR").env("COLUMNS", "100");
    command
}

pub(crate) fn run_in(folder: &Path, arguments: &[&str]) -> Done {
    let Output { status, stdout, stderr } = command(folder, arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Done { code: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
}

/// Runs where nothing is written.
pub(crate) fn run(arguments: &[&str]) -> Done {
    run_in(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
}

/// Runs, and must succeed with nothing on stderr.
#[track_caller]
pub(crate) fn good(arguments: &[&str]) -> String {
    let done = run(arguments);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{arguments:?}\n{}", done.stdout);
    done.stdout
}

/// A made-up session of Pi that compacts at small windows.
pub(crate) fn golden(name: &str) -> String {
    absolute(&format!("tests/golden/pi/cases/{name}.jsonl"))
}

pub(crate) fn field_case(name: &str) -> String {
    absolute(&format!("tests/field-cases/{name}.pi.jsonl"))
}

pub(crate) fn absolute(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path).to_str().unwrap().to_owned()
}

/// All files below a folder with their bytes, by name.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            found.push((path, bytes));
        }
    }
    found.sort();
    found
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let name = |(path, _): (PathBuf, Vec<u8>)| path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
    files(folder).into_iter().map(name).collect()
}
