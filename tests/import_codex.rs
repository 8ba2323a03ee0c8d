//! Codex rollouts: the shared sessions with their recorded totals, and each quirk in a made-up file.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its file has failed")]

mod common;

use common::imported::{blocks, compactions, count, kinds, messages, orphans, prompts, roles, said, usages};
use cutpoint::import::{Confidence, FindingKind, Format, ImportError, Imported, codex, read_all, sniff};
use cutpoint::replay::History;
use cutpoint::transcript::{Block, EntryKind, Message, StopReason};

const META: &str = r#"{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p","cli_version":"0.99.0","model_provider":"openai","base_instructions":{"text":"Be brief."}}}"#;

/// A record of type `kind`.
fn record(kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-01-01T00:00:01.000Z","type":"{kind}","payload":{payload}}}"#)
}

fn item(payload: &str) -> String {
    record("response_item", payload)
}

fn said_by(role: &str, text: &str) -> String {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    item(&format!(r#"{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]}}"#))
}

fn call(id: &str) -> String {
    item(&format!(r#"{{"type":"function_call","name":"shell","arguments":"{{\"n\":1}}","call_id":"{id}"}}"#))
}

fn output(id: &str) -> String {
    item(&format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"out {id}"}}"#))
}

/// A `token_count` whose last call read `prompt` tokens, `cached` of them from the cache; running total `total`.
fn tokens(prompt: u64, cached: u64, output: u64, total: u64) -> String {
    record(
        "event_msg",
        &format!(
            r#"{{"type":"token_count","info":{{"total_token_usage":{{"input_tokens":{total}}},"last_token_usage":{{"input_tokens":{prompt},"cached_input_tokens":{cached},"output_tokens":{output},"reasoning_output_tokens":3,"total_tokens":{}}}}}}}"#,
            prompt + output
        ),
    )
}

fn read(lines: &[&str]) -> Imported {
    let mut all = codex::read(format!("{META}\n{}\n", lines.join("\n")).as_bytes()).unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn the_shared_rollouts_have_their_counts() {
    let Some(shared) = common::shared() else { return };
    // File, items (PROVENANCE; in the small file its snapshot is none, a picture beside a text one more), usages, sum of
    // prompts, compactions.
    let rows = [
        ("codex-agentv-2compactions.jsonl", 581, 180, 11_070_182, 2, true),
        ("codex-legacy-050.jsonl", 0, 0, 0, 0, true),
        ("codex-stage0-small.jsonl", 22, 1, 16_341, 6, false),
    ];
    for (file, items, calls, prompt, compacted, sound) in rows {
        let bytes = std::fs::read(shared.join("transcripts/codex").join(file)).unwrap();
        let (format, mut all) = read_all(&bytes).unwrap();
        assert_eq!((format, all.len()), (Format::Codex, 1), "{file}");
        let imported = all.remove(0);
        let transcript = &imported.transcript;
        let replies = count(transcript, |kind| matches!(kind, EntryKind::Message(Message::Assistant(..))));
        let read = messages(transcript).len() - replies
            + blocks(transcript, |block| matches!(block, Block::Thinking { .. } | Block::ToolCall(_)))
            + messages(transcript)
                .iter()
                .filter(|message| matches!(message, Message::Assistant(..)))
                .flat_map(|message| message.blocks())
                .filter(|block| matches!(block, Block::Text(_) | Block::Other(_) | Block::Image(_)))
                .count();
        assert_eq!(read, items, "{file}: items");
        assert_eq!((usages(transcript).len(), prompts(transcript)), (calls, prompt), "{file}: usage");
        assert_eq!(compactions(transcript), compacted, "{file}: compactions");
        assert_eq!(imported.findings.is_empty(), sound, "{file}: {:?}", kinds(&imported));
        assert_eq!(imported.lines.left_out, 0, "{file}");
        if sound {
            assert_eq!(orphans(transcript, History::Full), 0, "{file}");
        }
        assert!(transcript.entries.iter().all(|entry| entry.line > 0), "{file}");
    }
}

#[test]
fn the_large_rollout_is_read_whole() {
    let Some(shared) = common::shared() else { return };
    let bytes = std::fs::read(shared.join("transcripts/codex/codex-agentv-2compactions.jsonl")).unwrap();
    let transcript = codex::read(&bytes).unwrap().remove(0).transcript;
    assert!(transcript.head.system.as_ref().unwrap().byte_len() > 10_000);
    let usage = usages(&transcript);
    // The last running total: 10,637,312 of the prompt from the cache, 71,829 of output, 49,942 of it reasoning.
    assert_eq!(usage.iter().map(|usage| usage.cache_read).sum::<u64>(), 10_637_312);
    assert_eq!(usage.iter().map(|usage| usage.output).sum::<u64>(), 71_829);
    assert_eq!(usage.iter().filter_map(|usage| usage.reasoning).sum::<u64>(), 49_942);
    let compacted: Vec<_> = transcript
        .entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Compaction(compaction) => Some((entry.line, compaction)),
            _ => None,
        })
        .collect();
    // Before: the prompt and output of the last call. The new history is 9 and 12 messages and an encrypted summary.
    let found: Vec<_> = compacted.iter().map(|(line, one)| (*line, one.tokens_before, one.replacement.len())).collect();
    assert_eq!(found, [(272, Some(88_246), 9), (573, Some(95_808), 12)]);
    assert!(compacted.iter().all(|(_, one)| one.summary.is_empty() && one.first_kept.is_none()));
    assert!(compacted.iter().all(|(_, one)| one.details.as_ref().unwrap().as_str().contains("\"encrypted\":true")));
    let widest = messages(&transcript)
        .iter()
        .map(|message| message.blocks().iter().filter(|block| matches!(block, Block::ToolCall(_))).count())
        .max();
    assert_eq!(widest, Some(4), "parallel calls");
    assert_eq!(orphans(&transcript, History::Recorded), 0);
}

#[test]
fn items_of_one_reply_are_one_message() {
    let reasoning = item(
        r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"gAAA"}"#,
    );
    let event = record("event_msg", r#"{"type":"agent_message","message":"hi"}"#);
    let imported = read(&[
        &said_by("user", "go"),
        &reasoning,
        &event,
        &said_by("assistant", "hi"),
        &call("a"),
        &call("b"),
        &output("a"),
        &output("b"),
        &tokens(1000, 900, 50, 1000),
        &said_by("assistant", "done"),
        &tokens(1200, 1000, 20, 2200),
    ]);
    let transcript = &imported.transcript;
    assert_eq!(roles(transcript), ["user", "assistant", "result", "result", "assistant"]);
    assert_eq!(imported.findings, []);
    let Message::Assistant(content, reply) = messages(transcript)[1] else { panic!() };
    let [Block::Thinking { text, signature, redacted }, Block::Text(hi), Block::ToolCall(a), Block::ToolCall(_)] =
        content.blocks.as_slice()
    else {
        panic!("{content:?}")
    };
    assert_eq!((text.as_str(), signature.as_deref(), *redacted, hi.as_str()), ("a\n\nb", Some("gAAA"), false, "hi"));
    assert_eq!((&*a.id, a.name.as_str(), a.arguments.as_str()), ("a", "shell", r#"{"n":1}"#));
    assert_eq!(reply.stop, StopReason::ToolUse);
    // 1,000 in the prompt include 900 cached: 100 are input. Output includes the 3 of reasoning.
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.reasoning), (100, 900, 50, Some(3)));
    assert_eq!((usage.prompt().0, usage.context().0), (1000, 1050));
    let reply = transcript.entries.iter().find(|entry| &*entry.id == "rs_1").unwrap();
    assert_eq!(reply.line, 3, "the line and id of the first item");
    let Message::ToolResult(result) = messages(transcript)[3] else { panic!() };
    assert_eq!((&*result.call_id, &*result.tool, result.content.plain), ("b", "shell", true));
    assert_eq!(orphans(transcript, History::Full), 0);
}

#[test]
fn totals_that_are_sent_twice_count_once() {
    let null = record("event_msg", r#"{"type":"token_count","info":null}"#);
    let imported = read(&[
        &said_by("assistant", "one"),
        &tokens(10, 4, 1, 10),
        &tokens(10, 4, 1, 10),
        &null,
        &said_by("assistant", "two"),
        &tokens(10, 4, 1, 20),
    ]);
    assert_eq!((prompts(&imported.transcript), usages(&imported.transcript).len()), (20, 2));
    assert_eq!(count(&imported.transcript, |kind| matches!(kind, EntryKind::Note { .. })), 4, "events are notes");
    assert_eq!(imported.findings, []);
}

#[test]
fn usage_without_a_reply_is_reported() {
    let imported = read(&[&said_by("user", "go"), &tokens(10, 0, 1, 10), &said_by("assistant", "one")]);
    assert_eq!((usages(&imported.transcript).len(), kinds(&imported)), (0, vec![(4, FindingKind::MissingTarget)]));
    let imported = read(&[&said_by("assistant", "one"), &tokens(10, 40, 1, 10)]);
    assert_eq!(kinds(&imported), [(3, FindingKind::BadField)], "more cached than there is");
}

#[test]
fn a_compaction_has_its_new_history() {
    let compacted = record(
        "compacted",
        r#"{"message":"","window_id":"w2","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]},{"type":"compaction","encrypted_content":"gAAA"}]}"#,
    );
    // After it Codex sends an estimate of the new size, which is no call.
    let estimate = record(
        "event_msg",
        r#"{"type":"token_count","info":{"total_token_usage":{"input_tokens":500},"last_token_usage":{"input_tokens":0,"cached_input_tokens":0,"output_tokens":0,"total_tokens":77}}}"#,
    );
    let imported = read(&[
        &said_by("user", "go"),
        &said_by("assistant", "one"),
        &tokens(500, 0, 9, 500),
        &compacted,
        &estimate,
        &said_by("assistant", "two"),
        &tokens(90, 0, 9, 590),
    ]);
    let transcript = &imported.transcript;
    let EntryKind::Compaction(one) = &transcript.entries[3].kind else { panic!("{:?}", transcript.entries[3]) };
    assert_eq!((one.tokens_before, one.summary.as_str(), one.usage), (Some(509), "", None));
    assert_eq!(one.details.as_ref().unwrap().as_str(), r#"{"encrypted":true,"window_id":"w2"}"#);
    assert_eq!(one.replacement.iter().map(said).collect::<Vec<_>>(), ["go", "rules"]);
    assert_eq!((prompts(transcript), imported.findings.len()), (590, 0));
}

#[test]
fn a_readable_summary_is_the_summary() {
    let compacted = record(
        "compacted",
        r#"{"message":"Handoff: S","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},{"type":"message","role":"user","content":[{"type":"input_text","text":"Handoff: S"}]}]}"#,
    );
    let old = record("compacted", r#"{"message":"only words"}"#);
    // The summary request of that version has usage of its own, and no reply in the file.
    let imported = read(&[&said_by("user", "go"), &tokens(40, 0, 5, 40), &compacted, &old]);
    let found: Vec<_> = imported
        .transcript
        .entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Compaction(one) => Some((
                one.summary.as_str(),
                one.replacement.len(),
                one.usage.map(|usage| usage.input),
                one.tokens_before,
            )),
            _ => None,
        })
        .collect();
    assert_eq!(found, [("Handoff: S", 1, Some(40), Some(45)), ("only words", 0, None, None)]);
    assert_eq!(imported.findings, []);
}

#[test]
fn other_items_are_read() {
    let imported = read(&[
        &record("turn_context", r#"{"model":"gpt-x","effort":"high"}"#),
        &said_by("developer", "rules"),
        &item(
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,aGk="}]}"#,
        ),
        &item(r#"{"type":"custom_tool_call","call_id":"p","name":"apply_patch","input":"*** Begin Patch\n"}"#),
        &item(r#"{"type":"local_shell_call","call_id":"l","action":{"type":"exec","command":["ls"]}}"#),
        &item(r#"{"type":"tool_search_call","call_id":"t","arguments":{"query":"q"}}"#),
        &item(r#"{"type":"web_search_call","id":"ws","action":{"query":"q"}}"#),
        &item(r#"{"type":"image_generation_call","id":"ig","result":"QUJD"}"#),
        &item(
            r#"{"type":"custom_tool_call_output","call_id":"p","output":[{"type":"input_text","text":"ok"},{"type":"input_image","image_url":"https://x/y.png"}]}"#,
        ),
        &item(r#"{"type":"function_call_output","call_id":"l","output":{"content":"no","success":false}}"#),
        &item(r#"{"type":"tool_search_output","call_id":"t","tools":[{"name":"n"}]}"#),
        &item(r#"{"type":"ghost_snapshot","ghost_commit":{"id":"x"}}"#),
        &record("world_state", "{}"),
        &item(r#"{"type":"brand_new","x":1}"#),
        &record("brand_new", "{}"),
        &record("turn_context", r#"{"model":"gpt-y","effort":"high"}"#),
        META,
    ]);
    let transcript = &imported.transcript;
    assert_eq!(kinds(&imported), [(15, FindingKind::UnknownKind), (16, FindingKind::UnknownKind)]);
    assert_eq!(roles(transcript), ["custom", "user", "assistant", "result", "result", "result"]);
    let messages = messages(transcript);
    assert!(matches!(messages[1].blocks(), [Block::Text(_), Block::Image(image)]
        if (&*image.media_type, &*image.data) == ("image/png", "aGk=")));
    let [Block::ToolCall(patch), Block::ToolCall(shell), Block::ToolCall(search), Block::Other(_), Block::Image(made)] =
        messages[2].blocks()
    else {
        panic!("{:?}", messages[2])
    };
    assert_eq!(patch.arguments.as_str(), r#""*** Begin Patch\n""#);
    assert_eq!(
        (shell.name.as_str(), search.arguments.as_str(), &*made.data),
        ("local_shell", r#"{"query":"q"}"#, "QUJD")
    );
    assert_eq!(messages[2].reply().map(|reply| &*reply.model), Some("gpt-x"));
    assert!(matches!(messages[3].blocks(), [Block::Text(_), Block::Image(image)] if &*image.data == "https://x/y.png"));
    assert!(matches!(messages[4], Message::ToolResult(result) if result.is_error && &*result.tool == "local_shell"));
    assert_eq!(said(messages[5]), r#"[{"name":"n"}]"#);
    let models = count(transcript, |kind| matches!(kind, EntryKind::ModelChange { .. }));
    assert_eq!((models, count(transcript, |kind| matches!(kind, EntryKind::ThinkingLevelChange(_)))), (2, 1));
    assert_eq!(orphans(transcript, History::Full), 0);
}

#[test]
fn the_header_is_kept() {
    let meta = read(&[&said_by("user", "go")]).transcript;
    assert_eq!((&*meta.meta.id, meta.meta.cwd.as_deref()), ("s1", Some("/p")));
    assert_eq!(meta.head.system.unwrap().as_str(), "Be brief.");
    assert!(meta.meta.extra.unwrap().as_str().contains(r#""cli_version":"0.99.0""#));
    let forked = META.replace("\"id\":\"s1\"", "\"id\":\"s2\",\"forked_from_id\":\"s1\"");
    // A fork begins with its own header; that of its parent follows, copied.
    let imported = codex::read(format!("{forked}\n{META}\n{}", said_by("user", "go")).as_bytes()).unwrap().remove(0);
    assert_eq!((&*imported.transcript.meta.id, imported.transcript.meta.parent_session.as_deref()), ("s2", Some("s1")));
    assert_eq!(imported.findings, []);
}

#[test]
fn the_oldest_dialect_has_bare_items() {
    let file = concat!(
        r#"{"id":"o1","timestamp":"2025-05-01T00:00:00Z","instructions":"mine"}"#,
        "\n",
        r#"{"record_type":"state"}"#,
        "\n",
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}"#,
        "\n",
        r#"{"type":"reasoning","id":"rs","summary":[]}"#,
        "\n",
        r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}"#,
        "\n",
        r#"{"type":"function_call_output","call_id":"c","output":"{\"output\":\"x\"}"}"#,
        "\n",
    );
    assert_eq!(sniff(file.as_bytes()), Some(Format::Codex));
    let imported = codex::read(file.as_bytes()).unwrap().remove(0);
    assert_eq!(imported.findings, []);
    assert_eq!(roles(&imported.transcript), ["user", "assistant", "result"]);
    assert_eq!((&*imported.transcript.meta.id, orphans(&imported.transcript, History::Full)), ("o1", 0));
}

#[test]
fn damaged_files_give_what_they_hold() {
    let (one, two) = (said_by("user", "one"), said_by("user", "two"));
    let imported = read(&[&format!("{one}{two}"), &two[..60]]);
    assert_eq!(roles(&imported.transcript), ["user", "user"]);
    assert_eq!(kinds(&imported), [(2, FindingKind::GluedRecords), (3, FindingKind::MalformedLine)]);
    let imported = read(&[&format!("{}{two}", &one[..50]), &one.replace("one", r"\ud83d")]);
    assert_eq!(roles(&imported.transcript), ["user", "user"]);
    assert_eq!(kinds(&imported), [(2, FindingKind::MalformedLine), (3, FindingKind::LoneSurrogate)]);
    let imported = codex::read(format!("{one}\n{}", output("gone")).as_bytes()).unwrap().remove(0);
    assert_eq!(kinds(&imported), [(0, FindingKind::MissingHeader), (2, FindingKind::MissingTarget)]);
    assert!(matches!(codex::read(b"hello"), Err(ImportError::NoRecord { line: 1, .. })));
    assert!(matches!(codex::read(b" \n"), Err(ImportError::Empty)));
}

#[test]
fn a_rollout_is_told_by_its_first_bytes() {
    for end in [META.len(), 120] {
        assert_eq!(Format::Codex.sniff(&META.as_bytes()[..end]), Confidence::Sure, "{end}");
    }
    assert_eq!(Format::Codex.sniff(br#"{"type":"session","version":3,"cwd":"/"}"#), Confidence::No);
    assert_eq!(Format::Codex.sniff(br#"[{"role":"user","content":"x"}]"#), Confidence::No);
}

#[test]
fn no_cut_and_no_changed_byte_is_a_panic() {
    let file = [META, &said_by("user", "go"), &call("a"), &output("a"), &tokens(9, 1, 1, 9)].join("\n");
    for at in 0..file.len() {
        let _ = codex::read(&file.as_bytes()[..at]);
        let mut bytes = file.as_bytes().to_vec();
        bytes[at] = b'"';
        let _ = codex::read(&bytes);
        let _ = sniff(&bytes[at..]);
    }
}
