//! The commands that ask a real model.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::chat;
use super::stub::{Act, Stub};

pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn cutpoint(folder: &Path, arguments: &[&str]) -> Done {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cutpoint"));
    command.current_dir(folder).args(arguments).env("COLUMNS", "100").env_remove("OPENAI_API_KEY");
    let output = command.env("STUB_KEY", "my-secret-key").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Done { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A run over one embedded session, and further arguments.
pub(crate) fn run(folder: &Path, stub: &Stub, name: &str, more: &[&str]) -> Done {
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/debug-flaky-cache");
    let fixed = ["run", "--transcripts", session.to_str().unwrap(), "--name", name, "--llm", "chat:m-1"];
    let model = ["--llm-url", &stub.url, "--llm-key-env", "STUB_KEY", "--llm-no-stream"];
    cutpoint(folder, &[&fixed[..], &model, more].concat())
}

fn stub() -> Stub {
    Stub::new(|number, _| Act::json(&chat(&format!("## Goal\nAnswer {number}."))))
}

pub(crate) fn cells(folder: &Path, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("reports").join(name).join("cells.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every file below a folder holds nothing of the key.
fn keeps_secret(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            keeps_secret(&path);
        } else {
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
            assert!(!text.contains("my-secret-key"), "{}", path.display());
        }
    }
}

#[test]
fn a_run_records_replicates_and_its_replay_is_the_same_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let stub = stub();
    let done = run(folder.path(), &stub, "real", &["--strategy", "pi"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("chat:m-1: ") && done.stderr.contains(" 0 stored"), "{}", done.stderr);
    let recorded = cells(folder.path(), "real");
    assert_eq!(recorded.len(), 3, "three replicates, unless it is said how many");
    for cell in &recorded {
        assert_eq!((&cell["summarizer"], &cell["mock"]), (&Value::from("chat:m-1"), &Value::from(false)));
    }
    assert!(done.stdout.contains("pi · debug-flaky-cache · 64k · seed 0: "), "{}", done.stdout);
    assert!(done.stdout.contains("(3 answers)"), "{}", done.stdout);
    let asked = stub.asked();
    assert_eq!(asked[0].header("authorization"), Some("Bearer my-secret-key"));
    let read = |file: &str| fs::read(folder.path().join("reports/real").join(file)).unwrap();
    let before = [read("cells.jsonl"), read("events.jsonl"), read("manifest.json")];
    let done = run(folder.path(), &stub, "real", &["--strategy", "pi", "--llm-mode", "replay", "--fresh"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!([read("cells.jsonl"), read("events.jsonl"), read("manifest.json")], before);
    assert_eq!(stub.asked().len(), asked.len(), "a replay asks nothing");
    assert!(done.stderr.contains("m-1: 0 calls"), "{}", done.stderr);
    keeps_secret(folder.path());
}

#[test]
fn a_replay_of_another_prompt_fails_with_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let stub = stub();
    let one = ["--strategy", "pi", "--llm-replicates", "1"];
    assert_eq!(run(folder.path(), &stub, "real", &one).code, 0);
    let done = run(
        folder.path(),
        &stub,
        "real",
        &[&one[..], &["--template", "pi-three-part", "--llm-mode", "replay"]].concat(),
    );
    assert_eq!(done.code, 3, "{}", done.stderr);
    let is_told = done.stderr.contains("no answer to a request") && done.stderr.contains("+++ asked");
    assert!(is_told && done.stderr.contains("0 of 1 cells are finished"), "{}", done.stderr);
}

#[test]
fn a_budget_ends_a_run_and_the_next_goes_on_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::new(|number, _| {
        let mut body = chat(&format!("## Goal\nAnswer {number}."));
        body["usage"] = serde_json::json!({"prompt_tokens": 8_000, "completion_tokens": 500});
        Act::json(&body)
    });
    let strategies = ["--strategy", "pi,pi-three-part,none", "--llm-concurrency", "1"];
    let done = run(folder.path(), &stub, "real", &[&strategies[..], &["--llm-budget-tokens", "60000"]].concat());
    assert_eq!(done.code, 3, "{}", done.stderr);
    assert!(done.stderr.contains("the budget is used up"), "{}", done.stderr);
    let before = stub.asked().len();
    assert_eq!(run(folder.path(), &stub, "real", &strategies).code, 0);
    assert_eq!(cells(folder.path(), "real").len(), 9);
    let prompts: Vec<String> = stub.asked().iter().map(|asked| asked.body.to_string()).collect();
    assert!(prompts.len() > before && before > 0, "{before} of {}", prompts.len());
}

#[test]
fn a_dry_run_asks_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let stub = stub();
    let done = run(folder.path(), &stub, "real", &["--strategy", "pi,none", "--dry-run"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let row = |name: &str| -> Vec<String> {
        let line = done.stdout.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(row("none")[1..4], ["3", "0", "0"]);
    let calls: u64 = row("pi")[2].parse().unwrap();
    assert!(calls >= 3 && row("pi")[5] == "–", "{}", done.stdout);
    assert_eq!((stub.asked().len(), folder.path().join("reports").exists()), (0, false));
}

#[test]
fn at_most_a_prompt_is_written_to_the_cache_of_a_provider_that_bills_it() {
    let folder = tempfile::tempdir().unwrap();
    let price = "{ input_usd_per_mtok = 1000, output_usd_per_mtok = 0, cache_write_usd_per_mtok = 2000 }";
    let toml = format!("name = 'dear'\nstrategies = ['pi']\n[llm]\napi = 'messages'\nmodel = 'm-1'\nprice = {price}\n");
    fs::write(folder.path().join("dear.toml"), toml).unwrap();
    let done = cutpoint(folder.path(), &["run", "--config", "dear.toml", "--dry-run"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let row = done.stdout.lines().find(|line| line.starts_with("pi ")).unwrap();
    let [usd, most]: [f64; 2] = [5, 6].map(|at| row.split_whitespace().nth(at).unwrap().parse().unwrap());
    assert!(usd > 0.0 && (most - 2.0 * usd).abs() < 2e-4, "{}", done.stdout);
}

#[test]
fn an_endpoint_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let stub =
        Stub::acts(vec![Act::json(&chat("I am ready.")), Act::status(401, r#"{"error":{"message":"bad key"}}"#)]);
    let arguments = ["llm", "check", "--llm", "chat:m-1", "--llm-url", &stub.url];
    let done = cutpoint(folder.path(), &arguments);
    assert_eq!(done.code, 3);
    assert!(done.stdout.contains("usage 100 + 20 tokens: \"I am ready.\""), "{}", done.stdout);
    assert!(done.stdout.contains("streamed  no answer") && done.stderr.contains("bad key"), "{}", done.stdout);
    let done = cutpoint(folder.path(), &["llm", "check", "--llm", "chat:gpt-5"]);
    assert!(done.code == 3 && done.stdout.contains("OPENAI_API_KEY is not set"), "{} {}", done.stdout, done.stderr);
    let done = cutpoint(folder.path(), &["llm", "check", "--llm", "smoke:signals"]);
    assert!(done.code == 2 && done.stderr.contains("\"smoke\" is no protocol"), "{}", done.stderr);
}

#[cfg(unix)]
#[test]
fn a_model_is_set_in_an_experiment_file() {
    let folder = tempfile::tempdir().unwrap();
    let session = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/debug-flaky-cache");
    let script = r###"read -r line; printf '%s' '{"text":"## Goal\nFrom a program."}'"###;
    let toml = format!(
        "name = 'own'\ntranscripts = ['{}']\nstrategies = ['pi']\n[llm]\napi = 'exec'\nmodel = 'script'\ncommand = ['sh', '-c', '''{script}''']\n",
        session.display()
    );
    fs::write(folder.path().join("own.toml"), toml).unwrap();
    let done = cutpoint(folder.path(), &["run", "--config", "own.toml"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let cells = cells(folder.path(), "own");
    assert_eq!((cells.len(), &cells[0]["summarizer"]), (3, &Value::from("exec:script")));
    fs::write(folder.path().join("own.toml"), "name='x'\nstrategies=['pi']\n[llm]\napi='chat'\nmodle='x'\n").unwrap();
    let done = cutpoint(folder.path(), &["run", "--config", "own.toml"]);
    assert!(done.code == 2 && done.stderr.contains("modle"), "{}", done.stderr);
}
