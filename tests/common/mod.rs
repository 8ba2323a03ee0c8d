//! Where the recorded sessions and answers lie that are too large for the package.

#![allow(dead_code, unreachable_pub, reason = "each test crate uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a golden file of another shape is a failed test")]

pub mod facts;
pub mod imported;
pub mod pi_answers;

use std::path::{Path, PathBuf};

/// The folder named by `CUTPOINT_SHARED`, or `../shared` beside the package. `None`, with a line on stderr, when there
/// is none.
///
/// # Panics
/// When there is none and `CUTPOINT_REQUIRE_SHARED` is `1`.
pub fn shared() -> Option<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = std::env::var_os("CUTPOINT_SHARED").map_or_else(|| package.join("../shared"), PathBuf::from);
    if path.join("transcripts").is_dir() {
        return Some(path);
    }
    let required = std::env::var("CUTPOINT_REQUIRE_SHARED").is_ok_and(|value| value == "1");
    assert!(!required, "CUTPOINT_REQUIRE_SHARED is set, but {} is not there", path.display());
    #[expect(clippy::print_stderr, reason = "a skipped test must say so")]
    {
        eprintln!("SKIPPED: no shared transcripts at {} (set CUTPOINT_SHARED)", path.display());
    }
    None
}

/// Every Pi file there is: the shared transcripts, the made-up golden cases and the field cases.
pub fn pi_files() -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![package.join("tests/golden/pi/cases"), package.join("tests/field-cases")];
    folders.extend(shared().map(|shared| shared.join("transcripts/pi")));
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder of test data"))
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        // Field cases name their format before the extension.
        .filter(|path| Path::new(path.file_stem().unwrap_or_default()).extension().is_none_or(|format| format == "pi"))
        .collect();
    files.sort();
    files
}

/// Every file of the shared transcripts and of the field cases.
pub fn all_files() -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![package.join("tests/golden/pi/cases"), package.join("tests/field-cases")];
    if let Some(shared) = shared() {
        let below = std::fs::read_dir(shared.join("transcripts")).expect("a folder of transcripts");
        folders.extend(below.map(|entry| entry.expect("a folder").path()).filter(|path| path.is_dir()));
    }
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("a folder of test data"))
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.file_name().is_some_and(|name| name != "index.json"))
        .collect();
    files.sort();
    files
}
