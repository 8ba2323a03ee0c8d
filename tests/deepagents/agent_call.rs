//! The whole middleware around one model call, with and without a first request that overflows.

use cutpoint::engine::langchain::{
    AgentCall, CallReport, ChatMessage, Model, Overflowed, Reading, Role, Services, Settings, SummaryInput, Trigger,
    reported_usage,
};
use cutpoint::transcript::Tokens;
use serde_json::Value;

use super::case::{Case, cases, model, size, tools};
use super::{chars, digest};

/// What the trigger sees of `messages`.
pub(crate) fn reading(messages: &[ChatMessage<'_>], total: Tokens, model: &Model<'_>) -> Reading {
    let last_reply = messages.iter().rev().find(|message| message.role == Role::Ai);
    Reading { messages: messages.len(), total, reported: reported_usage(last_reply, model.provider) }
}

/// The reply of the recorder's stub model. It is not on record; this is the text that gives the recorded digests.
const SUMMARY: &str = "## SESSION INTENT\nstub\n\n## SUMMARY\nstub\n\n## ARTIFACTS\nNone\n\n## NEXT STEPS\nNone";

/// A model that refuses its first request if told to.
struct Stub {
    first_overflows: bool,
    calls: u32,
}

impl Services for Stub {
    fn send(&mut self, _: &[ChatMessage<'_>], _: Tokens) -> Result<(), Overflowed> {
        self.calls += 1;
        if self.first_overflows && self.calls == 1 { Err(Overflowed) } else { Ok(()) }
    }

    fn summarize(&mut self, _: &SummaryInput<'_, '_>) -> String {
        SUMMARY.to_owned()
    }

    fn history_path(&self) -> String {
        format!("/conversation_history/session_{}.md", "0".repeat(32))
    }

    fn time(&self) -> String {
        "T".into()
    }
}

#[test]
fn the_middleware_does_what_it_did() {
    let tool_chars = tools().iter().map(|(_, chars)| chars).sum();
    for case in cases() {
        for recorded in case.list("agent_call") {
            let model = model(recorded["model"].as_str().unwrap());
            let settings = Settings::factory(model.limit);
            let defaults = &recorded["defaults"];
            let truncate = &defaults["truncate_args_settings"];
            assert_eq!(settings.trigger, Trigger::from(size(&defaults["trigger"])));
            assert_eq!(settings.keep, size(&defaults["keep"]));
            let own = settings.truncate.clone().unwrap();
            assert_eq!((own.trigger, own.keep), (size(&truncate["trigger"]), size(&truncate["keep"])));

            let (system, messages) = match case.messages.split_first() {
                Some((first, rest)) if first.role == Role::System => (Some(first), rest),
                _ => (None, case.messages.as_slice()),
            };
            let call = AgentCall { model, settings: &settings, system, messages, tool_chars, event: None };
            before_the_call(case, recorded, &call);
            let mut stub = Stub { first_overflows: recorded["first_call_overflows"] == true, calls: 0 };
            let result = call.run(&mut stub);
            assert_eq!(recorded["model_calls"], stub.calls, "{}: {recorded}", case.name);
            match result {
                Err(_) => assert_eq!(recorded["raised"], "ContextOverflowError", "{}: {recorded}", case.name),
                Ok(report) => {
                    assert!(recorded.get("raised").is_none(), "{}: {recorded}", case.name);
                    assert_eq!(report.model_calls, stub.calls);
                    compare(case, recorded, &report);
                }
            }
        }
    }
}

fn before_the_call(case: &Case, recorded: &Value, call: &AgentCall<'_, 'static>) {
    let counted = call.count(call.messages);
    assert_eq!(recorded["counted_tokens"], counted.0, "{}: {recorded}", case.name);
    assert_eq!(
        recorded["input_budget"],
        Value::from(call.budget().map(|budget| budget.0)),
        "{}: {recorded}",
        case.name
    );
    let now = call.reading(call.messages, counted);
    let (trigger, limit) = (&call.settings.trigger, call.model.limit);
    assert_eq!(recorded["trigger_fires"], trigger.fires(&now, limit), "{}: {recorded}", case.name);
    let over = call.budget().is_some_and(|budget| counted > budget);
    assert_eq!(recorded["over_input_budget"], over, "{}: {recorded}", case.name);
    assert_eq!(recorded["compact_tool_allowed"], trigger.tool_allowed(&now, limit), "{}: {recorded}", case.name);
}

fn compare(case: &Case, recorded: &Value, report: &CallReport<'_>) {
    let seen = &report.answered.messages;
    let types: Vec<&str> = seen.iter().map(|message| message.role.kind()).collect();
    assert_eq!(recorded["types_seen"], Value::from(types), "{}: {recorded}", case.name);
    assert_eq!(recorded["messages_seen"], seen.len(), "{}: {recorded}", case.name);
    assert_eq!(recorded["tokens_seen"], report.answered.tokens.0, "{}: {recorded}", case.name);
    assert_eq!(recorded["replaced_in_state"], report.replaced, "{}: {recorded}", case.name);
    assert_eq!(recorded["summarized"], report.event.is_some(), "{}: {recorded}", case.name);
    let Some(event) = &report.event else { return };
    assert_eq!(recorded["event_cutoff_index"], event.cut, "{}: {recorded}", case.name);
    assert_eq!(recorded["event_created_at_index"], event.created_at, "{}: {recorded}", case.name);
    assert_eq!(recorded["file_path"], event.history, "{}: {recorded}", case.name);
    let summary = event.summary.content.joined("");
    assert_eq!(recorded["summary_message_chars"], chars(&summary), "{}: {recorded}", case.name);
    assert_eq!(recorded["summary_message_sha256_16"], digest(&summary), "{}: {recorded}", case.name);
    let section = report.section.as_deref().unwrap();
    assert_eq!(recorded["saved_file_chars"], chars(section), "{}: {recorded}", case.name);
    assert_eq!(recorded["saved_file_sha256_16"], digest(section), "{}: {recorded}", case.name);
    let names: Vec<&str> = report.media.iter().filter_map(|file| file.path.rsplit('/').next()).collect();
    assert_eq!(recorded["saved_media"], Value::from(names), "{}: {recorded}", case.name);
}
