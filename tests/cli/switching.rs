//! Sessions that change between models of different windows.

use std::path::Path;

use crate::errors::fails;
use crate::{field_case, good, run, run_in};

/// The arguments of a replay of the field case in a window of a million, with more of them.
fn replay<'a>(session: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["replay", session, "--history", "recorded", "--window", "1000000"], more].concat()
}

#[test]
fn replay_says_where_the_window_moves_and_what_fires_there() {
    let session = field_case("window-model-switch");
    let text = good(&replay(&session, &["--model-window", "small-128k=128000"]));
    let switch = text.find("  > model small-128k from here: window 128000\n").unwrap();
    let fires = text.find("  * fires before request 2 (before_request): 150000 tokens > window 128000").unwrap();
    assert!(switch < fires, "{text}");
    // With one window nothing happens.
    let text = good(&replay(&session, &[]));
    assert!(!text.contains("from here") && !text.contains("fires before"), "{text}");
    // The name of a model may stand twice in no other form: the last value counts.
    let twice = good(&replay(&session, &["--model-window", "small-128k=5", "--model-window", "small-128k=1000000"]));
    assert_eq!(twice, text);
}

#[test]
fn a_window_that_no_session_uses_is_told() {
    let session = field_case("window-model-switch");
    let done = run(&replay(&session, &["--model-window", "smal-128k=128000"]));
    let told = "warning: no session was recorded with \"smal-128k\", so its window is used nowhere\n\
                hint: did you mean \"small-128k\"?\n";
    assert_eq!((done.code, done.stderr.as_str()), (0, told));
    let done = run(&replay(&session, &["--model-window", "elsewhere=128000"]));
    assert!(done.stderr.contains("hint: they were recorded with \"big-1m\", \"small-128k\""), "{}", done.stderr);
    for wrong in ["small", "small=", "=5", "small=128k"] {
        fails(&replay(&session, &["--model-window", wrong]), 2, &["--model-window", "expected MODEL=TOKENS"]);
    }
    fails(&replay(&session, &["--model-window", "small-128k=0"]), 2, &["the window of \"small-128k\" is 0 tokens"]);
}

fn experiment(session: &str, models: &str) -> String {
    format!("name = \"x\"\ntranscripts = [{session:?}]\nstrategies = [\"pi\"]\nhistory = \"recorded\"\n{models}")
}

/// Runs an experiment and gives its cell and its events.
fn recorded(folder: &Path, models: &str) -> (serde_json::Value, Vec<serde_json::Value>) {
    let toml = experiment(&field_case("window-model-switch"), models);
    std::fs::write(folder.join("x.toml"), toml).unwrap();
    let done = run_in(folder, &["run", "--config", "x.toml", "--out", "out"]);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    let lines = |name: &str| -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(folder.join("out/x").join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    (lines("cells.jsonl").remove(0), lines("events.jsonl"))
}

#[test]
fn an_experiment_has_windows_by_recorded_model_and_records_them() {
    let folder = tempfile::tempdir().unwrap();
    let one = "[[models]]\nname = \"big\"\nwindow_tokens = 1_000_000\n";
    let (plain, events) = recorded(folder.path(), one);
    assert!(events.iter().all(|event| event.get("window_tokens").is_none() && event["event"] == "request"));
    let table = "recorded = { \"small-128k\" = { window_tokens = 128_000, max_output_tokens = 4_096 } }\n";
    let (cell, events) = recorded(folder.path(), &format!("{one}{table}"));
    // The same cell by name; what decides its result is another.
    assert_eq!(cell["cell"], plain["cell"]);
    assert_ne!(cell["inputs"], plain["inputs"]);
    assert_eq!(events[0]["window_tokens"], 1_000_000);
    assert_eq!(events[1]["event"], "switched");
    assert_eq!((&events[1]["request"], &events[1]["model"]), (&2.into(), &"small-128k".into()));
    assert_eq!((&events[1]["window_tokens"], &events[1]["max_output_tokens"]), (&128_000.into(), &4_096.into()));
    assert_eq!((&events[2]["event"], &events[2]["estimate_tokens"]), (&"fired".into(), &150_002.into()));
    assert_eq!(cell["measures"]["fired_count"]["value"], serde_json::json!(1.0));
    let incidents = std::fs::read_to_string(folder.path().join("out/x/incidents.csv")).unwrap();
    assert!(incidents.contains(",switched,2,,small-128k: window 128000 tokens,"), "{incidents}");
    let requests = std::fs::read_to_string(folder.path().join("out/x/requests.csv")).unwrap();
    let (head, row) = requests.trim_end().split_once('\n').unwrap();
    let at = head.split(',').position(|column| column == "request_window_tokens").unwrap();
    assert_eq!(row.split(',').nth(at), Some("1000000"));
}

#[test]
fn a_wrong_window_of_a_recorded_model_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let session = field_case("window-model-switch");
    let head = "[[models]]\nname = \"big\"\nwindow_tokens = 1_000_000\n";
    let wrong = [
        ("[models.recorded.\"small-128k\"]\nwindow_tokens = 0\n", ":8: the window of \"small-128k\" is 0 tokens"),
        ("[models.recorded.\"small-128k\"]\nwindow = 5\n", "unknown field `window`"),
    ];
    for (table, told) in wrong {
        std::fs::write(folder.path().join("x.toml"), experiment(&session, &format!("{head}{table}"))).unwrap();
        let done = run_in(folder.path(), &["run", "--config", "x.toml", "--out", "out"]);
        assert_eq!(done.code, 2, "{}", done.stderr);
        assert!(done.stderr.contains(told) && done.stderr.contains("hint: "), "{}", done.stderr);
    }
}
