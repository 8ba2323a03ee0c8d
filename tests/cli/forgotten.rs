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

/// Audits a session of these lines; the page.
fn audited(lines: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (session, out) = (folder.path().join("session.jsonl"), folder.path().join("out"));
    std::fs::write(&session, lines.join("\n")).unwrap();
    good(&["audit", session.to_str().unwrap(), "--show-text", "--out", out.to_str().unwrap()]);
    std::fs::read_to_string(out.join("audit.md")).unwrap()
}

#[test]
fn a_summary_whose_source_is_in_another_file_is_accused_of_nothing() {
    let page = audited(&[
        r#"{"type":"system","uuid":"u1","parentUuid":null,"sessionId":"s","cwd":"/w","timestamp":"2026-01-05T09:00:01.000Z","subtype":"compact_boundary","content":"Conversation compacted","logicalParentUuid":"gone","compactMetadata":{"trigger":"auto","preTokens":150000}}"#,
        r#"{"type":"user","uuid":"u2","parentUuid":"u1","sessionId":"s","cwd":"/w","timestamp":"2026-01-05T09:00:02.000Z","message":{"role":"user","content":"Never touch src/pay/ledger.rs. Ticket T-77, limit 42 ms."},"isCompactSummary":true,"isVisibleInTranscriptOnly":true}"#,
        r#"{"type":"user","uuid":"u3","parentUuid":"u2","sessionId":"s","cwd":"/w","timestamp":"2026-01-05T09:00:03.000Z","message":{"role":"user","content":"go on"}}"#,
        r#"{"type":"assistant","uuid":"u4","parentUuid":"u3","sessionId":"s","cwd":"/w","timestamp":"2026-01-05T09:00:04.000Z","message":{"id":"m1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"yes"}],"stop_reason":"end_turn","usage":{"input_tokens":5,"output_tokens":3}},"requestId":"r1"}"#,
    ]);
    let void = "void: what the summary replaces is not in the file";
    for name in
        ["fabricated_count", "fabrication_ratio", "not_compressing_count", "kept_most_count", "unsupported_rules_count"]
    {
        assert!(page.contains(&format!("| {name} | {void} |")), "{name}\n{page}");
    }
    assert!(page.contains("Void: what it replaced is not in the file.") && !page.contains("T-77"), "{page}");
}

#[test]
fn a_name_of_a_branch_that_was_left_is_no_source() {
    let entry = |id: u8, parent: &str, message: &str| {
        format!(
            r#"{{"type":"message","id":"{id:08}","parentId":{parent},"timestamp":"2026-01-05T09:00:01.000Z","message":{message}}}"#
        )
    };
    let said = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#);
    let reply = r#"{"role":"assistant","content":[{"type":"text","text":"ok"}],"api":"a","provider":"p","model":"m","stopReason":"stop"}"#;
    let after = |code: &str| {
        let lines = [
            r#"{"type":"session","version":3,"id":"s","cwd":"/w"}"#.to_owned(),
            entry(1, "null", &said("base file src/base.rs ticket T-77")),
            entry(2, "\"00000001\"", reply),
            entry(3, "\"00000002\"", &said("way X code QX-91")),
            entry(4, "\"00000002\"", &said("way Y")),
            entry(5, "\"00000004\"", reply),
            entry(6, "\"00000005\"", &said("now")),
            format!(
                r#"{{"type":"compaction","id":"00000007","parentId":"00000006","timestamp":"2026-01-05T09:00:09.000Z","summary":"S: src/base.rs T-77 {code}","firstKeptEntryId":"00000006","tokensBefore":300}}"#
            ),
            entry(8, "\"00000007\"", &said("n")),
            entry(9, "\"00000008\"", reply),
        ];
        audited(&lines.each_ref().map(String::as_str))
    };
    for code in ["QX-91", "ZZ-91"] {
        let page = after(code);
        assert!(page.contains("| fabricated_count | 1.000 |"), "{code}\n{page}");
    }
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
