//! Cuts that fall among calls and their results.

use cutpoint::engine::cut::{CutGoal, CutPlan, CutPolicy, NothingToDrop, langchain, tail};
use cutpoint::engine::langchain::Size;
use cutpoint::engine::pi::Rules;
use cutpoint::engine::preset::{preset, presets};
use cutpoint::engine::strategy::Strategy;
use cutpoint::engine::trigger::Checkpoint;
use cutpoint::engine::view::ContextView;
use cutpoint::import::{Format, read_bytes};
use cutpoint::llm::{Blocking, Mock, MockKnobs};
use cutpoint::replay::{CountCache, EstimateTable, History, Manual, Model, Outline, ReplayEvent, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{Block, Message, Role, Tokens, Transcript, joined_text};

use crate::{Case, keeping};

const GOAL: CutGoal = CutGoal { window: Tokens(200_000), checkpoint: Checkpoint::BeforeRequest };

/// Keeps the last messages, whatever they are.
struct KeepLast(usize);

impl CutPolicy for KeepLast {
    fn cut(&self, view: &ContextView<'_>, _: CutGoal) -> Result<CutPlan, NothingToDrop> {
        let mut messages = (0..view.len()).filter(|&at| view.message(at).is_some()).rev();
        Ok(CutPlan::at(0, messages.nth(self.0 - 1).unwrap()))
    }
}

/// What a strategy with a cut of its own left out, and the roles of the context after a compaction at the end by hand.
fn compacted(
    transcript: &Transcript,
    before: u64,
    change: impl FnOnce(&mut Strategy),
) -> (u64, Vec<Role>, Vec<String>) {
    let mut strategy = preset("tail-only").unwrap().spec.build("one").unwrap();
    change(&mut strategy);
    let (mut repaired, mut roles, mut texts) = (0, Vec::new(), Vec::new());
    run(transcript, &mut strategy, 1_000_000, &[Manual { request: before, instructions: None }], &mut |event| {
        if let ReplayEvent::Compaction(compaction) = event {
            repaired += compaction.repaired;
            roles = compaction.after.sent().map(Message::role).collect();
            let user = |message: &Message| match message {
                Message::User(content) => Some(joined_text(content).into_owned()),
                _ => None,
            };
            texts = compaction.after.sent().filter_map(user).collect();
        }
    });
    (repaired, roles, texts)
}

fn run(
    transcript: &Transcript,
    strategy: &mut Strategy,
    window: u64,
    manual: &[Manual],
    observe: &mut dyn FnMut(&ReplayEvent<'_, '_>),
) {
    let path = transcript.path();
    let model = Model::new("", Tokens(window), Tokens(0));
    let input = ReplayInput {
        transcript,
        path: &path,
        outline: &Outline::new(transcript),
        reference: &MessageTable::new(transcript, Reference::O200kBase),
        estimates: &EstimateTable::new(transcript, &*strategy.estimator),
        counts: &CountCache::new(Reference::O200kBase),
        model: &model,
        history: History::Full,
        manual,
        seed: 0,
    };
    let mock = Blocking::new(Mock::new(MockKnobs::default()).unwrap());
    replay(input, strategy, &mock, &mut |event| observe(event));
}

/// Where a policy cuts the context at the end of a recording, in messages that stay.
fn kept(case: &Case, policy: &dyn CutPolicy) -> Result<usize, NothingToDrop> {
    case.follow(&Rules::V1_6, 200_000, &mut |_| {}, |live| {
        let view = live.view();
        let plan = policy.cut(view, GOAL)?;
        Ok((plan.kept_from..view.len()).filter(|&at| view.message(at).is_some()).count())
    })
}

#[test]
fn ten_calls_at_once_are_kept_whole_or_not_at_all() {
    let case = Case::read("orphan-parallel-ten");
    let keep = case.index("keep");
    // A cut that counts messages alone tears the group: the replay leaves the orphans out, and counts them.
    let naive = case.transcript.clone();
    let mut naive = naive;
    answer(&mut naive);
    let (repaired, roles, _) = compacted(&naive, 2, |strategy| strategy.cut = Box::new(KeepLast(keep)));
    assert_eq!(repaired, case.number("naive_orphans"));
    assert!(!roles.contains(&Role::ToolResult), "{roles:?}");
    // LangChain's moves back to the call.
    let back = langchain::LangChain { keep: Size::Messages(keep), profile: true };
    assert_eq!(kept(&case, &back), Ok(case.index("moved_back_kept")));
    // Pi's, and a tail that begins with a reply, do the same where nothing follows the group.
    assert_eq!(kept(&case, &keeping(&Rules::V1_6, 1)), Ok(case.index("moved_back_kept")));
    let tail = tail::Tail { keep: Tokens(1), share: 1.0, whole_turns: false };
    assert_eq!(kept(&case, &tail), Ok(case.index("moved_back_kept")));
}

/// Appends a reply, so that a request follows the last result.
fn answer(transcript: &mut Transcript) {
    let mut last = transcript.entries.last().unwrap().clone();
    let reply = transcript.entries.iter().find_map(|entry| match &entry.kind {
        cutpoint::transcript::EntryKind::Message(message @ Message::Assistant(..)) => Some(message.clone()),
        _ => None,
    });
    let Some(Message::Assistant(mut content, mut reply)) = reply else { panic!("a reply") };
    content.blocks = vec![Block::Text("Done.".into())];
    reply.stop = cutpoint::transcript::StopReason::Stop;
    last.parent = Some(cutpoint::transcript::EntryIdx(transcript.entries.len() - 1));
    last.id = "answer".into();
    last.kind = cutpoint::transcript::EntryKind::Message(Message::Assistant(content, reply));
    transcript.entries.push(last);
}

#[test]
fn two_replies_before_their_results_lose_the_first_call() {
    let case = Case::read("orphan-partial-match");
    let (proposed, messages) = (case.index("proposed_cut"), 6);
    // LangChain goes back to the first reply that matches any of the results: A1 is orphaned, and left out.
    let any = langchain::LangChain { keep: Size::Messages(messages - proposed), profile: true };
    assert_eq!(kept(&case, &any), Ok(messages - case.index("any_match_cut")));
    // Pi cuts at no result at all: it goes forward to the reply behind them, and nothing is orphaned.
    assert_eq!(kept(&case, &keeping(&Rules::V1_6, 3)), Ok(1));
    // The input itself breaks the rule of strict providers: the replay answers A1 before the second reply, so that its
    // result, which comes too late, is not sent.
    let fault = case.index("input_pairing_fault_at");
    let mut sent = Vec::new();
    let mut none = preset("none").unwrap().spec.build("none").unwrap();
    run(&case.transcript, &mut none, 200_000, &[], &mut |event| {
        if let ReplayEvent::Request(request) = event {
            sent = request.live.sent().map(Message::role).collect();
        }
    });
    let (reply, result) = (Role::Assistant, Role::ToolResult);
    assert_eq!(sent, [Role::User, reply, result, reply, result]);
    assert_eq!(sent[fault + 1], result, "a stand-in follows the reply of index {fault}");
}

#[test]
fn the_words_beside_a_result_survive_without_it() {
    let case = Case::read("orphan-mixed-user-block");
    let words = case.numbers["typed_text_must_survive"].as_str().unwrap();
    let mut transcript = case.transcript.clone();
    answer(&mut transcript);
    // Everything is dropped, and the words of the person are put back: no result comes with them.
    let (repaired, roles, texts) = compacted(&transcript, 3, |strategy| {
        let all = preset("ralph").unwrap().spec.build("ralph").unwrap();
        strategy.cut = all.cut;
        let pinned = cutpoint::engine::recover::user_messages::UserMessages { tokens: Tokens(1_000) };
        strategy.recovery = vec![Box::new(pinned)];
    });
    assert_eq!((repaired, texts.last().map(String::as_str)), (0, Some(words)));
    assert!(!roles.contains(&Role::ToolResult), "{roles:?}");
    // A cut right before those words, without the call: the result is left out, the words stay.
    let (_, roles, texts) = compacted(&transcript, 2, |strategy| strategy.cut = Box::new(KeepLast(2)));
    assert_eq!((texts.last().map(String::as_str), roles.contains(&Role::ToolResult)), (Some(words), false));
}

/// Odd sessions that someone might try: a call that nobody answered among others, a result twice, a result before its call,
/// results in another order than their calls, and the same id in two turns.
#[test]
fn odd_pairs_never_reach_a_provider() {
    let call =
        |id: &str| format!(r#"{{"id":"{id}","type":"function","function":{{"name":"read","arguments":"{{}}"}}}}"#);
    let reply = |ids: &[&str]| {
        let calls: Vec<String> = ids.iter().map(|id| call(id)).collect();
        format!(r#"{{"role":"assistant","content":"Go.","tool_calls":[{}]}}"#, calls.join(","))
    };
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{}"}}"#, "seed ".repeat(40));
    let user = || format!(r#"{{"role":"user","content":"{}"}}"#, "do it ".repeat(30));
    let done = || r#"{"role":"assistant","content":"Done."}"#.to_owned();
    let sessions = [
        vec![
            user(),
            reply(&["a", "b", "c"]),
            result("a"),
            result("c"),
            done(),
            user(),
            reply(&["d"]),
            result("d"),
            done(),
        ],
        vec![user(), reply(&["a"]), result("a"), result("a"), done(), user(), done()],
        vec![user(), result("a"), reply(&["a"]), done(), user(), done()],
        vec![user(), reply(&["a", "b"]), result("b"), result("a"), done(), user(), reply(&["c"]), result("c"), done()],
        vec![user(), reply(&["a"]), result("a"), done(), user(), reply(&["a"]), result("a"), done()],
    ];
    for (number, session) in sessions.iter().enumerate() {
        let json = format!(r#"{{"messages":[{}]}}"#, session.join(","));
        let imported = read_bytes(json.as_bytes(), Format::OpenAi).unwrap();
        for preset in presets() {
            for window in [150, 300, 600] {
                let mut strategy = preset.spec.build(preset.name).unwrap();
                run(&imported.transcript, &mut strategy, window, &[], &mut |event| {
                    if let ReplayEvent::Request(request) = event {
                        let orphans = orphans(request.live.sent());
                        assert_eq!(orphans, 0, "session {number}, {}, request {}", preset.name, request.number);
                    }
                });
            }
        }
    }
}

/// Calls that no result follows at once, and results without such a call.
fn orphans<'m>(messages: impl Iterator<Item = &'m Message>) -> usize {
    let (mut open, mut orphans) = (Vec::new(), 0);
    for message in messages {
        if let Message::ToolResult(result) = message {
            match open.iter().position(|id| *id == result.call_id) {
                Some(at) => drop(open.remove(at)),
                None => orphans += 1,
            }
            continue;
        }
        orphans += open.len();
        open.clear();
        open.extend(message.blocks().iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call.id.clone()),
            _ => None,
        }));
    }
    orphans + open.len()
}
