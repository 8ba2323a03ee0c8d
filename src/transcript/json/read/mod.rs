//! A pull reader for JSON: one pass from the text to the values that the caller asks for.
//!
//! The caller walks objects and lists by closures and takes every value exactly once: as a string, as a number, or
//! as a [`Raw`] slice. Whatever it takes, the grammar of RFC 8259 is checked to the last byte, so that a text that was
//! read to its [`Reader::end`] is JSON. Nothing is recursive: nesting costs memory, not stack.

mod number;
mod run;
mod skip;
#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;
use std::ops::Deref;

use super::print::utf16_len;
use crate::transcript::JsonText;

/// The text is not JSON; [`Reader::fault`] says where and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken;

/// What a step of reading gives.
pub(crate) type Read<T> = Result<T, Broken>;

/// Reads one text at a time. What it needs besides is kept from one text to the next.
pub(crate) struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// What was expected where reading broke.
    expected: &'static str,
    /// A `\u` escape of half a surrogate pair was read.
    surrogates: bool,
    /// The string that was unescaped last, with room for the longest so far.
    unescaped: Vec<u8>,
    open: skip::Open<'a>,
}

/// A value as it is spelled, checked to be JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Raw<'a> {
    text: &'a str,
    /// `JSON.stringify` is known to give the same bytes back.
    canonical: bool,
}

impl<'a> Raw<'a> {
    /// A value that is not known to be canonical.
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, canonical: false }
    }

    /// The spelling, without white space around it.
    pub(crate) fn text(self) -> &'a str {
        self.text
    }

    /// Whether `JSON.stringify` is known to give the same bytes back.
    pub(crate) fn is_canonical(self) -> bool {
        self.canonical
    }

    /// The value, kept and measured. `None` when it nests too deeply.
    pub(crate) fn json(self) -> Option<JsonText> {
        if self.canonical {
            return Some(JsonText::measured(self.text.into(), utf16_len(self.text)));
        }
        JsonText::new(self.text)
    }
}

/// Whether a JSON string spells `text` as it is.
pub(crate) fn is_plain(text: &str) -> bool {
    run::end(text.as_bytes(), 0) == text.len()
}

/// A value that is known to be canonical, kept and measured.
pub(crate) fn canonical_json(text: &str) -> JsonText {
    let js_utf16 = utf16_len(text);
    JsonText::measured(text.into(), js_utf16)
}

impl Deref for Raw<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.text
    }
}

impl Default for Reader<'_> {
    fn default() -> Self {
        Self::new("")
    }
}

