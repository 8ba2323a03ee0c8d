//! Argument truncation, eviction to files, clearing of old results.

use cutpoint::engine::langchain::{
    ChatMessage, ClearToolUses, EXEMPT_TOOLS, Estimator, Eviction, Ledger, Role, Settings, TruncateArguments,
};
use cutpoint::transcript::Tokens;
use serde_json::Value;

use super::case::{Case, cases, model, size};
use super::{chars, digest};

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

#[test]
fn arguments_are_cut_where_they_were() {
    for case in cases() {
        for recorded in case.list("truncate_args") {
            let model = model(recorded["model"].as_str().unwrap());
            let given = &recorded["settings"];
            let settings = TruncateArguments {
                trigger: size(&given["trigger"]),
                keep: size(&given["keep"]),
                max_length: given.get("max_length").map_or(TruncateArguments::MAX_LENGTH, count),
            };
            if recorded["defaults"] == true {
                assert_eq!(
                    Settings::factory(model.limit).truncate,
                    Some(settings.clone()),
                    "{}: {recorded}",
                    case.name
                );
            }
            truncate(case, recorded, &settings, model.limit, &model.estimator);
        }
    }
}

fn truncate(case: &Case, recorded: &Value, settings: &TruncateArguments, limit: Option<Tokens>, estimator: &Estimator) {
    let (len, tokens) = (case.messages.len(), case.tokens(estimator));
    let total = case.ledger(estimator).scaled(0..len, Tokens(0), 0);
    assert_eq!(recorded["total_tokens_before"], total.0, "{}: {recorded}", case.name);
    let fires = settings.fires(len, total, limit);
    assert_eq!(recorded["should_truncate"], fires, "{}: {recorded}", case.name);
    let cutoff = settings.cutoff(len, limit, |at| tokens[at]);
    assert_eq!(recorded["cutoff_index"], cutoff, "{}: {recorded}", case.name);
    let window = if fires && cutoff < len { cutoff } else { 0 };
    let truncated = settings.apply(case.messages.as_slice(), window);
    assert_eq!(recorded["modified"], !truncated.is_empty(), "{}: {recorded}", case.name);
    let mut messages = case.messages.clone();
    let mut changed = Vec::new();
    for (at, truncated) in truncated {
        for (tool, argument, before) in &truncated.cuts {
            // All cuts leave 20 characters and a suffix.
            changed.push(serde_json::json!(
                {"message": at, "tool": tool, "arg": argument, "chars_before": before, "chars_after": 43}
            ));
            let calls = &truncated.message.calls;
            let cut = calls.iter().filter_map(|call| serde_json::from_str::<Value>(&call.arguments).ok());
            let lengths: Vec<u64> = cut.filter_map(|arguments| arguments[argument].as_str().map(chars)).collect();
            assert!(lengths.contains(&43), "{}: {recorded}", case.name);
        }
        messages[at] = truncated.message;
    }
    assert_eq!(recorded["changed"], Value::from(changed), "{}: {recorded}", case.name);
    let after = Ledger::new(messages.iter().map(|message| (message, estimator.of(message))));
    assert_eq!(recorded["total_tokens_after"], after.scaled(0..len, Tokens(0), 0).0, "{}: {recorded}", case.name);
}

/// The tool whose valid call a result answers.
fn tool_of<'m>(messages: &'m [ChatMessage<'_>], result: &ChatMessage<'_>) -> &'m str {
    let calls = messages.iter().flat_map(|message| &message.calls);
    let mut made = calls.filter(|call| Some(call.id.as_ref()) == result.answers.as_deref());
    made.next().map_or("unknown", |call| &call.name)
}

#[test]
fn large_results_are_moved_to_files() {
    let estimator = Estimator::DEFAULT;
    for case in cases() {
        let eviction = &case.answers["eviction"];
        let at_default = |recorded: &&Value| recorded["limit_tokens"] == 20_000;
        let results = eviction["tool_results"].as_array().unwrap();
        let tool_messages = case.messages.iter().filter(|message| message.role == Role::Tool).count();
        assert_eq!(results.iter().filter(at_default).count(), tool_messages, "{}", case.name);
        for recorded in results {
            let message = &case.messages[count(&recorded["message"])];
            let tool = tool_of(&case.messages, message);
            assert_eq!(recorded["tool"], tool, "{}: {recorded}", case.name);
            assert_eq!(recorded["exempt"], EXEMPT_TOOLS.contains(&tool), "{}: {recorded}", case.name);
            if !recorded["content_chars"].is_null() {
                assert_eq!(recorded["content_chars"], message.content.text_chars(), "{}: {recorded}", case.name);
            }
            let settings = Eviction { tool_limit: count(&recorded["limit_tokens"]), ..Eviction::default() };
            let evicted = settings.takes(message, tool);
            assert_eq!(recorded["evicted"], evicted, "{}: {recorded}", case.name);
            let after = if evicted { Eviction::evict(message, "").message } else { message.clone() };
            let text = evicted.then(|| after.content.joined("\n"));
            let replacement = (text.as_deref().map(chars), text.as_deref().map(digest));
            assert_eq!(recorded["replacement_chars"], Value::from(replacement.0), "{}: {recorded}", case.name);
            assert_eq!(recorded["replacement_sha256_16"], Value::from(replacement.1), "{}: {recorded}", case.name);
            assert_eq!(recorded["tokens_before"], estimator.of(message).0, "{}: {recorded}", case.name);
            assert_eq!(recorded["tokens_after"], estimator.of(&after).0, "{}: {recorded}", case.name);
        }
        let human = case.messages.iter().filter(|message| message.role == Role::Human);
        let over = human.filter(|message| Eviction::default().takes_human(message)).count();
        assert_eq!(eviction["human_messages_over_limit"].as_array().unwrap().len(), over, "{}", case.name);
    }
}

#[test]
fn old_results_are_cleared() {
    let estimator = Estimator::DEFAULT;
    for case in cases() {
        let tokens = case.tokens(&estimator);
        let total: Tokens = tokens.iter().copied().sum();
        for recorded in case.list("context_editing") {
            let given = &recorded["settings"];
            let default = ClearToolUses::default();
            let settings = ClearToolUses {
                trigger: given.get("trigger").and_then(Value::as_u64).map_or(default.trigger, Tokens),
                keep: given.get("keep").map_or(default.keep, count),
                clear_at_least: given.get("clear_at_least").and_then(Value::as_u64).map_or(Tokens(0), Tokens),
                clear_inputs: given.get("clear_tool_inputs").is_some_and(|value| value == true),
                exclude: given["exclude_tools"]
                    .as_array()
                    .map(|tools| tools.iter().map(|tool| tool.as_str().unwrap().into()).collect())
                    .unwrap_or_default(),
                placeholder: default.placeholder,
            };
            let cleared = settings.clear(case.messages.as_slice(), total, |at| tokens[at], &estimator);
            assert_eq!(recorded["tokens_before"], total.0, "{}: {recorded}", case.name);
            assert_eq!(recorded["tokens_after"], cleared.total.0, "{}: {recorded}", case.name);
            assert_eq!(recorded["cleared"], Value::from(cleared.results), "{}: {recorded}", case.name);
            assert_eq!(recorded["inputs_cleared_on"], Value::from(cleared.inputs), "{}: {recorded}", case.name);
        }
    }
}
