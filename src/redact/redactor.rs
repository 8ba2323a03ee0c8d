//! The same secrets out of several texts.

use std::collections::HashMap;

use super::find::{find, spliced};
use super::known::Known;
use super::replace::Replacements;
use super::transcript::{Finder, Redacted};

/// Replaces what it has learned, and what patterns find, in any number of texts: an equal secret is replaced by an equal text in all of
/// them. Texts that were brought to lower case, as spellings are, get the replacement in lower case.
#[derive(Debug, Default)]
pub struct Redactor {
    known: Known,
    replacements: Replacements,
    /// The replacements of secrets in lower case.
    lower: HashMap<String, String>,
    counts: Redacted,
}

impl Redactor {
    /// One that knows the secrets of these texts, wherever else they stand.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut finder = Finder::default();
        texts.into_iter().for_each(|text| finder.look_at(text));
        Self::knowing(&finder, Replacements::default())
    }

    /// One that goes on with the replacements that were made already.
    pub(super) fn knowing(finder: &Finder, mut replacements: Replacements) -> Self {
        let secrets = finder.by_length();
        let lower = |secret: &&str| (secret.to_lowercase(), replacements.of(secret).to_lowercase());
        let lower: HashMap<String, String> = secrets.iter().map(lower).collect();
        let spellings: Vec<&str> = secrets.into_iter().chain(lower.keys().map(String::as_str)).collect();
        let known = Known::of(&spellings, |secret| finder.is_name(secret), true);
        Self { known, replacements, lower, counts: Redacted::default() }
    }

    /// The text without secrets, and of the same length; `None` where there are none.
    pub fn text(&mut self, text: &str) -> Option<String> {
        let found = find(text);
        found.iter().for_each(|found| *self.counts.found.entry(found.kind).or_default() += 1);
        let places = self.known.add_to(text, found, &mut self.counts.repeated);
        let Self { lower, replacements, .. } = self;
        (!places.is_empty()).then(|| {
            spliced(text, places, |secret, out| match lower.get(secret).filter(|_| !replacements.has(secret)) {
                Some(lower) => out.push_str(lower),
                None => out.push_str(replacements.of(secret)),
            })
        })
    }

    /// Replaces the secrets of a text in its place.
    pub fn replace(&mut self, text: &mut String) {
        if let Some(new) = self.text(text) {
            *text = new;
        }
    }

    /// What was replaced since it was made.
    pub fn counts(&self) -> &Redacted {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::SecretKind;

    #[test]
    fn what_one_text_tells_is_gone_from_all() {
        let texts = ["DB_PASSWORD=W4rm-Cl4y", "it is W4rm-Cl4y", "mail mara@kiln.museum", "w4rm-cl4y and nothing"];
        let mut redactor = Redactor::of(texts);
        let [first, second, third, fourth] = texts.map(|text| redactor.text(text).unwrap());
        let secret = first.strip_prefix("DB_PASSWORD=").unwrap();
        assert_eq!(second, format!("it is {secret}"));
        assert_eq!(fourth, format!("{} and nothing", secret.to_lowercase()), "a spelling is still that of the text");
        assert!(!third.contains("mara") && third.len() == texts[2].len(), "{third}");
        assert_eq!(redactor.text("nothing"), None);
        let counts = redactor.counts();
        assert_eq!((counts.found[&SecretKind::Setting], counts.found[&SecretKind::Email], counts.repeated), (1, 1, 2));
        // A second pass finds nothing.
        let mut again = Redactor::of([first.as_str(), &second, &third, &fourth]);
        assert_eq!([&first, &second, &third, &fourth].map(|text| again.text(text)), [None, None, None, None]);
    }
}
