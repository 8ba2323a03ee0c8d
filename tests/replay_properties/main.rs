//! The invariants of a replay (design §5), checked from scratch: on every session there is, and on sessions that a
//! generator makes up to be as odd as a file can be.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

#[path = "../common/mod.rs"]
mod common;
mod counts;
mod made_up;
mod oracle;

use std::panic::AssertUnwindSafe;

use cutpoint::engine::estimate::outside::Inside;
use cutpoint::engine::preset::{Preset, preset, presets};
use cutpoint::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse};
use cutpoint::experiment::load;
use cutpoint::replay::{
    CountCache, EstimateTable, History, Live, Model, Outline, ReplayEvent, ReplayInput, RequestEvent, replay,
};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{EntryIdx, EntryKind, Tokens, Transcript};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use counts::{Counter, Second};
use oracle::Oracle;

/// A model that answers by the length of its prompt, or does not.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answers {
    Well,
    Nothing,
    TooLong,
    Truncated,
    Fails,
    Overflows,
}

impl Completer for Answers {
    fn name(&self) -> &'static str {
        "test"
    }

    fn is_mock(&self) -> bool {
        true
    }

    fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        let text = match self {
            Self::Fails => return Err(LlmError::Failed("as asked".to_owned())),
            Self::Overflows => return Err(LlmError::Overflow("as asked".to_owned())),
            Self::Nothing => String::new(),
            Self::TooLong => request.prompt.to_string(),
            Self::Well | Self::Truncated => format!("## Goal\n{} bytes were read", request.prompt.len()),
        };
        Ok(LlmResponse {
            text: text.into(),
            calls: Vec::new(),
            truncated: matches!(self, Self::Truncated),
            usage: None,
        })
    }
}

/// A session with everything that its cells share.
pub(crate) struct Shared<'a> {
    transcript: &'a Transcript,
    path: Vec<EntryIdx>,
    outline: Outline,
    reference: MessageTable,
    counts: CountCache,
    counter: Counter,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(transcript: &'a Transcript) -> Self {
        Self {
            transcript,
            path: transcript.path(),
            outline: Outline::new(transcript),
            reference: MessageTable::new(transcript, Reference::O200kBase),
            counts: CountCache::new(Reference::O200kBase),
            counter: Counter::default(),
        }
    }

    /// Follows the recording, and hands over the context at the end.
    pub(crate) fn follow(&self, then: impl FnOnce(&Live<'_>)) {
        let mut strategy = preset("pi").unwrap().spec.build("pi").unwrap();
        let estimates = EstimateTable::new(self.transcript, &*strategy.estimator);
        let model = Model::new("", Tokens(200_000), Tokens(1_000));
        let input = self.input(&estimates, &model, History::Recorded);
        then(&replay(input, &mut strategy, &Answers::Fails, &mut |_| {}));
    }

    fn input<'i>(&'i self, estimates: &'i EstimateTable, model: &'i Model, history: History) -> ReplayInput<'i> {
        ReplayInput {
            transcript: self.transcript,
            path: &self.path,
            outline: &self.outline,
            reference: &self.reference,
            estimates,
            counts: &self.counts,
            model,
            history,
            manual: &[],
            seed: 0,
        }
    }

    /// Whether the first request is known to go to a model of the recording, and so are all that follow.
    pub(crate) fn names_a_model_first(&self) -> bool {
        self.path.iter().all(|&idx| match &self.transcript.entry(idx).kind {
            EntryKind::Message(message) => message.reply().is_none_or(|reply| reply.answered_by().is_some()),
            _ => true,
        }) && self.path.iter().any(|&idx| self.transcript.entry(idx).kind.model().is_some())
    }

    /// What a replay under a model tells, but for a change of the model before the first request.
    pub(crate) fn told(&self, preset: &Preset, model: &Model, history: History, llm: Answers) -> Vec<String> {
        let mut strategy = preset.spec.build(preset.name).unwrap();
        let estimates = EstimateTable::new(self.transcript, &*strategy.estimator);
        let mut told = Vec::new();
        replay(self.input(&estimates, model, history), &mut strategy, &llm, &mut |event| match event {
            ReplayEvent::Switch(switch) if switch.request == 1 => {}
            ReplayEvent::Request(request) => {
                let RequestEvent { number, estimate, reference, reused, window, overflow, .. } = request;
                told.push(format!("{number} {estimate:?} {reference} {reused} {window} {overflow}"));
            }
            ReplayEvent::Compaction(one) => {
                let (plan, after) = (one.plan, one.after.request_tokens());
                told.push(format!("{} {} {} {plan:?} {after}", one.request, one.checkpoint, one.reason));
            }
            ReplayEvent::Edit(edit) => told.push(format!("{} {:?} {}", edit.request, edit.places, edit.saved)),
            other => told.push(format!("{other:?}")),
        });
        told
    }

    /// Replays it through a preset under the eyes of the oracle. Returns the number of compactions.
    pub(crate) fn check(&self, preset: &Preset, windows: &[u64], history: History, llm: Answers) -> u64 {
        let estimates = EstimateTable::new(self.transcript, &*preset.spec.estimator.build(&Inside).unwrap());
        let second = Second::new(preset.spec.estimator.clone());
        let one = |&window: &u64| {
            let mut strategy = preset.spec.build(preset.name).unwrap();
            let model = Model::new("", Tokens(window), Tokens(1_000));
            let input = self.input(&estimates, &model, history);
            let mut oracle = Oracle::new(input, &preset.spec.estimator, &self.counter, &second);
            let observe = || {
                replay(input, &mut strategy, &llm, &mut |event| oracle.observe(event));
                oracle.finish()
            };
            named(&format!("{} {window} {llm:?}", preset.name), observe)
        };
        windows.iter().map(one).sum()
    }
}

