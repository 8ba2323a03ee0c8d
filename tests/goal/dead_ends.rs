//! Uses in edits that were taken back later, and the second extractor.

use crate::{Outcome, Plan, session};

/// Facts that the person states: eight that are needed, and those of the way that led nowhere.
const NEEDED: [&str; 8] =
    ["src/a/one.rs", "src/b/two.rs", "FEEDER_ALPHA", "FEEDER_BETA", "FEEDER_GAMMA", "T-701", "T-702", "T-703"];

fn run(calls: &[&str], before: u64) -> Outcome {
    let said = format!("> Remember {} and also src/x/wrong.rs, WRONG_NAME.", NEEDED.join(", "));
    let uses = format!(r#"! bash {{"command":"run {}"}}"#, NEEDED.join(" "));
    let mut lines: Vec<String> = vec![said, "Yes.".to_owned(), "> Go on.".to_owned()];
    for call in calls {
        lines.extend([format!("! {call}"), "= ok".to_owned()]);
    }
    lines.extend([uses, "= ok".to_owned(), "End.".to_owned()]);
    let transcript = session(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    Plan { before: &[before], ..Plan::new(&transcript, "", &["nothing"]) }.run()
}

const EDIT: &str = r#"edit {"path":"src/x/wrong.rs","oldText":"good","newText":"WRONG_NAME"}"#;
const BACK: &str = r#"edit {"path":"src/x/wrong.rs","oldText":"WRONG_NAME","newText":"good"}"#;

#[test]
fn what_is_used_in_edits_alone_that_are_taken_back_is_not_asked_for() {
    let stands = run(&[EDIT], 2);
    stands.assert("future_facts_count", 10.0);
    stands.assert("dead_end_facts_count", 0.0);
    for back in [
        BACK,
        r#"bash {"command":"git checkout -- src/x/wrong.rs"}"#,
        r#"bash {"command":"cd repo && git restore wrong.rs"}"#,
        r#"bash {"command":"git reset --hard"}"#,
        r#"str_replace_editor {"command":"undo_edit","path":"src/x/wrong.rs"}"#,
    ] {
        let taken_back = run(&[EDIT, back], 2);
        taken_back.assert("future_facts_count", 8.0);
        taken_back.assert("dead_end_facts_count", 2.0);
    }
}

#[test]
fn what_is_not_taken_back_is_asked_for() {
    let commit = r#"bash {"command":"git commit -am x"}"#;
    let restore = r#"bash {"command":"git restore src/x/wrong.rs"}"#;
    let other = r#"bash {"command":"git restore src/y/other.rs"}"#;
    let again = r#"bash {"command":"grep WRONG_NAME src/x/wrong.rs"}"#;
    for calls in [&[EDIT, commit, restore][..], &[EDIT, other], &[EDIT, BACK, again], &[EDIT, BACK, EDIT]] {
        run(calls, 2).assert("future_facts_count", 10.0);
    }
    // Cut between both: to take back needs the names, whoever made the edit.
    run(&[EDIT, BACK], 3).assert("dead_end_facts_count", 0.0);
}

#[test]
fn a_file_that_gets_its_old_text_again_took_a_way_that_led_nowhere() {
    let write = |text: &str| format!(r#"write {{"path":"src/x/wrong.rs","content":"{text}"}}"#);
    let (good, wrong) = (write("good"), write("WRONG_NAME"));
    let found = run(&[&good, &wrong, &good], 2);
    // The path is used by the first writing, which stands.
    found.assert("future_facts_count", 9.0);
    found.assert("dead_end_facts_count", 1.0);
    run(&[&good, &wrong], 2).assert("dead_end_facts_count", 0.0);
}

#[test]
fn the_second_extractor_agrees_where_names_are_plain() {
    let found = run(&[], 2);
    found.assert("future_facts_second_count", 8.0);
    found.assert("future_recall_second", 0.0);
    let said = format!("> Remember:\n{}", NEEDED.map(|fact| format!("{fact} is part of it")).join("\n"));
    let uses = format!(r#"! bash {{"command":"run {}"}}"#, NEEDED.join(" "));
    let filler = format!("= {}", "nothing to see here\n".repeat(40));
    let transcript = session(&[&said, r#"! bash {"command":"ls"}"#, &filler, "So.", "> Go on.", &uses, "= ok", "End."]);
    let half = Plan { before: &[3], ..Plan::new(&transcript, "", &["one.rs, feeder_alpha, T-701, T-702"]) }.run();
    // It knows no kinds, so each of the eight weighs the same, and a path is its last part.
    half.assert("future_recall_second", 0.5);
    assert!(half.value("future_loss_second") < 1.0);
}
