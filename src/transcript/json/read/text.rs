//! Strings: the end is looked for sixteen bytes at a time, and escapes are decoded on the way.

use super::run::{self, WIDTH};
use super::{Broken, Read, Reader};

/// The code unit of four hexadecimal digits.
fn unit(digits: Option<&[u8]>) -> Option<u32> {
    let mut unit = 0;
    for &digit in digits? {
        unit = unit << 4 | char::from(digit).to_digit(16)?;
    }
    Some(unit)
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
        // Nothing gets longer by decoding; what is copied last may reach past the end of its run.
        let room = self.text.len() + WIDTH;
        if self.unescaped.len() < room {
            self.unescaped.resize(room.next_power_of_two(), 0);
        }
        let mut out = std::mem::take(&mut self.unescaped);
        let length = self.unescape(&mut out);
        self.unescaped = out;
        let length = length?;
        // Whole characters in, whole characters out.
        std::str::from_utf8(&self.unescaped[..length]).map_err(|_| Broken)
    }

    /// Decodes the string that is next into `out`; returns the length there.
    fn unescape(&mut self, out: &mut [u8]) -> Read<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        let mut len = 0;
        loop {
            while let (Some(chunk), Some(room)) = (bytes[at..].first_chunk(), out[len..].first_chunk_mut()) {
                *room = *chunk;
                let run = run::length(chunk);
                at += run;
                len += run;
                if run < WIDTH {
                    break;
                }
            }
            let Some(&byte) = bytes.get(at) else { return self.unclosed(at) };
            match byte {
                b'"' => {
                    self.at = at + 1;
                    return Ok(len);
                }
                b'\\' => {
                    let plain = SHORT[usize::from(bytes.get(at + 1).copied().unwrap_or(0))];
                    if plain != 0 {
                        out[len] = plain;
                        len += 1;
                        at += 2;
                    } else {
                        self.at = at;
                        len += self.unicode(&mut out[len..])?;
                        at = self.at;
                    }
                }
                0..0x20 => return self.unclosed(at),
                // The last bytes of the text.
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
    pub(super) fn skip_string(&mut self) -> Read<bool> {
        let bytes = self.text.as_bytes();
        let mut canonical = true;
        let mut at = self.at + 1;
        'chunks: while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<{ 2 * WIDTH }>) {
            let mut specials = run::wide(chunk);
            while specials != 0 {
                let nth = specials.trailing_zeros() as usize;
                match chunk[nth % chunk.len()] {
                    b'"' => {
                        self.at = at + nth + 1;
                        return Ok(canonical);
                    }
                    b'\\' => {
                        let past = self.skip_escape(at + nth, &mut canonical)?;
                        if past >= at + chunk.len() {
                            at = past;
                            continue 'chunks;
                        }
                        specials &= u32::MAX << (past - at);
                    }
                    _ => return self.unclosed(at + nth),
                }
            }
            at += chunk.len();
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
    #[inline]
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
