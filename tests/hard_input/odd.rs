//! Files in forms that no agent writes, but that people have: lists of records, records printed over lines, documents edited by
//! hand, counts that are none.

use cutpoint::import::{FindingKind, read_all};

use crate::{entries, kinds, sample};

/// Formats of one record a line.
const LINES: &[&str] = &["pi/tree.jsonl", "claude-code/session.jsonl", "codex/rollout.jsonl", "jsonl/tree.jsonl"];

#[test]
fn a_list_of_records_a_line_each_is_read() {
    for name in LINES {
        let text = sample(name);
        let (format, base) = read_all(text.as_bytes()).unwrap();
        let list = format!("[{}]\n", text.trim_end().replace('\n', ",\n"));
        let (read, all) = read_all(list.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((read, entries(&all)), (format, entries(&base)), "{name}: {:?}", all[0].findings);
        // A bracket, a comma behind each record but the last, and a bracket.
        let lines = text.trim_end().lines().count();
        assert_eq!(kinds(&all), vec![FindingKind::MalformedLine; lines + 1], "{name}");
        let mut places: Vec<_> = all[0].findings.iter().take(2).map(|one| (one.line, one.column)).collect();
        places.sort_unstable();
        let first = text.lines().next().unwrap().len();
        assert_eq!(places, [(1, Some(1)), (1, Some(first + 2))], "{name}");
    }
}

#[test]
fn records_printed_over_lines_are_joined() {
    for name in LINES {
        let text = sample(name);
        let (format, base) = read_all(text.as_bytes()).unwrap();
        let pretty = |line: &str| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            serde_json::to_string_pretty(&value).unwrap()
        };
        let pretty: Vec<String> = text.lines().map(pretty).collect();
        let (read, all) = read_all(pretty.join("\n").as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((read, entries(&all)), (format, entries(&base)), "{name}: {:?}", all[0].findings);
        assert!(kinds(&all).iter().all(|kind| *kind == FindingKind::RawNewline), "{name}: {:?}", all[0].findings);
    }
}

#[test]
fn commas_at_the_end_of_lists_are_left_out() {
    for name in ["openai/log.json", "gemini/document.json", "anthropic-messages/body.json", "langgraph/thread.json"] {
        let text = sample(name);
        let (format, base) = read_all(text.as_bytes()).unwrap();
        let at = text.rfind('}').unwrap();
        let edited = format!("{},{}", &text[..at], &text[at..]);
        let (read, all) = read_all(edited.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((read, entries(&all)), (format, entries(&base)), "{name}");
        assert_eq!(kinds(&all), [FindingKind::MalformedLine], "{name}");
        let start = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
        assert_eq!(all[0].findings[0].column, Some(at - start + 1), "{name}");
    }
}

/// Columns behind repairs are those of the file: a bad byte before, a raw line break before.
#[test]
fn a_place_behind_a_repair_is_that_of_the_file() {
    let part = r#"{"type":"hologram"}"#;
    let document = |text: &[u8]| {
        let head = br#"{"messages":[{"role":"system","content":"s"},{"role":"user","content":""#;
        let tail = format!(r#""}},{{"role":"user","content":[{part}]}}]}}"#);
        [head, text, tail.as_bytes()].concat()
    };
    for (text, kind) in [(&b"a\xFF\xFEb"[..], FindingKind::InvalidUtf8), (b"a\nb\tc", FindingKind::RawNewline)] {
        let bytes = document(text);
        let (_, all) = read_all(&bytes).unwrap();
        let at = memchr::memmem::find(&bytes, part.as_bytes()).unwrap();
        let start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
        let line = bytecount::count(&bytes[..at], b'\n') + 1;
        let found: Vec<_> = all[0].findings.iter().map(|one| (one.kind, one.line, one.column)).collect();
        let unknown = (FindingKind::UnknownKind, line, Some(at - start + 1));
        assert!(found.contains(&unknown) && found.iter().any(|one| one.0 == kind), "{found:?}");
    }
    // The same on a line of a log.
    let line = document(b"a\xFFb");
    let (_, all) = read_all(&[&line[..], b"\n", &line[..]].concat()).unwrap();
    let at = memchr::memmem::find(&line, part.as_bytes()).unwrap();
    let mut found: Vec<_> = all.iter().flat_map(|one| &one.findings).collect();
    found.retain(|one| one.kind == FindingKind::UnknownKind);
    let places: Vec<_> = found.iter().map(|one| (one.line, one.column)).collect();
    // There it is the list of messages, which begins before the bad byte and holds the part: `{"messages":` are 12 bytes.
    assert!(at > 13);
    assert_eq!(places, [(1, Some(13)), (2, Some(13))], "{found:?}");
}

#[test]
fn numbers_that_are_no_counts_break_nothing() {
    let huge = u64::MAX.to_string();
    let claude = r#"{"parentUuid":null,"isSidechain":false,"sessionId":"S","type":"assistant","message":{"id":"m","role":"assistant","model":"x","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":HUGE,"output_tokens":HUGE,"cache_read_input_tokens":7,"cache_creation_input_tokens":HUGE}},"uuid":"u","timestamp":"2026-01-01T00:00:00.000Z"}"#;
    let openai = r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}],"response":{"choices":[{"message":{"role":"assistant","content":"b"}}],"usage":{"prompt_tokens":HUGE,"completion_tokens":HUGE,"prompt_tokens_details":{"cached_tokens":HUGE}}}}"#;
    let gemini = r#"{"sessionId":"s","projectHash":"p","messages":[{"id":"1","type":"user","content":"a"},{"id":"2","type":"gemini","content":"b","tokens":{"input":HUGE,"output":HUGE,"cached":HUGE}}]}"#;
    let langchain = r#"[{"type":"human","id":"1","content":"a"},{"type":"ai","id":"2","content":"b","usage_metadata":{"input_tokens":HUGE,"output_tokens":3}}]"#;
    let codex = [
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/"}}"#,
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]}}"#,
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9},"last_token_usage":{"input_tokens":7,"cached_input_tokens":HUGE,"output_tokens":0}}}}"#,
    ]
    .join("\n");
    for text in [claude, openai, gemini, langchain, &codex] {
        for number in [&huge, "-1", "1e400", "0.5", "18446744073709551616"] {
            let (_, all) = read_all(text.replace("HUGE", number).as_bytes()).unwrap();
            assert!(kinds(&all).contains(&FindingKind::BadField), "{number} in {text} is left out in silence");
            for reply in all[0].transcript.entries.iter().filter_map(|entry| match &entry.kind {
                cutpoint::transcript::EntryKind::Message(message) => message.reply(),
                _ => None,
            }) {
                let prompt = reply.usage.map_or(0, |usage| usage.prompt().0.max(usage.context().0));
                assert!(prompt <= 7, "{number} in {text} makes a prompt of {prompt}");
            }
        }
    }
}

