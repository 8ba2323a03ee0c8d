//! Fields that the model has no place for: kept with the entry, written back by the writer.

use std::borrow::Cow;
use std::ops::Range;

use super::object::Rest;
use crate::transcript::JsonText;
use crate::transcript::json::read::{Raw, canonical_json, is_plain};

/// Fields by the place of the object that held them. See [`crate::transcript::Entry::extra`] for the places.
#[derive(Default)]
pub(super) struct Extras {
    /// Place, key and JSON text of all fields, one after another.
    text: String,
    fields: Vec<Field>,
}

/// Bytes of text, and fields, for which there is room from the first field on: it is given back when they are put together.
const USUAL: usize = 512;
const USUAL_FIELDS: usize = 8;

/// Where a field lies in the text.
#[derive(Clone, Copy)]
struct Field {
    place: usize,
    key: usize,
    raw: usize,
    end: usize,
    canonical: bool,
}

impl Extras {
    /// Adds the field `key` of the object at `place`.
    pub(super) fn add(&mut self, place: &str, key: &str, raw: Raw<'_>) {
        self.push(place, key, raw.is_canonical(), |out| out.push_str(raw.text()));
    }

    /// Adds a field that is JSON as JavaScript prints it.
    pub(super) fn add_json(&mut self, place: &str, key: &str, json: &str) {
        self.push(place, key, true, |out| out.push_str(json));
    }

    /// Adds a field that is a string.
    pub(super) fn add_text(&mut self, place: &str, key: &str, text: &str) {
        self.push(place, key, true, |out| push_quoted(out, text));
    }

    /// Adds a field that is a whole number.
    pub(super) fn add_count(&mut self, place: &str, key: &str, count: u64) {
        // Up to fifteen digits JavaScript prints as they are.
        self.push(place, key, count < 1_000_000_000_000_000, |out| out.push_str(&count.to_string()));
    }

    fn push(&mut self, place: &str, key: &str, canonical: bool, raw: impl FnOnce(&mut String)) {
        if self.text.capacity() == 0 {
            self.text.reserve(USUAL);
            self.fields.reserve_exact(USUAL_FIELDS);
        }
        let from = self.text.len();
        let (at_key, at_raw) = (from + place.len(), from + place.len() + key.len());
        self.text.push_str(place);
        self.text.push_str(key);
        raw(&mut self.text);
        let canonical = canonical && !key.starts_with(|first: char| first.is_ascii_digit());
        self.fields.push(Field { place: from, key: at_key, raw: at_raw, end: self.text.len(), canonical });
    }

    fn place(&self, field: &Field) -> &str {
        &self.text[field.place..field.key]
    }

    fn key(&self, field: &Field) -> &str {
        &self.text[field.key..field.raw]
    }

    fn raw(&self, field: &Field) -> &str {
        &self.text[field.raw..field.end]
    }

    /// Takes over those of `other`.
    pub(super) fn append(&mut self, other: Self) {
        if self.fields.is_empty() {
            *self = other;
            return;
        }
        for field in &other.fields {
            self.push(other.place(field), other.key(field), field.canonical, |out| out.push_str(other.raw(field)));
        }
    }

    /// Takes over those of `other`, below `prefix`, but for those that are here already in their own place.
    pub(super) fn append_below(&mut self, prefix: &str, other: &Self) {
        for field in &other.fields {
            let (place, key, raw) = (other.place(field), other.key(field), other.raw(field));
            let same = |mine: &Field| self.raw(mine) == raw && self.key(mine) == key && self.place(mine) == place;
            if self.fields.iter().any(same) {
                continue;
            }
            let full = if place.is_empty() { Cow::Borrowed(prefix) } else { format!("{prefix}.{place}").into() };
            self.push(&full, key, field.canonical, |out| out.push_str(raw));
        }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.fields.clear();
        self.text.clear();
    }

    /// [`Self::render`], measured. `Ok(None)` without fields; an error when a field nests too deeply to be measured.
    pub(super) fn json(mut self) -> Result<Option<JsonText>, TooDeep> {
        let Some(json) = self.render_sorted() else { return Ok(None) };
        let json = &self.text[json..];
        if self.is_canonical() {
            return Ok(Some(canonical_json(json)));
        }
        JsonText::new(json).map(Some).ok_or(TooDeep)
    }

