//! The stages `pi` on a live context against Pi's own `compact()` with a model that always answers the same.

#![expect(clippy::unwrap_used, reason = "an answer of another shape is a failed test")]

mod common;

use common::pi_answers::{Answer, answers, digest, shape};
use cutpoint::engine::cut::{CutGoal, CutPlan, CutPolicy, NothingToDrop};
use cutpoint::engine::pi::{FileLists, Item, Path, Rules, estimate_context, message_tokens};
use cutpoint::engine::preset::preset;
use cutpoint::engine::summarize::{
    Completer, LlmError, LlmRequest, LlmResponse, Purpose, Summarizer, Summary, SummaryJob,
};
use cutpoint::engine::trigger::Checkpoint;
use cutpoint::engine::view::{ContextView, Kind};
use cutpoint::engine::{cut, summarize};
use cutpoint::replay::{CountCache, EstimateTable, History, Live, Model, Outline, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{Message, Tokens};
use serde_json::{Value, json};

/// Pi's test double.
struct Fixed;

impl Completer for Fixed {
    fn name(&self) -> &'static str {
        "fixed"
    }

    fn is_mock(&self) -> bool {
        true
    }

    fn complete(&self, _: &LlmRequest) -> Result<LlmResponse, LlmError> {
        Ok(LlmResponse { text: "MOCK SUMMARY".into(), calls: Vec::new(), truncated: false, usage: None })
    }
}

/// Releases before 0.87 know no context edits. A replay follows the edits of a recording whatever the strategy, as it
/// follows its branches, so the answers of the older releases about a session with edits are checked on the path alone
/// (`tests/golden_pi.rs`).
fn has_edits_unknown_to_release(answer: &Answer) -> bool {
    answer.name.starts_with("context_edits") && !answer.rules.projection
}

#[test]
fn a_live_compaction_is_pis() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for answer in answers().iter().filter(|answer| !has_edits_unknown_to_release(answer)) {
        for golden in answer.golden["cuts"].as_array().unwrap() {
            let keep = golden["keep_recent_tokens"].as_u64().unwrap();
            let name = format!("{} keep {keep}", answer.name);
            let ours = with_live(answer, |live| compact(answer, live, keep));
            let expected = expected(golden, answer);
            compared += usize::from(ours.is_some());
            if ours != expected {
                wrong.push(format!("{name}\n  Pi   {expected:?}\n  ours {ours:?}"));
            }
        }
    }
    assert!(compared > 80, "only {compared} compactions");
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

/// What of a compaction must be equal.
#[derive(Debug, PartialEq)]
struct Compacted {
    first_kept: String,
    split: bool,
    summary: Value,
    details: Value,
    max_tokens: Vec<Option<u64>>,
    has_previous: Vec<bool>,
    headings: Vec<Vec<String>>,
    roles: String,
    lengths: Vec<usize>,
    sum: u64,
    plain: u64,
}

