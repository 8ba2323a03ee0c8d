//! What is printed fits 80 columns, however long the names are; files hold the names in full.

use std::path::Path;

use crate::{Done, absolute, golden, run_in};

const LONG: &str =
    "a-session-of-a-project-whose-name-nobody-ever-thought-of-typing-by-hand-and-its-second-attempt-of-today";
const STRATEGY: &str = "a-strategy-with-every-parameter-in-its-name-threshold-12000-keep-3000-template-pi";

/// Runs, ends with `code`, prints nothing wider than a terminal, and shows both ends of the long names that `shown` begin with.
#[track_caller]
fn narrow(folder: &Path, arguments: &[&str], code: i32, shown: &[(&str, &str)]) -> Done {
    let done = run_in(folder, arguments);
    assert_eq!(done.code, code, "{arguments:?}\n{}\n{}", done.stdout, done.stderr);
    // A summary stands nowhere else, and is whole.
    for line in done.stdout.lines().filter(|line| !line.starts_with("    | ")) {
        assert!(line.chars().count() <= 80, "{} columns: {line}\n{arguments:?}", line.chars().count());
    }
    for (begin, end) in shown {
        let both = |word: &str| word.starts_with(begin) && word.ends_with(end) && word.contains('…');
        assert!(done.stdout.split_whitespace().any(both), "{begin}…{end}\n{}", done.stdout);
    }
    done
}

/// A folder with one session under a long name, and an experiment with a long strategy.
fn prepared() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let session = format!("{LONG}.jsonl");
    std::fs::copy(golden("repeated_compaction"), folder.path().join(&session)).unwrap();
    let experiment = format!(
        "name = \"long\"\ntranscripts = [{session:?}]\nmodels = [{{ name = \"12k\", window_tokens = 12000 }}]\n\
         [[strategies]]\nname = {STRATEGY:?}\n[strategies.stages]\nestimator = {{ kind = \"pi\" }}\ntrigger = {{ kind = \"pi\" }}\n\
         cut = {{ kind = \"pi\" }}\nsummarizer = {{ kind = \"pi\", template = \"pi\" }}\n"
    );
    std::fs::write(folder.path().join("experiment.toml"), experiment).unwrap();
    (folder, session)
}

#[test]
fn an_estimate_fits_and_its_tables_hold_the_whole_names() {
    let (folder, session) = prepared();
    let script = folder.path().join("a-program-that-counts-tokens-in-its-own-peculiar-way.sh");
    let body = "i=0; while read -r line; do echo \"{\\\"id\\\":$i,\\\"tokens\\\":10}\"; i=$((i+1)); done";
    std::fs::write(&script, body).unwrap();
    let program = format!("exec:sh {}", script.display());
    let estimators = format!("anchored:code-points/3.141592653589793,{program}");
    let arguments = ["estimate", &session, "--estimator", &estimators, "--out", "lab"];
    let done = narrow(folder.path(), &arguments, 0, &[("anchored:c", "589793")]);
    assert!(done.stdout.lines().any(|line| line.starts_with("exec:sh") && line.contains(".sh ")), "{}", done.stdout);
    let text = |name: &str| std::fs::read_to_string(folder.path().join("lab").join(name)).unwrap();
    assert!(
        text("errors.csv").contains(&program) && text("errors.csv").contains("anchored:code-points/3.141592653589793")
    );
    assert!(text("sessions.csv").contains(LONG));
}

#[test]
fn a_run_and_a_comparison_fit_and_their_tables_hold_the_whole_names() {
    let (folder, _) = prepared();
    let at = folder.path();
    narrow(
        at,
        &["run", "--config", "experiment.toml", "--probes"],
        0,
        &[("a-strategy", "e-pi"), ("a-strat", "plate-pi")],
    );
    let cells = std::fs::read_to_string(at.join("reports/long/cells.csv")).unwrap();
    assert!(cells.contains(STRATEGY) && cells.contains(LONG));
    // The same strategy, worse: everything that a compaction drops is gone.
    let worse = std::fs::read_to_string(at.join("experiment.toml")).unwrap().replace("\"long\"", "\"worse\"");
    std::fs::write(at.join("worse.toml"), worse.replace("cut = { kind = \"pi\" }", "cut = { kind = \"everything\" }"))
        .unwrap();
    narrow(at, &["run", "--config", "worse.toml"], 0, &[]);
    // One lineage proves nothing: inconclusive or void, in few columns.
    let done = run_in(at, &["compare", "reports/long", "reports/worse", "--gate", "prompt_tokens=1%"]);
    assert!([3, 4].contains(&done.code), "{}\n{}", done.stdout, done.stderr);
    narrow(
        at,
        &["compare", "reports/long", "reports/worse", "--gate", "prompt_tokens=1%"],
        done.code,
        &[("a-strategy", "-pi")],
    );
}

