//! Structured compaction by an extension: before a model is asked, a hook may supply the summary, or cancel.

use super::article::{details, said};
use super::{Completer, LlmError, Summarizer, Summary, SummaryError, SummaryJob};
use crate::transcript::json::js;
use crate::transcript::{Block, JsonText, Message, Text};

/// What a hook answers.
#[derive(Clone, Debug, PartialEq)]
pub enum HookAnswer {
    /// Go on as without it.
    Proceed,
    /// No compaction now, for this reason.
    Cancel(String),
    /// This summary, with data to store beside it.
    Supply {
        /// The summary.
        text: Text,
        /// Stored as `details`.
        details: Option<JsonText>,
    },
}

/// An extension that is asked before a compaction (Pi's `session_before_compact`).
pub trait Hook: Send + Sync {
    /// Sees what a summarizer would see.
    fn before_compact(&self, job: &SummaryJob<'_, '_>) -> HookAnswer;
}

/// A summarizer behind a hook. What the hook supplies is marked `fromHook`.
pub struct Hooked<S> {
    hook: Box<dyn Hook>,
    inner: S,
}

impl<S> Hooked<S> {
    /// Asks `hook` first.
    pub fn new(hook: Box<dyn Hook>, inner: S) -> Self {
        Self { hook, inner }
    }

    /// With the worked example: [`GitHook`].
    pub fn git(inner: S) -> Self {
        Self::new(Box::new(GitHook), inner)
    }
}

impl<S: Summarizer> Summarizer for Hooked<S> {
    fn summarize(&self, job: &SummaryJob<'_, '_>, llm: &dyn Completer) -> Result<Summary, SummaryError> {
        match self.hook.before_compact(job) {
            HookAnswer::Proceed => self.inner.summarize(job, llm),
            HookAnswer::Cancel(reason) => Err(SummaryError {
                error: LlmError::Failed(format!("an extension cancelled: {reason}")),
                exchanges: vec![],
            }),
            HookAnswer::Supply { text, details: own } => {
                let (message, details) = (Some(said(&text)), own.or_else(|| details(job)));
                Ok(Summary { message, text, details, from_hook: true, ..Summary::default() })
            }
        }
    }
}

/// Summarizes a session by what went through git: the first request, the files changed, the git commands run.
///
/// With no git command among the dropped messages it leaves the summary to the model.
#[derive(Clone, Copy, Debug)]
pub struct GitHook;

impl Hook for GitHook {
    fn before_compact(&self, job: &SummaryJob<'_, '_>) -> HookAnswer {
        let mut goal = None;
        let (mut commands, mut files) = (Vec::new(), Vec::new());
        for message in job.context.messages(0..job.plan.kept_from) {
            if let (None, Message::User(content)) = (&goal, message) {
                goal = Some(crate::transcript::joined_text(content).into_owned());
            }
            for block in message.blocks() {
                let Block::ToolCall(call) = block else { continue };
                let arguments = call.arguments.as_str();
                match call.name.as_str() {
                    "bash" => commands.extend(js::text_member(arguments, "command").filter(|it| runs_git(it))),
                    "write" | "edit" => push_new(&mut files, js::text_member(arguments, "path")),
                    _ => {}
                }
            }
        }
        if commands.is_empty() {
            return HookAnswer::Proceed;
        }
        let list = |items: &[String]| items.iter().flat_map(|item| ["- ", item, "\n"]).collect::<String>();
        let goal = goal.unwrap_or_default();
        let text =
            format!("## Goal\n{goal}\n\n## Files Changed\n{}\n## Git Commands\n{}", list(&files), list(&commands));
        let details = serde_json::to_string(&serde_json::json!({ "gitCommands": commands, "modifiedFiles": files }));
        HookAnswer::Supply { text: Text::new(text), details: details.ok().and_then(JsonText::new) }
    }
}

/// Whether a shell command runs git, also after `cd … &&` and the like.
fn runs_git(command: &str) -> bool {
    command.split(['&', ';', '|', '\n']).any(|part| part.trim_start().starts_with("git "))
}

fn push_new(files: &mut Vec<String>, path: Option<String>) {
    if let Some(path) = path.filter(|path| !files.contains(path)) {
        files.push(path);
    }
}

#[cfg(test)]
mod tests {
    use super::runs_git;

    #[test]
    fn git_is_found_where_it_is_run() {
        assert!(runs_git("cd /repo && git commit -m x"));
        assert!(!runs_git("cat .git/config; echo git status"));
    }
}
