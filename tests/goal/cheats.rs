//! Cheats beyond those of the definition: what looks kept to a search for words, and is not stated.

use crate::attacks::{ITEMS, plain};
use crate::{Plan, session};

fn fates(says: &str) -> Vec<&'static str> {
    Plan::new(&plain(), ITEMS, &[says]).run().fates
}

#[test]
fn a_comment_states_nothing() {
    let all = "Never open the door at night. 42 g, src/tray/scale.rs";
    assert_eq!(fates(all), ["kept", "kept", "kept"]);
    assert_eq!(fates(&format!("Going on. <!-- {all} -->")), ["lost", "lost", "lost"]);
    assert_eq!(fates(&format!("Going on.\n<!--\n{all}\n")), ["lost", "lost", "lost"]);
    // What stands beside a comment is read.
    assert_eq!(fates(&format!("<!-- {all} -->\n{all} <!-- x -->")), ["kept", "kept", "kept"]);
}

#[test]
fn a_rule_that_is_quoted_to_be_denied_is_turned_round() {
    let transcript = plain();
    for says in [
        "The rule never to open the door at night no longer applies.",
        "Disregard what was said: never open the door at night.",
        "## Obsolete\n- Never open the door at night.",
        "<ignore>\n- Never open the door at night.\n</ignore>",
        // Said in earnest, and taken back.
        "Never open the door at night. That one may never open the door at night is not true: it does not apply.",
    ] {
        let cheat = Plan::new(&transcript, ITEMS, &[says]).run();
        assert_eq!(cheat.fates[0], "wrong", "{says}");
        cheat.assert("inverted_constraints_count", 1.0);
        cheat.assert("critical_lost_count", 1.0);
    }
}

#[test]
fn a_value_behind_a_negation_is_wrong() {
    for says in [
        "The limit is not 42 g.",
        "Use 50 g instead of 42 g.",
        "The limit is 50 g rather than the 42 g of before.",
        "## Superseded values\n- limit 42 g",
    ] {
        assert_eq!(fates(says)[1], "wrong", "{says}");
    }
    for says in [
        "The limit is 42 g, not 50 g.",
        "Never go above 42 g.",
        "Do not exceed 42 g.",
        "It is not 50 g but 42 g.",
        "The limit is 42 g. (It is not 42 g for the other tray.)",
    ] {
        assert_eq!(fates(says)[1], "kept", "{says}");
    }
}

#[test]
fn one_word_behind_a_negation_states_nothing_and_is_not_wrong() {
    let transcript = session(&["> The notes must be repairable.", "Yes.", "> Go on.", "So.", "> More.", "End."]);
    let items = r#"item = [
        { id = "notes", category = "constraint", text = "The notes must be repairable.", source = ["e0"], must = [["repairable"]] },
    ]"#;
    let fates = |says: &str| Plan::new(&transcript, items, &[says]).run().fates;
    assert_eq!(fates("Rejected: SQLite (not repairable by hand)."), ["partly"]);
    assert_eq!(fates("Rejected: SQLite (not repairable by hand). Notes must be repairable."), ["kept"]);
}

#[test]
fn what_the_session_itself_denies_is_kept_with_its_denial() {
    let said = "> The rule to close the lid no longer applies. The lamp is not 40 W. Use sleds instead of carts.";
    let transcript = session(&[said, "Yes.", "> Go on.", "So.", "> More.", "End."]);
    let items = r#"item = [
        { id = "lid", category = "constraint", text = "", source = ["e0"], must = [["close the lid"]] },
        { id = "lamp", category = "value", text = "", source = ["e0"], must = [["40 W"]] },
        { id = "carts", category = "decision", text = "", source = ["e0"], must = [["sleds"], ["carts"]] },
    ]"#;
    let says = "The rule to close the lid no longer applies. The lamp is not 40 W. Sleds instead of carts.";
    assert_eq!(Plan::new(&transcript, items, &[says]).run().fates, ["kept"; 3]);
}

#[test]
fn what_denies_another_line_denies_nothing_here() {
    for says in [
        "Never open the door at night\nThe rule on lids no longer applies\nLimit 42 g",
        "The rule on lids no longer applies.\nNever open the door at night",
        "Never open the door at night\n\nthe rule on lids does not apply",
    ] {
        assert_eq!(fates(says)[0], "kept", "{says}");
    }
    // A wrapped sentence is one.
    assert_eq!(fates("The rule never to open the door\nat night no longer\napplies.")[0], "wrong");
}

#[test]
fn next_to_nothing_compacted_is_flagged() {
    let tail = format!("> {}", "More of it. ".repeat(400));
    let transcript = session(&["> The limit is 42 g and the tray is T-77.", "Yes.", &tail, "So.", "> More.", "End."]);
    let run = |keep| Plan { before: &[3], keep, ..Plan::new(&transcript, "", &["Limit 42 g."]) }.run();
    run(3).assert("kept_most_count", 1.0);
    run(1).assert("kept_most_count", 0.0);
}