    /// One JSON object, places in order of their names, fields in the order of the file. `None` without fields.
    #[cfg(test)]
    pub(super) fn render(mut self) -> Option<String> {
        self.render_sorted().map(|json| self.text.split_off(json))
    }

    /// Puts the object behind the texts of its fields, and gives where it begins.
    fn render_sorted(&mut self) -> Option<usize> {
        if self.fields.is_empty() {
            return None;
        }
        let mut fields = std::mem::take(&mut self.fields);
        fields.sort_by(|a, b| self.place(a).cmp(self.place(b)));
        let mut out = std::mem::take(&mut self.text);
        let from = out.len();
        out.reserve(from + fields.len() * 6 + 16);
        out.push('{');
        let mut last: Option<Field> = None;
        for field in fields.iter().copied() {
            if last.is_some_and(|last| out[last.place..last.key] == out[field.place..field.key]) {
                out.push(',');
            } else {
                out.push_str(if last.is_some() { "}," } else { "" });
                push_quoted_again(&mut out, field.place..field.key);
                out.push_str(":{");
                last = Some(field);
            }
            push_quoted_again(&mut out, field.key..field.raw);
            out.push(':');
            out.extend_from_within(field.raw..field.end);
        }
        out.push_str("}}");
        (self.fields, self.text) = (fields, out);
        Some(from)
    }

    /// Whether what [`Self::render_sorted`] gave is what `JSON.stringify` would print. Few fields are looked through
    /// for repeated keys, more are not.
    fn is_canonical(&self) -> bool {
        const FEW: usize = 24;
        let same = |a: &Field, b: &Field| self.key(a) == self.key(b) && self.place(a) == self.place(b);
        self.fields.len() <= FEW
            && self.fields.iter().all(|field| field.canonical)
            && (1..self.fields.len()).all(|at| !self.fields[..at].iter().any(|field| same(field, &self.fields[at])))
    }

    /// The fields of the object at `place` as one JSON object. `None` without fields.
    pub(super) fn render_fields(&self, place: &str) -> Option<String> {
        let fields: Vec<String> = self.at(place).map(|(key, raw)| format!("{}:{raw}", quoted(key))).collect();
        (!fields.is_empty()).then(|| format!("{{{}}}", fields.join(",")))
    }

    /// The reverse of [`Self::json`]. What is not of that form is passed over.
    pub(super) fn parse(json: Option<&JsonText>) -> Self {
        let mut extras = Self::default();
        let Some(places) = json.and_then(|json| Rest::of(json.as_str())) else { return extras };
        for (place, raw) in places.iter() {
            for (key, raw) in Rest::of(raw.text()).unwrap_or_default().iter() {
                extras.add(place, key, raw);
            }
        }
        extras
    }

    /// Removes the field `key` of the object at `place`, and gives its JSON text.
    pub(super) fn take(&mut self, place: &str, key: &str) -> Option<Box<str>> {
        let at = self.fields.iter().position(|field| self.place(field) == place && self.key(field) == key)?;
        let field = self.fields.remove(at);
        Some(self.raw(&field).into())
    }

    /// The fields of the object at `place`, as key and JSON text.
    pub(super) fn at(&self, place: &str) -> impl Iterator<Item = (&str, &str)> {
        self.fields
            .iter()
            .filter(move |field| self.place(field) == place)
            .map(|field| (self.key(field), self.raw(field)))
    }

    /// Whether any place begins with `prefix`.
    pub(super) fn any_below(&self, prefix: &str) -> bool {
        self.fields.iter().any(|field| self.place(field).starts_with(prefix))
    }
}

/// A value that nests too deeply to be measured.
#[derive(Debug)]
pub(super) struct TooDeep;

/// `text` as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

/// Appends the part of `out` at `range` as a JSON string.
fn push_quoted_again(out: &mut String, range: Range<usize>) {
    if !is_plain(&out[range.clone()]) {
        let text = out[range].to_owned();
        return push_quoted(out, &text);
    }
    out.push('"');
    out.extend_from_within(range);
    out.push('"');
}

/// Appends `text` as a JSON string.
fn push_quoted(out: &mut String, text: &str) {
    if !is_plain(text) {
        out.push_str(&serde_json::Value::from(text).to_string());
        return;
    }
    out.push('"');
    out.push_str(text);
    out.push('"');
}
