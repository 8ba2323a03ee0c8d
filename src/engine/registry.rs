//! What can be chosen by name, with one line each: help, docs and `cutpoint list` come from here.

/// A built-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Its `kind` in a configuration file.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// Its parameters, with their defaults; empty where it has none.
    pub parameters: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

const PI: &str = "pi-coding-agent 0.58.3, 0.74.2 and 1.6.0, checked against golden answers";
const ARTICLE: &str = "an article on Pi; no release of Pi does this";
const DEEP: &str = "deepagents 0.7.32 and langchain 1.5.2, checked against golden answers";
const CODEX: &str = "openai/codex, core/src/context_manager/history.rs at 023fad2";
const GEMINI: &str = "google-gemini/gemini-cli at 5411f11";
const OPENCODE: &str = "anomalyco/opencode, session/compaction.ts at fd78ec6, and its documentation";
const OWN: &str = "cutpoint";
const RELEASE: &str = "release = \"1.6\" | \"0.74\" | \"0.58\"";
const RESERVE: &str = "release = \"1.6\" | \"0.74\" | \"0.58\", reserve_tokens = 16384";
const RECENT: &str = "release = \"1.6\" | \"0.74\" | \"0.58\", keep_recent_tokens = 20000";

const fn of(name: &'static str, about: &'static str, parameters: &'static str, source: &'static str) -> Descriptor {
    Descriptor { name, about, parameters, source }
}

/// Estimators.
pub const ESTIMATORS: &[Descriptor] = &[
    of("pi", "UTF-16 units / 4 per message, anchored to the last reported usage", RELEASE, PI),
    of("chars", "UTF-16 units / a constant, Chinese apart where wanted", "per_token, cjk_per_token", ARTICLE),
    of(
        "langchain",
        "code points / 4 and 3 per message, raised towards reported usage",
        "chars_per_token, scaling",
        DEEP,
    ),
    of(
        "length",
        "a length / a constant, in UTF-16 units, code points or bytes",
        "per_token, unit = \"utf16\" | \"code-points\" | \"bytes\", image_tokens = 1200",
        OWN,
    ),
    of("codex", "bytes of the serialised item / 4, anchored to the last reported total", "", CODEX),
    of("gemini", "a quarter token per ASCII character, 1.5 for any other", "", GEMINI),
    of("opencode", "UTF-16 units / 4, anchored to the last reported total", "", OPENCODE),
    of("anchored", "the last reported usage, and another estimator for what is newer", "inner = { kind = … }", OWN),
    of("exact", "a tokenizer of the program", "tokenizer = \"o200k_base\" | \"cl100k_base\", per_message = 0", OWN),
    of("tokenizer-file", "a tokenizer.json of Hugging Face", "path, per_message = 0", OWN),
    of("exec", "another program: JSON Lines in, JSON Lines out", "command, timeout_seconds = 60", OWN),
    of(
        "calibrated",
        "tokens per UTF-16 unit by content class, as `estimate --calibrate` fits them",
        "a coefficient per class",
        OWN,
    ),
];

/// Triggers.
pub const TRIGGERS: &[Descriptor] = &[
    of("never", "only an overflow compacts", "", OWN),
    of("pi", "more tokens than the window less 16,384, at the moments when Pi looks", RESERVE, PI),
    of(
        "article",
        "a share of the window, or ten times the turns to keep in messages",
        "threshold, min_turns_to_keep",
        ARTICLE,
    ),
    of(
        "langchain",
        "an amount of context, and the input budget of Deep Agents",
        "when = { messages = N } | { tokens = N } | { fraction = F }, profile, input_budget",
        DEEP,
    ),
    of(
        "threshold",
        "a share of the window less the largest reply and a reserve, or a number of tokens",
        "share = 1.0, output_tokens = 0, less_tokens = 0, at_tokens",
        OWN,
    ),
];

