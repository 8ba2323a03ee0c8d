//! The files that were touched last, by name.

use super::Recovery;
use crate::engine::cut::CutPlan;
use crate::engine::view::ContextView;
use crate::transcript::json::js;
use crate::transcript::{Block, Content, Message, Text, ToolCall};

/// Names the files that the dropped part touched last (the article's `preserveRecentFiles`).
#[derive(Clone, Copy, Debug)]
pub struct RecentFiles {
    /// How many.
    pub count: usize,
}

impl Recovery for RecentFiles {
    fn recover(&self, before: &ContextView<'_>, plan: &CutPlan) -> Vec<Message> {
        let mut paths: Vec<String> = Vec::new();
        let calls = before.messages(0..plan.kept_from).rev().flat_map(|message| message.blocks().iter().rev());
        for path in calls.filter_map(|block| if let Block::ToolCall(call) = block { touched(call) } else { None }) {
            if paths.len() == self.count {
                break;
            }
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        if paths.is_empty() {
            return Vec::new();
        }
        let text = format!("Files in use before this point, newest first:\n{}", paths.join("\n"));
        vec![Message::User(Content { blocks: vec![Block::Text(Text::new(text))], plain: true })]
    }
}

fn touched(call: &ToolCall) -> Option<String> {
    let known = matches!(call.name.as_str(), "read" | "write" | "edit");
    js::text_member(call.arguments.as_str(), "path").filter(|path| known && !path.is_empty())
}
