//! Pi's rules against the answers of Pi's own functions, for three releases: every count, estimate, decision, cut,
//! rebuilt context, file list and serialized conversation.

#![expect(clippy::unwrap_used, reason = "an answer of another shape is a failed test")]

mod common;

use common::pi_answers::{Answer, answers, differences, digest, shape};
use cutpoint::engine::pi::{
    Estimate, FileLists, FileOps, Item, Path, Preparation, Rules, estimate_context, estimate_projected, find_cut_point,
    left_entries, message_tokens, prepare, prepare_branch, serialize, should_compact,
};
use cutpoint::transcript::{EntryIdx, EntryKind, Message, Tokens, Transcript};
use serde_json::{Value, json};

/// What is not this test's business, and why. Every other key of an answer must be equal.
const ELSEWHERE: &[(&str, &str)] = &[
    ("oracle", "version of the answer file"),
    ("pi", "says which release answered"),
    ("units", "explains the file"),
    ("session", "tests/golden_pi_entries.rs"),
    ("entries", "tests/golden_pi_entries.rs"),
    ("context.model", "the model in force is not part of a context"),
    ("context.thinking_level", "the thinking level in force is not part of a context"),
    ("cuts.compaction_with_mock_summary", "tests/golden_pi_live.rs"),
    ("branch_summary.target", "names the input"),
];

#[test]
fn the_rules_answer_as_pi_does() {
    let differences: Vec<String> =
        answers().iter().flat_map(|answer| differences(answer, &everything(answer), ELSEWHERE)).collect();
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}

fn everything(answer: &Answer) -> Value {
    let (transcript, rules) = (&answer.transcript, answer.rules);
    let indices = transcript.path();
    let path = Path::new(transcript, &indices, rules);
    let context = path.context();
    let projected = rules.projection.then(|| estimate_projected(&path, &context, rules));
    let plain = estimate_context(&context, rules);
    let compared = projected.unwrap_or(plain).tokens;
    let decide = |window: u64| {
        json!({
            "window": window,
            "threshold": window - rules.reserve.0,
            "context_tokens": compared.0,
            "compact": should_compact(compared, Tokens(window), rules),
            "compact_on_plain_estimate": should_compact(plain.tokens, Tokens(window), rules),
        })
    };
    let decisions = [32_000, 128_000, 200_000, 1_000_000].map(decide);
    let mut files = FileOps::default();
    for item in &context {
        files.add(&item.message, rules);
    }
    let mut ours = json!({
        "default_settings": { "enabled": true, "reserveTokens": rules.reserve.0, "keepRecentTokens": rules.keep_recent.0 },
        "context_estimate": {
            "estimate_context_tokens": estimate(plain),
            "estimate_projected_context_tokens": projected.map(estimate),
            "sum_of_message_estimates": sum(&context, rules).0,
            "last_assistant_usage_on_path": last_usage(transcript, &indices, rules),
        },
        "should_compact": decisions,
        "cuts": answer.keeps().map(|keep| cut(&path, keep, &answer.golden)).collect::<Vec<_>>(),
        "context": {
            "messages": context.iter().map(|item| with_tokens(shape(&item.message), &item.message, rules)).collect::<Vec<_>>(),
            "as_sent": context.iter().filter_map(|item| as_sent(&item.message)).collect::<Vec<_>>(),
            "serialized": digest(&serialize(context.iter().map(|item| &*item.message), rules)),
        },
        "file_ops_of_context": lists(&files.lists()),
    });
    if let Some(branch) = answer.golden.get("branch_summary") {
        ours["branch_summary"] = branch_summary(transcript, branch, rules);
    }
    ours
}

fn estimate(estimate: Estimate) -> Value {
    json!({
        "tokens": estimate.tokens.0,
        "usageTokens": estimate.usage.0,
        "trailingTokens": estimate.trailing.0,
        "lastUsageIndex": estimate.anchor,
    })
}

