//! Presets of systems whose source or documentation is known, and of references that need no model.
//!
//! All are made of the common stages, so each says where it differs from the real system. Prompts are in our own words.

use super::{Preset, pi_spec};
use crate::engine::spec::{
    CutSpec, EditSpec, EstimatorSpec, PiRelease, RecoverySpec, SizeSpec, StrategySpec, SummarizerSpec, TriggerSpec,
};

/// Usage of the last reply and characters / 4 after it: what most agents do.
const ANCHORED: EstimatorSpec = EstimatorSpec::Pi { release: PiRelease::V1_6 };

/// Everything goes, and a model writes one summary.
fn whole(trigger: TriggerSpec, template: &str, recovery: Vec<RecoverySpec>) -> StrategySpec {
    StrategySpec {
        estimator: ANCHORED,
        edits: Vec::new(),
        trigger,
        cut: CutSpec::Everything,
        summarizer: summary(template),
        recovery,
    }
}

fn summary(template: &str) -> SummarizerSpec {
    super::summary(PiRelease::V1_6, template, false)
}

fn limit(share: f64, output_tokens: u64, less_tokens: u64) -> TriggerSpec {
    TriggerSpec::Threshold { share, output_tokens, less_tokens, at_tokens: None }
}

fn reaching(tokens: u64) -> TriggerSpec {
    TriggerSpec::Threshold { share: 1.0, output_tokens: 0, less_tokens: 0, at_tokens: Some(tokens) }
}

/// Masks results and never compacts.
fn masking(trigger: TriggerSpec, keep_results: usize) -> StrategySpec {
    StrategySpec {
        estimator: ANCHORED,
        edits: vec![EditSpec::MaskResults { trigger, keep_tokens: 0, keep_results: Some(keep_results) }],
        trigger: TriggerSpec::Never,
        cut: CutSpec::Nothing,
        summarizer: SummarizerSpec::None,
        recovery: Vec::new(),
    }
}

/// Agents.
pub(super) fn agents() -> Vec<Preset> {
    vec![claude_code(), codex(), gemini_cli(), opencode(), openhands(), cline()]
}

fn claude_code() -> Preset {
    let reread = RecoverySpec::Reread { count: 5, file_tokens: 5_000, total_tokens: 50_000, rules: true };
    Preset {
        name: "claude-code",
        about: "Claude Code: window less the reply (20,000 at most) and 13,000; nine-part summary; files and rules again",
        mimics: Some("Claude Code 2.1 (2026-10)"),
        source: "third-party readings and the vendor's documentation, 2026-10. Differs: characters / 4 after the last usage, \
                 without the factor 4/3; the summary call is a request of its own and shares no prefix; no microcompaction, \
                 skills or hooks",
        spec: whole(limit(1.0, 20_000, 13_000), "claude-code", vec![reread]),
    }
}

fn codex() -> Preset {
    Preset {
        name: "codex",
        about: "Codex CLI, local: nine tenths of the window; a handoff; 20,000 tokens of the person's messages stay",
        mimics: Some("Codex CLI (compact.rs @ e06dd0e)"),
        source: "source files at named commits. Differs: characters / 4 after the last usage, not bytes / 4; the messages of \
                 the person follow the summary instead of preceding it; asked before a request only",
        spec: whole(limit(0.9, 0, 0), "codex", vec![RecoverySpec::UserMessages { tokens: 20_000 }]),
    }
}

fn gemini_cli() -> Preset {
    let spec = StrategySpec {
        estimator: EstimatorSpec::Chars { per_token: 4.0, cjk_per_token: Some(2.0 / 3.0) },
        cut: CutSpec::Tail { keep_tokens: None, keep_share: 0.3, whole_turns: true },
        ..whole(limit(0.5, 0, 0), "gemini-cli", Vec::new())
    };
    Preset {
        name: "gemini-cli",
        about: "Gemini CLI: half of the window; keeps the newest 30 % from a message of the person on; a snapshot",
        mimics: Some("Gemini CLI @ 5411f11 (2026-08-21)"),
        source: "the source. Differs: estimates where the real one has the last prompt's usage; shares by estimated tokens, not \
                 by length of JSON; one call, no second one that verifies; large results stay",
        spec,
    }
}

fn opencode() -> Preset {
    Preset {
        name: "opencode",
        about: "opencode 1: window less the reply (20,000 at most); everything goes; five headings",
        mimics: Some("opencode v1 (compaction.ts @ fd78ec6, overflow.ts @ 08f74b9)"),
        source: "source files at named commits. Differs: no pruning of old results, no message that says to go on; the history \
                 is sent as text",
        spec: whole(limit(1.0, 20_000, 0), "opencode", Vec::new()),
    }
}

