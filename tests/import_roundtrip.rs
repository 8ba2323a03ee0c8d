//! Reading what the writer wrote gives the same content.

#![expect(clippy::unwrap_used, reason = "made by hand: what cannot be read is a failed test")]

mod common;

use cutpoint::import::{FindingKind, Format, neutral, pi, read_all, read_file, sniff};
use cutpoint::transcript::{
    Bash, Block, BranchSummary, Compaction, Content, ContextEdit, Cost, Custom, Entry, EntryIdx, EntryKind, Head,
    Image, JsonText, Message, Meta, Reply, StopReason, System, Text, ToolCall, ToolResult, ToolSchema, Transcript,
    Usage,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Without what is not content: line numbers, and the header's version, which is written as 3.
fn content(mut transcript: Transcript) -> Transcript {
    transcript.meta.version = None;
    for entry in &mut transcript.entries {
        entry.line = 0;
    }
    transcript
}

fn written(transcript: &Transcript) -> Vec<u8> {
    let mut bytes = Vec::new();
    pi::write(transcript, &mut bytes).unwrap();
    bytes
}

#[test]
fn every_file_survives() {
    for path in common::pi_files() {
        let Ok(first) = read_file(&path) else { continue };
        let bytes = written(&first.transcript);
        let second = pi::read(&bytes).unwrap();
        let (kept, expected) = (content(second.transcript), content(first.transcript));
        assert_eq!(kept.meta, expected.meta, "{}", path.display());
        assert_eq!(kept.entries.len(), expected.entries.len(), "{}", path.display());
        for (kept, expected) in kept.entries.iter().zip(&expected.entries) {
            assert_eq!(kept, expected, "{}", path.display());
        }
        assert_eq!(written(&kept), bytes, "{}: a second writing changes nothing", path.display());
    }
}

/// Without line breaks between the tokens of JSON, which a line of JSON Lines cannot hold, and without the mark of one plain
/// string where there is not one text.
fn on_one_line(mut transcript: Transcript) -> Transcript {
    let fix = |json: &mut JsonText| {
        if json.as_str().contains(['\n', '\r']) {
            *json = JsonText::new(json.as_str().replace(['\n', '\r'], " ")).unwrap();
        }
    };
    let content = |content: &mut Content| {
        content.plain &= matches!(content.blocks.as_slice(), [Block::Text(_)]);
        for block in &mut content.blocks {
            match block {
                Block::ToolCall(call) => fix(&mut call.arguments),
                Block::Other(raw) => fix(raw),
                _ => {}
            }
        }
    };
    transcript.meta.extra.iter_mut().for_each(fix);
    for entry in &mut transcript.entries {
        entry.extra.iter_mut().for_each(fix);
        match &mut entry.kind {
            EntryKind::Message(Message::User(said) | Message::Assistant(said, _)) => content(said),
            EntryKind::Message(Message::Custom(custom)) => content(&mut custom.content),
            EntryKind::Message(Message::ToolResult(result)) => {
                content(&mut result.content);
                result.details.iter_mut().for_each(fix);
            }
            EntryKind::Compaction(compaction) => compaction.details.iter_mut().for_each(fix),
            EntryKind::Note { raw, .. } => fix(raw),
            _ => {}
        }
    }
    transcript
}

fn neutral(transcript: &Transcript) -> Vec<u8> {
    let mut bytes = Vec::new();
    neutral::write(transcript, None, &mut bytes).unwrap();
    bytes
}

#[track_caller]
fn same(kept: &Transcript, expected: &Transcript, what: &str) {
    assert_eq!((&kept.meta, &kept.head), (&expected.meta, &expected.head), "{what}");
    assert_eq!(kept.entries.len(), expected.entries.len(), "{what}");
    for (kept, expected) in kept.entries.iter().zip(&expected.entries) {
        assert_eq!(kept, expected, "{what}");
    }
}

/// Sessions of every format survive as Pi sessions and in the neutral form, without a finding.
#[test]
fn sessions_of_every_format_survive() {
    let mut formats = std::collections::BTreeSet::new();
    for path in common::all_files() {
        let Ok((format, all)) = read_all(&std::fs::read(&path).unwrap()) else { continue };
        formats.insert(format.name());
        for imported in all {
            let what = format!("{} {:?}", path.display(), imported.part);
            let expected = on_one_line(imported.transcript);
            let bytes = neutral(&expected);
            let (format, mut again) = read_all(&bytes).unwrap();
            assert_eq!((format, again.len()), (Format::Neutral, 1), "{what}");
            let again = again.remove(0);
            same(&again.transcript, &expected, &what);
            // What the content itself brings along.
            let kept = |kind| matches!(kind, FindingKind::DuplicateId | FindingKind::LoneSurrogate);
            assert!(again.findings.iter().all(|one| kept(one.kind)), "{what}: {:?}", again.findings);
            assert_eq!(again.lines.total, expected.entries.len() + 1, "{what}");
            let bytes = written(&expected);
            assert_eq!(sniff(&bytes), Some(Format::Pi), "{what}");
            same(&content(pi::read(&bytes).unwrap().transcript), &content(expected), &what);
        }
    }
    assert!(formats.len() >= 3, "{formats:?}");
}

#[test]
fn additional_fields_are_written_back() {
    let line = r#"{"type":"message","id":"1","parentId":null,"timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"a","textSignature":"s"}],"api":"a","provider":"p","model":"m","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"tier":"x","cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0,"totalFromProvider":1}},"stopReason":"stop","timestamp":5,"responseId":"r"},"hostname":"h"}"#;
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/p","thinkingLevel":"off"}"#;
    let imported = pi::read(format!("{header}\n{line}\n").as_bytes()).unwrap();
    let bytes = String::from_utf8(written(&imported.transcript)).unwrap();
    let lines: Vec<serde_json::Value> = bytes.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let as_value = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    assert_eq!(lines, [as_value(header), as_value(line)]);
}

#[test]
fn a_note_takes_the_links_it_was_given() {
    let raw = JsonText::new(r#"{"type":"label","id":"x","parentId":"y","label":"l"}"#).unwrap();
    let kind = EntryKind::Note { kind: "label".into(), raw };
    let entry = Entry {
        id: "00000001".into(),
        parent: None,
        line: 0,
        timestamp: None,
        message_time_ms: None,
        kind,
        extra: None,
    };
    let bytes = written(&Transcript { entries: vec![entry], ..Transcript::default() });
    let note = String::from_utf8(bytes).unwrap().lines().nth(1).unwrap().to_owned();
    assert_eq!(note, r#"{"type":"label","id":"00000001","parentId":null,"label":"l"}"#);
}

fn word() -> impl Strategy<Value = Box<str>> {
    "[a-z\u{e9}\u{4e2d}\"\\\\ ]{0,8}".prop_map(Into::into)
}

fn text() -> impl Strategy<Value = Text> {
    any::<String>().prop_map(Text::new)
}

fn json() -> impl Strategy<Value = JsonText> {
    let leaf = prop_oneof!["[a-z\n]{0,5}".prop_map(serde_json::Value::from), any::<i32>().prop_map(Into::into)];
    let tree = leaf.prop_recursive(3, 12, 4, |inner| vec(("[a-z]{1,3}", inner), 0..4).prop_map(object));
    vec(("[a-z]{1,3}", tree), 0..3).prop_map(|fields| JsonText::new(object(fields).to_string()).unwrap())
}

fn object(fields: Vec<(String, serde_json::Value)>) -> serde_json::Value {
    serde_json::Value::Object(fields.into_iter().collect())
}

fn block() -> impl Strategy<Value = Block> {
    prop_oneof![
        text().prop_map(Block::Text),
        (text(), option::of(word()), any::<bool>()).prop_map(|(text, signature, redacted)| Block::Thinking {
            text,
            signature,
            redacted
        }),
        (word(), text(), json()).prop_map(|(id, name, arguments)| Block::ToolCall(ToolCall {
            id,
            name: name.into(),
            arguments
        })),
        (word(), word()).prop_map(|(data, media_type)| Block::Image(Image { data, media_type })),
        Just(Block::Other(JsonText::new(r#"{"type":"audio","data":[1,2]}"#).unwrap())),
    ]
}

fn any_content() -> impl Strategy<Value = Content> {
    prop_oneof![
        text().prop_map(|text| Content { blocks: vec![Block::Text(text)], plain: true }),
        vec(block(), 0..4).prop_map(|blocks| Content { blocks, plain: false }),
    ]
}

fn usage() -> impl Strategy<Value = Usage> {
    let tokens = 0_u64..1 << 53;
    let cost = (0.0..100.0, 0.0..1e-3).prop_map(|(input, output)| Cost { input, output, ..Cost::default() });
    (tokens.clone(), tokens.clone(), option::of(1..1_u64 << 53), option::of(tokens), option::of(cost)).prop_map(
        |(input, cache_read, total, reasoning, cost)| Usage {
            input,
            cache_read,
            total,
            reasoning,
            cost,
            ..Usage::default()
        },
    )
}

fn reply() -> impl Strategy<Value = Reply> {
    let stop = prop_oneof![Just(StopReason::Stop), Just(StopReason::Aborted), Just(StopReason::Other("odd".into()))];
    (word(), word(), stop, option::of(usage()), option::of(word())).prop_map(|(provider, model, stop, usage, error)| {
        Reply { api: "api".into(), provider: provider.into(), model: model.into(), stop, usage, error }
    })
}

fn message() -> impl Strategy<Value = Message> {
    let result = (word(), any_content(), any::<bool>(), option::of(json()), option::of(json()));
    let bash = (text(), text(), option::of(any::<i32>()), any::<[bool; 3]>(), option::of(word()));
    let custom = (word(), any_content(), any::<bool>(), option::of(json()));
    let sections = vec(("[a-z]{1,3}", text()), 0..2).prop_map(|mut sections| {
        sections.dedup_by(|a, b| a.0 == b.0);
        sections.into_iter().map(|(name, text)| (name.into(), text)).collect::<Vec<(Box<str>, Text)>>()
    });
    prop_oneof![
        any_content().prop_map(Message::User),
        (any_content(), reply()).prop_map(|(content, reply)| Message::Assistant(content, Box::new(reply))),
        result.prop_map(|(call_id, content, is_error, details, nested_calls)| Message::ToolResult(Box::new(
            ToolResult {
                call_id,
                tool: "t".into(),
                content,
                is_error,
                details,
                nested_calls: nested_calls.map(Box::new)
            }
        ))),
        bash.prop_map(|(command, output, code, [cancelled, truncated, excluded], path)| {
            let exit_code = code.map(i64::from);
            Message::Bash(Box::new(Bash {
                command,
                output,
                exit_code,
                cancelled,
                truncated,
                full_output_path: path,
                excluded,
            }))
        }),
        custom.prop_map(|(kind, content, display, details)| Message::Custom(Box::new(Custom {
            kind,
            content,
            display,
            details
        }))),
        (text(), sections, option::of(json())).prop_map(|(content, sections, tools_added)| Message::System(Box::new(
            System { content, sections, tools_added }
        ))),
        text().prop_map(Message::BranchSummary),
        text().prop_map(Message::CompactionSummary),
    ]
}

fn kind() -> impl Strategy<Value = EntryKind> {
    let compaction = (text(), option::of(word()), option::of(0..1_u64 << 53), option::of(json()), any::<bool>());
    let compaction = (compaction, option::of(usage()), vec(message(), 0..3));
    prop_oneof![
        8 => message().prop_map(EntryKind::Message),
        1 => (word(), word()).prop_map(|(provider, model)| EntryKind::ModelChange { provider, model }),
        1 => word().prop_map(EntryKind::ThinkingLevelChange),
        1 => compaction.prop_map(|((summary, first_kept, tokens_before, details, from_hook), usage, replacement)| {
            EntryKind::Compaction(Box::new(Compaction {
                summary,
                first_kept,
                tokens_before,
                details,
                from_hook,
                usage,
                system: None,
                replacement,
            }))
        }),
        1 => (word(), text(), option::of(json()), any::<bool>()).prop_map(|(from, summary, details, from_hook)| {
            EntryKind::BranchSummary(Box::new(BranchSummary { from, summary, details, from_hook }))
        }),
        1 => (word(), option::of(any_content()))
            .prop_map(|(target, replacement)| EntryKind::ContextEdit(Box::new(ContextEdit { target, replacement }))),
        1 => (word(), json()).prop_map(|(kind, raw)| EntryKind::Note { kind, raw }),
    ]
}

fn transcript() -> impl Strategy<Value = Transcript> {
    let entry = (kind(), any::<proptest::sample::Index>(), option::of(any::<i32>()), option::of(word()));
    let head = (option::of(text()), option::of(vec((word(), word(), word()), 0..2)));
    (vec(entry, 1..8), word(), option::of(word()), head).prop_map(|(parts, id, cwd, (system, tools))| {
        let entries = parts.into_iter().enumerate().map(|(at, (kind, parent, time, timestamp))| Entry {
            id: format!("{at:08x}").into(),
            // Any earlier entry, so that there are branches; about one in `at` is a root.
            parent: (at > 0).then(|| parent.index(at + 1)).filter(|&parent| parent < at).map(EntryIdx),
            line: 0,
            timestamp,
            message_time_ms: time.map(i64::from),
            kind,
            extra: None,
        });
        let meta = Meta { id, cwd, ..Meta::default() };
        let tool = |(name, description, parameters)| ToolSchema { name, description, parameters };
        let head = Head { system, tools: tools.map(|tools| tools.into_iter().map(tool).collect()) };
        Transcript { meta, head, entries: entries.collect() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]
    #[test]
    fn any_transcript_survives(transcript in transcript()) {
        let read = pi::read(&written(&transcript)).unwrap();
        prop_assert_eq!(content(read.transcript), transcript);
    }

    /// The neutral form also keeps the header's version and lines.
    #[test]
    fn any_transcript_survives_in_the_neutral_form(transcript in transcript()) {
        let read = neutral::read(&neutral(&transcript)).unwrap();
        let mut kept = read.transcript;
        kept.entries.iter_mut().for_each(|entry| entry.line = 0);
        prop_assert_eq!(kept, transcript);
    }

    /// Any bytes are read or refused, never a panic.
    #[test]
    fn any_damage_is_read_or_refused(
        transcript in transcript(), at in any::<proptest::sample::Index>(), with in vec(any::<u8>(), 0..4)
    ) {
        let mut bytes = written(&transcript);
        let at = at.index(bytes.len());
        bytes.splice(at..(at + 2).min(bytes.len()), with);
        let _ = pi::read(&bytes);
    }
}
