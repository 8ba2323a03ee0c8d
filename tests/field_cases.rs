//! The importer's part of the field cases: damaged, odd and branched Pi files.
//!
//! `tests/field-cases/index.json` says what is right for each; the numbers are read from there.

#![expect(clippy::unwrap_used, reason = "an answer of another shape is a failed test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cutpoint::import::{Finding, FindingKind, ImportError, Imported, read_file};
use cutpoint::transcript::{EntryKind, Transcript};
use serde_json::Value;

/// Cases checked here.
const OURS: &[&str] = &[
    "bad-raw-newline",
    "branch-abandoned",
    "enc-bom-crlf",
    "enc-invalid-utf8",
    "enc-multibyte-at-64k",
    "fmt-empty",
    "fmt-header-missing",
    "fmt-version-and-mixed",
    "tree-cycle-dup-missing",
];

/// Pi cases that ask something of estimators, triggers, cuts or meters. Here they must only be read without a finding.
const OF_LATER_STAGES: &[&str] = &[
    "anchor-aborted",
    "anchor-falls-without-compaction",
    "cache-thinking-dropped",
    "coverage-kept-messages-lost",
    "cut-split-turn",
    "cut-tail-over-budget",
    "cut-trailing-results",
    "drift-four-compactions",
    "est-image-base64",
    "est-minified-json",
    "est-thinking-signature",
    "goal-loss-eight-facts",
    "orphan-first-kept-is-result",
    "pending-call-across-compaction",
    "scorer-reads-own-summary",
    "sum-input-empty-placeholder",
    "summary-larger-than-span",
    "trigger-mid-turn",
    "window-model-switch",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field-cases")
}

fn file(name: &str) -> PathBuf {
    folder().join(format!("{name}.pi.jsonl"))
}

/// The expected numbers of a case.
fn numbers(name: &str) -> Value {
    let index: Value = serde_json::from_slice(&std::fs::read(folder().join("index.json")).unwrap()).unwrap();
    let wanted = format!("{name}.pi.jsonl");
    let case = index["cases"].as_array().unwrap().iter().find(|case| case["file"] == wanted.as_str());
    case.unwrap_or_else(|| panic!("no case {name}"))["numbers"].clone()
}

fn read(name: &str) -> (Imported, Value) {
    (read_file(file(name)).unwrap(), numbers(name))
}

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

fn messages(transcript: &Transcript) -> usize {
    transcript.entries.iter().filter(|entry| matches!(entry.kind, EntryKind::Message(_))).count()
}

fn path_ids(transcript: &Transcript) -> Vec<&str> {
    transcript.path().into_iter().map(|at| &*transcript.entry(at).id).collect()
}

fn of_kind(imported: &Imported, kind: FindingKind) -> Vec<&Finding> {
    imported.findings.iter().filter(|finding| finding.kind == kind).collect()
}

#[test]
fn every_pi_case_has_its_place() {
    let index: Value = serde_json::from_slice(&std::fs::read(folder().join("index.json")).unwrap()).unwrap();
    let files = index["cases"].as_array().unwrap().iter().map(|case| case["file"].as_str().unwrap().to_owned());
    let listed: BTreeSet<String> = files.filter_map(|f| f.strip_suffix(".pi.jsonl").map(str::to_owned)).collect();
    let placed: BTreeSet<String> = OURS.iter().chain(OF_LATER_STAGES).map(|&name| name.to_owned()).collect();
    assert_eq!(listed, placed);
}

#[test]
fn sound_files_have_no_findings() {
    for name in OF_LATER_STAGES {
        let imported = read_file(file(name)).unwrap();
        assert_eq!(imported.findings, [], "{name}");
        assert_eq!(imported.transcript.entries.len() + 1, imported.lines.total, "{name}: one header");
    }
}

#[test]
fn raw_line_breaks_are_joined() {
    let (imported, numbers) = read("bad-raw-newline");
    let [finding] = imported.findings.as_slice() else { panic!("{:?}", imported.findings) };
    let bad: Vec<usize> = numbers["bad_lines"].as_array().unwrap().iter().map(count).collect();
    assert_eq!((finding.kind, (finding.line..=finding.last_line).collect()), (FindingKind::RawNewline, bad));
    assert_eq!(imported.lines.total, count(&numbers["lines"]));
    assert_eq!(messages(&imported.transcript), count(&numbers["messages_if_rejoined"]));
    assert_eq!(path_ids(&imported.transcript).len(), 5, "the chain is whole again");
}

#[test]
fn a_bad_byte_costs_its_own_line() {
    let (imported, numbers) = read("enc-invalid-utf8");
    assert_eq!(imported.lines.total, count(&numbers["lines"]));
    assert_eq!(messages(&imported.transcript), count(&numbers["messages_read"]));
    let [bad] = of_kind(&imported, FindingKind::InvalidUtf8)[..] else { panic!("{:?}", imported.findings) };
    assert_eq!((bad.line, bad.offset), (count(&numbers["bad_lines"][0]), Some(count(&numbers["bad_byte_offset"]))));
    let [parent] = of_kind(&imported, FindingKind::MissingParent)[..] else { panic!("{:?}", imported.findings) };
    assert!(parent.message.contains(numbers["missing_parents"][0].as_str().unwrap()));
    assert_eq!(imported.lines.left_out, 1);
}

