//! Grids, runs that were cut short, shards, and what need not be run again.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::{Done, command, files, golden, run_in};

const STRATEGIES: &str = "pi,pi-article,deepagents,ralph,tail-only,none";

#[track_caller]
fn good(folder: &Path, arguments: &[&str]) -> Done {
    let done = run_in(folder, arguments);
    assert_eq!(done.code, 0, "{arguments:?}\n{}", done.stderr);
    done
}

fn sessions() -> Vec<String> {
    ["repeated_compaction", "every_entry_type", "context_edits", "branches", "carried_files"].map(golden).to_vec()
}

fn arguments<'a>(sessions: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["run", "--strategy", STRATEGIES, "--window", "12000,20000"];
    arguments.extend(more);
    arguments.push("--transcripts");
    arguments.extend(sessions.iter().map(String::as_str));
    arguments
}

/// The files of a run folder by name.
fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let name = |path: &Path| path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
    files(folder).into_iter().map(|(path, bytes)| (name(&path), bytes)).collect()
}

#[track_caller]
fn same(a: &Path, b: &Path) {
    let (a, b) = (bytes(a), bytes(b));
    let names = |all: &[(String, Vec<u8>)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a), names(&b));
    for ((name, bytes), (_, other)) in a.iter().zip(&b) {
        assert!(bytes == other, "{name} differs");
    }
}

fn finished_cells(run: &Path) -> usize {
    std::fs::read_to_string(run.join("cells.jsonl")).map_or(0, |text| text.lines().count())
}

#[test]
fn a_killed_run_is_resumed_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = sessions();
    let whole = folder.path().join("whole/run");
    good(folder.path(), &arguments(&sessions, &["--out", "whole"]));
    let run = folder.path().join("killed/run");
    let mut child = command(folder.path(), &arguments(&sessions, &["--out", "killed", "--threads", "1"]))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while finished_cells(&run) < 3 && child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(1));
    }
    // SIGKILL: nothing is flushed, nobody is asked.
    child.kill().unwrap();
    child.wait().unwrap();
    let before = finished_cells(&run);
    assert!(before >= 3, "only {before} cells");
    let done = good(folder.path(), &arguments(&sessions, &["--out", "killed"]));
    assert!(done.stderr.contains("of 60 cells were there already"), "{}", done.stderr);
    same(&whole, &run);
}

#[test]
fn a_torn_line_costs_one_cell_and_a_report_can_be_made_of_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = sessions();
    let whole = folder.path().join("whole/run");
    good(folder.path(), &arguments(&sessions, &["--out", "whole"]));
    let run = folder.path().join("torn/run");
    std::fs::create_dir_all(&run).unwrap();
    for name in ["manifest.json", "cells.jsonl", "events.jsonl"] {
        std::fs::copy(whole.join(name), run.join(name)).unwrap();
    }
    let cells = std::fs::read(run.join("cells.jsonl")).unwrap();
    std::fs::write(run.join("cells.jsonl"), &cells[..cells.len() - 9]).unwrap();
    good(folder.path(), &["report", "torn/run", "--out", "elsewhere"]);
    let done = good(folder.path(), &arguments(&sessions, &["--out", "torn"]));
    assert!(done.stderr.contains("59 of 60 cells were there already"), "{}", done.stderr);
    same(&whole, &run);
}

#[test]
fn only_cells_whose_inputs_changed_are_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = folder.path().join("in");
    std::fs::create_dir(&inputs).unwrap();
    for name in ["branches", "carried_files"] {
        std::fs::copy(golden(name), inputs.join(format!("{name}.jsonl"))).unwrap();
    }
    let arguments = ["run", "--strategy", "pi,none", "--window", "9000", "--transcripts", "in"];
    let first = good(folder.path(), &arguments);
    assert!(!first.stderr.contains("already"), "{}", first.stderr);
    let mut text = std::fs::read_to_string(inputs.join("branches.jsonl")).unwrap();
    text.push('\n');
    std::fs::write(inputs.join("branches.jsonl"), text).unwrap();
    let second = good(folder.path(), &arguments);
    assert!(second.stderr.contains("2 of 4 cells were there already"), "{}", second.stderr);
    let more = ["run", "--strategy", "pi,none,ralph", "--window", "9000", "--transcripts", "in"];
    assert!(good(folder.path(), &more).stderr.contains("4 of 6 cells were there already"));
    let fresh = good(folder.path(), &[&more[..], &["--fresh"]].concat());
    assert!(!fresh.stderr.contains("already"), "{}", fresh.stderr);
}

