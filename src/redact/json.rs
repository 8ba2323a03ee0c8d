//! Secrets in JSON that is kept as it was spelled.

use std::ops::Range;

use super::find::{Found, find};
use super::patterns::{SecretKind, is_harmless, is_secret_name};
use super::replace::Replacements;

/// A string of a JSON text: where its inner part stands, and whether it is the name of a field.
struct Literal {
    inner: Range<usize>,
    is_name: bool,
}

/// All strings of `json`, in their order.
fn literals(json: &str) -> Vec<Literal> {
    let bytes = json.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'"', &bytes[at..]).map(|step| at + step + 1) {
        let mut end = start;
        while let Some(step) = bytes.get(end..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
            end += step;
            if bytes[end] == b'"' {
                break;
            }
            end += 2;
        }
        let end = end.min(bytes.len());
        let next = bytes.get(end + 1..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
        all.push(Literal { inner: start..end, is_name: next == Some(&b':') });
        at = (end + 1).min(bytes.len());
    }
    all
}

/// A string that is read: its text, and where in the JSON each of its characters is spelled.
struct Decoded {
    text: String,
    /// Byte in `text`, and the range of its spelling.
    spelled: Vec<(usize, Range<usize>)>,
}

/// Reads the string at `inner`. A half of a surrogate pair alone reads as U+FFFD.
fn decode(json: &str, inner: Range<usize>) -> Decoded {
    let mut decoded = Decoded { text: String::new(), spelled: Vec::new() };
    let mut at = inner.start;
    while let Some(sign) = json[at..inner.end].chars().next() {
        let (sign, length) = if sign == '\\' { escape(&json[at..inner.end]) } else { (sign, sign.len_utf8()) };
        decoded.spelled.push((decoded.text.len(), at..at + length));
        decoded.text.push(sign);
        at += length;
    }
    decoded
}

/// The sign of an escape, and how long that is.
fn escape(text: &str) -> (char, usize) {
    let unit = |at: usize| text.get(at..at + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match text.as_bytes().get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'u') => match unit(2) {
            Some(high @ 0xD800..0xDC00) if text.get(6..8) == Some("\\u") => match unit(8) {
                Some(low @ 0xDC00..0xE000) => {
                    (char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)).unwrap_or('\u{FFFD}'), 12)
                }
                _ => ('\u{FFFD}', 6),
            },
            Some(unit) => (char::from_u32(unit).unwrap_or('\u{FFFD}'), 6),
            None => ('\\', 1),
        },
        Some(&byte) if byte.is_ascii() => (char::from(byte), 2),
        _ => ('\\', 1),
    }
}

/// Calls `each` with every string of `json` and the secrets in it; of the value of a field with a secret name that is all.
pub(super) fn secrets(json: &str, mut each: impl FnMut(&str, Vec<Found>)) {
    let mut secret_field = false;
    for literal in literals(json) {
        let decoded = decode(json, literal.inner.clone());
        if literal.is_name {
            secret_field = is_secret_name(&decoded.text);
        } else {
            each(&decoded.text, of_string(&decoded.text, std::mem::take(&mut secret_field)));
        }
        if literal.is_name {
            let found = find(&decoded.text);
            each(&decoded.text, found);
        }
    }
}

/// The secrets of one string.
fn of_string(text: &str, secret_field: bool) -> Vec<Found> {
    let found = find(text);
    let whole = secret_field && found.is_empty() && text.len() >= 6 && !text.contains(char::is_whitespace);
    if whole && !is_harmless(SecretKind::Setting, text) {
        return vec![Found { kind: SecretKind::Setting, range: 0..text.len() }];
    }
    found
}

/// `json` with the secrets of its strings replaced, as `found` finds them in a string; `None` when there are none.
pub(super) fn replaced(
    json: &str,
    replacements: &mut Replacements,
    found: &mut dyn FnMut(&str, bool) -> Vec<Found>,
) -> Option<String> {
    let mut out: Option<String> = None;
    let mut done = 0;
    let mut secret_field = false;
    for literal in literals(json) {
        let decoded = decode(json, literal.inner.clone());
        let is_value = !literal.is_name;
        let here = found(&decoded.text, is_value && std::mem::take(&mut secret_field));
        if literal.is_name {
            secret_field = is_secret_name(&decoded.text);
        }
        for Found { range, .. } in here {
            let new = replacements.of(&decoded.text[range.clone()]).to_owned();
            let out = out.get_or_insert_with(String::new);
            let spelled = decoded.spelled.iter().filter(|(at, _)| range.contains(at));
            for ((_, place), sign) in spelled.zip(new.chars()) {
                out.push_str(&json[done..place.start]);
                respell(&json[place.clone()], sign, out);
                done = place.end;
            }
        }
    }
    out.map(|mut out| {
        out.push_str(&json[done..]);
        out
    })
}

/// Spells `sign` as its predecessor was: as itself, or as an escape of the same length.
fn respell(old: &str, sign: char, out: &mut String) {
    let escaped = old.starts_with("\\u");
    if !escaped {
        let keeps = old.starts_with('\\') || !sign.is_alphanumeric();
        if keeps {
            out.push_str(old);
        } else {
            out.push(sign);
        }
        return;
    }
    let old_sign = escape(old).0;
    if !sign.is_alphanumeric() || !old_sign.is_alphanumeric() {
        return out.push_str(old);
    }
    for unit in sign.encode_utf16(&mut [0; 2]) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
}

/// The secrets of a string of JSON.
pub(super) fn found_in(text: &str, secret_field: bool) -> Vec<Found> {
    of_string(text, secret_field)
}
