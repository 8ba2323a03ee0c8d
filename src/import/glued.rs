//! Documents that stand one behind another in a file.

use super::finding::Lines;
use super::format::columns;
use super::{FindingKind, Format, Imported};

/// Documents that are read from one file. More are a file of another kind.
const MOST: usize = 64;

/// How the reader of a document says that more stand behind it.
pub(super) const BEHIND: &str = "bytes after the document";

/// Reads what stands behind the first document, which the importers leave out, as further sessions.
pub(super) fn read_rest(format: Format, bytes: &[u8], all: &mut Vec<Imported>) {
    let mut from = 0;
    for _ in 1..MOST {
        // The finding of the last document that was read.
        let last = all.iter_mut().flat_map(|one| &mut one.findings);
        let mut last = last.filter(|one| one.kind == FindingKind::GluedRecords && one.message.contains(BEHIND));
        let Some(finding) = last.next_back() else { return };
        let Some(offset) = finding.offset.filter(|&offset| offset > from) else { return };
        let Ok(mut more) = format.read_whole(&bytes[offset..]) else { return };
        "another document behind the first, read as a session of its own".clone_into(&mut finding.message);
        from = offset;
        columns(&bytes[offset..], &mut more);
        let (line, column) = Lines::of(bytes).place(offset).unwrap_or((1, 1));
        for place in more.iter_mut().flat_map(|one| &mut one.places) {
            place.1 += if place.0 == 1 { column - 1 } else { 0 };
            place.0 += line - 1;
        }
        for finding in more.iter_mut().flat_map(|one| &mut one.findings).filter(|finding| finding.line > 0) {
            if finding.line == 1 {
                finding.column = finding.column.map(|at| at + column - 1);
            }
            finding.line += line - 1;
            finding.last_line += line - 1;
            finding.offset = finding.offset.map(|at| at + offset);
        }
        all.append(&mut more);
        name(all);
    }
}

/// Names the sessions of a file that has become one of several.
fn name(all: &mut [Imported]) {
    let several = all.len() > 1;
    for (index, one) in all.iter_mut().enumerate().filter(|_| several) {
        one.part = Some((index + 1).to_string().into());
    }
}
