//! Stepping over a value: checked in full, and told whether JavaScript would print it just so.
//!
//! A text is canonical when `JSON.stringify(JSON.parse(text))` is known to give it back byte for byte. "No" also comes
//! for some rare forms that would come back unchanged: lone surrogates, keys that start with a digit, very deep or very
//! wide objects.

use super::super::number::{canonical_integer, javascript};
use super::{Read, Reader};

/// Deeper text, or more keys open at once, is not told to be canonical.
const DEPTH: usize = 64;
const KEYS: usize = 64;

/// The containers that are open. A new one has no memory: most values are no containers.
#[derive(Default)]
pub(super) struct Open<'a> {
    depth: usize,
    /// Which of the outermost [`DEPTH`] are objects, a bit each.
    objects: u64,
    /// The same of those inside.
    deep: Vec<bool>,
    /// The keys of the objects that are open, outermost first, by which repeated ones are found.
    keys: Vec<&'a str>,
    /// For each container, how many there were when it was opened.
    first: Vec<usize>,
}

impl<'a> Open<'a> {
    pub(super) fn clear(&mut self) {
        self.depth = 0;
        self.keys.clear();
        self.first.clear();
        self.deep.clear();
    }

    fn push(&mut self, object: bool) {
        if self.depth < DEPTH {
            let bit = 1 << self.depth;
            self.objects = if object { self.objects | bit } else { self.objects & !bit };
            self.first.push(self.keys.len());
        } else {
            self.deep.push(object);
        }
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth -= 1;
        if self.depth < DEPTH {
            self.keys.truncate(self.first.pop().unwrap_or_default());
        } else {
            self.deep.pop();
        }
    }

    fn in_object(&self) -> bool {
        if self.depth <= DEPTH { self.objects >> (self.depth - 1) & 1 == 1 } else { self.deep.last() == Some(&true) }
    }

    /// Notes a canonically spelled key. Whether it is no number and stands for the first time in its object: canonical
    /// spellings are unique, so that comparing them compares the keys.
    fn key(&mut self, key: &'a str) -> bool {
        if self.depth > DEPTH || self.keys.len() == KEYS || key.as_bytes().first().is_some_and(u8::is_ascii_digit) {
            return false;
        }
        let from = self.first.last().copied().unwrap_or_default();
        let known = self.keys[from..].contains(&key);
        self.keys.push(key);
        !known
    }
}

impl Reader<'_> {
    /// Steps over the value that is next. Whether it is canonical.
    pub(super) fn skip(&mut self) -> Read<bool> {
        self.open.clear();
        let mut canonical = true;
        loop {
            let opened = match self.byte() {
                b'"' => {
                    canonical &= self.skip_string()?;
                    false
                }
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    self.open.push(open == b'{');
                    canonical &= self.open.depth <= DEPTH;
                    true
                }
                b'n' => self.word("null").map(|()| false)?,
                b't' => self.word("true").map(|()| false)?,
                b'f' => self.word("false").map(|()| false)?,
                _ => {
                    canonical &= self.skip_number()?;
                    false
                }
            };
            canonical &= self.tight();
            if !self.go_to_next(opened, &mut canonical)? {
                return Ok(canonical);
            }
        }
    }

    /// Goes to the next value inside the containers that are open, closing those that end; `false` when none is left.
    /// `first`: the innermost one was just opened.
    fn go_to_next(&mut self, mut first: bool, canonical: &mut bool) -> Read<bool> {
        while self.open.depth > 0 {
            let object = self.open.in_object();
            let byte = self.byte();
            if byte == if object { b'}' } else { b']' } {
                self.at += 1;
                self.open.pop();
                first = false;
                if self.open.depth > 0 {
                    *canonical &= self.tight();
                }
                continue;
            }
            if !first {
                if byte != b',' {
                    return self.broken("expected `,` or the end of the container");
                }
                self.at += 1;
                *canonical &= self.tight();
            }
            if object {
                *canonical &= self.skip_key()?;
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn skip_key(&mut self) -> Read<bool> {
        if self.byte() != b'"' {
            return self.broken("expected a key");
        }
        let from = self.at + 1;
        let mut canonical = self.skip_string()?;
        if canonical {
            let text = self.text;
            canonical = self.open.key(&text[from..self.at - 1]);
        }
        canonical &= self.tight();
        self.eat(b':', "expected `:`")?;
        Ok(canonical & self.tight())
    }

    /// Steps over white space, of which a canonical text has none. At the end of the outermost value it may follow.
    fn tight(&mut self) -> bool {
        if self.byte() > b' ' || self.open.depth == 0 {
            return true;
        }
        let from = self.at;
        self.peek();
        self.at == from
    }

    fn skip_number(&mut self) -> Read<bool> {
        let spelling = self.number()?;
        if canonical_integer(spelling) {
            return Ok(true);
        }
        let mut printed = String::new();
        javascript(spelling, &mut printed);
        Ok(printed == spelling)
    }
}
