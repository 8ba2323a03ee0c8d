//! Hand-made Pi files: every version, every entry type, every kind of damage.

#![expect(clippy::unwrap_used, reason = "made by hand: what cannot be read is a failed test")]

use cutpoint::import::{Confidence, Finding, FindingKind, Format, ImportError, Imported, pi, read_file, sniff};
use cutpoint::transcript::{Block, EntryIdx, EntryKind, Message, Role, StopReason, System, Transcript};

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}"#;

/// A user message of version 3.
fn user(id: &str, parent: &str, text: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"t","message":{{"role":"user","content":"{text}","timestamp":7}}}}"#
    )
}

/// Reads a file of `HEADER` and `lines`.
fn read_lines(lines: &[&str]) -> Imported {
    pi::read(format!("{HEADER}\n{}\n", lines.join("\n")).as_bytes()).unwrap()
}

/// The only entry of a file of `HEADER` and `line`.
fn entry(line: &str) -> (EntryKind, Vec<Finding>) {
    let mut imported = read_lines(&[line]);
    assert_eq!(imported.transcript.entries.len(), 1, "{line}: {:?}", imported.findings);
    (imported.transcript.entries.remove(0).kind, imported.findings)
}

/// The message of `{"type":"message", ..., "message":{json}}`.
fn message(json: &str) -> (Message, Vec<Finding>) {
    let (kind, findings) = entry(&format!(r#"{{"type":"message","id":"1","parentId":null,"message":{json}}}"#));
    let EntryKind::Message(message) = kind else { panic!("{kind:?}") };
    (message, findings)
}

fn kinds(imported: &Imported) -> Vec<(usize, FindingKind)> {
    imported.findings.iter().map(|finding| (finding.line, finding.kind)).collect()
}

fn first_text(message: &Message) -> &str {
    match message.blocks() {
        [Block::Text(text), ..] => text.as_str(),
        other => panic!("{other:?}"),
    }
}

fn texts(transcript: &Transcript) -> Vec<&str> {
    let messages = transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message(message) => Some(first_text(message)),
        _ => None,
    });
    messages.collect()
}

#[test]
fn version_1_is_a_line_of_ordinals() {
    let file = concat!(
        r#"{"type":"session","id":"s","timestamp":"t","cwd":"/p","provider":"a","modelId":"m","thinkingLevel":"off","branchedFrom":"/old.jsonl"}"#,
        "\n",
        r#"{"type":"message","timestamp":"t1","message":{"role":"user","content":"one","timestamp":1}}"#,
        "\n",
        r#"{"type":"thinking_level_change","timestamp":"t2","thinkingLevel":"high"}"#,
        "\n",
        r#"{"type":"compaction","timestamp":"t3","summary":"S","firstKeptEntryIndex":2,"tokensBefore":10}"#,
        "\n",
        r#"{"type":"compaction","timestamp":"t4","summary":"S","firstKeptEntryIndex":0,"tokensBefore":10}"#,
        "\n",
        r#"{"type":"compaction","timestamp":"t5","summary":"S","firstKeptEntryIndex":99,"tokensBefore":10}"#,
        "\n",
    );
    let imported = pi::read(file.as_bytes()).unwrap();
    let Transcript { meta, entries, .. } = &imported.transcript;
    assert_eq!((meta.version, meta.parent_session.as_deref()), (None, Some("/old.jsonl")));
    let extra = meta.extra.as_ref().unwrap().as_str();
    assert_eq!(extra, r#"{"provider":"a","modelId":"m","thinkingLevel":"off"}"#);
    let ids: Vec<&str> = entries.iter().map(|entry| &*entry.id).collect();
    assert_eq!(ids, ["00000000", "00000001", "00000002", "00000003", "00000004"]);
    assert_eq!((entries[0].parent, entries[4].parent), (None, Some(EntryIdx(3))));
    // The index counts the header as 0: object 2 is the second entry, object 0 no entry at all.
    let kept = entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Compaction(compaction) => Some(compaction.first_kept.as_deref()),
        _ => None,
    });
    assert_eq!(kept.collect::<Vec<_>>(), [Some("00000001"), None, None]);
    assert_eq!(kinds(&imported), [(6, FindingKind::MissingTarget)]);
}

