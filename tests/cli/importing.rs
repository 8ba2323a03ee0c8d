//! `import`: conversion, its report, and redaction.

use std::fs;
use std::path::Path;

use cutpoint::import::{Format, read_all, read_file};
use serde_json::Value;

use crate::{Done, absolute, field_case, golden, names, run};

fn ok(arguments: &[&str]) -> Done {
    let done = run(arguments);
    assert_eq!(done.code, 0, "{arguments:?}\n{}", done.stderr);
    done
}

fn sample(name: &str) -> String {
    absolute(&format!("fuzz/corpus/{name}"))
}

#[test]
fn one_session_goes_to_stdout_in_every_form() {
    for (to, format) in [("pi", Format::Pi), ("openai", Format::OpenAi), ("jsonl", Format::Neutral)] {
        let done = ok(&["import", &sample("codex/rollout.jsonl"), "--to", to]);
        let (read, all) = read_all(done.stdout.as_bytes()).unwrap();
        assert_eq!((read, all.len()), (format, 1), "{to}");
        assert!(done.stderr.starts_with("rollout -> -\n1 file converted to "), "{}", done.stderr);
        assert_eq!(all[0].transcript.head.system.as_ref().unwrap().as_str(), "You fire kilns.", "{to}");
    }
}

#[test]
fn a_converted_session_is_the_same_session() {
    for (to, first) in [("pi", "jsonl"), ("jsonl", "pi")] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        ok(&["import", &sample("claude-code/session.jsonl"), "--to", first, "--out", &path("a")]);
        let once = path("a/session.jsonl");
        // The second session of the file is its sub-agent, so parts have names.
        let once =
            if Path::new(&once).is_file() { once } else { path(&format!("a/{}", names(&folder.path().join("a"))[0])) };
        ok(&["import", &once, "--to", to, "--out", &path("b")]);
        let twice = path(&format!("b/{}", names(&folder.path().join("b"))[0]));
        let plain = |path: &str| {
            let mut transcript = read_file(path).unwrap().transcript;
            transcript.meta.version = None;
            transcript.entries.iter_mut().for_each(|entry| entry.line = 0);
            transcript
        };
        assert_eq!(plain(&once), plain(&twice), "{to}");
    }
}

#[test]
fn a_folder_keeps_its_shape_and_nothing_is_overwritten() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(from.path().join("sub")).unwrap();
    for (name, as_name) in
        [("pi/tree.jsonl", "a.jsonl"), ("openai/log.json", "a.json"), ("openai/tau.json", "sub/b.json")]
    {
        fs::copy(sample(name), from.path().join(as_name)).unwrap();
    }
    fs::write(from.path().join("readme.md"), "no session").unwrap();
    let (source, out) = (from.path().to_str().unwrap(), to.path().to_str().unwrap());
    let report = to.path().join("report.json");
    let arguments = ["import", source, "--to", "openai", "--out", out, "--report", report.to_str().unwrap()];
    let done = ok(&arguments);
    assert_eq!(names(to.path()), ["a-2.json", "a.json", "report.json", "sub/b.0.json", "sub/b.1.json"]);
    assert!(done.stderr.contains("3 files converted to openai; 1 file of no known format"), "{}", done.stderr);
    assert!(done.stderr.contains("compacted-messages: "), "{}", done.stderr);
    let written: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    let tree = written["files"].as_array().unwrap().iter().find(|file| file["format"] == "pi").unwrap();
    let changes = &tree["sessions"][0]["changes"];
    assert_eq!((&changes["lost"]["usage"], &changes["added"]), (&3.into(), &Value::Null));
    let again = run(&arguments);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("cannot write") && again.stderr.contains("a.json"), "{}", again.stderr);
    ok(&[&arguments[..], &["--force"]].concat());
}

#[test]
fn a_source_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a.jsonl");
    fs::copy(sample("pi/tree.jsonl"), &source).unwrap();
    let before = fs::read(&source).unwrap();
    let root = folder.path().to_str().unwrap();
    let done = run(&["import", source.to_str().unwrap(), "--to", "pi", "--out", root, "--force"]);
    assert_eq!(done.code, 2, "{}", done.stderr);
    assert_eq!(fs::read(&source).unwrap(), before);
}

#[test]
fn counts_of_tokens_are_added_when_asked_for() {
    let done = ok(&["import", &sample("pi/tree.jsonl"), "--to", "jsonl", "--tokens", "o200k_base"]);
    let rows: Vec<Value> = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let sizes: Vec<&Value> = rows.iter().map(|row| &row["size"]).filter(|size| !size.is_null()).collect();
    assert_eq!(sizes.len(), 6);
    assert!(sizes.iter().all(|size| size["tokens"].as_u64().unwrap() > 0 && size["utf16"].as_u64().unwrap() > 0));
    assert_eq!(sizes[2]["images"], 1);
}

#[test]
fn redaction_is_counted_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let text = fs::read_to_string(sample("pi/tree.jsonl")).unwrap();
    let text = text.replace("Fire the kiln", "mail mara@kiln.museum, APP_SECRET=w4rm-cl4y, fire the kiln");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let (plain, done) = (ok(&["import", path, "--to", "jsonl"]), ok(&["import", path, "--to", "jsonl", "--redact"]));
    assert_eq!(plain.stdout.len(), done.stdout.len());
    assert!(done.stderr.contains("1 setting, 1 email, 1 home-path"), "{}", done.stderr);
    for gone in ["mara", "w4rm"] {
        assert!(plain.stdout.contains(gone) && !done.stdout.contains(gone), "{gone}");
    }
}

#[test]
fn wrong_use_is_told() {
    let two = [golden("branches"), golden("trailing_tool_results")];
    for (arguments, part) in [
        (vec!["import", &two[0], "--to", "xml"], "pi, openai and jsonl"),
        (vec!["import", &two[0], &two[1], "--to", "pi"], "--out"),
        (vec!["import", &two[0], "--to", "pi", "--history", "future"], "full and recorded"),
        (vec!["import", &two[0], "--to", "jsonl", "--tokens", "p50k"], "o200k_base and cl100k_base"),
    ] {
        let done = run(&arguments);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{arguments:?}\n{}", done.stderr);
        assert!(done.stderr.contains(part) && done.stderr.contains("hint: "), "{}", done.stderr);
    }
    let done = run(&["import", &field_case("fmt-empty"), "--to", "pi"]);
    assert_eq!(done.code, 5, "{}", done.stderr);
    let bad = field_case("tree-cycle-dup-missing");
    assert_eq!(run(&["import", &bad, "--to", "pi"]).code, 0);
    let done = run(&["import", &bad, "--to", "pi", "--strict"]);
    assert_eq!(done.code, 5);
    assert_eq!(done.stderr.lines().filter(|line| line.contains("parent-cycle")).count(), 2, "{}", done.stderr);
}
