//! Cases of the same kinds that someone else might try: sessions by hand, with answers by hand.

use cutpoint::engine::cut::{CutGoal, CutPolicy, NothingToDrop};
use cutpoint::engine::pi::Rules;
use cutpoint::engine::trigger::Checkpoint;
use cutpoint::import::{Format, read_bytes};
use cutpoint::meter::Meter;
use cutpoint::meter::goal::{EntityIndex, Faith, Goal, ItemSet, Presence};
use cutpoint::replay::ReplayEvent;
use cutpoint::transcript::Tokens;
use serde_json::{Value, json};

use crate::{Case, keeping};

/// A Pi session: `u` and `a` are messages with a text, `A` a reply that calls `read` once, `r` its result, `c` a compaction
/// that keeps from the entry of a number on, `b` goes back to the entry of a number. Entries are numbered from 1.
fn session(rows: &[(&str, &str)]) -> Case {
    let mut lines = vec![json!({"type": "session", "version": 3, "id": "x", "cwd": "."}).to_string()];
    let (mut parent, mut number) = (Value::Null, 0);
    for (kind, text) in rows {
        if *kind == "b" {
            parent = json!(text);
            continue;
        }
        number += 1;
        let id = number.to_string();
        let reply = |content: Value, stop: &str| json!({"role": "assistant", "content": content, "api": "x", "provider": "x", "model": "m", "stopReason": stop});
        let call =
            json!([{"type": "toolCall", "id": format!("k{number}"), "name": "read", "arguments": {"path": text}}]);
        let said = json!([{"type": "text", "text": text}]);
        let mut entry = match *kind {
            "u" => json!({"type": "message", "message": {"role": "user", "content": text}}),
            "a" => json!({"type": "message", "message": reply(said, "stop")}),
            "A" => json!({"type": "message", "message": reply(call, "toolUse")}),
            "r" => {
                json!({"type": "message", "message": {"role": "toolResult", "toolCallId": format!("k{}", number - 1),
                "toolName": "read", "content": said, "isError": false}})
            }
            "s" => json!({"type": "branch_summary", "fromId": "1", "summary": text}),
            _ => {
                let (from, summary) = text.split_once(' ').unwrap();
                json!({"type": "compaction", "summary": summary, "firstKeptEntryId": from, "tokensBefore": 9})
            }
        };
        entry["id"] = json!(id);
        entry["parentId"] = parent;
        entry["timestamp"] = json!("2026-01-05T09:00:00.000Z");
        lines.push(entry.to_string());
        parent = json!(id);
    }
    let imported = read_bytes(lines.join("\n").as_bytes(), Format::Pi).unwrap();
    assert_eq!(imported.findings, [], "{lines:#?}");
    Case { transcript: imported.transcript, numbers: Value::Null }
}

/// The fates of items `id = slots` of entry 1 after every compaction; slots are separated by `&`, spellings by `|`.
fn fates(case: &Case, items: &[(&str, &str, &str)]) -> Vec<Vec<&'static str>> {
    let item = |(category, source, slots): &(&str, &str, &str)| {
        let slots: Vec<Vec<&str>> = slots.split('&').map(|slot| slot.split('|').collect()).collect();
        let (slots, id) = (json!(slots), format!("{category}-{source}-{}", slots[0][0]));
        format!("{{ id = '{id}', category = '{category}', text = '', source = ['{source}'], must = {slots} }}")
    };
    let items = format!("item = [{}]", items.iter().map(item).collect::<Vec<_>>().join(","));
    let items = ItemSet::parse(&items, &case.transcript).unwrap();
    let presence = Presence::new(&case.transcript, &items);
    let path = case.transcript.path();
    let mut goal = Goal::new(&items, &presence, Tokens(1)).on_path(&path, &case.transcript);
    let mut all = Vec::new();
    let mut observe = |event: &ReplayEvent<'_, '_>| {
        goal.observe(event);
        if matches!(event, ReplayEvent::Compaction(_)) {
            all.push(goal.fates().unwrap().iter().map(|fate| fate.name()).collect());
        }
    };
    case.follow(&Rules::V1_6, 200_000, &mut observe, |_| ());
    all
}

fn faith(case: &Case, name: &str) -> f64 {
    let (path, index) = (case.transcript.path(), EntityIndex::new(&case.transcript));
    let mut faith = Box::new(Faith::new(&case.transcript, &path, &index));
    case.follow(&Rules::V1_6, 200_000, &mut |event| faith.observe(event), |_| ());
    let measures = faith.finish();
    measures.iter().find(|(one, _)| *one == name).unwrap().1.value().unwrap()
}

#[test]
fn goal_loss_of_other_words_scripts_and_forms() {
    let said = "接口不要修改。 Serial T-77, limit 42 g, file src/tray/scale.rs, run `cargo test --lib` first.";
    let after = |summary: &str| session(&[("u", said), ("a", "ok"), ("u", "go on"), ("c", &format!("3 {summary}"))]);
    let items = [
        ("constraint", "1", "不要修改|别改"),
        ("value", "1", "t-77"),
        ("value", "1", "42 g|42 grams"),
        ("artifact", "1", "src/tray/scale.rs"),
        ("progress", "1", "cargo test --lib"),
    ];
    let of = |summary: &str| fates(&after(summary), &items)[0].clone();
    // Typography, emphasis, code and a longer unit change no word.
    assert_eq!(
        of("接口**别改**。 T\u{2011}77; 42\u{a0}grams, `src/tray/scale.rs:3`, **cargo test --lib**"),
        ["kept"; 5]
    );
    // Other names, numbers and commands.
    assert_eq!(of("接口可以修改。 AT-77, 142 g, src/tray/scale.rs.bak, cargo test"), ["lost"; 5]);
    // Named and denied.
    assert_eq!(of("不要修改 no longer applies. - not T-77 - instead of 42 g")[..3], ["wrong", "wrong", "wrong"]);
}