/// The parts of Pi's answer. Prompts are in our own words, so of them only headings, limit and previous summary count.
fn expected(golden: &Value, answer: &Answer) -> Option<Compacted> {
    let (prepared, done) = (&golden["prepare_compaction"], &golden["compaction_with_mock_summary"]);
    if prepared.is_null() {
        return None;
    }
    let requests = done["requests"].as_array().unwrap();
    let headings = |request: &Value| {
        request["headings"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    };
    Some(Compacted {
        first_kept: prepared["first_kept"]["id"].as_str().unwrap().to_owned(),
        split: prepared["split_turn"].as_bool().unwrap(),
        summary: known(done["summary"].clone(), answer),
        details: if answer.renamed { Value::Null } else { done["details"].clone() },
        max_tokens: requests.iter().map(|request| request["max_tokens"].as_u64()).collect(),
        has_previous: requests.iter().map(|request| request["has_previous_summary"].as_bool().unwrap()).collect(),
        headings: requests.iter().map(headings).collect(),
        roles: done["rebuilt_roles"].as_str().unwrap().to_owned(),
        lengths: done["rebuilt_text_lens"]
            .as_array()
            .unwrap()
            .iter()
            .map(|len| usize::try_from(len.as_u64().unwrap()).unwrap())
            .collect(),
        sum: done["sum_of_message_estimates"].as_u64().unwrap(),
        plain: done["estimate_context_tokens"]["tokens"].as_u64().unwrap(),
    })
}

fn known(mut digest: Value, answer: &Answer) -> Value {
    if answer.renamed {
        digest["sha256"] = Value::Null;
    }
    digest
}

/// The live context at the end of the recorded path.
fn with_live<T>(answer: &Answer, then: impl FnOnce(&Live<'_>) -> T) -> T {
    let transcript = &answer.transcript;
    let mut strategy = preset("none").unwrap().spec.build("none").unwrap();
    let reference = MessageTable::new(transcript, Reference::O200kBase);
    let estimator = cutpoint::engine::estimate::pi::Pi(answer.rules);
    let estimates = EstimateTable::new(transcript, &estimator);
    let counts = CountCache::new(Reference::O200kBase);
    let model = Model::new("", Tokens(1_000_000), Tokens(0));
    strategy.estimator = std::sync::Arc::new(estimator);
    let path = transcript.path();
    let input = ReplayInput {
        transcript,
        path: &path,
        outline: &Outline::new(transcript),
        reference: &reference,
        estimates: &estimates,
        counts: &counts,
        model: &model,
        history: History::Recorded,
        manual: &[],
        seed: 0,
    };
    then(&replay(input, &mut strategy, &Fixed, &mut |_| {}))
}

fn compact(answer: &Answer, live: &Live<'_>, keep: u64) -> Option<Compacted> {
    let rules: &'static Rules = Box::leak(Box::new(Rules { keep_recent: Tokens(keep), ..*answer.rules }));
    let view = live.view();
    let goal = CutGoal { window: Tokens(0), checkpoint: Checkpoint::Manual };
    let plan: Result<CutPlan, NothingToDrop> = cut::pi::Pi(*rules).cut(view, goal);
    let plan = plan.ok()?;
    let template = if answer.rules.version == Rules::V1_6.version { "pi" } else { "pi-0.58" };
    let job = SummaryJob {
        context: view,
        plan: &plan,
        past: &[],
        checkpoint: Checkpoint::Manual,
        instructions: None,
        window: Tokens(0),
        seed: 0,
    };
    let summary = summarize::pi::Pi::new(*rules, template).unwrap().summarize(&job, &Fixed).unwrap();
    Some(compacted(answer, view, &plan, &summary))
}

fn compacted(answer: &Answer, view: &ContextView<'_>, plan: &CutPlan, summary: &Summary) -> Compacted {
    let transcript = &answer.transcript;
    let kept_id = |at: usize| view.items()[at].origin().map(|idx| transcript.entry(idx).id.to_string());
    let kept = (plan.kept_from..view.len()).filter(|&at| !view.kind(at).is(cutpoint::transcript::Role::System));
    let mut messages: Vec<Message> = summary.message.iter().cloned().collect();
    messages.extend(kept.filter_map(|at| view.message(at).cloned()));
    let shapes: Vec<Value> = messages.iter().map(shape).collect();
    let items: Vec<Item<'_>> =
        messages.iter().map(|one| Item { position: None, message: std::borrow::Cow::Borrowed(one) }).collect();
    let lists: FileLists = serde_json::from_str(summary.details.as_ref().unwrap().as_str()).unwrap();
    let exchanges = || summary.exchanges.iter().map(|exchange| &exchange.request);
    Compacted {
        first_kept: (plan.kept_from..view.len()).find_map(kept_id).unwrap_or_default(),
        split: !plan.prefix.is_empty() || split_with_empty_prefix(answer, view, plan),
        summary: known(digest(summary.text.as_str()), answer),
        details: if answer.renamed {
            Value::Null
        } else {
            json!({ "readFiles": lists.read_files, "modifiedFiles": lists.modified_files })
        },
        max_tokens: exchanges().map(|request| request.max_output.map(|tokens| tokens.0)).collect(),
        has_previous: exchanges().map(|request| request.purpose == Purpose::Update).collect(),
        headings: exchanges().map(headings).collect(),
        roles: shapes.iter().map(|shape| shape["role"].as_str().unwrap()).collect::<Vec<_>>().join(" "),
        lengths: shapes.iter().map(|shape| usize::try_from(shape["text_len"].as_u64().unwrap()).unwrap()).collect(),
        sum: messages.iter().map(|message| message_tokens(message, answer.rules)).sum::<Tokens>().0,
        plain: estimate_context(&items, answer.rules).tokens.0,
    }
}

/// The older releases call a cut exactly on a shell command a split turn whose prefix is empty.
fn split_with_empty_prefix(answer: &Answer, view: &ContextView<'_>, plan: &CutPlan) -> bool {
    !answer.rules.cut_sees_injected
        && plan.prefix.is_empty()
        && view.kind(plan.kept_from) == Kind::Message(cutpoint::transcript::Role::BashExecution)
}

/// The headings that a prompt asks for, outside of the conversation and the previous summary.
fn headings(request: &LlmRequest) -> Vec<String> {
    let prompt = &request.prompt;
    let asked = prompt
        .rfind("</previous-summary>")
        .or_else(|| prompt.rfind("</conversation>"))
        .or_else(|| prompt.rfind("# Instructions"))
        .unwrap_or(0);
    prompt[asked..]
        .lines()
        .filter(|line| line.starts_with("## ") || line.starts_with("### "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_path_and_its_live_context_estimate_alike() {
    for answer in answers().iter().filter(|answer| !has_edits_unknown_to_release(answer)) {
        let indices = answer.transcript.path();
        let path = Path::new(&answer.transcript, &indices, answer.rules);
        let context = path.context();
        with_live(answer, |live| {
            // Results that a replay adds for calls nobody answered are worth nothing to an estimator.
            let live_sum = live.view().estimates().total();
            let sum = context.iter().map(|item| message_tokens(&item.message, answer.rules)).sum();
            assert_eq!(live_sum, sum, "{}", answer.name);
        });
    }
}
