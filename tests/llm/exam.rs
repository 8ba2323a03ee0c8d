//! Probes and next actions, with the mock and against a server on this machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::chat;
use super::commands::{cells, cutpoint, run};
use super::stub::{Act, Stub};

fn measure(cell: &Value, name: &str) -> Option<f64> {
    cell["measures"][name]["value"].as_f64()
}

/// Verdicts of a probe by condition and run.
fn verdicts(cell: &Value, probe: &str) -> Vec<String> {
    let probes = cell["exam"]["probes"].as_array().unwrap();
    let probe = probes.iter().find(|one| one["probe"] == probe).unwrap_or_else(|| panic!("{probe} is not asked"));
    let answers = probe["answers"].as_array().unwrap().iter();
    answers
        .map(|answer| format!("{} {}", answer["condition"].as_str().unwrap(), answer["verdict"].as_str().unwrap()))
        .collect()
}

#[test]
fn the_mock_answers_from_what_it_sees() {
    let folder = tempfile::tempdir().unwrap();
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/debug-flaky-cache");
    let fixed =
        ["run", "--transcripts", session.to_str().unwrap(), "--strategy", "pi,tail-only,none", "--name", "mock"];
    let done = cutpoint(folder.path(), &[&fixed[..], &["--probes=search"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.contains("answered by mock, a MOCK"), "{}", done.stdout);
    let cells: BTreeMap<String, Value> = cells(folder.path(), "mock")
        .into_iter()
        .map(|cell| (cell["strategy"].as_str().unwrap().to_owned(), cell))
        .collect();
    let none = &cells["none"];
    assert_eq!(none["exam"]["void"], "less than 5 % of the window was dropped");
    assert!(none["measures"]["probe_loss"]["void"].is_string() && none["exam"]["probes"].is_null());
    for strategy in ["pi", "tail-only"] {
        let cell = &cells[strategy];
        assert_eq!(cell["exam"]["mock"], true);
        assert_eq!(cell["exam"]["bank_sha256"].as_str().unwrap().len(), 64);
        assert_eq!(measure(cell, "probe_empty_accuracy"), Some(0.0), "nothing is known from nothing");
        assert!(measure(cell, "probe_false_recall_ratio").unwrap() < 1.0);
        assert!(measure(cell, "probe_full_accuracy").unwrap() > 0.2, "{strategy}: {}", cell["measures"]);
        assert_eq!(measure(cell, "next_action_asked_count"), Some(3.0));
        let kinds: Vec<&str> =
            cell["exam"]["probes"].as_array().unwrap().iter().map(|probe| probe["kind"].as_str().unwrap()).collect();
        assert!(
            ["recall", "artifact", "decision", "constraint", "negative"].iter().all(|kind| kinds.contains(kind)),
            "{kinds:?}"
        );
    }
    assert!(measure(&cells["tail-only"], "probe_recovery_gain").unwrap() > 0.0, "the dropped part can be searched");
    let [pi, tail] = ["pi", "tail-only"].map(|strategy| measure(&cells[strategy], "probe_effect_retention").unwrap());
    assert!(pi > tail, "a summary retains something: {pi} {tail}");
    let rows = fs::read_to_string(folder.path().join("reports/mock/probes.csv")).unwrap();
    assert!(rows.contains(",search,0,") && rows.contains(",full,2,"), "{rows}");
    assert!(fs::read_to_string(folder.path().join("reports/mock/next_actions.csv")).unwrap().contains(",view,"));
}

/// A reader that knows two values where they stand, and names calls in three ways.
fn reader(number: usize, prompt: &str) -> String {
    let Some((context, question)) = prompt.split_once("\n</conversation>\n") else { return String::new() };
    if question.contains("\n<tools>\n") {
        let said = [
            "{\"tool\": \"no_such_tool\"}",
            "I would rather not.",
            "```json\n{\"name\": \"bash\", \"input\": {}}\n```",
        ];
        return said[number % 3].to_owned();
    }
    if !question.contains("<question>\n") {
        return "## Goal\nBefore the fix tests.test_ttl failed for 22 of 60 seeds.".to_owned();
    }
    let known = [
        ("Before the fix tests.test_ttl failed", "22 of 60"),
        ("Before the fix tests.test_refresh failed", "19 of 60"),
    ];
    let found = known.iter().find(|(asked, value)| question.contains(asked) && context.contains(value));
    found.map_or_else(|| "ANSWER: NOT KNOWN".to_owned(), |(_, value)| format!("I see.\nANSWER: {value}"))
}

fn prompt_of(body: &Value) -> String {
    body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_real_reader_is_asked_through_the_store_and_replayed_without_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::new(|number, asked| Act::json(&chat(&reader(number, &prompt_of(&asked.body)))));
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/debug-flaky-cache");
    let toml = format!(
        "name = 'real'\ntranscripts = ['{}']\nstrategies = ['pi']\nreplicates = 1\n[probes]\nper_kind = 30\n\
         [llm]\napi = 'chat'\nmodel = 'm-1'\nstream = false\nbase_url = '{}'\nkey_env = 'STUB_KEY'\n",
        session.display(),
        stub.url
    );
    fs::write(folder.path().join("real.toml"), toml).unwrap();
    let ask = |more: &[&str]| cutpoint(folder.path(), &[&["run", "--config", "real.toml"], more].concat());
    let done = ask(&[]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let cell = &cells(folder.path(), "real")[0];
    assert_eq!((&cell["exam"]["reader"], &cell["exam"]["mock"]), (&Value::from("chat:m-1"), &Value::from(false)));
    // The summary keeps the first value and loses the second; with the whole history both are there.
    let full = ["full right"; 3];
    let empty = ["empty abstained"; 3];
    let expected = |view: &'static str| [&full[..], &empty[..], &[view]].concat();
    assert_eq!(verdicts(cell, "value-ttl-failures"), expected("view right"));
    assert_eq!(verdicts(cell, "value-refresh-failures"), expected("view abstained"));
    let why = cell["measures"]["probe_effect_retention"]["void"].as_str().unwrap();
    assert!(why.contains("0.2 are needed"), "two answers of so many are too few to tell: {why}");
    assert_eq!(measure(cell, "probe_kept_count"), Some(2.0));
    let actions = cell["exam"]["actions"].as_array().unwrap();
    assert_eq!(actions.len(), 6, "three calls, with the context and with the whole history");
    assert!(actions.iter().all(|action| action["verdict"] != "agrees"));
    let asked = stub.asked();
    let prompts: Vec<String> = asked.iter().map(|asked| prompt_of(&asked.body)).collect();
    assert!(prompts.iter().all(|prompt| prompt.matches("<question>").count() <= 1), "one question per call");
    let is_exam = |prompt: &&String| prompt.contains("\n<question>\n") || prompt.contains("\n<tools>\n");
    assert_eq!(cell["exam"]["requests_count"], prompts.iter().filter(is_exam).count());
    let read = || fs::read(folder.path().join("reports/real/cells.jsonl")).unwrap();
    let before = read();
    let done = ask(&["--llm-mode", "replay", "--fresh"]);
    assert_eq!((done.code, stub.asked().len()), (0, asked.len()), "{}", done.stderr);
    assert!(read() == before, "a replay gives the same bytes");
}

#[test]
fn a_dry_run_counts_the_questions() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::acts(vec![Act::json(&chat("never"))]);
    let calls = |more: &[&str]| -> u64 {
        let done = run(
            folder.path(),
            &stub,
            "dry",
            &[&["--strategy", "pi", "--llm-replicates", "1", "--dry-run"], more].concat(),
        );
        assert_eq!(done.code, 0, "{}", done.stderr);
        let row = done.stdout.lines().find(|line| line.starts_with("pi ")).unwrap().to_owned();
        row.split_whitespace().nth(2).unwrap().parse().unwrap()
    };
    let (plain, asked, searched) = (calls(&[]), calls(&["--probes"]), calls(&["--probes=search"]));
    assert!(plain >= 1 && asked > plain + 50 && searched > asked, "{plain} {asked} {searched}");
    assert_eq!(stub.asked().len(), 0);
}
