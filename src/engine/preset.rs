//! Whole strategies by name.

mod systems;
mod table;

pub use table::table;

use super::spec::{
    CutSpec, EditSpec, EstimatorSpec, PiRelease, RecoverySpec, SizeSpec, StrategySpec, SummarizerSpec, TriggerSpec,
};

/// A named strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// The real system and version that it mimics; `None` for a baseline.
    pub mimics: Option<&'static str>,
    /// Where its rules come from, and where it differs.
    pub source: &'static str,
    /// Its stages.
    pub spec: StrategySpec,
}

/// All presets, in the order in which `list` prints them.
pub fn presets() -> Vec<Preset> {
    let mut all = pi();
    all.extend(article());
    all.extend(deepagents());
    all.extend(systems::agents());
    all.extend(systems::apis());
    all.extend(baselines());
    all.extend(systems::references());
    all.extend(arms());
    all
}

/// The preset of this name.
pub fn preset(name: &str) -> Option<Preset> {
    presets().into_iter().find(|preset| preset.name == name)
}

fn summary(release: PiRelease, template: &str, from_start: bool) -> SummarizerSpec {
    SummarizerSpec::Pi { release, reserve_tokens: None, template: template.to_owned(), from_start }
}

fn pi_spec(release: PiRelease, template: &str) -> StrategySpec {
    StrategySpec {
        estimator: EstimatorSpec::Pi { release },
        edits: Vec::new(),
        trigger: TriggerSpec::Pi { release, reserve_tokens: None },
        cut: CutSpec::Pi { release, keep_recent_tokens: None },
        summarizer: summary(release, template, false),
        recovery: Vec::new(),
    }
}

fn pi() -> Vec<Preset> {
    vec![
        Preset {
            name: "pi",
            about: "Pi: window less 16,384; keeps about 20,000 tokens; splits turns; nine headings",
            mimics: Some("pi-coding-agent 1.6.0"),
            source: "rules and golden answers of the published package; the wording of the prompts is our own",
            spec: pi_spec(PiRelease::V1_6, "pi"),
        },
        Preset {
            name: "pi@0.58",
            about: "classic Pi, as most articles and ports describe it",
            mimics: Some("pi-coding-agent 0.58.3"),
            source: "rules and golden answers of the published package; a repeated compaction loses the tail kept before",
            spec: pi_spec(PiRelease::V0_58, "pi-0.58"),
        },
        Preset {
            name: "pi-three-part",
            about: "Pi's machinery with a summary of goal, progress and key decisions",
            mimics: None,
            source: "the trigger, cut and requests of Pi 1.6.0 with a shorter template",
            spec: pi_spec(PiRelease::V1_6, "pi-three-part"),
        },
    ]
}

fn article_spec(estimator: EstimatorSpec, git_hook: bool) -> StrategySpec {
    let (threshold, min_turns_to_keep) = (0.75, 2);
    StrategySpec {
        estimator,
        edits: Vec::new(),
        trigger: TriggerSpec::Article { threshold, min_turns_to_keep },
        cut: CutSpec::Article { threshold, min_turns_to_keep },
        summarizer: SummarizerSpec::Article { template: "pi-article".to_owned(), max_tokens: 4_096, git_hook },
        recovery: vec![RecoverySpec::RecentFiles { count: 5 }],
    }
}

fn article() -> Vec<Preset> {
    let source = "an article about Pi, not Pi: its threshold, message count, target and summary role are not those of any release";
    let plain = EstimatorSpec::Chars { per_token: 3.5, cjk_per_token: None };
    let cjk = EstimatorSpec::Chars { per_token: 4.0, cjk_per_token: Some(1.5) };
    vec![
        Preset {
            name: "pi-article",
            about: "an article's rules: 75 % of the window or 20 messages, whole turns, 3.5 characters per token",
            mimics: None,
            source,
            spec: article_spec(plain.clone(), false),
        },
        Preset {
            name: "pi-article-cjk",
            about: "the same article's other estimator: 4 characters per token, 1.5 for Chinese",
            mimics: None,
            source,
            spec: article_spec(cjk, false),
        },
        Preset {
            name: "pi-article-git",
            about: "the article's example of an extension: a summary made from the git commands that were run",
            mimics: None,
            source,
            spec: article_spec(plain, true),
        },
    ]
}

