//! One pass over a text: words are found by a table of bytes, and only those that may be an entity are looked at.

use std::borrow::Cow;

use super::Kind;
use super::rules::{self, Features};

/// An entity where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity<'t> {
    /// What it is.
    pub kind: Kind,
    /// Its normal form: quotes, line numbers and `./` are gone, a unit stands right behind its number.
    pub key: Cow<'t, str>,
    /// Where it begins.
    pub at: usize,
}

/// Classes of bytes, one bit each; a byte without a class ends a word.
pub(super) mod class {
    pub(in super::super) const LOWER: u16 = 1;
    pub(in super::super) const UPPER: u16 = 1 << 1;
    pub(in super::super) const DIGIT: u16 = 1 << 2;
    pub(in super::super) const SLASH: u16 = 1 << 3;
    pub(in super::super) const DOT: u16 = 1 << 4;
    pub(in super::super) const UNDERSCORE: u16 = 1 << 5;
    pub(in super::super) const DASH: u16 = 1 << 6;
    pub(in super::super) const COLON: u16 = 1 << 7;
    pub(in super::super) const EQUALS: u16 = 1 << 8;
    pub(in super::super) const OTHER: u16 = 1 << 9;
    /// A lower-case letter before an upper-case one: set while a word is read.
    pub(in super::super) const HUMP: u16 = 1 << 10;
}

const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "it is below 256")]
        let c = byte as u8;
        table[byte] = match c {
            b'a'..=b'z' => class::LOWER,
            b'A'..=b'Z' => class::UPPER,
            b'0'..=b'9' => class::DIGIT,
            b'/' | b'\\' => class::SLASH,
            b'.' => class::DOT,
            b'_' => class::UNDERSCORE,
            b'-' => class::DASH,
            b':' => class::COLON,
            b'=' => class::EQUALS,
            b'@' | b'+' | b'%' | b'~' | b'#' | b'?' | b'&' | b'$' => class::OTHER,
            _ => 0,
        };
        byte += 1;
    }
    table
}

static CLASS: [u16; 256] = table();

/// Classes of which a word must have one, or it is an ordinary word.
const TELLING: u16 =
    class::DIGIT | class::SLASH | class::DOT | class::UNDERSCORE | class::COLON | class::EQUALS | class::HUMP;

/// A longer word is data, such as base64, and no name.
const LONGEST: usize = 240;

/// Calls `each` with every entity of `text`, in order.
pub fn extract<'t>(text: &'t str, mut each: impl FnMut(Entity<'t>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if CLASS[usize::from(bytes[at])] == 0 {
            if bytes[at] == b'`' {
                quoted(text, at, &mut each);
            }
            at += 1;
            continue;
        }
        let start = at;
        let closes_tag = bytes[start] == b'/' && start > 0 && bytes[start - 1] == b'<';
        let (mut all, mut last) = (0, 0);
        while at < bytes.len() {
            let one = CLASS[usize::from(bytes[at])];
            if one == 0 {
                break;
            }
            // `aB`: a lower-case letter right before an upper-case one.
            let is_hump = last == class::LOWER && one == class::UPPER;
            all |= one | if is_hump { class::HUMP } else { 0 };
            last = one;
            at += 1;
        }
        let is_option = all & class::DASH != 0 && bytes[start] == b'-';
        let is_shout = all & (class::UPPER | class::LOWER) == class::UPPER && bytes[start] == b'E';
        if (all & TELLING != 0 || is_option || is_shout || ends_in_error(&bytes[start..at]))
            && at - start <= LONGEST
            && !closes_tag
        {
            let features = Features { all, next: bytes.get(at..).unwrap_or_default() };
            rules::judge(text, start..at, features, &mut each);
        }
    }
}

fn ends_in_error(word: &[u8]) -> bool {
    word.len() > 5 && (word.ends_with(b"Error") || word.ends_with(b"error"))
}

/// Words in backticks: `cargo test --lib`.
fn quoted<'t>(text: &'t str, at: usize, each: &mut impl FnMut(Entity<'t>)) {
    const MOST: usize = 120;
    let rest = &text.as_bytes()[at + 1..];
    let Some(end) = rest.iter().take(MOST).position(|&byte| byte == b'`' || byte == b'\n') else { return };
    if rest[end] != b'`' || end < 4 {
        return;
    }
    let inner = text[at + 1..at + 1 + end].trim();
    let is_command = inner.bytes().filter(|&byte| byte == b' ').count() >= 1
        && inner.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && inner
            .split(' ')
            .next()
            .is_some_and(|word| word.len() > 1 && word.bytes().all(|byte| CLASS[usize::from(byte)] != 0));
    if is_command {
        each(Entity { kind: Kind::Command, key: Cow::Borrowed(inner), at: at + 1 });
    }
}
