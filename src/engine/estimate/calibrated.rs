//! Tokens per UTF-16 unit by content class, fitted on recorded or counted sessions (`cutpoint estimate --calibrate`).

use serde::{Deserialize, Serialize};

use super::{Estimator, ceil, real};
use crate::transcript::class::{CLASSIFIER_VERSION, ContentClass, message_parts};
use crate::transcript::{Head, Message, Text, Tokens};

/// Coefficients of a calibrated estimator. The classes are those of [`crate::transcript::class`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Coefficients {
    /// Version of the classes that they were fitted with.
    pub classifier: u32,
    /// Tokens per message.
    pub message: f64,
    /// Tokens per UTF-16 unit of prose.
    pub prose: f64,
    /// Of code.
    pub code: f64,
    /// Of JSON and tool calls.
    pub json: f64,
    /// Of diffs.
    pub diff: f64,
    /// Of logs and listings.
    pub log: f64,
    /// Of Chinese, Japanese and Korean text.
    pub cjk: f64,
    /// Of base64 and hexadecimal data.
    pub encoded: f64,
    /// Tokens per picture.
    pub image: f64,
    /// Tokens per UTF-16 unit of tool schemas.
    pub tool_schema: f64,
    /// Of reasoning.
    pub thinking: f64,
}

impl Coefficients {
    /// Fitted on nothing: a quarter of a token everywhere, 1,200 for a picture.
    pub const FLAT: Self = Self {
        classifier: CLASSIFIER_VERSION,
        message: 0.0,
        prose: 0.25,
        code: 0.25,
        json: 0.25,
        diff: 0.25,
        log: 0.25,
        cjk: 0.25,
        encoded: 0.25,
        image: 1_200.0,
        tool_schema: 0.25,
        thinking: 0.25,
    };

    /// The coefficient of a class.
    pub fn of(&self, class: ContentClass) -> f64 {
        let mut copy = *self;
        *copy.of_mut(class)
    }

    /// All of them, in the order of the classes; that of a message is the last.
    pub fn all(&self) -> Vec<f64> {
        ContentClass::ALL.iter().map(|&class| self.of(class)).chain([self.message]).collect()
    }

    /// A short name for these numbers: equal numbers have equal names (FNV-1a over their bits).
    pub fn fingerprint(&self) -> String {
        let bytes = self.all().into_iter().flat_map(|number| number.to_bits().to_le_bytes());
        let hash = bytes
            .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        format!("{:08x}", hash >> 32)
    }

    /// The coefficient of a class, to be set.
    pub fn of_mut(&mut self, class: ContentClass) -> &mut f64 {
        match class {
            ContentClass::Prose => &mut self.prose,
            ContentClass::Code => &mut self.code,
            ContentClass::Json => &mut self.json,
            ContentClass::Diff => &mut self.diff,
            ContentClass::Log => &mut self.log,
            ContentClass::Cjk => &mut self.cjk,
            ContentClass::Encoded => &mut self.encoded,
            ContentClass::Image => &mut self.image,
            ContentClass::ToolSchema => &mut self.tool_schema,
            ContentClass::Thinking => &mut self.thinking,
        }
    }
}

/// Estimates with coefficients per class. It reads every text once to tell its class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibrated(pub Coefficients);

/// UTF-16 units.
fn units(text: &str) -> u64 {
    Text::new(text).utf16_len() as u64
}

impl Estimator for Calibrated {
    fn message(&self, message: &Message) -> Tokens {
        let mut sum = self.0.message;
        message_parts(message, |class, _, text| sum += self.0.of(class) * text.map_or(1.0, |text| real(units(text))));
        ceil(sum.max(0.0))
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        let system = head.system.as_ref()?;
        let tools = head.tools.as_ref()?.iter().flat_map(|tool| [&tool.name, &tool.description, &tool.parameters]);
        let schemas: u64 = tools.map(|part| units(part)).sum();
        let class = ContentClass::of_text(system.as_str());
        Some(ceil(self.0.of(class) * real(system.utf16_len() as u64) + self.0.tool_schema * real(schemas)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Calibrated, Coefficients};
    use crate::engine::estimate::Estimator;
    use crate::transcript::{Block, Content, Image, Message, Text, Tokens};

    #[test]
    fn every_class_has_its_own_rate() {
        let estimator = Calibrated(Coefficients { message: 2.0, cjk: 0.75, image: 85.0, ..Coefficients::FLAT });
        let image = Image { data: "aGk=".into(), media_type: "image/png".into() };
        let text = |text: &str| Block::Text(Text::from(text));
        let said = |blocks| Message::User(Content { blocks, plain: false });
        // 2 + 8 × 0.75; 2 + 20 × 0.25 + 85.
        assert_eq!(estimator.message(&said(vec![text("请先看一下解析器")])), Tokens(8));
        assert_eq!(estimator.message(&said(vec![text("Please look at this."), Block::Image(image)])), Tokens(92));
    }
}
