//! Summary templates as data: what a model is told, and the headings it must fill.
//!
//! A template is a TOML file ([`Template::parse`] gives its fields), so a researcher writes one without Rust. The built-in ones
//! take headings, order of parts and demands from real systems; every sentence in them is our own.

mod builtin;
mod compile;
mod error;
mod file;
mod task;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use compile::{Piece, Prompt};
pub use error::TemplateError;
pub use task::{Choice, Task};

use super::summarize::Purpose;

/// A heading that a prompt asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// As it stands in the prompt, and is wanted in the answer: `## Goal`, `### Done`, `SESSION INTENT`.
    pub print: Arc<str>,
    /// What belongs under it, as the prompt says; `None` for a heading that only holds others.
    pub asks: Option<Arc<str>>,
}

impl Heading {
    /// The heading without marks: `Goal`.
    pub fn title(&self) -> &str {
        self.print.trim_matches(|c: char| c.is_whitespace() || matches!(c, '#' | '*' | ':'))
    }
}

/// What goes into a prompt.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts<'a> {
    /// The serialized conversation.
    pub conversation: &'a str,
    /// The summary that an update starts from; used by update prompts only.
    pub previous_summary: Option<&'a str>,
    /// The person's own words on what to look at.
    pub focus: Option<&'a str>,
}

/// A summary template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    name: String,
    about: String,
    source: String,
    system: Option<Arc<str>>,
    focus: (String, String),
    prompts: [Option<Prompt>; 4],
}

/// Place of a prompt in [`Template::prompts`]; no template has questions.
fn slot(purpose: Purpose) -> Option<usize> {
    match purpose {
        Purpose::Summary => Some(0),
        Purpose::Update => Some(1),
        Purpose::TurnPrefix => Some(2),
        Purpose::Branch => Some(3),
        Purpose::Question => None,
    }
}

impl Template {
    /// Names of the built-in templates.
    pub fn names() -> impl ExactSizeIterator<Item = &'static str> + Clone {
        builtin::FILES.iter().map(|&(name, _)| name)
    }

    /// A built-in template.
    ///
    /// # Errors
    /// When there is none of that name; the hint offers the nearest one.
    pub fn builtin(name: &str) -> Result<Self, TemplateError> {
        /// Read once: every cell asks for its own several times.
        static READ: LazyLock<BTreeMap<&str, Result<Template, TemplateError>>> = LazyLock::new(|| {
            let read = |name| builtin::file(name).and_then(|file| compile::template(file, name));
            builtin::FILES.iter().map(|&(name, _)| (name, read(name))).collect()
        });
        READ.get(name).cloned().unwrap_or_else(|| Err(builtin::unknown(name)))
    }

    /// A built-in template by its name, or a template file by its whole text, as an experiment carries it.
    ///
    /// # Errors
    /// When there is none of that name, or the text is no template.
    pub fn named(name: &str) -> Result<Self, TemplateError> {
        if name.contains('\n') { Self::parse(name, "given by the experiment") } else { Self::builtin(name) }
    }

    /// The TOML file of a built-in template, to start one's own from.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn builtin_file(name: &str) -> Result<&'static str, TemplateError> {
        builtin::text(name)
    }

    /// Reads a template. `origin` is named in errors: the file.
    ///
    /// | field | meaning |
    /// |---|---|
    /// | `name`, `about`, `source` | its name, one line, and which real system it follows, in which version |
    /// | `extends` | a built-in template that gives every field which is not set here |
    /// | `system` | the system prompt, if any |
    /// | `focus` | the paragraph that `{focus}` becomes when the person gave words of their own |
    /// | `[initial]` `[update]` `[prefix]` `[branch]` | first summary; update of an older one; start of a split turn; a branch that is left. Only the first is needed |
    /// | &nbsp; `prompt` | the user message: `{conversation}` once, in `[update]` also `{previous_summary}`, then `{instructions}`, `{headings}`, `{focus}` |
    /// | &nbsp; `instructions` | what `{instructions}` stands for; may hold `{headings}` |
    /// | &nbsp; `[[prefix.heading]]` | headings of this prompt alone, in place of the common ones |
    /// | `[[heading]]` | `print` as it is printed; `asks` what belongs under it; `update` the same for updates; `not_in` prompts that leave it out |
    ///
    /// `{{word}}` prints `{word}`.
    ///
    /// # Errors
    /// When it is not valid TOML, has an unknown or missing field, or a prompt could not work.
    pub fn parse(toml: &str, origin: &str) -> Result<Self, TemplateError> {
        let file = file::File::read(toml, origin)?;
        compile::template(file.resolved(origin)?, origin)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line on what it asks for.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The real system that it follows, and the version.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The system prompt, the same for every request.
    pub fn system(&self) -> Option<&Arc<str>> {
        self.system.as_ref()
    }

    fn prompt(&self, purpose: Purpose) -> Option<&Prompt> {
        self.prompts[slot(purpose)?].as_ref()
    }

    /// Whether it has a prompt for this purpose; it always has one for a first summary.
    pub fn has(&self, purpose: Purpose) -> bool {
        self.prompt(purpose).is_some()
    }

    /// The headings that the prompt for this purpose asks for, in order; empty when there is no such prompt.
    pub fn headings(&self, purpose: Purpose) -> &[Heading] {
        self.prompt(purpose).map_or(&[], |prompt| &prompt.headings)
    }

    /// Whether the person's own words reach the prompt for this purpose.
    pub fn takes_focus(&self, purpose: Purpose) -> bool {
        self.prompt(purpose).is_some_and(|prompt| prompt.pieces.contains(&Piece::Focus))
    }

    /// The user message; `None` when the template has no prompt for this purpose.
    ///
    /// Every part enters once and as it is: text of a conversation that looks like a placeholder stays.
    pub fn render(&self, purpose: Purpose, parts: &Parts<'_>) -> Option<String> {
        let prompt = self.prompt(purpose)?;
        let previous = parts.previous_summary.unwrap_or_default();
        let fixed: usize = prompt.pieces.iter().map(Piece::fixed_len).sum();
        let focus = parts.focus.map_or(0, |focus| focus.len() + self.focus.0.len() + self.focus.1.len());
        let mut out = String::with_capacity(fixed + parts.conversation.len() + previous.len() + focus);
        for piece in &prompt.pieces {
            match (piece, parts.focus) {
                (Piece::Fixed(text), _) => out.push_str(text),
                (Piece::Conversation, _) => out.push_str(parts.conversation),
                (Piece::PreviousSummary, _) => out.push_str(previous),
                (Piece::Focus, Some(focus)) => {
                    out.extend([self.focus.0.as_str(), focus, self.focus.1.as_str()]);
                }
                (Piece::Focus, None) => {}
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests;
