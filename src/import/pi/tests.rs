//! `serde_json` as the referee: what is a record, and what it says.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::record::Record;
use super::{read, write};
use crate::import::{FindingKind, Imported};
use crate::transcript::json::read::Reader;

const ENTRY: &str = r#"{"type":"message","id":"0a","parentId":null,"timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"a\"\u00e9"},{"type":"toolCall","id":"c","name":"n","arguments":{"k":[1,2.5,null]},"x":1}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":{"input":0.5}},"stopReason":"stop","timestamp":5}}"#;

fn folders() -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("CUTPOINT_SHARED").map_or_else(|| package.join("../shared"), PathBuf::from);
    vec![package.join("tests/golden/pi/cases"), package.join("tests/field-cases"), shared.join("transcripts/pi")]
}

/// The session as Pi would be given it, one value a line.
fn written(imported: &Imported) -> Vec<Value> {
    let mut bytes = Vec::new();
    write(&imported.transcript, &mut bytes).unwrap();
    bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Equal but for the last digit of fractions, which `serde_json` reads with an error.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-12 * a.abs(),
            _ => a == b,
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => a == b,
    }
}

/// The file with every line spelled anew by `serde_json`, as far as it reads the lines.
fn respelled(bytes: &[u8]) -> Vec<u8> {
    let line = |line: &[u8]| match serde_json::from_slice::<Value>(line) {
        Ok(value) => value.to_string().into_bytes(),
        Err(_) => line.to_vec(),
    };
    bytes.split(|&byte| byte == b'\n').map(line).collect::<Vec<_>>().join(&b'\n')
}

/// Kinds, lines and words of the findings; the words of what is no JSON name columns, which another spelling moves.
fn findings(imported: &Imported) -> Vec<(usize, FindingKind, &str)> {
    let worded = |kind| !matches!(kind, FindingKind::MalformedLine | FindingKind::TruncatedLine);
    imported.findings.iter().map(|f| (f.line, f.kind, if worded(f.kind) { &*f.message } else { "" })).collect()
}

#[test]
fn another_spelling_is_the_same_session() {
    let mut seen = 0;
    for folder in folders().iter().filter(|folder| folder.is_dir()) {
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            match (read(&bytes), read(&respelled(&bytes))) {
                (Ok(one), Ok(other)) => {
                    let (a, b) = (written(&one), written(&other));
                    assert_eq!(a.len(), b.len(), "{}", path.display());
                    for (at, (a, b)) in a.iter().zip(&b).enumerate() {
                        assert!(same(a, b), "{}: {at}\n{a}\n{b}", path.display());
                    }
                    assert_eq!(findings(&one), findings(&other), "{}", path.display());
                }
                (one, other) => assert_eq!(one.is_err(), other.is_err(), "{}", path.display()),
            }
            seen += 1;
        }
    }
    // 7 golden cases and 26 field cases are part of the package.
    assert!(seen >= 33, "{seen} files");
}

proptest! {
    /// A line with one changed byte is a record to both readers or to none, and then a session like its other spelling.
    #[test]
    fn damaged_lines_are_read_alike(at in 0..ENTRY.len(), byte in 0x01_u8..0x80) {
        let mut bytes = ENTRY.as_bytes().to_vec();
        bytes[at] = byte;
        let line = String::from_utf8_lossy(&bytes).into_owned();
        let expected = serde_json::from_str::<Map<String, Value>>(&line);
        // `serde_json` refuses lone halves of pairs in texts.
        prop_assume!(!line.contains("\\ud") && !line.contains("\\uD"));
        prop_assert_eq!(Record::read(&line, &mut Reader::default()).is_ok(), expected.is_ok(), "{}", line);
        let (one, other) = (read(&bytes), read(&respelled(&bytes)));
        prop_assert!(one.is_ok() == other.is_ok() || expected.is_err(), "{}", line);
        if let (Ok(one), Ok(other), true) = (one, other, expected.is_ok()) {
            prop_assert!(written(&one).iter().zip(&written(&other)).all(|(a, b)| same(a, b)), "{}", line);
            prop_assert_eq!(findings(&one), findings(&other));
        }
    }
}
