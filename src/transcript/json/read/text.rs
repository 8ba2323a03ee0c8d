//! Strings: the end is looked for many bytes at a time, and escapes are decoded on the way.

use super::run::{self, LONG, Marks};
use super::{Broken, Read, Reader};

/// The code unit of four hexadecimal digits.
fn unit(digits: Option<&[u8]>) -> Option<u32> {
    let mut unit = 0;
    for &digit in digits? {
        unit = unit << 4 | char::from(digit).to_digit(16)?;
    }
    Some(unit)
}

/// Bytes that are unescaped together: behind each of them there are as many to copy from.
const HALF: usize = LONG / 2;

/// The last byte of a chunk.
const LAST: u64 = 1 << (LONG - 1);

/// Makes room in `out` for what a chunk gives behind its first `len` bytes. It grows with the longest string.
fn room(out: &mut Vec<u8>, len: usize) {
    const LEAST: usize = 4 << 10;
    let enough = len + 2 * LONG;
    if out.len() < enough {
        out.resize(enough.next_power_of_two().max(LEAST), 0);
    }
}

/// The characters of the short escapes, by the byte behind the backslash; 0 for none.
const SHORT: [u8; 256] = {
    let mut table = [0; 256];
    table[b'n' as usize] = b'\n';
    table[b'"' as usize] = b'"';
    table[b'\\' as usize] = b'\\';
    table[b'/' as usize] = b'/';
    table[b't' as usize] = b'\t';
    table[b'r' as usize] = b'\r';
    table[b'b' as usize] = 8;
    table[b'f' as usize] = 12;
    table
};

