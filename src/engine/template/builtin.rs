//! The templates that come with the program.

use super::error::{TemplateError, nearest};
use super::file::File;

/// Name and text of each.
pub(super) const FILES: &[(&str, &str)] = &[
    ("pi", include_str!("builtin/pi.toml")),
    ("pi-0.58", include_str!("builtin/pi-0.58.toml")),
    ("pi-three-part", include_str!("builtin/pi-three-part.toml")),
    ("pi-article", include_str!("builtin/pi-article.toml")),
    ("deepagents", include_str!("builtin/deepagents.toml")),
    ("claude-code", include_str!("builtin/claude-code.toml")),
    ("codex", include_str!("builtin/codex.toml")),
    ("gemini-cli", include_str!("builtin/gemini-cli.toml")),
    ("opencode", include_str!("builtin/opencode.toml")),
    ("openhands", include_str!("builtin/openhands.toml")),
    ("task-debugging", include_str!("builtin/task-debugging.toml")),
    ("task-feature", include_str!("builtin/task-feature.toml")),
    ("task-data", include_str!("builtin/task-data.toml")),
    ("task-writing", include_str!("builtin/task-writing.toml")),
];

/// The fields of a built-in template, with those it takes over from another.
pub(super) fn file(name: &str) -> Result<File, TemplateError> {
    File::read(text(name)?, name)?.resolved(name)
}

/// The text of a built-in template.
pub(super) fn text(name: &str) -> Result<&'static str, TemplateError> {
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text).ok_or_else(|| unknown(name))
}

/// Why there is none.
pub(super) fn unknown(name: &str) -> TemplateError {
    let names = || FILES.iter().map(|&(name, _)| name);
    let all = names().collect::<Vec<_>>().join(", ");
    let hint = match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`? Built in are: {all}"),
        None => format!("built in are: {all}; any other template is a TOML file"),
    };
    TemplateError { origin: format!("`{name}`"), field: None, problem: "there is no such template".to_owned(), hint }
}
