//! Where an agent puts breakpoints.

use super::block::{Layer, Link, Prompt, Sort};
use super::rules::Life;

/// A place up to which a prompt shall be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breakpoint {
    /// Blocks before it.
    pub blocks: usize,
    /// For how long.
    pub life: Life,
}

/// A policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// None: the provider caches by itself, or not at all.
    None,
    /// At the end of the head, and at the last block of the last messages.
    Agent {
        /// The head's own breakpoint, and its lifetime.
        head: Option<Life>,
        /// So many of the last messages get one. Pi and automatic caching: 1; Claude Code: 2.
        last: usize,
        /// Their lifetime.
        life: Life,
    },
}

impl Placement {
    /// Pi: the system prompt and the last message of the user's side.
    pub const PI: Self = Self::Agent { head: Some(Life::Short), last: 1, life: Life::Short };
    /// Claude Code: the system prompt, the last reply, and what follows it.
    pub const CLAUDE_CODE: Self = Self::Agent { head: Some(Life::Short), last: 2, life: Life::Short };
    /// A single breakpoint that moves along: automatic caching.
    pub const TAIL: Self = Self::Agent { head: None, last: 1, life: Life::Short };

    /// The breakpoints of a prompt, in order.
    pub fn place(self, prompt: &Prompt) -> Vec<Breakpoint> {
        let Self::Agent { head, last, life } = self else { return Vec::new() };
        let links = prompt.links();
        let messages = links.partition_point(|link| link.block.layer < Layer::Messages);
        let mut found = Vec::new();
        let mut end = links.len();
        while found.len() < last && end > messages {
            let start = message_start(&links[messages..end]) + messages;
            // Thinking cannot be marked: the nearest earlier block is.
            let marked = links[start..end].iter().rposition(|link| link.block.sort != Sort::Thinking);
            found.extend(marked.map(|at| Breakpoint { blocks: start + at + 1, life }));
            end = start;
        }
        found.extend(head.filter(|_| messages > 0).map(|life| Breakpoint { blocks: messages, life }));
        found.reverse();
        found
    }
}

/// Where the last message begins: blocks of one side that follow each other are one.
fn message_start(links: &[Link]) -> usize {
    let side = |link: &Link| link.block.sort.is_reply();
    let Some(last) = links.last().map(side) else { return 0 };
    links.iter().rposition(|link| side(link) != last).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::super::block::{Block, Settings};
    use super::*;
    use crate::transcript::Tokens;

    fn prompt(sorts: &[Sort]) -> Prompt {
        let mut prompt = Prompt::new(Settings::default());
        for (index, &sort) in sorts.iter().enumerate() {
            let layer = match sort {
                Sort::Tool => Layer::Tools,
                Sort::System => Layer::System,
                _ => Layer::Messages,
            };
            prompt.push(Block::new(layer, sort, &index.to_string(), Tokens(10)));
        }
        prompt
    }

    fn places(placement: Placement, sorts: &[Sort]) -> Vec<usize> {
        placement.place(&prompt(sorts)).iter().map(|breakpoint| breakpoint.blocks).collect()
    }

    #[test]
    fn results_of_parallel_calls_are_one_message() {
        use Sort::{Assistant, Call, Result, System, Thinking, Tool, User};
        let sorts = [Tool, System, User, Thinking, Call, Call, Result, Result];
        assert_eq!(places(Placement::CLAUDE_CODE, &sorts), [2, 6, 8]);
        assert_eq!(places(Placement::PI, &sorts), [2, 8]);
        assert_eq!(places(Placement::TAIL, &sorts), [8]);
        assert_eq!(places(Placement::None, &sorts), [0; 0]);
        // A reply of thinking alone has no block that can be marked: the message before it gets the mark.
        assert_eq!(places(Placement::CLAUDE_CODE, &[User, Thinking, User]), [1, 3]);
        assert_eq!(places(Placement::CLAUDE_CODE, &[User, Assistant, Thinking, User]), [2, 4]);
        assert_eq!(places(Placement::PI, &[]), [0; 0]);
    }
}
