//! What recorded summaries lose, by the survival of annotated text.

use cutpoint::engine::pi::Rules;
use cutpoint::meter::Meter;
use cutpoint::meter::goal::{Claims, EntityIndex, Faith, Goal, ItemSet, Presence};
use cutpoint::replay::ReplayEvent;
use cutpoint::transcript::Tokens;

use crate::Case;

/// The fates of the items after every recorded compaction.
fn fates(case: &Case, items: &str) -> Vec<Vec<(String, &'static str)>> {
    let items = ItemSet::parse(items, &case.transcript).unwrap();
    let presence = Presence::new(&case.transcript, &items);
    // The sessions are tiny: with a window of a token every cut is scored.
    let mut goal = Goal::new(&items, &presence, Tokens(1));
    let mut all = Vec::new();
    case.follow(
        &Rules::V1_6,
        200_000,
        &mut |event| {
            goal.observe(event);
            if matches!(event, ReplayEvent::Compaction(_)) {
                let fates = items.items.iter().zip(goal.fates().unwrap());
                all.push(fates.map(|(item, fate)| (item.id.clone(), fate.name())).collect());
            }
        },
        |_| (),
    );
    all
}

fn with<'a>(fates: &'a [(String, &'static str)], fate: &str) -> Vec<&'a str> {
    fates.iter().filter(|(_, one)| *one == fate).map(|(id, _)| id.as_str()).collect()
}

#[test]
fn of_eight_facts_one_survives() {
    let case = Case::read("goal-loss-eight-facts");
    let items = r#"item = [
        { id = "goal", category = "goal", text = "", source = ["00000001"], must = [["offline mode"], ["feeder program"]] },
        { id = "constraint", category = "constraint", text = "", source = ["00000001"], must = [["command names"]] },
        { id = "constraint-order", category = "constraint", text = "", source = ["00000001"], must = [["backup, then edit"]], must_not = ["edit, then backup"] },
        { id = "path", category = "artifact", text = "", source = ["00000002"], must = [["src/feeder/loader.rs"]] },
        { id = "identifier", category = "value", text = "", source = ["00000003", "00000004"], must = [["FEEDER_OFFLINE"]] },
        { id = "number", category = "value", text = "", source = ["00000003"], must = [["37 ms"]] },
        { id = "rejected", category = "decision", text = "", source = ["00000004"], must = [["failed"]], must_not = ["cache results in the lamp module"] },
        { id = "latest", category = "progress", text = "", source = ["00000005"], must = [["test for the empty tray"]] },
    ]"#;
    let all = fates(&case, items);
    let [fates] = all.as_slice() else { panic!("one compaction") };
    let words = |name: &str| -> Vec<String> {
        case.numbers[name].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(with(fates, "kept"), words("kept"));
    assert_eq!(with(fates, "wrong"), words("contradicted"));
    // A path that became a label has no literal left; it is in `details`, which no model sees.
    let mut lost = [words("lost"), words("generalised")].concat();
    let mut found = with(fates, "lost");
    lost.sort();
    found.sort_unstable();
    assert_eq!(found, lost);
    assert_eq!(format!("{}/{}", with(fates, "kept").len(), fates.len()), case.numbers["recall_strict"]);
    // The lamp that must stay on is a rule of words alone: no name in it could be a fabrication.
    let path = case.transcript.path();
    let mut claims = Box::new(Claims::new(&case.transcript, &path));
    case.follow(&Rules::V1_6, 200_000, &mut |event| claims.observe(event), |_| ());
    assert_eq!(claims.unsupported(), ["A rule was recorded that the lamp must stay on"]);
    let count = &claims.finish()[0].1;
    assert_eq!(count.value(), case.numbers["unsupported_claims"].as_f64());
}

#[test]
fn facts_turn_into_labels_and_vanish() {
    let case = Case::read("drift-four-compactions");
    let items = r#"item = [
        { id = "region", category = "value", text = "", source = ["00000001"], must = [["north meadow"]] },
        { id = "serial", category = "value", text = "", source = ["00000001"], must = [["T-77"]] },
        { id = "limit", category = "value", text = "", source = ["00000001"], must = [["42 g"]] },
        { id = "deadline", category = "value", text = "", source = ["00000001"], must = [["3 March"]] },
        { id = "file", category = "artifact", text = "", source = ["00000001"], must = [["src/tray/scale.rs"]] },
        { id = "rule", category = "constraint", text = "", source = ["00000001"], must = [["never open the door at night"]] },
    ]"#;
    let all = fates(&case, items);
    let survivors: Vec<u64> = all.iter().map(|fates| with(fates, "kept").len() as u64).collect();
    assert_eq!(survivors, case.list("exact_survivors"));
    for (fact, at) in case.numbers["lost_at"].as_object().unwrap() {
        let first = all.iter().position(|fates| with(fates, "lost").contains(&fact.as_str())).unwrap() as u64 + 1;
        assert_eq!(first, at.as_u64().unwrap(), "{fact}");
    }
}

#[test]
fn a_replaced_constraint_is_not_demanded() {
    let case = Case::read("scorer-reads-own-summary");
    let items = r#"item = [
        { id = "metric", category = "constraint", text = "", source = ["00000001"], must = [["metric units"]], superseded_by = "imperial" },
        { id = "imperial", category = "constraint", text = "", source = ["00000003"], must = [["imperial units"]] },
    ]"#;
    let all = fates(&case, items);
    let named = |fate| ("imperial".to_owned(), fate);
    assert_eq!(all[0], [("metric".to_owned(), "superseded"), named("in_tail")]);
    assert_eq!(all[1], [("metric".to_owned(), "superseded"), named("kept")]);
}

