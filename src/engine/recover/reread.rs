//! Files that are read again after a cut.

use std::collections::HashSet;

use super::Recovery;
use super::history::note;
use crate::engine::cut::CutPlan;
use crate::engine::view::ContextView;
use crate::transcript::json::js;
use crate::transcript::{Action, Block, Message, ToolCall, joined_text, touches};

/// Names of files with rules for agents.
const RULES: [&str; 5] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".cursorrules", "AGENTS.override.md"];

/// Puts the files that were in use last back, modified ones first, and files with rules. The limits are Claude Code's (five
/// files, 5,000 tokens each, 50,000 in all; a larger file returns as a path). A replay has no disk: the content is the last
/// that the dropped part shows of the file.
#[derive(Clone, Copy, Debug)]
pub struct Reread {
    /// The most files.
    pub count: usize,
    /// The most tokens of a file, by characters / 4.
    pub file_tokens: u64,
    /// The most tokens of all files.
    pub total_tokens: u64,
    /// Files with rules come back too, outside of the count.
    pub rules: bool,
}

/// A file as the dropped part last shows it.
struct Shown {
    path: String,
    modified: bool,
    content: Option<String>,
}

impl Reread {
    /// The files of the dropped part, the newest touch first.
    fn shown(before: &ContextView<'_>, plan: &CutPlan) -> Vec<Shown> {
        let mut results = std::collections::HashMap::new();
        let (mut shown, mut known): (Vec<Shown>, HashSet<String>) = (Vec::new(), HashSet::new());
        for message in before.messages(0..plan.kept_from).rev() {
            if let Message::ToolResult(result) = message {
                results.insert(&*result.call_id, result);
            }
            for block in message.blocks().iter().rev() {
                let Block::ToolCall(call) = block else { continue };
                for touch in touches(call) {
                    if !known.insert(touch.path.clone()) {
                        continue;
                    }
                    let read = || results.get(&*call.id).map(|result| joined_text(&result.content).into_owned());
                    let content = match touch.action {
                        Action::Read => read(),
                        Action::Modify => written(call),
                    };
                    let modified = touch.action == Action::Modify;
                    shown.push(Shown { path: touch.path, modified, content });
                }
            }
        }
        shown.sort_by_key(|file| !file.modified);
        shown
    }
}

/// The whole content that a call writes, if it writes a whole file.
fn written(call: &ToolCall) -> Option<String> {
    ["content", "file_text"].iter().find_map(|key| js::text_member(call.arguments.as_str(), key))
}

fn has_rules(path: &str) -> bool {
    path.rsplit(['/', '\\']).next().is_some_and(|name| RULES.contains(&name))
}

impl Recovery for Reread {
    fn recover(&self, before: &ContextView<'_>, plan: &CutPlan) -> Vec<Message> {
        let shown = Self::shown(before, plan);
        let (rules, files): (Vec<Shown>, Vec<Shown>) = shown.into_iter().partition(|file| has_rules(&file.path));
        let mut left = self.total_tokens;
        let mut back = Vec::new();
        for file in rules.into_iter().filter(|_| self.rules).chain(files.into_iter().take(self.count)) {
            let tokens = file.content.as_ref().map(|content| (content.len() as u64).div_ceil(4));
            match (file.content, tokens.filter(|&tokens| tokens <= self.file_tokens && tokens <= left)) {
                (Some(content), Some(tokens)) => {
                    left -= tokens;
                    back.push(note(format!("Read again: {}\n{content}", file.path)));
                }
                _ => back.push(note(format!("In use before: {}", file.path))),
            }
        }
        back
    }
}

#[cfg(test)]
mod tests {
    use super::Reread;
    use crate::engine::cut::CutPlan;
    use crate::engine::recover::Recovery;
    use crate::engine::sketch::{reply, result, session, user};
    use crate::engine::view::{ContextView, Item};
    use crate::transcript::{EntryIdx, StopReason, Tokens, user_text};

    #[test]
    fn modified_files_come_first_and_large_ones_as_a_path() {
        let long = "x".repeat(100);
        let write = format!(r#"{{"path":"big.rs","content":"{long}"}}"#);
        let calls = [
            ("c1", "read", r#"{"path":"AGENTS.md"}"#),
            ("c2", "read", r#"{"path":"a.rs"}"#),
            ("c3", "write", write.as_str()),
        ];
        let asked = reply("", &calls, StopReason::ToolUse);
        let messages = [user("go"), asked, result("c1", "be kind"), result("c2", "fn a"), result("c3", "ok")];
        let transcript = session(messages.map(Some));
        let mut view = ContextView::new(&transcript, None);
        for index in 0..5 {
            view.push(Item::entry(&transcript, EntryIdx(index)), Tokens(1));
        }
        let reread = Reread { count: 2, file_tokens: 20, total_tokens: 1_000, rules: true };
        let back = reread.recover(&view, &CutPlan::at(0, 5));
        let texts: Vec<String> = back.iter().map(|one| user_text(one).unwrap().into_owned()).collect();
        assert_eq!(texts, ["Read again: AGENTS.md\nbe kind", "In use before: big.rs", "Read again: a.rs\nfn a"]);
    }
}
