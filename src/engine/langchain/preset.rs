//! The settings Deep Agents starts with.

use super::arguments::TruncateArguments;
use super::number::share;
use super::trigger::{Fraction, Size, Trigger};
use crate::transcript::Tokens;

/// Settings of the summarization middleware.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// When to compact.
    pub trigger: Trigger,
    /// What to keep.
    pub keep: Size,
    /// Argument truncation; `None` = off.
    pub truncate: Option<TruncateArguments>,
    /// Budget of the summarizer's input; `None` = all of it.
    pub trim: Option<Tokens>,
}

impl Settings {
    /// What `create_deep_agent` installs (deepagents 0.7.32): shares of the input limit where the model's profile gives
    /// one, else fixed numbers.
    pub fn factory(limit: Option<Tokens>) -> Self {
        let fraction = |value| Fraction::new(value).map(Size::Fraction);
        let (trigger, keep, arguments) = match (limit, fraction(0.85), fraction(0.10)) {
            (Some(_), Some(most), Some(tenth)) => (most, tenth, (most, tenth)),
            _ => (Size::Tokens(Tokens(170_000)), Size::Messages(6), (Size::Messages(20), Size::Messages(20))),
        };
        let (when, spare) = arguments;
        let max_length = TruncateArguments::MAX_LENGTH;
        let truncate = TruncateArguments { trigger: when, keep: spare, max_length };
        Self { trigger: trigger.into(), keep, truncate: Some(truncate), trim: None }
    }

    /// The middleware built directly with a trigger (langchain 1.5.2 and deepagents 0.7.32): twenty messages kept, the
    /// summarizer's input trimmed to 4,000 tokens, arguments left whole.
    pub fn direct(trigger: Trigger) -> Self {
        Self { trigger, keep: Size::Messages(20), truncate: None, trim: Some(Tokens(4_000)) }
    }
}

/// The second trigger: above `int(limit × 0.95)` less the largest output the model may write, Deep Agents compacts
/// whatever its trigger says.
pub fn input_budget(limit: Option<Tokens>, max_output: Tokens) -> Option<Tokens> {
    limit.map(|limit| share(limit, 0.95).saturating_sub(max_output))
}

#[cfg(test)]
mod tests {
    use super::input_budget;
    use crate::transcript::Tokens;

    #[test]
    fn the_budget_leaves_room_for_the_reply() {
        // 190,000 - 64,000 and 950,000 - 128,000.
        assert_eq!(input_budget(Some(Tokens(200_000)), Tokens(64_000)), Some(Tokens(126_000)));
        assert_eq!(input_budget(Some(Tokens(1_000_000)), Tokens(128_000)), Some(Tokens(822_000)));
        assert_eq!(input_budget(Some(Tokens(10)), Tokens(64_000)), Some(Tokens(0)));
        assert_eq!(input_budget(None, Tokens(64_000)), None);
    }
}
