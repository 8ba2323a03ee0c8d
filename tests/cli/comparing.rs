//! `compare` and `baseline`: the verdicts as exit codes, and the recipe of the documentation.

use std::path::Path;

use crate::{Done, absolute, golden, run_in};

#[track_caller]
fn good(folder: &Path, arguments: &[&str]) -> Done {
    let done = run_in(folder, arguments);
    assert_eq!(done.code, 0, "{arguments:?}\n{}\n{}", done.stdout, done.stderr);
    done
}

/// An experiment whose only strategy is Pi's with a cut and a template, on the program's own datasets.
fn experiment(folder: &Path, cut: &str, template: &str) {
    let text = format!(
        "name = \"head\"\nmodels = [{{ name = \"40k\", window_tokens = 40000 }}]\n\
         [[strategies]]\nname = \"ours\"\n[strategies.stages]\nestimator = {{ kind = \"pi\" }}\ntrigger = {{ kind = \"pi\" }}\n\
         cut = {{ kind = {cut:?} }}\nsummarizer = {{ kind = \"pi\", template = {template:?} }}\n"
    );
    std::fs::write(folder.join("experiment.toml"), text).unwrap();
}

/// The recipe: a baseline of the main branch, a run of the head, a comparison with files for the pull request.
#[test]
fn the_recipe_stops_a_template_that_drops_constraints() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    experiment(at, "everything", "pi");
    good(at, &["run", "--config", "experiment.toml"]);
    let done = good(at, &["baseline", "save", "reports/head", "main", "--small"]);
    assert_eq!(done.stdout, "baselines/main: 3 cells\n");
    let done = good(at, &["baseline", "list"]);
    assert!(done.stdout.starts_with("main ") && done.stdout.contains("3 cells, 3 transcripts"), "{}", done.stdout);
    let taken = run_in(at, &["baseline", "save", "reports/head", "main"]);
    assert!(taken.code == 2 && taken.stderr.contains("--force"), "{}", taken.stderr);
    // Nothing changed.
    let done = good(at, &["compare", "baseline:main", "reports/head"]);
    assert!(done.stdout.starts_with("PASS: "), "{}", done.stdout);
    // Someone takes one heading out of the summary: what the person ruled is no longer asked for.
    let pi = good(at, &["list", "templates", "--show", "pi"]).stdout;
    let headings: Vec<&str> = pi.split("[[heading]]").skip(1).collect();
    let kept: Vec<&str> = headings.iter().copied().filter(|heading| !heading.contains("## Constraints")).collect();
    assert_eq!(kept.len() + 1, headings.len());
    let about = "name = \"short\"\nabout = \"no rules\"\nsource = \"a test\"\nextends = \"pi\"\n\n[[heading]]";
    std::fs::write(at.join("short.toml"), about.to_owned() + &kept.join("[[heading]]")).unwrap();
    experiment(at, "everything", "short.toml");
    good(at, &["run", "--config", "experiment.toml"]);
    let files = ["--markdown", "comment.md", "--junit", "junit.xml", "--json", "verdict.json"];
    let done = run_in(at, &[&["compare", "baseline:main", "reports/head"][..], &files].concat());
    assert_eq!(done.code, 1, "{}\n{}", done.stdout, done.stderr);
    assert_eq!(done.stderr, "");
    assert!(done.stdout.contains("CRITICAL ours"), "{}", done.stdout);
    assert!(done.stdout.contains("summarizer.template: \"pi\" → "), "{}", done.stdout);
    assert!(done.stdout.lines().all(|line| line.chars().count() <= 80), "{}", done.stdout);
    let text = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
    assert!(text("comment.md").contains("❌ Compaction: regress"), "{}", text("comment.md"));
    assert!(text("junit.xml").contains("<failure"), "{}", text("junit.xml"));
    let verdict: serde_json::Value = serde_json::from_str(&text("verdict.json")).unwrap();
    assert_eq!(verdict["verdict"], "regress");
    assert!(verdict["newly_lost"][0]["lines"][0].as_u64().unwrap() > 0);
    // The report of both says the same, and leads to the line; it decides nothing, so it ends with 0.
    let done = good(at, &["report", "reports/head", "--against", "baseline:main", "--out", "both"]);
    assert!(done.stdout.starts_with("REGRESS: ") && done.stdout.ends_with("both/report.md\n"), "{}", done.stdout);
    let page = text("both/index.html");
    assert!(page.contains("<section id=\"against\"") && page.contains("✕ regress"));
    let line = &verdict["newly_lost"][0]["lines"][0];
    assert!(page.contains(&format!(">line {line}</a>")), "line {line}");
    let done = run_in(at, &["report", "reports/head", "--gate", "goal_loss=0.02"]);
    assert!(done.code == 2 && done.stderr.contains("--against"), "{}", done.stderr);
}

