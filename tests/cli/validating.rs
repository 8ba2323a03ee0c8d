//! `validate`, and `--strict` of the commands that read.

use std::fs;

use serde_json::Value;

use crate::{absolute, field_case, golden, good, run, run_in};

#[test]
fn sound_files_are_counted_and_nothing_more() {
    let text = good(&["validate", &golden("branches"), &field_case("enc-bom-crlf"), "embedded:chinese-invoice"]);
    assert_eq!(text, "3 files read, 0 with findings\n");
}

#[test]
fn findings_have_line_column_and_kind() {
    let done = run(&["validate", &field_case("enc-invalid-utf8"), &field_case("bad-raw-newline")]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    // Byte 813 of the first file is the first bad one, on line 4.
    let bytes = fs::read(field_case("enc-invalid-utf8")).unwrap();
    let column = 813 - bytes[..813].iter().rposition(|&byte| byte == b'\n').unwrap();
    // Where the place is long, the rest goes on below.
    let text = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = |place: &str, kind: &str| assert!(text.contains(&format!("{place} {kind} ")), "{text}");
    found(&format!("{}:4:{column}", field_case("enc-invalid-utf8")), "invalid-utf8");
    // The record breaks at the end of line 3, whose text is 148 bytes.
    let whole = fs::read_to_string(field_case("bad-raw-newline")).unwrap();
    let end = whole.lines().nth(2).unwrap().len() + 1;
    found(&format!("{}:3:{end}", field_case("bad-raw-newline")), "raw-newline");
    assert!(done.stdout.contains("2 files read, 2 with findings ("), "{}", done.stdout);
    assert!(done.stderr.starts_with("error: ") && done.stderr.contains("in 2 files"), "{}", done.stderr);
}

#[test]
fn a_folder_is_read_in_order_and_strange_files_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    for (from, to) in [("branches", "b.jsonl"), ("trailing_tool_results", "sub/a.jsonl")] {
        fs::copy(golden(from), folder.path().join(to)).unwrap();
    }
    fs::write(folder.path().join("notes.txt"), "nothing to see").unwrap();
    fs::write(folder.path().join("empty.jsonl"), "").unwrap();
    let root = folder.path().to_str().unwrap();
    assert_eq!(
        good(&["validate", root]),
        "2 files read, 0 with findings\n0 files unreadable, 2 files of no known format\n"
    );
    let json: Value = serde_json::from_str(&good(&["validate", root, "--json"])).unwrap();
    let files = json["files"].as_array().unwrap();
    let names: Vec<&str> =
        files.iter().map(|file| file["path"].as_str().unwrap().rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["b.jsonl", "empty.jsonl", "notes.txt", "a.jsonl"]);
    assert_eq!((&files[0]["format"], &files[0]["findings"]), (&Value::from("pi"), &Value::Array(vec![])));
    assert!(files[2]["unknown"].as_str().unwrap().contains("notes.txt"));
    let rows = good(&["validate", root, "--csv"]);
    let unknown: Vec<&str> = rows.lines().filter(|row| row.contains(",,,,,unknown,")).collect();
    assert!(unknown.len() == 2 && unknown[1].contains("notes.txt"), "{rows}");
    // Nothing of a row is a formula.
    fs::write(folder.path().join("=1.txt"), "nothing to see").unwrap();
    let done = run_in(folder.path(), &["validate", "=1.txt", "--csv"]);
    assert!(done.stdout.contains(",unreadable,\"'=1.txt: "), "{}", done.stdout);
}

