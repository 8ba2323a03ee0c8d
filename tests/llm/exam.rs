//! Probes and next actions, with the mock and against a server on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::chat;
use super::commands::{cells, cutpoint, run};
use super::stub::{Act, Stub};

fn measure(cell: &Value, name: &str) -> Option<f64> {
    cell["measures"][name]["value"].as_f64()
}

/// Verdicts of a probe by condition and run.
fn verdicts(cell: &Value, probe: &str) -> Vec<String> {
    let probes = cell["exam"]["probes"].as_array().unwrap();
    let probe = probes.iter().find(|one| one["probe"] == probe).unwrap_or_else(|| panic!("{probe} is not asked"));
    let answers = probe["answers"].as_array().unwrap().iter();
    answers
        .map(|answer| format!("{} {}", answer["condition"].as_str().unwrap(), answer["verdict"].as_str().unwrap()))
        .collect()
}

#[test]
fn the_mock_answers_from_what_it_sees() {
    let folder = tempfile::tempdir().unwrap();
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/debug-flaky-cache");
    let fixed =
        ["run", "--transcripts", session.to_str().unwrap(), "--strategy", "pi,tail-only,none", "--name", "mock"];
    let done = cutpoint(folder.path(), &[&fixed[..], &["--probes=search"]].concat());
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stdout.contains("answered by mock, a MOCK"), "{}", done.stdout);
    let correlation = done.stdout.lines().skip_while(|line| !line.contains("Spearman")).nth(1).unwrap();
    assert!(correlation.contains("goal_loss") && correlation.contains(", a MOCK"), "{}", done.stdout);
    let cells: BTreeMap<String, Value> = cells(folder.path(), "mock")
        .into_iter()
        .map(|cell| (cell["strategy"].as_str().unwrap().to_owned(), cell))
        .collect();
    let none = &cells["none"];
    assert_eq!(none["exam"]["void"], "less than 5 % of the window was dropped");
    assert!(none["measures"]["probe_loss"]["void"].is_string() && none["exam"]["probes"].is_null());
    for strategy in ["pi", "tail-only"] {
        let cell = &cells[strategy];
        assert_eq!(cell["exam"]["mock"], true);
        assert_eq!(cell["exam"]["bank_sha256"].as_str().unwrap().len(), 64);
        assert_eq!(measure(cell, "probe_empty_accuracy"), Some(0.0), "nothing is known from nothing");
        assert!(measure(cell, "probe_false_recall_ratio").unwrap() < 1.0);
        assert!(measure(cell, "probe_full_accuracy").unwrap() > 0.2, "{strategy}: {}", cell["measures"]);
        assert_eq!(measure(cell, "next_action_asked_count"), Some(3.0));
        let kinds: Vec<&str> =
            cell["exam"]["probes"].as_array().unwrap().iter().map(|probe| probe["kind"].as_str().unwrap()).collect();
        assert!(
            ["recall", "artifact", "decision", "constraint", "negative"].iter().all(|kind| kinds.contains(kind)),
            "{kinds:?}"
        );
    }
    assert!(measure(&cells["tail-only"], "probe_recovery_gain").unwrap() > 0.0, "the dropped part can be searched");
    let [pi, tail] = ["pi", "tail-only"].map(|strategy| measure(&cells[strategy], "probe_effect_retention").unwrap());
    assert!(pi > tail, "a summary retains something: {pi} {tail}");
    let rows = fs::read_to_string(folder.path().join("reports/mock/probes.csv")).unwrap();
    assert!(rows.contains(",search,0,") && rows.contains(",full,2,"), "{rows}");
    assert!(fs::read_to_string(folder.path().join("reports/mock/next_actions.csv")).unwrap().contains(",view,"));
}

/// An answer through the tool fields of the protocol: a tool that nobody offered, words, a call without a target.
fn caller(number: usize) -> Value {
    let mut body = chat("I would rather not.");
    if let Some(name) = [Some("no_such_tool"), None, Some("bash")][number % 3] {
        let call = json!({"id": "call_1", "type": "function", "function": {"name": name, "arguments": "{}"}});
        body["choices"][0]["message"] = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    }
    body
}

