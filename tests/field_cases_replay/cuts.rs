//! Where a cut falls.

use cutpoint::engine::cut::{self, CutGoal, CutPlan, CutPolicy, NothingToDrop};
use cutpoint::engine::pi::Rules;
use cutpoint::engine::trigger::Checkpoint;
use cutpoint::engine::view::ContextView;
use cutpoint::replay::{Item, ReplayEvent};
use cutpoint::transcript::Tokens;

use crate::{Case, keeping};

const GOAL: CutGoal = CutGoal { window: Tokens(200_000), checkpoint: Checkpoint::BeforeRequest };

/// The cut of a policy at the end of a case, and the estimates of its kept tail and of the items from `from` on.
fn cut(case: &Case, policy: &dyn CutPolicy, from: usize) -> (Result<CutPlan, NothingToDrop>, u64, u64) {
    case.follow(&Rules::V1_6, 200_000, &mut |_| {}, |live| {
        let view = live.view();
        let plan = policy.cut(view, GOAL);
        let tail = |from: usize| view.estimates().range(from.min(view.len())..view.len()).0;
        let kept = plan.as_ref().map_or(0, |plan| tail(plan.kept_from));
        (plan, kept, tail(from))
    })
}

#[test]
fn trailing_results_over_the_budget_stay_with_their_calls() {
    let case = Case::read("cut-trailing-results");
    let keep = case.number("keep");
    let (plan, kept, crossing) = cut(&case, &keeping(&Rules::V1_6, keep), case.index("crossing_index"));
    let plan = plan.unwrap();
    assert!(crossing >= keep, "the budget is reached within the results");
    assert_eq!(plan.kept_from, case.index("correct_cut_index"));
    assert_eq!((plan.history.len() + plan.prefix.len()) as u64, case.number("summarised_messages"));
    assert_eq!((kept, kept - keep), (case.number("kept_estimate"), case.number("over_by")));
    // Releases before 0.86 keep their default, which is everything, and go ahead.
    let (old, ..) = cut(&case, &keeping(&Rules::V0_58, keep), 0);
    assert_eq!(old.unwrap().kept_from, case.index("default_cut_index"));
}

#[test]
fn the_tail_is_over_the_budget_by_the_message_that_crosses_it() {
    let case = Case::read("cut-tail-over-budget");
    let keep = case.number("keep");
    let (plan, kept, before_crossing) = cut(&case, &keeping(&Rules::V1_6, keep), case.index("cut_index") + 1);
    assert_eq!(plan.unwrap().kept_from, case.index("cut_index"));
    assert_eq!((kept, kept - keep), (case.number("kept_estimate"), case.number("over_by")));
    assert_eq!(before_crossing, case.number("stop_before_crossing_kept"));
}

#[test]
fn a_turn_larger_than_the_budget_is_split() {
    let case = Case::read("cut-split-turn");
    let (plan, kept, _) = cut(&case, &keeping(&Rules::V1_6, case.number("keep")), 0);
    let plan = plan.unwrap();
    assert_eq!(plan.kept_from, case.index("cut_index"));
    assert_eq!(plan.prefix, case.index("turn_start_index")..case.index("cut_index"));
    assert!(plan.history.is_empty(), "nothing stands before the turn");
    assert_eq!(kept, case.number("kept_estimate"));
    // Whole turns alone: a reported outcome.
    let (whole, ..) = cut(&case, &cut::article::Article::DEFAULT, 0);
    assert_eq!(whole, Err(NothingToDrop("the turns that must be kept are the whole context".into())));
}

/// What the first compaction had kept must be in the span of the second summary.
#[test]
fn a_second_summary_covers_what_the_first_compaction_kept() {
    let case = Case::read("coverage-kept-messages-lost");
    let mut before: Vec<Item> = Vec::new();
    case.follow(
        &Rules::V1_6,
        200_000,
        &mut |event| {
            if let ReplayEvent::Compaction(compaction) = event {
                before = compaction.before.to_vec();
            }
        },
        |_| (),
    );
    let mut view = ContextView::new(&case.transcript, None);
    for item in before {
        let tokens = item
            .message(&case.transcript)
            .map_or(Tokens(0), |message| cutpoint::engine::pi::message_tokens(message, &Rules::V1_6));
        view.push(item, tokens);
    }
    let span = |release: &Rules| -> Vec<String> {
        let plan = keeping(release, 7).cut(&view, GOAL).unwrap();
        let items = view.items()[plan.history.start..plan.kept_from].iter();
        items.filter_map(|item| Some(case.transcript.entry(item.origin()?).id.to_string())).collect()
    };
    // "Now close the door." and "Closed." are 19 and 7 characters: 5 and 2 tokens.
    let correct: Vec<&str> =
        case.numbers["correct_second_span"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(span(&Rules::V1_6), correct);
    let skipped = case.numbers["skipped"].as_array().unwrap();
    let old: Vec<&str> = correct.iter().copied().filter(|&id| skipped.iter().all(|one| *one != *id)).collect();
    assert_eq!(span(&Rules::V0_58), old, "0.58 loses the others");
}
