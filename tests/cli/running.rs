//! `run` and `report`: what they write, and that they write the same again.

use std::path::Path;

use crate::{Done, absolute, field_case, files, golden, names, run_in};

const FILES: [&str; 26] = [
    "annotations.jsonl",
    "cells.csv",
    "cells.jsonl",
    "classes.csv",
    "classes.jsonl",
    "columns.csv",
    "compactions.csv",
    "contrasts.csv",
    "estimates.csv",
    "events.jsonl",
    "incidents.csv",
    "index.html",
    "items.csv",
    "manifest.json",
    "measures.csv",
    "messages.jsonl",
    "next_actions.csv",
    "pareto.csv",
    "probes.csv",
    "report.json",
    "report.md",
    "requests.csv",
    "strategies.csv",
    "transcripts.csv",
    "validity.csv",
    "verdicts.csv",
];

#[track_caller]
fn good(folder: &Path, arguments: &[&str]) -> Done {
    let done = run_in(folder, arguments);
    assert_eq!(done.code, 0, "{arguments:?}\n{}", done.stderr);
    done
}

/// Small sessions with parallel calls, edits, branches and compactions; strategies of every kind.
fn small_grid<'a>(sessions: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments =
        vec!["run", "--strategy", "pi,pi-article-git,deepagents,ralph,drop-tool-results", "--window", "12000,20000"];
    arguments.extend(more);
    arguments.push("--transcripts");
    arguments.extend(sessions.iter().map(String::as_str));
    arguments
}

fn sessions() -> Vec<String> {
    ["repeated_compaction", "every_entry_type", "context_edits", "branches", "carried_files"].map(golden).to_vec()
}

#[test]
fn a_run_writes_its_folder_and_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let done = good(
        folder.path(),
        &["run", "--transcripts", &golden("repeated_compaction"), "--strategy", "pi,none", "--window", "30000"],
    );
    assert_eq!(done.stderr, "");
    assert!(done.stdout.contains("2 cells; report:\nreports/run/index.html"), "{}", done.stdout);
    assert!(done.stdout.starts_with("MOCK"), "{}", done.stdout);
    let run = folder.path().join("reports/run");
    assert_eq!(names(&run), FILES);
    let text = |name: &str| std::fs::read_to_string(run.join(name)).unwrap();
    assert_eq!(text("cells.jsonl").lines().count(), 2);
    assert_eq!(text("requests.csv").lines().count(), 1 + 2 * 12);
    assert!(!text("manifest.json").contains(folder.path().to_str().unwrap()), "no path of the machine");
    let manifest: serde_json::Value = serde_json::from_str(&text("manifest.json")).unwrap();
    assert_eq!((&manifest["cells"], &manifest["mock"]), (&2.into(), &true.into()));
}

#[test]
fn equal_runs_give_equal_bytes_on_any_number_of_threads() {
    let sessions = sessions();
    let runs: Vec<Vec<(String, Vec<u8>)>> = ["1", "2", "2"]
        .iter()
        .map(|threads| {
            let folder = tempfile::tempdir().unwrap();
            good(folder.path(), &small_grid(&sessions, &["--threads", threads]));
            let run = folder.path().join("reports/run");
            files(&run)
                .into_iter()
                .map(|(path, bytes)| (path.strip_prefix(&run).unwrap().to_str().unwrap().to_owned(), bytes))
                .collect()
        })
        .collect();
    assert_eq!(runs[0].len(), FILES.len());
    for other in &runs[1..] {
        for ((name, bytes), (again, same)) in runs[0].iter().zip(other) {
            assert_eq!(name, again);
            assert!(bytes == same, "{name} differs");
        }
    }
}

#[test]
fn a_configuration_file_gives_what_the_options_give() {
    let folder = tempfile::tempdir().unwrap();
    let session = golden("carried_files");
    std::fs::copy(&session, folder.path().join("carried_files.jsonl")).unwrap();
    let config = "name = \"run\"\ntranscripts = [\"carried_files.jsonl\"]\nstrategies = [\"pi\", \"tail-only\"]\n\
                  models = [{ name = \"9k\", window_tokens = 9000 }]\nseeds = [7]\n";
    std::fs::write(folder.path().join("experiment.toml"), config).unwrap();
    good(folder.path(), &["run", "--config", "experiment.toml", "--out", "by-file"]);
    let options = [
        "run",
        "--transcripts",
        &session,
        "--strategy",
        "pi,tail-only",
        "--window",
        "9000",
        "--seed",
        "7",
        "--out",
        "by-option",
    ];
    good(folder.path(), &options);
    let of = |out: &str, name: &str| std::fs::read(folder.path().join(out).join("run").join(name)).unwrap();
    for name in ["cells.jsonl", "events.jsonl", "cells.csv"] {
        assert!(of("by-file", name) == of("by-option", name), "{name} differs");
    }
}

