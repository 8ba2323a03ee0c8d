//! Closed-book and with recovery.

use cutpoint::engine::recover::reread::Reread;
use cutpoint::engine::recover::user_messages::UserMessages;
use cutpoint::meter::goal::Reach;
use cutpoint::transcript::Tokens;

use crate::{Plan, session};

const ITEMS: &str = r#"item = [
    { id = "serial", category = "value", text = "", source = ["e0"], must = [["T-77"]] },
    { id = "limit", category = "value", text = "", source = ["e2"], must = [["42 g"]] },
]"#;

fn transcript() -> cutpoint::transcript::Transcript {
    let read = r#"! read {"path":"notes/limits.md"}"#;
    session(&["> Tray T-77.", read, "= the limit is 42 g", "So.", "> Go on.", "Next.", "> More.", "End."])
}

#[test]
fn a_lost_item_within_reach_costs_its_message() {
    let transcript = transcript();
    let run = |reach| Plan { before: &[3], reach, ..Plan::new(&transcript, ITEMS, &["nothing"]) }.run();
    let closed = run(Reach::Nothing);
    closed.assert("goal_loss", 1.0);
    closed.assert("goal_loss_with_recovery", 1.0);
    closed.assert_void("recovery_price_tokens", "nothing within reach");
    let file = run(Reach::History);
    file.assert("goal_loss", 1.0);
    file.assert("goal_loss_with_recovery", 0.0);
    // "Tray T-77." and "the limit is 42 g" by o200k_base.
    file.assert("recovery_price_tokens", 12.0);
    run(Reach::Search { excerpt: Tokens(4) }).assert("recovery_price_tokens", 8.0);
}

#[test]
fn what_is_put_back_counts_as_recovery_only() {
    let transcript = transcript();
    let reread = Reread { count: 5, file_tokens: 5_000, total_tokens: 50_000, rules: true };
    let pinned = UserMessages { tokens: Tokens(1_000) };
    let plan = || Plan { before: &[3], ..Plan::new(&transcript, ITEMS, &["nothing"]) };
    let files = Plan { recovery: vec![Box::new(reread)], ..plan() }.run();
    assert_eq!(files.fates, ["lost", "lost"], "closed-book");
    files.assert("goal_loss_with_recovery", 0.5);
    let words = Plan { recovery: vec![Box::new(pinned)], ..plan() }.run();
    words.assert("goal_loss", 1.0);
    words.assert("goal_loss_with_recovery", 0.5);
}

#[test]
fn controls_are_a_floor_and_a_ceiling() {
    let transcript = transcript();
    let found = Plan { before: &[3], ..Plan::new(&transcript, ITEMS, &["It is tray T-77 and some more."]) }.run();
    found.assert("goal_loss", 0.5);
    found.assert("goal_loss_full_history", 0.0);
    found.assert("goal_loss_nothing_kept", 1.0);
    // 30 bytes hold both lines, 11 and 18 of them: "Tray T-77." and "the limit is 42 g" with their ends.
    found.assert("goal_loss_oracle_extract", 0.0);
    let random = found.value("goal_loss_random_extract");
    assert!(random > 0.0 && random < 1.0, "{random}");
}
