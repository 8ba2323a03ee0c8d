//! Answers, matched by rule.

use super::bank::Expected;
use crate::meter::goal::item::is_whole;
use crate::meter::goal::text::normalise;

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Right.
    Right,
    /// Wrong.
    Wrong,
    /// The value of before, also where the current one stands beside it.
    Stale,
    /// It says that it is not known, and it could be.
    Abstained,
    /// It is no answer in the form that was asked for; counted, and not right.
    Unparsed,
    /// The model refused, or said nothing.
    Refused,
    /// The prompt did not fit the reader's window.
    Overflow,
}

impl Verdict {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Stale => "stale",
            Self::Abstained => "abstained",
            Self::Unparsed => "unparsed",
            Self::Refused => "refused",
            Self::Overflow => "overflow",
        }
    }
}

/// A longer answer is no answer but a dump, in which something right can always be found.
const LONGEST: usize = 300;

/// The answer in a reply, and what it is worth.
pub fn judge_answer(reply: &str, expected: &Expected) -> (String, Verdict) {
    let Some(answer) = answer_of(reply) else { return (String::new(), Verdict::Unparsed) };
    let plain = plain(answer);
    let abstains = ["not known", "unknown", "not in context"].iter().any(|word| plain.starts_with(word));
    let verdict = match expected {
        Expected::NotKnown if abstains => Verdict::Right,
        Expected::NotKnown => Verdict::Wrong,
        _ if abstains => Verdict::Abstained,
        Expected::Letter(right) => match letter(answer) {
            Some(letter) if letter == *right => Verdict::Right,
            Some(_) => Verdict::Wrong,
            None => Verdict::Unparsed,
        },
        Expected::Spelling { right, wrong, stale } => {
            let says = |spellings: &[String]| spellings.iter().any(|spelling| spells(&plain, spelling));
            if says(stale) {
                Verdict::Stale
            } else if says(right) && !says(wrong) {
                Verdict::Right
            } else {
                Verdict::Wrong
            }
        }
    };
    (answer.to_owned(), verdict)
}

/// What follows the last `ANSWER:`; without one, a reply of one line.
fn answer_of(reply: &str) -> Option<&str> {
    let marked = reply.lines().rev().find_map(|line| {
        let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let head = line.get(..7).filter(|head| head.eq_ignore_ascii_case("answer:"))?;
        Some(line[head.len()..].trim_start_matches('*').trim())
    });
    let alone = || Some(reply.trim()).filter(|reply| !reply.contains('\n'));
    marked.or_else(alone).filter(|answer| !answer.is_empty() && answer.chars().count() <= LONGEST)
}

/// In lower case and without marks of code and emphasis.
fn plain(text: &str) -> String {
    normalise(text).replace(['`', '*'], "")
}

fn letter(answer: &str) -> Option<char> {
    let mut characters = answer.chars().skip_while(|c| !c.is_alphanumeric());
    let letter = characters.next()?.to_ascii_uppercase();
    let alone = characters.next().is_none_or(|next| !next.is_alphanumeric());
    (alone && letter.is_ascii_uppercase()).then_some(letter)
}

/// Whether the normalised spelling stands in a plain text, not as a part of a longer number.
fn spells(plain: &str, spelling: &str) -> bool {
    let spelling = spelling.replace(['`', '*'], "");
    plain.match_indices(&*spelling).any(|(at, found)| is_whole(plain, at, at + found.len()))
}

#[cfg(test)]
mod tests {
    use super::{Expected, Verdict, judge_answer};

    fn gap(right: &[&str], stale: &[&str]) -> Expected {
        let of = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect();
        Expected::Spelling { right: of(right), wrong: vec!["any value".to_owned()], stale: of(stale) }
    }

    fn verdict(reply: &str, expected: &Expected) -> Verdict {
        judge_answer(reply, expected).1
    }

    #[test]
    fn a_value_is_matched_whole() {
        let timeout = gap(&["45 s", "45.0"], &["30 s"]);
        assert_eq!(judge_answer("Let me see.\n**ANSWER:** `45 s`", &timeout), ("`45 s`".to_owned(), Verdict::Right));
        assert_eq!(verdict("answer: 145 s", &timeout), Verdict::Wrong);
        assert_eq!(verdict("45 s", &timeout), Verdict::Right);
        assert_eq!(verdict("ANSWER: 45 s, or any value", &timeout), Verdict::Wrong);
        assert_eq!(verdict("ANSWER: first 30 s, then 45 s", &timeout), Verdict::Stale, "keeping both is not knowing");
        assert_eq!(verdict("ANSWER: not known, but 45 s", &timeout), Verdict::Abstained, "a hedge is no answer");
    }

    #[test]
    fn a_letter_stands_alone() {
        let right = Expected::Letter('B');
        assert_eq!(verdict("ANSWER: B", &right), Verdict::Right);
        assert_eq!(verdict("ANSWER: (b) the second", &right), Verdict::Right);
        assert_eq!(verdict("ANSWER: A", &right), Verdict::Wrong);
        assert_eq!(verdict("ANSWER: Both", &right), Verdict::Unparsed);
        assert_eq!(verdict("ANSWER: NOT KNOWN", &right), Verdict::Abstained);
    }

    #[test]
    fn what_was_never_said_is_not_known() {
        assert_eq!(verdict("ANSWER: NOT KNOWN", &Expected::NotKnown), Verdict::Right);
        assert_eq!(verdict("ANSWER: 8080", &Expected::NotKnown), Verdict::Wrong);
    }

    #[test]
    fn a_dump_and_two_lines_without_a_mark_are_no_answer() {
        let long = format!("ANSWER: {} 45 s", "x".repeat(400));
        assert_eq!(verdict(&long, &gap(&["45 s"], &[])), Verdict::Unparsed);
        assert_eq!(verdict("It was\n45 s", &gap(&["45 s"], &[])), Verdict::Unparsed);
        assert_eq!(verdict("", &Expected::Letter('A')), Verdict::Unparsed);
    }
}
