//! The same secrets out of several texts.

use std::collections::HashMap;

use regex::{Regex, RegexBuilder};

use super::find::{Found, find};
use super::patterns::SecretKind;
use super::replace::Replacements;
use super::transcript::{Finder, Redacted};

/// Replaces what it has learned, and what patterns find, in any number of texts: an equal secret is replaced by an equal text in all of
/// them. Texts that were brought to lower case, as spellings are, get the replacement in lower case.
#[derive(Debug, Default)]
pub struct Redactor {
    known: Option<Regex>,
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
        let lower = secrets.iter().map(lower).collect();
        let parts: Vec<String> = secrets.into_iter().map(regex::escape).collect();
        // Very many of them may be too much for one pattern: then only the patterns find them.
        let known = (!parts.is_empty())
            .then(|| RegexBuilder::new(&parts.join("|")).case_insensitive(true).size_limit(1 << 28).build().ok());
        Self { known: known.flatten(), replacements, lower, counts: Redacted::default() }
    }

    /// The text without secrets, and of the same length; `None` where there are none.
    pub fn text(&mut self, text: &str) -> Option<String> {
        let mut places = find(text);
        places.iter().for_each(|found| *self.counts.found.entry(found.kind).or_default() += 1);
        for place in self.known.iter().flat_map(|known| known.find_iter(text)) {
            let range = place.range();
            if !places.iter().any(|found| found.range.start < range.end && range.start < found.range.end) {
                places.push(Found { kind: SecretKind::Setting, range });
                self.counts.repeated += 1;
            }
        }
        if places.is_empty() {
            return None;
        }
        places.sort_by_key(|found| found.range.start);
        let (mut out, mut done) = (String::with_capacity(text.len()), 0);
        for Found { range, .. } in places {
            out.push_str(&text[done..range.start]);
            let secret = &text[range.clone()];
            match self.lower.get(secret).filter(|_| !self.replacements.has(secret)) {
                Some(lower) => out.push_str(lower),
                None => out.push_str(self.replacements.of(secret)),
            }
            done = range.end;
        }
        out.push_str(&text[done..]);
        Some(out)
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
