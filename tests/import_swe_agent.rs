//! SWE-agent trajectories: the shared files, and each quirk in a made-up file.

mod common;

use common::imported::{count, kinds, messages, orphans, roles, usages};
use cutpoint::import::{Confidence, FindingKind, Format, ImportError, Imported, read_all, swe_agent};
use cutpoint::replay::History;
use cutpoint::transcript::{EntryKind, Message, Transcript};

fn notes(transcript: &Transcript) -> Vec<&str> {
    let notes = transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Note { kind, raw } if &**kind == "history_processors" => Some(raw.as_str()),
        _ => None,
    });
    notes.collect()
}

#[test]
fn the_shared_trajectories_have_their_counts() {
    let Some(shared) = common::shared() else { return };
    // File, messages with the system prompt (PROVENANCE), answers to calls, steps after which more was shortened, model.
    let rows = [
        ("swe-agent-marshmallow-1867-function-calling.traj", 28, 13, 8, "replay"),
        ("swe-agent-ctf-i-got-id.traj", 43, 0, 0, ""),
        ("swe-smith-pydantic-8316.traj", 46, 22, 0, "claude-3-7-sonnet-20250219"),
    ];
    for (file, all, answers, shortened, model) in rows {
        let bytes = std::fs::read(shared.join("transcripts/swe-agent").join(file)).unwrap();
        let (format, mut read) = read_all(&bytes).unwrap();
        assert_eq!((format, read.len()), (Format::SweAgent, 1), "{file}");
        let Imported { transcript, findings, .. } = read.remove(0);
        assert_eq!(findings, [], "{file}");
        assert!(transcript.head.system.is_some(), "{file}");
        assert_eq!(messages(&transcript).len() + 1, all, "{file}");
        let results = count(&transcript, |kind| matches!(kind, EntryKind::Message(Message::ToolResult(_))));
        assert_eq!((results, notes(&transcript).len()), (answers, shortened), "{file}");
        assert_eq!((usages(&transcript).len(), orphans(&transcript, History::Full)), (0, 0), "{file}: totals only");
        let replies = messages(&transcript);
        assert!(replies.iter().filter_map(|one| one.reply()).all(|reply| &*reply.model == model), "{file}");
        assert!(transcript.meta.extra.unwrap().as_str().contains("model_stats"), "{file}");
    }
}

const FILE: &str = r#"{"environment":"env","trajectory":[
  {"action":"ls","observation":"one","response":"r","state":"{}","messages":[{"role":"system","content":"s"},{"role":"user","content":"task"},{"role":"assistant","content":"t"},{"role":"tool","content":"one"}]},
  {"action":"ls","observation":"two","response":"r","state":"{}","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"task","cache_control":{"type":"ephemeral"}}]},{"role":"assistant","content":"t"},{"role":"tool","content":"(1 line omitted)"},{"role":"assistant","content":"u"},{"role":"tool","content":"two"}]}],
 "history":[
  {"role":"system","content":"s","message_type":"system_prompt"},
  {"role":"user","content":"task","message_type":"observation"},
  {"role":"assistant","content":"t","thought":"t","action":"ls","tool_calls":[{"function":{"name":"bash","arguments":"{\"c\":1}"},"id":"a","type":"function"}],"message_type":"action"},
  {"role":"tool","content":"one","tool_call_ids":["a"]},
  {"role":"assistant","content":"u","tool_calls":[{"function":{"name":"bash","arguments":"{}"},"id":"b","type":"function"},{"function":{"name":"bash","arguments":"{}"},"id":"c","type":"function"}]},
  {"role":"tool","content":[{"type":"text","text":"two"}],"tool_call_ids":["b","c"]}],
 "info":{"exit_status":"submitted","submission":"diff","model_stats":{"tokens_sent":9}},
 "replay_config":"{\"agent\":{\"model\":{\"name\":\"m\"}}}"}"#;

#[test]
fn answers_pair_by_the_list_of_ids() {
    let imported = swe_agent::read(FILE.as_bytes()).unwrap().remove(0);
    let transcript = &imported.transcript;
    assert_eq!(roles(transcript), ["user", "assistant", "result", "assistant", "result", "result"]);
    assert_eq!(kinds(&imported), [(10, FindingKind::BadField)], "one answer to two calls, on the tenth line");
    assert_eq!(orphans(transcript, History::Full), 0);
    assert_eq!(messages(transcript)[1].reply().map(|reply| &*reply.model), Some("m"));
    let meta = &transcript.meta;
    assert_eq!(&*meta.id, "env");
    let extra = meta.extra.as_ref().unwrap().as_str();
    assert_eq!(extra, r#"{"exit_status":"submitted","model_stats":{"tokens_sent":9}}"#);
}

#[test]
fn shortened_observations_are_noted() {
    let imported = swe_agent::read(FILE.as_bytes()).unwrap().remove(0);
    // The mark for the cache around the task is no change; the answer `one` is entry 2, after two messages of the head.
    let note = r#"{"step":1,"shown":[{"id":"00000002","content":"(1 line omitted)"}]}"#;
    assert_eq!(notes(&imported.transcript), [note]);
    let at = imported.transcript.entries.iter().position(|entry| matches!(entry.kind, EntryKind::Note { .. }));
    assert_eq!(at, Some(imported.transcript.entries.len() - 1), "after the last answer of the step");
}

#[test]
fn old_files_have_observations_of_the_user() {
    let file = r#"{"environment":"swe_main","trajectory":[{"action":"ls","observation":"o","response":"r","thought":"t","state":"{}"}],"history":[{"role":"system","content":"s"},{"role":"user","content":"demo","is_demo":true},{"role":"assistant","content":"ls","thought":"t","action":"ls"},{"role":"user","content":"o"}],"info":{}}"#;
    assert_eq!(Format::SweAgent.sniff(&file.as_bytes()[..120]), Confidence::Sure);
    let imported = swe_agent::read(file.as_bytes()).unwrap().remove(0);
    assert_eq!((imported.findings.len(), roles(&imported.transcript)), (0, vec!["user", "assistant", "user"]));
}

#[test]
fn odd_files_are_errors_or_findings() {
    // Torn before the history: the messages of the last whole step are left.
    let torn = &FILE.as_bytes()[..FILE.find("\"history\"").unwrap()];
    let imported = swe_agent::read(torn).unwrap().remove(0);
    assert_eq!(imported.findings.last().unwrap().kind, FindingKind::TruncatedLine);
    assert_eq!(messages(&imported.transcript).len(), 5);
    assert!(matches!(swe_agent::read(b"{\"trajectory\":[]}"), Err(ImportError::NoRecord { .. })));
    assert!(matches!(swe_agent::read(b"\0"), Err(ImportError::Empty)));
    assert_eq!(Format::SweAgent.sniff(br#"{"schema_version":"ATIF-v1.5","steps":[]}"#), Confidence::No);
    for at in (0..FILE.len()).step_by(3) {
        let _ = swe_agent::read(&FILE.as_bytes()[..at]);
    }
}
