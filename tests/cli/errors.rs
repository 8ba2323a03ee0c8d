//! What goes wrong is said with a hint, and the exit code tells usage (2) from bad input (5).

use std::path::Path;

use crate::{absolute, field_case, golden, run, run_in};

/// The command fails with this code, names `parts` on stderr, gives a hint, and prints nothing on stdout.
#[track_caller]
pub(crate) fn fails(arguments: &[&str], code: i32, parts: &[&str]) {
    let done = run(arguments);
    assert_eq!(done.code, code, "{arguments:?}\n{}", done.stderr);
    assert_eq!(done.stdout, "", "{arguments:?}");
    assert!(done.stderr.starts_with("error: "), "{arguments:?}\n{}", done.stderr);
    for part in parts {
        assert!(done.stderr.contains(part), "{arguments:?}: no {part:?} in\n{}", done.stderr);
    }
    let hints = done.stderr.lines().filter(|line| line.starts_with("hint: ") || line.contains("try '--help'"));
    assert_eq!(hints.count(), 1, "{arguments:?}\n{}", done.stderr);
    // No cause is told twice.
    let first = done.stderr.lines().next().unwrap_or_default();
    let pieces: Vec<&str> = first.split(": ").collect();
    let mut once = pieces.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), pieces.len(), "{first}");
}

#[test]
fn an_unknown_strategy_is_told_the_nearest() {
    let session = golden("branches");
    for command in [vec!["run", "--transcripts", &session, "--strategy"], vec!["replay", &session, "--strategy"]] {
        fails(&[&command[..], &["deepagent"]].concat(), 2, &["\"deepagent\"", "did you mean \"deepagents\"?"]);
        fails(&[&command[..], &["something-else"]].concat(), 2, &["cutpoint list presets"]);
    }
}

#[test]
fn files_that_are_no_sessions() {
    for command in ["inspect", "replay"] {
        fails(&[command, "nowhere.jsonl"], 5, &["nowhere.jsonl", "check the path"]);
        fails(&[command, "Cargo.toml"], 5, &["Cargo.toml", "line 1"]);
        fails(&[command, &field_case("fmt-empty")], 5, &["fmt-empty", "empty"]);
    }
    fails(&["run", "--transcripts", "nowhere.jsonl"], 5, &["nowhere.jsonl"]);
    fails(&["run", "--transcripts", "Cargo.toml"], 5, &["Cargo.toml", "line 1"]);
}

#[test]
fn a_folder_without_sessions() {
    let folder = tempfile::tempdir().unwrap();
    fails(&["run", "--transcripts", folder.path().to_str().unwrap()], 5, &["no transcript was found"]);
    fails(&["inspect", folder.path().to_str().unwrap()], 5, &["no transcript was found"]);
}

#[test]
fn values_out_of_range() {
    let session = golden("branches");
    let run: &[&str] = &["run", "--transcripts", &session, "--strategy", "pi"];
    for command in [run, &["replay", &session]] {
        fails(&[command, &["--window", "0"]].concat(), 2, &["window", "at least 1"]);
        fails(&[command, &["--window", "many"]].concat(), 2, &["invalid value 'many'"]);
        fails(&[command, &["--history", "future"]].concat(), 2, &["\"future\"", "full and recorded"]);
        fails(&[command, &["--reference", "p50k"]].concat(), 2, &["\"p50k\"", "o200k_base and cl100k_base"]);
        fails(&[command, &["--mock-loss", "2"]].concat(), 2, &["loss_rate"]);
        fails(&[command, &["--system", "nowhere.md"]].concat(), 2, &["nowhere.md"]);
        fails(&[command, &["--tools", &absolute("Cargo.toml")]].concat(), 2, &["an array of objects"]);
    }
    fails(&["inspect", &session, "--reference", "p50k"], 2, &["o200k_base and cl100k_base"]);
    fails(&["replay", "embedded:nowhere"], 2, &["chinese-invoice"]);
}

#[test]
fn unknown_words_on_the_command_line() {
    fails(&["frob"], 2, &["unrecognized subcommand 'frob'"]);
    fails(&["list", "frobs"], 2, &["invalid value 'frobs'", "presets"]);
    fails(&["inspect"], 2, &["required"]);
    fails(&["run", "--config", "a.toml", "--strategy", "pi"], 2, &["cannot be used with"]);
}

#[test]
fn configurations_that_cannot_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let config = |text: &str| {
        let path = folder.path().join("experiment.toml");
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    fails(&["run", "--config", "nowhere.toml"], 2, &["nowhere.toml"]);
    let head = "name = \"a\"\nstrategies = [\"pi\"]\n";
    let unknown = config(&format!("{head}windows = [1]\n"));
    fails(
        &["run", "--config", &unknown],
        2,
        &["experiment.toml", "line 3", "unknown field `windows`", "hint: `cutpoint list` names the stages"],
    );
    fails(&["run", "--config", &config("name = \"a\"\nstrategies = []\n")], 2, &["needs a strategy"]);
    fails(&["run", "--config", &config(&format!("{head}history = \"x\"\n"))], 2, &["full and recorded"]);
    let window = config(&format!("{head}models = [{{ name = \"m\", window_tokens = 0 }}]\n"));
    fails(&["run", "--config", &window], 2, &["window", "at least 1"]);
    let size = "{ kind = \"langchain\", when = { fraction = 1.5 }, profile = true, input_budget = true }";
    let stages = format!(
        "estimator = {{ kind = \"pi\" }}, trigger = {size}, cut = {{ kind = \"pi\" }}, summarizer = {{ kind = \"none\" }}"
    );
    let own = config(&format!("name = \"a\"\nstrategies = [{{ name = \"mine\", stages = {{ {stages} }} }}]\n"));
    fails(&["run", "--config", &own], 2, &["above 0 and up to 1, not 1.5"]);
}