/// A reader that knows two values where they stand.
fn reader(prompt: &str) -> String {
    let Some((context, question)) = prompt.split_once("\n</conversation>\n") else { return String::new() };
    if !question.contains("<question>\n") {
        return "## Goal\nBefore the fix tests.test_ttl failed for 22 of 60 seeds.".to_owned();
    }
    let known = [
        ("Before the fix tests.test_ttl failed", "22 of 60"),
        ("Before the fix tests.test_refresh failed", "19 of 60"),
    ];
    let found = known.iter().find(|(asked, value)| question.contains(asked) && context.contains(value));
    found.map_or_else(|| "ANSWER: NOT KNOWN".to_owned(), |(_, value)| format!("I see.\nANSWER: {value}"))
}

fn prompt_of(body: &Value) -> String {
    body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_real_reader_is_asked_through_the_store_and_replayed_without_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::new(|number, asked| {
        let body = &asked.body;
        Act::json(&if body["tools"].is_array() { caller(number) } else { chat(&reader(&prompt_of(body))) })
    });
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/debug-flaky-cache");
    let toml = format!(
        "name = 'real'\ntranscripts = ['{}']\nstrategies = ['pi']\nreplicates = 1\n[probes]\nper_kind = 30\n\
         [llm]\napi = 'chat'\nmodel = 'm-1'\nstream = false\nbase_url = '{}'\nkey_env = 'STUB_KEY'\n",
        session.display(),
        stub.url
    );
    fs::write(folder.path().join("real.toml"), toml).unwrap();
    let ask = |more: &[&str]| cutpoint(folder.path(), &[&["run", "--config", "real.toml"], more].concat());
    let done = ask(&[]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let cell = &cells(folder.path(), "real")[0];
    assert_eq!((&cell["exam"]["reader"], &cell["exam"]["mock"]), (&Value::from("chat:m-1"), &Value::from(false)));
    // The summary keeps the first value and loses the second; with the whole history both are there.
    let full = ["full right"; 3];
    let empty = ["empty abstained"; 3];
    let expected = |view: &'static str| [&full[..], &empty[..], &[view]].concat();
    assert_eq!(verdicts(cell, "value-ttl-failures"), expected("view right"));
    assert_eq!(verdicts(cell, "value-refresh-failures"), expected("view abstained"));
    let why = cell["measures"]["probe_effect_retention"]["void"].as_str().unwrap();
    assert!(why.contains("0.2 are needed"), "two answers of so many are too few to tell: {why}");
    assert_eq!(measure(cell, "probe_kept_count"), Some(2.0));
    let actions = cell["exam"]["actions"].as_array().unwrap();
    assert_eq!(actions.len(), 6, "three calls, with the context and with the whole history");
    let verdicts: BTreeSet<&str> = actions.iter().map(|action| action["verdict"].as_str().unwrap()).collect();
    assert!(verdicts.contains("unparsed") && !verdicts.contains("agrees"), "{verdicts:?}");
    assert!(
        actions.iter().all(|action| (&action["tools"], &action["offered"]) == (&json!("file"), &json!("protocol")))
    );
    let asked = stub.asked();
    let offered: Vec<&Value> =
        asked.iter().map(|asked| &asked.body["tools"]).filter(|tools| tools.is_array()).collect();
    assert_eq!(offered.len(), 6);
    let functions = offered[0].as_array().unwrap().iter().map(|tool| &tool["function"]);
    let bash = functions.into_iter().find(|function| function["name"] == "bash").unwrap();
    assert!(bash["parameters"]["properties"]["command"].is_object(), "{bash}");
    let prompts: Vec<String> = asked.iter().map(|asked| prompt_of(&asked.body)).collect();
    assert!(prompts.iter().all(|prompt| prompt.matches("<question>").count() <= 1), "one question per call");
    let is_exam = |prompt: &&String| prompt.contains("\n<question>\n") || prompt.contains("Make that call.");
    assert_eq!(cell["exam"]["requests_count"], prompts.iter().filter(is_exam).count());
    let read = || fs::read(folder.path().join("reports/real/cells.jsonl")).unwrap();
    let before = read();
    let done = ask(&["--llm-mode", "replay", "--fresh"]);
    assert_eq!((done.code, stub.asked().len()), (0, asked.len()), "{}", done.stderr);
    assert!(read() == before, "a replay gives the same bytes");
}

/// A session of chat completions with one tool of a known schema, whose name no provider takes, and one that only a call names.
fn session(has_schemas: bool) -> String {
    let call = |id: &str, name: &str, arguments: &str| json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}]});
    let result = |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
    let mut messages =
        vec![json!({"role": "system", "content": "Help."}), json!({"role": "user", "content": "Fix src/a.rs"})];
    for round in 0..12 {
        let id = format!("call_{round}");
        let (name, arguments) = if round % 2 == 0 {
            ("fs.read", r#"{"path":"src/a.rs"}"#)
        } else {
            ("bash", r#"{"command":"cargo test"}"#)
        };
        messages.push(call(&id, name, arguments));
        messages.push(result(&id, &format!("line {round} of a result\n").repeat(1_500)));
    }
    messages.push(json!({"role": "assistant", "content": "Done."}));
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let tools = json!([{"type": "function", "function": {"name": "fs.read", "description": "Reads a file.", "parameters": schema}}]);
    let mut body = json!({"model": "m", "messages": messages});
    if has_schemas {
        body["tools"] = tools;
    }
    body.to_string()
}

#[test]
fn known_schemas_are_offered_under_names_that_providers_take() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("session.json"), session(true)).unwrap();
    let call =
        json!({"id": "c", "type": "function", "function": {"name": "fs_read", "arguments": "{\"path\":\"src/a.rs\"}"}});
    let stub = Stub::new(move |_, asked| {
        let mut body = chat("## Goal\nFix it.");
        if asked.body["tools"].is_array() {
            body["choices"][0]["message"] = json!({"role": "assistant", "content": null, "tool_calls": [call]});
        }
        Act::json(&body)
    });
    let ask = |more: &[&str]| {
        let fixed = ["run", "--transcripts", "session.json", "--strategy", "pi", "--probes", "--name", "real"];
        let model = ["--llm", "chat:m-1", "--llm-url", &stub.url, "--llm-no-stream", "--llm-replicates", "1"];
        cutpoint(folder.path(), &[&fixed[..], &model, more].concat())
    };
    let dry = ask(&["--dry-run"]);
    assert_eq!((dry.code, stub.asked().len()), (0, 0), "{}", dry.stderr);
    let done = ask(&[]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let cell = &cells(folder.path(), "real")[0];
    let actions = cell["exam"]["actions"].as_array().unwrap_or_else(|| panic!("{}", cell["exam"]));
    let asked = stub.asked();
    let tools = &asked.iter().find(|asked| asked.body["tools"].is_array()).unwrap().body["tools"];
    let functions: Vec<&Value> = tools.as_array().unwrap().iter().map(|tool| &tool["function"]).collect();
    assert_eq!((&functions[0]["name"], &functions[0]["description"]), (&json!("fs_read"), &json!("Reads a file.")));
    assert_eq!(functions[0]["parameters"]["required"], json!(["path"]));
    assert_eq!(functions[1]["name"], "bash", "the file gives no schema of it, but it was called");
    for action in actions {
        assert_eq!((&action["tools"], &action["named"]), (&json!("file_and_seen"), &json!("fs.read src/a.rs")));
        let expected = if action["recorded"][0] == "fs.read src/a.rs" { "agrees" } else { "differs" };
        assert_eq!(action["verdict"], expected);
    }
    let rows = fs::read_to_string(folder.path().join("reports/real/next_actions.csv")).unwrap();
    assert!(
        rows.lines().next().unwrap().ends_with(",tools,offered") && rows.contains(",file_and_seen,protocol"),
        "{rows}"
    );
    let replayed = ask(&["--llm-mode", "replay", "--fresh"]);
    assert_eq!((replayed.code, stub.asked().len()), (0, asked.len()), "{}", replayed.stderr);
}

