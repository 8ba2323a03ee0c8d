//! Conformance with Deep Agents and LangChain: every recorded answer of the real packages (deepagents 0.7.32,
//! langchain 1.5.2, langchain-core 1.8.3) is computed again and compared.

#![expect(clippy::unwrap_used, reason = "a golden file of another shape is a failed test")]

#[path = "deepagents/agent_call.rs"]
mod agent_call;
#[path = "deepagents/case.rs"]
mod case;
#[path = "deepagents/rewriting.rs"]
mod rewriting;

use case::{Case, cases, model, size, tools};
use cutpoint::engine::langchain::{
    Clause, Content, Estimator, Fraction, SummaryInput, Trigger, cut, cut_middle, dangling_calls, safe_point,
    summarizer_input, transcript_prefix, transcript_xml,
};
use cutpoint::transcript::Tokens;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// What is not compared, and why. [`every_answer_is_known`] fails on any other answer that no test reads.
const NOT_COMPARED: [(&str, &str); 3] = [
    ("versions", "not an answer"),
    ("deepagents_filesystem_tools", "counts of the package's own tool schemas, which are not on record"),
    ("deepagents_filesystem_tools_total", "their sum"),
];

/// Characters of the packages' prompts without a transcript. Our prompts have our own wording, so of the recorded
/// prompt sizes only what the transcript adds is compared.
const PROMPT_CHARS: [(&str, u64); 2] = [("prompt_chars_langchain", 2_714), ("prompt_chars_deepagents", 3_350)];

/// First 16 digits of SHA-256.
pub(crate) fn digest(text: &str) -> String {
    Sha256::digest(text).iter().take(8).fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
}

/// Code points.
pub(crate) fn chars(text: &str) -> u64 {
    u64::try_from(text.chars().count()).unwrap()
}

fn assert_text(case: &Case, what: &str, text: &str, recorded: &Value) {
    assert_eq!(recorded["chars"], chars(text), "{}: length of {what}", case.name);
    assert_eq!(recorded["sha256_16"], digest(text), "{}: {what}", case.name);
}

#[test]
fn tokens_are_those_of_the_package() {
    let tool_chars: usize = tools().iter().map(|(_, chars)| chars).sum();
    let (default, anthropic) = (Estimator::DEFAULT, Estimator::ANTHROPIC);
    for case in cases() {
        let recorded = &case.answers["tokens"];
        let (tokens, tokens_3_3) = (case.tokens(&default), case.tokens(&anthropic));
        for (at, message) in recorded["per_message"].as_array().unwrap().iter().enumerate() {
            assert_eq!(message["i"], at, "{}", case.name);
            assert_eq!(message["type"], case.messages[at].role.kind(), "{} {at}", case.name);
            assert_eq!(message["default"], tokens[at].0, "{} {at}", case.name);
            assert_eq!(message["chars_per_token_3_3"], tokens_3_3[at].0, "{} {at}", case.name);
        }
        let total = |estimator: Estimator| estimator.total(&case.measures);
        let scaled = |estimator, before| case.ledger(&estimator).scaled(0..case.messages.len(), before, 0);
        let tools = default.tools(tool_chars);
        let computed = [
            ("default", total(default)),
            ("sum_of_default_per_message", tokens.iter().copied().sum()),
            ("chars_per_token_3_3", total(anthropic)),
            ("extra_tokens_per_message_0", total(Estimator { extra_per_message: 0.0, ..default })),
            ("extra_tokens_per_message_2_5", total(Estimator { extra_per_message: 2.5, ..default })),
            ("count_name_false", total(Estimator { count_name: false, ..default })),
            ("tokens_per_image_1000", total(Estimator { per_image: 1_000, ..default })),
            ("usage_scaled", scaled(default, Tokens(0))),
            ("usage_scaled_3_3", scaled(anthropic, Tokens(0))),
            ("with_tools_json", total(default) + tools),
            ("with_tools_json_usage_scaled", scaled(default, tools)),
        ];
        assert_eq!(recorded["total"].as_object().unwrap().len(), computed.len());
        for (name, count) in computed {
            assert_eq!(recorded["total"][name], count.0, "{}: {name}", case.name);
        }
    }
}

