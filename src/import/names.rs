//! Words that hardly ever change within a session: each is kept once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::transcript::{Block, Message, Text};

/// So many words are compared one by one, which is faster than to hash them; a session has hardly more.
const FEW: usize = 8;

/// The words so far.
#[derive(Default)]
pub(super) struct Names {
    words: HashSet<Arc<str>>,
    /// The first words.
    few: Vec<Arc<str>>,
    /// Tools that were called, by their name.
    called: HashMap<Arc<str>, Arc<Text>>,
    /// The first tools that were called.
    few_called: Vec<Arc<Text>>,
}

impl Names {
    /// `name`, the same for equal ones.
    pub(super) fn shared(&mut self, name: &str) -> Arc<str> {
        let few = self.few.iter().find(|known| ***known == *name);
        if let Some(known) = few.or_else(|| self.words.get(name)) {
            return known.clone();
        }
        let new: Arc<str> = name.into();
        if self.few.len() < FEW {
            self.few.push(new.clone());
        }
        self.words.insert(new.clone());
        new
    }

    /// Shares the names of a message: of a reply API, provider, model and the tools called, of a result its tool.
    pub(super) fn share(&mut self, message: &mut Message) {
        match message {
            Message::Assistant(content, reply) => {
                for name in [&mut reply.api, &mut reply.provider, &mut reply.model] {
                    *name = self.shared(name);
                }
                self.share_calls(&mut content.blocks);
            }
            Message::ToolResult(result) => result.tool = self.shared(&result.tool),
            _ => {}
        }
    }

    /// Shares the tools that blocks call.
    pub(super) fn share_calls(&mut self, blocks: &mut [Block]) {
        for block in blocks {
            let Block::ToolCall(call) = block else { continue };
            let few = self.few_called.iter().find(|known| known.as_str() == call.name.as_str());
            if let Some(known) = few.or_else(|| self.called.get(call.name.as_str())) {
                call.name = known.clone();
            } else {
                let word = self.shared(call.name.as_str());
                if self.few_called.len() < FEW {
                    self.few_called.push(call.name.clone());
                }
                self.called.insert(word, call.name.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Names;
    use crate::transcript::{Block, Content, JsonText, Message, Text, ToolCall, ToolResult};

    #[test]
    fn equal_names_are_one() {
        let mut names = Names::default();
        let (a, b, other) = (names.shared("model"), names.shared("model"), names.shared("other"));
        assert!(Arc::ptr_eq(&a, &b) && !Arc::ptr_eq(&a, &other));
        assert_eq!((&*b, &*other), ("model", "other"));
        // Also those that come after the first few.
        let many: Vec<Arc<str>> = (0..20).map(|at| names.shared(&at.to_string())).collect();
        assert!((0..20).all(|at| Arc::ptr_eq(&names.shared(&at.to_string()), &many[at])));
    }

    #[test]
    fn tools_of_calls_and_results_are_shared() {
        let mut names = Names::default();
        let call = |name: &str| {
            let arguments = JsonText::new("{}").unwrap();
            Block::ToolCall(ToolCall { id: "c".into(), name: Text::from(name).into(), arguments })
        };
        let mut blocks = vec![call("read"), Block::Text("read".into()), call("read"), call("write")];
        names.share_calls(&mut blocks);
        let [Block::ToolCall(one), _, Block::ToolCall(two), Block::ToolCall(other)] = &blocks[..] else { panic!() };
        assert!(Arc::ptr_eq(&one.name, &two.name) && !Arc::ptr_eq(&one.name, &other.name));
        assert_eq!((two.name.as_str(), other.name.as_str()), ("read", "write"));

        let mut result = || {
            let (call_id, tool, content) = ("c".into(), "read".into(), Content::default());
            let result = ToolResult { call_id, tool, content, is_error: false, details: None, nested_calls: None };
            let mut message = Message::ToolResult(Box::new(result));
            names.share(&mut message);
            let Message::ToolResult(result) = message else { panic!() };
            result.tool
        };
        let (one, two) = (result(), result());
        assert!(Arc::ptr_eq(&one, &two));
        assert_eq!(&*one, "read");
    }
}