impl<'a> Reader<'a> {
    /// A reader at the start of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        let (unescaped, open) = (Vec::new(), skip::Open::default());
        Self { text, at: 0, expected: "", surrogates: false, unescaped, open }
    }

    /// The same reader for texts of other lifetimes: what it needs besides a text is kept.
    pub(crate) fn again<'b>(self) -> Reader<'b> {
        Reader { unescaped: self.unescaped, ..Reader::default() }
    }

    /// Goes to the start of another text.
    pub(crate) fn start(&mut self, text: &'a str) {
        self.text = text;
        self.at = 0;
        self.surrogates = false;
        self.open.clear();
    }

    /// Why reading broke.
    pub(crate) fn fault(&self) -> String {
        self.expected.to_owned()
    }

    /// Where it broke, in bytes of the text.
    #[cfg(test)]
    fn broke_at(&self) -> usize {
        self.at
    }

    /// Whether half a surrogate pair was escaped in what was read of this text. Most such halves are paired.
    pub(crate) fn saw_surrogates(&self) -> bool {
        self.surrogates
    }

    #[cold]
    fn broken<T>(&mut self, expected: &'static str) -> Read<T> {
        self.expected = expected;
        Err(Broken)
    }

    #[inline]
    fn byte(&self) -> u8 {
        // No JSON holds a bare NUL, so that it can stand for the end.
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// The first byte of the next token; 0 at the end.
    #[inline]
    pub(crate) fn peek(&mut self) -> u8 {
        let byte = self.byte();
        if byte > b' ' { byte } else { self.over_space() }
    }

    #[cold]
    fn over_space(&mut self) -> u8 {
        while matches!(self.byte(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
        self.byte()
    }

    /// Makes sure that nothing but white space is left.
    #[inline]
    pub(crate) fn end(&mut self) -> Read<()> {
        self.peek();
        if self.at == self.text.len() { Ok(()) } else { self.broken("expected the end of the value") }
    }

    #[inline]
    fn eat(&mut self, byte: u8, expected: &'static str) -> Read<()> {
        if self.peek() != byte {
            return self.broken(expected);
        }
        self.at += 1;
        Ok(())
    }

    /// Reads the object that is next; `field` must take the value of each key.
    pub(crate) fn object(&mut self, mut field: impl FnMut(&mut Self, Cow<'a, str>) -> Read<()>) -> Read<()> {
        self.eat(b'{', "expected an object")?;
        if self.peek() == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.key()?;
            self.eat(b':', "expected `:`")?;
            field(self, key)?;
            if !self.goes_on(b'}', "expected `,` or `}`")? {
                return Ok(());
            }
        }
    }

    /// Reads the list that is next; `item` must take each element.
    pub(crate) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Read<()>) -> Read<()> {
        self.eat(b'[', "expected a list")?;
        if self.peek() == b']' {
            self.at += 1;
            return Ok(());
        }
        loop {
            item(self)?;
            if !self.goes_on(b']', "expected `,` or `]`")? {
                return Ok(());
            }
        }
    }

    /// Steps over a comma (`true`) or over the end of a container (`false`).
    #[inline]
    fn goes_on(&mut self, end: u8, expected: &'static str) -> Read<bool> {
        let next = self.peek();
        if next != b',' && next != end {
            return self.broken(expected);
        }
        self.at += 1;
        Ok(next == b',')
    }

    /// The key that is next, borrowed unless it is spelled with escapes.
    #[inline]
    fn key(&mut self) -> Read<Cow<'a, str>> {
        if self.peek() != b'"' {
            return self.broken("expected a key");
        }
        let text = self.text;
        Ok(match self.plain_string()? {
            Some((from, to)) => Cow::Borrowed(text.get(from..to).unwrap_or_default()),
            None => Cow::Owned(self.string_after_escape()?.to_owned()),
        })
    }

    /// The string that is next, borrowed unless it is spelled with escapes. A lone surrogate reads as U+FFFD.
    #[inline]
    pub(crate) fn text(&mut self) -> Read<Cow<'a, str>> {
        if self.peek() == b'"' { self.key() } else { self.broken("expected a string") }
    }

    /// The string that is next. A lone surrogate reads as U+FFFD.
    #[inline]
    pub(crate) fn string(&mut self) -> Read<&str> {
        if self.peek() != b'"' {
            return self.broken("expected a string");
        }
        match self.plain_string()? {
            Some((from, to)) => Ok(self.text.get(from..to).unwrap_or_default()),
            None => self.string_after_escape(),
        }
    }

    /// The string that is next, if it is spelled without escapes. `None`: it has some, and the reader stands before it.
    #[inline]
    pub(in crate::transcript::json) fn plain_text(&mut self) -> Read<Option<&'a str>> {
        if self.peek() != b'"' {
            return self.broken("expected a string");
        }
        let text = self.text;
        Ok(self.plain_string()?.map(|(from, to)| text.get(from..to).unwrap_or_default()))
    }

    /// The string that is next as it is spelled, without its quotes.
    pub(in crate::transcript::json) fn spelled(&mut self) -> Read<&'a str> {
        if self.peek() != b'"' {
            return self.broken("expected a string");
        }
        let (text, from) = (self.text, self.at + 1);
        self.skip_string()?;
        Ok(&text[from..self.at - 1])
    }

    /// The spelling of the number that is next.
    #[inline]
    pub(crate) fn number(&mut self) -> Read<&'a str> {
        self.peek();
        let from = self.at;
        match number::end(self.text.as_bytes(), from) {
            Some(end) => {
                self.at = end;
                Ok(&self.text[from..end])
            }
            None => self.broken("expected a value"),
        }
    }

    /// Steps over `word`, one of the three literals.
    #[inline]
    pub(crate) fn word(&mut self, word: &'static str) -> Read<()> {
        self.peek();
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return self.broken("expected a value");
        }
        self.at += word.len();
        Ok(())
    }

    /// What was not read yet.
    #[inline]
    pub(crate) fn ahead(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Where the next token begins.
    #[inline]
    pub(crate) fn mark(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// What was read since a [`Self::mark`].
    #[inline]
    pub(crate) fn since(&self, mark: usize) -> Raw<'a> {
        Raw::of(self.text.get(mark..self.at).unwrap_or_default())
    }

    /// The value that is next, as it is spelled.
    #[inline]
    pub(crate) fn raw(&mut self) -> Read<Raw<'a>> {
        self.peek();
        let from = self.at;
        let canonical = self.skip()?;
        Ok(Raw { text: &self.text[from..self.at], canonical })
    }
}