/// What the reader of TOML accepts, and no experiment can be made of.
#[test]
fn a_wrong_experiment_is_told_by_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.toml"), "[[row]]\nname = 'x'\n").unwrap();
    let path = folder.path().join("x.toml");
    let path = path.to_str().unwrap();
    let of = |stages: &str| {
        let rest = "cut = { kind = \"tail\" }, summarizer = { kind = \"none\" }";
        format!("name = \"a\"\n\nstrategies = [\"none\", {{ name = \"own\", stages = {{ {stages}, {rest} }} }}]\n")
    };
    let chars = |per_token: &str| format!("estimator = {{ kind = \"chars\", per_token = {per_token} }}");
    let zero = of(&format!("{}, trigger = {{ kind = \"threshold\" }}", chars("0.0")));
    let article = "trigger = { kind = \"article\", threshold = 7.0, min_turns_to_keep = 1 }";
    let share = of(&format!("{}, {article}", chars("4.0")));
    let head = "name = \"a\"\nstrategies = [\"pi\"]\n";
    let model = "[[models]]\nname = \"m\"\nwindow_tokens = 9000\n";
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "name = \"a\"\nstrategies = [\"none\",\n\"deepagent\"]\n",
            ":3: no strategy",
            &["did you mean \"deepagents\"?"],
        ),
        ("name = \"a\"\nstrategies = [\"none\",\n\"none\"]\n", ":3: two strategies are called \"none\"", &[]),
        (
            "name = '../a'\nstrategies = [\"none\"]\n[[models]]\nname = \"m\"\nwindow_tokens = 9000\n",
            ":1: \"../a\" cannot be the name",
            &["--out"],
        ),
        (&zero, ":3: strategy \"own\": estimator chars/0", &["0.01 to 1000 characters, not 0"]),
        (&share, ":3: strategy \"own\": a share of the window", &["not 7"]),
        (&format!("{head}seeds = [1, 2, 1]\n"), ":3: `seeds` holds 1 twice", &[]),
        (&format!("{head}seeds = []\n"), ":3: an experiment needs", &[]),
        (&format!("{head}{model}{model}"), ":6: `models` holds (\"m\", 9000, 8192) twice", &[]),
        (&format!("{head}reference = \"gpt\"\n"), ":3: no reference tokenizer", &[]),
        (&format!("{head}manual = [{{ request = 0 }}]\n"), ":3: a compaction by hand", &["take 1"]),
        (&format!("{head}[goal]\nitems = -1.0\nfuture = 0.4\n"), ":3: the weights", &["-1 and 0.4"]),
        (&format!("{head}[gate]\ngoal_los = 0.02\n"), ":4: [gate] no measure", &["did you mean `goal_loss`?"]),
        (&format!("{head}[gate]\ngoal_loss = \"much\"\n"), ":4: [gate] goal_loss: \"much\" is no margin", &["5%"]),
        (&format!("{head}[cache]\nprovider = \"anthropic-5\"\n"), ":4: no cache", &["did you mean \"anthropic-5m\"?"]),
        (&format!("{head}[cache]\nprice = \"nobody\"\n"), ":4: no price", &["cutpoint list prices"]),
        (&format!("{head}[cache]\nprices = \"none.toml\"\n"), ":4: cannot read the price book", &["none.toml"]),
        (&format!("{head}[cache]\nprices = \"bad.toml\"\n"), ":4: ", &["hint: a row has name, models"]),
        (&format!("{head}[grid]\n\"cache.prices\" = [\"none.toml\"]\n"), ":4: cannot read the price book", &[]),
        (&format!("{head}[grid]\n\"trigger\" = []\n"), ":4: trigger: there is no value", &[]),
        (
            &format!("{head}[grid]\n\"cache.provider\" = [\"idle\"]\n"),
            ":4: no cache is called",
            &["did you mean \"ideal\"?"],
        ),
        (
            &format!("{head}[grid]\n\"summarizer.template\" = [\"codex\"]\n\"cache.provder\" = [\"ideal\"]\n"),
            ":5: cache.provder=ideal,summarizer.template=codex does not fit pi",
            &["did you mean `provider`?"],
        ),
    ];
    for (toml, place, parts) in cases {
        std::fs::write(path, toml).unwrap();
        let parts: Vec<&str> = std::iter::once(place).chain(*parts).copied().collect();
        fails(&["run", "--config", path], 2, &parts);
    }
    fails(&["run", "--strategy", "none", "--name", ".."], 2, &["\"..\" cannot be the name"]);
}

#[test]
fn folders_that_cannot_be_written_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let (file, session) = (file.to_str().unwrap(), golden("branches"));
    fails(&["run", "--transcripts", &session, "--strategy", "none", "--out", file], 2, &[file, "hint: "]);
    fails(&["report", "nowhere"], 5, &["nowhere", "hint: "]);
    // Known before the folder is read.
    #[cfg(not(feature = "parquet"))]
    fails(&["report", "nowhere", "--parquet"], 2, &["without Parquet", "cargo build --release --features parquet"]);
    fails(&["report", folder.path().to_str().unwrap()], 5, &["manifest.json"]);
    std::fs::write(folder.path().join("manifest.json"), "{}").unwrap();
    fails(&["report", folder.path().to_str().unwrap()], 5, &["manifest.json:1", "not a record of a run"]);
}

#[test]
fn a_failed_run_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let done = run_in(folder.path(), &["run", "--transcripts", &golden("branches"), "--strategy", "nobody"]);
    assert_eq!(done.code, 2);
    assert!(!Path::new(folder.path()).join("reports").exists());
}
