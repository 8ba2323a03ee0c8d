//! Numbers by the grammar of RFC 8259, section 6.

/// The end of the number at `from`. `None` when there is none.
pub(super) fn end(bytes: &[u8], from: usize) -> Option<usize> {
    let start = from + usize::from(bytes.get(from) == Some(&b'-'));
    let mut at = digits(bytes, start)?;
    if bytes[start] == b'0' && at > start + 1 {
        return None;
    }
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = digits(bytes, at + 1 + sign)?;
    }
    Some(at)
}

/// The end of at least one digit from `at` on.
fn digits(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    (at > from).then_some(at)
}
