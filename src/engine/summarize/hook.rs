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
    use super::{GitHook, Hook, HookAnswer, Hooked, runs_git};
    use crate::engine::cut::CutPlan;
    use crate::engine::pi::Rules;
    use crate::engine::sketch::{reply, result, session, user};
    use crate::engine::summarize::pi::Pi;
    use crate::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse, Summarizer, Summary, SummaryJob};
    use crate::engine::trigger::Checkpoint;
    use crate::engine::view::{ContextView, Item, LastSummary};
    use crate::transcript::{EntryIdx, JsonText, StopReason, Text, Tokens, Transcript};

    #[test]
    fn git_is_found_where_it_is_run() {
        assert!(runs_git("cd /repo && git commit -m x"));
        assert!(!runs_git("cat .git/config; echo git status"));
    }

    struct Says;

    impl Completer for Says {
        fn name(&self) -> &'static str {
            "says"
        }

        fn is_mock(&self) -> bool {
            true
        }

        fn complete(&self, _: &LlmRequest) -> Result<LlmResponse, LlmError> {
            Ok(LlmResponse { text: "said".into(), calls: Vec::new(), truncated: false, usage: None })
        }
    }

    struct Answers(HookAnswer);

    impl Hook for Answers {
        fn before_compact(&self, _: &SummaryJob<'_, '_>) -> HookAnswer {
            self.0.clone()
        }
    }

    /// A prompt, a git command, an edit of `b.rs`, and a prompt that stays.
    fn work() -> Transcript {
        let calls = [("c1", "bash", r#"{"command":"git status"}"#), ("c2", "edit", r#"{"path":"b.rs"}"#)];
        let done = reply("on it", &calls, StopReason::ToolUse);
        let messages = [user("fix the tray"), done, result("c1", "clean"), result("c2", "ok"), user("next")];
        session(messages.map(Some))
    }

    fn summarize(summarizer: &dyn Summarizer, last: Option<LastSummary>) -> Result<Summary, String> {
        let transcript = work();
        let mut view = ContextView::new(&transcript, None);
        for index in 0..5 {
            view.push(Item::entry(&transcript, EntryIdx(index)), Tokens(1));
        }
        if let Some(last) = last {
            view.set_last_summary(last);
        }
        let plan = CutPlan::at(0, 4);
        let (context, checkpoint) = (&view, Checkpoint::TurnEnd);
        let job =
            SummaryJob { context, plan: &plan, past: &[], checkpoint, instructions: None, window: Tokens(1), seed: 0 };
        summarizer.summarize(&job, &Says).map_err(|failed| failed.to_string())
    }

    fn pi() -> Pi {
        Pi::new(Rules::V1_6, "pi").unwrap()
    }

    fn hooked(answer: HookAnswer) -> Hooked<Pi> {
        Hooked::new(Box::new(Answers(answer)), pi())
    }

    #[test]
    fn a_hook_supplies_a_summary_cancels_or_stands_aside() {
        let details = JsonText::new(r#"{"mine":1}"#);
        let supplied =
            summarize(&hooked(HookAnswer::Supply { text: "own".into(), details: details.clone() }), None).unwrap();
        assert_eq!((supplied.text.as_str(), supplied.from_hook, supplied.details), ("own", true, details));
        assert!(supplied.exchanges.is_empty(), "no model is asked");
        let aside = summarize(&hooked(HookAnswer::Proceed), None).unwrap();
        assert_eq!((aside.from_hook, aside.exchanges.len()), (false, 1));
        let cancelled = summarize(&hooked(HookAnswer::Cancel("not now".to_owned())), None).unwrap_err();
        assert!(cancelled.contains("not now"), "{cancelled}");
    }

    #[test]
    fn the_git_hook_tells_goal_files_and_commands() {
        let summary = summarize(&Hooked::new(Box::new(GitHook), pi()), None).unwrap();
        let text = "## Goal\nfix the tray\n\n## Files Changed\n- b.rs\n\n## Git Commands\n- git status\n";
        assert_eq!(summary.text.as_str(), text);
        assert_eq!(summary.details.unwrap().as_str(), r#"{"gitCommands":["git status"],"modifiedFiles":["b.rs"]}"#);
    }

    /// Pi's file lists are cumulative, but a compaction of an extension breaks the chain.
    #[test]
    fn details_of_a_hook_are_not_carried_on() {
        let last = |from_hook| {
            let details = JsonText::new(r#"{"readFiles":["old.rs"],"modifiedFiles":["a.rs"]}"#);
            Some(LastSummary { text: Text::from("before"), details, from_hook })
        };
        let lists = |from_hook| summarize(&pi(), last(from_hook)).unwrap().details.unwrap().as_str().to_owned();
        assert_eq!(lists(false), r#"{"readFiles":["old.rs"],"modifiedFiles":["a.rs","b.rs"]}"#);
        assert_eq!(lists(true), r#"{"readFiles":[],"modifiedFiles":["b.rs"]}"#);
    }
}
