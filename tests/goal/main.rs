//! The goal meters from outside: each planted cheat of the definition is caught, and every part is measured on sessions whose
//! numbers are known by hand.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod attacks;
mod bench_inputs;
mod cheats;
mod dead_ends;
mod future;
mod recovery;
mod rounds;

use std::sync::Arc;

use cutpoint::engine::cut::{CutGoal, CutPlan, CutPolicy, NothingToDrop};
use cutpoint::engine::estimate::chars::Chars;
use cutpoint::engine::recover::Recovery;
use cutpoint::engine::strategy::Strategy;
use cutpoint::engine::summarize::{
    Completer, Exchange, LlmError, LlmRequest, LlmResponse, Purpose, Summarizer, Summary, SummaryError, SummaryJob,
};
use cutpoint::engine::trigger::{Checkpoint, Decision, Trigger, TriggerView};
use cutpoint::engine::view::ContextView;
use cutpoint::measure::Measure;
use cutpoint::meter::goal::entity::Extractor;
use cutpoint::meter::goal::{
    Claims, EntityIndex, Faith, Future, FutureInput, Goal, ItemSet, Presence, Reach, Second, Shape,
};
use cutpoint::meter::{Measures, Meter};
use cutpoint::replay::{CountCache, EstimateTable, History, Model, Outline, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{
    Block, Content, Entry, EntryIdx, EntryKind, JsonText, Message, Reply, StopReason, Text, Tokens, ToolCall,
    ToolResult, Transcript,
};

/// A message of a made-up session: `> ` the person, `! tool {…}` a call, `= ` its result, anything else the agent.
pub(crate) fn session(lines: &[&str]) -> Transcript {
    let mut transcript = Transcript::default();
    for (index, line) in lines.iter().enumerate() {
        let text = |text: &str| Content { blocks: vec![Block::Text(Text::from(text))], plain: true };
        let reply = |content, stop| {
            let (api, provider, model) = ("".into(), "".into(), "".into());
            Message::Assistant(content, Box::new(Reply { api, provider, model, stop, usage: None, error: None }))
        };
        let message = if let Some(said) = line.strip_prefix("> ") {
            Message::User(text(said))
        } else if let Some(call) = line.strip_prefix("! ") {
            let (tool, arguments) = call.split_once(' ').unwrap();
            let id = format!("c{index}").into();
            let call = ToolCall { id, name: Text::from(tool).into(), arguments: JsonText::new(arguments).unwrap() };
            reply(Content { blocks: vec![Block::ToolCall(call)], plain: false }, StopReason::ToolUse)
        } else if let Some(result) = line.strip_prefix("= ") {
            Message::ToolResult(Box::new(ToolResult {
                call_id: format!("c{}", index - 1).into(),
                tool: "".into(),
                content: text(result),
                is_error: false,
                details: None,
                nested_calls: None,
            }))
        } else {
            reply(text(line), StopReason::Stop)
        };
        transcript.entries.push(Entry {
            id: format!("e{index}").into(),
            parent: index.checked_sub(1).map(EntryIdx),
            line: index + 1,
            timestamp: None,
            message_time_ms: None,
            kind: EntryKind::Message(message),
            extra: None,
        });
    }
    transcript
}

/// Fires before these requests, from 1.
struct Before(Vec<u64>, u64);

impl Trigger for Before {
    fn decide(&mut self, at: Checkpoint, _: &TriggerView<'_, '_>) -> Decision {
        if at != Checkpoint::BeforeRequest {
            return Decision::Wait;
        }
        self.1 += 1;
        if self.0.contains(&self.1) { Decision::Compact("as planned".to_owned()) } else { Decision::Wait }
    }
}

/// Keeps the last messages.
struct KeepLast(usize);

impl CutPolicy for KeepLast {
    fn cut(&self, view: &ContextView<'_>, _: CutGoal) -> Result<CutPlan, NothingToDrop> {
        Ok(CutPlan::at(0, view.len() - self.0))
    }
}

/// The summaries, one after the other; the last one again and again.
struct Says(Vec<String>, std::sync::Mutex<usize>);

impl Summarizer for Says {
    fn summarize(&self, _: &SummaryJob<'_, '_>, _: &dyn Completer) -> Result<Summary, SummaryError> {
        let mut next = self.1.lock().unwrap();
        let said = &self.0[(*next).min(self.0.len() - 1)];
        *next += 1;
        let prompt = "## Goal\n(what)\n## Next Steps\n(which)";
        let request = LlmRequest::new(Purpose::Summary, None, prompt);
        let response =
            Some(LlmResponse { text: said.as_str().into(), calls: Vec::new(), truncated: false, usage: None });
        let text = Text::from(said.as_str());
        let message = (!said.is_empty()).then(|| Message::CompactionSummary(text.clone()));
        Ok(Summary { message, text, exchanges: vec![Exchange { request, response }], ..Summary::default() })
    }
}

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

/// A made-up replay: when it compacts, what it keeps, what its summaries say.
pub(crate) struct Plan<'p> {
    pub(crate) transcript: &'p Transcript,
    pub(crate) items: &'p str,
    pub(crate) before: &'p [u64],
    pub(crate) keep: usize,
    pub(crate) says: &'p [&'p str],
    pub(crate) recovery: Vec<Box<dyn Recovery>>,
    pub(crate) reach: Reach,
}