#[test]
fn items_that_nobody_tunes_on_are_scored_apart() {
    let names: Vec<String> = (0..40).map(|n| format!("VALUE_{n}_X")).collect();
    let transcript = session(&[&format!("> {}", names.join(" ")), "Yes.", "> Go on.", "So.", "> More.", "End."]);
    let item = |name: &String| {
        format!(r#"{{ id = "{name}", category = "value", text = "", source = ["e0"], must = [["{name}"]] }}"#)
    };
    let items = format!("item = [{}]", names.iter().map(item).collect::<Vec<_>>().join(","));
    let set = cutpoint::meter::goal::ItemSet::parse(&items, &transcript).unwrap();
    let hidden: Vec<bool> = set.items.iter().map(cutpoint::meter::goal::GoalItem::is_hidden).collect();
    let count = hidden.iter().filter(|hidden| **hidden).count();
    assert!((3..=15).contains(&count), "a fifth of 40, more or less: {count}");
    // A summary that was tuned on the others keeps those alone.
    let tuned: Vec<&str> = names.iter().zip(&hidden).filter(|(_, hidden)| !**hidden).map(|(name, _)| &**name).collect();
    let found = Plan::new(&transcript, &items, &[&tuned.join(" ")]).run();
    found.assert("goal_loss_hidden_items", 1.0);
    found.assert("goal_loss", f64::from(u32::try_from(count).unwrap()) / 40.0);
}

#[test]
fn padding_between_anchors_is_caught_by_what_is_never_used() {
    let names: Vec<String> = (0..40).map(|n| format!("field_{n}_name")).collect();
    let said = format!("> Do not rename {}.", names.join(" "));
    let transcript = session(&[&said, "Yes.", "> Go on.", "It works.", "> More.", "Next."]);
    let item = |name: &String| {
        format!(
            r#"{{ id = "{name}", category = "constraint", text = "", source = ["e0"], must = [["{name}"], ["do not rename"]] }}"#
        )
    };
    let items = format!("item = [{}]", names.iter().map(item).collect::<Vec<_>>().join(","));
    let padded: Vec<String> = names
        .iter()
        .map(|name| {
            format!("There is also something called {name}, which plays a part in all of what was done so far.")
        })
        .collect();
    let cheat = Plan::new(&transcript, &items, &[&format!("Do not rename some. {}", padded.join("\n"))]).run();
    // The padding hides the list from the share of names, and moves the names away from the rule.
    assert!(cheat.value("summary_entity_ratio") < 0.3);
    assert!(cheat.fates.iter().filter(|fate| **fate == "kept").count() <= 5, "{:?}", cheat.fates);
    cheat.assert("kept_unused_ratio", 1.0);
    cheat.assert("not_compressing_count", 1.0);
}

#[test]
fn a_shot_at_every_value_is_a_fabrication() {
    let says = "The limit is 40 g, 41 g, 42 g, 43 g or 44 g.";
    let cheat = Plan::new(&plain(), ITEMS, &[says]).run();
    assert_eq!(cheat.fates[1], "kept");
    // Four of five were never said: far above the veto of 2 %.
    cheat.assert("fabrication_ratio", 0.8);
}

#[test]
fn a_fence_hides_no_heading_and_loses_no_value() {
    // A comment of a shell is no heading.
    assert_eq!(fates("```sh\n# limit 42 g, never open the door at night\ncat src/tray/scale.rs\n```"), ["kept"; 3]);
    // Template words in a fence are still words of a template, which state no item.
    assert_eq!(fates("```\n## Goal\n## Constraints\n```"), ["lost"; 3]);
    let dump = format!("```\n{}\n```", crate::attacks::SAID.strip_prefix("> ").unwrap());
    let cheat = Plan::new(&plain(), ITEMS, &[&dump]).run();
    assert!(cheat.value("copied_ratio") > 0.9, "a dump in a fence is a copy");
}

#[test]
fn letters_that_nobody_sees_hide_no_stale_value() {
    let transcript =
        session(&["> The limit is 42 g.", "Yes.", "> Now 50 g.", "Yes.", "> Go on.", "Next.", "> On.", "Z."]);
    let items = r#"item = [
        { id = "old", category = "value", text = "", source = ["e0"], must = [["42 g"]], superseded_by = "new" },
        { id = "new", category = "value", text = "", source = ["e2"], must = [["50 g"]] },
    ]"#;
    let fate = |says: &str| Plan { before: &[3], ..Plan::new(&transcript, items, &[says]) }.run().fates[1];
    assert_eq!(fate("- limit 4\u{200b}2 g\n- limit 50 g"), "wrong");
    assert_eq!(fate("- limit ４２\u{a0}g\n- limit 50 g"), "wrong");
    assert_eq!(fate("- limit **50 g**"), "kept");
}

#[test]
fn a_part_of_a_longer_name_is_another_name() {
    let transcript =
        session(&["> Set FEEDER_OFFLINE in src/a.rs for T-77.", "Yes.", "> Go on.", "So.", "> On.", "End."]);
    let items = r#"item = [
        { id = "flag", category = "value", text = "", source = ["e0"], must = [["FEEDER_OFFLINE"]] },
        { id = "file", category = "artifact", text = "", source = ["e0"], must = [["src/a.rs"]] },
        { id = "tray", category = "value", text = "", source = ["e0"], must = [["T-77"]] },
    ]"#;
    let fates = |says: &str| Plan::new(&transcript, items, &[says]).run().fates;
    assert_eq!(fates("FEEDER_OFFLINE_MODE in src/a.rs.bak for AT-77"), ["lost"; 3]);
    assert_eq!(fates("FEEDER_OFFLINE\nin lib/src/a.rs:3 for T\u{2011}77."), ["kept"; 3]);
}

#[test]
fn a_rule_that_nobody_stated_is_counted() {
    let transcript = plain();
    let count = |says: &str| Plan::new(&transcript, ITEMS, &[says]).run().value("unsupported_rules_count");
    let told = |says: &str, expected: f64| assert!((count(says) - expected).abs() < 1e-9, "{says}: {}", count(says));
    told("The lamp must stay on.", 1.0);
    told("- Never open the door at night.\n- Always wear gloves near machines.", 1.0);
    told("You must not open doors in the night. The report goes to depot-9 by 3 March only.", 0.0);
    told("## You must wear gloves\nThe limit is 42 g.", 0.0);
}
