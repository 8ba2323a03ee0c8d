//! Files that are one JSON document.

use std::borrow::Cow;
use std::fmt::Write;

use super::finding::Lines;
use super::glued::BEHIND;
use super::value::{Value, string_end};
use super::{Finding, FindingKind, ImportError, Imported, json, lines, not_a_number, surrogates};

/// A file that is one JSON document, decoded and known to be JSON.
pub(super) struct Document<'a> {
    text: Cow<'a, str>,
    bytes: &'a [u8],
    /// Where bytes of the text stand in the file, in order: each holds up to the next one, which follows a repair.
    places: Vec<(usize, usize)>,
    /// Faults of the file itself.
    findings: Vec<Finding>,
}

impl<'a> Document<'a> {
    /// Reads a file. One that ends early keeps all that was complete; text after the document is left out.
    ///
    /// # Errors
    /// When there is nothing, no text, or no JSON in it; `expected` says what should be there.
    pub(super) fn read(bytes: &'a [u8], expected: &'static str) -> Result<Self, ImportError> {
        if let Some(found) = lines::foreign(bytes) {
            return Err(ImportError::NotText { found });
        }
        let bare = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let padding = |c: char| c == '\0' || c.is_whitespace();
        let decoded = lines::lossy(bare);
        let (start, end) = (decoded.trim_start_matches(padding), decoded.trim_matches(padding));
        if end.is_empty() {
            return Err(ImportError::Empty);
        }
        let mut document = Document {
            text: Cow::Borrowed(""),
            bytes,
            places: places(bare, bytes.len() - bare.len(), decoded.len() - start.len()),
            findings: Vec::new(),
        };
        if let Err(error) = simdutf8::compat::from_utf8(bare) {
            let at = bytes.len() - bare.len() + error.valid_up_to();
            document.find(at, FindingKind::InvalidUtf8, "bytes that are not UTF-8, each read as U+FFFD".into());
        }
        if decoded.trim() != end {
            let fault = "NUL bytes around the document, removed".to_owned();
            let at = memchr::memchr(0, bytes).unwrap_or_default();
            document.find(at, FindingKind::NulPadding, fault);
        }
        let text = end.to_owned();
        document.text = match decoded {
            Cow::Borrowed(borrowed) => Cow::Borrowed(borrowed.trim_matches(padding)),
            Cow::Owned(_) => Cow::Owned(text),
        };
        document.check(expected)?;
        let lone = surrogates::places(&document.text);
        if let Some(first) = lone.first() {
            let fault = format!("{} lone surrogates: U+FFFD in texts, as spelled in JSON arguments", lone.len());
            document.find(document.in_file(*first), FindingKind::LoneSurrogate, fault);
        }
        Ok(document)
    }

