//! Secrets that are known, wherever else they stand.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, Input, MatchKind};

use super::find::Found;
use super::patterns::SecretKind;

/// Finds any number of secrets in one pass over a text.
#[derive(Debug, Default)]
pub(super) struct Known {
    search: Option<AhoCorasick>,
    /// Of each secret, whether it is letters alone.
    words: Vec<bool>,
}

impl Known {
    /// Of these, in any case of their ASCII letters if `any_case`.
    pub(super) fn of(secrets: &[&str], any_case: bool) -> Self {
        if secrets.is_empty() {
            return Self::default();
        }
        let words = secrets.iter().map(|secret| secret.chars().all(char::is_alphabetic)).collect();
        Self { search: Some(search(secrets, any_case)), words }
    }

    /// Adds to what was `found` in a text, in its order, where known secrets stand besides. One of letters alone, which may be an
    /// ordinary word, is not taken out of a longer word.
    pub(super) fn add_to(&self, text: &str, found: Vec<Found>, repeated: &mut usize) -> Vec<Found> {
        let Some(search) = &self.search else { return found };
        let (mut added, mut from) = (Vec::new(), 0);
        while let Some(place) = search.find(Input::new(text).range(from..)) {
            let range = place.range();
            if self.words[place.pattern()] && !is_apart(text, &range) {
                from = range.start + 1;
                continue;
            }
            from = range.end;
            let behind = found.partition_point(|one| one.range.end <= range.start);
            if found.get(behind).is_none_or(|one| range.end <= one.range.start) {
                added.push(Found { kind: SecretKind::Setting, range });
            }
        }
        *repeated += added.len();
        added.extend(found);
        added.sort_by_key(|one| one.range.start);
        added
    }
}

/// Whether neither a letter nor a digit stands beside the range.
fn is_apart(text: &str, range: &std::ops::Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    !before.into_iter().chain(text[range.end..].chars().next()).any(char::is_alphanumeric)
}

#[expect(
    clippy::unwrap_used,
    reason = "only secrets of more than two gigabytes are too many, and a run must not go on with them"
)]
fn search(secrets: &[&str], any_case: bool) -> AhoCorasick {
    let build = || -> Result<_, BuildError> {
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(any_case)
            // The other kinds take much more memory for long secrets.
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(secrets)
    };
    build().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(known: &Known, text: &str) -> Vec<String> {
        known.add_to(text, Vec::new(), &mut 0).into_iter().map(|one| text[one.range].to_owned()).collect()
    }

    #[test]
    fn any_number_of_secrets_is_known() {
        let secrets: Vec<String> =
            (0..20_000).map(|number| format!("{number:06}-secret-of-a-long-session-Ж")).collect();
        let known = Known::of(&secrets.iter().map(String::as_str).collect::<Vec<_>>(), true);
        let text = format!("{} and {}", secrets[0], secrets[19_999].to_ascii_uppercase());
        assert_eq!(places(&known, &text), [secrets[0].clone(), secrets[19_999].to_ascii_uppercase()]);
    }

    #[test]
    fn words_stay_in_longer_words() {
        let known = Known::of(&["session", "w4rm-cl4y", "sions"], false);
        assert_eq!(places(&known, "session (session) -psession session1"), ["session", "session"]);
        assert_eq!(places(&known, "-pw4rm-cl4y1 sessions"), ["w4rm-cl4y"]);
        assert_eq!(places(&Known::default(), "session"), Vec::<String>::new());
    }
}