#[test]
fn a_mark_and_carriage_returns_change_nothing() {
    let (imported, numbers) = read("enc-bom-crlf");
    assert_eq!(imported.findings, []);
    assert_eq!(imported.lines.total, count(&numbers["lines"]));
    assert_eq!(messages(&imported.transcript), count(&numbers["messages_read"]));
    assert_eq!(imported.transcript.meta.version, Some(3));
    let last = imported.transcript.entries.iter().rev().find_map(|entry| match &entry.kind {
        EntryKind::Message(message) => message.reply().and_then(|reply| reply.usage),
        _ => None,
    });
    assert_eq!(last.unwrap().context().0, numbers["context_anchor"].as_u64().unwrap());
}

#[test]
fn no_character_is_cut_at_64_kib() {
    let (imported, numbers) = read("enc-multibyte-at-64k");
    assert_eq!(messages(&imported.transcript), count(&numbers["messages_read"]));
    let EntryKind::Message(message) = &imported.transcript.entries[0].kind else { panic!("a message") };
    let [cutpoint::transcript::Block::Text(text)] = message.blocks() else { panic!("a text") };
    assert_eq!(text.char_len(), count(&numbers["message_scalars"]));
    assert_eq!(text.as_str().matches('\u{FFFD}').count(), count(&numbers["replacement_marks"]));
    assert_eq!(text.as_str().chars().filter(|c| !c.is_ascii()).count(), 1);
}

#[test]
fn nothing_is_an_error_with_a_name() {
    let error = read_file(file("fmt-empty")).unwrap_err();
    let ImportError::InFile { source, .. } = &error else { panic!("{error}") };
    assert!(matches!(**source, ImportError::Empty), "{error}");
    assert!(error.to_string().ends_with("fmt-empty.pi.jsonl: the file is empty"), "{error}");
    assert!(!error.hint().is_empty());
}

#[test]
fn a_missing_header_is_a_finding() {
    let (imported, numbers) = read("fmt-header-missing");
    assert_eq!(messages(&imported.transcript), count(&numbers["messages_read"]));
    assert_eq!(imported.findings.iter().map(|f| f.kind).collect::<Vec<_>>(), [FindingKind::MissingHeader]);
    assert_eq!(path_ids(&imported.transcript).len(), 5);
}

#[test]
fn a_late_header_of_a_newer_version_is_read() {
    let (imported, numbers) = read("fmt-version-and-mixed");
    let [late] = of_kind(&imported, FindingKind::LateHeader)[..] else { panic!("{:?}", imported.findings) };
    assert_eq!(late.line, count(&numbers["header_line"]));
    assert_eq!(imported.transcript.meta.version.map(u64::from), numbers["version"].as_u64());
    assert_eq!(of_kind(&imported, FindingKind::UnknownVersion).len(), 1);
    let without: Vec<usize> = of_kind(&imported, FindingKind::MissingId).iter().map(|f| f.line).collect();
    assert_eq!(without, numbers["entries_without_id"].as_array().unwrap().iter().map(count).collect::<Vec<_>>());
    assert_eq!(path_ids(&imported.transcript).len(), count(&numbers["messages_read"]), "the chain of the leaf");
    assert_eq!(imported.lines.left_out, 1, "the title before the header");
}

#[test]
fn faulty_links_are_cut_and_reported() {
    let (imported, numbers) = read("tree-cycle-dup-missing");
    let wanted: Vec<&str> = numbers["path_first_wins"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(path_ids(&imported.transcript), wanted);
    let faults: Vec<(usize, FindingKind)> = imported.findings.iter().map(|f| (f.line, f.kind)).collect();
    // The first ParentCycle is the one of readers that take the last of equal ids.
    let expected = [
        (3, FindingKind::ParentCycle),
        (6, FindingKind::DuplicateId),
        (7, FindingKind::ParentCycle),
        (8, FindingKind::MissingParent),
    ];
    assert_eq!(faults, expected);
    assert_eq!(imported.transcript.entries.len(), 8, "nothing is left out");
}

#[test]
fn only_the_path_of_the_leaf_counts() {
    let (imported, numbers) = read("branch-abandoned");
    assert_eq!(imported.transcript.entries.len(), count(&numbers["entries"]));
    assert_eq!(path_ids(&imported.transcript).len(), count(&numbers["path_messages"]));
    for id in numbers["off_path_ids"].as_array().unwrap() {
        assert!(!path_ids(&imported.transcript).contains(&id.as_str().unwrap()));
    }
}