fn openhands() -> Preset {
    let spec = StrategySpec {
        estimator: EstimatorSpec::Langchain { chars_per_token: 4.0, scaling: false },
        // 80 / 2 − 4 − 1.
        cut: CutSpec::Langchain { keep: SizeSpec::Messages(35), profile: true },
        ..whole(
            TriggerSpec::Langchain { when: SizeSpec::Messages(81), profile: true, input_budget: false },
            "openhands",
            Vec::new(),
        )
    };
    Preset {
        name: "openhands",
        about: "OpenHands: above 80 events the middle is summarized, the newest 35 stay; labelled fields",
        mimics: Some("OpenHands software-agent-sdk @ 611629e (2026-08-22), default agent"),
        source: "the source. Differs: messages stand for events; the first four events are summarized too; no rule of tokens, no \
                 hard reset",
        spec,
    }
}

fn cline() -> Preset {
    let spec = StrategySpec {
        estimator: EstimatorSpec::Chars { per_token: 3.0, cjk_per_token: None },
        cut: CutSpec::Tail { keep_tokens: Some(20_000), keep_share: 1.0, whole_turns: false },
        ..whole(limit(0.81, 0, 0), "pi", Vec::new())
    };
    Preset {
        name: "cline",
        about: "Cline: 0.81 of the window (0.9 of 0.9) by characters / 3; keeps 20,000 tokens; files read and edited",
        mimics: Some("Cline @ 21cb8d2 (2026-08-22), agentic"),
        source: "the source. Differs: Pi's headings, which are near Cline's five; no basic compaction as a fallback; the newest \
                 typed message can be dropped",
        spec,
    }
}

/// Compaction inside an API.
pub(super) fn apis() -> Vec<Preset> {
    vec![
        Preset {
            name: "openai-responses",
            about: "Responses API: the server compacts at the caller's threshold, here the documentation's 200,000",
            mimics: Some("OpenAI Responses API, context_management (documentation of 2026-11)"),
            source: "the documentation; no default is stated. Differs: the real item is opaque, a handoff in Codex' words stands \
                     for it; 64,000 tokens of the person's messages stay, as Codex' mirror of the endpoint does",
            spec: whole(reaching(200_000), "codex", vec![RecoverySpec::UserMessages { tokens: 64_000 }]),
        },
        Preset {
            name: "claude-compaction",
            about: "Claude API, compaction: at 150,000 tokens everything before one summary is dropped",
            mimics: Some("Claude API, compact_20260112"),
            source: "the documentation. Differs: the summary call shares no prefix; Codex' handoff stands for the default prompt \
                     (state, next steps, learnings)",
            spec: whole(reaching(150_000), "codex", Vec::new()),
        },
        Preset {
            name: "claude-context-editing",
            about: "Claude API, context editing: at 100,000 tokens all but the newest three tool results give way",
            mimics: Some("Claude API, clear_tool_uses_20250919"),
            source: "the documentation. Differs: estimates where the server counts; placeholder in our own words",
            spec: masking(reaching(100_000), 3),
        },
    ]
}

/// References that need no model.
pub(super) fn references() -> Vec<Preset> {
    let extract = |summarizer| StrategySpec { summarizer, ..pi_spec(PiRelease::V1_6, "pi") };
    vec![
        Preset {
            name: "observation-masking",
            about: "all but the newest ten tool results give way to one line, before every request",
            mimics: Some("observation masking of \"The Complexity Trap\" (arXiv 2508.21433), M = 10"),
            source: "the paper. Differs: the newest ten results, where the paper counts turns of one call each",
            spec: masking(reaching(0), 10),
        },
        Preset {
            name: "random-extract",
            about: "Pi's trigger and cut; 2,000 tokens of lines drawn by lot stand for the dropped part",
            mimics: None,
            source: "a baseline: what a summary of this length keeps by chance",
            spec: extract(SummarizerSpec::RandomExtract { tokens: 2_000 }),
        },
        Preset {
            name: "anchor-extract",
            about: "Pi's trigger and cut; 2,000 tokens of names, the newest first, stand for the dropped part",
            mimics: None,
            source: "a baseline and a cheat: what a list of names without a sentence earns by measures of names",
            spec: extract(SummarizerSpec::AnchorExtract { tokens: 2_000 }),
        },
        Preset {
            name: "oracle-extract",
            about: "Pi's trigger and cut; the annotated facts themselves, up to 2,000 tokens",
            mimics: None,
            source: "no strategy: it is told the annotations, and bounds what any summary of this length could keep",
            spec: extract(SummarizerSpec::OracleExtract { tokens: 2_000 }),
        },
    ]
}
