//! The field cases that a replay must get right. `tests/field-cases/index.json` says what is right for each.
//!
//! Cases that are not checked here, and why:
//!
//! | case | reason |
//! |---|---|
//! | `cache-thinking-dropped` | no strategy drops thinking between turns; that is a rule of a provider, not of an agent |
//! | `est-*`, `overhead-*`, `usage-*`, `huge-*` of other formats | `tests/estimators.rs`, `tests/import_openai.rs`, `tests/import_claude_code.rs` |
//! | `cache-*`, `cost-*`, `*.requests.json` | caches and bills: `tests/cache_field_cases.rs` |
//! | `bad-*`, `enc-*`, `fmt-*`, `tree-*` | damaged files: `tests/field_cases.rs` |

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod calls;
mod cuts;
mod estimates;
mod hopeless;
mod losses;
mod pairs;
mod resumed;
mod variants;
mod windows;

use std::path::Path;

use cutpoint::engine::estimate::{Estimate, Estimator};
use cutpoint::engine::pi::Rules;
use cutpoint::engine::preset::preset;
use cutpoint::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse};
use cutpoint::engine::{cut, estimate, trigger};
use cutpoint::import::read_file;
use cutpoint::replay::{
    CountCache, EstimateTable, History, Live, Manual, Model, Outline, ReplayEvent, ReplayInput, replay,
};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{Tokens, Transcript};
use serde_json::Value;

/// A recorded history needs no model.
struct Nobody;

impl Completer for Nobody {
    fn name(&self) -> &'static str {
        "nobody"
    }

    fn is_mock(&self) -> bool {
        true
    }

    fn complete(&self, _: &LlmRequest) -> Result<LlmResponse, LlmError> {
        Err(LlmError::Failed("nobody is asked".to_owned()))
    }
}

/// A case: its session and what is right.
pub(crate) struct Case {
    pub(crate) transcript: Transcript,
    pub(crate) numbers: Value,
}

impl Case {
    pub(crate) fn read(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field-cases");
        let index: Value = serde_json::from_slice(&std::fs::read(folder.join("index.json")).unwrap()).unwrap();
        let is_named = |case: &&Value| case["file"].as_str().unwrap().split('.').next() == Some(name);
        let case = index["cases"].as_array().unwrap().iter().find(is_named).unwrap();
        let file = case["file"].as_str().unwrap();
        Self { transcript: read_file(folder.join(file)).unwrap().transcript, numbers: case["numbers"].clone() }
    }

    pub(crate) fn number(&self, name: &str) -> u64 {
        self.numbers[name].as_u64().unwrap_or_else(|| panic!("no number {name}"))
    }

    pub(crate) fn index(&self, name: &str) -> usize {
        usize::try_from(self.number(name)).unwrap()
    }

    pub(crate) fn list(&self, name: &str) -> Vec<u64> {
        self.numbers[name].as_array().unwrap().iter().map(|one| one.as_u64().unwrap()).collect()
    }

    /// Follows the recording with the estimator and trigger of a release of Pi, and hands over the context at the end.
    pub(crate) fn follow<T>(
        &self,
        release: &'static Rules,
        window: u64,
        observe: &mut dyn FnMut(&ReplayEvent<'_, '_>),
        then: impl FnOnce(&Live<'_>) -> T,
    ) -> T {
        self.follow_with(release, release.reserve, window, observe, then)
    }

    /// The same under another `reserveTokens`.
    pub(crate) fn follow_with<T>(
        &self,
        release: &'static Rules,
        reserve: Tokens,
        window: u64,
        observe: &mut dyn FnMut(&ReplayEvent<'_, '_>),
        then: impl FnOnce(&Live<'_>) -> T,
    ) -> T {
        self.follow_under(release, reserve, &Model::new("", Tokens(window), Tokens(0)), observe, then)
    }

    /// The same under a model that may have windows by recorded model.
    pub(crate) fn follow_under<T>(
        &self,
        release: &'static Rules,
        reserve: Tokens,
        model: &Model,
        observe: &mut dyn FnMut(&ReplayEvent<'_, '_>),
        then: impl FnOnce(&Live<'_>) -> T,
    ) -> T {
        let transcript = &self.transcript;
        let mut strategy = preset("pi").unwrap().spec.build("pi").unwrap();
        strategy.estimator = std::sync::Arc::new(estimate::pi::Pi(release));
        strategy.trigger = Box::new(trigger::pi::Pi(release.with_reserve(Some(reserve))));
        let path = transcript.path();
        let input = ReplayInput {
            transcript,
            path: &path,
            outline: &Outline::new(transcript),
            reference: &MessageTable::new(transcript, Reference::O200kBase),
            estimates: &EstimateTable::new(transcript, &*strategy.estimator),
            counts: &CountCache::new(Reference::O200kBase),
            model,
            history: History::Recorded,
            manual: &[],
            seed: 0,
        };
        then(&replay(input, &mut strategy, &Nobody, &mut |event| observe(event)))
    }

    /// Drops everything by hand before a request, and keeps the first prompt.
    pub(crate) fn compacted(&self, before: u64, observe: &mut dyn FnMut(&ReplayEvent<'_, '_>)) {
        let transcript = &self.transcript;
        let mut strategy = preset("ralph").unwrap().spec.build("ralph").unwrap();
        let path = transcript.path();
        let model = Model::new("", Tokens(200_000), Tokens(0));
        let input = ReplayInput {
            transcript,
            path: &path,
            outline: &Outline::new(transcript),
            reference: &MessageTable::new(transcript, Reference::O200kBase),
            estimates: &EstimateTable::new(transcript, &*strategy.estimator),
            counts: &CountCache::new(Reference::O200kBase),
            model: &model,
            history: History::Full,
            manual: &[Manual { request: before, instructions: None }],
            seed: 0,
        };
        replay(input, &mut strategy, &Nobody, &mut |event| observe(event));
    }

    /// Pi's estimate of the context at the end.
    pub(crate) fn estimate(&self) -> Estimate {
        let rules = &Rules::V1_6;
        self.follow(rules, 1_000_000, &mut |_| {}, |live| estimate::pi::Pi(rules).context(live.view()))
    }
}

/// The cut of a release under another `keepRecentTokens`.
pub(crate) fn keeping(release: &Rules, keep: u64) -> cut::pi::Pi {
    cut::pi::Pi(release.with_keep_recent(Some(Tokens(keep))))
}
