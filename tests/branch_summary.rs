//! The summary of a branch that is left, on the made-up session with branches.

use std::path::Path;
use std::sync::Mutex;

use cutpoint::engine::pi::Rules;
use cutpoint::engine::summarize::branch::{BranchJob, summarize_branch};
use cutpoint::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse, Purpose};
use cutpoint::engine::template::Template;
use cutpoint::import::read_file;
use cutpoint::transcript::{EntryIdx, Message, Tokens, Transcript};

/// Answers with fixed words and keeps what it was asked.
#[derive(Default)]
struct Keeper(Mutex<Vec<LlmRequest>>, bool);

impl Completer for Keeper {
    fn name(&self) -> &'static str {
        "keeper"
    }

    fn is_mock(&self) -> bool {
        true
    }

    fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        self.0.lock().map_err(|_| LlmError::Failed("poisoned".to_owned()))?.push(request.clone());
        Ok(LlmResponse { text: "THE BRANCH".into(), calls: Vec::new(), truncated: self.1, usage: None })
    }
}

fn session() -> Transcript {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/pi/cases/branches.jsonl");
    read_file(path).expect("a session").transcript
}

fn job<'a>(transcript: &'a Transcript, target: &str, focus: Option<&'a str>) -> BranchJob<'a> {
    let leaf = transcript.leaf().expect("a leaf");
    let target = transcript.entries.iter().position(|entry| &*entry.id == target).expect("the target");
    BranchJob { transcript, leaf, target: EntryIdx(target), window: Some(Tokens(128_000)), focus, seed: 0 }
}

#[test]
fn a_branch_is_summarized_with_its_files_and_the_cap_of_the_release() {
    let transcript = session();
    for (rules, template, cap) in [
        (&Rules::V1_6, "pi", None),
        (&Rules::V0_58, "pi-0.58", Some(Tokens(2_048))),
        (&Rules::V0_74, "pi", Some(Tokens(2_048))),
    ] {
        let keeper = Keeper::default();
        let job = job(&transcript, "00000006", Some("the parser"));
        let template = Template::builtin(template).unwrap();
        let summary = summarize_branch(&job, rules, &template, &keeper).unwrap().expect("something was said");
        let text = summary.text.as_str();
        assert!(
            text.contains(
                "THE BRANCH\n\n<read-files>\nb.ts\nr.ts\n</read-files>\n\n<modified-files>\na.ts\n</modified-files>"
            ),
            "{text}"
        );
        assert!(matches!(summary.message, Some(Message::BranchSummary(_))));
        let asked = keeper.0.lock().unwrap();
        assert_eq!(
            (asked.len(), asked[0].purpose, asked[0].max_output),
            (1, Purpose::Branch, cap),
            "{}",
            rules.version
        );
        assert!(asked[0].prompt.contains("Additional focus: the parser"));
        assert!(!asked[0].prompt.contains("## Critical Context"), "the branch template has no such heading");
    }
}

#[test]
fn a_move_that_leaves_nothing_asks_nothing() {
    let transcript = session();
    let keeper = Keeper::default();
    let leaf = transcript.entry(transcript.leaf().unwrap()).id.clone();
    let none =
        summarize_branch(&job(&transcript, &leaf, None), &Rules::V1_6, &Template::builtin("pi").unwrap(), &keeper);
    assert!(none.unwrap().is_none());
    assert!(keeper.0.lock().unwrap().is_empty());
}

#[test]
fn a_summary_that_broke_off_is_refused_since_0_84_3() {
    let transcript = session();
    let template = Template::builtin("pi").unwrap();
    let keeper = Keeper(Mutex::default(), true);
    let refused = summarize_branch(&job(&transcript, "00000006", None), &Rules::V1_6, &template, &keeper);
    assert!(refused.is_err_and(|error| error.exchanges.len() == 1));
    assert!(summarize_branch(&job(&transcript, "00000006", None), &Rules::V0_58, &template, &keeper).is_ok());
}
