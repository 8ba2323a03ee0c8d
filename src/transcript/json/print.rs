//! Printing a parsed value in the style of a language, into a string or into a count.

use super::parse::Value;

/// Where printed text goes.
pub(super) trait Out {
    /// Takes text as it is.
    fn run(&mut self, text: &str);
    /// Takes one character.
    fn char(&mut self, character: char);
}

impl Out for String {
    fn run(&mut self, text: &str) {
        self.push_str(text);
    }

    fn char(&mut self, character: char) {
        self.push(character);
    }
}

/// Counts UTF-16 code units.
#[derive(Default)]
pub(super) struct Utf16Len(pub usize);

impl Out for Utf16Len {
    fn run(&mut self, text: &str) {
        self.0 += utf16_len(text);
    }

    fn char(&mut self, character: char) {
        self.0 += character.len_utf16();
    }
}

/// Counts Unicode code points.
#[derive(Default)]
pub(super) struct CharLen(pub usize);

impl Out for CharLen {
    fn run(&mut self, text: &str) {
        self.0 += bytecount::num_chars(text.as_bytes());
    }

    fn char(&mut self, _: char) {
        self.0 += 1;
    }
}

/// Length in UTF-16 code units. A code point takes two exactly when its UTF-8 form starts with 0xF0 or more.
pub(super) fn utf16_len(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let chars = bytecount::num_chars(text.as_bytes());
    chars + astral(text)
}

/// How many code points take two UTF-16 units: those whose UTF-8 form starts with a byte of 0xF0 or more. Blocks of
/// fewer than 256 are counted in bytes, which is vectorised.
pub(in crate::transcript) fn astral(text: &str) -> usize {
    let count = |block: &[u8]| block.iter().fold(0_u8, |count, &byte| count + u8::from(byte >= 0xF0));
    let (blocks, tail) = text.as_bytes().as_chunks::<128>();
    blocks.iter().map(|block| usize::from(count(block))).sum::<usize>() + usize::from(count(tail))
}

/// How a language spells a value. Strings come without quotes and with their JSON escapes.
pub(super) trait Style {
    /// Between two items.
    const COMMA: &str;
    /// Between a key and its value.
    const COLON: &str;
    /// The words for null, false and true.
    const WORDS: [&str; 3];
    /// Prints a string, quotes included.
    fn string(&self, inner: &str, out: &mut impl Out);
    /// Prints a number.
    fn number(&self, raw: &str, out: &mut impl Out);
}

/// Prints `value`. The recursion is as deep as the value, which the parser bounds.
pub(super) fn print<S: Style, O: Out>(value: &Value<'_>, style: &S, out: &mut O) {
    match value {
        Value::Null => out.run(S::WORDS[0]),
        Value::Bool(truth) => out.run(S::WORDS[1 + usize::from(*truth)]),
        Value::Number(raw) => style.number(raw, out),
        Value::String(inner) => style.string(inner, out),
        Value::Array(items) => {
            out.char('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.run(S::COMMA);
                }
                print(item, style, out);
            }
            out.char(']');
        }
        Value::Object(entries) => {
            out.char('{');
            for (i, (key, item)) in entries.iter().enumerate() {
                if i > 0 {
                    out.run(S::COMMA);
                }
                style.string(key, out);
                out.run(S::COLON);
                print(item, style, out);
            }
            out.char('}');
        }
    }
}

/// Prints the low `digits` hexadecimal digits of `number`, lower case.
pub(super) fn hex(number: u32, digits: u32, out: &mut impl Out) {
    for place in (0..digits).rev() {
        out.char(char::from_digit(number >> (4 * place) & 0xF, 16).unwrap_or('0'));
    }
}