#[test]
fn other_prices_are_other_inputs_and_lie_beside_the_experiment() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("in")).unwrap();
    let head = format!("strategies = [\"none\"]\ntranscripts = [{:?}]\n[cache]\nprice = \"own\"\n", golden("branches"));
    let tables = [("a", "prices = \"own.toml\""), ("b", "[grid]\n\"cache.prices\" = [\"own.toml\"]")];
    let price = |input: f64| {
        let row = format!(
            "[[row]]\nname = 'own'\nmodels = []\ninput = {input:?}\noutput = 1.0\nsource = 'test'\ndate = '2026-01-05'\n"
        );
        std::fs::write(folder.path().join("in/own.toml"), row).unwrap();
    };
    for (name, table) in tables {
        price(3.0);
        std::fs::write(folder.path().join("in/x.toml"), format!("name = {name:?}\n{head}{table}\n")).unwrap();
        let run = || good(folder.path(), &["run", "--config", "in/x.toml"]).stderr;
        assert!(!run().contains("already"));
        assert!(run().contains("1 of 1 cells were there already"));
        price(4.0);
        assert!(!run().contains("already"), "dollars by the old prices");
    }
    let cells = std::fs::read_to_string(folder.path().join("reports/b/cells.jsonl")).unwrap();
    assert!(cells.contains("\"strategy\":\"none[cache.prices=own.toml]\""), "{cells}");
}

#[test]
fn shards_merge_to_the_bytes_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = sessions();
    good(folder.path(), &arguments(&sessions, &["--out", "whole"]));
    for part in ["1/3", "2/3", "3/3"] {
        good(folder.path(), &arguments(&sessions, &["--shard", part, "--out", &part[..1]]));
    }
    good(folder.path(), &["merge", "3/run", "1/run", "2/run", "--out", "merged/run"]);
    same(&folder.path().join("whole/run"), &folder.path().join("merged/run"));
    let done = run_in(folder.path(), &["merge", "1/run", "3/run", "--out", "half/run"]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    assert!(done.stderr.contains("of 3 shards there must be one each; there are [1, 3]"), "{}", done.stderr);
    let done = run_in(folder.path(), &["merge", "whole/run", "--out", "half/run"]);
    assert!(done.stderr.contains("this run is no shard"), "{}", done.stderr);
    let done = run_in(folder.path(), &arguments(&sessions, &["--shard", "4/3"]));
    assert_eq!(done.code, 2, "{}", done.stderr);
}

#[test]
fn a_grid_makes_a_strategy_of_every_combination() {
    let folder = tempfile::tempdir().unwrap();
    let config = format!(
        "name = \"g\"\ntranscripts = [{:?}]\nstrategies = [\"pi-article\"]\nreplicates = 2\nmeters = [\"structure\"]\n\
         models = [{{ name = \"m\", window_tokens = 20000 }}]\n\
         [grid]\n\"trigger.threshold\" = [0.4, 0.8]\n\"summarizer.template\" = [\"pi\", \"pi-three-part\"]\n",
        golden("repeated_compaction")
    );
    std::fs::write(folder.path().join("experiment.toml"), &config).unwrap();
    let done = good(folder.path(), &["run", "--config", "experiment.toml"]);
    assert!(done.stdout.contains("8 cells"), "{}", done.stdout);
    let cells = std::fs::read_to_string(folder.path().join("reports/g/cells.jsonl")).unwrap();
    assert!(cells.contains("pi-article[summarizer.template=pi-three-part,trigger.threshold=0.4]"), "{cells}");
    assert!(!cells.contains("goal_loss"), "{cells}");
    let ids: std::collections::BTreeSet<&str> = cells.lines().map(|line| &line[..60]).collect();
    assert_eq!(ids.len(), 8);
    std::fs::write(folder.path().join("experiment.toml"), config.replace("trigger.threshold", "triger.threshold"))
        .unwrap();
    let done = run_in(folder.path(), &["run", "--config", "experiment.toml"]);
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("triger.threshold: pi-article has no such field"), "{}", done.stderr);
    assert!(done.stderr.contains("hint: did you mean `trigger`?"), "{}", done.stderr);
    std::fs::write(folder.path().join("experiment.toml"), config.replace("replicates", "replicate")).unwrap();
    let done = run_in(folder.path(), &["run", "--config", "experiment.toml"]);
    assert!(done.stderr.contains("hint: did you mean `replicates`?"), "{}", done.stderr);
}

