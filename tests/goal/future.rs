//! Future-use recall on a session whose facts are known by hand.

use crate::{Plan, session};

/// Ten facts that the person states, and that the agent uses after the cut.
const FACTS: [&str; 10] = [
    "src/a/one.rs",
    "src/b/two.rs",
    "src/c/three.rs",
    "FEEDER_ALPHA",
    "FEEDER_BETA",
    "FEEDER_GAMMA",
    "T-701",
    "T-702",
    "T-703",
    "--offline",
];

fn used_later() -> cutpoint::transcript::Transcript {
    let said = format!("> Remember:\n{}", FACTS.map(|fact| format!("{fact} is part of it")).join("\n"));
    let filler = format!("= {}", "nothing to see here\n".repeat(40));
    let uses = format!(r#"! bash {{"command":"run {}"}}"#, FACTS.join(" "));
    session(&[
        &said,
        r#"! bash {"command":"ls"}"#,
        &filler,
        "So.",
        "> In the tail: tail_fact_one.",
        &uses,
        "= ok",
        "End.",
    ])
}

fn plan<'p>(transcript: &'p cutpoint::transcript::Transcript, says: &'p [&'p str]) -> Plan<'p> {
    // Request 1 is the first call, request 3 acts on the facts.
    Plan { before: &[3], ..Plan::new(transcript, "", says) }
}

#[test]
fn what_only_the_dropped_part_knew_is_asked_for() {
    let transcript = used_later();
    let kept = FACTS[..5].join(", ");
    let half = plan(&transcript, &[&kept]).run();
    half.assert("future_facts_count", 10.0);
    // Paths and ids weigh 1, symbols 0.8, the option 0.6: 3 + 1.6 of 6 + 2.4 + 0.6. The turns are the same for all.
    half.assert("future_recall", 4.6 / 9.0);
    assert!(half.value("future_recall_random") < 0.2 && half.value("future_recall_best") > 0.2);
    let all = plan(&transcript, &[&FACTS.join(" ")]).run();
    all.assert("future_recall", 1.0);
    assert!(all.value("future_loss") < half.value("future_loss"));
    all.assert("kept_unused_ratio", 0.0);
}

#[test]
fn the_kept_tail_earns_nothing() {
    let transcript = used_later();
    let tail = plan(&transcript, &["nothing"]).run();
    tail.assert("future_recall", 0.0);
    // The tail holds tail_fact_one, and everything if more is kept: then nothing is asked for.
    let all = Plan { keep: 4, ..plan(&transcript, &["nothing"]) }.run();
    all.assert("future_facts_count", 10.0);
    assert!(tail.value("future_loss") >= 1.0, "no better than chance");
}

#[test]
fn what_was_said_again_is_not_asked_for() {
    let again = format!("> Once more: {}", FACTS[..4].join(" "));
    let said = format!("> {}", FACTS.join(" "));
    let result = format!("= found {}", FACTS[4..6].join(" "));
    let uses = format!(r#"! bash {{"command":"{}"}}"#, FACTS.join(" "));
    let lines =
        [&*said, "Yes.", "> Go on.", "So.", &*again, r#"! read {"path":"x.txt"}"#, &*result, &*uses, "= ok", "End."];
    let transcript = session(&lines);
    let found = Plan { before: &[2], ..Plan::new(&transcript, "", &["nothing"]) }.run();
    // Four came back from the person; two came back from a tool, which costs its result.
    found.assert("future_facts_count", 4.0);
    found.assert_void("future_recall", "fewer than 8 facts");
    found.assert("refetched_facts_count", 2.0);
    found.assert("refetch_calls_count", 1.0);
    assert!(found.value("refetch_tokens") > 5.0);
}

#[test]
fn what_half_of_the_session_says_is_no_fact() {
    let run = |everywhere: bool| {
        let said = format!("> Remember {}.", FACTS.join(", "));
        let mut lines = vec![said];
        for _ in 0..12 {
            // Entries of the dropped part: 26 of them, so that a share of them means something.
            lines.extend([if everywhere { FACTS[0] } else { "Well." }.to_owned(), "> On.".to_owned()]);
        }
        lines.extend(["So.".to_owned(), "> Go on.".to_owned()]);
        lines.extend([
            format!(r#"! bash {{"command":"run {}"}}"#, FACTS.join(" ")),
            "= ok".to_owned(),
            "End.".to_owned(),
        ]);
        let transcript = session(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        Plan { before: &[14], ..Plan::new(&transcript, "", &["nothing"]) }.run()
    };
    run(false).assert("future_facts_count", 10.0);
    // One of the ten stands in 14 of 30 entries: more than a fifth.
    run(true).assert("future_facts_count", 9.0);
}

#[test]
fn a_call_made_again_is_counted() {
    let call = r#"! read {"path":"src/a/one.rs"}"#;
    let transcript = session(&["> Go.", call, "= text", "So.", "> Again.", call, "= text", "End."]);
    let found = Plan { before: &[3], ..Plan::new(&transcript, "", &["nothing"]) }.run();
    found.assert("reissued_calls_count", 1.0);
    // With the first call still in the context it is no loss.
    let kept = Plan { before: &[3], keep: 4, ..Plan::new(&transcript, "", &["nothing"]) }.run();
    kept.assert("reissued_calls_count", 0.0);
}

#[test]
fn a_folder_above_a_kept_path_is_known() {
    let said = "> Look at src/feeder/loader.rs and src/feeder in /opt/depot/bin/run and /opt/depot.";
    let uses = r#"! bash {"command":"ls src/feeder /opt/depot"}"#;
    let transcript = session(&[said, "Yes.", "> Go on src/feeder/loader.rs.", uses, "= ok", "End."]);
    let found = Plan { before: &[2], ..Plan::new(&transcript, "", &["see /opt/depot/bin/run"]) }.run();
    // src/feeder follows from the path in the tail. /opt/depot follows from the path in the summary: asked for, and kept.
    found.assert("future_facts_count", 1.0);
}
