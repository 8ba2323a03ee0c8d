//! What makes a word an entity.

use std::borrow::Cow;
use std::ops::Range;

use super::scan::class::{COLON, DASH, DIGIT, DOT, EQUALS, HUMP, LOWER, SLASH, UNDERSCORE, UPPER};
use super::scan::word as classes;
use super::{Entity, Kind};

/// What is known of a word before it is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Features<'t> {
    /// Classes of its bytes.
    pub(super) all: u16,
    /// What follows it.
    pub(super) next: &'t [u8],
}

/// Whether a file name may end so. A word with another ending is a name in code or the end of a sentence.
fn is_extension(ending: &str) -> bool {
    matches!(
        ending,
        "rs" | "py"
            | "ts"
            | "js"
            | "tsx"
            | "jsx"
            | "mjs"
            | "cjs"
            | "json"
            | "jsonl"
            | "toml"
            | "yaml"
            | "yml"
            | "md"
            | "mdx"
            | "txt"
            | "go"
            | "java"
            | "kt"
            | "swift"
            | "c"
            | "h"
            | "cc"
            | "cpp"
            | "hpp"
            | "cs"
            | "rb"
            | "php"
            | "sh"
            | "bash"
            | "zsh"
            | "ps1"
            | "sql"
            | "html"
            | "css"
            | "scss"
            | "vue"
            | "svelte"
            | "xml"
            | "lock"
            | "csv"
            | "tsv"
            | "ini"
            | "cfg"
            | "conf"
            | "env"
            | "log"
            | "proto"
            | "ipynb"
            | "svg"
            | "png"
            | "jpg"
            | "pdf"
            | "zip"
            | "gz"
            | "parquet"
            | "db"
            | "sqlite"
            | "diff"
            | "patch"
            | "gradle"
            | "tf"
            | "ex"
            | "exs"
            | "dart"
            | "lua"
            | "pl"
            | "r"
            | "scala"
            | "zig"
            | "wasm"
            | "snap"
    )
}

/// The longest unit.
const LONGEST_UNIT: usize = 8;

/// The unit that some letters are, in lower case.
fn unit(letters: &[u8]) -> Option<&'static str> {
    let mut lower = [0; LONGEST_UNIT];
    let lower = lower.get_mut(..letters.len())?;
    lower.copy_from_slice(letters);
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"ms" => "ms",
        b"s" => "s",
        b"us" => "us",
        b"ns" => "ns",
        b"min" => "min",
        b"h" => "h",
        b"kb" => "kb",
        b"mb" => "mb",
        b"gb" => "gb",
        b"tb" => "tb",
        b"kib" => "kib",
        b"mib" => "mib",
        b"gib" => "gib",
        b"b" => "b",
        b"bytes" => "bytes",
        b"tokens" => "tokens",
        b"px" => "px",
        b"pt" => "pt",
        b"%" => "%",
        b"hz" => "hz",
        b"khz" => "khz",
        b"mhz" => "mhz",
        b"ghz" => "ghz",
        b"g" => "g",
        b"kg" => "kg",
        b"mm" => "mm",
        b"cm" => "cm",
        b"m" => "m",
        b"km" => "km",
        b"ml" => "ml",
        b"l" => "l",
        b"seconds" => "seconds",
        b"minutes" => "minutes",
        b"hours" => "hours",
        b"days" => "days",
        b"weeks" => "weeks",
        b"usd" => "usd",
        b"eur" => "eur",
        b"v" => "v",
        b"w" => "w",
        b"c" => "c",
        _ => return None,
    })
}

/// Whether letters are a unit.
pub(crate) fn is_unit(letters: &[u8]) -> bool {
    unit(letters).is_some()
}

/// Marks at the end of a word that belong to its sentence.
fn ends_sentence(byte: u8) -> bool {
    matches!(byte, b'.' | b':' | b'?' | b'=' | b'&' | b'-' | b'+' | b'~' | b'#' | b'@')
}

