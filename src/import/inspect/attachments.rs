//! Texts that a sample keeps once and names elsewhere by their hash.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use crate::import::spelling::digest;
use crate::import::value::Value;

const SCHEME: &str = "attachment://";

/// The attachments of a sample.
#[derive(Debug, Default)]
pub(super) struct Attachments<'a> {
    texts: HashMap<Cow<'a, str>, Value<'a>>,
    /// Digests of their texts: inputs name the same one again and again.
    digests: RefCell<HashMap<String, u64>>,
}

impl<'a> Attachments<'a> {
    pub(super) fn of(attachments: Option<Value<'a>>) -> Self {
        let fields = attachments.map(Value::object).unwrap_or_default();
        Self { texts: fields.0.into_iter().collect(), digests: RefCell::default() }
    }

    /// JSON with the attachments in their places. Names that are not known stay.
    pub(super) fn resolve<'t>(&self, raw: &'t str) -> Cow<'t, str> {
        if self.texts.is_empty() || !raw.contains(SCHEME) {
            return raw.into();
        }
        let mut out = String::with_capacity(raw.len());
        let mut rest = raw;
        while let Some(at) = rest.find(SCHEME) {
            let name = &rest[at + SCHEME.len()..];
            let length = name.bytes().take_while(u8::is_ascii_hexdigit).count();
            let known = self.texts.get(&name[..length]).map(|text| text.raw());
            // Both are the inside of a JSON string.
            match known.and_then(|text| text.strip_prefix('"')?.strip_suffix('"')) {
                Some(text) => {
                    out.push_str(&rest[..at]);
                    out.push_str(text);
                }
                None => out.push_str(&rest[..at + SCHEME.len() + length]),
            }
            rest = &name[length..];
        }
        out.push_str(rest);
        out.into()
    }

    /// The first name in `raw` that a text of its own is and that no attachment has.
    pub(super) fn missing<'t>(&self, raw: &'t str) -> Option<&'t str> {
        let quoted = format!("\"{SCHEME}");
        let names = raw.match_indices(&quoted).filter_map(|(at, _)| raw[at + quoted.len()..].split_once('"'));
        // Only such names are looked up: a text may speak of attachments.
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        names.map(|(name, _)| name).find(|name| is_name(name) && !self.texts.contains_key(*name))
    }

    /// A digest of the text in `value`, the same for a text and for the attachment that holds it.
    pub(super) fn digest(&self, value: Value<'_>) -> u64 {
        let Some(text) = value.text() else { return digest(value.raw()) };
        let Some(name) = text.strip_prefix(SCHEME) else { return digest(&text) };
        if let Some(&known) = self.digests.borrow().get(name) {
            return known;
        }
        let content = self.texts.get(name).and_then(|text| text.text());
        let made = digest(content.as_deref().unwrap_or(&text));
        self.digests.borrow_mut().insert(name.to_owned(), made);
        made
    }
}
