//! The loop over the recorded path.

use super::outline::{Reply, Step};
use super::{
    EditEvent, FiredEvent, History, Limits, Live, OverflowEvent, ReplayEvent, ReplayInput, RequestEvent, StuckEvent,
    SwitchEvent, compaction, irreducible,
};
use crate::engine::cut::CutGoal;
use crate::engine::edit::Rewrite;
use crate::engine::strategy::Strategy;
use crate::engine::summarize::Completer;
use crate::engine::trigger::{Checkpoint, Decision, TriggerView};
use crate::engine::view::{Item, Kind};
use crate::transcript::{EntryIdx, EntryKind, Role, Tokens};

/// Replays `input` through `strategy` and tells `observe` everything that happens. Returns the context at the end.
pub fn replay<'a>(
    input: ReplayInput<'a>,
    strategy: &mut Strategy,
    llm: &dyn Completer,
    observe: &mut dyn FnMut(&ReplayEvent<'_, 'a>),
) -> Live<'a> {
    let limits = input.model.limits(None);
    let mut driver = Driver {
        input,
        strategy,
        llm,
        observe,
        live: Live::new(input),
        request: 1,
        recorded: true,
        taken: 0,
        named: None,
        limits,
        looked: limits,
        asked: false,
        told: Vec::new(),
    };
    for &idx in input.path {
        driver.entry(idx);
        driver.taken += 1;
    }
    driver.unanswered();
    driver.live
}

/// The state of one replay.
pub(super) struct Driver<'a, 'd> {
    pub(super) input: ReplayInput<'a>,
    pub(super) strategy: &'d mut Strategy,
    pub(super) llm: &'d dyn Completer,
    pub(super) observe: &'d mut dyn FnMut(&ReplayEvent<'_, 'a>),
    pub(super) live: Live<'a>,
    /// Number of the next request.
    pub(super) request: u64,
    /// The context is still the recorded one.
    pub(super) recorded: bool,
    /// Records of the path that were taken in.
    taken: usize,
    /// The recorded model that the session runs on, as far as it says.
    named: Option<&'a str>,
    /// What holds for the next request.
    pub(super) limits: Limits,
    /// What held when the last reply was looked at.
    looked: Limits,
    /// Something has been said since the last reply, and waits for an answer.
    asked: bool,
    /// Why no compaction can help, as it was told since the limits changed.
    told: Vec<irreducible::What>,
}