/// The script of the action, as a job runs it.
#[test]
fn the_action_ends_as_the_comparison_does() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    experiment(at, "pi", "pi");
    good(at, &["run", "--config", "experiment.toml", "--out", "cutpoint-reports"]);
    good(at, &["baseline", "save", "cutpoint-reports/head", "main"]);
    let job = |inconclusive: &str| {
        let done = std::process::Command::new("bash")
            .arg(absolute("scripts/ci/compare.sh"))
            .current_dir(at)
            .env("CUTPOINT", env!("CARGO_BIN_EXE_cutpoint"))
            .env("INCONCLUSIVE", inconclusive)
            .env("GITHUB_OUTPUT", at.join("output"))
            .env("GITHUB_STEP_SUMMARY", at.join("summary.md"))
            .output()
            .unwrap();
        done.status.code().unwrap()
    };
    let output = || std::fs::read_to_string(at.join("output")).unwrap();
    assert_eq!((job("fail"), output().as_str()), (0, "verdict=pass\n"));
    // Other numbers, no critical item lost, three lineages: nobody can tell.
    experiment(at, "pi", "pi-three-part");
    good(at, &["run", "--config", "experiment.toml", "--out", "cutpoint-reports"]);
    let (strict, lenient) = (job("fail"), job("warn"));
    let summary = std::fs::read_to_string(at.join("summary.md")).unwrap();
    assert_eq!((strict, lenient), (3, 0), "{summary}");
    assert_eq!(output(), "verdict=pass\nverdict=inconclusive\nverdict=inconclusive\n");
}

#[test]
fn thresholds_are_chosen_on_one_half_and_confirmed_on_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let sessions =
        ["repeated_compaction", "every_entry_type", "context_edits", "branches", "carried_files"].map(golden);
    let mut arguments = vec![
        "tune",
        "--window",
        "12000",
        "--share",
        "0.5,0.9",
        "--keep",
        "1000,4000",
        "--by",
        "prompt_tokens",
        "--transcripts",
    ];
    arguments.extend(sessions.iter().map(String::as_str));
    let done = run_in(folder.path(), &arguments);
    // Two lineages confirm: no interval, so nothing is confirmed.
    assert_eq!(done.code, 3, "{}\n{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("Chosen: share "), "{}", done.stdout);
    assert!(
        done.stdout.contains("on the 3 lineages that chose") && done.stdout.contains("no interval: 2 units"),
        "{}",
        done.stdout
    );
    assert!(done.stdout.contains("Cannot be told apart, the next-best first: 3"), "{}", done.stdout);
}

#[test]
fn a_search_without_numbers_is_void_and_one_on_a_single_session_cannot_tell() {
    let folder = tempfile::tempdir().unwrap();
    let tune = |window: &str, by: &str| {
        let session = golden("repeated_compaction");
        let rest = ["--share", "0.5", "--keep", "1000,4000", "--by", by, "--transcripts", &session];
        run_in(folder.path(), &[&["tune", "--window", window], &rest[..]].concat())
    };
    // Nobody annotated the session, so that no candidate has a goal-loss.
    let void = tune("12000", "goal_loss");
    assert_eq!(void.code, 4, "{}", void.stderr);
    assert!(void.stderr.contains("error: 0 lineages have a number"), "{}", void.stderr);
    assert!(void.stderr.contains("hint: name more sessions"), "{}", void.stderr);
    let one = tune("12000", "prompt_tokens");
    assert_eq!(one.code, 3, "{}", one.stderr);
    assert!(one.stderr.contains("error: 1 lineages have a number"), "{}", one.stderr);
    let unknown = tune("12000", "nobody");
    assert_eq!(unknown.code, 2, "{}", unknown.stderr);
    assert!(unknown.stderr.contains("hint: `cutpoint list measures`"), "{}", unknown.stderr);
}

#[test]
fn three_transcripts_cannot_tell() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (name, window) in [("a", "64000"), ("b", "64000")] {
        good(at, &["run", "--strategy", "pi,pi-article", "--window", window, "--name", name]);
    }
    // Deep Agents' numbers differ from Pi's; with no critical item in the way, three lineages decide nothing.
    let done = run_in(at, &["compare", "a", "b"].map(|part| if part == "compare" { part } else { "reports/x" }));
    assert_eq!(done.code, 5, "{}", done.stderr);
    let done = run_in(
        at,
        &["compare", "reports/a", "reports/b", "--strategies", "pi-article,pi", "--gate", "prompt_tokens=1%"],
    );
    assert_eq!(done.code, 3, "{}\n{}", done.stdout, done.stderr);
    assert!(done.stdout.contains("3 lineages cannot be significant; it takes 6"), "{}", done.stdout);
}

#[test]
fn nothing_compacted_is_void_and_wrong_gates_are_usage() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    good(at, &["run", "--strategy", "none", "--name", "a", "--transcripts", &absolute("datasets/debug-flaky-cache")]);
    let done = run_in(at, &["compare", "reports/a", "reports/a"]);
    assert_eq!(done.code, 4, "{}\n{}", done.stdout, done.stderr);
    assert!(done.stdout.starts_with("VOID: "), "{}", done.stdout);
    let done = run_in(at, &["compare", "reports/a", "reports/a", "--gate", "goal_los=1"]);
    assert!(done.code == 2 && done.stderr.contains("did you mean \"goal_loss\"?"), "{}", done.stderr);
    let done = run_in(at, &["compare", "reports/a", "reports/a", "--gate", "goal_loss"]);
    assert!(done.code == 2 && done.stderr.contains("is no gate"), "{}", done.stderr);
    let done = run_in(at, &["compare", "reports/a", &golden("branches")]);
    assert_eq!(done.code, 5, "{}", done.stderr);
}