/// Marks before a word that do not belong to it.
fn opens(byte: u8) -> bool {
    matches!(byte, b':' | b'=' | b'+' | b'#')
}

/// Judges the word at `range`, and the number with a unit that may begin there.
pub(super) fn judge<'t>(text: &'t str, range: Range<usize>, features: Features<'_>, each: &mut impl FnMut(Entity<'t>)) {
    if features.all & (LOWER | UPPER | DIGIT) == 0 {
        return;
    }
    // A word ends before the marks of its sentence, and begins after an opening one: all of them are single bytes.
    let bytes = text.as_bytes();
    let (mut at, mut end) = (range.start, range.end);
    while end > at && ends_sentence(bytes[end - 1]) {
        end -= 1;
    }
    while at < end && opens(bytes[at]) {
        at += 1;
    }
    let word = &text[at..end];
    if word.is_empty() || word.len() == 1 && !bytes[at].is_ascii_digit() {
        return;
    }
    // The dot that ends a sentence is no part of the word.
    let all = if word.len() == range.len() { features.all } else { classes(word.as_bytes()).1 };
    if all & !(LOWER | UPPER) == 0 && !word.ends_with("Error") && bytes[at] != b'E' {
        return;
    }
    let mut emit = |kind, key| each(Entity { kind, key, at });
    if all & COLON != 0 && all & SLASH != 0 && word.contains("://") {
        emit(Kind::Url, Cow::Borrowed(word.trim_end_matches('/')));
        return;
    }
    if word.as_bytes()[0].is_ascii_digit() && number(word, features, &mut emit) {
        return;
    }
    if let Some((name, value)) = (all & EQUALS != 0).then(|| word.split_once('=')).flatten() {
        setting(word, name, value, &mut emit);
        return;
    }
    if word.starts_with('-') {
        let name = word.trim_start_matches('-');
        if word.starts_with("--") && name.len() > 1 && name.as_bytes()[0].is_ascii_lowercase() {
            emit(Kind::Flag, Cow::Borrowed(word));
        }
        return;
    }
    if let Some(kind) = named(word, all) {
        let key = if kind == Kind::Path { path_key(word) } else { Cow::Borrowed(word) };
        emit(kind, key);
    }
}

/// A number, or a word that only begins like one. Returns whether it was settled.
fn number<'t>(word: &'t str, features: Features<'_>, emit: &mut impl FnMut(Kind, Cow<'t, str>)) -> bool {
    let digits = word.bytes().take_while(|&byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_')).count();
    let (amount, unit) = word.split_at(digits);
    if unit.is_empty() {
        let points = amount.bytes().filter(|&byte| byte == b'.').count();
        if let Some(unit) = following_unit(features.next) {
            emit(Kind::Number, Cow::Owned([amount, unit].concat()));
        } else if points == 1 || amount.bytes().filter(u8::is_ascii_digit).count() >= 4 {
            emit(Kind::Number, Cow::Borrowed(word));
        } else if points > 1 {
            // A version.
            emit(Kind::Id, Cow::Borrowed(word));
        }
        return true;
    }
    let Some(unit) = self::unit(unit.as_bytes()) else { return false };
    emit(Kind::Number, Cow::Owned([amount, unit].concat()));
    true
}

/// The unit that follows a number behind one space.
fn following_unit(next: &[u8]) -> Option<&'static str> {
    let rest = next.strip_prefix(b" ")?;
    let len = rest.iter().take_while(|byte| byte.is_ascii_alphabetic() || **byte == b'%').count();
    unit(&rest[..len])
}

fn setting<'t>(word: &'t str, name: &str, value: &str, emit: &mut impl FnMut(Kind, Cow<'t, str>)) {
    let is_name =
        name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if !is_name || value.is_empty() || value.starts_with('=') {
        return;
    }
    if name.starts_with('-') {
        emit(Kind::Flag, Cow::Borrowed(word));
    } else if name.as_bytes()[0].is_ascii_alphabetic() {
        emit(Kind::Setting, Cow::Borrowed(word));
    }
}

