//! JSON that is looked into on demand: a value is a slice of the file, so that its spelling and its place stay known.
//!
//! Nothing here fails on malformed text: what is not there reads as missing. The beginning of a file, cut anywhere, can
//! therefore be looked into as well, which is what telling formats apart needs.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::place::Place;
use super::slot::Scalar;
use crate::transcript::JsonText;
use crate::transcript::json::unescape;

/// One JSON value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'a> {
    text: &'a str,
    /// Byte offset in the file.
    at: usize,
    /// So many bytes of the text are those of the file.
    straight: usize,
}

impl<'a> Value<'a> {
    /// The only value in `text`, which begins at byte `at` of the file.
    pub(super) fn read(text: &'a str, at: usize) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<&RawValue>(text)?;
        Ok(Self::unchecked(text, at))
    }

    /// The value at the start of `text`, which may be cut off.
    pub(super) fn unchecked(text: &'a str, at: usize) -> Self {
        let start = space(text, 0);
        let end = value_end(text, start);
        Self { text: &text[start..end], at: at + start, straight: usize::MAX }
    }

    /// As it is spelled.
    pub(super) fn raw(self) -> &'a str {
        self.text
    }

    /// Byte offset in the file.
    pub(super) fn at(self) -> usize {
        self.at
    }

    /// The same value of the record at `place`.
    pub(super) fn in_record(self, place: Place) -> Self {
        Self { at: place.offset + self.at, straight: place.straight, ..self }
    }

    /// The part of it from byte `from` to `to`. Behind repairs only the place of the whole is known.
    fn part(self, from: usize, to: usize) -> Self {
        let known = from < self.straight;
        let at = if known { self.at + from } else { self.at };
        let straight = if known { self.straight.saturating_sub(from) } else { 0 };
        Self { text: &self.text[from..to], at, straight }
    }

    fn first(self) -> u8 {
        self.text.bytes().next().unwrap_or(b' ')
    }

    pub(super) fn is_object(self) -> bool {
        self.first() == b'{'
    }

    pub(super) fn is_list(self) -> bool {
        self.first() == b'['
    }

    /// The string's content; a lone surrogate reads as U+FFFD.
    pub(super) fn text(self) -> Option<Cow<'a, str>> {
        let inner = self.text.strip_prefix('"')?.strip_suffix('"')?;
        Some(unescape(inner)?.text)
    }

    pub(super) fn boxed(self) -> Option<Box<str>> {
        self.text().map(|text| text.into_owned().into_boxed_str())
    }

    /// A string, or the spelling of a number: ids come as both.
    pub(super) fn word(self) -> Option<Box<str>> {
        let number = matches!(self.first(), b'0'..=b'9' | b'-');
        self.boxed().or_else(|| number.then(|| self.text.into()))
    }

    /// A count. Some writers spell whole numbers with a point.
    pub(super) fn u64(self) -> Option<u64> {
        <u64 as Scalar>::number(self.text)
    }

    pub(super) fn f64(self) -> Option<f64> {
        serde_json::from_str(self.text).ok()
    }

    pub(super) fn bool(self) -> Option<bool> {
        self.text.parse().ok()
    }

    /// The value kept as JSON. `None` when it nests too deeply to be measured.
    pub(super) fn json(self) -> Option<JsonText> {
        JsonText::new(self.text)
    }

    /// The fields; none when it is no object.
    pub(super) fn object(self) -> Object<'a> {
        let mut fields = Object::default();
        if !self.is_object() {
            return fields;
        }
        let mut next = 1;
        while let Some((key, value, end)) = self.field(next) {
            match fields.0.iter_mut().find(|(known, _)| *known == key) {
                // As in JavaScript and Python, a repeated key keeps its last value.
                Some(pair) => pair.1 = value,
                None => fields.0.push((key, value)),
            }
            next = end;
        }
        fields
    }

    /// The field that begins after byte `from`, and where it ends.
    fn field(self, from: usize) -> Option<(Cow<'a, str>, Self, usize)> {
        let key = separated(self.text, from)?;
        if self.text.as_bytes()[key] != b'"' {
            return None;
        }
        let end = value_end(self.text, key);
        let name = unescape(self.text.get(key + 1..end.checked_sub(1)?)?)?.text;
        let colon = space(self.text, end);
        if self.text.as_bytes().get(colon) != Some(&b':') {
            return None;
        }
        let start = space(self.text, colon + 1);
        let end = value_end(self.text, start);
        Some((name, self.part(start, end), end))
    }

    /// The elements; none when it is no list.
    pub(super) fn items(self) -> Vec<Self> {
        let mut items = Vec::new();
        let mut from = 1;
        while let Some(start) = separated(self.text, from).filter(|_| self.is_list()) {
            let end = value_end(self.text, start);
            if end == start {
                break;
            }
            items.push(self.part(start, end));
            from = end;
        }
        items
    }
}

