//! Whether a spelling stands in a text as itself, or as a part of another name or number.

use crate::meter::goal::entity::is_unit;

/// `42 g` is said by `42 grams`, and not by `142 g`, `42 gb` or `0.42 g`; `src/a.rs` is not said by `src/a.rs.bak`, nor
/// `T-77` by `AT-77` or `T-77-2`.
pub(in crate::meter::goal) fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (bytes, spelling) = (text.as_bytes(), &text[start..end]);
    !(continues_before(bytes, start)
        || continues_behind(bytes, end)
        || has_other_unit(spelling, &bytes[end..])
        || is_end_of_a_word(bytes, start)
        || is_scaled(text, start, end)
        || is_name(spelling) && (is_glued(bytes, start, end) || goes_on(spelling, &bytes[end..])))
}

fn digit(bytes: &[u8], at: Option<usize>) -> bool {
    at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit)
}

fn is_point(bytes: &[u8], at: Option<usize>) -> bool {
    at.and_then(|at| bytes.get(at)).is_some_and(|byte| matches!(byte, b'.' | b','))
}

/// The number at the start has more digits before it, as `0.10` has before `10`.
fn continues_before(bytes: &[u8], start: usize) -> bool {
    let (one, two) = (start.checked_sub(1), start.checked_sub(2));
    digit(bytes, Some(start)) && (digit(bytes, one) || is_point(bytes, one) && digit(bytes, two))
}

/// The number at the end has more digits behind it, as `1.5.2` and `1,500` have.
fn continues_behind(bytes: &[u8], end: usize) -> bool {
    let more = digit(bytes, Some(end)) || is_point(bytes, Some(end)) && digit(bytes, Some(end + 1));
    digit(bytes, end.checked_sub(1)) && more
}

/// Short units and the words that they stand for.
const LONG_UNITS: [(&str, &str); 4] = [("s", "seconds"), ("min", "minutes"), ("h", "hours"), ("b", "bytes")];

/// The unit at the end is the beginning of another one: `37 m` in `37 ms`.
fn has_other_unit(spelling: &str, behind: &[u8]) -> bool {
    let more = behind.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let letters = spelling.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    let (number, unit) = spelling.split_at(spelling.len() - letters);
    if more == 0 || letters == 0 || !number.trim_end().ends_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let long = [unit.as_bytes(), &behind[..more]].concat();
    let is_same = LONG_UNITS.iter().any(|(short, word)| *short == unit && word.as_bytes() == long);
    is_unit(&long) && !is_same
}

/// One word that is a name: with an underscore or a slash in it, or of letters and digits.
fn is_name(spelling: &str) -> bool {
    let has = |is: fn(&u8) -> bool| spelling.bytes().any(|byte| is(&byte));
    !spelling.contains(' ')
        && (spelling.contains(['_', '/']) || has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic))
}

/// The word at the start is only the end of another one: `port` in `report`. What follows a word may be its ending.
fn is_end_of_a_word(bytes: &[u8], start: usize) -> bool {
    let letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
    letter(Some(start)) && letter(start.checked_sub(1)) && !is_behind_an_escape(bytes, start)
}

/// The letter before is that of an escape: arguments of calls are JSON, and there a line begins behind `\n`.
fn is_behind_an_escape(bytes: &[u8], start: usize) -> bool {
    let Some((letter, before)) = bytes[..start].split_last() else { return false };
    let slashes = before.iter().rev().take_while(|&&byte| byte == b'\\').count();
    matches!(letter, b'n' | b't' | b'r' | b'b' | b'f') && slashes % 2 == 1
}

/// A number that is another one by its sign or by what counts it: `-5 C` for `5 C`, `42%` for `42`, `5 万` for `5`.
fn is_scaled(text: &str, start: usize, end: usize) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let (before, behind) = (&text[..start], &text[end..]);
    let has_sign = || before.strip_suffix('-').is_some_and(|rest| rest.ends_with([' ', '(', '=', ':']));
    let has_scale = || behind.starts_with('%') || behind.trim_start().starts_with(['万', '亿', '千']);
    is_digit(bytes.get(start)) && has_sign() || is_digit(bytes[..end].last()) && has_scale()
}

