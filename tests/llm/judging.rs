//! A judge: it must pass known cases, rests on evidence, does not know whom it judges, and is compared with a person.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::chat;
use super::commands::{Done, cutpoint, run};
use super::stub::{Act, Stub};

fn between<'t>(text: &'t str, open: &str, close: &str) -> &'t str {
    text.split_once(open).and_then(|(_, rest)| rest.split_once(close)).map_or("", |(inside, _)| inside)
}

/// The known cases, as a judge that is always right would know them.
fn cases() -> Vec<(String, u64)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/judge/regression.toml");
    let set: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
    let case = |case: &toml::Value| {
        let shown = format!("{}\n|{}", case["gold"].as_str().unwrap(), case["text"].as_str().unwrap());
        (shown, u64::try_from(case["least"].as_integer().unwrap()).unwrap())
    };
    set["case"].as_array().unwrap().iter().map(case).collect()
}

/// Writes summaries, and judges: known cases as they should be, of the facts of a run one with 2, one with evidence that
/// stands nowhere, all others with 0.
fn server() -> Stub {
    let known = cases();
    Stub::new(move |_, asked| {
        let prompt = asked.body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned();
        if !prompt.contains("\"grade\"") {
            return Act::json(&chat(
                "## Goal\n- Find out why test_ttl fails for 22 of 60 seeds.\n\n## Key Decisions\n- none",
            ));
        }
        let text = between(&prompt, "<text>\n", "\n</text>");
        let gold =
            between(&prompt, "<fact>\n", "\n</fact>").to_owned() + between(&prompt, "<reference>\n", "\n</reference>");
        let shown = format!("{gold}\n|{text}");
        let first = text.lines().next().unwrap_or_default();
        let (grade, evidence) = match known.iter().find(|(case, _)| *case == shown) {
            Some((_, grade)) => (*grade, first),
            None if gold.contains("22 of 60") => (2, first),
            None if gold.contains("19 of 60") => (1, "words that stand nowhere"),
            None => (0, ""),
        };
        let evidence = if grade == 0 { "" } else { evidence };
        Act::json(&chat(&json!({"evidence": evidence, "grade": grade}).to_string()))
    })
}

fn judge(folder: &Path, stub: &Stub, arguments: &[&str]) -> Done {
    let model = ["--llm", "chat:judge", "--llm-url", &stub.url, "--llm-key-env", "STUB_KEY", "--llm-no-stream"];
    cutpoint(folder, &[&["judge"], arguments, &model].concat())
}

fn judged(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("reports/real/judgements.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_mock_is_no_judge() {
    let folder = tempfile::tempdir().unwrap();
    let done = cutpoint(folder.path(), &["judge", "check"]);
    assert_eq!(done.code, 3, "{}", done.stdout);
    assert!(done.stdout.contains("a MOCK") && done.stdout.contains("WRONG inverted-rule"), "{}", done.stdout);
    assert!(done.stderr.contains("known cases wrong"), "{}", done.stderr);
}

#[test]
fn an_unfit_judge_judges_nothing() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), &server(), "real", &["--strategy", "pi", "--llm-replicates", "1"]).code, 0);
    let lenient = Stub::new(|_, asked| {
        let prompt = asked.body["messages"][1]["content"].as_str().unwrap().to_owned();
        let evidence = between(&prompt, "<text>\n", "\n</text>").lines().next().unwrap_or_default().to_owned();
        Act::json(&chat(&json!({"evidence": evidence, "grade": 2}).to_string()))
    });
    let done = judge(folder.path(), &lenient, &["score", "reports/real"]);
    assert_eq!(done.code, 3, "{}", done.stdout);
    assert!(
        done.stderr.contains("chat:judge grades ") && done.stderr.contains(" known cases wrong"),
        "{}",
        done.stderr
    );
    assert!(!folder.path().join("reports/real/judgements.jsonl").exists());
    assert_eq!(lenient.asked().len(), cases().len(), "nothing is asked after that");
}

