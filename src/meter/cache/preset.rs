//! The caches of real providers, with what they say about themselves.

use super::placement::Placement;
use super::rules::{Life, Matching, Places, Refresh, Rules, Seconds};
use crate::transcript::Tokens;

/// A provider's cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// Its rules.
    pub rules: Rules,
    /// Where an agent puts breakpoints, unless it is told otherwise.
    pub placement: Placement,
    /// Prices as multiples of plain input, for results without a price.
    pub factors: Factors,
    /// Where the rules come from.
    pub source: &'static str,
    /// When that was read.
    pub date: &'static str,
    /// What is not published or on which sources disagree: then a result is a best effort. `None`: all is documented.
    pub best_effort: Option<&'static str>,
}

/// Prices as multiples of the price of plain input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factors {
    /// A read.
    pub read: f64,
    /// A write for the short lifetime.
    pub write: f64,
    /// A write for the long lifetime.
    pub write_long: f64,
}

const ANTHROPIC: Rules = Rules {
    matching: Matching::Breakpoints { look_back: Some(20), places: Places::Blocks, most: 4 },
    minimum: Tokens(1_024),
    short: Some(Seconds(300)),
    long: Some(Seconds(3_600)),
    refresh: Refresh::Marked,
    propagation: Seconds(0),
    capacity: None,
    bills_writes: true,
};

const PREFIX: Rules = Rules {
    matching: Matching::Prefix { step: 1, recomputes_last: false },
    minimum: Tokens(1),
    short: None,
    long: None,
    refresh: Refresh::Marked,
    propagation: Seconds(0),
    capacity: None,
    bills_writes: false,
};

const fn steps(step: u64) -> Matching {
    Matching::Prefix { step, recomputes_last: false }
}

const ANTHROPIC_SOURCE: &str = "Anthropic, prompt caching page and pricing page";
const OPENAI_SOURCE: &str = "OpenAI, prompt caching guide";
const MINIMUM_DIFFERS: &str =
    "the minimum differs by model (512 to 4,096) and sources disagree on two of them: 1,024 here";
const FREE: f64 = 1.0;

const fn factors(read: f64, write: f64, write_long: f64) -> Factors {
    Factors { read, write, write_long }
}

