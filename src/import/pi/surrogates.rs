//! Escaped halves of surrogate pairs that have no other half.

/// How many lone surrogates `json` spells as `\uD800` to `\uDFFF`.
pub(super) fn lone(json: &str) -> usize {
    let bytes = json.as_bytes();
    let (mut at, mut count) = (0, 0);
    let mut high = false;
    while at < bytes.len() {
        let unit = if bytes[at] == b'\\' { escaped_unit(&bytes[at + 1..]) } else { None };
        let (is_high, is_low) = match unit {
            Some(unit) => ((0xD800..0xDC00).contains(&unit), (0xDC00..0xE000).contains(&unit)),
            None => (false, false),
        };
        // A high half still open here had no low half, and a low half without one open is alone.
        count += usize::from(high != is_low);
        high = is_high;
        at += match (bytes[at], unit) {
            (b'\\', Some(_)) => 6,
            (b'\\', None) => 2,
            _ => 1,
        };
    }
    count + usize::from(high)
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
    use super::lone;

    #[test]
    fn only_unpaired_halves_count() {
        assert_eq!(lone(r#"{"a":"\ud83d\ude00 \u00e9"}"#), 0);
        assert_eq!(lone(r#"{"a":"\ud83d x \ude00"}"#), 2);
        assert_eq!(lone(r#"{"a":"\uD83D\uD83D\uDE00"}"#), 1);
        assert_eq!(lone(r#"{"a":"\\ud83d"}"#), 0, "an escaped backslash before a u");
        assert_eq!(lone(r#""\udc00"#), 1);
    }
}