impl Reader<'_> {
    /// Where the string that is next begins and ends, if it has no escape. `None`: it has, and the reader stands there.
    #[inline]
    pub(super) fn plain_string(&mut self) -> Read<Option<(usize, usize)>> {
        let from = self.at + 1;
        let end = run::end(self.text.as_bytes(), from);
        match self.text.as_bytes().get(end) {
            Some(b'"') => {
                self.at = end + 1;
                Ok(Some((from, end)))
            }
            Some(b'\\') => Ok(None),
            _ => self.unclosed(end),
        }
    }

    #[cold]
    fn unclosed<T>(&mut self, at: usize) -> Read<T> {
        self.at = at;
        if at >= self.text.len() {
            self.broken("the string has no end")
        } else {
            self.broken("a bare control character")
        }
    }

    /// The content of the string that is next and has an escape.
    pub(super) fn string_after_escape(&mut self) -> Read<&str> {
        let mut out = std::mem::take(&mut self.unescaped);
        let length = self.unescape(&mut out);
        self.unescaped = out;
        let length = length?;
        // Whole characters in, whole characters out.
        simdutf8::basic::from_utf8(&self.unescaped[..length]).map_err(|_| Broken)
    }

    /// Decodes the string that is next into `out`, which grows; returns the length there.
    fn unescape(&mut self, out: &mut Vec<u8>) -> Read<usize> {
        let bytes = self.text.as_bytes();
        let (mut at, mut len) = (self.at + 1, 0);
        'chunks: while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<LONG>) {
            room(out, len);
            // The bit above the half stands for "no more".
            let mut specials = u64::from(run::wide(chunk)) | 1 << HALF;
            let mut done = 0;
            while done < HALF {
                // As much as there may be: what is too much is written over.
                if let (Some(room), Some(bytes)) = (out[len..].first_chunk_mut::<HALF>(), chunk[done..].first_chunk()) {
                    *room = *bytes;
                }
                let nth = specials.trailing_zeros() as usize;
                len += nth - done;
                done = nth;
                if nth == HALF {
                    break;
                }
                let short = SHORT[usize::from(chunk[nth + 1])];
                match chunk[nth] {
                    b'"' => {
                        self.at = at + nth + 1;
                        return Ok(len);
                    }
                    b'\\' if short != 0 => {
                        out[len] = short;
                        len += 1;
                        done = nth + 2;
                        specials &= u64::MAX << done;
                    }
                    b'\\' => {
                        self.at = at + nth;
                        len += self.unicode(&mut out[len..])?;
                        at = self.at;
                        continue 'chunks;
                    }
                    _ => return self.unclosed(at + nth),
                }
            }
            at += done;
        }
        self.unescape_end(at, len, out)
    }

    /// [`Self::unescape`] among the last bytes of the text.
    fn unescape_end(&mut self, mut at: usize, mut len: usize, out: &mut Vec<u8>) -> Read<usize> {
        let bytes = self.text.as_bytes();
        room(out, len);
        loop {
            let Some(&byte) = bytes.get(at) else { return self.unclosed(at) };
            let short = SHORT[usize::from(bytes.get(at + 1).copied().unwrap_or(0))];
            match byte {
                b'"' => {
                    self.at = at + 1;
                    return Ok(len);
                }
                b'\\' if short == 0 => {
                    self.at = at;
                    len += self.unicode(&mut out[len..])?;
                    at = self.at;
                }
                b'\\' => {
                    out[len] = short;
                    len += 1;
                    at += 2;
                }
                0..0x20 => return self.unclosed(at),
                _ => {
                    out[len] = byte;
                    len += 1;
                    at += 1;
                }
            }
        }
    }

    /// Decodes the `\u` escape that is next, with its other half if it has one; returns the length in `out`.
    fn unicode(&mut self, out: &mut [u8]) -> Read<usize> {
        let first = self.unicode_unit()?;
        let character = char::from_u32(first).unwrap_or_else(|| self.second_half(first));
        Ok(character.encode_utf8(out).len())
    }

    /// Steps over a `\u` escape and gives its code unit.
    fn unicode_unit(&mut self) -> Read<u32> {
        let bytes = self.text.as_bytes();
        let is_unicode = bytes.get(self.at + 1) == Some(&b'u');
        match unit(bytes.get(self.at + 2..self.at + 6)).filter(|_| is_unicode) {
            Some(unit) => {
                self.surrogates |= (0xD800..0xE000).contains(&unit);
                self.at += 6;
                Ok(unit)
            }
            None => self.broken("an invalid escape"),
        }
    }

    /// The character of a pair, or U+FFFD where `first` has no other half.
    fn second_half(&mut self, first: u32) -> char {
        let rest = &self.text.as_bytes()[self.at..];
        let second = unit(rest.get(2..6)).filter(|_| rest.starts_with(b"\\u"));
        match second {
            Some(second @ 0xDC00..0xE000) if first < 0xDC00 => {
                self.at += 6;
                char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)).unwrap_or('\u{FFFD}')
            }
            _ => '\u{FFFD}',
        }
    }

    /// Steps over the string that is next. Whether all of its escapes are those that `JSON.stringify` writes: the
    /// seven short ones but `\/`, and `\u00xx` in lower case for control characters that have no short one.
    #[inline]
    pub(super) fn skip_string(&mut self) -> Read<bool> {
        let end = run::end(self.text.as_bytes(), self.at + 1);
        match self.text.as_bytes().get(end) {
            Some(b'"') => {
                self.at = end + 1;
                Ok(true)
            }
            Some(b'\\') => self.skip_escaped(end),
            _ => self.unclosed(end),
        }
    }

    /// [`Self::skip_string`] from its first escape on, which is at `at`.
    fn skip_escaped(&mut self, mut at: usize) -> Read<bool> {
        let bytes = self.text.as_bytes();
        let mut canonical = true;
        while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<LONG>) {
            let marks = Marks::of(chunk);
            let escaped = marks.escaped();
            // What ends the string, well or not.
            let ends = (marks.quotes | marks.controls) & !escaped;
            let inside = (ends & ends.wrapping_neg()).wrapping_sub(1);
            let mut others = escaped & inside & !(marks.quotes | marks.slashes | marks.letters);
            while others != 0 {
                self.skip_escape(at + others.trailing_zeros() as usize - 1, &mut canonical)?;
                others &= others - 1;
            }
            if ends != 0 {
                let end = at + ends.trailing_zeros() as usize;
                if bytes[end] != b'"' {
                    return self.unclosed(end);
                }
                self.at = end + 1;
                return Ok(canonical);
            }
            // An escape is not taken apart: the next chunk begins with it.
            let open = marks.slashes & !escaped & LAST;
            at += LONG - usize::from(open != 0);
        }
        self.skip_string_end(at, canonical)
    }

    /// [`Self::skip_string`] among the last bytes of the text.
    fn skip_string_end(&mut self, mut at: usize, mut canonical: bool) -> Read<bool> {
        loop {
            match self.text.as_bytes().get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(canonical);
                }
                Some(b'\\') => at = self.skip_escape(at, &mut canonical)?,
                Some(0x20..) => at += 1,
                _ => return self.unclosed(at),
            }
        }
    }

    /// Steps over the escape at `at`, and gives where it ends.
    fn skip_escape(&mut self, at: usize, canonical: &mut bool) -> Read<usize> {
        let escape = self.text.as_bytes().get(at + 1).copied().unwrap_or(0);
        if SHORT[usize::from(escape)] != 0 {
            *canonical &= escape != b'/';
            return Ok(at + 2);
        }
        self.skip_unicode(at, canonical)
    }

    fn skip_unicode(&mut self, at: usize, canonical: &mut bool) -> Read<usize> {
        self.at = at;
        self.unicode_unit()?;
        *canonical &= is_written(&self.text.as_bytes()[at + 2..at + 6]);
        Ok(at + 6)
    }
}

/// Whether `JSON.stringify` writes the `\u` escape of these digits.
fn is_written(digits: &[u8]) -> bool {
    match digits {
        [b'0', b'0', b'0', last] => matches!(last, b'0'..=b'7' | b'b' | b'e' | b'f'),
        [b'0', b'0', b'1', last] => matches!(last, b'0'..=b'9' | b'a'..=b'f'),
        _ => false,
    }
}