#[test]
fn json_says_what_the_table_says() {
    let done = run(&["validate", "--json", &field_case("tree-cycle-dup-missing"), &field_case("fmt-empty")]);
    assert_eq!(done.code, 5);
    let json: Value = serde_json::from_str(&done.stdout).unwrap();
    let findings = json["files"][0]["findings"].as_array().unwrap();
    let kinds: Vec<&str> = findings.iter().map(|finding| finding["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["parent-cycle", "duplicate-id", "parent-cycle", "missing-parent"]);
    assert!(json["files"][1]["error"].as_str().unwrap().contains("empty"));
}

#[test]
fn a_csv_row_has_file_line_and_column() {
    let file = field_case("enc-invalid-utf8");
    let done = run(&["validate", "--csv", &file]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    let rows: Vec<Vec<&str>> = done.stdout.lines().map(|line| line.splitn(7, ',').collect()).collect();
    assert_eq!(rows[0], ["file", "line", "last_line", "column", "byte_offset", "kind", "message"]);
    let bad = rows.iter().find(|row| row[5] == "invalid-utf8").unwrap();
    assert_eq!((bad[0], bad[1], bad[4]), (&*file, "4", "813"));
}

/// One file of several formats for each way in which calls and results do not pair up: what is found, and where.
#[test]
fn calls_and_results_that_do_not_pair_up_are_flagged() {
    let folder = tempfile::tempdir().unwrap();
    let pi = |id: u32, message: &str| {
        let parent = if id == 1 { "null".to_owned() } else { format!("\"{:08}\"", id - 1) };
        format!(r#"{{"type":"message","id":"{id:08}","parentId":{parent},"message":{message}}}"#)
    };
    let call = r#"{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{}},{"type":"toolCall","id":"c2","name":"read","arguments":{}}],"api":"a","provider":"p","model":"m","stopReason":"toolUse"}"#;
    let result = |id: &str| format!(r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"read","content":"x"}}"#);
    let header = r#"{"type":"session","version":3,"id":"s","cwd":"/"}"#.to_owned();
    let session = |messages: &[&str]| {
        let entries = messages.iter().zip(1..).map(|(message, id)| pi(id, message));
        std::iter::once(header.clone()).chain(entries).collect::<Vec<_>>().join("\n")
    };
    let (one, two, user) = (result("c1"), result("c2"), r#"{"role":"user","content":"Go."}"#);
    let cases = [
        ("whole", session(&[user, call, &two, &one, user]), vec![]),
        ("half", session(&[user, call, &two, user]), vec![(3, "unanswered-call")]),
        ("end", session(&[user, call, &one]), vec![(3, "unanswered-call")]),
        ("late", session(&[user, call, &one, user, &two]), vec![(3, "unanswered-call"), (6, "orphan-result")]),
        ("twice", session(&[user, call, &one, &one, &two]), vec![(5, "orphan-result")]),
        ("none", session(&[user, &one]), vec![(3, "orphan-result")]),
    ];
    for (name, text, expected) in cases {
        let path = folder.path().join(format!("{name}.jsonl"));
        fs::write(&path, text).unwrap();
        assert_eq!(flagged(path.to_str().unwrap()), expected, "{name}");
    }
    // Two replies before their results, in one document on one line; a compaction that keeps results without their call.
    let partial = absolute("tests/field-cases/orphan-partial-match.openai.json");
    assert_eq!(flagged(&partial), [(1, "unanswered-call"), (1, "orphan-result")]);
    // Of two results on one line the one is told by the importer, the other is not.
    let call = |id: &str| format!(r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}"#);
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"1"}}"#);
    let mixed = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"u"}},{{"role":"assistant","content":null,"tool_calls":[{},{}]}},{},{{"role":"user","content":"wait"}},{},{},{{"role":"assistant","content":"end"}}]}}"#,
        call("A1"),
        call("A2"),
        result("A2"),
        result("A1"),
        result("A9")
    );
    for (name, text) in [("line", mixed.clone()), ("lines", mixed.replace("},{\"role", "},\n{\"role"))] {
        let path = folder.path().join(format!("mixed-{name}.json"));
        fs::write(&path, text).unwrap();
        let found = run(&["validate", "--json", path.to_str().unwrap()]).stdout;
        let json: Value = serde_json::from_str(&found).unwrap();
        let kinds = json["files"][0]["findings"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap());
        let mut kinds: Vec<&str> = kinds.collect();
        kinds.sort_unstable();
        assert_eq!(kinds, ["missing-target", "orphan-result", "unanswered-call"], "{name}");
    }
    let kept = flagged(&field_case("orphan-first-kept-is-result"));
    assert!(!kept.is_empty() && kept.iter().all(|(_, kind)| *kind == "orphan-result"), "{kept:?}");
    assert_eq!(flagged(&field_case("pending-call-across-compaction")), []);
}

/// Line and kind of what `validate` finds.
fn flagged(path: &str) -> Vec<(u64, &'static str)> {
    let json: Value = serde_json::from_str(&run(&["validate", "--json", path]).stdout).unwrap();
    let findings = json["files"][0]["findings"].as_array().unwrap();
    let kind = |finding: &Value| match finding["kind"].as_str().unwrap() {
        "unanswered-call" => "unanswered-call",
        "orphan-result" => "orphan-result",
        other => panic!("{other}: {finding}"),
    };
    findings.iter().map(|finding| (finding["line"].as_u64().unwrap(), kind(finding))).collect()
}

#[test]
fn strict_refuses_findings_after_all_are_printed() {
    let bad = field_case("tree-cycle-dup-missing");
    let commands: [&[&str]; 3] = [
        &["inspect", &bad],
        &["replay", &bad, "--strategy", "none"],
        &["run", "--strategy", "none", "--transcripts", &bad],
    ];
    for command in commands {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().to_str().unwrap();
        let out: &[&str] = if command[0] == "run" { &["--out", out] } else { &[] };
        assert_eq!(run(&[command, out].concat()).code, 0, "{command:?}");
        let done = run(&[command, out, &["--strict"]].concat());
        assert_eq!(done.code, 5, "{command:?}");
        let all = format!("{}{}", done.stdout, done.stderr);
        assert_eq!(all.lines().filter(|line| line.contains("parent-cycle")).count(), 2, "{command:?}\n{all}");
        assert!(done.stderr.contains("error: 4 findings in 1 file\nhint: "), "{}", done.stderr);
    }
    assert_eq!(run(&["inspect", "--strict", &golden("branches")]).code, 0);
    assert_eq!(run(&["inspect", &absolute("Cargo.toml")]).code, 5);
}