    /// The document.
    pub(super) fn value(&self) -> Value<'_> {
        Value::unchecked(&self.text, 0)
    }

    /// Gives the findings of what was `read` their lines and columns, which until then know the byte of the text, and adds
    /// those of the file itself to the sessions in which they stand. How many lines there are is with the first.
    pub(super) fn close(&self, read: &mut [Imported]) {
        let lines = Lines::of(self.bytes);
        let open = read.iter_mut().flat_map(|one| &mut one.findings).filter(|finding| finding.column.is_none());
        for finding in open {
            finding.offset = finding.offset.map(|at| self.in_file(at));
            let Some((line, column)) = finding.offset.and_then(|offset| lines.place(offset)) else { continue };
            (finding.line, finding.last_line, finding.column) = (line, line, Some(column));
        }
        read.iter_mut().for_each(|one| lines.of_entries(&mut one.places, |at| self.in_file(at)));
        for finding in &self.findings {
            // That of the session which begins last before it.
            let begins = |one: &Imported| one.places.iter().min().copied().unwrap_or_default();
            let at = finding.column.map(|column| (finding.line, column));
            let before = (0..read.len()).filter(|&one| at.is_some_and(|at| begins(&read[one]) <= at));
            let owner = before.max_by_key(|&one| (begins(&read[one]), read.len() - one)).unwrap_or_default();
            read.get_mut(owner).into_iter().for_each(|one| one.findings.push(finding.clone()));
        }
        let Some(first) = read.first_mut() else { return };
        first.lines.total = bytecount::count(self.bytes, b'\n') + usize::from(!self.bytes.ends_with(b"\n"));
        read.iter_mut().for_each(|one| one.findings.sort_by_key(|finding| (finding.line, finding.column)));
    }

    /// Where byte `at` of the text stands in the file.
    fn in_file(&self, at: usize) -> usize {
        let after = self.places.partition_point(|&(text, _)| text <= at);
        let (text, file) = self.places[after.saturating_sub(1)];
        let end = self.places.get(after).map_or(self.bytes.len(), |&(_, file)| file);
        (file + at.saturating_sub(text)).min(end)
    }

    /// Takes a repaired text, and where it and the old one go on behind each repair. What was known of the old one's places moves
    /// with it.
    fn repaired(&mut self, text: String, repairs: &[(usize, usize)]) {
        let moved = |at: usize| {
            let before = repairs.partition_point(|&(_, from)| from <= at);
            before.checked_sub(1).map_or(at, |last| repairs[last].0 + at - repairs[last].1)
        };
        let known = self.places.iter().map(|&(at, file)| (moved(at), file));
        let mut places: Vec<_> = known.chain(repairs.iter().map(|&(to, from)| (to, self.in_file(from)))).collect();
        places.sort_unstable();
        self.text = Cow::Owned(text);
        self.places = places;
    }

    fn find(&mut self, offset: usize, kind: FindingKind, message: String) {
        let (line, column) = Lines::of(self.bytes).place(offset).unzip();
        let line = line.unwrap_or_default();
        self.findings.push(Finding { line, last_line: line, offset: Some(offset), column, kind, message });
    }

    /// Makes sure that the text is one JSON value, and repairs it if it is nearly one.
    fn check(&mut self, expected: &'static str) -> Result<(), ImportError> {
        let Err(mut error) = Value::read(&self.text, 0) else { return Ok(()) };
        if let Some((escaped, repairs)) = escaped(&self.text) {
            let fault = format!("{} raw line breaks or other control characters in strings, escaped", repairs.len());
            // The byte that was escaped stands before the one at which the text goes on.
            let first = repairs.first().map_or(0, |&(_, from)| from - 1);
            self.find(self.in_file(first), FindingKind::RawNewline, fault);
            self.repaired(escaped, &repairs);
            match Value::read(&self.text, 0) {
                Ok(_) => return Ok(()),
                Err(other) => error = other,
            }
        }
        if let Some(mended) = not_a_number::mended(&self.text) {
            let fault = format!("{} `NaN` or `Infinity`, which are no JSON; read as null", mended.repairs.len());
            self.find(self.in_file(mended.first), FindingKind::MalformedLine, fault);
            self.repaired(mended.text, &mended.repairs);
            match Value::read(&self.text, 0) {
                Ok(_) => return Ok(()),
                Err(other) => error = other,
            }
        }
        if let Some((mended, repairs)) =
            without_trailing_commas(&self.text).filter(|(text, _)| Value::read(text, 0).is_ok())
        {
            let first = repairs.first().map_or(0, |&(_, from)| from - 1);
            let fault = format!("{} commas before the end of a list or an object, left out", repairs.len());
            self.find(self.in_file(first), FindingKind::MalformedLine, fault);
            self.repaired(mended, &repairs);
            return Ok(());
        }
        let at = self.in_file(offset_of(&self.text, error.line(), error.column()));
        let no_record = ImportError::NoRecord { line: error.line(), expected, found: error.to_string() };
        let (values, end) = json::leading_values(&self.text);
        if let Some(first) = values.first().filter(|value| value.starts_with(['{', '['])) {
            let fault = format!("{} {BEHIND}, left out", self.text.len() - first.len());
            let kind = if end > first.len() { FindingKind::GluedRecords } else { FindingKind::MalformedLine };
            let first = (*first).to_owned();
            self.find(self.in_file(first.len()), kind, fault);
            self.text = Cow::Owned(first);
            return Ok(());
        }
        let Some(closed) = closed(&self.text).filter(|text| error.is_eof() && Value::read(text, 0).is_ok()) else {
            return Err(no_record);
        };
        self.text = Cow::Owned(closed);
        let fault = "the document ends early; everything before its last unfinished value was read".to_owned();
        self.find(at, FindingKind::TruncatedLine, fault);
        Ok(())
    }
}

