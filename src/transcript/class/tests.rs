//! Texts of our own, labelled by hand before the rules were run on them.

use std::fmt::Write;

use proptest::prelude::{prop_assert, proptest};

use super::ContentClass::{self, Cjk, Code, Diff, Encoded, Json, Log, Prose};
use super::{Script, describe};
use crate::transcript::{Block, Image, JsonText, Text, ToolCall};

const RUST: &str = "use std::fs;\n\npub fn read(path: &str) -> Option<String> {\n    let text = fs::read_to_string(path).ok()?;\n    Some(text.trim().to_owned())\n}\n";
const PYTHON: &str = "def total(rows):\n    \"\"\"Sum of the amounts.\"\"\"\n    result = 0\n    for row in rows:\n        result += row['amount']\n    return result\n";
const NUMBERED: &str = "     1→import { join } from 'node:path';\n     2→\n     3→export function home(name: string): string {\n     4→  return join(process.env.HOME ?? '/', name);\n     5→}\n";
const GREP: &str = "src/app.ts:12:  const size = await measure(file);\nsrc/app.ts:40:  if (size > limit) {\nsrc/lib.ts:7:export const limit = 4096;\n";
const HTML: &str =
    "<!doctype html>\n<html>\n<body>\n<p class=\"a\">Hello</p>\n<a href=\"/x\">next</a>\n</body>\n</html>\n";
const DIFF: &str = "diff --git a/src/main.rs b/src/main.rs\nindex 12ab34c..98fe76d 100644\n--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1,4 +1,4 @@\n fn main() {\n-    println!(\"one\");\n+    println!(\"two\");\n }\n";
const PATCH: &str = "@@ -10,3 +10,4 @@ The plan\n We meet on Monday in the small room.\n+Bring the printed list of open questions.\n See you there.\n";
const PRETTY: &str = "{\n  \"name\": \"demo\",\n  \"version\": \"1.0.0\",\n  \"tags\": [\n    \"first\",\n    \"second\"\n  ],\n  \"private\": true\n}\n";
const LOGS: &str = "2026-03-01T10:00:00Z INFO server started on port 8080\n2026-03-01T10:00:01Z WARN slow query took 1200 ms\n2026-03-01T10:00:02Z ERROR connection refused\n";
const TRACE: &str = "Traceback (most recent call last):\n  File \"/srv/app.py\", line 10, in <module>\n    main()\n  File \"/srv/app.py\", line 7, in main\n    raise ValueError('bad row')\nValueError: bad row\n";
const CARGO: &str = "   Compiling demo v0.1.0 (/tmp/demo)\n    Finished dev profile in 2.31s\n     Running unittests src/lib.rs\ntest parses_a_date ... ok\ntest refuses_a_word ... FAILED\n";
const LISTING: &str = "total 24\ndrwxr-xr-x 2 root root 4096 Jan  1 10:00 src\n-rw-r--r-- 1 root root  120 Jan  1 10:00 Cargo.toml\n-rw-r--r-- 1 root root 9000 Jan  1 10:00 README.md\n";
const FIND: &str = "./src/main.rs\n./src/lib.rs\n./src/parse/date.rs\n./tests/dates.rs\n";
const ENGLISH: &str = "Please look at the parser again. It fails on dates before 1970, and I would like to know why before we change anything.";
const MARKDOWN: &str = "# What I found\n\nThe reader skips the first row, because the header flag is never set.\n\n- It happens for every file without a header.\n- A test would have shown it at once.\n\nShall I repair it now?";
const FENCED: &str = "Here it is:\n\n```rust\nfn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\nfn main() {\n    println!(\"{}\", add(1, 2));\n}\n```\n";
const CHINESE: &str = "请先看一下解析器。它在一九七〇年以前的日期上失败，改动之前我想知道原因。";
const JAPANESE: &str = "まずパーサーを見てください。一九七〇年より前の日付で失敗します。";
const KOREAN: &str = "먼저 파서를 살펴봐 주세요. 천구백칠십 년 이전의 날짜에서 실패합니다.";
const MIXED: &str = "请运行 `cargo test`，然后把失败的测试发给我。谢谢！";
const COMMENTED: &str = "fn 主() {} // 入口\nlet total = rows.iter().map(|row| row.amount).sum::<u64>();\nlet mean = total / rows.len() as u64;\nreturn Ok(mean);\n";
const RUSSIAN: &str = "Посмотрите, пожалуйста, на разбор дат ещё раз. Он падает на старых датах.";
const SHELL: &str = "cd /srv/app && npm run build 2>&1 | tail -n 20";
const DUMP: &str = "00000000: 7f45 4c46 0201 0100 0000 0000 0000 0000\n00000010: 0300 3e00 0100 0000 c0d4 0100 0000 0000\n00000020: 4000 0000 00fa e800 0000 ab00 0000 0000\n";

