//! The commands that only read: list, inspect, replay, and help.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use crate::errors::fails;
use crate::{command, field_case, golden, good, run};

#[test]
fn help_teaches_and_every_command_has_one() {
    let help = good(&["--help"]);
    for part in ["Usage: cutpoint", "run", "replay", "inspect", "list", "report", "Examples:", "cutpoint replay"] {
        assert!(help.contains(part), "{part}\n{help}");
    }
    for command in ["run", "replay", "inspect", "import", "validate", "list", "report"] {
        let help = good(&[command, "--help"]);
        assert!(help.contains(&format!("Usage: cutpoint {command}")), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 100), "{help}");
        assert_eq!(good(&["help", command]), help);
    }
    assert!(good(&["--version"]).starts_with("cutpoint "));
}

#[test]
fn every_section_can_be_listed_alone_and_the_whole_is_their_sum() {
    let sections = [
        ("presets", "pi@0.58"),
        ("estimators", "langchain"),
        ("triggers", "article"),
        ("cuts", "Recoveries"),
        ("templates", "pi-three-part"),
        ("datasets", "embedded:chinese-invoice"),
        ("formats", "pi"),
        ("tokenizers", "cl100k_base"),
        ("measures", "goal_loss"),
        ("caches", "deepseek-v4"),
        ("prices", "claude-opus-4-5"),
    ];
    let mut all = Vec::new();
    for (section, word) in sections {
        let listed = good(&["list", section]);
        assert!(listed.contains(word), "{section} lacks {word}\n{listed}");
        all.push(listed);
    }
    assert_eq!(good(&["list"]), all.join("\n"));
}