fn is_glued(bytes: &[u8], start: usize, end: usize) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let joined = |mark: usize, more: Option<usize>| {
        bytes.get(mark) == Some(&b'-') && more.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric)
    };
    if joined(end, Some(end + 1)) || start > 0 && joined(start - 1, start.checked_sub(2)) {
        return true;
    }
    let before = start > 0
        && bytes[start].is_ascii_alphanumeric()
        && part(bytes[start - 1])
        && !is_behind_an_escape(bytes, start);
    let behind = bytes[end - 1].is_ascii_alphanumeric() && bytes.get(end).is_some_and(|&byte| part(byte));
    before || behind
}

/// A file whose name goes on with another ending.
fn goes_on(spelling: &str, behind: &[u8]) -> bool {
    let name = spelling.rsplit('/').next().unwrap_or_default();
    let more = behind.first() == Some(&b'.') && behind.get(1).is_some_and(u8::is_ascii_alphanumeric);
    spelling.contains('/') && name.contains('.') && more
}

#[cfg(test)]
mod tests {
    use super::is_whole;

    #[track_caller]
    fn says(text: &str, spelling: &str) -> bool {
        let start = text.find(spelling).unwrap();
        is_whole(text, start, start + spelling.len())
    }

    #[test]
    fn a_number_is_all_of_its_digits_and_its_unit() {
        for (text, spelling) in [
            ("142 g", "42 g"),
            ("0.42 g", "42 g"),
            ("42 gb", "42 g"),
            ("37 ms", "37 m"),
            ("5 mb", "5 m"),
            ("1.5.2", "1.5"),
            ("10,000", "10"),
            ("0.10", "10"),
            ("at -5 c", "5 c"),
            ("42%", "42"),
            ("上限 5 万", "上限 5"),
            ("T-77-2", "T-77"),
            ("v1.5-rc1", "v1.5"),
            ("src/app-legacy", "src/app"),
            ("x-db-1.example.org", "db-1.example.org"),
        ] {
            assert!(!says(text, spelling), "{text} does not say {spelling}");
        }
        for (text, spelling) in [
            ("42 grams", "42 g"),
            ("30 seconds", "30 s"),
            ("it is 10.", "10"),
            ("10, 20", "10"),
            ("v1.5, then", "1.5"),
            ("30 s, at most", "30 s"),
        ] {
            assert!(says(text, spelling), "{text} says {spelling}");
        }
    }

    #[test]
    fn a_word_begins_where_it_begins() {
        for (text, spelling) in [
            ("the report", "port"),
            ("unchanged", "changed"),
            ("clamp on", "lamp"),
            ("undelete backups", "delete backups"),
            (r"a\\nlimit = 500", "limit = 500"),
            (r"x\_port", "ort"),
        ] {
            assert!(!says(text, spelling), "{text} does not say {spelling}");
        }
        for (text, spelling) in [
            ("re-import it", "import"),
            ("用decimal", "decimal"),
            ("max_port", "port"),
            ("'port'", "port"),
            ("ports", "port"),
            (r#"{"newText":"x = 1\nlimit = 500"}"#, "limit = 500"),
            (r"was\nstamped", "stamp"),
            (r"\tmax_port", "max_port"),
            (r"a\\\nlimit = 500", "limit = 500"),
        ] {
            assert!(says(text, spelling), "{text} says {spelling}");
        }
    }

    #[test]
    fn a_name_is_all_of_its_letters() {
        for (text, spelling) in [
            ("feeder_offline_mode", "feeder_offline"),
            ("my_feeder_offline", "feeder_offline"),
            ("at-77", "t-77"),
            ("t-77b", "t-77"),
            ("src/a.rs.bak", "src/a.rs"),
            ("src/a.rsx", "src/a.rs"),
        ] {
            assert!(!says(text, spelling), "{text} does not say {spelling}");
        }
        for (text, spelling) in [
            ("(t-77)", "t-77"),
            ("lib/src/a.rs:12", "src/a.rs"),
            ("src/a.rs.", "src/a.rs"),
            ("edited it", "edit"),
            ("src/feeder/x.rs", "src/"),
        ] {
            assert!(says(text, spelling), "{text} says {spelling}");
        }
    }
}
