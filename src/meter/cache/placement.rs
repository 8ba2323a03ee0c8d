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

/// A breakpoint that a recorded request asked for. Later blocks are counted, because earlier ones may stand in other blocks
/// than the request's: a summary, reasoning that was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where.
    pub spot: Spot,
    /// For how long.
    pub life: Life,
}

/// The place of a [`Mark`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// Behind so many tool definitions.
    Tools(usize),
    /// Behind the system prompt.
    System,
    /// So many blocks of messages follow, reasoning not counted.
    Behind(usize),
}

impl Spot {
    /// Blocks before it; `None`: the prompt has no such place.
    fn blocks(self, prompt: &Prompt) -> Option<usize> {
        let links = prompt.links();
        let messages = links.partition_point(|link| link.block.layer < Layer::Messages);
        match self {
            Self::Tools(tools) => (tools > 0 && tools <= messages).then_some(tools),
            Self::System => (messages > 0).then_some(messages),
            Self::Behind(behind) => {
                let marked = |at: &usize| links[*at].block.sort != Sort::Thinking;
                (messages..links.len()).rev().filter(marked).nth(behind).map(|at| at + 1)
            }
        }
    }
}

/// The breakpoints of recorded marks, in order. Two at one place are one.
pub fn marked(marks: &[Mark], prompt: &Prompt) -> Vec<Breakpoint> {
    let place = |mark: &Mark| mark.spot.blocks(prompt).map(|blocks| Breakpoint { blocks, life: mark.life });
    let mut found: Vec<Breakpoint> = marks.iter().filter_map(place).collect();
    found.sort_by_key(|breakpoint| breakpoint.blocks);
    found.dedup_by_key(|breakpoint| breakpoint.blocks);
    found
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

    /// The lifetime for which messages are written.
    pub fn life(self) -> Life {
        match self {
            Self::None => Life::Short,
            Self::Agent { life, .. } => life,
        }
    }

    /// The same with these lifetimes, of the head and of the messages.
    #[must_use]
    pub fn living(self, (head_life, life): (Life, Life)) -> Self {
        match self {
            Self::None => Self::None,
            Self::Agent { head, last, .. } => Self::Agent { head: head.map(|_| head_life), last, life },
        }
    }

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
        let marks = [(Spot::Tools(1), Life::Long), (Spot::System, Life::Long), (Spot::Behind(2), Life::Short)];
        let marks = marks.map(|(spot, life)| Mark { spot, life });
        let found: Vec<_> = marked(&marks, &prompt(&sorts)).into_iter().map(|one| (one.blocks, one.life)).collect();
        assert_eq!(found, [(1, Life::Long), (2, Life::Long), (6, Life::Short)]);
        // Reasoning is not counted: behind the message of the person four blocks follow.
        let behind = |count| marked(&[Mark { spot: Spot::Behind(count), life: Life::Short }], &prompt(&sorts));
        assert_eq!((behind(4)[0].blocks, behind(0)[0].blocks, behind(5).len()), (3, 8, 0));
        assert_eq!(marked(&[marks[0], marks[1]], &prompt(&[User])), []);
        // A reply of thinking alone has no block that can be marked: the message before it gets the mark.
        assert_eq!(places(Placement::CLAUDE_CODE, &[User, Thinking, User]), [1, 3]);
        assert_eq!(places(Placement::CLAUDE_CODE, &[User, Assistant, Thinking, User]), [2, 4]);
        assert_eq!(places(Placement::PI, &[]), [0; 0]);
    }
}
