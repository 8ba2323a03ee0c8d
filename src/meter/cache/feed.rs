//! From the live context of a replay to the prompt that a provider's cache sees. Only what is new is appended.

use std::collections::HashMap;
use std::sync::Arc;

use super::block::{Block, Layer, Prompt, Settings, Sort};
use super::table::{BlockTable, message_blocks};
use crate::replay::{CountCache, Kind, Live, Source};
use crate::transcript::{Message, Role, Tokens};

/// What becomes of reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reasoning {
    /// It stays in the prompt: newer models.
    #[default]
    Kept,
    /// It is sent within its turn and left out when the person speaks again: older models.
    DroppedByTurn,
}

/// The prompt of a replay.
#[derive(Debug)]
pub struct Feed<'t> {
    table: &'t BlockTable,
    counts: &'t CountCache,
    reasoning: Reasoning,
    prompt: Prompt,
    /// Where the blocks of each item end.
    ends: Vec<usize>,
    /// Blocks of messages that a strategy made; the message is held, so that its address stays its own.
    made: HashMap<usize, (Arc<Message>, Vec<Block>)>,
    /// The first item of the current turn that holds reasoning.
    thought: Option<usize>,
    /// Blocks before the first one that the last call pushed.
    fresh: usize,
    begun: bool,
}

impl<'t> Feed<'t> {
    /// An empty prompt over the blocks of a transcript.
    pub fn new(table: &'t BlockTable, counts: &'t CountCache, reasoning: Reasoning) -> Self {
        Self {
            table,
            counts,
            reasoning,
            prompt: Prompt::default(),
            ends: Vec::new(),
            made: HashMap::new(),
            thought: None,
            fresh: 0,
            begun: false,
        }
    }

    /// The prompt of the request that is about to be sent. Called once per request, before the context moves on.
    pub fn request(&mut self, live: &Live<'_>, settings: Settings) -> &mut Prompt {
        let mut keep = live.unchanged_items().min(self.ends.len());
        if !self.begun || self.prompt.settings() != settings {
            self.begun = true;
            self.prompt = Prompt::new(settings);
            self.table.head().iter().for_each(|&block| self.prompt.push(block));
            self.ends.clear();
            keep = 0;
        }
        self.cut(keep);
        self.fresh = self.prompt.len();
        self.thought = self.thought.filter(|&item| item < keep);
        for index in keep..live.view().len() {
            self.item(live, index);
        }
        &mut self.prompt
    }

    /// What becomes of reasoning from now on: it differs by model, and another model is another prompt.
    pub fn set_reasoning(&mut self, reasoning: Reasoning) {
        self.reasoning = reasoning;
    }

    /// Blocks of the prompt that stood there before the last call.
    pub fn fresh(&self) -> usize {
        self.fresh
    }

    /// The prompt as it stands, to be fitted to a size that is known.
    pub fn prompt_mut(&mut self) -> &mut Prompt {
        &mut self.prompt
    }

    /// The prompt as it stands.
    pub fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    /// Keeps the blocks of the first so many items.
    fn cut(&mut self, items: usize) {
        self.ends.truncate(items);
        let head = self.table.head().len();
        self.prompt.truncate(self.ends.last().copied().unwrap_or(head));
        self.fresh = self.fresh.min(self.prompt.len());
    }

    fn item(&mut self, live: &Live<'_>, index: usize) {
        let speaks = |role| !matches!(role, Role::Assistant | Role::ToolResult | Role::System);
        let is_turn = matches!(live.view().kind(index), Kind::Message(role) if speaks(role)) && live.is_sent(index);
        if let Some(from) = self.thought.filter(|_| is_turn && self.reasoning == Reasoning::DroppedByTurn) {
            self.cut(from);
            for earlier in from..index {
                self.push(live, earlier, |block| block.sort != Sort::Thinking);
            }
        }
        if is_turn {
            self.thought = None;
        }
        let thinks = self.push(live, index, |_| true);
        if thinks {
            self.thought.get_or_insert(index);
        }
    }

    /// Pushes the blocks of an item that `keep` keeps. Says whether reasoning is among them.
    fn push(&mut self, live: &Live<'_>, index: usize, keep: impl Fn(&Block) -> bool) -> bool {
        let mut thinks = false;
        if live.is_sent(index) {
            let tokens = live.reference().at(index);
            let blocks = match &live.view().items()[index].source {
                Source::Entry(idx) => self.table.entry(*idx),
                Source::Changed(_, message) | Source::Made(message) => {
                    made(&mut self.made, self.counts, message, tokens)
                }
                Source::Omitted(_) | Source::Nothing => &[],
            };
            for block in blocks.iter().filter(|block| keep(block)) {
                thinks |= block.sort == Sort::Thinking;
                self.prompt.push(*block);
            }
        }
        self.ends.push(self.prompt.len());
        thinks
    }

    /// Blocks before the messages.
    pub fn head_blocks(&self) -> usize {
        self.prompt.links().partition_point(|link| link.block.layer < Layer::Messages)
    }
}

fn made<'m>(
    known: &'m mut HashMap<usize, (Arc<Message>, Vec<Block>)>,
    counts: &CountCache,
    message: &Arc<Message>,
    tokens: Tokens,
) -> &'m [Block] {
    let blocks = || (Arc::clone(message), message_blocks(message, tokens, &|text| counts.count(text)));
    &known.entry(Arc::as_ptr(message) as usize).or_insert_with(blocks).1
}
