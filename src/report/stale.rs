//! What an earlier report left in a folder and this one does not write: it would be taken for a part of it.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::{CsvFile, ReportError, ReportModel};

/// How a sibling page of ours begins: the generator is named in its head.
const GENERATOR: &str = "<meta name=\"generator\" content=\"cutpoint ";
/// How the footer of a Parquet file names us as its writer: the length of the name, then the name.
const WRITER: &[u8] = b"\x08cutpoint";
/// So far into a page its head is looked at, and so far from its end the footer of a Parquet file.
const HEAD: u64 = 4_096;

/// Removes the files of an earlier report that are not among `written`: tables about a base, sibling pages, and all tables
/// as Parquet, which are written after this where they are wanted. A file of that
/// name that begins otherwise than ours do is somebody else's, and stays.
pub(super) fn remove(model: &ReportModel, folder: &Path, written: &BTreeSet<&str>) -> Result<(), ReportError> {
    let failed = |path: &Path, source| ReportError::File { path: path.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(|source| failed(folder, source))? {
        let path = entry.map_err(|source| failed(folder, source))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if written.contains(&*name) {
            continue;
        }
        let begins_with = |start: &str| begins(&path, start.len() as u64).is_ok_and(|head| head == start);
        let table = |name: &str| CsvFile::ALL.into_iter().find(|file| file.name() == name);
        let is_ours = if is_sibling(&name) {
            begins(&path, HEAD).is_ok_and(|head| head.contains(GENERATOR))
        } else if let Some(stem) = name.strip_suffix(".parquet") {
            table(&format!("{stem}.csv")).is_some() && footer(&path).is_ok_and(|end| is_ours_by(&end))
        } else {
            table(&name).is_some_and(|file| begins_with(&file.header(model)))
        };
        if is_ours {
            fs::remove_file(&path).map_err(|source| failed(&path, source))?;
        }
    }
    Ok(())
}

/// `transcript-12.html`, `cells-3.html`.
fn is_sibling(name: &str) -> bool {
    let number = name
        .strip_suffix(".html")
        .and_then(|stem| stem.strip_prefix("transcript-").or_else(|| stem.strip_prefix("cells-")));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether the end of a Parquet file says that we wrote it.
fn is_ours_by(end: &[u8]) -> bool {
    end.ends_with(b"PAR1") && end.windows(WRITER.len()).any(|part| part == WRITER)
}

/// The last bytes of a file.
fn footer(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = fs::File::open(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(HEAD)))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    Ok(end)
}

/// The first bytes of a file, as text.
fn begins(path: &Path, most: u64) -> io::Result<String> {
    let mut head = Vec::new();
    fs::File::open(path)?.take(most).read_to_end(&mut head)?;
    Ok(String::from_utf8_lossy(&head).into_owned())
}

#[cfg(test)]
mod tests {
    use super::is_sibling;

    #[test]
    fn siblings_have_a_number() {
        assert!(is_sibling("transcript-007.html") && is_sibling("cells-1.html"));
        assert!(
            ["transcript-.html", "transcript-a1.html", "cells-1.htm", "index.html", "my-cells-1.html"]
                .into_iter()
                .all(|name| !is_sibling(name))
        );
    }
}
