//! Telling, without building anything, that JavaScript would print a text exactly as it stands.

use super::number;
use super::parse::number_prefix;
use super::string::has_control;

/// Deeper text, or more keys open at once, is left to the general path.
const DEPTH: usize = 64;
const KEYS: usize = 64;

/// Whether `raw` is JSON that `JSON.stringify(JSON.parse(raw))` is known to give back byte for byte.
///
/// `true` is certain. `false` also comes for some rare forms that would come back unchanged: lone surrogates, keys
/// that start with a digit, very deep or very wide objects.
pub fn is_canonical(raw: &str) -> bool {
    // No white space stands outside strings and no control character inside, so none may occur at all.
    if has_control(raw.as_bytes()) {
        return false;
    }
    let mut check = Check { raw, at: 0, keys: [""; KEYS], open: 0 };
    check.value(0).is_some() && check.at == raw.len()
}

/// The members of an object that is canonical in the sense of [`is_canonical`]: the insides of the keys, and the values
/// as they stand.
pub(super) fn members(raw: &str) -> Option<Vec<(&str, &str)>> {
    if has_control(raw.as_bytes()) {
        return None;
    }
    let mut check = Check { raw, at: 0, keys: [""; KEYS], open: 0 };
    let mut members = Vec::new();
    check.eat("{")?;
    let mut done = check.eat("}").is_some();
    while !done {
        let key = check.key(0)?;
        check.eat(":")?;
        let from = check.at;
        check.value(1)?;
        members.push((key, &raw[from..check.at]));
        done = check.eat("}").is_some();
        if !done {
            check.eat(",")?;
        }
    }
    (check.at == raw.len()).then_some(members)
}

/// Methods give `None` as soon as the text is not known to be canonical.
struct Check<'a> {
    raw: &'a str,
    at: usize,
    /// The keys of the objects that are open, outermost first: finds repeated keys without memory of its own.
    keys: [&'a str; KEYS],
    open: usize,
}

impl<'a> Check<'a> {
    fn peek(&self) -> Option<u8> {
        self.raw.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, text: &str) -> Option<()> {
        self.raw.as_bytes()[self.at..].starts_with(text.as_bytes()).then(|| self.at += text.len())
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.string().map(|_| ()),
            b'{' if depth < DEPTH => self.object(depth + 1),
            b'[' if depth < DEPTH => self.array(depth + 1),
            b'n' => self.eat("null"),
            b't' => self.eat("true"),
            b'f' => self.eat("false"),
            b'-' | b'0'..=b'9' => self.number(),
            _ => None,
        }
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        if self.eat("]").is_some() {
            return Some(());
        }
        loop {
            self.value(depth)?;
            if self.eat("]").is_some() {
                return Some(());
            }
            self.eat(",")?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        if self.eat("}").is_some() {
            return Some(());
        }
        let first = self.open;
        loop {
            self.key(first)?;
            self.eat(":")?;
            self.value(depth)?;
            if self.eat("}").is_some() {
                self.open = first;
                return Some(());
            }
            self.eat(",")?;
        }
    }

    /// A key that is no number and stands for the first time in its object. Canonical spellings are unique, so that
    /// comparing them compares the keys.
    fn key(&mut self, first: usize) -> Option<&'a str> {
        if self.peek()? != b'"' {
            return None;
        }
        let key = self.string()?;
        let number_like = key.as_bytes().first().is_some_and(u8::is_ascii_digit);
        if number_like || self.keys[first..self.open].contains(&key) {
            return None;
        }
        *self.keys.get_mut(self.open)? = key;
        self.open += 1;
        Some(key)
    }

    fn string(&mut self) -> Option<&'a str> {
        let start = self.at + 1;
        let bytes = self.raw.as_bytes();
        let mut at = start;
        loop {
            at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
            if bytes[at] == b'"' {
                self.at = at + 1;
                return Some(&self.raw[start..at]);
            }
            at += escape_len(&bytes[at..])?;
        }
    }

    fn number(&mut self) -> Option<()> {
        let spelling = number_prefix(&self.raw[self.at..])?;
        self.at += spelling.len();
        if number::canonical_integer(spelling) {
            return Some(());
        }
        let mut printed = String::new();
        number::javascript(spelling, &mut printed);
        (printed == spelling).then_some(())
    }
}

/// Length of the escape at the start of `bytes`, if `JSON.stringify` prints it: the seven short ones, and `\u00xx` in
/// lower case for control characters that have no short one.
fn escape_len(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => match bytes.get(2..6)? {
            [b'0', b'0', b'0', b'0'..=b'7' | b'b' | b'e' | b'f'] | [b'0', b'0', b'1', b'0'..=b'9' | b'a'..=b'f'] => {
                Some(6)
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_canonical, members};

    #[test]
    fn canonical_forms_are_known() {
        for raw in [
            "null",
            "[]",
            "{}",
            r#"{"a":[1,-2,0.5,1e+21,1e-7,true,false,null],"b":{"a":{"a":"x"}},"":""}"#,
            r#""\u0000\u001f\u000b\n\"\\ ü 界 😀""#,
            "\"\u{7f}\u{2028}\"",
            r#"[{"a":1},{"a":1}]"#,
        ] {
            assert!(is_canonical(raw), "{raw}");
        }
    }

    #[test]
    fn anything_else_is_not() {
        for raw in [
            "",
            "{",
            "[1, 2]",
            "[1,]",
            "[1]]",
            " 1",
            "1.0",
            "-0",
            "1e21",
            r#""\/""#,
            r#""\u0041""#,
            r#""\u001F""#,
            r#""\u000a""#,
            r#"{"a":1,"a":2}"#,
            r#"{"a":{"b":1},"a":2}"#,
            r#"{"1":1}"#,
            "\"\n\"",
            "\"",
            "\"\\",
            "nulll",
            "9007199254740993",
            "{\"a\" :1}",
        ] {
            assert!(!is_canonical(raw), "{raw}");
        }
    }

    #[test]
    fn members_are_slices() {
        let raw = r#"{"a\n":[1,{"b":"}"}],"c":{"a":0}}"#;
        assert_eq!(members(raw), Some(vec![(r"a\n", r#"[1,{"b":"}"}]"#), ("c", r#"{"a":0}"#)]));
        assert_eq!(members("{}"), Some(vec![]));
        for raw in ["[1]", r#"{"a":1}x"#, r#"{"a":1,"a":2}"#, r#"{"a":1.0}"#, r#"{"a":1,}"#, r#"{"a" :1}"#, "{", ""] {
            assert_eq!(members(raw), None, "{raw}");
        }
    }

    #[test]
    fn deep_and_wide_values_are_left_to_the_general_path() {
        assert!(is_canonical(&("[".repeat(64) + &"]".repeat(64))));
        assert!(!is_canonical(&("[".repeat(65) + &"]".repeat(65))));
        let wide = |n: usize| format!("{{{}}}", (0..n).map(|i| format!("\"k{i}\":0")).collect::<Vec<_>>().join(","));
        assert!(is_canonical(&wide(64)));
        assert!(!is_canonical(&wide(65)));
    }
}