#[test]
fn tool_schemas_are_counted_as_ascii_json() {
    for case in cases() {
        let recorded = &case.answers["tokens"]["tools_only"];
        for (name, chars) in tools() {
            assert_eq!(recorded["each_of_tools_json"][&name], Estimator::DEFAULT.tools(chars).0, "{name}");
        }
        let all = tools().iter().map(|(_, chars)| chars).sum();
        assert_eq!(recorded["tools_json"], Estimator::DEFAULT.tools(all).0);
    }
}

#[test]
fn inputs_are_read_as_recorded() {
    for case in cases() {
        assert_eq!(case.answers["messages"], case.messages.len(), "{}", case.name);
        // The recorder counted string contents only.
        let strings = case.messages.iter().filter(|message| matches!(message.content, Content::Text(_)));
        let text: usize = strings.map(|message| message.content.text_chars()).sum();
        assert_eq!(case.answers["content_chars"], text, "{}", case.name);
        let invalid = case.messages.iter().enumerate().flat_map(|(at, message)| {
            message.invalid_calls.iter().map(move |call| serde_json::json!({"message": at, "id": call.id}))
        });
        assert_eq!(case.answers["invalid_tool_calls"], invalid.collect::<Value>(), "{}", case.name);
    }
}

/// null, `[kind, n]`, `{kind: n}` or a list of those.
fn trigger(recorded: &Value) -> Trigger {
    match recorded {
        Value::Null => Trigger::default(),
        Value::Array(items) if items[0].is_array() => Trigger(items.iter().map(|item| size(item).into()).collect()),
        Value::Array(_) => size(recorded).into(),
        and => Trigger(vec![Clause {
            tokens: and.get("tokens").and_then(Value::as_u64).map(Tokens),
            messages: and.get("messages").and_then(Value::as_u64).map(|count| usize::try_from(count).unwrap()),
            fraction: and.get("fraction").and_then(Value::as_f64).and_then(Fraction::new),
        }]),
    }
}

#[test]
fn triggers_fire_when_they_fired() {
    for case in cases() {
        for recorded in case.list("triggers") {
            let model = model(recorded["model"].as_str().unwrap());
            let trigger = trigger(&recorded["trigger"]);
            let refused = trigger.validate(model.limit).is_err();
            assert_eq!(recorded.get("error").is_some(), refused, "{}: {recorded}", case.name);
            if refused {
                continue;
            }
            let total = case.ledger(&model.estimator).scaled(0..case.messages.len(), Tokens(0), 0);
            assert_eq!(recorded["total_tokens"], total.0, "{}: {recorded}", case.name);
            let now = agent_call::reading(&case.messages, total, &model);
            assert_eq!(recorded["fires"], trigger.fires(&now, model.limit), "{}: {recorded}", case.name);
        }
    }
}

#[test]
fn cuts_are_where_they_were() {
    for case in cases() {
        let len = case.messages.len();
        for recorded in case.list("keeps") {
            let model = model(recorded["model"].as_str().unwrap());
            let ledger = case.ledger(&model.estimator);
            let total = ledger.scaled(0..len, Tokens(0), 0);
            let suffix = |index| ledger.plain(index..len);
            match cut(case.messages.as_slice(), size(&recorded["keep"]), model.limit, total, suffix) {
                Err(_) => assert_eq!(recorded["error"], "ValueError", "{}: {recorded}", case.name),
                Ok(at) => {
                    assert_eq!(recorded["cutoff_index"], at, "{}: {recorded}", case.name);
                    assert_eq!(recorded["kept"], len - at, "{}: {recorded}", case.name);
                    assert_eq!(recorded["kept_tokens"], suffix(at).0, "{}: {recorded}", case.name);
                }
            }
        }
        let points: Vec<usize> = (0..=len).map(|index| safe_point(case.messages.as_slice(), index)).collect();
        assert_eq!(case.answers["safe_cutoff_point"], Value::from(points), "{}", case.name);
    }
}

