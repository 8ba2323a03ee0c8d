//! JSON printing against the answers of Node and Python, made by `scripts/golden/json_text.py` and `json_text.mjs`.

use std::{fs, io};

use cutpoint::transcript::JsonText;
use cutpoint::transcript::json::{js, python};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

#[derive(Deserialize)]
struct PythonAnswer {
    repr: String,
    ascii: String,
    plain: String,
}

#[derive(Deserialize)]
struct Printable {
    unicode: String,
    count: usize,
    sha256: String,
}

fn golden<T: DeserializeOwned>(name: &str) -> io::Result<T> {
    let path = format!("{}/tests/golden/json/{name}", env!("CARGO_MANIFEST_DIR"));
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

#[test]
fn javascript_prints_the_same() {
    let cases: Vec<String> = golden("cases.json").unwrap();
    let answers: Vec<Option<String>> = golden("js.json").unwrap();
    assert_eq!(cases.len(), answers.len());
    for (raw, answer) in cases.iter().zip(&answers) {
        assert_eq!(&js::stringify(raw), answer, "{raw}");
        let units = answer.as_ref().map(|text| text.encode_utf16().count());
        assert_eq!(js::stringified_utf16_len(raw), units, "{raw}");
        assert_eq!(JsonText::new(raw.as_str()).map(|text| text.js_utf16_len()), units, "{raw}");
        assert!(!js::is_canonical(raw) || answer.as_ref() == Some(raw), "{raw}");
    }
}

#[test]
fn python_prints_the_same() {
    let cases: Vec<String> = golden("cases.json").unwrap();
    let answers: Vec<Option<PythonAnswer>> = golden("python.json").unwrap();
    assert_eq!(cases.len(), answers.len());
    let chars = |text: &String| text.chars().count();
    for (raw, answer) in cases.iter().zip(&answers) {
        let answer = answer.as_ref();
        let repr = answer.map(|answer| answer.repr.clone());
        assert_eq!(python::repr_char_len(raw), repr.as_ref().map(chars), "{raw}");
        assert_eq!(python::repr(raw), repr, "{raw}");
        for (ensure_ascii, dumped) in [(true, answer.map(|a| &a.ascii)), (false, answer.map(|a| &a.plain))] {
            assert_eq!(python::dumps_char_len(raw, ensure_ascii), dumped.map(chars), "{raw}");
            assert_eq!(python::dumps(raw, ensure_ascii).as_ref(), dumped, "{raw}");
        }
    }
}

/// `repr_str` shows a printable character as itself, apart from the backslash and the single quote.
#[test]
fn every_code_point_is_as_printable_as_in_python() {
    let expected: Printable = golden("printable.json").unwrap();
    assert_eq!(expected.unicode, "14.0.0");
    let printable = |code: u32| {
        char::from_u32(code).is_some_and(|c| c == '\\' || python::repr_str(c.encode_utf8(&mut [0; 4])).contains(c))
    };
    let bits: String = (0..0x11_0000).map(|code| if printable(code) { '1' } else { '0' }).collect();
    assert_eq!(bits.matches('1').count(), expected.count);
    let digest = Sha256::digest(bits.as_bytes());
    let hex: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex.concat(), expected.sha256);
}
