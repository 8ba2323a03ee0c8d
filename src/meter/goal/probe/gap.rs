//! A statement with a gap where the answer stood.

use crate::meter::goal::item::is_whole;

/// What stands for the answer.
pub(super) const GAP: &str = "____";
/// A statement with fewer other words says too little to be asked about.
const LEAST_WORDS: usize = 3;

/// `text` with every place that spells the answer replaced by a gap. `spellings` are normalised.
///
/// # Errors
/// Why there is no question: no spelling stands in the text, or too little is left beside the gap.
pub(super) fn gapped(text: &str, spellings: &[String]) -> Result<String, &'static str> {
    let mut out = String::with_capacity(text.len());
    let (mut at, mut found) = (0, false);
    while let Some(next) = text[at..].chars().next() {
        let longest = spellings.iter().filter_map(|spelling| spelled(text, at, spelling)).max();
        if let Some(length) = longest {
            out.push_str(GAP);
            (at, found) = (at + length, true);
        } else {
            out.push(next);
            at += next.len_utf8();
        }
    }
    if !found {
        return Err("its text spells no answer");
    }
    if words(&out) < LEAST_WORDS { Err("too little is left beside the gap") } else { Ok(out) }
}

/// Words beside the gap; a character of a script without spaces counts as one.
fn words(text: &str) -> usize {
    let of = |word: &str| {
        let wide = word.chars().filter(|c| ('\u{2e80}'..='\u{ffdc}').contains(c)).count();
        wide.max(usize::from(word.chars().any(char::is_alphanumeric)))
    };
    text.replace(GAP, " ").split_whitespace().map(of).sum()
}

/// Bytes of `text` from `at` on that spell the normalised `spelling`, whatever their case and white space.
fn spelled(text: &str, at: usize, spelling: &str) -> Option<usize> {
    let mut wanted = spelling.chars().peekable();
    let mut end = at;
    while wanted.peek().is_some() {
        let next = text[end..].chars().next()?;
        end += next.len_utf8();
        if next.is_whitespace() {
            if wanted.next() != Some(' ') {
                return None;
            }
            let rest = &text[end..];
            end += rest.len() - rest.trim_start().len();
            continue;
        }
        for lower in next.to_lowercase() {
            if wanted.next() != Some(lower) {
                return None;
            }
        }
    }
    (end > at && is_whole(text, at, end)).then_some(end - at)
}

#[cfg(test)]
mod tests {
    use super::gapped;

    fn of(text: &str, spellings: &[&str]) -> Result<String, &'static str> {
        gapped(text, &spellings.iter().map(|&one| one.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn every_spelling_goes_whatever_its_case() {
        let text = "The default of Lock_Timeout is 45 s, 45  S since May, not 145 s.";
        let asked = of(text, &["45 s", "45.0"]).unwrap();
        assert_eq!(asked, "The default of Lock_Timeout is ____, ____ since May, not 145 s.");
        assert_eq!(of("合同金额是45 万元", &["45 万元"]).as_deref(), Ok("合同金额是____"));
    }

    #[test]
    fn what_gives_no_question_says_why() {
        assert_eq!(of("The port is known.", &["8080"]), Err("its text spells no answer"));
        assert_eq!(of("Port 8080.", &["8080"]), Err("too little is left beside the gap"));
    }
}
