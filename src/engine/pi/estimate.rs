//! Pi's token estimates: characters / 4 per message, anchored to the last usable recorded usage.

use super::{Item, Path, Rules};
use crate::transcript::{Block, Message, System, Text, Tokens, Usage};

/// An image is worth this many characters, whatever its size.
const IMAGE_CHARACTERS: usize = 4_800;

/// An estimate of a context and what it rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The estimate.
    pub tokens: Tokens,
    /// The part that is recorded usage; zero without an anchor.
    pub usage: Tokens,
    /// The part that is estimated.
    pub trailing: Tokens,
    /// Index of the anchor among the messages.
    pub anchor: Option<usize>,
}

/// Estimate of one message: UTF-16 units / 4, rounded up once.
pub fn message_tokens(message: &Message, rules: &Rules) -> Tokens {
    Tokens(characters(message, rules).div_ceil(4) as u64)
}

fn characters(message: &Message, rules: &Rules) -> usize {
    match message {
        Message::User(content) => shown(&content.blocks, rules.user_images_count),
        Message::Assistant(content, _) => content.blocks.iter().map(said).sum(),
        Message::ToolResult(result) => shown(&result.content.blocks, true),
        Message::Custom(custom) => shown(&custom.content.blocks, true),
        Message::Bash(bash) => bash.command.utf16_len() + bash.output.utf16_len(),
        Message::BranchSummary(summary) | Message::CompactionSummary(summary) => summary.utf16_len(),
        Message::System(_) if !rules.projection => 0,
        Message::System(system) => {
            let System { content, sections, tools_added } = &**system;
            content.utf16_len()
                + sections.iter().map(|(_, text)| Text::utf16_len(text)).sum::<usize>()
                + tools_added.as_ref().map_or(0, crate::transcript::JsonText::js_utf16_len)
        }
    }
}

fn shown(blocks: &[Block], images: bool) -> usize {
    let one = |block: &Block| match block {
        Block::Text(text) => text.utf16_len(),
        Block::Image(_) if images => IMAGE_CHARACTERS,
        _ => 0,
    };
    blocks.iter().map(one).sum()
}

fn said(block: &Block) -> usize {
    match block {
        Block::Text(text) | Block::Thinking { text, .. } => text.utf16_len(),
        Block::ToolCall(call) => call.name.utf16_len() + call.arguments.js_utf16_len(),
        Block::Image(_) | Block::Other(_) => 0,
    }
}

/// The usage of a message, if it can be an anchor.
fn anchor(message: &Message, rules: &Rules) -> Option<Usage> {
    let reply = message.reply().filter(|reply| !reply.failed())?;
    let usage = reply.usage?;
    let zero = usage.context() == Tokens(0);
    (!(zero && rules.zero_usage_is_no_anchor)).then_some(usage)
}

/// `estimateContextTokens`: the last usable usage, and the estimates of the messages after it.
pub fn estimate_context(items: &[Item<'_>], rules: &Rules) -> Estimate {
    let found = items.iter().enumerate().rev().find_map(|(index, item)| Some((index, anchor(&item.message, rules)?)));
    let after = found.map_or(0, |(index, _)| index + 1);
    let trailing = items[after..].iter().map(|item| message_tokens(&item.message, rules)).sum();
    let usage = found.map_or(Tokens(0), |(_, usage)| usage.context());
    Estimate { tokens: usage + trailing, usage, trailing, anchor: found.map(|(index, _)| index) }
}

/// `estimateProjectedContextTokens`: the anchor counts only if nothing was compacted or edited after it.
pub fn estimate_projected(path: &Path<'_>, items: &[Item<'_>], rules: &Rules) -> Estimate {
    let plain = estimate_context(items, rules);
    let anchored_at = plain.anchor.and_then(|index| items[index].position);
    if anchored_at.is_some_and(|position| path.last_change().is_none_or(|change| position > change)) {
        return plain;
    }
    let sum = items.iter().map(|item| message_tokens(&item.message, rules)).sum();
    Estimate { tokens: sum, usage: Tokens(0), trailing: sum, anchor: None }
}

/// The trigger: strictly more than the window less the reserve.
pub fn should_compact(context: Tokens, window: Tokens, rules: &Rules) -> bool {
    i128::from(context.0) > i128::from(window.0) - i128::from(rules.reserve.0)
}
