//! `count_tokens_approximately`: characters divided by a constant, plus a constant per message.

use super::calls;
use super::message::{ChatMessage, Content, Measured, Part, Role};
use super::number::{ceil, float, tokens};
use crate::transcript::json::python;
use crate::transcript::{Tokens, ToolSchema};

/// What one message contributes, measured once: independent of the estimator's constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// Code points of text, role, calls and call id; the name is kept apart.
    pub chars: usize,
    /// Code points of the name.
    pub name: usize,
    /// Pictures, which cost tokens and no characters.
    pub images: usize,
}

impl Measure {
    /// Measures `message`.
    ///
    /// Calls count only when the content is a string: the package skips them for any list, even one that does not
    /// repeat them as blocks. Invalid calls never count.
    pub fn of(message: &ChatMessage<'_>) -> Self {
        let mut measure =
            Self { chars: message.role.openai_chars(), name: message.name.as_deref().map_or(0, count), images: 0 };
        match &message.content {
            Content::Text(pieces) => {
                measure.chars += pieces.iter().map(Measured::chars).sum::<usize>();
                if message.role == Role::Ai {
                    measure.chars += calls::repr_chars(&message.calls);
                }
            }
            Content::Parts(parts) => parts.iter().for_each(|part| measure.add(part)),
        }
        if message.role == Role::Tool {
            measure.chars += message.answers.as_deref().map_or(0, count);
        }
        measure
    }

    fn add(&mut self, part: &Part<'_>) {
        if matches!(part, Part::Image(_)) {
            self.images += 1;
        } else {
            self.chars += part.measured().map_or_else(|| calls::block_repr_chars(part), Measured::chars);
        }
    }
}

/// Python's `len` of a text.
pub(super) fn count(text: &str) -> usize {
    bytecount::num_chars(text.as_bytes())
}

/// The constants of the estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimator {
    /// Characters per token.
    pub chars_per_token: f64,
    /// Tokens added for each message.
    pub extra_per_message: f64,
    /// Whether names count.
    pub count_name: bool,
    /// Tokens per picture.
    pub per_image: u64,
}

impl Estimator {
    /// The package's defaults.
    pub const DEFAULT: Self = Self { chars_per_token: 4.0, extra_per_message: 3.0, count_name: true, per_image: 85 };

    /// What the middleware uses for models whose type begins with `anthropic-chat`.
    pub const ANTHROPIC: Self = Self { chars_per_token: 3.3, ..Self::DEFAULT };

    fn exact(&self, measure: &Measure) -> f64 {
        let chars = measure.chars + if self.count_name { measure.name } else { 0 };
        let images = float(self.per_image * tokens(measure.images).0);
        float(ceil(float(tokens(chars).0) / self.chars_per_token)) + self.extra_per_message + images
    }

    /// One message, rounded up. With a whole `extra_per_message` these add up to [`Estimator::total`].
    pub fn message(&self, measure: &Measure) -> Tokens {
        Tokens(ceil(self.exact(measure)))
    }

    /// [`Estimator::message`] of a message that was not measured before.
    pub fn of(&self, message: &ChatMessage<'_>) -> Tokens {
        self.message(&Measure::of(message))
    }

    /// Tool schemas together, from the sum of their [`tool_chars`].
    pub fn tools(&self, chars: usize) -> Tokens {
        Tokens(ceil(float(tokens(chars).0) / self.chars_per_token))
    }

    /// Messages together, rounded once more at the end.
    pub fn total<'m>(&self, measures: impl IntoIterator<Item = &'m Measure>) -> Tokens {
        Tokens(ceil(measures.into_iter().map(|measure| self.exact(measure)).sum()))
    }
}

/// Characters of a tool given as JSON: `len(json.dumps(tool))`, with `\uXXXX` for everything outside ASCII, so that a
/// Chinese character costs six. `None` when it is not JSON.
pub fn tool_chars(raw: &str) -> Option<usize> {
    python::dumps_char_len(raw, true)
}

/// [`tool_chars`] of `{"name", "description", "parameters"}`.
pub fn tool_schema_chars(tool: &ToolSchema) -> Option<usize> {
    const FRAME: usize = r#"{"name": , "description": , "parameters": }"#.len();
    let text = |text: &str| python::dumps_char_len(&serde_json::to_string(text).ok()?, true);
    Some(FRAME + text(&tool.name)? + text(&tool.description)? + tool_chars(&tool.parameters)?)
}

#[cfg(test)]
mod tests {
    use super::{Estimator, Measure};
    use crate::engine::langchain::{ChatMessage, Content, Role};
    use crate::transcript::{Tokens, ToolSchema};

    #[test]
    fn an_empty_message_costs_its_role_and_the_constant() {
        // ceil(4/4)+3, ceil(9/4)+3, ceil(6/4)+3.
        for (role, tokens) in [(Role::Human, 4), (Role::Ai, 6), (Role::System, 5)] {
            let measure = Measure::of(&ChatMessage::new(role, Content::Text(Vec::new())));
            assert_eq!(Estimator::DEFAULT.message(&measure), Tokens(tokens));
        }
    }

    #[test]
    fn a_schema_is_counted_as_ascii() {
        let tool = ToolSchema { name: "q".into(), description: "查".into(), parameters: "{}".into() };
        // {"name": "q", "description": "\u67e5", "parameters": {}}
        assert_eq!(super::tool_schema_chars(&tool), Some(56));
    }
}
