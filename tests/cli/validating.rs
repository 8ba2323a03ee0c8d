//! `validate`, and `--strict` of the commands that read.

use std::fs;

use serde_json::Value;

use crate::{absolute, field_case, golden, good, run};

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
    let row = done.stdout.lines().find(|line| line.contains("invalid-utf8 ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().take(3).collect();
    assert_eq!(cells[..1], ["4"], "{row}");
    let characters = String::from_utf8_lossy(&bytes[813 - column + 1..813]).chars().count() + 1;
    assert_eq!(cells[1], characters.to_string(), "{row}");
    assert!(done.stdout.contains("3-5      1  raw-newline"), "{}", done.stdout);
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
