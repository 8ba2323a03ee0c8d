use std::sync::atomic::{AtomicUsize, Ordering};

use super::mock::{Failure, Mock, MockKnobs};
use super::{Blocking, Completer, Llm, LlmError, LlmRequest, LlmResponse, Memo};
use crate::engine::summarize::Purpose;
use crate::transcript::{Tokens, ToolSchema};

fn request(prompt: &str, seed: u64) -> LlmRequest {
    LlmRequest { seed, ..LlmRequest::new(Purpose::Summary, None, prompt) }
}

/// A model that waits, as real ones do.
struct Slow(AtomicUsize);

impl Llm for Slow {
    fn name(&self) -> &'static str {
        "slow"
    }

    fn is_mock(&self) -> bool {
        false
    }

    async fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        let call = self.0.fetch_add(1, Ordering::SeqCst);
        if &*request.prompt == "fail" {
            return Err(LlmError::Failed("told to".to_owned()));
        }
        Ok(LlmResponse { text: format!("{call}").into(), calls: Vec::new(), truncated: false, usage: None })
    }
}

#[test]
fn a_blocking_model_waits_on_any_thread() {
    let slow = Blocking::new(Slow(AtomicUsize::new(0)));
    assert_eq!((slow.name(), slow.is_mock()), ("slow", false));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| (0..3).for_each(|_| assert!(slow.complete(&request("x", 0)).is_ok())));
        }
    });
    assert_eq!(&*slow.complete(&request("x", 0)).unwrap().text, "9");
}

#[test]
fn inside_a_runtime_a_blocking_call_fails_in_words() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let response = runtime.block_on(async { Blocking::new(Mock::default()).complete(&request("x", 0)) });
    assert!(matches!(response, Err(LlmError::Failed(why)) if why.contains("inside an asynchronous runtime")));
}

#[test]
fn a_memo_asks_once_for_each_different_request_and_keeps_no_error() {
    let memo = Memo::new(Blocking::new(Slow(AtomicUsize::new(0))));
    let base = request("x", 0);
    let tool = ToolSchema { name: "read".into(), description: "".into(), parameters: "".into() };
    let others = [
        LlmRequest { seed: 1, ..base.clone() },
        LlmRequest { max_output: Some(Tokens(0)), ..base.clone() },
        LlmRequest { purpose: Purpose::Branch, ..base.clone() },
        LlmRequest { system: Some("".into()), ..base.clone() },
        LlmRequest { system: Some("x".into()), prompt: "".into(), ..base.clone() },
        LlmRequest { tools: [tool].into(), ..base.clone() },
        request("y", 0),
    ];
    assert!(memo.is_empty());
    let first = memo.complete(&base).unwrap();
    for (index, other) in others.iter().enumerate() {
        assert_eq!(&*memo.complete(other).unwrap().text, (index + 1).to_string());
    }
    assert_eq!(memo.complete(&base).unwrap(), first);
    assert!(memo.complete(&request("fail", 0)).is_err() && memo.complete(&request("fail", 0)).is_err());
    assert_eq!(memo.len(), 8);
    assert_eq!(&*memo.complete(&request("z", 0)).unwrap().text, "10", "both failures were asked");
}

#[test]
fn a_memo_changes_no_answer_of_the_mock() {
    let knobs = MockKnobs { failure: Failure::OneIn(2), ..MockKnobs::default() };
    let plain = Blocking::new(Mock::new(knobs).unwrap());
    let memo = Memo::new(plain.clone());
    assert_eq!((memo.name(), memo.is_mock()), ("mock(fails=1/2)", true));
    for seed in (0..40).chain(0..40) {
        let request = request("<conversation>\n[User]: Fix the parser.\n</conversation>\n\n## Goal", seed);
        assert_eq!(memo.complete(&request), plain.complete(&request));
    }
}
