//! Documents that stand one behind another in a file.

use super::{FindingKind, Format, Imported};

/// Documents that are read from one file. More are a file of another kind.
const MOST: usize = 64;

/// How the reader of a document says that more stand behind it.
pub(super) const BEHIND: &str = "bytes after the document";

/// Reads what stands behind the first document, which the importers leave out, as further sessions.
pub(super) fn read_rest(format: Format, bytes: &[u8], all: &mut Vec<Imported>) {
    let (mut from, mut line) = (0, 0);
    for _ in 1..MOST {
        // The finding of the last document that was read.
        let last = all.iter_mut().flat_map(|one| &mut one.findings);
        let mut last = last.filter(|one| one.kind == FindingKind::GluedRecords && one.message.contains(BEHIND));
        let Some(finding) = last.next_back() else { return };
        let Some(offset) = finding.offset.filter(|&offset| offset > from) else { return };
        let Ok(more) = format.read_whole(&bytes[offset..]) else { return };
        "another document behind the first, read as a session of its own".clone_into(&mut finding.message);
        line += bytecount::count(&bytes[from..offset], b'\n');
        from = offset;
        for mut one in more {
            for finding in &mut one.findings {
                finding.line += line;
                finding.last_line += line;
                finding.offset = finding.offset.map(|at| at + offset);
            }
            super::finding::locate(bytes, 0, &mut one.findings);
            all.push(one);
        }
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
