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

/// The rule with its polarity turned round; `None` where no known word carries it.
pub(super) fn inverted(rule: &str) -> Option<String> {
    let (from, to) = TURNS.iter().find(|(from, _)| {
        // Words that begin a sentence count at the beginning only.
        let begins = from.starts_with(char::is_uppercase);
        if begins { rule.starts_with(from) } else { rule.contains(from) }
    })?;
    Some(rule.replacen(from, to, 1))
}

#[cfg(test)]
mod tests {
    use super::inverted;

    #[test]
    fn the_word_that_carries_the_rule_is_exchanged() {
        assert_eq!(inverted("Do not tag: Mirja does it.").as_deref(), Some("You may tag: Mirja does it."));
        assert_eq!(
            inverted("The package must keep running on Python 3.9.").as_deref(),
            Some("The package need not keep running on Python 3.9.")
        );
        assert_eq!(inverted("不要修改数据库结构。").as_deref(), Some("可以修改数据库结构。"));
        assert_eq!(inverted("Leave JitterClock alone."), None);
    }
}
