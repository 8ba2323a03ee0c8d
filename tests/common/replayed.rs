//! An imported session, replayed once: a provider must not refuse a request of it.

#![allow(clippy::unwrap_used, dead_code, unreachable_pub, reason = "included by several test crates")]

use std::collections::HashSet;

use cutpoint::engine::preset::preset;
use cutpoint::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse};
use cutpoint::replay::{CountCache, EstimateTable, History, Live, Model, Outline, ReplayEvent, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{Block, Message, Tokens, Transcript, joined_text, user_text};

/// Nobody is asked.
struct Silent;

impl Completer for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }

    fn is_mock(&self) -> bool {
        true
    }

    fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        panic!("nothing is to be summarized: {request:?}")
    }
}

/// Calls without a result and results without a call.
fn orphans<'m>(messages: impl Iterator<Item = &'m Message>) -> usize {
    let mut open = HashSet::new();
    let mut orphans = 0;
    for message in messages {
        if let Message::ToolResult(result) = message {
            orphans += usize::from(!open.remove(&result.call_id));
        }
        for block in message.blocks() {
            if let Block::ToolCall(call) = block {
                open.insert(call.id.clone());
            }
        }
    }
    orphans + open.len()
}

/// Replays the path without compacting, along both histories, and returns how many requests there were.
///
/// # Panics
/// When a request holds an orphan.
pub fn requests(name: &str, transcript: &Transcript) -> usize {
    let count = |history| {
        let mut requests = 0;
        each_request(name, transcript, history, |_| requests += 1);
        requests
    };
    let full = count(History::Full);
    assert_eq!(count(History::Recorded), full, "{name}");
    full
}

/// The texts of the messages of every request of a history. Calls and results have none.
///
/// # Panics
/// When a request holds an orphan.
pub fn contexts(name: &str, transcript: &Transcript, history: History) -> Vec<Vec<String>> {
    let mut contexts = Vec::new();
    each_request(name, transcript, history, |live| contexts.push(live.sent().map(text).collect()));
    contexts
}

fn each_request(name: &str, transcript: &Transcript, history: History, mut each: impl FnMut(&Live<'_>)) {
    let mut strategy = preset("none").unwrap().spec.build("none").unwrap();
    let path = transcript.path();
    let reference = MessageTable::new(transcript, Reference::O200kBase);
    let estimates = EstimateTable::new(transcript, &*strategy.estimator);
    let counts = CountCache::new(Reference::O200kBase);
    let model = Model::new("m", Tokens(10_000_000), Tokens(8_192));
    let input = ReplayInput {
        transcript,
        path: &path,
        outline: &Outline::new(transcript),
        reference: &reference,
        estimates: &estimates,
        counts: &counts,
        model: &model,
        history,
        manual: &[],
        seed: 0,
    };
    replay(input, &mut strategy, &Silent, &mut |event| {
        if let ReplayEvent::Request(request) = event {
            assert_eq!(orphans(request.live.sent()), 0, "{name}: request {}", request.number);
            each(request.live);
        }
    });
}

fn text(message: &Message) -> String {
    match message {
        Message::Assistant(content, _) => joined_text(content).into_owned(),
        other => user_text(other).unwrap_or_default().into_owned(),
    }
}