/// Where the bytes of `bare`, which begins at byte `offset` of the file, stand once it is decoded and `cut` bytes are taken
/// off its start.
fn places(bare: &[u8], offset: usize, cut: usize) -> Vec<(usize, usize)> {
    let mut places = vec![(0, offset + cut)];
    let (mut text, mut file) = (0, 0);
    for chunk in bare.utf8_chunks() {
        let valid = chunk.valid().len();
        if !chunk.invalid().is_empty() {
            // U+FFFD takes three bytes.
            (text, file) = (text + valid + 3, file + valid + chunk.invalid().len());
            places.extend(text.checked_sub(cut).map(|text| (text, offset + file)));
        }
    }
    places
}

/// `text` with the control characters in its strings escaped, and where the new text and the old one go on behind each.
/// `None` without any.
fn escaped(text: &str) -> Option<(String, Vec<(usize, usize)>)> {
    let (mut out, mut repairs, mut done) = (String::new(), Vec::new(), 0);
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'"', &bytes[at..]).map(|step| at + step) {
        let end = string_end(bytes, start).min(bytes.len());
        for (place, &byte) in bytes[start..end].iter().enumerate().filter(|(_, byte)| **byte < 0x20) {
            let place = start + place;
            out.push_str(&text[done..place]);
            let _ = write!(out, "\\u{byte:04x}");
            done = place + 1;
            repairs.push((out.len(), done));
        }
        at = end;
    }
    out.push_str(&text[done..]);
    (!repairs.is_empty()).then_some((out, repairs))
}

/// `text` without the commas behind the last elements of lists and objects, and where both go on behind each. `None` without any.
fn without_trailing_commas(text: &str) -> Option<(String, Vec<(usize, usize)>)> {
    let bytes = text.as_bytes();
    let (mut out, mut repairs, mut done, mut at) = (String::new(), Vec::new(), 0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = string_end(bytes, at),
            b',' if matches!(text[at + 1..].trim_start().bytes().next(), Some(b']' | b'}')) => {
                out.push_str(&text[done..at]);
                (done, at) = (at + 1, at + 1);
                repairs.push((out.len(), done));
            }
            _ => at += 1,
        }
    }
    out.push_str(&text[done..]);
    (!repairs.is_empty()).then_some((out, repairs))
}

/// The text of a file's first bytes, without what may stand before a document: a mark, NULs, white space.
pub(super) fn beginning(head: &[u8]) -> Cow<'_, str> {
    let text = lines::lossy(head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head));
    let start = text.len() - text.trim_start_matches(|c: char| c == '\0' || c.is_whitespace()).len();
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[start..]),
        Cow::Owned(mut text) => Cow::Owned(text.split_off(start)),
    }
}

/// Byte offset of a line and column, both from 1.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start = match line {
        0 | 1 => 0,
        _ => memchr::memchr_iter(b'\n', text.as_bytes()).nth(line - 2).map_or(0, |at| at + 1),
    };
    (start + column.saturating_sub(1)).min(text.len())
}

