//! Hard input for every format: what is found, where, and what is still read.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod faults;
mod odd;

use std::path::Path;

use cutpoint::import::{FindingKind, Format, ImportError, Imported, read_all};
use faults::{Fault, SAMPLES, Sample};

fn sample(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name)).unwrap()
}

fn entries(all: &[Imported]) -> usize {
    all.iter().map(|one| one.transcript.entries.len()).sum()
}

fn kinds(all: &[Imported]) -> Vec<FindingKind> {
    all.iter().flat_map(|one| &one.findings).map(|finding| finding.kind).collect()
}

/// What each fault is found as. Marks of byte order, line ends, line separators and long texts are no faults.
fn expected(fault: Fault, sample: &Sample) -> Vec<FindingKind> {
    match fault {
        // The attachments stand at the end.
        Fault::TornLast if sample.name.starts_with("inspect/") => {
            vec![FindingKind::MissingTarget, FindingKind::TruncatedLine]
        }
        Fault::TornLast => vec![FindingKind::TruncatedLine],
        Fault::Glued => vec![FindingKind::GluedRecords],
        Fault::RawNewline => vec![FindingKind::RawNewline],
        Fault::NulAround | Fault::NulLine => vec![FindingKind::NulPadding],
        Fault::InvalidUtf8 => vec![FindingKind::InvalidUtf8],
        Fault::LoneSurrogate => vec![FindingKind::LoneSurrogate],
        Fault::BrokenLine => vec![FindingKind::MalformedLine],
        // Pi's entries have ids, so that one without is told too.
        Fault::ForeignLine if sample.name.starts_with("pi/") => vec![FindingKind::BadField, FindingKind::MissingId],
        Fault::ForeignLine => vec![FindingKind::UnknownKind],
        Fault::ByteOrderMark | Fault::CarriageReturns | Fault::LineSeparator | Fault::HugeText => vec![],
    }
}

/// Whether all entries are there; a torn end costs its own record, a strange line may be kept as a note. Another text in
/// one of several requests makes them two conversations.
fn all_there(fault: Fault, sample: &Sample, before: usize, after: usize) -> bool {
    match fault {
        Fault::TornLast => after + sample.in_last >= before,
        Fault::ForeignLine => after == before || after == before + 1,
        Fault::Glued if !sample.lines => after == 2 * before,
        _ if ["anthropic-messages/log.jsonl", "openai/lines.jsonl"].contains(&sample.name) => after >= before,
        _ => after == before,
    }
}

