//! Calls and results across compactions, and the size of summaries.

use cutpoint::engine::pi::Rules;
use cutpoint::replay::ReplayEvent;
use cutpoint::transcript::{Message, Role};

use crate::Case;

#[test]
fn a_call_in_flight_at_a_compaction_finds_its_result() {
    let case = Case::read("pending-call-across-compaction");
    let (mut roles, mut repaired) = (Vec::new(), 0);
    case.follow(
        &Rules::V1_6,
        200_000,
        &mut |event| match event {
            ReplayEvent::Request(request) => roles = request.live.sent().map(Message::role).collect(),
            ReplayEvent::Compaction(compaction) => repaired += compaction.repaired,
            _ => {}
        },
        |_| (),
    );
    assert_eq!(roles, [Role::CompactionSummary, Role::User, Role::Assistant, Role::ToolResult]);
    assert_eq!(repaired, 0);
}

#[test]
fn results_whose_call_is_gone_are_left_out_and_counted() {
    let case = Case::read("orphan-first-kept-is-result");
    let mut repaired = 0;
    let mut observe = |event: &ReplayEvent<'_, '_>| {
        if let ReplayEvent::Compaction(compaction) = event {
            repaired += compaction.repaired;
        }
    };
    let (sent, held) = case.follow(&Rules::V1_6, 200_000, &mut observe, |live| {
        let sent: Vec<Role> = live.sent().map(Message::role).collect();
        let held = live.view().items().iter().filter(|item| item.kind.is(Role::ToolResult)).count();
        (sent, held)
    });
    let orphans = case.numbers["orphan_results"].as_array().unwrap().len();
    assert_eq!((repaired, held), (orphans as u64, orphans), "the recorded context holds them");
    assert_eq!(sent, [Role::CompactionSummary, Role::Assistant, Role::User]);
}

#[test]
fn a_summary_larger_than_what_it_replaces_is_no_gain() {
    let case = Case::read("summary-larger-than-span");
    let mut seen = 0;
    case.follow(
        &Rules::V1_6,
        200_000,
        &mut |event| {
            let ReplayEvent::Compaction(compaction) = event else { return };
            seen += 1;
            assert!(compaction.no_gain());
            let estimate = |message: &Message| cutpoint::engine::pi::message_tokens(message, &Rules::V1_6).0;
            let dropped = compaction.before[..compaction.plan.kept_from].iter();
            let replaced: u64 = dropped.filter_map(|item| item.message(&case.transcript)).map(estimate).sum();
            let summary = compaction.summary.message.as_ref().map_or(0, estimate);
            assert_eq!((replaced, summary), (case.number("replaced_estimate"), case.number("summary_estimate")));
            assert_eq!(summary - replaced, case.number("net_change"));
        },
        |_| (),
    );
    assert_eq!(seen, 1);
}