#[test]
fn version_2_calls_a_custom_message_by_its_old_name() {
    let (message, findings) =
        message(r#"{"role":"hookMessage","customType":"h","content":"x","display":true,"timestamp":3}"#);
    let Message::Custom(custom) = &message else { panic!("{message:?}") };
    assert_eq!((&*custom.kind, custom.display, findings.len()), ("h", true, 0));
}

#[test]
fn a_reply_is_read_whole() {
    let (message, findings) = message(
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"sig","redacted":true},
        {"type":"toolCall","id":"c","name":"read","arguments":{"path":"é"}}],"api":"x","provider":"p","model":"m",
        "usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cacheWrite1h":4,"reasoning":1,"totalTokens":0,
        "cost":{"input":0.5,"total":0.75}},"stopReason":"pending","errorMessage":"E"}"#
            .replace('\n', " ")
            .as_str(),
    );
    assert_eq!(findings, []);
    let Message::Assistant(content, reply) = &message else { panic!("{message:?}") };
    let [Block::Thinking { text, signature, redacted }, Block::ToolCall(call)] = content.blocks.as_slice() else {
        panic!("{content:?}")
    };
    assert_eq!((text.as_str(), signature.as_deref(), *redacted), ("hm", Some("sig"), true));
    assert_eq!((call.name.as_str(), call.arguments.as_str()), ("read", r#"{"path":"é"}"#));
    let usage = reply.usage.unwrap();
    // 1 + 2 + 3 + 4: a total of zero is none.
    assert_eq!((usage.total, usage.context().0, usage.cache_write_1h, usage.reasoning), (None, 10, Some(4), Some(1)));
    assert!((usage.cost.unwrap().total - 0.75).abs() < f64::EPSILON);
    assert_eq!((&reply.stop, reply.error.as_deref()), (&StopReason::Other("pending".into()), Some("E")));
}

#[test]
fn fields_may_come_in_any_order() {
    let line = r#"{"message":{"content":[{"text":"t","type":"text"},{"arguments":{},"name":"n","id":"c","type":"toolCall"}],"usage":{"input":1,"output":0,"cacheRead":0,"cacheWrite":0},"stopReason":"stop","api":"a","provider":"p","model":"m","role":"assistant"},"id":"1","parentId":null,"type":"message"}"#;
    let (kind, findings) = entry(line);
    assert_eq!(findings, []);
    let EntryKind::Message(Message::Assistant(content, reply)) = kind else { panic!("{kind:?}") };
    assert_eq!((content.blocks.len(), reply.usage.unwrap().input, &*reply.model), (2, 1, "m"));
}

#[test]
fn the_other_roles_are_read() {
    let (bash, _) = message(
        r#"{"role":"bashExecution","command":"ls","output":"o","exitCode":2,"cancelled":true,"truncated":true,"fullOutputPath":"/f","excludeFromContext":true}"#,
    );
    let Message::Bash(bash) = bash else { panic!() };
    assert_eq!((bash.command.as_str(), bash.output.as_str(), bash.exit_code), ("ls", "o", Some(2)));
    assert!(bash.cancelled && bash.truncated && bash.excluded);

    let (system, findings) = message(
        r#"{"role":"system","content":"be brief","sections":{"a":"A","gone":null},"toolsAdded":[{"name":"t"}],"toolsRemoved":["u"]}"#,
    );
    let Message::System(system) = system else { panic!() };
    let System { content, sections, tools_added } = *system;
    assert_eq!((content.as_str(), sections.len(), findings.len()), ("be brief", 1, 0));
    assert_eq!(tools_added.unwrap().as_str(), r#"[{"name":"t"}]"#);

    let (result, _) = message(
        r#"{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"image","data":"aGk=","mimeType":"image/png"}],"details":{"d":1},"nestedCalls":[1],"isError":true}"#,
    );
    let Message::ToolResult(result) = result else { panic!() };
    assert!(result.is_error && result.details.is_some() && result.nested_calls.is_some());
    assert!(matches!(&result.content.blocks[..], [Block::Image(image)] if &*image.media_type == "image/png"));
}

#[test]
fn entries_besides_messages_are_read() {
    let (kind, _) = entry(
        r#"{"type":"compaction","id":"1","parentId":null,"summary":"S","firstKeptEntryId":"1","tokensBefore":9,"details":{"readFiles":[]},"fromHook":true,"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0},"systemMessage":{"role":"system"}}"#,
    );
    let EntryKind::Compaction(compaction) = kind else { panic!() };
    assert!(compaction.from_hook && compaction.details.is_some() && compaction.system.is_some());
    assert_eq!((compaction.tokens_before, compaction.usage.unwrap().output), (Some(9), 2));

    let (kind, _) = entry(r#"{"type":"branch_summary","id":"1","parentId":null,"fromId":"x","summary":""}"#);
    assert!(matches!(kind, EntryKind::BranchSummary(one) if &*one.from == "x" && one.summary.is_empty()));

    let (kind, findings) =
        entry(r#"{"type":"context_edit","id":"1","parentId":null,"targetId":"1","replacement":null}"#);
    assert!(matches!(kind, EntryKind::ContextEdit(edit) if edit.replacement.is_none()) && findings.is_empty());
    let (kind, _) =
        entry(r#"{"type":"context_edit","id":"1","parentId":null,"targetId":"1","replacement":{"content":"new"}}"#);
    assert!(matches!(kind, EntryKind::ContextEdit(edit) if edit.replacement.as_ref().is_some_and(|new| new.plain)));

    let (kind, _) =
        entry(r#"{"type":"custom_message","id":"1","parentId":null,"customType":"k","content":"c","display":false}"#);
    assert!(matches!(kind, EntryKind::Message(message) if message.role() == Role::Custom));

    for word in ["custom", "label", "session_info", "usage"] {
        let line = format!(r#"{{"type":"{word}","id":"1","parentId":null,"data":{{"a": 1}}}}"#);
        let (kind, findings) = entry(&line);
        assert!(matches!(kind, EntryKind::Note { kind, raw } if &*kind == word && raw.as_str() == line));
        assert_eq!(findings, []);
    }
    let (kind, findings) = entry(r#"{"type":"leaf","id":"1","parentId":null,"targetId":"x"}"#);
    assert!(matches!(kind, EntryKind::Note { .. }) && findings[0].kind == FindingKind::MissingTarget);
}

#[test]
fn bad_fields_are_empty_and_reported() {
    for content in ["null", "5", r#"{"a":[1]}"#] {
        let (message, findings) = message(&format!(r#"{{"role":"user","content":{content}}}"#));
        assert_eq!((message.blocks().len(), findings[0].kind), (0, FindingKind::BadField), "{content}");
    }
    let (message, findings) =
        message(r#"{"role":"user","content":["s",{"type":"new","a":1},{"type":"text","text":5}]}"#);
    assert!(matches!(message.blocks(), [Block::Other(s), Block::Other(new), Block::Text(empty)]
        if s.as_str() == "\"s\"" && new.as_str() == r#"{"type":"new","a":1}"# && empty.is_empty()));
    assert_eq!(findings.len(), 3);
    for odd in [r#"{"role":"ghost","content":"x"}"#, "null", "[]", "{}"] {
        let (kind, findings) = entry(&format!(r#"{{"type":"message","id":"1","parentId":null,"message":{odd}}}"#));
        assert!(matches!(kind, EntryKind::Note { .. }) && findings.len() == 1, "{odd}: {findings:?}");
    }
}

#[test]
fn damaged_lines_give_what_they_hold() {
    let (one, two, three) = (user("1", "null", "one"), user("2", "\"1\"", "two"), user("3", "\"2\"", "three"));
    let imported = read_lines(&[&format!("{one}{two}"), &three]);
    assert_eq!(
        (texts(&imported.transcript), kinds(&imported)),
        (vec!["one", "two", "three"], vec![(2, FindingKind::GluedRecords)])
    );
    let imported = read_lines(&[&one, &format!("{}{three}", &two[..40])]);
    assert_eq!(
        (texts(&imported.transcript), imported.findings[0].kind),
        (vec!["one", "three"], FindingKind::MalformedLine)
    );
    let imported = read_lines(&[&format!("\0\0{one}\0"), "\0\0\0", "", &two]);
    assert_eq!(texts(&imported.transcript), ["one", "two"]);
    assert_eq!(kinds(&imported), [(2, FindingKind::NulPadding), (3, FindingKind::NulPadding)]);
    assert_eq!((imported.lines.total, imported.lines.blank, imported.lines.left_out), (5, 1, 1));
    let imported = pi::read(format!("{HEADER}\n{one}\n{}", &two[..50]).as_bytes()).unwrap();
    assert_eq!((texts(&imported.transcript), kinds(&imported)), (vec!["one"], vec![(3, FindingKind::TruncatedLine)]));
}

#[test]
fn lone_surrogates_cost_no_line() {
    let line = r#"{"type":"message","id":"1","parentId":null,"message":{"role":"user","content":"a\ud83d!"}}"#;
    let imported = read_lines(&[line, &user("2", "\"1\"", r"\ud83d\ude00")]);
    assert_eq!(texts(&imported.transcript), ["a\u{FFFD}!", "😀"]);
    assert_eq!(kinds(&imported), [(2, FindingKind::LoneSurrogate)]);
}

#[test]
fn several_roots_are_no_fault_and_a_second_header_is() {
    let imported = read_lines(&[&user("1", "null", "one"), &user("2", "null", "two"), HEADER]);
    assert_eq!(kinds(&imported), [(4, FindingKind::ExtraHeader)]);
    assert_eq!(imported.transcript.path(), [EntryIdx(1)]);
}

#[test]
fn unreadable_files_are_errors_with_a_hint() {
    assert!(matches!(pi::read(b" \n\n"), Err(ImportError::Empty)));
    assert!(matches!(pi::read(b"\xFF\xFEa\0"), Err(ImportError::NotText { .. })));
    let error = pi::read(b"hello\nworld\n").unwrap_err();
    assert!(matches!(error, ImportError::NoRecord { line: 1, .. }), "{error}");
    assert!(error.hint().contains("session"));
    let error = read_file("no/such/file.jsonl").unwrap_err();
    assert!(error.to_string().contains("file.jsonl: cannot read the file"), "{error}");
}

#[test]
fn a_pi_file_is_told_by_its_first_bytes() {
    assert_eq!(sniff(HEADER.as_bytes()), Some(Format::Pi));
    assert_eq!(Format::Pi.sniff(&HEADER.as_bytes()[..30]), Confidence::Sure, "the head may end early");
    assert_eq!(Format::Pi.sniff(user("1", "null", "x").as_bytes()), Confidence::Maybe);
    assert_eq!(sniff(br#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user"}}"#), None);
    assert_eq!(sniff(b""), None);
}