#[test]
fn every_fault_is_found_and_the_rest_is_read() {
    for sample in SAMPLES {
        let text = self::sample(sample.name);
        let (format, base) = read_all(text.as_bytes()).unwrap();
        for &fault in Fault::ALL {
            let Some(bytes) = fault.put(sample, &text) else { continue };
            let what = format!("{} {fault:?}", sample.name);
            let (read, all) = read_all(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(read, format, "{what}");
            assert_eq!(kinds(&all), expected(fault, sample), "{what}: {:?}", all[0].findings);
            let (before, after) = (entries(&base), entries(&all));
            assert!(all_there(fault, sample, before, after), "{what}: {before} entries, and {after} with the fault");
            place(fault, sample, &bytes, &all, &what);
        }
    }
}

/// The byte at which a fault is to be found.
fn byte_of(fault: Fault, sample: &Sample, bytes: &[u8]) -> Option<usize> {
    let find = |text: &str| memchr::memmem::find(bytes, text.as_bytes());
    let text = self::sample(sample.name);
    let text = text.trim_end();
    match fault {
        // The `o` of oops.
        Fault::BrokenLine => find("oops"),
        Fault::ForeignLine => find(r#"{"level":"#),
        Fault::InvalidUtf8 => memchr::memchr(0xE6, bytes),
        Fault::LoneSurrogate => find(r"\ud83d"),
        Fault::NulAround | Fault::NulLine => memchr::memchr(0, bytes),
        // The line break stands where the text was.
        Fault::RawNewline => text.rfind("Fire the kiln"),
        // The second record, or document.
        Fault::Glued if sample.lines => Some(bytes.trim_ascii_end().len() - text.lines().last()?.len()),
        Fault::Glued => Some(text.len()),
        Fault::TornLast | Fault::ByteOrderMark | Fault::CarriageReturns | Fault::LineSeparator | Fault::HugeText => {
            None
        }
    }
}

/// Where a fault is found: its byte, its line, and its column in bytes.
fn place(fault: Fault, sample: &Sample, bytes: &[u8], all: &[Imported], what: &str) {
    for finding in all.iter().flat_map(|one| &one.findings) {
        if fault == Fault::TornLast {
            let last = bytecount::count(bytes.trim_ascii_end(), b'\n') + 1;
            assert_eq!((finding.line, finding.column.is_some()), (last, true), "{what}");
        }
        let Some(byte) = byte_of(fault, sample, bytes) else { continue };
        let start = bytes[..byte].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
        let line = bytecount::count(&bytes[..byte], b'\n') + 1;
        // What is told of the entry itself, once all are read, has no byte.
        let late = finding.kind == FindingKind::MissingId;
        let expected = (line, Some(byte - start + 1), (!late).then_some(byte));
        assert_eq!((finding.line, finding.column, finding.offset), expected, "{what}: {finding:?}");
        assert!(fault != Fault::RawNewline || finding.line < finding.last_line || !sample.lines, "{what}: {finding:?}");
    }
}

/// Faults inside of a record: the sample, what is replaced by what, and the text at which the finding stands.
const INSIDE: &[(&str, &str, &str, &str)] = &[
    ("pi/tree.jsonl", r#""role":"user""#, r#""role":["x"]"#, r#"{"role":["x"]"#),
    ("pi/tree.jsonl", r#""type":"branch_summary""#, r#""type":"mystery""#, r#"{"type":"mystery""#),
    ("pi/tree.jsonl", r#"{"type":"text""#, r#"{"type":"hologram""#, r#"{"type":"hologram""#),
    ("claude-code/session.jsonl", r#"{"type":"text""#, r#"{"type":"hologram""#, r#"{"type":"hologram""#),
    ("claude-code/session.jsonl", r#""parentUuid":"u3""#, r#""parentUuid":"gone""#, "gone\""),
    ("codex/rollout.jsonl", r#"{"type":"output_text""#, r#"{"type":"hologram""#, r#"{"type":"hologram""#),
    ("openai/messages.jsonl", r#"{"role":"user""#, r#"{"role":"oracle""#, r#"{"role":"oracle""#),
    ("openai/log.json", r#"{"role":"user""#, r#"{"role":"oracle""#, r#"{"role":"oracle""#),
    ("anthropic-messages/body.json", r#"{"type":"text""#, r#"{"type":"hologram""#, r#"{"type":"hologram""#),
    ("anthropic-messages/log.jsonl", r#"{"type":"text""#, r#"{"type":"hologram""#, r#"{"type":"hologram""#),
    ("gemini/document.json", r#""type":"user""#, r#""type":"seer""#, "{MESSAGE"),
    ("gemini/lines.jsonl", r#""type":"user""#, r#""type":"seer""#, "{MESSAGE"),
    ("atif/trajectory.json", r#""source":"user""#, r#""source":"seer""#, "{MESSAGE"),
    ("atif/stream.jsonl", r#""source":"user""#, r#""source":"seer""#, "{MESSAGE"),
    ("langgraph/thread.json", r#"{"type":"text""#, r#"{"type":"hologram""#, "{MESSAGE"),
    ("mini-swe-agent/trajectory.json", r#""role":"user""#, r#""role":"seer""#, "{MESSAGE"),
    ("swe-agent/run.traj", r#""role":"user""#, r#""role":"seer""#, "{MESSAGE"),
];

#[test]
fn a_fault_inside_of_a_record_names_its_column() {
    let mut wrong = Vec::new();
    for &(name, from, to, at) in INSIDE {
        let text = sample(name);
        // Documents have a blank behind colons.
        let from = if text.contains(from) { from.to_owned() } else { from.replace(':', ": ") };
        let found = text.find(&from).unwrap_or_else(|| panic!("{name}: no {from}"));
        let text = text.replacen(&from, to, 1);
        // The value itself, or the object that holds it.
        let byte = if at == "{MESSAGE" { text[..=found].rfind('{') } else { text.find(at) };
        let byte = byte.unwrap_or_else(|| panic!("{name}: no {at}"));
        let line = text[..byte].matches('\n').count() + 1;
        let column = byte - text[..byte].rfind('\n').map_or(0, |feed| feed + 1) + 1;
        // A byte order mark in front moves the offset, and nothing else.
        for mark in ["", "\u{feff}"] {
            let findings = match read_all(format!("{mark}{text}").as_bytes()) {
                Ok((_, all)) => all.into_iter().flat_map(|one| one.findings).collect(),
                Err(error) => {
                    wrong.push(format!("{name} {to}: {error}"));
                    Vec::new()
                }
            };
            let expected = (line, Some(column), Some(byte + mark.len()));
            if !findings.iter().any(|one| (one.line, one.column, one.offset) == expected) {
                wrong.push(format!("{name} {to}: not {expected:?} but {findings:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The text around the fault is what it was.
#[test]
fn long_texts_and_separators_stay_whole() {
    for sample in SAMPLES {
        let text = self::sample(sample.name);
        for (fault, inserted) in
            [(Fault::HugeText, "kiln ".repeat(400_000)), (Fault::LineSeparator, "\u{2028}".to_owned())]
        {
            let (_, all) = read_all(&fault.put(sample, &text).unwrap()).unwrap();
            let mut written = Vec::new();
            for one in &all {
                cutpoint::import::neutral::write(&one.transcript, None, &mut written).unwrap();
            }
            let written = String::from_utf8(written).unwrap();
            assert!(written.contains(&format!("{inserted}Fire the kiln")), "{} {fault:?}", sample.name);
        }
    }
}

#[test]
fn nothing_and_no_text_are_errors_in_every_format() {
    for &format in Format::ALL {
        assert!(matches!(format.read(b""), Err(ImportError::Empty | ImportError::NotText { .. })), "{}", format.name());
        if format != Format::Inspect {
            assert!(matches!(format.read(b" \n\n\t\n"), Err(ImportError::Empty)), "{}", format.name());
            assert!(matches!(format.read(b"\xFF\xFE{\0}\0"), Err(ImportError::NotText { .. })), "{}", format.name());
        }
        assert!(format.read(b"no session at all\n").is_err(), "{}", format.name());
    }
}

/// Trees, ids, versions: the sample, what is replaced by what, and what is found.
const LINKS: &[(&str, &str, &str, &[FindingKind])] = &[
    ("pi/tree.jsonl", r#""version":3"#, r#""version":9"#, &[FindingKind::UnknownVersion]),
    // What the compaction keeps is then on no branch with it.
    (
        "pi/tree.jsonl",
        r#""parentId":"00000003""#,
        r#""parentId":"dead""#,
        &[FindingKind::MissingParent, FindingKind::MissingTarget],
    ),
    (
        "pi/tree.jsonl",
        r#""parentId":"00000003""#,
        r#""parentId":"00000004""#,
        &[FindingKind::ParentCycle, FindingKind::MissingTarget],
    ),
    ("pi/tree.jsonl", r#""parentId":"00000001""#, r#""parentId":"00000003""#, &[FindingKind::ParentCycle]),
    ("pi/tree.jsonl", r#""firstKeptEntryId":"00000003""#, r#""firstKeptEntryId":"x""#, &[FindingKind::MissingTarget]),
    ("pi/tree.jsonl", r#""type":"branch_summary""#, r#""type":"mystery""#, &[FindingKind::UnknownKind]),
    ("jsonl/tree.jsonl", r#""version":1"#, r#""version":9"#, &[FindingKind::UnknownVersion]),
    ("jsonl/tree.jsonl", r#""parent":2"#, r#""parent":99"#, &[FindingKind::MissingParent]),
    ("jsonl/tree.jsonl", r#""parent":2"#, r#""parent":3"#, &[FindingKind::ParentCycle]),
    ("jsonl/tree.jsonl", r#""parent":0"#, r#""parent":2"#, &[FindingKind::ParentCycle]),
    ("jsonl/tree.jsonl", r#""id":"00000004""#, r#""id":"00000003""#, &[FindingKind::DuplicateId]),
    ("jsonl/tree.jsonl", r#""type":"branch_summary""#, r#""type":"mystery""#, &[FindingKind::UnknownKind]),
    ("claude-code/session.jsonl", r#""parentUuid":"u3""#, r#""parentUuid":"gone""#, &[FindingKind::MissingParent]),
    ("openai/messages.jsonl", r#""role":"user""#, r#""role":"oracle""#, &[FindingKind::UnknownKind]),
    ("openai/messages.jsonl", r#""tool_call_id":"k1""#, r#""tool_call_id":"k9""#, &[FindingKind::MissingTarget]),
];

#[test]
fn broken_links_and_unknown_words_cost_nothing() {
    for &(name, from, to, expected) in LINKS {
        let text = sample(name);
        assert!(text.contains(from), "{name}: {from}");
        let (_, base) = read_all(text.as_bytes()).unwrap();
        let (_, all) = read_all(text.replacen(from, to, 1).as_bytes()).unwrap();
        assert_eq!(kinds(&all), expected, "{name} {to}: {:?}", all[0].findings);
        assert_eq!(entries(&all), entries(&base), "{name} {to}");
        // A walk ends whatever the links were.
        assert!(all.iter().all(|one| one.transcript.path().len() <= one.transcript.entries.len()));
    }
}