/// The kind of a word that is a name.
fn named(word: &str, all: u16) -> Option<Kind> {
    if let Some(kind) = id_or_error(word, all) {
        return Some(kind);
    }
    if all & SLASH != 0 {
        return is_path(word).then_some(Kind::Path);
    }
    if all & DOT != 0 {
        let file = word.split(':').next().unwrap_or(word);
        let extension = file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
        if extension.is_some_and(is_extension) {
            return Some(Kind::Path);
        }
    }
    is_symbol(word, all).then_some(Kind::Symbol)
}

fn id_or_error(word: &str, all: u16) -> Option<Kind> {
    let bytes = word.as_bytes();
    let letters_first = bytes.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    if all & (LOWER | SLASH | DOT | COLON | EQUALS) == 0 && (1..=10).contains(&letters_first) {
        let rest = &bytes[letters_first..];
        let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        if letters_first <= 3 && rest.len() >= 3 && digits(rest) {
            return Some(Kind::Error);
        }
        if rest.strip_prefix(b"-").is_some_and(digits) {
            return Some(Kind::Id);
        }
    }
    let is_errno = bytes[0] == b'E' && bytes.len() >= 5 && all & !UPPER == 0;
    let is_class =
        (word.ends_with("Error") || word.ends_with("Exception")) && bytes[0].is_ascii_uppercase() && all & SLASH == 0;
    if is_class || is_errno && ERRNO.contains(&word) || word.starts_with("ERR_") {
        return Some(Kind::Error);
    }
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let has_both = all & DIGIT != 0 && all & LOWER != 0;
    let uuid = bytes.len() == 36 && word.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && word.split('-').all(is_hex);
    let hash = (7..=64).contains(&bytes.len()) && has_both && is_hex(word);
    (uuid || hash).then_some(Kind::Id)
}

/// Names of `errno` that programs print. Other words of capitals are emphasis.
const ERRNO: &[&str] = &[
    "EACCES",
    "EADDRINUSE",
    "EAGAIN",
    "EBADF",
    "EBUSY",
    "ECONNREFUSED",
    "ECONNRESET",
    "EEXIST",
    "EINVAL",
    "EISDIR",
    "EMFILE",
    "ENOENT",
    "ENOMEM",
    "ENOSPC",
    "ENOTDIR",
    "ENOTEMPTY",
    "EPERM",
    "EPIPE",
    "ETIMEDOUT",
    "EHOSTUNREACH",
];

fn is_path(word: &str) -> bool {
    let rooted = word.starts_with(['/', '~', '.']) || word.contains('\\');
    let mut segments = word.split(['/', '\\']).filter(|segment| !segment.is_empty());
    let named = |segment: &str| segment.bytes().any(|byte| byte.is_ascii_alphabetic());
    let count = segments.clone().filter(|segment| named(segment)).count();
    let last = segments.next_back().unwrap_or_default();
    // `and/or` and `read/write` are words; a path has a root, three parts, or a file at its end.
    let is_file = last.split(':').next().is_some_and(|name| name.contains('.') || name.contains('_'));
    count >= 1 && (rooted && last.len() > 1 || count >= 3 || is_file && count >= 2)
}

fn is_symbol(word: &str, all: u16) -> bool {
    let bytes = word.as_bytes();
    if bytes.len() < 4 || !(bytes[0].is_ascii_alphabetic() || bytes[0] == b'_') {
        return false;
    }
    let is_name = bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'$'));
    let joined = word.contains("::") || all & UNDERSCORE != 0 && word.trim_matches('_').contains('_');
    let called = all & DOT != 0 && word.split('.').all(|part| part.len() > 1) && word.contains('.');
    let has_single_colon = all & COLON != 0 && !word.contains("::");
    is_name && !has_single_colon && (joined || all & HUMP != 0 || called) && all & (SLASH | DASH) == 0
}