/// Runs a check; a panic says which cell it was.
fn named<T>(name: &str, check: impl FnOnce() -> T) -> T {
    std::panic::catch_unwind(AssertUnwindSafe(check)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|&said| said.to_owned()));
        panic!("{name}: {}", said.unwrap_or_default())
    })
}

fn sessions() -> Vec<(String, Transcript)> {
    let mut sessions = Vec::new();
    for session in load(&[]).unwrap().sessions {
        sessions.push((session.name, session.transcript));
    }
    for file in common::pi_files() {
        // An empty file holds no session; tests/field_cases.rs says so.
        if let Ok(corpus) = load(std::slice::from_ref(&file)) {
            sessions.extend(corpus.sessions.into_iter().map(|one| (one.name, one.transcript)));
        }
    }
    sessions
}

/// Presets whose stages are the real system's own rules. The others are made of stages that these and each other share.
const OWN_RULES: [&str; 6] = ["pi", "pi@0.58", "pi-article", "pi-three-part", "deepagents", "drop-tool-results"];

const WINDOWS: [u64; 4] = [8_000, 32_000, 64_000, 200_000];

#[test]
fn every_preset_keeps_the_invariants_on_every_session() {
    let one = |(at, (name, transcript)): (usize, (String, Transcript))| -> u64 {
        let shared = Shared::new(&transcript);
        let of = |(index, preset): (usize, &Preset)| {
            if OWN_RULES.contains(&preset.name) {
                let full = shared.check(preset, &WINDOWS, History::Full, Answers::Well);
                return full + shared.check(preset, &[64_000], History::Recorded, Answers::Well);
            }
            // Every window meets every preset in some session: all of them in all would take minutes in a debug build.
            let window = WINDOWS[(at + index) % WINDOWS.len()];
            shared.check(preset, &[window], History::Full, Answers::Well)
        };
        named(&name, || presets().iter().enumerate().map(of).sum())
    };
    for name in OWN_RULES {
        assert!(preset(name).is_some(), "no preset {name}");
    }
    let sessions: Vec<_> = sessions().into_iter().enumerate().collect();
    let compactions: u64 = sessions.into_par_iter().map(one).sum();
    assert!(compactions > 100, "only {compactions} compactions");
}