impl<'a> Driver<'a, '_> {
    /// The records of the path so far.
    pub(super) fn past(&self) -> &'a [EntryIdx] {
        &self.input.path[..self.taken]
    }

    fn entry(&mut self, idx: EntryIdx) {
        let outline = self.input.outline;
        self.named = outline.model(idx).or(self.named);
        match outline.step(idx) {
            Step::Append => {
                let asks = |kind: Kind| kind.is(Role::User) || kind.is(Role::ToolResult);
                self.asked |= outline.kind(idx).is_some_and(asks);
                self.live.append(idx);
            }
            Step::Reply(reply) => self.reply(idx, reply),
            Step::Compaction => self.recorded_compaction(idx),
            Step::ContextEdit => {
                self.context_edit(idx);
                self.live.append(idx);
            }
        }
    }

    fn recorded_compaction(&mut self, idx: EntryIdx) {
        let EntryKind::Compaction(recorded) = &self.input.transcript.entry(idx).kind else { return };
        match self.input.history {
            History::Recorded => compaction::follow_recorded(self, recorded),
            // It never happened here; what follows was recorded in another context.
            History::Full => self.recorded = false,
        }
    }

    /// Takes over the limits of the model that the next request goes to, and tells it where they are others.
    fn settle(&mut self) {
        let model = self.input.model;
        let limits = model.limits(self.named);
        if limits != self.limits {
            // What was said of the other size says nothing of this one.
            self.limits = limits;
            self.told.clear();
            if self.request == 1 {
                // No reply was looked at under the old ones.
                self.looked = limits;
            }
            let switch = SwitchEvent { request: self.request, model: self.named.unwrap_or(&model.name), limits };
            (self.observe)(&ReplayEvent::Switch(switch));
        }
    }

    /// Everything that comes before a request. Returns its reference count.
    fn prepare(&mut self) -> Tokens {
        self.live.close_open_calls();
        let number = self.request;
        for manual in self.input.manual.iter().filter(|manual| manual.request == number) {
            self.compact(Checkpoint::Manual, "by hand", manual.instructions.as_deref());
        }
        self.edits();
        self.checkpoint(Checkpoint::BeforeRequest);
        let reference = self.live.request_tokens();
        if reference <= self.limits.window {
            return reference;
        }
        (self.observe)(&ReplayEvent::Overflow(OverflowEvent { request: self.request, reference }));
        if self.input.history == History::Full {
            self.compact(Checkpoint::Overflow, "the request does not fit the window", None);
        }
        self.live.request_tokens()
    }

    /// One request and its reply.
    fn reply(&mut self, idx: EntryIdx, reply: Reply) {
        // The model of the reply is known to have been asked, whether or not the change is recorded.
        self.settle();
        let reference = self.prepare();
        let event = RequestEvent {
            number: self.request,
            entry: idx,
            live: &self.live,
            estimate: self.strategy.estimator.context(self.live.view()),
            reference,
            recorded: if self.recorded && !reply.failed { self.input.outline.usage(idx) } else { None },
            reused: self.live.reused_tokens(),
            window: self.limits.window,
            overflow: reference > self.limits.window,
        };
        (self.observe)(&ReplayEvent::Request(event));
        self.live.mark_request();
        self.request += 1;
        self.live.append(idx);
        if let Some(usage) = self.reported(idx, reply, reference) {
            self.live.view_mut().anchor_last(usage);
        }
        self.checkpoint(if reply.goes_on { Checkpoint::AfterResponse } else { Checkpoint::TurnEnd });
        (self.looked, self.asked) = (self.limits, false);
    }

    /// Usage as the agent is told: recorded, or simulated from the reference counts.
    fn reported(&self, idx: EntryIdx, reply: Reply, prompt: Tokens) -> Option<Tokens> {
        if reply.failed {
            return None;
        }
        match self.input.history {
            History::Recorded => {
                self.input.outline.usage(idx).map(|usage| usage.context()).filter(|&tokens| tokens > Tokens(0))
            }
            History::Full => Some(prompt + self.input.reference.entry(idx)),
        }
    }

    fn trigger_view(&self) -> TriggerView<'_, 'a> {
        let estimate = self.strategy.estimator.context(self.live.view());
        let Limits { window, max_output } = self.limits;
        TriggerView { context: self.live.view(), estimate, window, max_output, switched: self.limits != self.looked }
    }

    fn checkpoint(&mut self, at: Checkpoint) {
        let estimate = self.strategy.estimator.context(self.live.view());
        let context = self.live.view();
        let Limits { window, max_output } = self.limits;
        let now = TriggerView { context, estimate, window, max_output, switched: self.limits != self.looked };
        match self.strategy.trigger.decide(at, &now) {
            Decision::Wait => {}
            Decision::Compact(reason) if self.input.history == History::Recorded => {
                let fired = FiredEvent { request: self.request, checkpoint: at, estimate, reason };
                (self.observe)(&ReplayEvent::Fired(fired));
            }
            Decision::Compact(reason) => self.compact(at, &reason, None),
        }
    }

    /// Compacts, or says why not. Where none can help, that is said once, however often a trigger fires.
    fn compact(&mut self, checkpoint: Checkpoint, reason: &str, instructions: Option<&str>) {
        if self.input.history == History::Full
            && let Some(reason) = irreducible::reason(self, checkpoint)
        {
            self.hopeless(checkpoint, reason);
            return;
        }
        let goal = CutGoal { window: self.limits.window, checkpoint };
        let done = match self.strategy.cut.cut(self.live.view(), goal) {
            _ if self.input.history == History::Recorded => {
                Err((format!("{reason}; the recorded history is followed"), Tokens(0)))
            }
            Ok(plan) => compaction::compact(self, checkpoint, reason, instructions, &plan),
            Err(nothing) => Err((nothing.0.into_owned(), Tokens(0))),
        };
        if let Err((reason, spent)) = done {
            (self.observe)(&ReplayEvent::Stuck(StuckEvent { spent, request: self.request, checkpoint, reason }));
        }
    }

    /// No compaction can help.
    fn hopeless(&mut self, checkpoint: Checkpoint, (what, reason): irreducible::Reason) {
        if !self.told.contains(&what) {
            let event = StuckEvent { spent: Tokens(0), request: self.request, checkpoint, reason };
            (self.observe)(&ReplayEvent::Stuck(event));
            self.told.push(what);
        }
    }

    /// The recording ends with words of the person that nobody answered: whatever an agent did, they must fit. Where they go
    /// to a model of another size, the request is prepared as if it had been made: nothing has been asked of that model.
    fn unanswered(&mut self) {
        if self.asked {
            self.settle();
        }
        if self.limits != self.looked {
            self.prepare();
            return;
        }
        let Some(reason) = irreducible::prompt(self).filter(|_| self.input.history == History::Full) else { return };
        let reference = self.live.request_tokens();
        (self.observe)(&ReplayEvent::Overflow(OverflowEvent { request: self.request, reference }));
        self.hopeless(Checkpoint::Overflow, reason);
    }

    fn edits(&mut self) {
        if self.input.history == History::Recorded {
            return;
        }
        for index in 0..self.strategy.edits.len() {
            let mut edit = self.strategy.edits.swap_remove(index);
            let rewrites = edit.edit(Checkpoint::BeforeRequest, &self.trigger_view());
            // Back to its place: the order of edits is part of the strategy.
            self.strategy.edits.push(edit);
            let last = self.strategy.edits.len() - 1;
            self.strategy.edits.swap(index, last);
            if !rewrites.is_empty() {
                self.rewrite(rewrites);
            }
        }
    }

    fn rewrite(&mut self, rewrites: Vec<Rewrite>) {
        let (before, reusable) = (self.live.request_tokens(), self.live.reused_tokens());
        let places = self.live.rewrite(rewrites, &*self.strategy.estimator);
        self.recorded = false;
        let saved = before.saturating_sub(self.live.request_tokens());
        let invalidated = reusable.saturating_sub(self.live.reused_tokens());
        let (request, after) = (self.request, &self.live);
        let event = EditEvent { request, after, places: &places, saved, invalidated };
        (self.observe)(&ReplayEvent::Edit(event));
    }

    /// A recorded change of an earlier message.
    fn context_edit(&mut self, idx: EntryIdx) {
        let transcript = self.input.transcript;
        let EntryKind::ContextEdit(edit) = &transcript.entry(idx).kind else { return };
        let is_target = |item: &Item| item.origin().is_some_and(|idx| transcript.entry(idx).id == edit.target);
        let Some(at) = self.live.view().items().iter().position(is_target) else { return };
        let mut items = self.live.view().items().to_vec();
        let Some(idx) = items[at].origin() else { return };
        // The last edit wins, also over one that left the message out: it changes what was recorded.
        let recorded = Item::entry(transcript, idx);
        items[at] = match (recorded.message(transcript), &edit.replacement) {
            (Some(message), Some(content)) => Item::changed(idx, message.with_content(content.clone())),
            _ => Item::omitted(idx),
        };
        self.live.replace(items, &*self.strategy.estimator);
        self.live.view_mut().forget_anchor();
    }
}
