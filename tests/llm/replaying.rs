//! What is recorded is replayed, and nothing else is.

use std::fs;
use std::path::{Path, PathBuf};

use cutpoint::llm::{Api, Completer, LlmError, Mode};

use super::stub::{Act, Stub};
use super::{chat, config, gateway, request};

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        |folder: &Path| -> Vec<PathBuf> { fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect() };
    entries(folder).iter().filter(|path| path.is_dir()).flat_map(|folder| entries(folder)).collect()
}

#[test]
fn what_was_recorded_is_not_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::new(|number, _| Act::json(&chat(&format!("answer {number}\n\n"))));
    let config = config(Api::Chat, &stub, false);
    let answers = |mode| {
        let gateway = gateway(&config, mode, folder.path());
        let answers: Vec<_> = (0..5).map(|seed| gateway.complete(&request("x", seed)).unwrap()).collect();
        (answers, gateway.traffic())
    };
    let (recorded, traffic) = answers(Mode::Record);
    assert_eq!((traffic.stored, traffic.spent.calls, stub.asked().len()), (0, 5, 5));
    for mode in [Mode::Record, Mode::Replay] {
        let (again, traffic) = answers(mode);
        assert_eq!(again, recorded);
        assert_eq!((traffic.stored, traffic.spent.calls, stub.asked().len()), (5, 0, 5));
    }
    let (fresh, _) = answers(Mode::Live);
    assert_ne!(fresh, recorded, "live asks the model");
}

#[test]
fn a_changed_prompt_fails_with_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::acts(vec![Act::json(&chat("done."))]);
    let config = config(Api::Chat, &stub, false);
    let prompt = "Summarize the conversation.\n\n## Goal\n## Progress\n## Next Steps\n";
    gateway(&config, Mode::Record, folder.path()).complete(&request(prompt, 0)).unwrap();
    let replay = gateway(&config, Mode::Replay, folder.path());
    let error = replay.complete(&request(&prompt.replace("Progress", "State"), 0)).unwrap_err().to_string();
    assert!(error.contains("-## Progress\n+## State\n"), "{error}");
    assert!(error.contains("hint: record it with --llm-mode record"), "{error}");
    assert_eq!(replay.halted().map(|why| error.contains(&why)), Some(true));
    assert_eq!(stub.asked().len(), 1);
    let empty = gateway(&config, Mode::Replay, &folder.path().join("none"));
    assert!(empty.complete(&request(prompt, 0)).unwrap_err().to_string().contains("holds no answer at all"));
}

#[test]
fn a_models_word_that_there_is_none_is_recorded_too() {
    let folder = tempfile::tempdir().unwrap();
    let long = r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum","type":"invalid_request_error"}}"#;
    let stub = Stub::acts(vec![Act::status(400, long)]);
    let config = config(Api::Messages, &stub, true);
    let told = gateway(&config, Mode::Record, folder.path()).complete(&request("x", 0)).unwrap_err();
    assert!(matches!(told, LlmError::Overflow(_)));
    assert_eq!(gateway(&config, Mode::Replay, folder.path()).complete(&request("x", 0)), Err(told));
}

#[test]
fn faults_are_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::acts(vec![Act::status(401, "no"), Act::json(&chat("done."))]);
    let config = config(Api::Chat, &stub, false);
    assert!(gateway(&config, Mode::Record, folder.path()).complete(&request("x", 0)).is_err());
    assert!(gateway(&config, Mode::Record, folder.path()).complete(&request("x", 0)).is_ok());
}

#[test]
fn a_damaged_answer_is_not_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let stub = Stub::acts(vec![Act::json(&chat("the port is 8080"))]);
    let config = config(Api::Chat, &stub, false);
    gateway(&config, Mode::Record, folder.path()).complete(&request("x", 0)).unwrap();
    let [file] = &files(folder.path())[..] else { panic!("one file") };
    fs::write(file, fs::read_to_string(file).unwrap().replace("8080", "9090")).unwrap();
    for mode in [Mode::Replay, Mode::Record] {
        let error = gateway(&config, mode, folder.path()).complete(&request("x", 0)).unwrap_err().to_string();
        assert!(error.contains("its checksum is wrong") && error.contains(".json"), "{error}");
    }
}