/// All presets.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "anthropic-5m",
        about: "breakpoints, look-back of 20 blocks, 5 minutes from the start of the request, refreshed on read",
        rules: ANTHROPIC,
        placement: Placement::Agent { head: Some(Life::Short), last: 2, life: Life::Short },
        factors: factors(0.1, 1.25, 2.0),
        source: ANTHROPIC_SOURCE,
        date: "2026-11-30",
        best_effort: Some(MINIMUM_DIFFERS),
    },
    Preset {
        name: "anthropic-1h",
        about: "as anthropic-5m, written for one hour",
        rules: ANTHROPIC,
        placement: Placement::Agent { head: Some(Life::Long), last: 2, life: Life::Long },
        factors: factors(0.1, 1.25, 2.0),
        source: ANTHROPIC_SOURCE,
        date: "2026-11-30",
        best_effort: Some(MINIMUM_DIFFERS),
    },
    Preset {
        name: "openai-legacy",
        about: "before GPT-5.6: longest common prefix in steps of 128 tokens from 1,024 on, 5 to 10 idle minutes",
        rules: Rules {
            matching: steps(128),
            minimum: Tokens(1_024),
            short: Some(Seconds(600)),
            long: Some(Seconds(86_400)),
            ..PREFIX
        },
        placement: Placement::None,
        factors: factors(0.1, FREE, FREE),
        source: OPENAI_SOURCE,
        date: "2026-11-04",
        best_effort: Some(
            "idle lifetime is 5 to 10 minutes, at most 1 h: 10 minutes here; routing to other machines is not simulated",
        ),
    },
    Preset {
        name: "openai-5.6",
        about: "GPT-5.6 and later: stored breakpoints, the newest 80, no shorter fallback, 30 minutes",
        rules: Rules {
            matching: Matching::Stored { latest: Some(80), prompt_end: true, answer_end: false, common_prefix: false },
            minimum: Tokens(1_024),
            short: Some(Seconds(1_800)),
            long: Some(Seconds(43_200)),
            refresh: Refresh::Hit,
            propagation: Seconds(0),
            capacity: None,
            bills_writes: true,
        },
        placement: Placement::None,
        factors: factors(0.1, 1.25, 2.5),
        source: OPENAI_SOURCE,
        date: "2026-11-04",
        best_effort: Some(
            "30 minutes are the least that is promised, and whether a read extends them is not published: it does here",
        ),
    },
    Preset {
        name: "openai-5.6-head",
        about: "as openai-5.6, with an explicit breakpoint at the end of the head",
        rules: Rules {
            matching: Matching::Stored { latest: Some(80), prompt_end: true, answer_end: false, common_prefix: false },
            minimum: Tokens(1_024),
            short: Some(Seconds(1_800)),
            long: Some(Seconds(43_200)),
            refresh: Refresh::Marked,
            propagation: Seconds(0),
            capacity: None,
            bills_writes: true,
        },
        placement: Placement::Agent { head: Some(Life::Short), last: 0, life: Life::Short },
        factors: factors(0.1, 1.25, 2.5),
        source: OPENAI_SOURCE,
        date: "2026-11-04",
        best_effort: Some(
            "30 minutes are the least that is promised, and whether a read extends them is not published: it does here",
        ),
    },
    Preset {
        name: "gemini-implicit",
        about: "common prefix from 4,096 tokens on, automatic",
        rules: Rules { minimum: Tokens(4_096), ..PREFIX },
        placement: Placement::None,
        factors: factors(0.1, FREE, FREE),
        source: "Google, Gemini API context caching page",
        date: "2026-10-23",
        best_effort: Some(
            "neither step nor lifetime is published, and nothing is guaranteed: whole prefixes that stay here",
        ),
    },
    Preset {
        name: "deepseek-v4",
        about: "stored units (prompt end, answer end, a noticed common prefix), each read whole or not at all",
        rules: Rules {
            matching: Matching::Stored { latest: None, prompt_end: true, answer_end: true, common_prefix: true },
            minimum: Tokens(1),
            ..PREFIX
        },
        placement: Placement::None,
        factors: factors(0.02, FREE, FREE),
        source: "DeepSeek, context caching guide",
        date: "2026-11-15",
        best_effort: Some(
            "units at a fixed interval are not simulated, because the interval is not published; entries stay, hours to days are promised",
        ),
    },
    Preset {
        name: "deepseek-legacy",
        about: "before V4: common prefix in units of 64 tokens",
        rules: Rules { matching: steps(64), minimum: Tokens(64), ..PREFIX },
        placement: Placement::None,
        factors: factors(0.1, FREE, FREE),
        source: "DeepSeek, context caching guide of 2024 and 2025",
        date: "2026-11-30",
        best_effort: Some("lifetime is hours to days: entries stay here; the read factor moved between 0.1 and 0.25"),
    },
    Preset {
        name: "vllm",
        about: "chain of full blocks of 16 tokens; the last token is always computed",
        rules: Rules { matching: Matching::Prefix { step: 16, recomputes_last: true }, minimum: Tokens(16), ..PREFIX },
        placement: Placement::None,
        factors: factors(0.0, FREE, FREE),
        source: "vLLM, source of the prefix cache",
        date: "2026-11-30",
        best_effort: Some(
            "eviction depends on the load of the server: memory is unlimited unless a capacity is set; hybrid models have larger blocks",
        ),
    },
    Preset {
        name: "sglang",
        about: "radix tree, exact to the token",
        rules: Rules { matching: Matching::Prefix { step: 1, recomputes_last: true }, ..PREFIX },
        placement: Placement::None,
        factors: factors(0.0, FREE, FREE),
        source: "SGLang, source of the radix cache",
        date: "2026-11-30",
        best_effort: Some(
            "eviction depends on the load of the server: memory is unlimited unless a capacity is set; page size 1",
        ),
    },
    Preset {
        name: "ideal",
        about: "every shared prefix is read, for ever, at no price: a bound, no provider",
        rules: PREFIX,
        placement: Placement::None,
        factors: factors(0.0, FREE, FREE),
        source: "a bound",
        date: "2026-11-30",
        best_effort: None,
    },
];

/// The preset of this name.
pub fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_preset_says_where_it_is_from() {
        for (index, one) in PRESETS.iter().enumerate() {
            assert!(PRESETS[..index].iter().all(|other| other.name != one.name), "{}", one.name);
            assert!(!one.source.is_empty() && one.date.len() == 10, "{}", one.name);
            assert_eq!(preset(one.name), Some(one));
        }
        assert_eq!(preset("nobody"), None);
    }

    #[test]
    fn an_entry_of_another_life_lives_longer() {
        let rules = ANTHROPIC;
        assert_eq!(
            (rules.lifetime(Life::Short), rules.lifetime(Life::Long)),
            (Some(Seconds(300)), Some(Seconds(3_600)))
        );
        assert_eq!(Rules { long: None, ..rules }.lifetime(Life::Long), Some(Seconds(300)));
    }
}