#[test]
fn a_fit_judge_grades_blind_with_evidence_and_replays() {
    let folder = tempfile::tempdir().unwrap();
    let stub = server();
    assert_eq!(run(folder.path(), &stub, "real", &["--strategy", "pi,tail-only", "--llm-replicates", "1"]).code, 0);
    let before = stub.asked().len();
    let done = judge(folder.path(), &stub, &["check"]);
    assert_eq!(done.code, 0, "{}{}", done.stdout, done.stderr);
    let dry = judge(folder.path(), &stub, &["score", "reports/real", "--dry-run"]);
    let done = judge(folder.path(), &stub, &["score", "reports/real"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let judged = judged(folder.path());
    assert!(dry.stdout.contains(&format!("{} times", judged.len() + cases().len())), "{}", dry.stdout);
    let graded = |grade: u64| judged.iter().filter(|record| record["grade"] == grade).count();
    let void: Vec<&Value> = judged.iter().filter(|record| record["grade"].is_null()).collect();
    assert_eq!((graded(2), graded(1), void.len()), (1, 0, 1), "{judged:?}");
    assert_eq!(void[0]["void"], "its evidence stands nowhere in the text");
    assert_eq!(graded(0), judged.len() - 2);
    assert!(judged.iter().all(|record| record["strategy"] == "pi"), "tail-only has no summary");
    // 2 points on all graded facts.
    let mean = 2.0 / (f64::from(u32::try_from(judged.len()).unwrap()) - 1.0);
    assert!(done.stdout.contains(&format!("{mean:.2} / 2")), "{}", done.stdout);
    let calls = stub.asked();
    for call in &calls[before..] {
        let body = call.body.to_string();
        assert!(!body.contains("## ") && !body.contains("Key Decisions") && !body.contains("tail-only"), "{body}");
    }
    let again = judge(folder.path(), &stub, &["score", "reports/real", "--llm-mode", "replay"]);
    assert_eq!((again.code, stub.asked().len(), again.stdout), (0, calls.len(), done.stdout));
    // The table beside the records is that of the report.
    let table = || fs::read_to_string(folder.path().join("reports/real/judgements.csv")).unwrap();
    let written = table();
    assert!(written.contains("regression_sha256") && written.lines().count() > judged.len(), "{written}");
    assert_eq!(cutpoint(folder.path(), &["report", "reports/real"]).code, 0);
    assert_eq!(table(), written);
}

#[test]
fn a_judge_without_an_answer_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let stub = server();
    assert_eq!(run(folder.path(), &stub, "real", &["--strategy", "pi", "--llm-replicates", "1"]).code, 0);
    let done = judge(folder.path(), &stub, &["score", "reports/real", "--llm-mode", "replay"]);
    assert_eq!(done.code, 3);
    assert!(
        done.stderr.contains("no answer to a request") && done.stderr.contains("no judgement was written"),
        "{}",
        done.stderr
    );
}

#[test]
fn a_person_labels_a_blind_sample_and_the_judge_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let stub = server();
    assert_eq!(run(folder.path(), &stub, "real", &["--strategy", "pi", "--llm-replicates", "1"]).code, 0);
    assert_eq!(judge(folder.path(), &stub, &["score", "reports/real"]).code, 0);
    let calibrate = |more: &[&str]| cutpoint(folder.path(), &[&["judge", "calibrate", "reports/real"], more].concat());
    let done = calibrate(&["--write", "labels.csv", "--per-grade", "4"]);
    assert!(done.code == 0 && done.stdout.contains("5 judgements to label"), "{}{}", done.stdout, done.stderr);
    let path = folder.path().join("labels.csv");
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains("chat:judge") && !text.contains("Key Decisions"), "{text}");
    // The person agrees, but for one fact that the judge did not see.
    let grades: std::collections::HashMap<String, u64> = judged(folder.path())
        .iter()
        .filter_map(|record| Some((record["judgement"].as_str()?.to_owned(), record["grade"].as_u64()?)))
        .collect();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(reader.headers().unwrap()).unwrap();
    let mut is_first = true;
    for row in reader.records().map(Result::unwrap) {
        let mut row: Vec<String> = row.iter().map(str::to_owned).collect();
        let judge = grades[&row[0]];
        row[6] = if judge == 0 && std::mem::take(&mut is_first) { "2".to_owned() } else { judge.to_string() };
        row[7] = row[6].clone();
        writer.write_record(&row).unwrap();
    }
    fs::write(&path, writer.into_inner().unwrap()).unwrap();
    let done = calibrate(&["--read", "labels.csv"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    // Person 2 2 0 0 0, judge 2 0 0 0 0: equal 0.8; chance 0.4·0.2 + 0.6·0.8 = 0.56; κ = 0.24 / 0.44.
    assert!(
        done.stdout.contains("strict: 5 labelled") && done.stdout.contains("Cohen's κ             0.545"),
        "{}",
        done.stdout
    );
    assert!(done.stdout.contains("α of two persons      1.000"), "{}", done.stdout);
    // The judge gave one 2, which is right, and many 0, of which one in the four that are labelled should be a 2.
    let zeros = f64::from(u32::try_from(grades.len()).unwrap()) - 1.0;
    let (own, corrected) = (1.0 / (zeros + 1.0), (1.0 + zeros / 4.0) / (zeros + 1.0));
    let told = format!("judge {own:.3}, corrected {corrected:.3} [void: 1 units; an interval needs 5]");
    let flat = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(&told) && flat.contains("1 lineages; 5 labelled"), "{told}\n{}", done.stdout);
    assert!(!done.stdout.contains("MOCK") && done.stdout.lines().all(|line| line.chars().count() <= 80));
    let means = fs::read_to_string(folder.path().join("reports/real/judge_means.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(means.as_bytes());
    let row: std::collections::HashMap<String, String> = reader.deserialize().next().unwrap().unwrap();
    let shown = ["rubric", "strategy", "mock", "corrected_low_ratio", "lineages_count"].map(|name| &*row[name]);
    assert_eq!(shown, ["strict", "pi", "false", "", "1"]);
    assert!((row["corrected_mean_ratio"].parse::<f64>().unwrap() - corrected).abs() < 1e-12, "{means}");
    assert_eq!(row["void_reason"], "1 units; an interval needs 5");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace(",2,2,", ",7,2,")).unwrap();
    let done = calibrate(&["--read", "labels.csv"]);
    assert!(done.code == 2 && done.stderr.contains("is no grade from 0 to 2"), "{}", done.stderr);
}

/// Fills the labels of some judgements with the lowest grade.
fn label(path: &Path, is_meant: impl Fn(&str) -> bool) {
    let text = fs::read_to_string(path).unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let mut writer = csv::Writer::from_path(path).unwrap();
    writer.write_record(&header).unwrap();
    for row in reader.records().map(Result::unwrap) {
        let filled = is_meant(&row[at("judgement")]);
        let field = |(column, text)| if filled && column == at("label") { "0" } else { text };
        writer.write_record(row.iter().enumerate().map(field)).unwrap();
    }
}

#[test]
fn grades_of_an_old_summary_meet_no_label_and_a_mock_is_called_one() {
    let folder = tempfile::tempdir().unwrap();
    let stub = server();
    assert_eq!(run(folder.path(), &stub, "real", &["--strategy", "pi", "--llm-replicates", "1"]).code, 0);
    assert_eq!(judge(folder.path(), &stub, &["score", "reports/real"]).code, 0);
    let calibrate = |more: &[&str]| cutpoint(folder.path(), &[&["judge", "calibrate", "reports/real"], more].concat());
    assert_eq!(calibrate(&["--write", "labels.csv", "--per-grade", "500"]).code, 0);
    // As if all grades were a mock's, and the first of a summary before.
    let mut records = judged(folder.path());
    let digest = records[0]["summary_sha256"].as_str().unwrap().to_owned();
    let first = records.iter_mut().find(|record| record["grade"] == 0).unwrap();
    let old = first["judgement"].as_str().unwrap().to_owned();
    first["summary_sha256"] = "0".repeat(64).into();
    records.iter_mut().for_each(|record| record["mock"] = true.into());
    let lines: Vec<String> = records.iter().map(|record| format!("{record}\n")).collect();
    fs::write(folder.path().join("reports/real/judgements.jsonl"), lines.concat()).unwrap();
    let labels = folder.path().join("labels.csv");
    let read = calibrate(&["--read", "labels.csv"]);
    assert!(
        read.code == 0 && !read.stderr.contains("labels of"),
        "no label is left out where none is: {}",
        read.stderr
    );
    label(&labels, |judgement| judgement == old);
    let read = calibrate(&["--read", "labels.csv"]);
    assert_eq!(read.code, 0, "{}", read.stderr);
    for what in ["1 judgements", "1 labels"] {
        let told = format!("left out: {what} of summaries that the run no longer has");
        assert!(read.stderr.contains(&told), "{}", read.stderr);
    }
    assert!(read.stdout.contains("strict: 0 labelled judgements, by a MOCK"), "{}", read.stdout);
    let means = fs::read_to_string(folder.path().join("reports/real/judge_means.csv")).unwrap();
    assert!(means.lines().next().unwrap().contains("mock") && means.contains("true"), "{means}");
    assert_eq!(calibrate(&["--write", "new.csv", "--per-grade", "500"]).code, 0);
    let sampled = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap().contains(&old);
    assert_eq!((sampled("labels.csv"), sampled("new.csv")), (true, false));
    // A label of another text is none of this judgement.
    label(&folder.path().join("new.csv"), |_| true);
    let text = fs::read_to_string(folder.path().join("new.csv")).unwrap();
    fs::write(folder.path().join("new.csv"), text.replacen(&digest, &"1".repeat(64), 1)).unwrap();
    let read = calibrate(&["--read", "new.csv"]);
    assert!(read.code == 0 && read.stderr.contains("left out: 1 labels"), "{}", read.stderr);
}