fn sum(items: &[Item<'_>], rules: &Rules) -> Tokens {
    items.iter().map(|item| message_tokens(&item.message, rules)).sum()
}

fn last_usage(transcript: &Transcript, path: &[EntryIdx], rules: &Rules) -> Option<u64> {
    path.iter().rev().find_map(|&idx| match &transcript.entry(idx).kind {
        EntryKind::Message(message) => {
            let reply = message.reply().filter(|reply| !reply.failed())?;
            Some(reply.usage?.context().0).filter(|&tokens| tokens > 0 || !rules.zero_usage_is_no_anchor)
        }
        _ => None,
    })
}

fn with_tokens(mut shape: Value, message: &Message, rules: &Rules) -> Value {
    shape["tokens"] = json!(message_tokens(message, rules).0);
    shape
}

/// A message as it is sent: what becomes user text has the length of that text.
fn as_sent(message: &Message) -> Option<Value> {
    let mut sent = shape(message);
    match message {
        Message::Assistant(..) | Message::ToolResult(_) => {}
        Message::System(_) => return None,
        other => {
            let text = cutpoint::transcript::user_text(other)?;
            sent["role"] = json!("user");
            sent["text_len"] = json!(text.encode_utf16().count());
        }
    }
    Some(sent)
}

fn place(path: &Path<'_>, at: usize) -> Value {
    let entry = path.entry(at);
    json!({ "id": entry.id, "path_index": at, "line": entry.line })
}

fn cut(path: &Path<'_>, keep: u64, golden: &Value) -> Value {
    let rules = path.rules();
    let start = golden["cuts"][0]["find_cut_point_whole_path"]["range_start"].as_u64().unwrap_or(0);
    let start = usize::try_from(start).expect("a position");
    let whole = path.as_recorded();
    let found = find_cut_point(&whole, start..whole.len(), Tokens(keep), rules);
    json!({
        "keep_recent_tokens": keep,
        "find_cut_point_whole_path": {
            "range_start": start,
            "first_kept": place(path, found.first_kept),
            "split_turn": found.turn_start.is_some(),
            "turn_start": found.turn_start.map(|at| place(path, at)),
        },
        "prepare_compaction": prepare(path, Tokens(keep)).map(|prepared| preparation(path, &prepared)),
    })
}

fn preparation(path: &Path<'_>, prepared: &Preparation<'_>) -> Value {
    let rules = path.rules();
    let serialized = |items: &[Item<'_>]| digest(&serialize(items.iter().map(|item| &*item.message), rules));
    let files = prepared.files.lists();
    json!({
        "first_kept": place(path, prepared.first_kept),
        "split_turn": prepared.turn_start.is_some(),
        "turn_start": prepared.turn_start.map(|at| place(path, at)),
        "tokens_before": prepared.tokens_before.0,
        "messages_to_summarize": prepared.history.len(),
        "messages_to_summarize_tokens": sum(&prepared.history, rules).0,
        "turn_prefix_messages": prepared.prefix.len(),
        "turn_prefix_tokens": sum(&prepared.prefix, rules).0,
        "kept_messages": prepared.kept.len(),
        "kept_tokens": sum(&prepared.kept, rules).0,
        "previous_summary_len": prepared.previous.map(|previous| previous.summary.utf16_len()),
        "serialized_history": serialized(&prepared.history),
        "serialized_turn_prefix": serialized(&prepared.prefix),
        "file_ops": lists(&files),
        "file_tags": digest(&files.tags()),
    })
}

fn lists(lists: &FileLists) -> Value {
    json!({ "readFiles": lists.read_files, "modifiedFiles": lists.modified_files })
}

fn branch_summary(transcript: &Transcript, golden: &Value, rules: &Rules) -> Value {
    let target = transcript.entries.iter().position(|entry| *entry.id == *golden["target"]["id"].as_str().unwrap());
    let (left, ancestor) = left_entries(transcript, transcript.leaf().unwrap(), EntryIdx(target.unwrap()));
    let id = |idx: EntryIdx| transcript.entry(idx).id.clone();
    let budgets = golden["budgets"].as_array().unwrap().iter().map(|golden| {
        let budget = golden["budget"].as_u64().unwrap();
        let prepared = prepare_branch(transcript, &left, (budget > 0).then_some(Tokens(budget)), rules);
        let messages: Vec<Value> = prepared.messages.iter().map(|message| shape(message)["role"].clone()).collect();
        json!({
            "budget": budget,
            "messages": messages,
            "total_tokens": prepared.tokens.0,
            "file_ops": lists(&prepared.files.lists()),
            "serialized": digest(&serialize(&prepared.messages, rules)),
        })
    });
    json!({
        "common_ancestor": ancestor.map(id),
        "entries": left.iter().map(|&idx| id(idx)).collect::<Vec<_>>(),
        "budgets": budgets.collect::<Vec<_>>(),
    })
}
