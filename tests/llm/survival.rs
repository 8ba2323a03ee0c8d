//! A process that dies at a random moment loses no stored answer and corrupts none.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cutpoint::llm::{Api, Key, LlmConfig, LlmResponse, Reply, Store};

use super::request;

const FOLDER: &str = "CUTPOINT_TEST_STORE";

fn config() -> LlmConfig {
    LlmConfig::new(Api::Chat, "m-1")
}

fn reply(number: u64) -> Reply {
    let text = format!("answer {number}\n").repeat(2_000).into();
    Reply {
        outcome: Ok(LlmResponse { text, calls: Vec::new(), truncated: false, usage: None }),
        usage: None,
        model: None,
    }
}

/// Run by the test below, in a process of its own: stores answers for ever, and says so after each.
#[test]
#[ignore = "the other test starts it"]
fn stores_for_ever() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = Store::new(Path::new(&folder));
    let start: u64 = std::process::id().into();
    for number in start * 1_000_000.. {
        store.put(&config(), &request("x", number), &reply(number)).unwrap();
        writeln!(std::io::stdout(), "stored {number}").unwrap();
        std::io::stdout().flush().unwrap();
    }
}

#[test]
fn killed_fifty_times_nothing_stored_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut stored = Vec::new();
    for round in 0..50_u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "survival::stores_for_ever", "--ignored", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        // From its first answer on it dies at another moment each time.
        let is_stored = |line: &String| line.starts_with("stored ");
        stored.extend(lines.by_ref().find(is_stored));
        let moment = Duration::from_micros((round * 7_919) % 20_000);
        let start = Instant::now();
        while start.elapsed() < moment {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // A line may be cut by the death; a whole one is a promise.
        stored.extend(lines.filter(is_stored));
    }
    let store = Store::new(folder.path());
    let numbers: Vec<u64> = stored.iter().filter_map(|line| line.strip_prefix("stored ")?.parse().ok()).collect();
    assert!(numbers.len() >= 50, "{}", numbers.len());
    for number in numbers {
        let found = store.get(&Key::of(&config(), &request("x", number))).unwrap();
        assert_eq!(found.unwrap().reply, reply(number), "{number}");
    }
    let faults: Vec<String> = store.all().into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
    assert_eq!(faults, [""; 0]);
}