#[test]
fn a_summary_that_asks_for_input_keeps_nothing() {
    let case = Case::read("sum-input-empty-placeholder");
    let items = r#"item = [
        { id = "serial", category = "value", text = "", source = ["00000001"], must = [["T-77"]] },
        { id = "goal", category = "goal", text = "", source = ["00000001"], must = [["catalogue the trays"]] },
    ]"#;
    let all = fates(&case, items);
    assert_eq!(with(&all[0], "lost").len(), 2, "{all:?}");
    assert_eq!(format!("{}/2", with(&all[0], "kept").len()), case.numbers["recall"]);
}

#[test]
fn what_no_summary_covered_is_lost_and_what_is_stale_is_wrong() {
    let case = Case::read("coverage-kept-messages-lost");
    let items = r#"item = [
        { id = "capacity", category = "value", text = "", source = ["00000003"], must = [["1200 ml"]], must_not = ["900 ml"] },
        { id = "serial", category = "value", text = "", source = ["00000003"], must = [["T-77"]] },
        { id = "roof", category = "progress", text = "", source = ["00000006"], must = [["roof"], ["green"]] },
    ]"#;
    let all = fates(&case, items);
    let fate = |id: &str, fate| (id.to_owned(), fate);
    assert_eq!(all[0], [fate("capacity", "in_tail"), fate("serial", "in_tail"), fate("roof", "in_tail")]);
    assert_eq!(all[1], [fate("capacity", "wrong"), fate("serial", "lost"), fate("roof", "kept")]);
}

#[test]
fn what_is_said_on_another_branch_is_not_demanded() {
    let case = Case::read("branch-abandoned");
    let off = case.numbers["off_path_ids"].as_array().unwrap();
    let off: Vec<&str> = off.iter().map(|id| id.as_str().unwrap()).collect();
    let item = |id: &str| {
        format!(r#"{{ id = "{id}", category = "value", text = "", source = ["{id}"], must = [["code 9", "plan x"]] }}"#)
    };
    let items = format!("item = [{}]", off.iter().map(|id| item(id)).collect::<Vec<_>>().join(","));
    let items = ItemSet::parse(&items, &case.transcript).unwrap();
    let presence = Presence::new(&case.transcript, &items);
    let path = case.transcript.path();
    let mut goal = Goal::new(&items, &presence, Tokens(1)).on_path(&path, &case.transcript);
    case.compacted(2, &mut |event| goal.observe(event));
    assert_eq!(goal.fates().unwrap().iter().map(|fate| fate.name()).collect::<Vec<_>>(), ["off_path"; 2]);
}

#[test]
fn a_summary_larger_than_its_span_does_not_compress() {
    let case = Case::read("summary-larger-than-span");
    let path = case.transcript.path();
    let index = EntityIndex::new(&case.transcript);
    let mut faith = Box::new(Faith::new(&case.transcript, &path, &index));
    case.follow(&Rules::V1_6, 200_000, &mut |event| faith.observe(event), |_| ());
    let measures = faith.finish();
    let value = |name: &str| measures.iter().find(|(one, _)| *one == name).unwrap().1.value().unwrap();
    assert!(value("summary_to_dropped_ratio") > 1.0);
    assert!((value("not_compressing_count") - 1.0).abs() < 1e-12);
}
