//! Fields that the model has no place for: kept with the entry, written back by the writer.

use super::object::Rest;
use crate::transcript::JsonText;

/// Fields by the place of the object that held them. See [`crate::transcript::Entry::extra`] for the places.
#[derive(Default)]
pub(super) struct Extras(Vec<(Box<str>, Box<str>, Box<str>)>);

impl Extras {
    /// Adds the field `key` of the object at `place`; `raw` is its JSON text.
    pub(super) fn add(&mut self, place: &str, key: &str, raw: &str) {
        self.0.push((place.into(), key.into(), raw.trim().into()));
    }

    /// Takes over those of `other`.
    pub(super) fn append(&mut self, other: &mut Self) {
        self.0.append(&mut other.0);
    }

    /// Takes over those of `other`, below `prefix`, but for those that are also among the first `known` ones here.
    pub(super) fn append_below(&mut self, prefix: &str, other: Self, known: usize) {
        for field in other.0 {
            if !self.0[..known.min(self.0.len())].contains(&field) {
                let (place, key, raw) = field;
                let place = if place.is_empty() { prefix.into() } else { format!("{prefix}.{place}").into() };
                self.0.push((place, key, raw));
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// One JSON object, places in order of their names, fields in the order of the file. `None` without fields.
    pub(super) fn render(mut self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        self.0.sort_by(|a, b| a.0.cmp(&b.0));
        let mut out = String::from("{");
        let mut place: Option<&str> = None;
        for (at, key, raw) in &self.0 {
            if place == Some(at) {
                out.push(',');
            } else {
                out.push_str(if place.is_some() { "}," } else { "" });
                out.push_str(&quoted(at));
                out.push_str(":{");
                place = Some(at);
            }
            out.push_str(&quoted(key));
            out.push(':');
            out.push_str(raw);
        }
        out.push_str("}}");
        Some(out)
    }

    /// The fields of the object at `place` as one JSON object. `None` without fields.
    pub(super) fn render_fields(&self, place: &str) -> Option<String> {
        let fields: Vec<String> = self.at(place).map(|(key, raw)| format!("{}:{raw}", quoted(key))).collect();
        (!fields.is_empty()).then(|| format!("{{{}}}", fields.join(",")))
    }

    /// The reverse of [`Self::render`]. What is not of that form is passed over.
    pub(super) fn parse(json: Option<&JsonText>) -> Self {
        let mut extras = Self::default();
        let Some(places) = json.and_then(|json| Rest::of(json.as_str())) else { return extras };
        for (place, raw) in &places.0 {
            for (key, raw) in Rest::of(raw).unwrap_or_default().0 {
                extras.add(place, &key, &raw);
            }
        }
        extras
    }

    /// Removes the field `key` of the object at `place`, and gives its JSON text.
    pub(super) fn take(&mut self, place: &str, key: &str) -> Option<Box<str>> {
        let at = self.0.iter().position(|(at, name, _)| **at == *place && **name == *key)?;
        Some(self.0.remove(at).2)
    }

    /// The fields of the object at `place`, as key and JSON text.
    pub(super) fn at(&self, place: &str) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter(move |(at, ..)| **at == *place).map(|(_, key, raw)| (&**key, &**raw))
    }

    /// Whether any place begins with `prefix`.
    pub(super) fn any_below(&self, prefix: &str) -> bool {
        self.0.iter().any(|(at, ..)| at.starts_with(prefix))
    }
}

/// `text` as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