impl<'p> Plan<'p> {
    pub(crate) fn new(transcript: &'p Transcript, items: &'p str, says: &'p [&'p str]) -> Self {
        Self { transcript, items, before: &[2], keep: 1, says, recovery: Vec::new(), reach: Reach::Nothing }
    }

    /// All goal measures, and the fates of the items after the last cut.
    pub(crate) fn run(self) -> Outcome {
        let transcript = self.transcript;
        let items = ItemSet::parse(self.items, transcript).unwrap();
        let presence = Presence::new(transcript, &items);
        let path = transcript.path();
        let index = EntityIndex::new(transcript);
        let reference = MessageTable::new(transcript, Reference::O200kBase);
        let estimator = Arc::new(Chars::ARTICLE);
        let mut strategy = Strategy {
            name: "by hand".to_owned(),
            estimator_name: "chars".to_owned(),
            estimator: estimator.clone(),
            edits: Vec::new(),
            trigger: Box::new(Before(self.before.to_vec(), 0)),
            cut: Box::new(KeepLast(self.keep)),
            summarizer: Box::new(Says(self.says.iter().map(|&one| one.to_owned()).collect(), std::sync::Mutex::new(0))),
            recovery: self.recovery,
        };
        // With a window this large nothing overflows; with a floor of a token every cut is scored.
        let (window, floor) = (Tokens(1_000_000), Tokens(1));
        let input = ReplayInput {
            transcript,
            path: &path,
            outline: &Outline::new(transcript),
            reference: &reference,
            estimates: &EstimateTable::new(transcript, &*estimator),
            counts: &CountCache::new(Reference::O200kBase),
            model: &Model::new("", window, Tokens(0)),
            history: History::Full,
            manual: &[],
            seed: 0,
        };
        let goal = Goal::new(&items, &presence, floor).on_path(&path, transcript);
        let mut goal = Box::new(goal.reaching(self.reach, &reference));
        let mut future = Box::new(Future::new(FutureInput {
            transcript,
            path: &path,
            index: &index,
            reference: &reference,
            frequencies: None,
            window: floor,
            contaminated: false,
        }));
        let chunks = EntityIndex::by(Extractor::Chunks, transcript);
        let mut second = Box::new(Second(Future::new(FutureInput {
            transcript,
            path: &path,
            index: &chunks,
            reference: &reference,
            frequencies: None,
            window: floor,
            contaminated: false,
        })));
        let mut faith = Box::new(Faith::new(transcript, &path, &index));
        let mut claims = Box::new(Claims::new(transcript, &path));
        let headings = ["## Goal", "## Next Steps"].map(str::to_owned).to_vec();
        let mut shape = Box::new(Shape::new(vec![headings]));
        replay(input, &mut strategy, &Nobody, &mut |event| {
            goal.observe(event);
            future.observe(event);
            second.observe(event);
            faith.observe(event);
            claims.observe(event);
            shape.observe(event);
        });
        let fates = goal.fates().unwrap_or_default().iter().map(|fate| fate.name()).collect();
        let lives = goal.lives().iter().map(|life| (life.rounds, life.lost)).collect();
        let fabricated = faith.fabrications().into_iter().map(|one| (one.key, one.foreseen)).collect();
        let meters: [Box<dyn Meter + '_>; 6] = [goal, future, second, faith, claims, shape];
        Outcome { measures: meters.into_iter().flat_map(Meter::finish).collect(), fates, lives, fabricated }
    }
}

/// What came of it.
pub(crate) struct Outcome {
    pub(crate) measures: Measures,
    pub(crate) fates: Vec<&'static str>,
    pub(crate) lives: Vec<(u32, bool)>,
    pub(crate) fabricated: Vec<(String, bool)>,
}

impl Outcome {
    fn measure(&self, name: &str) -> &Measure {
        &self.measures.iter().find(|(one, _)| *one == name).unwrap_or_else(|| panic!("no {name}")).1
    }

    #[track_caller]
    pub(crate) fn value(&self, name: &str) -> f64 {
        self.measure(name).value().unwrap_or_else(|| panic!("{name}: {:?}", self.measure(name)))
    }

    #[track_caller]
    pub(crate) fn assert(&self, name: &str, expected: f64) {
        let found = self.value(name);
        assert!((found - expected).abs() < 1e-9, "{name}: {found}, expected {expected}");
    }

    #[track_caller]
    pub(crate) fn assert_void(&self, name: &str, reason: &str) {
        match self.measure(name) {
            Measure::Void(found) => assert!(found.contains(reason), "{name}: {found}"),
            Measure::Value(value) => panic!("{name}: {value}, expected a void"),
        }
    }
}