#[test]
fn nothing_is_listed_twice() {
    for section in ["presets", "estimators", "triggers", "templates", "datasets", "formats", "tokenizers", "measures"] {
        let listed = good(&["list", section]);
        let name = |line: &str| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')).map(str::to_owned);
        let mut names: Vec<String> = listed
            .lines()
            .filter_map(name)
            .filter_map(|row| row.split_whitespace().next().map(str::to_owned))
            .collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert!(all > 0 && names.len() == all, "{section}\n{listed}");
    }
    let cuts = good(&["list", "cuts"]);
    for part in cuts.split("\n\n") {
        let rows = part.lines().skip(1).filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        let mut names: Vec<&str> = rows.filter_map(|row| row.split_whitespace().next()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{part}");
    }
}

#[test]
fn inspect_tells_entries_usage_compactions_and_faults() {
    let text = good(&["inspect", &golden("repeated_compaction")]);
    for part in [
        "format      pi, version 3",
        "31 on the current branch",
        "tool result",
        "2 recorded",
        "findings    0",
        "head        unknown",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let text = good(&["inspect", &field_case("tree-cycle-dup-missing")]);
    assert!(text.contains("findings    4"), "{text}");
    // Each fault has its line, and what goes on below is no other.
    let faults = text.lines().skip_while(|line| !line.contains("findings    4")).skip(1);
    let file = field_case("tree-cycle-dup-missing");
    let places: Vec<&str> =
        faults.filter_map(|line| line.trim_start().strip_prefix(&file)?.split(' ').next()).collect();
    assert_eq!(places, [":3:1", ":6:1", ":7:1", ":8:1"], "{text}");
}

#[test]
fn inspect_as_json_says_the_same_in_numbers() {
    let text = good(&["inspect", "--json", &golden("repeated_compaction"), &field_case("est-image-base64")]);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let (first, second) = (&json["sessions"][0], &json["sessions"][1]);
    assert_eq!(
        (&first["format"], &first["version"], &first["entries_on_branch"]),
        (&"pi".into(), &3.into(), &31.into())
    );
    assert_eq!(first["compactions"].as_array().unwrap().len(), 2);
    let sum = |shares: &serde_json::Value| {
        shares.as_object().unwrap().values().map(|share| share["tokens"].as_u64().unwrap()).sum::<u64>()
    };
    assert!(sum(&first["roles"]) > 0);
    // Its only messages are made of blocks, so every part has its class: two pictures of 1,200 tokens, and texts.
    assert_eq!(sum(&second["classes"]), sum(&second["roles"]));
    assert_eq!(
        (&second["classes"]["image"]["number"], &second["classes"]["image"]["tokens"]),
        (&2.into(), &2400.into())
    );
    assert_eq!((&first["head"]["system_tokens"], &first["annotations"]), (&serde_json::Value::Null, &0.into()));
    let usage = &second["usage"];
    assert_eq!(usage["prompt_tokens"].as_u64().unwrap(), usage["uncached_tokens"].as_u64().unwrap());
    assert!(first["time"]["seconds"].is_i64() && first["findings"].as_array().unwrap().is_empty());
}

#[test]
fn inspect_reads_several_files_and_datasets() {
    let text = good(&["inspect", &golden("branches"), "embedded:debug-flaky-cache", "--reference", "cl100k_base"]);
    assert!(text.starts_with("branches\n"), "{text}");
    assert!(text.contains("\n\ndebug-flaky-cache\n") && text.contains("tokens by cl100k_base"), "{text}");
    assert!(text.contains(" items"), "{text}");
}

#[test]
fn inspect_of_a_folder_names_what_is_no_session() {
    let text = good(&["inspect", "tests/field-cases"]);
    assert!(text.contains("skipped: tests/field-cases/fmt-empty.pi.jsonl: "), "{text}");
    assert!(text.contains("skipped: tests/field-cases/index.json: "), "{text}");
    assert!(text.contains("cut-split-turn"), "{text}");
}

#[test]
fn replay_prints_every_request_and_compaction() {
    let text =
        good(&["replay", &golden("repeated_compaction"), "--window", "30000", "--strategy", "pi", "--summaries"]);
    assert!(text.starts_with("repeated_compaction · pi · window 30000, summaries by a MOCK\n"), "{text}");
    let requests = text.lines().filter(|line| line.split_whitespace().count() == 7 && line.contains('%')).count();
    assert_eq!(requests, 12, "{text}");
    assert!(text.contains("= compaction (") && text.contains("    | ## Goal"), "{text}");
    assert!(text.contains("requests_count                            12.0000 count"), "{text}");
}

#[test]
fn replay_takes_a_head_and_says_where_a_trigger_fires_in_the_recorded_history() {
    let folder = tempfile::tempdir().unwrap();
    let (system, tools) = (folder.path().join("system.md"), folder.path().join("tools.json"));
    std::fs::write(&system, "You are a tray.").unwrap();
    std::fs::write(&tools, r#"[{"name":"read","description":"Reads.","parameters":{"type":"object"}}]"#).unwrap();
    let session = golden("repeated_compaction");
    let (system, tools) = (system.to_str().unwrap(), tools.to_str().unwrap());
    let base = ["replay", &session, "--window", "17000", "--history", "recorded"];
    let plain = good(&base);
    assert!(plain.contains("  * fires before request"), "{plain}");
    assert!(!plain.contains("stuck before"), "{plain}");
    let with_head = good(&[&base[..], &["--system", system, "--tools", tools]].concat());
    assert_ne!(plain, with_head, "the head counts in every request");
}

#[test]
fn replay_sets_fields_of_a_strategy() {
    // One turn of five steps: the threshold of 1,800 is passed by the results of the fourth.
    let session = field_case("trigger-mid-turn");
    let base = ["replay", &session, "--history", "recorded", "--window", "2000"];
    let text = good(&[&base[..], &["--set", "trigger.reserve_tokens=200"]].concat());
    assert!(text.contains("pi[trigger.reserve_tokens=200]"), "{text}");
    let (_, first) = text.split_once("fires before ").unwrap();
    // A long line goes on below.
    let first: Vec<&str> = first.split_whitespace().take(11).collect();
    assert_eq!(first.join(" "), "request 5 (before_request): 2230 tokens > window 2000 - reserve 200", "{text}");
    // A turn that is larger than what is kept: the cut lands inside it.
    let split = field_case("cut-split-turn");
    let set = ["--set", "trigger.reserve_tokens=1000", "--set", "cut.keep_recent_tokens=500,1000"];
    let text = good(&[&["replay", &split, "--window", "2000"][..], &set].concat());
    assert_eq!(text.matches("splits a turn").count(), 2, "one cell a value: {text}");
    fails(&[&base[..], &["--set", "trigger.reserved=200"]].concat(), 2, &["trigger.reserved"]);
    fails(&[&base[..], &["--set", "trigger"]].concat(), 2, &["expected FIELD=VALUE"]);
}

/// Output goes to a reader that has gone away.
#[test]
fn a_broken_pipe_is_success() {
    let session = golden("repeated_compaction");
    let commands: [&[&str]; 4] =
        [&["list"], &["inspect", &session], &["replay", &session, "--strategy", "none"], &["--help"]];
    for arguments in commands {
        let mut child = command(Path::new(env!("CARGO_MANIFEST_DIR")), arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let status = child.wait().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((status.code(), said.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn no_colour_codes_reach_a_pipe() {
    let done = run(&["replay", &golden("branches"), "--strategy", "pi"]);
    assert!(!done.stdout.contains('\u{1b}') && !done.stderr.contains('\u{1b}'));
}
