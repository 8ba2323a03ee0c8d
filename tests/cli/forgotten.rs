//! The commands about what is forgotten: audit, annotate, templates.

use crate::{absolute, command, field_case, files, good, run};

#[test]
fn a_template_can_be_shown_and_used_as_a_file() {
    let shown = good(&["list", "templates", "--show", "codex"]);
    assert!(shown.starts_with("name = \"codex\"") && shown.contains("[[heading]]"), "{shown}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, shown.replace("## Remaining Work", "## Left To Do")).unwrap();
    let replayed = good(&["replay", "embedded:debug-flaky-cache", "--template", file.to_str().unwrap(), "--summaries"]);
    assert!(replayed.contains("## Left To Do") && !replayed.contains("## Remaining Work"), "{replayed}");
    let by_task = good(&["replay", "embedded:debug-flaky-cache", "--template", "by-task", "--summaries"]);
    assert!(by_task.contains("## Ruled Out"), "a debugging session gets the debugging template");
}

#[test]
fn a_template_that_is_none_is_refused_with_a_hint() {
    let unknown = run(&["list", "templates", "--show", "codx"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    assert!(unknown.stderr.contains("did you mean `codex`?"), "{}", unknown.stderr);
    let wrong = run(&["list", "presets", "--show", "codex"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("only templates"), "{}", wrong.stderr);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, "name = 'x'\nabout = 'y'\nsource = 'z'\n").unwrap();
    let broken = run(&["replay", "embedded:debug-flaky-cache", "--template", file.to_str().unwrap()]);
    assert!(broken.code == 2 && broken.stderr.contains("initial.prompt"), "{}", broken.stderr);
}

#[test]
fn the_embedded_items_are_valid_and_shown_in_their_context() {
    let shown = good(&["annotate", "embedded:debug-flaky-cache"]);
    for part in ["28 items, SHA-256 ", "goal-cause [goal, weight 1, critical", "  line ", "    > ", ": valid, "] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    let quiet = good(&["annotate", "embedded:debug-flaky-cache", "--quiet"]);
    assert!(quiet.lines().count() < shown.lines().count() / 3, "{quiet}");
}

#[test]
fn a_draft_is_valid_and_two_equal_files_agree() {
    let draft = good(&["annotate", "embedded:feature-offline-mode", "--draft"]);
    assert!(draft.contains("category = \"constraint\"") && draft.contains("category = \"artifact\""), "{draft}");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("items.toml");
    std::fs::write(&file, &draft).unwrap();
    let path = file.to_str().unwrap();
    let checked = good(&["annotate", "embedded:feature-offline-mode", "--items", path, "--against", path, "--quiet"]);
    assert!(checked.contains("valid") && checked.contains("Cohen's kappa 1.000"), "{checked}");
}

#[test]
fn faulty_items_name_the_item_and_what_was_expected() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("items.toml");
    let cases = [
        (
            r#"item = [{ id = "a", category = "goal", text = "", source = ["zz"], must = [["x"]] }]"#,
            "no entry has the id",
        ),
        (r#"item = [{ id = "a", category = "goal", text = "", source = [], must = [["x"]] }]"#, "it needs a source"),
        (r#"item = [{ id = "a", category = "aim", text = "" }]"#, "unknown variant `aim`"),
        (
            r#"item = [{ id = "a", category = "goal", text = "", source = ["8bc2c266"], must = [[" "]] }]"#,
            "a spelling is empty",
        ),
    ];
    for (toml, words) in cases {
        std::fs::write(&file, toml).unwrap();
        let done = run(&["annotate", "embedded:debug-flaky-cache", "--items", file.to_str().unwrap()]);
        assert_eq!(done.code, 5, "{toml}\n{}", done.stderr);
        assert!(done.stderr.contains(words) && done.stderr.contains("items.toml"), "{}", done.stderr);
    }
}

#[test]
fn an_audit_names_the_lines_and_hides_the_words() {
    let case = field_case("goal-loss-eight-facts");
    let page = good(&["audit", &case]);
    for part in ["### Compaction 1, after line", "| kind | facts |", "| path | 1 | 0 | 1 |", "fabrication_ratio"] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains("FEEDER_OFFLINE") && !page.contains("loader.rs"), "{page}");
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("audit");
    let printed = good(&["audit", &case, "--out", out.to_str().unwrap(), "--show-text"]);
    assert_eq!(printed.lines().count(), 3, "{printed}");
    let names: Vec<String> =
        files(&out).into_iter().map(|(path, _)| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["audit.md", "facts.csv", "measures.csv"]);
    let facts = std::fs::read_to_string(out.join("facts.csv")).unwrap();
    assert!(
        facts.contains("src/feeder/loader.rs") && facts.starts_with("session,compaction,kind,entity,source_line"),
        "{facts}"
    );
}

#[test]
fn a_session_without_compactions_is_void_not_perfect() {
    let page = good(&["audit", &absolute("datasets/debug-flaky-cache/session.jsonl")]);
    assert!(page.contains("Void: the session has no recorded compaction."), "{page}");
    let missing = command(std::path::Path::new("."), &["audit", "nowhere.jsonl"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(5));
}
