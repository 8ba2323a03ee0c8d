//! `--redact` on `run` and `report`: nothing that is written holds a secret.

use std::fs;
use std::path::Path;

use crate::{Done, run_in};

const SECRETS: [&str; 3] = ["W4rm-Cl4y", "w4rm-cl4y", "mara"];

/// An annotated session of ours whose ticket comes with a password, an address and a home folder, and an item that asks for the password.
fn dataset(folder: &Path) {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/debug-flaky-cache");
    let read = |name: &str| fs::read_to_string(own.join(name)).unwrap();
    let session = read("session.jsonl").replace(
        "LARD-318",
        "LARD-318, DB_PASSWORD=W4rm-Cl4y, ask mara@kiln.museum, see /home/mara/kiln, W4rm-Cl4y it is,",
    );
    assert!(session.contains("W4rm-Cl4y"));
    let item = "\n[[item]]\nid = \"password\"\ncategory = \"value\"\ntext = \"The password is W4rm-Cl4y.\"\nweight = 1.0\n\
                source = [\"8bc2c266\"]\nmust = [[\"W4rm-Cl4y\"]]\n";
    let to = folder.join("kiln");
    fs::create_dir(&to).unwrap();
    fs::write(to.join("session.jsonl"), session).unwrap();
    fs::write(to.join("items.toml"), read("items.toml") + item).unwrap();
    fs::write(to.join("dataset.toml"), read("dataset.toml")).unwrap();
}

#[track_caller]
fn good(folder: &Path, arguments: &[&str]) -> Done {
    let done = run_in(folder, arguments);
    assert_eq!(done.code, 0, "{arguments:?}\n{}", done.stderr);
    done
}

/// The files of a folder that hold a secret.
fn leaks(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let text = fs::read_to_string(entry.path()).unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        all.extend(SECRETS.iter().filter(|secret| text.contains(**secret)).map(|secret| format!("{name}: {secret}")));
    }
    all
}

/// Item and fate of every row.
fn fates(folder: &Path) -> Vec<(String, String)> {
    let mut reader = csv::Reader::from_path(folder.join("items.csv")).unwrap();
    let column = |name: &str, headers: &csv::StringRecord| headers.iter().position(|one| one == name).unwrap();
    let headers = reader.headers().unwrap().clone();
    let (item, fate) = (column("item", &headers), column("fate", &headers));
    reader.records().map(Result::unwrap).map(|row| (row[item].to_owned(), row[fate].to_owned())).collect()
}

#[test]
fn nothing_that_is_written_holds_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path());
    let run = ["run", "--transcripts", "kiln", "--strategy", "pi,pi-three-part,tail-only", "--probes"];
    let plain = good(folder.path(), &run);
    assert!(!plain.stderr.contains("redacted"));
    let out = folder.path().join("reports/run");
    assert!(leaks(&out).iter().any(|leak| leak == "messages.jsonl: W4rm-Cl4y"));
    let before = fates(&out);
    assert!(before.iter().any(|(item, fate)| item == "password" && fate == "kept"), "{before:?}");

    // The report alone, of records that are not redacted.
    let done = good(folder.path(), &["report", "reports/run", "--redact", "--out", "shared"]);
    let shared = folder.path().join("shared");
    assert!(
        done.stderr.contains(" setting") && done.stderr.contains(" email") && done.stderr.contains(" repeated"),
        "{}",
        done.stderr
    );
    assert_eq!(leaks(&shared), Vec::<String>::new());
    assert_eq!(fates(&shared), before);
    let wrong = run_in(folder.path(), &["report", "reports/run", "--redact"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("--out"), "{}", wrong.stderr);

    // The run into the same folder: no cell of before is taken over, and every fate stays.
    let done = good(folder.path(), &[&run[..], &["--redact"]].concat());
    assert!(done.stderr.contains("redacted: ") && !done.stderr.contains("were there already"), "{}", done.stderr);
    assert_eq!(leaks(&out), Vec::<String>::new());
    assert_eq!(fates(&out), before);
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    assert!(page.contains("names in home paths were replaced before the replay ("), "the reader is told");
}

/// Passwords that are words of our own records: neither a field nor a word of ours is taken for one.
#[test]
fn a_password_that_is_a_word_of_ours_breaks_no_record() {
    let folder = tempfile::tempdir().unwrap();
    dataset(folder.path());
    let session = folder.path().join("kiln/session.jsonl");
    let words =
        ["session", "request", "compaction", "measures", "strict", "lower_is_better", "session_id", "tool_result"];
    let settings = words.map(|word| format!("password: '{word}' ")).concat();
    let text =
        fs::read_to_string(&session).unwrap().replace("W4rm-Cl4y it is", &format!("W4rm-Cl4y it is, {settings}"));
    assert!(text.contains("'lower_is_better'"));
    fs::write(&session, text).unwrap();
    good(folder.path(), &["run", "--transcripts", "kiln", "--strategy", "pi,tail-only"]);
    let before = fates(&folder.path().join("reports/run"));
    good(folder.path(), &["report", "reports/run", "--redact", "--out", "shared"]);
    let shared = folder.path().join("shared");
    assert_eq!(fates(&shared), before);
    let page = fs::read_to_string(shared.join("report.json")).unwrap();
    assert!(!page.contains("password: 'request'"), "and it is gone where it is one");
    good(folder.path(), &["report", "reports/run", "--against", "reports/run", "--redact", "--out", "both"]);
}
