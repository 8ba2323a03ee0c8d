//! Secrets that are known, wherever else they stand.

use aho_corasick::{AhoCorasick, AhoCorasickKind, BuildError, Input, MatchKind};

use super::find::Found;
use super::patterns::SecretKind;
use super::transcript::REPEATED as SHORTEST;

/// Where a known secret is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    /// Wherever it stands.
    Anywhere,
    /// Not within a longer word.
    Word,
    /// As a word of a path.
    Path,
}

impl Where {
    /// A secret of letters alone may be an ordinary word; so may a name, and a short one of letters is only one in a path.
    fn of(secret: &str, is_name: bool) -> Self {
        let letters = secret.chars().all(char::is_alphabetic);
        match is_name {
            true if letters && secret.len() < SHORTEST => Self::Path,
            false if !letters => Self::Anywhere,
            _ => Self::Word,
        }
    }

    fn is_here(self, text: &str, range: &std::ops::Range<usize>) -> bool {
        let beside = [text[..range.start].chars().next_back(), text[range.end..].chars().next()];
        let is_apart = || !beside.into_iter().flatten().any(char::is_alphanumeric);
        match self {
            Self::Anywhere => true,
            Self::Word => is_apart(),
            Self::Path => is_apart() && beside.into_iter().flatten().any(|sign| matches!(sign, '/' | '\\')),
        }
    }
}

/// Finds any number of secrets in one pass over a text.
#[derive(Debug, Default)]
pub(super) struct Known {
    search: Option<AhoCorasick>,
    places: Vec<Where>,
}

impl Known {
    /// Of these, in any case of their ASCII letters if `any_case`; some are names of people.
    pub(super) fn of(secrets: &[&str], is_name: impl Fn(&str) -> bool, any_case: bool) -> Self {
        if secrets.is_empty() {
            return Self::default();
        }
        let places = secrets.iter().map(|secret| Where::of(secret, is_name(secret))).collect();
        Self { search: Some(search(secrets, any_case)), places }
    }

    /// Adds to what was `found` in a text, in its order, where known secrets stand besides.
    pub(super) fn add_to(&self, text: &str, found: Vec<Found>, repeated: &mut usize) -> Vec<Found> {
        let Some(search) = &self.search else { return found };
        let (mut added, mut from) = (Vec::new(), 0);
        while let Some(place) = search.find(Input::new(text).range(from..)) {
            let range = place.range();
            if !self.places[place.pattern()].is_here(text, &range) {
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
        let known = Known::of(&secrets.iter().map(String::as_str).collect::<Vec<_>>(), |_| false, true);
        let text = format!("{} and {}", secrets[0], secrets[19_999].to_ascii_uppercase());
        assert_eq!(places(&known, &text), [secrets[0].clone(), secrets[19_999].to_ascii_uppercase()]);
    }

    #[test]
    fn words_stay_in_longer_words() {
        let known = Known::of(&["session", "w4rm-cl4y", "sions"], |_| false, false);
        assert_eq!(places(&known, "session (session) -psession session1"), ["session", "session"]);
        assert_eq!(places(&known, "-pw4rm-cl4y1 sessions"), ["w4rm-cl4y"]);
        assert_eq!(places(&Known::default(), "session"), Vec::<String>::new());
    }

    #[test]
    fn names_are_words_and_short_ones_parts_of_paths() {
        let known = Known::of(&["mara", "u03", "kilnmaster"], |_| true, false);
        let text = "mara u03 staff, branch kiln/mara/u03-fix by kilnmaster; maraca/x 1u03 kilnmasters";
        assert_eq!(places(&known, text), ["u03", "mara", "u03", "kilnmaster"]);
    }
}
