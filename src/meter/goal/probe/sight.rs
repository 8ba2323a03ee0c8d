//! What a replay shows at its last cut, and before the tool calls that follow it.

use super::action::NextCall;
use super::conversation::rendered;
use crate::meter::goal::item::DROPPED_FLOOR;
use crate::meter::goal::seen::Mirror;
use crate::meter::number;
use crate::replay::{Item, Live, ReplayEvent, RequestEvent, Source};
use crate::transcript::{Block, EntryIdx, EntryKind, Message, Tokens, Transcript};

/// What a cut shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutSight {
    /// Number of the next request, from 1.
    pub request: u64,
    /// The newest entry that was said by then.
    pub now: EntryIdx,
    /// The path of the session.
    pub path: Vec<EntryIdx>,
    /// By entry: it was said by then, and the context no longer holds it whole.
    pub dropped: Vec<bool>,
    /// The context after the cut, as text.
    pub view: String,
}

/// What the agent saw before a recorded tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionSight {
    /// Number of the request, from 1.
    pub request: u64,
    /// The recorded reply.
    pub entry: EntryIdx,
    /// The context of the request, as text.
    pub view: String,
    /// The recorded calls.
    pub recorded: Vec<NextCall>,
}

/// Watches a replay. The last cut counts, as for the other parts of goal-loss.
#[derive(Debug)]
pub struct Sight<'t> {
    transcript: &'t Transcript,
    path: Vec<EntryIdx>,
    /// Tool calls wanted after the cut.
    wanted: usize,
    floor: f64,
    dropped: u64,
    now: Option<EntryIdx>,
    mirror: Mirror,
    cut: Option<Cut>,
    actions: Vec<Action>,
    overflowed: bool,
}

/// A cut, before it is known to be the last one. Its context is in the mirror.
#[derive(Debug)]
struct Cut {
    request: u64,
    now: EntryIdx,
}

/// A request with tool calls.
#[derive(Debug)]
struct Action {
    request: u64,
    entry: EntryIdx,
    sent: Vec<Item>,
    recorded: Vec<NextCall>,
}

/// The items that are sent.
fn sent(live: &Live<'_>) -> Vec<Item> {
    let items = live.view().items().iter().enumerate();
    items.filter(|(at, _)| live.is_sent(*at)).map(|(_, item)| item.clone()).collect()
}

impl<'t> Sight<'t> {
    /// Watches for the last cut of a model with this window, and for so many tool calls after it.
    pub fn new(transcript: &'t Transcript, path: &[EntryIdx], window: Tokens, wanted: usize) -> Self {
        Self {
            transcript,
            path: path.to_vec(),
            wanted,
            floor: number(window.0) * DROPPED_FLOOR,
            dropped: 0,
            now: None,
            mirror: Mirror::default(),
            cut: None,
            actions: Vec::new(),
            overflowed: false,
        }
    }

    /// Sees the next event.
    pub fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => {
                self.overflowed |= request.overflow;
                self.action(request);
                self.now = self.now.max(Some(request.entry));
            }
            ReplayEvent::Compaction(compaction) => {
                self.dropped += compaction.dropped_tokens().0;
                self.now = self.now.max(compaction.before.iter().filter_map(Item::origin).max());
                self.look(compaction.after, compaction.request);
            }
            ReplayEvent::Edit(edit) => {
                self.dropped += edit.saved.0;
                self.mirror.note(edit.places);
                self.look(edit.after, edit.request);
            }
            // What was reached stays reached: what is dropped only grows.
            ReplayEvent::Switch(switch) if number(self.dropped) < self.floor => {
                self.floor = number(switch.limits.window.0) * DROPPED_FLOOR;
            }
            ReplayEvent::Switch(_) | ReplayEvent::Overflow(_) | ReplayEvent::Stuck(_) | ReplayEvent::Fired(_) => {}
        }
    }

    fn look(&mut self, live: &Live<'_>, request: u64) {
        if number(self.dropped) < self.floor {
            return;
        }
        let newest = live.view().items().iter().rev().find_map(Item::origin);
        let Some(now) = self.now.max(newest) else { return };
        self.mirror.look(live);
        self.cut = Some(Cut { request, now });
        self.actions.clear();
        self.overflowed = false;
    }

    fn action(&mut self, request: &RequestEvent<'_, '_>) {
        if self.cut.is_none() || self.actions.len() >= self.wanted {
            return;
        }
        let EntryKind::Message(message @ Message::Assistant(_, reply)) = &self.transcript.entry(request.entry).kind
        else {
            return;
        };
        let recorded: Vec<NextCall> = message.blocks().iter().filter_map(called).collect();
        if !reply.failed() && !recorded.is_empty() {
            let sent = sent(request.live);
            self.actions.push(Action { request: request.number, entry: request.entry, sent, recorded });
        }
    }

    /// The last cut, and the tool calls after it.
    ///
    /// # Errors
    /// Why there is nothing to ask about.
    pub fn finish(self) -> Result<(CutSight, Vec<ActionSight>), &'static str> {
        match self.cut {
            None => Err("less than 5 % of the window was dropped"),
            Some(_) if self.overflowed => {
                Err("the agent overflowed: a request after the last cut did not fit the window")
            }
            Some(ref cut) => {
                Ok((self.sight(cut), self.actions.into_iter().map(|one| one.told(self.transcript)).collect()))
            }
        }
    }

    fn sight(&self, cut: &Cut) -> CutSight {
        let mut dropped = vec![false; self.transcript.entries.len()];
        for idx in self.path.iter().filter(|&&idx| idx <= cut.now) {
            dropped[idx.0] = true;
        }
        for item in self.mirror.items() {
            if let Source::Entry(idx) = item.source {
                dropped[idx.0] = false;
            }
        }
        let view = text(self.transcript, self.mirror.sent());
        CutSight { request: cut.request, now: cut.now, path: self.path.clone(), dropped, view }
    }
}

impl Action {
    fn told(self, transcript: &Transcript) -> ActionSight {
        let view = text(transcript, self.sent.iter());
        ActionSight { request: self.request, entry: self.entry, view, recorded: self.recorded }
    }
}

fn text<'i>(transcript: &'i Transcript, items: impl Iterator<Item = &'i Item>) -> String {
    rendered(items.filter_map(|item| item.message(transcript)))
}

fn called(block: &Block) -> Option<NextCall> {
    if let Block::ToolCall(call) = block { Some(NextCall::of(call)) } else { None }
}

impl CutSight {
    /// The whole history up to the cut, as text.
    pub fn history(&self, transcript: &Transcript) -> String {
        history(transcript, self.path.iter().copied().filter(|&idx| idx <= self.now))
    }

    /// The dropped messages, as texts.
    pub fn dropped_texts(&self, transcript: &Transcript) -> Vec<String> {
        let texts = self.path.iter().filter(|&&idx| self.is_dropped(idx));
        texts.map(|&idx| history(transcript, std::iter::once(idx))).filter(|text| !text.is_empty()).collect()
    }

    /// The whole history before a recorded reply, as text.
    pub fn history_before(&self, transcript: &Transcript, reply: EntryIdx) -> String {
        history(transcript, self.path.iter().copied().filter(|&idx| idx < reply))
    }
}

fn history(transcript: &Transcript, entries: impl Iterator<Item = EntryIdx>) -> String {
    let items: Vec<Item> = entries.map(|idx| Item::entry(transcript, idx)).collect();
    text(transcript, items.iter())
}