fn labelled() -> Vec<(&'static str, ContentClass)> {
    vec![
        (RUST, Code),
        (PYTHON, Code),
        (NUMBERED, Code),
        (GREP, Code),
        (HTML, Code),
        (SHELL, Code),
        (FENCED, Code),
        (COMMENTED, Code),
        (DIFF, Diff),
        (PATCH, Diff),
        (PRETTY, Json),
        ("{\"a\":1,\"b\":[1,2,3],\"c\":{\"d\":null}}", Json),
        ("[{\"id\":1},{\"id\":2}]", Json),
        ("{'ok': True, 'rows': [1, 2]}", Json),
        ("\"{\\\"a\\\":1,\\\"b\\\":\\\"two\\\"}\"", Json),
        ("{\"t\":1}\n{\"t\":2}\n{\"t\":3}\n", Json),
        (LOGS, Log),
        (TRACE, Log),
        (CARGO, Log),
        (LISTING, Log),
        (FIND, Log),
        ("12 300 4.5\n13 310 4.7\n14 295 4.1\n", Log),
        (ENGLISH, Prose),
        (MARKDOWN, Prose),
        ("ok", Prose),
        ("", Prose),
        (RUSSIAN, Prose),
        (CHINESE, Cjk),
        (JAPANESE, Cjk),
        (KOREAN, Cjk),
        (MIXED, Cjk),
        (DUMP, Encoded),
    ]
}

#[test]
fn hand_labelled_texts_get_their_label() {
    let wrong: Vec<_> = labelled()
        .into_iter()
        .filter(|(text, label)| ContentClass::of_text(text) != *label)
        .map(|(text, label)| (ContentClass::of_text(text), label, text))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A deterministic stream of bytes: a linear congruential generator (the constants of Knuth's MMIX).
fn bytes(len: usize) -> Vec<u8> {
    let mut state = 7u64;
    let next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(len).collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bytes.iter().map(|byte| char::from(DIGITS[usize::from(byte & 63)])).collect()
}

#[test]
fn data_is_told_from_words() {
    let data = base64(&bytes(600));
    assert_eq!(ContentClass::of_text(&data), Encoded);
    let wrapped: Vec<&str> = (0..600).step_by(76).map(|at| &data[at..(at + 76).min(600)]).collect();
    assert_eq!(ContentClass::of_text(&wrapped.join("\n")), Encoded);
    assert_eq!(ContentClass::of_text(&format!("data:image/png;base64,{data}")), Encoded);
    let hex = bytes(200).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    });
    assert_eq!(ContentClass::of_text(&hex), Encoded);
    // Long runs that are no data: one letter, dashes, a path, a name.
    for run in ["a".repeat(500), "-".repeat(500), "/usr/local/lib".repeat(20), "some_long_name_of_a_test".repeat(20)] {
        assert_ne!(ContentClass::of_text(&run), Encoded, "{run}");
    }
    // A report that quotes one digest stays what it is.
    assert_eq!(ContentClass::of_text(&format!("{ENGLISH} The digest of the file is {}.", &hex[..64])), Prose);
}

#[test]
fn a_block_says_what_it_is() {
    let json = |raw: &str| JsonText::new(raw).unwrap();
    let call = ToolCall {
        id: "c".into(),
        name: Text::from("write").into(),
        arguments: json(r#"{"text":"Once upon a time."}"#),
    };
    let image = Image { data: "aGk=".into(), media_type: "image/png".into() };
    let thinking = Block::Thinking { text: Text::from(RUST), signature: None, redacted: false };
    assert_eq!(ContentClass::of_block(&Block::ToolCall(call)), Json);
    assert_eq!(ContentClass::of_block(&Block::Image(image)), ContentClass::Image);
    assert_eq!(ContentClass::of_block(&thinking), ContentClass::Thinking);
    assert_eq!(ContentClass::of_block(&Block::Text(Text::from(LOGS))), Log);
}

#[test]
fn scripts_are_told_apart() {
    let script = |text| describe(text).1;
    assert_eq!(script(ENGLISH), Script::Latin);
    assert_eq!(script(CHINESE), Script::Chinese);
    assert_eq!(script(JAPANESE), Script::Japanese);
    assert_eq!(script(KOREAN), Script::Korean);
    assert_eq!(script(RUSSIAN), Script::Cyrillic);
    assert_eq!(script("مرحبا بالعالم"), Script::Other);
    assert_eq!(script("12 + 30 = 42"), Script::None);
}

#[test]
fn names_are_distinct_and_in_the_order_of_the_table() {
    let names: std::collections::BTreeSet<_> = ContentClass::ALL.iter().map(|class| class.name()).collect();
    assert_eq!(names.len(), ContentClass::ALL.len());
    // `vote` counts by place in the table.
    assert!(ContentClass::ALL.iter().enumerate().all(|(place, class)| *class as usize == place));
}

proptest! {
    #[test]
    fn any_text_has_a_class_and_ends_of_lines_do_not_change_it(text in "\\PC{0,200}(\n\\PC{0,80}){0,4}") {
        let class = ContentClass::of_text(&text);
        prop_assert!(ContentClass::ALL.contains(&class));
        prop_assert!(ContentClass::of_text(&text.replace('\n', "\r\n")) == class);
    }
}
