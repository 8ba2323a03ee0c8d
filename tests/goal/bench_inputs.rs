//! What the benchmark of the goal meters measures is right: a session twice as long has twice the facts, and one pass finds
//! what a search for each spelling finds.

use cutpoint::meter::goal::entity::extract;
use cutpoint::meter::goal::{EntityIndex, ItemSet};

use crate::{Plan, session};

/// A session of `turns` turns, each with names of its own.
pub(crate) fn long(turns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for turn in 0..turns {
        lines.push(format!("> Turn {turn}: change src/part_{turn}/mod.rs, keep LIMIT_{turn} at {turn}00 ms."));
        lines.push(format!(r#"! edit {{"path":"src/part_{turn}/mod.rs","text":"LIMIT_{turn}"}}"#));
        lines.push(format!("= changed src/part_{turn}/mod.rs, see T-{turn}00"));
        lines.push(format!(
            "LIMIT_{turn} holds. {}",
            if turn >= 4 { format!("LIMIT_{} too.", turn - 4) } else { String::new() }
        ));
    }
    lines
}

#[test]
fn a_thousand_items_are_found_as_one_by_one() {
    let lines = long(250);
    let transcript = session(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let item = |n: usize, slot: &str| {
        format!(
            r#"{{ id = "i{n}-{slot}", category = "value", text = "", source = ["e{}"], must = [["{slot}"]] }}"#,
            n * 4
        )
    };
    let each = |n: usize| {
        let slots = [format!("limit_{n}"), format!("src/part_{n}/mod.rs"), format!("{n}00 ms"), format!("turn {n}:")];
        slots.map(|slot| item(n, &slot)).join(",")
    };
    let toml = format!("item = [{}]", (0..250).map(each).collect::<Vec<_>>().join(","));
    let items = ItemSet::parse(&toml, &transcript).unwrap();
    assert_eq!(items.items.len(), 1_000);
    let found =
        Plan { before: &[400], keep: 8, ..Plan::new(&transcript, &toml, &["LIMIT_3 and LIMIT_30 and 700 ms"]) }.run();
    // The kept tail is of turn 199 or so: it says nothing of the first 150.
    let of_old = |id: &&str| id[1..].split('-').next().unwrap().parse::<usize>().unwrap() < 150;
    let kept = items.items.iter().zip(&found.fates).filter(|(_, fate)| **fate == "kept").map(|(item, _)| &*item.id);
    assert_eq!(kept.filter(of_old).collect::<Vec<_>>(), ["i3-limit_3", "i7-700 ms", "i30-limit_30"]);
}

#[test]
fn twice_the_session_has_twice_the_entities() {
    let count = |turns| {
        let lines = long(turns);
        EntityIndex::new(&session(&lines.iter().map(String::as_str).collect::<Vec<_>>())).keys().count()
    };
    let (one, two) = (count(50), count(100));
    assert_eq!(two - one, one + 1, "every turn has a path, a limit, a time and an id; turn 0 names less");
}

#[test]
fn the_extractor_finds_what_stands_in_a_line_wherever_it_stands() {
    let line = "see src/a/b.rs:12, T-77 and 37 ms in `cargo test --lib`";
    let keys = |text: &str| {
        let mut keys = Vec::new();
        extract(text, |found| keys.push(found.key.into_owned()));
        keys
    };
    let one = keys(line);
    assert_eq!(keys(&[line, line].join("\n")), [one.clone(), one].concat());
}