/// Cut policies.
pub const CUTS: &[Descriptor] = &[
    of("nothing", "drops nothing", "", OWN),
    of("everything", "drops everything", "", OWN),
    of("pi", "keeps about 20,000 tokens, splits a turn where it must", RECENT, PI),
    of("article", "keeps whole turns up to a share of the window", "threshold, min_turns_to_keep", ARTICLE),
    of(
        "langchain",
        "keeps an amount of context, and goes back to the calls of results",
        "keep = { messages = N } | { tokens = N } | { fraction = F }, profile",
        DEEP,
    ),
    of(
        "tail",
        "keeps the newest part up to a number of tokens or a share of the context",
        "keep_tokens, keep_share = 1.0, whole_turns = false",
        OWN,
    ),
];

/// Edits.
pub const EDITS: &[Descriptor] = &[
    of(
        "mask-results",
        "old tool results give way to one line when a trigger fires",
        "trigger, keep_tokens, keep_results",
        OWN,
    ),
    of("deepagents", "large results move to files, old write arguments are cut", "when, keep, profile", DEEP),
];

/// Summarizers.
pub const SUMMARIZERS: &[Descriptor] = &[
    of("none", "no summary", "", OWN),
    of("original-prompt", "the first message of the person, again", "", "the loop known as Ralph"),
    of(
        "pi",
        "history, update and split-turn requests; cumulative file lists",
        "release, template, from_start = false",
        PI,
    ),
    of(
        "article",
        "one request; the summary speaks as the assistant",
        "template, max_tokens, git_hook = false",
        ARTICLE,
    ),
    of(
        "deepagents",
        "one prompt over an XML transcript; names the file with the whole history",
        "template, trim_tokens",
        DEEP,
    ),
    of("random-extract", "lines of the dropped part, drawn by lot", "tokens", OWN),
    of("anchor-extract", "names of the dropped part, the newest first: a mechanical index", "tokens", OWN),
    of("oracle-extract", "the annotated facts: an upper bound, no strategy", "tokens", OWN),
];

/// Recovery actions.
pub const RECOVERIES: &[Descriptor] = &[
    of("recent-files", "names the files touched last", "count", ARTICLE),
    of(
        "reread",
        "puts files that were in use back, and files with rules",
        "count, file_tokens, total_tokens, rules",
        "Claude Code 2.1, by its documentation and third-party readings",
    ),
    of("history-file", "names a file with the whole history; a lost item can be read there", "path", DEEP),
    of("search", "offers a search over the history", "tool, excerpt_tokens", OWN),
    of("user-messages", "puts the newest messages of the person back", "tokens", "Codex CLI, compact.rs @ e06dd0e"),
];

#[cfg(test)]
mod tests {
    use super::{CUTS, Descriptor, EDITS, ESTIMATORS, RECOVERIES, SUMMARIZERS, TRIGGERS};
    use crate::engine::preset::presets;

    /// The `kind` of everything that a preset uses.
    fn kinds(value: &toml::Value, under: &str, found: &mut Vec<(String, String)>) {
        match value {
            toml::Value::Table(table) => {
                if let Some(kind) = table.get("kind").and_then(toml::Value::as_str) {
                    found.push((under.to_owned(), kind.to_owned()));
                }
                table.iter().for_each(|(key, value)| kinds(value, key, found));
            }
            toml::Value::Array(items) => items.iter().for_each(|item| kinds(item, under, found)),
            _ => {}
        }
    }

    #[test]
    fn everything_that_a_preset_uses_is_described() {
        let described = |list: &[Descriptor], kind: &str| list.iter().any(|one| one.name == kind);
        for preset in presets() {
            let mut found = Vec::new();
            kinds(&toml::Value::try_from(&preset.spec).unwrap(), "", &mut found);
            assert!(found.len() >= 4, "{}", preset.name);
            for (stage, kind) in found {
                let list = match stage.as_str() {
                    "estimator" => ESTIMATORS,
                    "trigger" => TRIGGERS,
                    "cut" => CUTS,
                    "edits" => EDITS,
                    "summarizer" => SUMMARIZERS,
                    "recovery" => RECOVERIES,
                    other => panic!("no list of {other}"),
                };
                assert!(described(list, &kind), "{}: {stage} {kind}", preset.name);
            }
        }
    }
}