/// The fields of an object, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Object<'a>(pub(super) Vec<(Cow<'a, str>, Value<'a>)>);

impl<'a> Object<'a> {
    /// A field; `null` counts as missing.
    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        let found = self.0.iter().find(|(key, _)| key == name)?.1;
        (found.raw() != "null").then_some(found)
    }

    /// Whether the field is there, be it `null`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(key, _)| key == name)
    }

    pub(super) fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        self.get(name)?.text()
    }

    pub(super) fn boxed(&self, name: &str) -> Option<Box<str>> {
        self.get(name)?.boxed()
    }

    pub(super) fn word(&self, name: &str) -> Option<Box<str>> {
        self.get(name)?.word()
    }

    pub(super) fn u64(&self, name: &str) -> Option<u64> {
        self.get(name)?.u64()
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name).and_then(Value::bool).unwrap_or_default()
    }

    pub(super) fn json(&self, name: &str) -> Option<JsonText> {
        self.get(name)?.json()
    }

    /// An object under `name`; one without fields when there is none.
    pub(super) fn object(&self, name: &str) -> Object<'a> {
        self.get(name).map(Value::object).unwrap_or_default()
    }

    /// The elements of the list under `name`; none when there is none.
    pub(super) fn items(&self, name: &str) -> Vec<Value<'a>> {
        self.get(name).map(Value::items).unwrap_or_default()
    }
}

/// The first byte from `at` that is no white space.
fn space(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).unwrap_or(rest.len())
}

/// Where the next element or field begins; `None` at the end of the container, or of the text.
fn separated(text: &str, from: usize) -> Option<usize> {
    let mut at = space(text, from);
    if text.as_bytes().get(at) == Some(&b',') {
        at = space(text, at + 1);
    }
    text.as_bytes().get(at).filter(|byte| !matches!(byte, b']' | b'}'))?;
    Some(at)
}

/// The byte after the value that begins at `start`, or the end of the text.
fn value_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return if depth == 1 { at + 1 } else { at },
            b'}' | b']' => depth -= 1,
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The byte after the string that begins at `start`, or the end of the text.
pub(super) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(step) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += step;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn values_are_slices_with_their_place() {
        let text = r#" {"a" : [1, "x\"]", {"b":null}], "c":true,"a":{"d" :"\u00e9"} } "#;
        let value = Value::read(text, 100).unwrap();
        let object = value.object();
        assert_eq!((value.at(), object.0.len()), (101, 2), "a repeated key counts once");
        assert_eq!(object.object("a").text("d").as_deref(), Some("é"));
        assert!(object.flag("c") && object.get("b").is_none());
        let list = Value::read(r#"[1, "x\"]", {"b":null}]"#, 0).unwrap().items();
        assert_eq!(list.iter().map(|item| item.raw()).collect::<Vec<_>>(), ["1", r#""x\"]""#, r#"{"b":null}"#]);
        assert_eq!((list[2].at(), list[2].object().has("b")), (12, true));
        assert!(Value::read("[1,]", 0).is_err());
    }

    #[test]
    fn a_cut_text_gives_what_it_has() {
        let text = r#"{"values":{"messages":[{"type":"human","content":"hel"#;
        for end in 0..text.len() {
            let _ = Value::unchecked(&text[..end], 0).object().object("values").items("messages").len();
        }
        let first = Value::unchecked(text, 0).object().object("values").items("messages")[0].object();
        assert_eq!((first.text("type").as_deref(), first.text("content")), (Some("human"), None));
        for odd in
            ["", "]", "{]", "[[[", "{\"a\"", "{\"a\":", "{\"a\\", "[,,,]", "{,}", "}{", "[1 2", "[:]", "{\"a\":}"]
        {
            let value = Value::unchecked(odd, 0);
            let _ = (value.items().len(), value.object().0.len(), value.text(), value.u64());
        }
    }
}
