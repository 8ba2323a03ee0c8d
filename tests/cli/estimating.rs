//! `estimate`: the table, the folder, calibration, a program as estimator, and what can be wrong.

use crate::{field_case, golden, good, names, run};

#[test]
fn the_table_fits_a_terminal_and_names_every_estimator() {
    let text = good(&["estimate", &golden("repeated_compaction"), "--estimator", "chars/4,bytes/4,anchored:bytes/4"]);
    assert!(text.starts_with("truth o200k_base, 1 session of 1 lineage\n"), "{text}");
    for name in ["chars/4", "utf16/4", "bytes/4", "anchored:bytes/4"].into_iter().skip(1) {
        assert!(text.lines().any(|line| line.starts_with(name)), "{name}\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn the_truth_has_no_error() {
    let text = good(&["estimate", &golden("unicode_and_json"), "--estimator", "o200k,chars/4"]);
    let row = text.lines().find(|line| line.starts_with("o200k_base")).unwrap();
    assert_eq!(row.split_whitespace().nth(1), Some("0.0"), "{row}");
}

#[test]
fn a_folder_holds_the_page_and_tidy_tables() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("lab");
    let arguments = ["estimate", &golden("branches"), &golden("unicode_and_json"), "--messages", "--out"];
    let done = run(&[&arguments[..], &[out.to_str().unwrap()]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    let expected = [
        "cuts.csv",
        "errors.csv",
        "index.html",
        "messages.csv",
        "requests.csv",
        "reserves.csv",
        "sessions.csv",
        "triggers.csv",
        "truth.csv",
    ];
    assert_eq!(names(&out), expected);
    for (path, bytes) in crate::files(&out).iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "csv"))
    {
        let text = std::str::from_utf8(bytes).unwrap();
        let columns = text.lines().next().unwrap().matches(',').count();
        assert!(text.lines().count() > 1, "{}", path.display());
        assert!(text.lines().all(|line| line.contains('"') || line.matches(',').count() == columns), "{text}");
    }
    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("http://") && !page.contains("<script"));
    // The same input gives the same bytes.
    let again = folder.path().join("again");
    assert_eq!(run(&[&arguments[..], &[again.to_str().unwrap()]].concat()).code, 0);
    let bytes = |folder: &std::path::Path| crate::files(folder).into_iter().map(|(_, bytes)| bytes).collect::<Vec<_>>();
    assert_eq!(bytes(&out), bytes(&again));
}

#[test]
fn recorded_usage_is_a_truth_and_says_what_it_leaves_out() {
    let text = good(&["estimate", &field_case("anchor-aborted"), "--truth", "recorded", "--estimator", "pi"]);
    assert!(text.contains("left out: 1 failed"), "{text}");
    assert!(text.contains("head inferred from the first recorded request in 1 session\n"), "{text}");
}

/// What the field cases ask to be said and not only to be left out: falls of usage, signatures, the parts of a head.
#[test]
fn what_is_not_in_an_estimate_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("lab");
    let tables = |case: &str, truth: &str| {
        let arguments = ["estimate", case, "--truth", truth, "--estimator", "pi,langchain", "--messages", "--out"];
        let done = run(&[&arguments[..], &[out.to_str().unwrap()]].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let text = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
        (done.stdout, text("truth.csv"), text("messages.csv"), text("sessions.csv"))
    };
    let (text, truth, _, sessions) = tables(&field_case("anchor-falls-without-compaction"), "recorded");
    assert!(text.contains("recorded usage falls once, by 37000 tokens at most, though nothing was"), "{text}");
    assert!(truth.lines().any(|line| line.ends_with(",23999,23999,0,0,1,usable,37000")), "{truth}");
    assert!(
        sessions.lines().next().unwrap().contains("messages_tokens,signature_characters,usage_falls_count"),
        "{sessions}"
    );
    let (text, _, messages, _) = tables(&field_case("est-thinking-signature"), "o200k");
    assert!(text.contains("signatures of reasoning: 4000 characters, in no estimate"), "{text}");
    let pi = messages.lines().find(|line| line.contains("Assistant") && line.contains(",pi-1.6.0,")).unwrap();
    assert!(pi.contains(",90,") && pi.ends_with(",4000,1090"), "{pi}");
    let (text, _, messages, _) =
        tables(&crate::absolute("tests/field-cases/overhead-tools-not-counted.openai.json"), "o200k");
    assert!(text.contains("heads in 1 session: system prompts 7 tokens, tools 960 as JSON"), "{text}");
    assert!(messages.lines().skip(1).all(|line| line.ends_with(",0,")), "{messages}");
    let (_, _, messages, _) = tables(&crate::absolute("tests/field-cases/est-cjk.openai.json"), "o200k");
    // 63 for 174: 0.638 too few.
    assert!(messages.lines().any(|line| line.contains(",chinese,174,pi-1.6.0,63,-0.637931,")), "{messages}");
}

#[test]
fn calibration_needs_two_lineages_and_prints_its_coefficients() {
    let one = run(&["estimate", &golden("branches"), "--calibrate"]);
    assert!(one.code == 2 && one.stderr.contains("two lineages or more"), "{}", one.stderr);
    let sessions = ["embedded:chinese-invoice", "embedded:debug-flaky-cache", "embedded:feature-offline-mode"];
    let done = run(&[&["estimate"], &sessions[..], &["--estimator", "chars/4", "--calibrate"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("kind = \"calibrated\"") && done.stderr.contains("cjk = "), "{}", done.stderr);
    assert!(done.stdout.lines().any(|line| line.starts_with("calibrated")), "{}", done.stdout);
}

#[test]
fn a_program_is_an_estimator_and_its_faults_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("count.sh");
    let body = "i=0; while read -r line; do echo \"{\\\"id\\\":$i,\\\"tokens\\\":10}\"; i=$((i+1)); done";
    std::fs::write(&script, body).unwrap();
    let name = format!("exec:sh {}", script.display());
    let text = good(&["estimate", &golden("branches"), "--estimator", &name]);
    assert!(text.lines().any(|line| line.starts_with("exec:sh")), "{text}");
    std::fs::write(&script, "cat >/dev/null; echo '{\"id\":0,\"error\":\"no model\"}'").unwrap();
    let done = run(&["estimate", &golden("branches"), "--estimator", &name]);
    assert!(done.code == 2 && done.stderr.contains("no model"), "{}", done.stderr);
}

#[test]
fn what_is_not_there_is_said_with_what_there_is() {
    let done = run(&["estimate", &golden("branches"), "--estimator", "words"]);
    assert!(
        done.code == 2 && done.stderr.contains("no estimator is called \"words\"; there are chars/4"),
        "{}",
        done.stderr
    );
    let done = run(&["estimate", &golden("branches"), "--truth", "nothing.json"]);
    assert!(done.code == 2 && done.stderr.contains("tokenizer.json"), "{}", done.stderr);
}
