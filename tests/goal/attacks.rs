//! The cheats of the definition's section 6. A cheat may buy a low loss in one figure; another one must show it.

use cutpoint::engine::template::Template;
use cutpoint::meter::goal::{ItemSet, doubts};

use crate::{Plan, session};

pub(crate) const SAID: &str = "> Build the feeder for tray T-77. Never open the door at night. The limit is 42 g, the file is \
                    src/tray/scale.rs and the report goes to depot-9 by 3 March.";

pub(crate) const ITEMS: &str = r#"item = [
    { id = "rule", category = "constraint", text = "Never open the door at night.", source = ["e0"], must = [["door"], ["night"]], critical = true },
    { id = "limit", category = "value", text = "", source = ["e0"], must = [["42 g"]] },
    { id = "file", category = "artifact", text = "", source = ["e0"], must = [["src/tray/scale.rs"]] },
]"#;

/// Talk that holds no fact, so that there is something to drop.
const TALK: &str = "I look at it and think about where to begin, because there is a lot to see before the first step can be \
                    taken; then I say what I have seen and ask myself whether that was all, and go on from there. All \
                    of this takes its time, and none of it has to be remembered by anybody later on, I should say.";

pub(crate) fn plain() -> cutpoint::transcript::Transcript {
    session(&[SAID, TALK, "> Go on.", "Done so far.", "> And now?", "Next."])
}

#[test]
fn an_honest_summary_passes() {
    let transcript = plain();
    let says =
        ["## Goal\nFeeder for T-77. Never open the door at night.\n## Next Steps\nLimit 42 g in src/tray/scale.rs."];
    let honest = Plan::new(&transcript, ITEMS, &says).run();
    assert_eq!(honest.fates, ["kept", "kept", "kept"]);
    honest.assert("goal_loss", 0.0);
    honest.assert("fabricated_count", 0.0);
    honest.assert("not_compressing_count", 0.0);
    honest.assert("template_filled_ratio", 1.0);
    assert!(honest.value("summary_entity_ratio") < 0.5);
}

#[test]
fn copying_everything_is_no_compaction() {
    let transcript = plain();
    let copy = [SAID.strip_prefix("> ").unwrap(), "\n", TALK].concat();
    let cheat = Plan::new(&transcript, ITEMS, &[&copy]).run();
    cheat.assert("goal_loss", 0.0);
    cheat.assert("copied_ratio", 1.0);
    cheat.assert("not_compressing_count", 1.0);
    assert!(cheat.value("summary_to_dropped_ratio") >= 1.0);
}

#[test]
fn headings_alone_keep_nothing() {
    let transcript = plain();
    let says =
        ["## Goal\n## Never open the door at night\n### Critical Values And Files\n**Next Steps**:\n## Next Steps"];
    let cheat = Plan::new(&transcript, ITEMS, &says).run();
    assert_eq!(cheat.fates, ["lost", "lost", "lost"]);
    cheat.assert("goal_loss", 1.0);
    cheat.assert("critical_lost_count", 1.0);
    assert!(cheat.value("template_filled_ratio") < 1.0);
}

#[test]
fn words_of_a_template_prove_nothing() {
    let transcript = plain();
    // A summary that repeats what the template asks for would keep this item.
    let items = r#"item = [{ id = "goal", category = "goal", text = "", source = ["e0"], must = [["what the user wants to reach"]] }]"#;
    let items = ItemSet::parse(items, &transcript).unwrap();
    let templates: Vec<String> =
        Template::names().map(|name| Template::builtin_file(name).unwrap().to_owned()).collect();
    let found = doubts(&items, &transcript, &transcript.path(), &templates);
    assert!(found.iter().any(|doubt| doubt.words.contains("stands in a summary template")), "{found:?}");
}

#[test]
fn a_stale_value_beside_the_new_one_is_wrong() {
    let transcript =
        session(&[SAID, "Yes.", "> Make the limit 50 g instead.", "Yes.", "> Go on.", "Next.", "> More.", "Z."]);
    let items = r#"item = [
        { id = "old", category = "value", text = "", source = ["e0"], must = [["limit"], ["42 g"]], superseded_by = "new" },
        { id = "new", category = "value", text = "", source = ["e2"], must = [["limit"], ["50 g"]] },
        { id = "strict", category = "value", text = "", source = ["e2"], must = [["50 g"]], must_not = ["42 g"] },
    ]"#;
    let fates = |says: &str| Plan { before: &[3], ..Plan::new(&transcript, items, &[says]) }.run().fates;
    assert_eq!(fates("- the limit is 42 g\n- the limit is 50 g"), ["superseded", "wrong", "wrong"]);
    assert_eq!(fates("- the limit is 42 g"), ["superseded", "wrong", "wrong"]);
    assert_eq!(fates("- the limit is 50 g"), ["superseded", "kept", "kept"]);
    // Said to be gone, it is history; only an item that forbids the old value altogether still objects.
    assert_eq!(fates("- the limit is 50 g, no longer 42 g"), ["superseded", "kept", "wrong"]);
}

