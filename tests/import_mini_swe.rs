//! mini-swe-agent trajectories: the shared files, and each quirk in a made-up file.

mod common;

use common::imported::{blocks, kinds, messages, orphans, prompts, roles, usages};
use cutpoint::import::{Confidence, FindingKind, Format, ImportError, mini_swe, read_all};
use cutpoint::replay::History;
use cutpoint::transcript::{Block, EntryKind, Message, StopReason};

#[test]
fn the_shared_trajectories_have_their_counts() {
    let Some(shared) = common::shared() else { return };
    // File, messages with system prompt and `exit` (PROVENANCE), usages, sums of prompts and of what was cached.
    let rows = [
        ("mini-swe-django-11797-deepseek-chat.traj.json", 314, 156, 5_200_912, 5_160_448),
        ("mini-swe-github-issue.traj.json", 22, 0, 0, 0),
    ];
    for (file, count, calls, prompt, cached) in rows {
        let bytes = std::fs::read(shared.join("transcripts/mini-swe-agent").join(file)).unwrap();
        let (format, mut all) = read_all(&bytes).unwrap();
        assert_eq!((format, all.len()), (Format::MiniSwe, 1), "{file}");
        let imported = all.remove(0);
        let transcript = &imported.transcript;
        // The system prompt is in the head; `exit` is a note.
        assert!(transcript.head.system.is_some(), "{file}");
        assert_eq!(transcript.entries.len() + 1, count, "{file}");
        assert_eq!((usages(transcript).len(), prompts(transcript)), (calls, prompt), "{file}");
        assert_eq!(usages(transcript).iter().map(|usage| usage.cache_read).sum::<u64>(), cached, "{file}");
        assert_eq!((imported.findings.len(), orphans(transcript, History::Full)), (0, 0), "{file}");
        assert!(transcript.entries.last().unwrap().line <= count, "{file}");
    }
}

#[test]
fn the_large_trajectory_agrees_with_its_totals() {
    let Some(shared) = common::shared() else { return };
    let path = shared.join("transcripts/mini-swe-agent/mini-swe-django-11797-deepseek-chat.traj.json");
    let bytes = std::fs::read(path).unwrap();
    let transcript = mini_swe::read(&bytes).unwrap().remove(0).transcript;
    let document: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let stats = &document["info"]["model_stats"];
    let usage = usages(&transcript);
    assert_eq!(stats["api_calls"], usage.len());
    let dollars: f64 = usage.iter().filter_map(|usage| Some(usage.cost?.total)).sum();
    assert!((dollars - stats["instance_cost"].as_f64().unwrap()).abs() < 1e-9, "{dollars}");
    assert_eq!(usage.iter().map(|usage| usage.output).sum::<u64>(), 29_260);
    assert_eq!(blocks(&transcript, |block| matches!(block, Block::ToolCall(_))), 156);
    let reply = messages(&transcript)[1].reply().unwrap();
    assert_eq!((&*reply.model, &reply.stop, reply.usage.unwrap().input), ("deepseek-chat", &StopReason::ToolUse, 1233));
    let last = transcript.entries.last().unwrap();
    assert!(matches!(&last.kind, EntryKind::Note { kind, .. } if &**kind == "exit"));
    assert_eq!((last.line, last.timestamp.is_some() || last.parent.is_some()), (314, true));
    assert_eq!(&*transcript.meta.id, "django__django-11797");
    assert!(transcript.meta.extra.unwrap().as_str().contains(r#""api_calls": 156"#));
}

#[test]
fn a_small_trajectory_is_read_whole() {
    let file = r#"{"trajectory_format":"mini-swe-agent-1.1","instance_id":"i","info":{"exit_status":"LimitsExceeded","mini_version":"2.0","traceback":"T","submission":"S","config":{"model":{"model_name":"fallback"},"environment":{"cwd":"/testbed"}}},"messages":[
      {"role":"system","content":"s"},{"role":"user","content":"task"},
      {"role":"assistant","content":"run","reasoning_content":"hm","tool_calls":[{"id":"c","type":"function","function":{"name":"bash","arguments":"{}"}}],"extra":{"timestamp":1775816138.5,"cost":0.25,"response":{"choices":[{"finish_reason":"length"}],"usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_cache_hit_tokens":60}}}},
      {"role":"tool","tool_call_id":"c","content":"out","extra":{"returncode":1,"raw_output":"raw"}},
      {"role":"exit","content":"","extra":{"exit_status":"LimitsExceeded"}}]}"#;
    assert_eq!(Format::MiniSwe.sniff(file.as_bytes()), Confidence::Sure);
    let imported = mini_swe::read(file.as_bytes()).unwrap().remove(0);
    assert_eq!((imported.findings.len(), roles(&imported.transcript)), (0, vec!["user", "assistant", "result"]));
    let messages = messages(&imported.transcript);
    let reply = messages[1].reply().unwrap();
    let usage = reply.usage.unwrap();
    assert_eq!((&*reply.model, &reply.stop), ("fallback", &StopReason::Length));
    assert_eq!((usage.input, usage.cache_read, usage.output), (40, 60, 7));
    assert!(matches!(messages[1].blocks(), [Block::Thinking { .. }, Block::Text(_), Block::ToolCall(_)]));
    assert!(matches!(messages[2], Message::ToolResult(result) if &*result.tool == "bash"));
    let entries = &imported.transcript.entries;
    assert_eq!(entries[1].timestamp.as_deref(), Some("2026-04-10T10:15:38.500Z"));
    assert_eq!(entries.iter().map(|entry| entry.line).collect::<Vec<_>>(), [2, 3, 4, 5]);
    let meta = &imported.transcript.meta;
    assert_eq!((meta.cwd.as_deref(), &*meta.id), (Some("/testbed"), "i"));
    let extra = meta.extra.as_ref().unwrap().as_str();
    assert_eq!(extra, r#"{"exit_status":"LimitsExceeded","mini_version":"2.0","traceback":"T"}"#);
}

#[test]
fn odd_files_are_errors_or_findings() {
    let torn = br#"{"messages":[{"role":"user","content":"q"},{"role":"assis"#;
    let imported = mini_swe::read(torn).unwrap().remove(0);
    assert_eq!(kinds(&imported), [(1, FindingKind::TruncatedLine)]);
    assert!(matches!(mini_swe::read(b"{\"info\":{}}"), Err(ImportError::NoRecord { .. })));
    assert!(matches!(mini_swe::read(b""), Err(ImportError::Empty)));
    let bare = br#"[{"role":"system","content":"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"},{"role":"user"#;
    assert_eq!(Format::MiniSwe.sniff(bare), Confidence::Sure);
    assert_eq!(Format::MiniSwe.sniff(br#"[{"role":"user","content":"q"}]"#), Confidence::No);
}
