//! The dropped part stays within reach: in a file, or behind a search.

use super::Recovery;
use crate::engine::cut::CutPlan;
use crate::engine::view::ContextView;
use crate::transcript::{Block, Content, Message, Text};

/// Tells the agent how to get at what was dropped. Nothing is written: a replay has no files.
#[derive(Clone, Debug)]
pub struct History {
    /// What it is told.
    pub note: String,
}

impl History {
    /// The history lies in this file, as Deep Agents and Gemini CLI leave it.
    pub fn file(path: &str) -> Self {
        Self {
            note: format!(
                "The whole conversation before this point is stored in {path}. Read it where a detail is missing."
            ),
        }
    }

    /// The history can be searched.
    pub fn search(tool: &str) -> Self {
        Self { note: format!("The conversation before this point can be searched with the tool {tool}.") }
    }
}

/// A message of the person with one plain text.
pub(super) fn note(text: String) -> Message {
    Message::User(Content { blocks: vec![Block::Text(Text::new(text))], plain: true })
}

impl Recovery for History {
    fn recover(&self, _: &ContextView<'_>, _: &CutPlan) -> Vec<Message> {
        vec![note(self.note.clone())]
    }
}
