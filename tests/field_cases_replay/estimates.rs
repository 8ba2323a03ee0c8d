//! Estimates and triggers.

use cutpoint::engine::pi::{Rules, message_tokens};
use cutpoint::engine::trigger::Checkpoint;
use cutpoint::replay::ReplayEvent;
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{EntryIdx, EntryKind, Message, Tokens};

use crate::Case;

fn message(case: &Case, index: usize) -> &Message {
    match &case.transcript.entries[index].kind {
        EntryKind::Message(message) => message,
        other => panic!("{other:?}"),
    }
}

fn pi(case: &Case, index: usize) -> u64 {
    message_tokens(message(case, index), &Rules::V1_6).0
}

#[test]
fn a_stopped_reply_is_no_anchor() {
    let case = Case::read("anchor-aborted");
    let estimate = case.estimate();
    assert_eq!(estimate.anchored, Some(Tokens(case.number("anchor"))));
    assert_eq!(estimate.tokens, Tokens(case.number("context")));
    // Pi counts the text of the stopped reply, though it is not sent; without it:
    assert_eq!(estimate.tokens.0 - pi(&case, 3), case.number("context_if_aborted_text_is_dropped"));
}

#[test]
fn a_fall_of_usage_is_taken_as_pi_takes_it() {
    let case = Case::read("anchor-falls-without-compaction");
    assert_eq!(case.estimate().anchored, Some(Tokens(case.number("new_anchor"))));
    assert_eq!(case.number("previous_anchor") - case.number("new_anchor"), case.number("drop"));
}

#[test]
fn a_picture_counts_the_same_for_every_role_and_never_by_its_bytes() {
    let case = Case::read("est-image-base64");
    let flat = case.number("flat_1200_rule");
    assert_eq!(pi(&case, 0), case.number("text_only_estimate_user") + flat);
    assert_eq!(case.estimate().anchored, Some(Tokens(case.number("anchor_total"))));
    assert_eq!(case.estimate().tokens, Tokens(case.number("context_flat_1200")));
    let reference = MessageTable::new(&case.transcript, Reference::O200kBase);
    for index in [0, 2] {
        let tokens = reference.entry(EntryIdx(index)).0;
        assert!((flat..flat + 20).contains(&tokens), "{tokens}");
    }
}

#[test]
fn a_signature_is_no_text_and_usage_of_nothing_is_no_anchor() {
    let case = Case::read("est-thinking-signature");
    assert_eq!(pi(&case, 1), case.number("assistant_without_signature"));
    let estimate = case.estimate();
    assert_eq!((estimate.anchored, estimate.tokens), (None, Tokens(case.number("context_without_signature"))));
}

#[test]
fn json_is_priced_as_it_is_sent() {
    let case = Case::read("est-minified-json");
    let reference = MessageTable::new(&case.transcript, Reference::O200kBase);
    let results: Vec<usize> =
        (0..case.transcript.entries.len()).filter(|&at| matches!(message(&case, at), Message::ToolResult(_))).collect();
    let [first, second] = results.as_slice() else { panic!("{results:?}") };
    for (block, &at) in [("block_1", first), ("block_2", second)] {
        let numbers = &case.numbers[block];
        assert_eq!(reference.entry(EntryIdx(at)).0, numbers["o200k_base"].as_u64().unwrap(), "{block}");
        assert_eq!(pi(&case, at), numbers["utf16_div4"].as_u64().unwrap(), "{block}");
        assert!(reference.entry(EntryIdx(at)).0 > pi(&case, at), "{block} is under-estimated");
    }
}

/// Number of the next request, moment and estimate of everything that fires.
fn fires(case: &Case, release: &'static Rules, reserve: Tokens, window: u64) -> Vec<(u64, Checkpoint, u64)> {
    let mut fired = Vec::new();
    let mut observe = |event: &ReplayEvent<'_, '_>| {
        if let ReplayEvent::Fired(event) = event {
            fired.push((event.request, event.checkpoint, event.estimate.tokens.0));
        }
    };
    case.follow_with(release, reserve, window, &mut observe, |_| ());
    fired
}

#[test]
fn a_trigger_between_turns_sees_the_results_and_one_at_the_end_comes_late() {
    let case = Case::read("trigger-mid-turn");
    let (window, reserve) = (case.number("window"), Tokens(case.number("reserve")));
    let mut estimates = Vec::new();
    case.follow_with(
        &Rules::V1_6,
        reserve,
        window,
        &mut |event| {
            if let ReplayEvent::Request(request) = event {
                estimates.push(request.estimate.tokens.0);
            }
        },
        |_| (),
    );
    assert_eq!(estimates[1..], case.list("context_after_each_result"));
    // After step 4, before request 5.
    let first = fires(&case, &Rules::V1_6, reserve, window)[0];
    assert_eq!(first, (case.number("first_step_over") + 1, Checkpoint::BeforeRequest, 2_230));
    // A release that looks only after the run sees a context beyond the window.
    let late = fires(&case, &Rules::V0_58, reserve, window);
    assert_eq!(late, [(7, Checkpoint::TurnEnd, case.number("turn_end_context"))]);
    assert!(case.number("turn_end_context") > window);
    // Usage alone is over one step later.
    let usage = (0..case.transcript.entries.len()).filter_map(|at| message(&case, at).reply()?.usage);
    let over = usage.into_iter().position(|usage| usage.context().0 > case.number("threshold")).unwrap() as u64 + 1;
    assert_eq!(over, case.number("usage_only_first_step_over"));
}

#[test]
fn a_branch_that_was_left_is_not_in_the_context() {
    let case = Case::read("branch-abandoned");
    let mut requests = 0;
    let mut observe = |event: &ReplayEvent<'_, '_>| requests += u64::from(matches!(event, ReplayEvent::Request(_)));
    let sent = case.follow(&Rules::V1_6, 200_000, &mut observe, |live| live.sent().count() as u64);
    assert_eq!((sent, requests), (case.number("path_messages"), 2));
    assert_eq!(case.estimate().tokens, Tokens(case.number("context_anchor")));
    let off = case.numbers["off_path_ids"].as_array().unwrap();
    let path = case.transcript.path();
    assert!(path.iter().all(|&idx| !off.iter().any(|id| *id == *case.transcript.entry(idx).id)));
}