/// A path without `./`, line numbers and a trailing slash, with forward slashes.
fn path_key(word: &str) -> Cow<'_, str> {
    let bare = word.strip_prefix("./").unwrap_or(word).trim_end_matches('/');
    // `a.rs:12:3`; a drive letter is no line number.
    let bare = match bare.find(':') {
        Some(colon) if colon > 1 => &bare[..colon],
        _ => bare,
    };
    if bare.contains('\\') { Cow::Owned(bare.replace('\\', "/")) } else { Cow::Borrowed(bare) }
}

#[cfg(test)]
mod tests {
    use super::super::{Entity, Kind, extract};

    fn all(text: &str) -> Vec<(Kind, String)> {
        let mut found = Vec::new();
        extract(text, |Entity { kind, key, at }| {
            assert!(text.is_char_boundary(at));
            found.push((kind, key.into_owned()));
        });
        found
    }

    #[track_caller]
    fn assert_found(text: &str, expected: &[(Kind, &str)]) {
        let expected: Vec<_> = expected.iter().map(|&(kind, key)| (kind, key.to_owned())).collect();
        assert_eq!(all(text), expected, "{text}");
    }

    #[test]
    fn each_kind_is_known_by_its_form() {
        assert_found(
            "see ./src/feeder/loader.rs:12:3, or (Cargo.toml).",
            &[(Kind::Path, "src/feeder/loader.rs"), (Kind::Path, "Cargo.toml")],
        );
        assert_found("`C:\\a\\b.txt` and /etc/hosts", &[(Kind::Path, "C:/a/b.txt"), (Kind::Path, "/etc/hosts")]);
        assert_found(
            "FEEDER_OFFLINE loadTray std::fs self.cache snake_case()",
            &[
                (Kind::Symbol, "FEEDER_OFFLINE"),
                (Kind::Symbol, "loadTray"),
                (Kind::Symbol, "std::fs"),
                (Kind::Symbol, "self.cache"),
                (Kind::Symbol, "snake_case"),
            ],
        );
        assert_found("--offline -v --jobs=4", &[(Kind::Flag, "--offline"), (Kind::Flag, "--jobs=4")]);
        assert_found(
            "E0308 ENOENT ValueError: x TS2345",
            &[(Kind::Error, "E0308"), (Kind::Error, "ENOENT"), (Kind::Error, "ValueError"), (Kind::Error, "TS2345")],
        );
        assert_found("It is T-77. And E0308:", &[(Kind::Id, "T-77"), (Kind::Error, "E0308")]);
        assert_found("T-77 at 9f3c2ab, LARD-318", &[(Kind::Id, "T-77"), (Kind::Id, "9f3c2ab"), (Kind::Id, "LARD-318")]);
        assert_found("https://a.example/x?y=1.", &[(Kind::Url, "https://a.example/x?y=1")]);
        assert_found(
            "37 ms, 45s, 0.040, 167000, 12 MB, 5 %",
            &[
                (Kind::Number, "37ms"),
                (Kind::Number, "45s"),
                (Kind::Number, "0.040"),
                (Kind::Number, "167000"),
                (Kind::Number, "12mb"),
                (Kind::Number, "5%"),
            ],
        );
        assert_found("worst=0.040 a==b", &[(Kind::Setting, "worst=0.040")]);
        assert_found("run `cargo test --lib` now", &[(Kind::Command, "cargo test --lib"), (Kind::Flag, "--lib")]);
    }

    #[test]
    fn ordinary_words_are_none() {
        for text in [
            "Read and/or write it, e.g. the end. See 12 of 60, i.e. all.",
            "EVERYTHING is DONE -- or not... (x) [y] {z} 3 5 a-b well-known",
            "界面 测试 失败",
            "`one` `` ` x",
            "don't 1st 2nd",
        ] {
            assert_found(text, &[]);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_it_and_places_are_in_order(text in ".{0,200}") {
            let mut last = 0;
            extract(&text, |entity| {
                assert!(text.is_char_boundary(entity.at) && !entity.key.is_empty());
                assert!(entity.kind == Kind::Command || entity.at >= last);
                if entity.kind != Kind::Command { last = entity.at; }
            });
        }
    }
}
