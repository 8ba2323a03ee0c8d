//! Both JSON readers give the same transcripts and findings.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::json::{Reader, SerdeJson, Sonic};
use super::read_with;
use crate::import::{FindingKind, Imported};
use crate::transcript::{EntryKind, Message};

const ENTRY: &str = r#"{"type":"message","id":"0a","parentId":null,"timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"a\"\u00e9"},{"type":"toolCall","id":"c","name":"n","arguments":{"k":[1,2.5,null]},"x":1}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cost":{"input":0.5}},"stopReason":"stop","timestamp":5}}"#;

fn folders() -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("CUTPOINT_SHARED").map_or_else(|| package.join("../shared"), PathBuf::from);
    vec![package.join("tests/golden/pi/cases"), package.join("tests/field-cases"), shared.join("transcripts/pi")]
}

/// Without what may differ: reasons are worded by each reader, and `serde_json` reads a fraction with an error of one
/// unit in the last place (JavaScript and `sonic-rs` do not), so dollars are rounded to a millionth of a millionth.
fn comparable(mut imported: Imported) -> Imported {
    for entry in &mut imported.transcript.entries {
        let EntryKind::Message(Message::Assistant(_, reply)) = &mut entry.kind else { continue };
        if let Some(cost) = reply.usage.as_mut().and_then(|usage| usage.cost.as_mut()) {
            for part in
                [&mut cost.input, &mut cost.output, &mut cost.cache_read, &mut cost.cache_write, &mut cost.total]
            {
                *part = (*part * 1e12).round() / 1e12;
            }
        }
    }
    for finding in &mut imported.findings {
        if matches!(finding.kind, FindingKind::MalformedLine | FindingKind::TruncatedLine) {
            finding.message.clear();
        }
    }
    imported
}

#[test]
fn both_readers_agree_on_every_file() {
    let mut seen = 0;
    for folder in folders().iter().filter(|folder| folder.is_dir()) {
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let (fast, reference) = (read_with::<Sonic>(&bytes), read_with::<SerdeJson>(&bytes));
            match (fast, reference) {
                (Ok(fast), Ok(reference)) => {
                    assert!(comparable(fast) == comparable(reference), "{}", path.display());
                }
                (fast, reference) => assert_eq!(fast.is_err(), reference.is_err(), "{}", path.display()),
            }
            seen += 1;
        }
    }
    // 7 golden cases and 26 field cases are part of the package.
    assert!(seen >= 33, "{seen} files");
}

proptest! {
    /// A line with one changed byte is read or refused by both, with the same result.
    #[test]
    fn both_readers_agree_on_damaged_lines(at in 0..ENTRY.len(), byte in 0x20_u8..0x7F) {
        let mut bytes = ENTRY.as_bytes().to_vec();
        bytes[at] = byte;
        let line = String::from_utf8_lossy(&bytes);
        // A damaged `\u00e9` may become half a pair, which only the fast reader takes.
        prop_assume!(!line.contains("\\ud") && !line.contains("\\uD"));
        let (fast, reference) = (Sonic::record(&line), SerdeJson::record(&line));
        prop_assert_eq!(fast.is_ok(), reference.is_ok(), "{}", line);
        let (fast, reference) = (read_with::<Sonic>(&bytes), read_with::<SerdeJson>(&bytes));
        if let (Ok(fast), Ok(reference)) = (fast, reference) {
            prop_assert_eq!(comparable(fast), comparable(reference));
        }
    }
}
