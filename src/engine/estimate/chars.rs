//! Characters divided by a constant, per script.

use super::Estimator;
use crate::transcript::{Block, Head, Message, Text, Tokens};

/// A constant number of characters per token.
///
/// Lengths are UTF-16 units, as in JavaScript. A message counts its text, reasoning, tool names and arguments, and is
/// rounded up once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chars {
    /// Characters per token.
    pub per_token: f64,
    /// Chinese, Japanese and Korean characters per token, where they are counted apart.
    pub cjk_per_token: Option<f64>,
}

/// Of CJK Unified Ideographs with extension A, kana, Hangul and full-width forms: what the rules of thumb call Chinese.
fn is_cjk(character: char) -> bool {
    matches!(character, '\u{3000}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7AF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}' | '\u{20000}'..='\u{3FFFF}')
}

impl Chars {
    /// The article's first rule: 3.5 characters per token.
    pub const ARTICLE: Self = Self { per_token: 3.5, cjk_per_token: None };
    /// The article's second rule: about 4 for English, about 1.5 for Chinese.
    pub const ARTICLE_CJK: Self = Self { per_token: 4.0, cjk_per_token: Some(1.5) };

    fn tokens(&self, lengths: Lengths) -> Tokens {
        #[expect(clippy::cast_precision_loss, reason = "lengths of texts are far below 2^52")]
        let quotient = match self.cjk_per_token {
            None => lengths.units as f64 / self.per_token,
            Some(cjk) => lengths.cjk as f64 / cjk + (lengths.units - lengths.cjk) as f64 / self.per_token,
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, far below 2^63")]
        Tokens(quotient.ceil() as u64)
    }

    fn lengths(&self, text: &Text) -> Lengths {
        let units = text.utf16_len();
        // Text whose every character is one byte holds no ideograph.
        if self.cjk_per_token.is_none() || text.byte_len() == text.char_len() {
            return Lengths { units, cjk: 0 };
        }
        let cjk = text.as_str().chars().filter(|&character| is_cjk(character)).map(char::len_utf16).sum();
        Lengths { units, cjk }
    }
}

#[derive(Clone, Copy, Default)]
struct Lengths {
    units: usize,
    cjk: usize,
}

impl std::ops::AddAssign for Lengths {
    fn add_assign(&mut self, other: Self) {
        self.units += other.units;
        self.cjk += other.cjk;
    }
}

impl Estimator for Chars {
    fn message(&self, message: &Message) -> Tokens {
        let mut sum = Lengths::default();
        for block in message.blocks() {
            match block {
                Block::Text(text) | Block::Thinking { text, .. } => sum += self.lengths(text),
                Block::ToolCall(call) => {
                    sum += self.lengths(&call.name);
                    sum += Lengths { units: call.arguments.js_utf16_len(), cjk: 0 };
                }
                Block::Image(_) | Block::Other(_) => {}
            }
        }
        match message {
            Message::Bash(bash) => {
                sum += self.lengths(&bash.command);
                sum += self.lengths(&bash.output);
            }
            Message::BranchSummary(text) | Message::CompactionSummary(text) => sum += self.lengths(text),
            Message::System(system) => sum += self.lengths(&system.content),
            _ => {}
        }
        self.tokens(sum)
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        let mut sum = self.lengths(head.system.as_ref()?);
        for tool in head.tools.as_ref()? {
            for part in [&tool.name, &tool.description, &tool.parameters] {
                sum += self.lengths(&Text::new(part.clone()));
            }
        }
        Some(self.tokens(sum))
    }
}

#[cfg(test)]
mod tests {
    use super::Chars;
    use crate::engine::estimate::Estimator;
    use crate::transcript::{Block, Content, Message, Text, Tokens};

    fn said(text: &str) -> Message {
        Message::User(Content { blocks: vec![Block::Text(Text::from(text))], plain: true })
    }

    #[test]
    fn the_articles_two_rules_disagree() {
        // 8 / 3.5 = 2.29, 8 / 4 = 2.
        assert_eq!(Chars::ARTICLE.message(&said("eight ch")), Tokens(3));
        assert_eq!(Chars::ARTICLE_CJK.message(&said("eight ch")), Tokens(2));
        // 6 / 3.5 = 1.71; 4 / 1.5 + 2 / 4 = 3.17.
        assert_eq!(Chars::ARTICLE.message(&said("请修复ab。")), Tokens(2));
        assert_eq!(Chars::ARTICLE_CJK.message(&said("请修复ab。")), Tokens(4));
    }
}