#[test]
fn an_anchor_list_does_not_state_a_rule() {
    let rules: Vec<String> = (0..40).map(|n| format!("Do not rename field_{n}_name in src/part_{n}/mod.rs.")).collect();
    let said = format!("> {}", rules.join(" "));
    let transcript = session(&[&said, "Yes.", "> Go on.", "It works.", "> More.", "Next."]);
    let item = |n: usize| {
        format!(
            r#"{{ id = "r{n}", category = "constraint", text = "", source = ["e0"], must = [["field_{n}_name"], ["do not rename", "never rename"]] }}"#
        )
    };
    let items = format!("item = [{}]", (0..40).map(item).collect::<Vec<_>>().join(","));
    let names: Vec<String> = (0..40).map(|n| format!("field_{n}_name src/part_{n}/mod.rs")).collect();
    let list = format!("Do not rename: {}", names.join(" "));
    let cheat = Plan::new(&transcript, &items, &[&list]).run();
    let kept = cheat.fates.iter().filter(|fate| **fate == "kept").count();
    // Only the names near the rule are kept: 400 bytes hold about ten of them.
    assert!(kept <= 12 && cheat.fates.contains(&"partly"), "{kept} kept");
    assert!(cheat.value("goal_loss") > 0.3);
    assert!(cheat.value("summary_entity_ratio") > 0.9, "it is nothing but names");
    cheat.assert("kept_unused_ratio", 1.0);
}

#[test]
fn a_longer_number_is_another_number() {
    let transcript = plain();
    let fates = Plan::new(&transcript, ITEMS, &["The limit is 142 g for src/tray/scale.rs."]).run().fates;
    assert_eq!(fates, ["lost", "lost", "kept"]);
}

#[test]
fn a_rule_without_its_negation_is_not_kept() {
    let transcript = plain();
    let fates = |says: &str| Plan::new(&transcript, ITEMS, &[says]).run().fates[0];
    assert_eq!(fates("Open the door at night."), "partly");
    assert_eq!(fates("Not done: the tray. Open the door at night."), "partly", "a negation elsewhere is none");
    assert_eq!(fates("The door must not be opened at night."), "kept");
}

#[test]
fn a_canary_of_the_future_shows_a_leak() {
    let canary = "The key is CANARY_7f3a9b2c.";
    let transcript = session(&[SAID, "Yes.", "> Go on.", "So.", "> More.", canary]);
    let leak = Plan::new(&transcript, ITEMS, &["Use CANARY_7f3a9b2c and file src/made/up.rs."]).run();
    leak.assert("foreseen_count", 1.0);
    leak.assert("fabricated_count", 2.0);
    let expected = [("canary_7f3a9b2c".to_owned(), true), ("src/made/up.rs".to_owned(), false)];
    assert_eq!(leak.fabricated, expected);
}

#[test]
fn an_earlier_summary_is_no_source() {
    let transcript = session(&[SAID, "a", "> b", "c", "> d", "e", "> f", "g"]);
    let says = ["The code is Q-123 and the tray T-77.", "The code is Q-123."];
    let found = Plan { before: &[2, 3], ..Plan::new(&transcript, ITEMS, &says) }.run();
    // Invented once, repeated once: twice without a source.
    assert_eq!(found.fabricated, [("q-123".to_owned(), false), ("q-123".to_owned(), false)]);
    found.assert("fabrication_ratio", 2.0 / 3.0);
}

#[test]
fn nothing_removed_is_void_and_never_perfect() {
    let transcript = plain();
    let none = Plan { before: &[], ..Plan::new(&transcript, ITEMS, &["x"]) }.run();
    for name in ["goal_loss", "goal_loss_oracle_extract", "critical_lost_count", "future_loss", "future_facts_count"] {
        none.assert_void(name, "less than 5 % of the window");
    }
    none.assert_void("fabrication_ratio", "no summary");
}
