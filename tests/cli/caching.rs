//! `cutpoint cache`.

use crate::{absolute, good, names, run, run_in};

fn requests(name: &str) -> String {
    absolute(&format!("tests/field-cases/{name}.requests.json"))
}

/// The simulated reads of a table of requests.
fn reads(printed: &str) -> Vec<u64> {
    let rows = printed.lines().skip_while(|line| !line.starts_with("request")).skip(1);
    rows.map(|row| row.split_whitespace().nth(4).unwrap().parse().unwrap()).collect()
}

#[test]
fn request_bodies_of_a_file_share_a_cache() {
    let printed = good(&["cache", &requests("cache-clock-in-system")]);
    assert_eq!(printed.matches("system_changed").count(), 2, "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
    assert!(good(&["cache", &requests("cache-moved-block")]).contains("block_moved"));
    assert_eq!(good(&["cache", &requests("cache-tool-order")]).matches("tool_order").count(), 3);
    let hits = |lifetime: &str, refresh: &str, name: &str| -> Vec<bool> {
        let rules = ["--provider", "anthropic-5m", "--minimum", "1", "--lifetime", lifetime, "--refresh", refresh];
        let file = requests(name);
        let mut arguments = vec!["cache", &*file];
        arguments.extend(rules);
        reads(&good(&arguments)).iter().map(|&read| read > 0).collect()
    };
    assert_eq!(hits("300", "marked", "cache-ttl"), [false, false, true, false]);
    assert_eq!(hits("3600", "marked", "cache-ttl"), [false, true, true, true]);
    assert_eq!(hits("300", "marked", "cache-ttl-refresh"), [false, true, true, true, false]);
    assert_eq!(hits("300", "never", "cache-ttl-refresh"), [false, true, false, true, false]);
}

#[test]
fn recorded_usage_is_compared_and_priced() {
    let case = absolute("tests/field-cases/cost-1h-writes.claude.jsonl");
    let folder = tempfile::tempdir().unwrap();
    let prices = folder.path().join("prices.toml");
    let row = "[[row]]\nname = 'case'\nmodels = ['model-b']\ninput = 3.0\nread = 0.3\nwrite = 3.75\nwrite_long = 6.0\n\
               output = 15.0\nsource = 'the case'\ndate = '2026-01-05'\n";
    std::fs::write(&prices, row).unwrap();
    let arguments =
        ["cache", &case, "--provider", "anthropic-5m", "--prices", prices.to_str().unwrap(), "--out", "out"];
    let done = run_in(folder.path(), &arguments);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{}", done.stdout);
    assert!(done.stdout.contains("$2.5500 by recorded usage"), "{}", done.stdout);
    assert!(done.stdout.contains("prices: case"), "{}", done.stdout);
    let written = names(&folder.path().join("out"));
    assert!(["cache-requests.csv", "cache-sessions.csv"].iter().all(|file| written.iter().any(|name| name == file)));
}

#[test]
fn what_is_not_known_is_said() {
    let case = absolute("tests/field-cases/cost-1h-writes.claude.jsonl");
    let done = run(&["cache", &case]);
    assert_eq!(done.code, 2, "{}", done.stdout);
    assert!(done.stderr.contains("no cache is known for the model \"model-b\""), "{}", done.stderr);
    assert!(done.stderr.contains("hint: choose one with --provider"), "{}", done.stderr);
    let done = run(&["cache", &case, "--provider", "nobody"]);
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("there are anthropic-5m"), "{}", done.stderr);
    let printed = good(&["cache", &case, "--provider", "anthropic-5m"]);
    assert!(printed.contains("none: no price of \"model-b\" is known"), "{printed}");
    let bad = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(bad.path(), "[[row]]\nname = 'x'\n").unwrap();
    let done = run(&["cache", &case, "--provider", "anthropic-5m", "--prices", bad.path().to_str().unwrap()]);
    assert_eq!(done.code, 2);
    assert!(done.stderr.contains("hint: a row has name, models"), "{}", done.stderr);
}

#[test]
fn a_threshold_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = ["cache", "embedded:debug-flaky-cache", "--sweep", "30000,60000", "--price", "claude-opus-4-5"];
    let done = run_in(folder.path(), &[&sweep[..], &["--provider", "anthropic-5m", "--out", "out"]].concat());
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{}", done.stdout);
    assert!(done.stdout.contains("MOCK") && done.stdout.contains("never"), "{}", done.stdout);
    assert_eq!(done.stdout.matches(" *\n").count(), 1, "{}", done.stdout);
    assert!(
        names(&folder.path().join("out")).starts_with(&["break-even-1.svg".to_owned(), "cache-sweep.csv".to_owned()])
    );
    let unpriced = run(&["cache", "embedded:debug-flaky-cache", "--sweep", "30000", "--price", "nobody"]);
    assert_eq!(unpriced.code, 2);
    assert!(unpriced.stderr.contains("no price is called \"nobody\""), "{}", unpriced.stderr);
}

#[test]
fn caches_are_listed() {
    assert!(good(&["list", "caches"]).contains("openai-5.6"));
}