/// A document that ends early, cut after its last complete value and closed. `None` when nothing in it is complete.
fn closed(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut best: Option<(usize, Vec<u8>)> = None;
    let (mut at, mut key) = (0, false);
    while at < bytes.len() {
        let start = at;
        at += 1;
        let complete = match bytes[start] {
            b'{' => {
                open.push(b'}');
                key = true;
                false
            }
            b'[' => {
                open.push(b']');
                key = false;
                false
            }
            b'}' | b']' => open.pop().is_some(),
            b',' => {
                key = open.last() == Some(&b'}');
                false
            }
            b':' => {
                key = false;
                false
            }
            b'"' => {
                at = string_end(bytes, start);
                !key && at < bytes.len()
            }
            _ => false,
        };
        if complete && !open.is_empty() {
            match &mut best {
                Some((end, closers)) => (*end, *closers) = (at, open.clone()),
                None => best = Some((at, open.clone())),
            }
        }
    }
    let (end, closers) = best?;
    let mut text = text.get(..end)?.to_owned();
    text.extend(closers.into_iter().rev().map(char::from));
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::{Document, closed};
    use crate::import::FindingKind;

    #[test]
    fn a_torn_document_is_closed_after_its_last_value() {
        assert_eq!(closed(r#"{"a":[{"b":"c"},{"d":"e","f":"g"#).as_deref(), Some(r#"{"a":[{"b":"c"},{"d":"e"}]}"#));
        assert_eq!(closed(r#"{"a":[1,{"b":"c"}],"d"#).as_deref(), Some(r#"{"a":[1,{"b":"c"}]}"#));
        assert_eq!(closed(r#"{"a"#), None);
    }

    #[test]
    fn each_repair_keeps_the_places_of_those_before() {
        let bytes = b"\xEF\xBB\xBF [\"\xFFp\xFF\nq\tr\",{\"s\":\"\nt\",},\"\xFFv\",]";
        let document = Document::read(bytes, "a document").unwrap();
        for sign in "pqrstv".chars() {
            let text = document.text.find(sign).unwrap();
            let file = bytes.iter().position(|&byte| byte == sign as u8).unwrap();
            assert_eq!(document.in_file(text), file, "{sign} in {}", document.text);
        }
    }

    #[test]
    fn odd_files_are_read_with_a_finding() {
        let kinds = |bytes: &[u8]| {
            let document = Document::read(bytes, "a document").unwrap();
            let kinds: Vec<FindingKind> = document.findings.iter().map(|finding| finding.kind).collect();
            (document.value().raw().to_owned(), kinds)
        };
        assert_eq!(kinds(b"\xEF\xBB\xBF {\"a\":1}\r\n"), (r#"{"a":1}"#.into(), vec![]));
        assert_eq!(kinds(b"\0\0[1]\0"), ("[1]".into(), vec![FindingKind::NulPadding]));
        assert_eq!(kinds(b"[\"\xFF\"]"), ("[\"\u{FFFD}\"]".into(), vec![FindingKind::InvalidUtf8]));
        assert_eq!(kinds(b"{} {}"), ("{}".into(), vec![FindingKind::GluedRecords]));
        assert_eq!(kinds(b"{} x"), ("{}".into(), vec![FindingKind::MalformedLine]));
        assert_eq!(
            kinds(b"{\"a\":[{\"b\":\"c\"},{"),
            (r#"{"a":[{"b":"c"}]}"#.into(), vec![FindingKind::TruncatedLine])
        );
        assert_eq!(kinds(br#"["\ud83d"]"#), (r#"["\ud83d"]"#.into(), vec![FindingKind::LoneSurrogate]));
        assert_eq!(kinds(b"[\"a\nb\tc\"]"), (r#"["a\u000ab\u0009c"]"#.into(), vec![FindingKind::RawNewline]));
        assert!(Document::read(b" \n", "a document").is_err());
        assert_eq!(kinds(b"{\"a\":[1,\n],}"), ("{\"a\":[1\n]}".into(), vec![FindingKind::MalformedLine]));
        assert!(Document::read(b"{\"a\":]", "a document").is_err());
    }
}
