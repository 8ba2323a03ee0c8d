//! Files that are one JSON document.

use std::borrow::Cow;

use super::value::{Value, string_end};
use super::{Finding, FindingKind, ImportError, json, lines, surrogates};

/// A file that is one JSON document, decoded and known to be JSON.
pub(super) struct Document<'a> {
    text: Cow<'a, str>,
    offset: usize,
    /// Faults of the file itself.
    pub(super) findings: Vec<Finding>,
    /// Physical lines.
    pub(super) lines: usize,
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
        let decoded = String::from_utf8_lossy(bare);
        let (start, end) = (decoded.trim_start_matches(padding), decoded.trim_matches(padding));
        if end.is_empty() {
            return Err(ImportError::Empty);
        }
        let mut document = Document {
            offset: bytes.len() - bare.len() + decoded.len() - start.len(),
            findings: Vec::new(),
            lines: bytecount::count(bytes, b'\n') + usize::from(!bytes.ends_with(b"\n")),
            text: Cow::Borrowed(""),
        };
        if let Err(error) = std::str::from_utf8(bare) {
            let at = bytes.len() - bare.len() + error.valid_up_to();
            document.find(bytes, at, FindingKind::InvalidUtf8, "bytes that are not UTF-8, each read as U+FFFD".into());
        }
        if decoded.trim() != end {
            let fault = "NUL bytes around the document, removed".to_owned();
            document.find(bytes, 0, FindingKind::NulPadding, fault);
        }
        let text = end.to_owned();
        document.text = match decoded {
            Cow::Borrowed(borrowed) => Cow::Borrowed(borrowed.trim_matches(padding)),
            Cow::Owned(_) => Cow::Owned(text),
        };
        document.check(bytes, expected)?;
        let lone = surrogates::lone(&document.text);
        if lone > 0 {
            let fault = format!("{lone} lone surrogates: U+FFFD in texts, as spelled in JSON arguments");
            document.find(bytes, 0, FindingKind::LoneSurrogate, fault);
        }
        Ok(document)
    }

    /// The document.
    pub(super) fn value(&self) -> Value<'_> {
        Value::unchecked(&self.text, self.offset)
    }

    fn find(&mut self, bytes: &[u8], at: usize, kind: FindingKind, message: String) {
        let line = bytecount::count(&bytes[..at.min(bytes.len())], b'\n') + 1;
        self.findings.push(Finding { line, last_line: line, offset: Some(at), column: None, kind, message });
    }

    /// Makes sure that the text is one JSON value, and repairs it if it is nearly one.
    fn check(&mut self, bytes: &[u8], expected: &'static str) -> Result<(), ImportError> {
        let Err(error) = Value::read(&self.text, 0) else { return Ok(()) };
        let at = self.offset + offset_of(&self.text, error.line(), error.column());
        let no_record = ImportError::NoRecord { line: error.line(), expected, found: error.to_string() };
        let (values, end) = json::leading_values(&self.text);
        if let Some(first) = values.first().filter(|value| value.starts_with(['{', '['])) {
            let fault = format!("{} bytes after the document, left out", self.text.len() - first.len());
            let kind = if end > first.len() { FindingKind::GluedRecords } else { FindingKind::MalformedLine };
            let first = (*first).to_owned();
            self.find(bytes, self.offset + first.len(), kind, fault);
            self.text = Cow::Owned(first);
            return Ok(());
        }
        let Some(closed) = closed(&self.text).filter(|text| error.is_eof() && Value::read(text, 0).is_ok()) else {
            return Err(no_record);
        };
        self.text = Cow::Owned(closed);
        let fault = "the document ends early; everything before its last unfinished value was read".to_owned();
        self.find(bytes, at, FindingKind::TruncatedLine, fault);
        Ok(())
    }
}

/// The text of a file's first bytes, without what may stand before a document: a mark, NULs, white space.
pub(super) fn beginning(head: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head));
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
        assert!(Document::read(b" \n", "a document").is_err());
        assert!(Document::read(b"{\"a\":]", "a document").is_err());
    }
}
