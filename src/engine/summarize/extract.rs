//! Summaries by extraction, without a model: the two ends between which every summarizer lies.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use super::{Completer, Summarizer, Summary, SummaryError, SummaryJob};
use crate::transcript::{Block, Content, EntryIdx, Message, Text, Tokens};

/// Something worth knowing that an annotation names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The last entry that states it.
    pub from: EntryIdx,
    /// The entry that replaces it by something newer.
    pub until: Option<EntryIdx>,
    /// In words.
    pub text: String,
}

/// What an extract takes from the dropped part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Lines by lot, in their order: what a summary of this length keeps by chance.
    Random,
    /// Everything that looks like a name, each once, the newest first: a cheat that any measure by names must show as what it
    /// is.
    Anchors,
    /// The annotated facts. It knows what no strategy can know: an upper bound, not a competitor.
    Oracle(Vec<Fact>),
}

/// An extract of at most so many tokens, by characters / 4.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    /// What to take.
    pub pick: Pick,
    /// How much.
    pub budget: Tokens,
}

const CHARS_PER_TOKEN: u64 = 4;

impl Summarizer for Extract {
    fn summarize(&self, job: &SummaryJob<'_, '_>, _: &dyn Completer) -> Result<Summary, SummaryError> {
        let lines = match &self.pick {
            Pick::Random => self.by_lot(job),
            Pick::Anchors => self.within(anchors(job).into_iter()),
            Pick::Oracle(facts) => self.within(known(facts, job).into_iter()),
        };
        if lines.is_empty() {
            let fallback = Some("there was nothing to extract, so nothing stands for the dropped part".to_owned());
            return Ok(Summary { fallback, ..Summary::default() });
        }
        let text = Text::new(lines.join("\n"));
        let message = Message::User(Content { blocks: vec![Block::Text(text.clone())], plain: true });
        Ok(Summary { message: Some(message), text, ..Summary::default() })
    }
}

impl Extract {
    /// Every line has a lot, from the seed and the line; the lowest that fit are taken. What was drawn before takes part again.
    fn by_lot(&self, job: &SummaryJob<'_, '_>) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for message in job.context.messages(0..job.plan.kept_from) {
            for block in message.blocks() {
                if let Block::Text(text) = block {
                    lines.extend(
                        text.as_str().lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned),
                    );
                }
            }
        }
        let mut lots: Vec<([u8; 32], usize)> =
            lines.iter().enumerate().map(|(at, line)| (lot(job.seed, at, line), at)).collect();
        lots.sort_unstable();
        let mut left = self.budget.0 * CHARS_PER_TOKEN;
        let mut taken: Vec<usize> = Vec::new();
        for (_, at) in lots {
            let size = lines[at].chars().count() as u64 + 1;
            if size > left {
                continue;
            }
            left -= size;
            taken.push(at);
        }
        taken.sort_unstable();
        taken.into_iter().map(|at| std::mem::take(&mut lines[at])).collect()
    }

    /// As many as fit, in order.
    fn within(&self, lines: impl Iterator<Item = String>) -> Vec<String> {
        let mut left = self.budget.0 * CHARS_PER_TOKEN;
        lines
            .take_while(|line| {
                let size = line.chars().count() as u64 + 1;
                let fits = size <= left;
                left = left.saturating_sub(size);
                fits
            })
            .collect()
    }
}

/// The words of the dropped part with a digit, a slash or an underscore in them, from the newest back, each once. The names of
/// files that calls touch are among them.
fn anchors(job: &SummaryJob<'_, '_>) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let messages: Vec<&Message> = job.context.messages(0..job.plan.kept_from).collect();
    for message in messages.into_iter().rev() {
        let texts = message.blocks().iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            Block::ToolCall(call) => Some(call.arguments.as_str()),
            _ => None,
        });
        for text in texts {
            let words = text.split(|c: char| c.is_whitespace() || "\"'`()[]{}<>,;=".contains(c));
            for word in words.map(|word| word.trim_matches(['.', ':', '!', '?', '*', '-', '#'])) {
                let is_name = word.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'_'));
                if is_name && (4..=120).contains(&word.len()) && seen.insert(word.to_owned()) {
                    found.push(word.to_owned());
                }
            }
        }
    }
    found
}

fn lot(seed: u64, at: usize, line: &str) -> [u8; 32] {
    Sha256::new()
        .chain_update(seed.to_le_bytes())
        .chain_update((at as u64).to_le_bytes())
        .chain_update(line)
        .finalize()
        .into()
}

/// What was said before the part that is kept, and is still true at its end.
fn known(facts: &[Fact], job: &SummaryJob<'_, '_>) -> Vec<String> {
    let items = job.context.items();
    let cut = items[job.plan.kept_from..].iter().find_map(crate::engine::view::Item::origin);
    let end = items.iter().rev().find_map(crate::engine::view::Item::origin);
    let is_known = |fact: &&Fact| cut.is_none_or(|cut| fact.from < cut) && end.is_some_and(|end| fact.from <= end);
    let is_true = |fact: &&Fact| fact.until.is_none_or(|until| end.is_some_and(|end| until > end));
    facts.iter().filter(is_known).filter(is_true).map(|fact| fact.text.clone()).collect()
}
