//! What differs between releases of Pi, as data.

use crate::transcript::Tokens;

/// The behaviour of one release. Every flag names the first release that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each flag is one documented change of behaviour between releases")]
pub struct Rules {
    /// The release, as published.
    pub version: &'static str,
    /// `compaction.reserveTokens`.
    pub reserve: Tokens,
    /// `compaction.keepRecentTokens`.
    pub keep_recent: Tokens,
    /// Images in user messages count (0.76.0).
    pub user_images_count: bool,
    /// System messages count, and context edits and the projected estimate exist (0.87.0).
    pub projection: bool,
    /// An all-zero usage is no anchor (0.80.0).
    pub zero_usage_is_no_anchor: bool,
    /// Injected text counts in the cut, and only what yields a message starts a turn (0.80.4).
    pub cut_sees_injected: bool,
    /// Trailing tool results that exceed the budget fall back to the last candidate (0.86.0).
    pub cut_falls_back_to_last: bool,
    /// A repeated compaction starts at the previous kept boundary (0.63.1).
    pub repeats_from_kept: bool,
    /// With nothing to summarize there is no compaction (0.79.8).
    pub refuses_empty: bool,
    /// Thinking is part of the summarizer's input (until 1.2.0).
    pub serializes_thinking: bool,
    /// Cutting a tool result never splits a surrogate pair (1.5.1).
    pub whole_surrogates: bool,
    /// Files of nested calls count (1.0.3).
    pub nested_calls: bool,
    /// A split turn without history keeps the previous summary (0.86.1).
    pub split_keeps_previous: bool,
    /// Asked between the turns of a run, with the tool results appended (0.84.4).
    pub asks_between_turns: bool,
    /// Summaries have output caps of their own, sized by the reserve (until 1.3).
    pub caps_output: bool,
    /// Output cap of a branch summary (until 1.3; 4,096 from 0.85.0 on).
    pub branch_cap: Option<Tokens>,
    /// An answer that ended at the output limit is refused (0.84.3).
    pub refuses_truncated: bool,
}

impl Rules {
    /// These rules with a person's `compaction.reserveTokens`; `None` leaves what the release has.
    #[must_use]
    pub fn with_reserve(self, reserve: Option<Tokens>) -> Self {
        Self { reserve: reserve.unwrap_or(self.reserve), ..self }
    }

    /// These rules with a person's `compaction.keepRecentTokens`; `None` leaves what the release has.
    #[must_use]
    pub fn with_keep_recent(self, keep_recent: Option<Tokens>) -> Self {
        Self { keep_recent: keep_recent.unwrap_or(self.keep_recent), ..self }
    }

    /// Pi 1.6.0 (2026-11-20), the preset `pi`.
    pub const V1_6: Self = Self {
        version: "1.6.0",
        reserve: Tokens(16_384),
        keep_recent: Tokens(20_000),
        user_images_count: true,
        projection: true,
        zero_usage_is_no_anchor: true,
        cut_sees_injected: true,
        cut_falls_back_to_last: true,
        repeats_from_kept: true,
        refuses_empty: true,
        serializes_thinking: false,
        whole_surrogates: true,
        nested_calls: true,
        split_keeps_previous: true,
        asks_between_turns: true,
        caps_output: false,
        branch_cap: None,
        refuses_truncated: true,
    };

    /// Pi 0.74.2 (2026-05), the newest release for Node 20.
    pub const V0_74: Self = Self {
        version: "0.74.2",
        user_images_count: false,
        projection: false,
        zero_usage_is_no_anchor: false,
        cut_sees_injected: false,
        cut_falls_back_to_last: false,
        refuses_empty: false,
        serializes_thinking: true,
        whole_surrogates: false,
        nested_calls: false,
        split_keeps_previous: false,
        asks_between_turns: false,
        caps_output: true,
        branch_cap: Some(Tokens(2_048)),
        refuses_truncated: false,
        ..Self::V1_6
    };

    /// Pi 0.58.3 (2026-03-15), the classic rules that most articles describe: the preset `pi@0.58`.
    pub const V0_58: Self = Self { version: "0.58.3", repeats_from_kept: false, ..Self::V0_74 };
}