#[test]
fn the_summarizer_is_shown_what_it_was_shown() {
    let estimator = Estimator::DEFAULT;
    for case in cases() {
        let (len, tokens, ledger) = (case.messages.len(), case.tokens(&estimator), case.ledger(&estimator));
        for recorded in case.list("summarizer_input") {
            let total = ledger.scaled(0..len, Tokens(0), 0);
            let suffix = |index| ledger.plain(index..len);
            let at = cut(case.messages.as_slice(), size(&recorded["keep"]), None, total, suffix).unwrap();
            assert_eq!(recorded["cutoff_index"], at, "{}: {recorded}", case.name);
            assert_eq!(recorded["messages_in"], at, "{}: {recorded}", case.name);
            let trim = recorded["trim_tokens_to_summarize"].as_u64().map(Tokens);
            let input = summarizer_input(&case.messages[..at], &tokens[..at], trim, &estimator);
            let (after, first, fixed) = match &input {
                SummaryInput::Fixed(text) => (0, None, Some(chars(text))),
                SummaryInput::Messages(messages) => (messages.len(), messages.first().map(|m| m.role.kind()), None),
            };
            assert_eq!(recorded["messages_after_trim"], after, "{}: {recorded}", case.name);
            assert_eq!(recorded["first_type_after_trim"], Value::from(first), "{}: {recorded}", case.name);
            assert_eq!(recorded["fixed_answer_chars"], Value::from(fixed), "{}: {recorded}", case.name);
            assert_eq!(recorded["summarizer_called"], fixed.is_none(), "{}: {recorded}", case.name);
            let transcript = input.transcript();
            assert_eq!(recorded["transcript_chars"], chars(&transcript), "{}: {recorded}", case.name);
            assert_eq!(recorded["transcript_sha256_16"], digest(&transcript), "{}: {recorded}", case.name);
            for (prompt, size) in PROMPT_CHARS {
                assert_eq!(recorded[prompt], size + chars(&transcript), "{}: {recorded}", case.name);
            }
            let retry = fixed.is_none().then(|| PROMPT_CHARS[0].1 + chars(&cut_middle(&transcript, None, &estimator)));
            assert_eq!(recorded["overflow_retry_prompt_chars"], Value::from(retry), "{}: {recorded}", case.name);
        }
    }
}

#[test]
fn transcripts_are_spelled_alike() {
    for case in cases() {
        assert_text(case, "XML transcript", &transcript_xml(&case.messages), &case.answers["transcript_xml"]);
        assert_text(case, "prefix transcript", &transcript_prefix(&case.messages), &case.answers["transcript_prefix"]);
    }
}

#[test]
fn dangling_calls_are_answered() {
    for case in cases() {
        let added = dangling_calls(&case.messages).len();
        assert_eq!(case.answers["patch_tool_calls_adds"], added, "{}", case.name);
    }
}

/// Every key of the answers is read by some test here, or listed in [`NOT_COMPARED`].
#[test]
fn every_answer_is_known() {
    let sources = [
        include_str!("deepagents_golden.rs"),
        include_str!("deepagents/agent_call.rs"),
        include_str!("deepagents/rewriting.rs"),
    ];
    let mut keys = std::collections::BTreeSet::new();
    for case in cases() {
        collect(&case.answers, &mut keys);
    }
    let tools: Vec<String> = tools().into_iter().map(|(name, _)| name).collect();
    let known = |key: &String| {
        let quoted = format!("\"{key}\"");
        sources.iter().any(|source| source.contains(&quoted)) || tools.contains(key)
    };
    let unknown: Vec<&String> = keys.iter().filter(|key| !known(key)).collect();
    assert!(unknown.is_empty(), "no test reads {unknown:?}");
}

fn collect(value: &Value, keys: &mut std::collections::BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, keys)),
        Value::Object(fields) => {
            for (key, field) in fields {
                keys.insert(key.clone());
                if NOT_COMPARED.iter().all(|(name, _)| name != key) {
                    collect(field, keys);
                }
            }
        }
        _ => {}
    }
}
