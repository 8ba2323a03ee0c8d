//! What is known of models: which cache they have, the shortest prefix it keeps, and what becomes of reasoning.

use super::feed::Reasoning;
use super::preset::{Preset, preset};
use crate::meter::model_id::canonical;
use crate::transcript::Tokens;

/// Shortest cacheable prefixes by model, longest name first: Anthropic's prompt caching page. What is not listed there
/// has the preset's own. Sources disagree on Sonnet 4.6 (2,048 was measured) and Opus 4.7 (4,096 in May 2026).
const MINIMA: &[(&str, u64)] = &[
    ("claude-opus-4-8", 1_024),
    ("claude-opus-4-7", 2_048),
    ("claude-opus-4-6", 4_096),
    ("claude-opus-4-5", 4_096),
    ("claude-haiku-4-5", 4_096),
    ("claude-3-5-haiku", 2_048),
    ("claude-haiku-3-5", 2_048),
    ("claude-mythos-preview", 2_048),
    ("claude-mythos-5", 512),
    ("claude-fable-5", 512),
    ("claude-opus-5-5", 1_024),
    ("claude-opus-5", 512),
    ("gemini-2.5", 2_048),
];

/// Models that leave reasoning of earlier turns out: Anthropic's before Opus 4.5 and Sonnet 4.6, and Haiku up to 4.5;
/// OpenAI's reasoning models before GPT-5.6, as a recorded Codex session shows to the token.
const FORGETFUL: &[&str] = &[
    "claude-3",
    "claude-opus-4-2",
    "claude-opus-4-1",
    "claude-sonnet-4-2",
    "claude-sonnet-4-5",
    "claude-haiku-4-5",
    "claude-opus-4-0",
    "claude-sonnet-4-0",
    "claude-opus-4@",
    "claude-sonnet-4@",
    "gpt-5",
    "o1",
    "o3",
    "o4",
];

/// The shortest prefix that is cached for a model; `None`: the preset's own.
pub fn minimum(model: &str) -> Option<Tokens> {
    let model = canonical(model);
    MINIMA.iter().find(|(known, _)| model.starts_with(known)).map(|&(_, tokens)| Tokens(tokens))
}

/// What becomes of a model's reasoning when the person speaks again.
pub fn reasoning(model: &str) -> Reasoning {
    let model = format!("{}@", canonical(model));
    let forgets = FORGETFUL.iter().any(|known| model.starts_with(known)) && !is_new_gpt(model.trim_end_matches('@'));
    if forgets { Reasoning::DroppedByTurn } else { Reasoning::Kept }
}

/// The cache that models behind a protocol have by default, by the protocol's name in a session. `None`: it says nothing of a cache.
///
/// Anthropic's Messages protocol has breakpoints that live five minutes unless another lifetime is asked for
/// (<https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching>); servers of others that speak it take its marks.
pub fn preset_of_protocol(api: &str) -> Option<&'static Preset> {
    if api == "anthropic-messages" { preset("anthropic-5m") } else { None }
}

/// The cache of a model, by its name. `None`: nobody knows.
pub fn preset_of(model: &str) -> Option<&'static Preset> {
    let model = canonical(model);
    let name = match () {
        () if model.contains("claude") => "anthropic-5m",
        () if model.contains("gemini") => "gemini-implicit",
        () if model.contains("deepseek") && (model.contains("v4") || model.contains("flash")) => "deepseek-v4",
        () if model.contains("deepseek") => "deepseek-legacy",
        () if is_new_gpt(&model) => "openai-5.6",
        () if model.starts_with("gpt")
            || model.starts_with("o1")
            || model.starts_with("o3")
            || model.starts_with("o4") =>
        {
            "openai-legacy"
        }
        () => return None,
    };
    preset(name)
}

/// GPT-5.6 and later.
fn is_new_gpt(model: &str) -> bool {
    let Some(version) = model.strip_prefix("gpt-") else { return false };
    let version = version.split('-').next().unwrap_or(version);
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    let (major, minor) = (parts.next().flatten(), parts.next().flatten().unwrap_or(0));
    major.is_some_and(|major| (major, minor) >= (5, 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_cache() {
        let name = |model| preset_of(model).map(|preset| preset.name);
        assert_eq!(name("anthropic/claude-sonnet-4-5-20250929"), Some("anthropic-5m"));
        assert_eq!(name("gpt-5.3-codex-spark"), Some("openai-legacy"));
        assert_eq!(name("gpt-4o"), Some("openai-legacy"));
        assert_eq!(name("gpt-5.6-sol"), Some("openai-5.6"));
        assert_eq!(name("gpt-6-luna"), Some("openai-5.6"));
        assert_eq!(name("deepseek-chat"), Some("deepseek-legacy"));
        assert_eq!(name("deepseek-v4-pro"), Some("deepseek-v4"));
        assert_eq!(name("model-a"), None);
    }

    #[test]
    fn older_models_forget_their_reasoning() {
        for model in
            ["claude-sonnet-4-5", "claude-sonnet-4-20250514", "claude-opus-4-1", "claude-opus-4", "claude-haiku-4-5"]
        {
            assert_eq!(reasoning(model), Reasoning::DroppedByTurn, "{model}");
        }
        assert_eq!(reasoning("gpt-5.3-codex-spark"), Reasoning::DroppedByTurn);
        for model in ["claude-opus-4-5", "claude-sonnet-4-6", "claude-opus-5", "gpt-5.6-sol", "gpt-4o"] {
            assert_eq!(reasoning(model), Reasoning::Kept, "{model}");
        }
        assert_eq!((minimum("claude-opus-4-5-20251101"), minimum("claude-sonnet-4-5")), (Some(Tokens(4_096)), None));
        // Gateways and clouds spell the same models otherwise.
        for model in ["anthropic/claude-opus-4.5", "us.anthropic.claude-opus-4-5-20251101-v1:0", "Claude-Opus-4-5"] {
            assert_eq!((minimum(model), reasoning(model)), (Some(Tokens(4_096)), Reasoning::Kept), "{model}");
        }
        for model in ["anthropic/claude-sonnet-4.5", "anthropic.claude-sonnet-4-20250514-v1:0", "claude-opus-4-0"] {
            assert_eq!(reasoning(model), Reasoning::DroppedByTurn, "{model}");
        }
        assert_eq!((minimum("claude-opus-5-5"), minimum("claude-opus-5")), (Some(Tokens(1_024)), Some(Tokens(512))));
    }
}