#[test]
fn without_schemas_the_names_of_recorded_calls_are_offered_and_the_record_says_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("session.json"), session(false)).unwrap();
    let fixed = ["run", "--transcripts", "session.json", "--strategy", "pi", "--probes", "--name", "mock"];
    let done = cutpoint(folder.path(), &fixed);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let cell = &cells(folder.path(), "mock")[0];
    let actions = cell["exam"]["actions"].as_array().unwrap_or_else(|| panic!("{}", cell["exam"]));
    assert!(!actions.is_empty());
    // The mock makes the last call of what it sees again, through the same fields as a real model.
    let calls = [json!("fs.read src/a.rs"), json!("bash cargo test")];
    for action in actions {
        assert_eq!((&action["tools"], &action["offered"]), (&json!("seen"), &json!("protocol")));
        assert!(calls.contains(&action["named"]), "{action}");
    }
}

#[test]
fn a_server_without_tools_is_told_them_in_words() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("session.json"), session(true)).unwrap();
    let text = r#"{"tool": "fs.read", "arguments": {"path": "src/a.rs"}}"#;
    let stub = Stub::new(move |_, asked| {
        let is_action = prompt_of(&asked.body).contains("\n<tools>\nfs.read: Reads a file. {");
        Act::json(&chat(if is_action { text } else { "## Goal\nFix it." }))
    });
    let toml = format!(
        "name = 'words'\ntranscripts = ['session.json']\nstrategies = ['pi']\nreplicates = 1\n[probes]\n\
         \ntools_in_words = true\n[llm]\napi = 'chat'\nmodel = 'm-1'\nstream = false\nbase_url = '{}'\n",
        stub.url
    );
    fs::write(folder.path().join("words.toml"), toml).unwrap();
    let done = cutpoint(folder.path(), &["run", "--config", "words.toml"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(stub.asked().iter().all(|asked| asked.body.get("tools").is_none()));
    let cell = &cells(folder.path(), "words")[0];
    let actions = cell["exam"]["actions"].as_array().unwrap_or_else(|| panic!("{}", cell["exam"]));
    assert!(!actions.is_empty());
    assert!(
        actions
            .iter()
            .all(|action| (&action["offered"], &action["named"]) == (&json!("words"), &json!("fs.read src/a.rs")))
    );
}

#[test]
fn a_dry_run_counts_what_the_records_of_the_run_count() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("session.json"), session(true)).unwrap();
    let ask = |more: &[&str]| {
        let fixed = ["run", "--transcripts", "session.json", "--strategy", "pi", "--probes=search", "--name", "mock"];
        let done = cutpoint(folder.path(), &[&fixed[..], more].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        done.stdout
    };
    let dry = ask(&["--dry-run"]);
    let row: Vec<&str> = dry.lines().find(|line| line.starts_with("pi ")).unwrap().split_whitespace().collect();
    ask(&[]);
    let [cell] = &cells(folder.path(), "mock")[..] else { panic!("one session, one strategy") };
    let recorded = |of: &str| {
        let summaries = measure(cell, &format!("summary_{of}")).unwrap();
        format!("{}", cell["exam"][of].as_f64().unwrap() + summaries)
    };
    assert_eq!(row[3..5], [recorded("input_tokens"), recorded("output_tokens")]);
}

#[test]
fn a_dry_run_counts_the_questions() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::acts(vec![Act::json(&chat("never"))]);
    let calls = |more: &[&str]| -> u64 {
        let done = run(
            folder.path(),
            &stub,
            "dry",
            &[&["--strategy", "pi", "--llm-replicates", "1", "--dry-run"], more].concat(),
        );
        assert_eq!(done.code, 0, "{}", done.stderr);
        let row = done.stdout.lines().find(|line| line.starts_with("pi ")).unwrap().to_owned();
        row.split_whitespace().nth(2).unwrap().parse().unwrap()
    };
    let (plain, asked, searched) = (calls(&[]), calls(&["--probes"]), calls(&["--probes=search"]));
    assert!(plain >= 1 && asked > plain + 50 && searched > asked, "{plain} {asked} {searched}");
    assert_eq!(stub.asked().len(), 0);
}