/// Findings stand with the session of their line, whatever the kind of file.
#[test]
fn a_finding_belongs_to_the_session_of_its_line() {
    let part = |text: &str| {
        format!(r#"{{"messages":[{{"role":"system","content":"{text}"}},{{"role":"user","content":"go"}}]}}"#)
    };
    let lines = [part("a"), part("b"), "{oops".to_owned(), part("c").replace("go", "g\\ud83do"), part("d")];
    let (_, all) = read_all(lines.join("\n").as_bytes()).unwrap();
    let found: Vec<Vec<_>> =
        all.iter().map(|one| one.findings.iter().map(|one| (one.line, one.kind)).collect()).collect();
    let expected = [vec![], vec![(3, FindingKind::MalformedLine)], vec![(4, FindingKind::LoneSurrogate)], vec![]];
    assert_eq!(found, expected);
    // The same in one document, over lines and on one.
    for between in [",", ",\n"] {
        let document =
            format!("[{}]", [part("a"), part("b"), part("c").replace("go", "g\\ud83do"), part("d")].join(between));
        let (_, all) = read_all(document.as_bytes()).unwrap();
        let found: Vec<Vec<_>> = all.iter().map(|one| one.findings.iter().map(|one| one.kind).collect()).collect();
        assert_eq!(found, [vec![], vec![], vec![FindingKind::LoneSurrogate], vec![]]);
    }
}

/// A link of another type than a name is told where it stands.
#[test]
fn a_parent_that_is_no_name_makes_a_root() {
    let text = sample("pi/tree.jsonl").replacen(r#""parentId":"00000001""#, r#""parentId":7"#, 1);
    let (_, all) = read_all(text.as_bytes()).unwrap();
    let [finding] = all[0].findings.as_slice() else { panic!("{:?}", all[0].findings) };
    let line = text.lines().nth(finding.line - 1).unwrap();
    assert_eq!(finding.column, Some(line.find(r#"7,"timestamp""#).unwrap() + 1), "{finding:?}");
}

/// A converted session keeps the lines of its source, but a fault stands on a line of the file that is read.
#[test]
fn faults_of_a_converted_session_stand_on_its_own_lines() {
    let text = sample("jsonl/tree.jsonl").replacen(r#""index":2,"parent":1,"#, r#""index":2,"parent":99,"#, 1);
    let (_, all) = read_all(text.replacen(r#""line":4,"#, r#""line":900,"#, 1).as_bytes()).unwrap();
    let fault = all[0].findings.iter().find(|one| one.kind == FindingKind::MissingParent).unwrap();
    assert_eq!((all[0].transcript.entries[2].line, fault.line, fault.column), (900, 4, Some(1)));
    assert_eq!(all[0].places[2], (4, 1));
}