#[test]
fn a_dry_run_fits() {
    let (folder, _) = prepared();
    let arguments = ["run", "--config", "experiment.toml", "--probes", "--llm", "messages:claude-opus-5", "--dry-run"];
    let done = narrow(folder.path(), &arguments, 0, &[("a-strateg", "mplate-pi")]);
    let row = done.stdout.lines().find(|line| line.starts_with("a-strateg")).unwrap();
    assert_eq!(row.split_whitespace().count(), 7, "{}", done.stdout);
}

#[test]
fn a_path_is_as_long_as_it_is_on_a_line_of_its_own() {
    let (folder, _) = prepared();
    let done = run_in(folder.path(), &["run", "--config", "experiment.toml", "--out", LONG]);
    let wide: Vec<&str> = done.stdout.lines().filter(|line| line.chars().count() > 80).collect();
    assert_eq!(wide, [format!("{LONG}/long/index.html")], "{}", done.stdout);
}

#[test]
fn a_folder_cannot_forge_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let session = std::fs::read_to_string(golden("repeated_compaction")).unwrap();
    let forged = session.replacen("\"cwd\":\"", "\"cwd\":\"/a\\n  entries     0\\r  requests    0", 1);
    assert_ne!(forged, session);
    let kept = "\"firstKeptEntryId\":\"";
    let forged = forged.replacen(&format!("{kept}0000000b"), &format!("{kept}x\\n  findings    0"), 1);
    std::fs::write(folder.path().join("forged.jsonl"), forged).unwrap();
    let done = narrow(folder.path(), &["inspect", "forged.jsonl"], 0, &[]);
    assert!(done.stdout.contains("  folder      /a entries 0 requests 0"), "{}", done.stdout);
    let words = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("kept from x findings 0"), "{}", done.stdout);
    assert_eq!(done.stdout.lines().filter(|line| line.starts_with("  findings")).count(), 1, "{}", done.stdout);
    assert_eq!(done.stdout.lines().filter(|line| line.starts_with("  entries")).count(), 1, "{}", done.stdout);
}

#[test]
fn inspection_and_caches_fit() {
    let (folder, session) = prepared();
    let at = folder.path();
    for arguments in [
        &["inspect", &session][..],
        &["cache", &session, "--provider", "anthropic-5m"],
        &["cache", &session, "--provider", "anthropic-5m", "--requests"],
    ] {
        narrow(at, arguments, 0, &[("a-session-of", "attempt-of-today")]);
    }
    narrow(
        at,
        &["cache", &session, "--sweep", "12000,20000", "--provider", "anthropic-5m", "--price", "claude-opus-4-5"],
        0,
        &[("a-session-of", "today")],
    );
    let done = run_in(at, &["inspect", &session, "--json"]);
    assert!(done.stdout.contains(&format!("\"name\": \"{LONG}\"")), "{}", done.stdout);
    // Faults of a file, with long reasons.
    for case in ["enc-invalid-utf8.pi.jsonl", "tree-cycle-dup-missing.pi.jsonl", "bad-raw-newline.pi.jsonl"] {
        std::fs::copy(absolute(&format!("tests/field-cases/{case}")), at.join(case)).unwrap();
        narrow(at, &["inspect", case], 0, &[]);
        narrow(at, &["validate", case], 5, &[]);
        // A place is copied from the terminal, however long it is.
        let place = format!("{LONG}/{case}");
        std::fs::create_dir_all(at.join(LONG)).unwrap();
        std::fs::copy(at.join(case), at.join(&place)).unwrap();
        let done = run_in(at, &["validate", &place]);
        assert!(done.code == 5 && done.stdout.contains(&format!("\n  {place}:")), "{}", done.stdout);
    }
}

#[test]
fn a_replay_fits_with_the_reasons_of_its_voids() {
    let (folder, session) = prepared();
    let arguments = ["replay", &session, "--window", "30000", "--set", "trigger.reserve_tokens=16384", "--summaries"];
    let done = narrow(folder.path(), &arguments, 0, &[("a-session-of", "attempt-of-today")]);
    assert!(done.stdout.contains("pi[trigger.reserve_tokens=16384]"), "{}", done.stdout);
}

#[test]
fn lists_fit() {
    let folder = tempfile::tempdir().unwrap();
    narrow(folder.path(), &["list"], 0, &[]);
}
