//! Where a record lies in its file, and what the reader of the file has to report.

use std::num::NonZeroUsize;

use super::{Finding, FindingKind, LineCounts};

/// A record in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its lines, from 1: the first and the last.
    pub(super) lines: (usize, usize),
    /// Byte offset in the file of its first byte.
    pub(super) offset: usize,
    /// Column of that byte, in bytes from 1.
    pub(super) column: usize,
    /// So many bytes of its text are those of the file, on one line. What follows was repaired.
    pub(super) straight: usize,
}

impl Place {
    /// Its first line.
    pub(super) fn line(self) -> usize {
        self.lines.0
    }

    /// The same, `bytes` further on the line.
    pub(super) fn further(self, bytes: usize) -> Self {
        Self {
            offset: self.offset + bytes,
            column: self.column + bytes,
            straight: self.straight.saturating_sub(bytes),
            ..self
        }
    }

    /// Offset and column of `spot` in the record `text`; of the record, where that is all that is known.
    fn of(self, spot: Spot, text: &str) -> (usize, usize) {
        let within = spot.within(text).filter(|&within| within < self.straight).unwrap_or_default();
        (self.offset + within, self.column + within)
    }
}

/// Where in the text of its record something stands: by its address, which is the same for every reader of a part of the
/// text. A copy of a text stands nowhere in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spot(Option<NonZeroUsize>);

impl Spot {
    /// Where `piece` begins.
    pub(super) fn of(piece: &str) -> Self {
        Self(NonZeroUsize::new(piece.as_ptr().addr()))
    }

    /// Bytes of `text` before it. `None`: it is not in the text.
    pub(super) fn within(self, text: &str) -> Option<usize> {
        self.0?.get().checked_sub(text.as_ptr().addr()).filter(|&within| within < text.len())
    }
}

/// A fault inside of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: FindingKind,
    pub(super) message: String,
    pub(super) spot: Spot,
}

/// What there is to say of a file besides its sessions.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// Its lines.
    pub(super) counts: LineCounts,
    /// Its faults so far.
    pub(super) findings: Vec<Finding>,
    /// Lines with a record that does not begin with the line, in their order.
    indented: Vec<usize>,
}

impl Report {
    /// Notes a fault of the record at `at`, in which nothing more exact is known.
    pub(super) fn fault(&mut self, at: Place, kind: FindingKind, message: impl Into<String>) {
        self.push(at.lines, Some((at.offset, at.column)), kind, message.into());
    }

    /// Notes a fault at `spot` of the record `text`.
    pub(super) fn fault_in(&mut self, at: Place, text: &str, fault: Fault) {
        let Fault { kind, message, spot } = fault;
        self.push(at.lines, Some(at.of(spot, text)), kind, message);
    }

    /// Notes a fault of a record on `line` that was read before; 0 for the file as a whole.
    pub(super) fn late(&mut self, line: usize, kind: FindingKind, message: impl Into<String>) {
        self.push((line, line), None, kind, message.into());
        let begins = line > 0 && self.indented.binary_search(&line).is_err();
        if let Some(finding) = self.findings.last_mut().filter(|_| begins) {
            finding.column = Some(1);
        }
    }

    /// Notes the faults that a reader of the record at `at` found.
    pub(super) fn faults_in(&mut self, at: Place, text: &str, faults: Vec<Fault>) {
        faults.into_iter().for_each(|fault| self.fault_in(at, text, fault));
    }

    /// Gives the findings from number `known` on, which came with the record at `at`, their columns: those of values know
    /// only their offset.
    pub(super) fn settle(&mut self, at: Place, known: usize) {
        for finding in self.findings.iter_mut().skip(known) {
            if finding.line != at.line() || finding.column.is_some() {
                continue;
            }
            let within = finding.offset.and_then(|offset| offset.checked_sub(at.offset)).unwrap_or_default();
            let place = at.further(within.min(at.straight));
            (finding.last_line, finding.offset, finding.column) = (at.lines.1, Some(place.offset), Some(place.column));
        }
    }

    /// Remembers where the record at `at` begins, if that is not the start of its line.
    pub(super) fn see(&mut self, at: Place) {
        if at.column > 1 && self.indented.last() != Some(&at.line()) {
            self.indented.push(at.line());
        }
    }

    fn push(&mut self, lines: (usize, usize), at: Option<(usize, usize)>, kind: FindingKind, message: String) {
        let (line, last_line) = lines;
        let (offset, column) = at.unzip();
        self.findings.push(Finding { line, last_line, offset, column, kind, message });
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Place, Report, Spot};
    use crate::import::FindingKind;

    #[test]
    fn a_piece_knows_its_place_and_a_copy_does_not() {
        let text = "ab cd";
        assert_eq!(Spot::of(&text[3..]).within(text), Some(3));
        assert_eq!(Spot::of(&text[3..]).within(&text[..3]), None);
        let copy = text[3..].to_owned();
        assert_eq!(Spot::of(&copy).within(text), None);
        assert_eq!(Spot::default().within(text), None);
    }

    #[test]
    fn a_fault_has_the_column_of_its_spot_as_far_as_the_text_is_that_of_the_file() {
        let text = r#"{"a":1,"b":2}"#;
        let place = Place { lines: (4, 4), offset: 100, column: 3, straight: 10 };
        let mut report = Report::default();
        let kind = FindingKind::BadField;
        for at in [5, 11] {
            let fault = Fault { kind, message: String::new(), spot: Spot::of(&text[at..]) };
            report.fault_in(place, text, fault);
        }
        report.fault(place.further(7), kind, "");
        let found: Vec<_> = report.findings.iter().map(|one| (one.line, one.offset, one.column)).collect();
        // 100 + 5 and 3 + 5; behind ten bytes only the record is known; 100 + 7 and 3 + 7.
        assert_eq!(found, [(4, Some(105), Some(8)), (4, Some(100), Some(3)), (4, Some(107), Some(10))]);
    }

    #[test]
    fn a_late_fault_has_a_column_where_its_record_began_the_line() {
        let mut report = Report::default();
        let place = |line, column| Place { lines: (line, line), offset: 0, column, straight: 9 };
        [place(1, 1), place(2, 1), place(2, 40), place(2, 80)].into_iter().for_each(|at| report.see(at));
        [0, 1, 2].into_iter().for_each(|line| report.late(line, FindingKind::MissingTarget, ""));
        let columns: Vec<_> = report.findings.iter().map(|one| one.column).collect();
        assert_eq!(columns, [None, Some(1), None], "of the file, of line 1, and of line 2 with several records");
    }
}
