//! A rule turned round, for a forced choice.

/// Words that make a rule, and words that take it back. The first that stands in the rule is exchanged.
const TURNS: [(&str, &str); 14] = [
    ("Do not ", "You may "),
    ("do not ", "you may "),
    ("Don't ", "You may "),
    ("Never ", "Whenever it helps, "),
    (" must not ", " may "),
    (" must never ", " may "),
    (" must keep ", " need not keep "),
    (" must ", " need not "),
    (" should not ", " may "),
    (" never ", " always "),
    ("No ", "Any number of "),
    ("Only ", "Not only "),
    ("不要", "可以"),
    ("必须", "不必"),
];

/// The first clause of a rule, and the same with its polarity turned round; `None` where no known word in it carries the
/// polarity. What follows the clause explains it, and would tell which of the two is made up.
pub(super) fn inverted(rule: &str) -> Option<(&str, String)> {
    let ends = [", ", ": ", "; ", ". ", "，", "：", "；", "。"].iter().filter_map(|mark| rule.find(mark));
    let rule = rule[..ends.min().unwrap_or(rule.len())].trim_end_matches('.');
    let (from, to) = TURNS.iter().find(|(from, _)| {
        // Words that begin a sentence count at the beginning only.
        let begins = from.starts_with(char::is_uppercase);
        if begins { rule.starts_with(from) } else { rule.contains(from) }
    })?;
    Some((rule, rule.replacen(from, to, 1)))
}

#[cfg(test)]
mod tests {
    use super::inverted;

    #[test]
    fn the_word_that_carries_the_rule_is_exchanged() {
        let of = |rule: &'static str| inverted(rule).map(|(rule, turned)| format!("{rule} | {turned}"));
        assert_eq!(of("Do not tag: Mirja does it.").as_deref(), Some("Do not tag | You may tag"));
        let python = "The package must keep running on Python 3.9.";
        let both = "The package must keep running on Python 3.9 | The package need not keep running on Python 3.9";
        assert_eq!(of(python).as_deref(), Some(both));
        assert_eq!(of("不要修改数据库结构。").as_deref(), Some("不要修改数据库结构 | 可以修改数据库结构"));
        assert_eq!(of("Leave JitterClock alone, and do not touch it."), None, "the clause itself must carry it");
    }
}