#[test]
fn a_grid_varies_cache_and_price_beside_the_stages() {
    let folder = tempfile::tempdir().unwrap();
    let config = "name = \"bills\"\ntranscripts = [\"embedded:chinese-invoice\"]\nstrategies = [\"none\"]\nmeters = [\"cache\"]\n\
                  [grid]\n\"cache.provider\" = [\"anthropic-5m\", \"ideal\"]\n\
                  \"cache.price\" = [\"claude-sonnet-5-5\", \"claude-opus-4-5\"]\n";
    std::fs::write(folder.path().join("experiment.toml"), config).unwrap();
    good(folder.path(), &["run", "--config", "experiment.toml"]);
    let text = std::fs::read_to_string(folder.path().join("reports/bills/cells.jsonl")).unwrap();
    let cells: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let bill = |cell: &serde_json::Value| {
        let name = |field: &str| cell[field].as_str().unwrap().to_owned();
        (name("strategy"), name("cache"), name("price"))
    };
    let expected = [
        ("claude-sonnet-5-5", "anthropic-5m"),
        ("claude-sonnet-5-5", "ideal"),
        ("claude-opus-4-5", "anthropic-5m"),
        ("claude-opus-4-5", "ideal"),
    ];
    let expected = expected.map(|(price, cache)| {
        (format!("none[cache.price={price},cache.provider={cache}]"), cache.to_owned(), price.to_owned())
    });
    assert_eq!(cells.iter().map(bill).collect::<Vec<_>>(), expected);
    // One replay, four bills: an ideal cache reads at least as much, and a dearer model costs more.
    let of = |cell: usize, name: &str| cells[cell]["measures"][name]["value"].as_f64().unwrap();
    assert!((of(0, "cache_read_tokens") - of(2, "cache_read_tokens")).abs() < 1e-9);
    assert!(of(1, "cache_read_tokens") >= of(0, "cache_read_tokens"));
    assert!(of(2, "cost_usd") > of(0, "cost_usd"));
    let ids: std::collections::BTreeSet<&str> = cells.iter().map(|cell| cell["cell"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 4);
}

#[test]
fn embedded_sessions_are_billed_alike_and_those_of_others_as_recorded() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("e.toml"), "name = \"file\"\nstrategies = [\"none\"]\nmeters = [\"cache\"]\n")
        .unwrap();
    good(folder.path(), &["run", "--config", "e.toml"]);
    good(folder.path(), &["run", "--name", "options", "--strategy", "none"]);
    good(folder.path(), &["run", "--name", "others", "--strategy", "none", "--transcripts", &golden("branches")]);
    good(folder.path(), &["run", "--name", "chosen", "--strategy", "none", "--cache", "ideal"]);
    let bills = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join("reports").join(name).join("cells.jsonl")).unwrap();
        let cells = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        cells.map(|cell| (cell["cache"].clone(), cell["price"].clone())).collect::<Vec<_>>()
    };
    let own = (serde_json::json!("anthropic-5m"), serde_json::json!("claude-sonnet-5-5"));
    assert_eq!(bills("file"), vec![own.clone(); 3]);
    assert_eq!(bills("options"), vec![own.clone(); 3]);
    assert_ne!(bills("others"), vec![own]);
    assert_eq!(bills("chosen"), vec![(serde_json::json!("ideal"), serde_json::Value::Null); 3]);
}
