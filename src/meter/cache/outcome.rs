//! What a cache made of a request.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::transcript::Tokens;

/// How a prompt was billed. The four classes add up to the prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Read from the cache.
    pub read: Tokens,
    /// Written for the short lifetime.
    pub write: Tokens,
    /// Written for the long lifetime.
    pub write_long: Tokens,
    /// Neither.
    pub plain: Tokens,
}

impl Split {
    /// All of the prompt.
    pub fn prompt(&self) -> Tokens {
        self.read + self.write + self.write_long + self.plain
    }
}

/// What a cache made of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How the prompt was billed.
    pub split: Split,
    /// Leading blocks that some earlier prompt had too, whatever the cache kept of them.
    pub shared_blocks: usize,
    /// Tokens at the end of this request that the cache can serve from now on.
    pub cached: Tokens,
    /// Why less was read than the request before had left, if so.
    pub missed: Option<Break>,
}

/// A break of the cached prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Break {
    /// Why.
    pub reason: BreakReason,
    /// Tokens of the request before that were cached and are not read.
    pub lost: Tokens,
    /// The part of them that is lost because the content differs.
    pub content: Tokens,
    /// The part that is the same, but ended its life.
    pub lifetime: Tokens,
    /// The part that is the same and lives, but lies in no whole step.
    pub granularity: Tokens,
    /// The part that is the same and lives, but no entry ends there, or none within reach.
    pub placement: Tokens,
}

impl Break {
    /// One that loses so many tokens because the content is another.
    pub(super) fn of_content(reason: BreakReason, lost: Tokens) -> Self {
        let none = Tokens(0);
        Self { reason, lost, content: lost, lifetime: none, granularity: none, placement: none }
    }
}

/// Why a cached prefix was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakReason {
    /// A compaction replaced the context.
    Compaction,
    /// A strategy changed messages in place: masked, shortened, cleared.
    Masking,
    /// Another model.
    ModelSwitch,
    /// Another setting, such as the thinking level.
    Settings,
    /// The same tools in another order.
    ToolOrder,
    /// Tools were added, removed or changed.
    ToolsChanged,
    /// The system prompt changed.
    SystemChanged,
    /// Reasoning of an earlier turn was left out.
    ThinkingDropped,
    /// A block moved to another place.
    BlockMoved,
    /// A block was left out.
    BlockRemoved,
    /// A block was put in before others that were there.
    BlockInserted,
    /// A block has another content.
    BlockChanged,
    /// The lifetime ended.
    Expired,
    /// The prefix is shorter than what is cached at all.
    BelowMinimum,
    /// The entry lies farther back than a breakpoint looks.
    LookBack,
    /// The content is the same, and no entry ends within it.
    NoEntry,
    /// It was forgotten to make room, or because newer entries count only.
    Evicted,
}

impl BreakReason {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compaction => "compaction",
            Self::Masking => "masking",
            Self::ModelSwitch => "model_switch",
            Self::Settings => "settings",
            Self::ToolOrder => "tool_order",
            Self::ToolsChanged => "tools_changed",
            Self::SystemChanged => "system_changed",
            Self::ThinkingDropped => "thinking_dropped",
            Self::BlockMoved => "block_moved",
            Self::BlockRemoved => "block_removed",
            Self::BlockInserted => "block_inserted",
            Self::BlockChanged => "block_changed",
            Self::Expired => "expired",
            Self::BelowMinimum => "below_minimum",
            Self::LookBack => "look_back",
            Self::NoEntry => "no_entry",
            Self::Evicted => "evicted",
        }
    }
}

impl fmt::Display for BreakReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the sender did to the context since the request before. A cache sees the bytes alone; a report wants the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It compacted.
    Compaction,
    /// It changed messages in place.
    Masking,
}