#[test]
fn a_strategy_can_be_spelled_out_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let config = format!(
        "name = \"own\"\ntranscripts = [{:?}]\nmodels = [{{ name = \"m\", window_tokens = 20000 }}]\n\
         [[strategies]]\nname = \"mine\"\n[strategies.stages]\nestimator = {{ kind = \"chars\", per_token = 3.0 }}\n\
         trigger = {{ kind = \"article\", threshold = 0.5, min_turns_to_keep = 1 }}\ncut = {{ kind = \"everything\" }}\n\
         summarizer = {{ kind = \"none\" }}\n",
        golden("repeated_compaction")
    );
    std::fs::write(folder.path().join("experiment.toml"), config).unwrap();
    let done = good(folder.path(), &["run", "--config", "experiment.toml"]);
    assert!(done.stdout.contains("mine") && !done.stdout.contains("MOCK"), "{}", done.stdout);
    assert!(done.stdout.contains("reports/own/index.html"), "{}", done.stdout);
}

#[test]
fn findings_and_skipped_files_go_to_stderr() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = folder.path().join("in");
    std::fs::create_dir(&inputs).unwrap();
    std::fs::copy(field_case("tree-cycle-dup-missing"), inputs.join("odd.jsonl")).unwrap();
    std::fs::write(inputs.join("empty.jsonl"), "").unwrap();
    let done = good(folder.path(), &["run", "--transcripts", "in", "--strategy", "none"]);
    assert!(done.stderr.contains("skipped: in/empty.jsonl: "), "{}", done.stderr);
    assert!(done.stderr.contains("odd: 4 findings; `cutpoint inspect` lists them"), "{}", done.stderr);
    assert!(!done.stdout.contains("skipped"), "{}", done.stdout);
}

#[test]
fn a_report_is_rebuilt_from_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    good(
        folder.path(),
        &["run", "--transcripts", &golden("branches"), "--strategy", "pi", "--out", "a", "--name", "b"],
    );
    let run = folder.path().join("a/b");
    let first = files(&run);
    for (path, _) in
        first.iter().filter(|(path, _)| path.extension().is_some_and(|kind| kind == "csv" || kind == "html"))
    {
        std::fs::remove_file(path).unwrap();
    }
    let done = good(folder.path(), &["report", "a/b"]);
    assert!(done.stdout.lines().any(|line| line == "a/b/index.html"), "{}", done.stdout);
    assert!(files(&run) == first, "the same bytes again");
    let done = good(folder.path(), &["report", "a/b", "--out", "elsewhere"]);
    assert_eq!(done.stdout.lines().count(), 20, "{}", done.stdout);
    assert!(files(&run) == first, "the run is left alone");
    let html = |folder: &Path| std::fs::read(folder.join("index.html")).unwrap();
    assert!(html(&folder.path().join("elsewhere")) == html(&run));
}

#[test]
fn a_dataset_folder_brings_its_head_and_its_items() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = absolute("datasets/debug-flaky-cache");
    let done = good(folder.path(), &["run", "--transcripts", &dataset, "--strategy", "tail-only", "--window", "40000"]);
    assert_eq!(done.stderr, "");
    let run = folder.path().join("reports/run");
    let items = std::fs::read_to_string(run.join("items.csv")).unwrap();
    assert!(items.lines().count() > 5, "{items}");
    let manifest: serde_json::Value =
        serde_json::from_slice(&std::fs::read(run.join("manifest.json")).unwrap()).unwrap();
    assert!(manifest["transcripts"][0]["head_tokens"].as_u64().unwrap() > 0);
}

#[test]
fn without_a_command_the_default_experiment_runs() {
    let folder = tempfile::tempdir().unwrap();
    let done = good(folder.path(), &[]);
    assert!(done.stdout.contains("27 cells; report:\nreports/default/index.html"), "{}", done.stdout);
    let run = folder.path().join("reports/default");
    assert_eq!(names(&run), FILES);
    // Every estimator looked at every message once: its classes add up to the transcript.
    let text = |name: &str| std::fs::read_to_string(run.join(name)).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text("manifest.json")).unwrap();
    let mut sums: std::collections::BTreeMap<(String, String), u64> = std::collections::BTreeMap::new();
    for line in text("classes.jsonl").lines() {
        let one: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = |field: &str| one[field].as_str().unwrap().to_owned();
        *sums.entry((name("transcript"), name("estimator"))).or_default() += one["reference_tokens"].as_u64().unwrap();
    }
    // Three transcripts, and the estimators of Pi 1.6.0, Pi 0.58.3, the article and Deep Agents.
    assert_eq!(sums.len(), 3 * 4, "{sums:?}");
    for ((transcript, estimator), sum) in sums {
        let record = manifest["transcripts"].as_array().unwrap().iter().find(|one| one["name"] == transcript.as_str());
        assert_eq!(record.unwrap()["reference_tokens"], sum, "{transcript}, {estimator}");
    }
    // Money can be compared, by a price that is named.
    assert!(text("cells.jsonl").lines().all(|cell| cell.contains("\"price\":\"claude-sonnet-5-5\"")));
    assert!(text("index.html").contains("dollars by price row <code>claude-sonnet-5-5</code>"));
}
