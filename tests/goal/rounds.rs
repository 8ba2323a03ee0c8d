//! Items over repeated compactions.

use crate::{Plan, session};

#[test]
fn lives_end_with_the_round_that_loses_them() {
    let lines = ["> T-77 and 42 g and depot-9.", "a", "> b", "c", "> d", "e", "> f", "g", "> h", "i"];
    let transcript = session(&lines);
    let items = r#"item = [
        { id = "serial", category = "value", text = "", source = ["e0"], must = [["T-77"]] },
        { id = "limit", category = "value", text = "", source = ["e0"], must = [["42 g"]] },
        { id = "depot", category = "value", text = "", source = ["e0"], must = [["depot-9"]] },
        { id = "later", category = "value", text = "", source = ["e8"], must = [["h"]] },
    ]"#;
    let says = ["T-77, 42 g, depot-9", "T-77, 42 g", "T-77"];
    let found = Plan { before: &[2, 3, 4], ..Plan::new(&transcript, items, &says) }.run();
    // Three rounds: one item outlives all, two end, one was never dropped.
    assert_eq!(found.lives, [(3, false), (3, true), (2, true), (0, false)]);
    assert_eq!(found.fates, ["kept", "lost", "lost", "in_tail"]);
}

#[test]
fn open_and_done_work_must_not_change_places() {
    let lines = ["> Paint the roof, then the wall.", "Roof painted.", "> Go on.", "x", "> More.", "y"];
    let transcript = session(&lines);
    let items = r#"item = [
        { id = "roof", category = "progress", text = "", source = ["e0"], done_at = "e1", must = [["roof"]] },
        { id = "wall", category = "progress", text = "", source = ["e0"], done_at = "e5", must = [["wall"]] },
    ]"#;
    let fates = |says: &str| Plan::new(&transcript, items, &[says]).run().fates;
    assert_eq!(fates("### Done\n- roof\n### Next Steps\n- wall"), ["kept", "kept"]);
    assert_eq!(fates("### Done\n- wall\n### Next Steps\n- roof"), ["wrong", "wrong"]);
    assert_eq!(fates("- [x] roof\n- [ ] wall"), ["kept", "kept"]);
    assert_eq!(fates("roof and wall"), ["kept", "kept"], "a text that does not say is not wrong");
}