fn deepagents() -> Vec<Preset> {
    let spec = |profile: bool, when: SizeSpec, keep: SizeSpec, arguments: (SizeSpec, SizeSpec)| StrategySpec {
        estimator: EstimatorSpec::Langchain { chars_per_token: 4.0, scaling: true },
        edits: vec![EditSpec::Deepagents { when: arguments.0, keep: arguments.1, profile }],
        trigger: TriggerSpec::Langchain { when, profile, input_budget: true },
        cut: CutSpec::Langchain { keep, profile },
        summarizer: SummarizerSpec::Deepagents { template: "deepagents".to_owned(), trim_tokens: None },
        recovery: Vec::new(),
    };
    let (most, tenth, twenty) = (SizeSpec::Fraction(0.85), SizeSpec::Fraction(0.10), SizeSpec::Messages(20));
    let source = "rules and golden answers of the published packages; the wording of the prompt is our own; the history \
                  file is named in the summary, and nothing is written";
    vec![
        Preset {
            name: "deepagents",
            about: "Deep Agents for a model with a profile: 85 % of the window, keeps 10 %, four headings",
            mimics: Some("deepagents 0.7.32, langchain 1.5.2"),
            source,
            spec: spec(true, most, tenth, (most, tenth)),
        },
        Preset {
            name: "deepagents-no-profile",
            about: "Deep Agents for an unknown model: 170,000 tokens, keeps six messages",
            mimics: Some("deepagents 0.7.32, langchain 1.5.2"),
            source,
            spec: spec(false, SizeSpec::Tokens(170_000), SizeSpec::Messages(6), (twenty, twenty)),
        },
    ]
}

/// Pi's machinery with one part exchanged, so that a comparison with `pi` tells what that part is worth.
fn arms() -> Vec<Preset> {
    let source = "Pi 1.6.0 with one part exchanged; no release of Pi does this";
    let base = || pi_spec(PiRelease::V1_6, "pi");
    let arm = |name, about, spec| Preset { name, about, mimics: None, source, spec };
    let with = |one: RecoverySpec| StrategySpec { recovery: vec![one], ..base() };
    let again = summary(PiRelease::V1_6, "pi", true);
    // Claude Code 2.1: five files, 5,000 tokens each, 50,000 in all, and the rules from disk.
    let reread = RecoverySpec::Reread { count: 5, file_tokens: 5_000, total_tokens: 50_000, rules: true };
    let path = "/conversation_history/session.md".to_owned();
    // An answer of about a screen.
    let search = RecoverySpec::Search { tool: "search_history".to_owned(), excerpt_tokens: 2_000 };
    vec![
        arm(
            "pi-resummarize",
            "Pi that summarizes the whole history again, not its last summary",
            StrategySpec { summarizer: again, ..base() },
        ),
        arm("pi-by-task", "Pi with a template picked by the kind of task", pi_spec(PiRelease::V1_6, "by-task")),
        arm("pi-reread", "Pi that reads recent files and rules again, as Claude Code does", with(reread)),
        arm(
            "pi-offload",
            "Pi with its history in a file, as Deep Agents has it",
            with(RecoverySpec::HistoryFile { path }),
        ),
        arm("pi-search", "Pi with a search over its history", with(search)),
        arm(
            "pi-pinned",
            "Pi that keeps the words of the person, as Codex does",
            with(RecoverySpec::UserMessages { tokens: 20_000 }),
        ),
    ]
}

fn baselines() -> Vec<Preset> {
    let source = "a baseline; where it has a trigger and a cut they are Pi's, so that only the missing part differs";
    let base = pi_spec(PiRelease::V1_6, "pi");
    let without_summary = StrategySpec { summarizer: SummarizerSpec::None, ..base.clone() };
    let mask = EditSpec::MaskResults { trigger: base.trigger, keep_tokens: 20_000, keep_results: None };
    vec![
        Preset {
            name: "none",
            about: "no compaction: the context grows until it overflows",
            mimics: None,
            source,
            spec: StrategySpec { trigger: TriggerSpec::Never, cut: CutSpec::Nothing, ..without_summary.clone() },
        },
        Preset {
            name: "tail-only",
            about: "Pi's trigger and cut without a summary",
            mimics: None,
            source,
            spec: without_summary.clone(),
        },
        Preset {
            name: "drop-tool-results",
            about: "observation masking: at Pi's threshold old tool results give way to one line",
            mimics: None,
            source,
            spec: StrategySpec {
                edits: vec![mask],
                trigger: TriggerSpec::Never,
                cut: CutSpec::Nothing,
                ..without_summary
            },
        },
        Preset {
            name: "ralph",
            about: "at Pi's threshold a fresh context with the original prompt",
            mimics: None,
            source,
            spec: StrategySpec { cut: CutSpec::Everything, summarizer: SummarizerSpec::OriginalPrompt, ..base },
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::presets;

    #[test]
    fn every_preset_can_be_built() {
        for preset in presets() {
            assert!(preset.spec.build(preset.name).is_ok(), "{}", preset.name);
        }
    }

    #[test]
    fn a_preset_survives_a_configuration_file() {
        for preset in presets() {
            let toml = toml::to_string(&preset.spec).unwrap();
            assert_eq!(toml::from_str::<super::StrategySpec>(&toml).unwrap(), preset.spec, "{toml}");
        }
    }
}
