//! Escaped halves of surrogate pairs that have no other half.

use super::FindingKind;
use super::place::{Fault, Spot};

/// The fault of a record that spells lone surrogates.
pub(super) fn fault(json: &str) -> Option<Fault> {
    let places = places(json);
    let spot = Spot::of(&json[*places.first()?..]);
    let message = format!("{} lone surrogates: U+FFFD in texts, as spelled in JSON arguments", places.len());
    Some(Fault { kind: FindingKind::LoneSurrogate, message, spot })
}

/// How many lone surrogates `json` spells as `\uD800` to `\uDFFF`.
pub(super) fn lone(json: &str) -> usize {
    places(json).len()
}

/// `json` with every lone surrogate spelled as U+FFFD.
pub(super) fn mended(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut done = 0;
    for at in places(json) {
        out.push_str(&json[done..at]);
        out.push_str("\\ufffd");
        done = at + 6;
    }
    out.push_str(&json[done..]);
    out
}

/// Where lone surrogates are spelled.
pub(super) fn places(json: &str) -> Vec<usize> {
    let bytes = json.as_bytes();
    let mut places = Vec::new();
    // Most lines have none: then no escape is looked at one by one.
    let start = [br"\ud", br"\uD"].into_iter().filter_map(|escape| memchr::memmem::find(bytes, escape)).min();
    let Some(start) = start else { return places };
    // Back to the first of a run of backslashes, each second of which is escaped by the one before.
    let mut at = bytes[..start].iter().rposition(|&byte| byte != b'\\').map_or(0, |before| before + 1);
    let mut open = None;
    while let Some(step) = memchr::memchr(b'\\', &bytes[at..]) {
        at += step;
        let Some(unit) = escaped_unit(&bytes[at + 1..]) else {
            at += 2;
            if at >= bytes.len() {
                break;
            }
            continue;
        };
        let paired = open.take() == Some(at);
        match unit {
            0xD800..0xDC00 => {
                places.push(at);
                open = Some(at + 6);
            }
            // A low half right after a high one, which was taken for alone.
            0xDC00..0xE000 if paired => drop(places.pop()),
            0xDC00..0xE000 => places.push(at),
            _ => {}
        }
        at += 6;
    }
    places
}

/// The code unit of `uXXXX`.
fn escaped_unit(rest: &[u8]) -> Option<u32> {
    if rest.first() != Some(&b'u') {
        return None;
    }
    let digits = std::str::from_utf8(rest.get(1..5)?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::{lone, mended, places};

    #[test]
    fn only_unpaired_halves_count() {
        assert_eq!(lone(r#"{"a":"\ud83d\ude00 \u00e9"}"#), 0);
        assert_eq!(lone(r#"{"a":"\ud83d x \ude00"}"#), 2);
        assert_eq!(lone(r#"{"a":"\uD83D\uD83D\uDE00"}"#), 1);
        assert_eq!(lone(r#"{"a":"\\ud83d"}"#), 0, "an escaped backslash before a u");
        assert_eq!(lone(r#""\udc00"#), 1);
        assert_eq!(places(r#""a\ud83d x \ude00""#), [2, 11]);
        assert_eq!(mended(r#""\\\ud83d\ud83d\ude00\udc00""#), r#""\\\ufffd\ud83d\ude00\ufffd""#);
    }
}