#[test]
fn drift_of_values_that_change_return_and_come_again() {
    let case = session(&[
        ("u", "Limit 42 g, serial T-77, depot-9."),
        ("a", "ok"),
        ("u", "one"),
        ("c", "3 Limit 42 g, serial T-77, depot-9."),
        ("a", "ok"),
        ("u", "two"),
        ("c", "6 Limit 40 g, serial T-77."),
        ("a", "ok"),
        ("u", "Again: depot-9."),
        ("c", "9 Limit 42 g, serial set."),
    ]);
    let items = [("value", "1", "42 g"), ("value", "1", "t-77"), ("value", "1", "depot-9")];
    assert_eq!(fates(&case, &items), [["kept"; 3], ["lost", "kept", "lost"], ["kept", "lost", "kept"]]);
    // A value that drifted is one that nobody said.
    let fabricated = faith(&case, "fabricated_count");
    assert!((fabricated - 1.0).abs() < 1e-12, "{fabricated}");
}

#[test]
fn summaries_about_as_large_as_what_they_replace() {
    let words = |count: usize| "seed ".repeat(count);
    let not_compressing = |dropped: usize, summary: usize| {
        let rows = [("u", &*words(dropped)), ("a", "ok"), ("u", "on"), ("c", &*format!("3 {}", words(summary)))];
        faith(&session(&rows), "not_compressing_count")
    };
    // The words around a summary count: they are sent too.
    for (dropped, summary, expected) in [(100, 100, 1.0), (100, 95, 1.0), (1_000, 900, 0.0), (1, 1, 1.0)] {
        let found = not_compressing(dropped, summary);
        assert!((found - expected).abs() < 1e-12, "{dropped} words gave way to {summary}: {found}");
    }
}

#[test]
fn answers_that_are_no_summaries_keep_nothing() {
    let items = [("value", "1", "t-77"), ("goal", "1", "catalogue the trays")];
    for answer in [
        "I'm sorry, but I can't help with that.",
        "(no conversation provided)",
        "Please paste the conversation that you want me to summarize.",
        r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        "## Goal\n\n## Progress\n### Done\n(none)\n\n## Next Steps\n(none)",
        ".",
    ] {
        let rows = [
            ("u", "Catalogue the trays and keep serial T-77."),
            ("a", "ok"),
            ("u", "on"),
            ("c", &*format!("3 {answer}")),
        ];
        assert_eq!(fates(&session(&rows), &items), [["lost"; 2]], "{answer}");
    }
}

#[test]
fn other_branches() {
    let items = [("value", "2", "code 9"), ("value", "1", "code 1")];
    // The first branch goes on; the other was only tried. It has a compaction of its own, which is not followed.
    let went_back = session(&[
        ("u", "code 1"),
        ("a", "code 9"),
        ("u", "x"),
        ("c", "3 nothing"),
        ("b", "1"),
        ("a", "other"),
        ("u", "on"),
        ("c", "6 code 1"),
    ]);
    assert_eq!(fates(&went_back, &items), [["off_path", "kept"]]);
    // What a branch summary tells of the other branch is no source either.
    let told = session(&[
        ("u", "code 1"),
        ("a", "code 9"),
        ("b", "1"),
        ("s", "tried code 9"),
        ("a", "other"),
        ("u", "on"),
        ("c", "5 code 9"),
    ]);
    assert_eq!(fates(&told, &items), [["off_path", "lost"]]);
    // Back to the root: nothing of the first try counts.
    let items = [("value", "1", "code 1"), ("value", "3", "code 3")];
    let root =
        session(&[("u", "code 1"), ("a", "x"), ("b", "1"), ("u", "code 3"), ("a", "y"), ("u", "z"), ("c", "5 code 3")]);
    assert_eq!(fates(&root, &items), [["lost", "kept"]]);
}

#[test]
fn other_edges_of_a_cut() {
    let long = "seed ".repeat(400);
    let cut = |rows: &[(&str, &str)], keep: u64| -> Result<usize, NothingToDrop> {
        session(rows).follow(&Rules::V1_6, 200_000, &mut |_| {}, |live| {
            let goal = CutGoal { window: Tokens(200_000), checkpoint: Checkpoint::BeforeRequest };
            keeping(&Rules::V1_6, keep).cut(live.view(), goal).map(|plan| plan.kept_from)
        })
    };
    // One reply larger than the budget stands alone in the tail, and the request before it is the split turn's start.
    assert_eq!(cut(&[("u", "q"), ("a", &long)], 100), Ok(1));
    // A budget of nothing keeps the last message all the same.
    assert_eq!(cut(&[("u", "q"), ("a", "x"), ("u", "q"), ("a", "x")], 0), Ok(3));
    // Everything within the budget, and a call without its result at the end.
    assert!(cut(&[("u", "q"), ("a", "x")], 1_000).is_err());
    assert_eq!(cut(&[("u", "q"), ("a", "x"), ("u", "q"), ("A", "a.txt")], 1), Ok(3));
    // The result that crosses the budget stays with its call.
    assert_eq!(cut(&[("u", "q"), ("A", "a.txt"), ("r", &long)], 100), Ok(1));
}
