//! Watches a replay and checks every event against a recount from scratch.

use std::collections::HashSet;

use cutpoint::engine::spec::EstimatorSpec;
use cutpoint::replay::{CompactionEvent, History, Item, Kind, Live, ReplayEvent, ReplayInput, RequestEvent, Source};
use cutpoint::transcript::{Block, EntryIdx, EntryKind, Message, Transcript};

use crate::counts::{Counter, Second, is_invented, pieces};

/// The checker of one replay. With `history = "recorded"` usage is the recorded one, so estimates are not recounted.
pub(crate) struct Oracle<'a> {
    transcript: &'a Transcript,
    path: &'a [EntryIdx],
    history: History,
    counter: &'a Counter,
    estimator: &'a Second,
    reference_head: u64,
    estimate_head: u64,
    requests: Vec<EntryIdx>,
    /// What the request before sent.
    previous: Option<Vec<Item>>,
    previous_reference: u64,
    /// The newest good reply and the usage it would report.
    anchor: Option<(EntryIdx, u64)>,
    compactions: u64,
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(
        input: ReplayInput<'a>,
        spec: &EstimatorSpec,
        counter: &'a Counter,
        estimator: &'a Second,
    ) -> Self {
        let ReplayInput { transcript, path, history, .. } = input;
        let head = &transcript.head;
        let known = head.system.as_ref().zip(head.tools.as_ref());
        let reference_head = known.map_or(0, |(system, tools)| {
            let tool = |text: &str| counter.text(text);
            let tools = tools.iter().map(|one| tool(&one.name) + tool(&one.description) + tool(&one.parameters));
            counter.text(system.as_str()) + tools.sum::<u64>()
        });
        let estimate_head =
            spec.build(&cutpoint::engine::estimate::outside::Inside).unwrap().head(head).map_or(0, |tokens| tokens.0);
        Self {
            transcript,
            path,
            history,
            counter,
            estimator,
            reference_head,
            estimate_head,
            requests: Vec::new(),
            previous: None,
            previous_reference: 0,
            anchor: None,
            compactions: 0,
        }
    }

    pub(crate) fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => self.request(request),
            ReplayEvent::Compaction(compaction) => self.compaction(compaction),
            ReplayEvent::Overflow(overflow) => assert_eq!(overflow.request, self.next()),
            ReplayEvent::Stuck(stuck) => assert_eq!(stuck.request, self.next()),
            ReplayEvent::Switch(switch) => assert_eq!(switch.request, self.next()),
            ReplayEvent::Fired(fired) => {
                assert_eq!((fired.request, self.history), (self.next(), History::Recorded));
            }
            ReplayEvent::Edit(edit) => {
                assert_eq!(edit.request, self.next());
                assert!(
                    !edit.places.is_empty() && edit.places.is_sorted_by(|a, b| a < b),
                    "an edit of nothing, or twice"
                );
                let after = edit.after.reused_tokens().0;
                assert_eq!(after, self.reused(edit.after.view().items()), "reused after an edit");
                assert!(edit.invalidated.0 <= self.previous_reference, "more is invalidated than was sent");
            }
        }
    }

    /// Every recorded reply was one request, in order.
    pub(crate) fn finish(&self) -> u64 {
        let is_reply =
            |idx: &EntryIdx| matches!(self.transcript.entry(*idx).kind, EntryKind::Message(Message::Assistant(..)));
        let replies: Vec<EntryIdx> = self.path.iter().copied().filter(is_reply).collect();
        assert_eq!(self.requests, replies);
        self.compactions
    }

    fn next(&self) -> u64 {
        self.requests.len() as u64 + 1
    }

    fn request(&mut self, request: &RequestEvent<'_, '_>) {
        assert_eq!(request.number, self.next(), "request numbers are consecutive");
        let items = request.live.view().items();
        let sent = sendable(items, self.transcript);
        no_orphan(&sent, self.transcript);
        self.is_sent(request.live, &sent);
        let reference = self.reference(&sent);
        assert_eq!(request.reference.0, reference, "reference of request {}", request.number);
        let reused = self.reused(items);
        assert_eq!(request.reused.0, reused, "reused of request {}", request.number);
        assert!(reused <= reference && reused <= self.previous_reference, "request {}", request.number);
        self.forget_edited(items);
        if self.history == History::Full {
            assert_eq!(request.estimate.tokens.0, self.estimate(items), "estimate of request {}", request.number);
        }
        if let EntryKind::Message(reply) = &self.transcript.entry(request.entry).kind
            && reply.reply().is_some_and(|reply| !reply.failed())
        {
            self.anchor = Some((request.entry, reference + self.counter.message(reply, Some(request.entry))));
        }
        self.previous = Some(sent.into_iter().cloned().collect());
        self.previous_reference = reference;
        self.requests.push(request.entry);
    }

    fn compaction(&mut self, compaction: &CompactionEvent<'_, '_>) {
        self.compactions += 1;
        assert_eq!(compaction.request, self.next());
        let (before, plan) = (compaction.before, compaction.plan);
        assert!(plan.history.start <= plan.history.end && plan.history.end <= plan.prefix.start.max(plan.history.end));
        assert!(plan.prefix.end == plan.kept_from && plan.kept_from <= before.len(), "{plan:?}");
        assert_eq!(plan.history.end.max(plan.prefix.start), plan.prefix.start, "{plan:?}");
        let after = compaction.after.view().items();
        self.kept_verbatim(compaction, after);
        let tokens = |items: &[Item]| self.reference(&sendable(items, self.transcript));
        let (was, is) = (tokens(before), tokens(after));
        assert_eq!((compaction.before_tokens().0, compaction.after.request_tokens().0), (was, is));
        assert_eq!(compaction.no_gain(), is >= was);
        self.is_sent(compaction.after, &sendable(after, self.transcript));
        let lost = self.reused(before).saturating_sub(self.reused(after));
        assert_eq!(compaction.invalidated.0, lost, "invalidated by the compaction before {}", compaction.request);
        self.forget_edited(before);
        if self.history == History::Full {
            assert_eq!(compaction.estimate.tokens.0, self.estimate(before), "estimate of the compaction");
        }
    }

    /// The kept tail is the old one, item for item, behind what was made and before the new boundary.
    fn kept_verbatim(&self, compaction: &CompactionEvent<'_, '_>, after: &[Item]) {
        let (made, rest) = after.split_at(compaction.made_items);
        assert!(made.iter().all(|item| matches!(item.source, Source::Made(_))));
        let (boundary, tail) = rest.split_last().expect("a compaction leaves its boundary");
        assert_eq!(boundary.kind, Kind::Boundary);
        let kept: Vec<&Item> =
            compaction.before[compaction.plan.kept_from..].iter().filter(|one| one.kind != Kind::Boundary).collect();
        assert_eq!(kept.len(), tail.len());
        assert!(kept.iter().zip(tail).all(|(a, b)| a.same(b) && a.kind == b.kind), "the kept tail is verbatim");
        let (head, tail) = (self.reference_head, &kept);
        assert!(head <= compaction.after.request_tokens().0, "the head is never cut");
        let origins: Vec<EntryIdx> = tail.iter().filter_map(|item| item.origin()).collect();
        assert!(origins.is_sorted(), "the kept tail is in order");
    }

    /// What the replay says is sent is what we would send.
    fn is_sent(&self, live: &Live<'_>, ours: &[&Item]) {
        let messages = ours.iter().filter_map(|item| item.message(self.transcript));
        assert!(live.sent().map(std::ptr::from_ref).eq(messages.map(std::ptr::from_ref)), "what is sent");
        assert_eq!(live.sent_messages(), ours.len() as u64);
    }

    fn message<'m>(&'m self, item: &'m Item) -> Option<(&'m Message, Option<EntryIdx>)> {
        let entry = if let Source::Entry(idx) = item.source { Some(idx) } else { None };
        Some((item.message(self.transcript)?, entry))
    }

    fn reference(&self, sent: &[&Item]) -> u64 {
        let messages = sent.iter().filter_map(|item| self.message(item));
        self.reference_head + messages.map(|(message, entry)| self.counter.message(message, entry)).sum::<u64>()
    }

    /// Longest common prefix with the request before, message by message.
    fn reused(&self, items: &[Item]) -> u64 {
        let Some(previous) = &self.previous else { return 0 };
        let mut shared = self.reference_head;
        for (old, new) in previous.iter().zip(sendable(items, self.transcript)) {
            let (Some((old, entry)), Some((new, _))) = (self.message(old), self.message(new)) else { break };
            if std::ptr::eq(old, new) {
                shared += self.counter.message(old, entry);
                continue;
            }
            let (tokens, same) = self.counter.shared(old, new);
            shared += tokens;
            if !same {
                break;
            }
        }
        shared
    }

    /// An edit of a message that is in the context makes earlier usage void.
    fn forget_edited(&mut self, items: &[Item]) {
        let Some((at, _)) = self.anchor else { return };
        let newest = items.iter().filter_map(Item::origin).max();
        let there: HashSet<&str> =
            items.iter().filter_map(Item::origin).map(|idx| &*self.transcript.entry(idx).id).collect();
        let edited = self.path.iter().filter(|&&idx| idx > at && Some(idx) <= newest).any(|&idx| {
            matches!(&self.transcript.entry(idx).kind, EntryKind::ContextEdit(edit) if there.contains(&*edit.target))
        });
        if edited {
            self.anchor = None;
        }
    }

    fn estimate(&self, items: &[Item]) -> u64 {
        let one = |item: &Item| self.message(item).map_or(0, |(message, entry)| self.estimator.message(message, entry));
        let counts: Vec<u64> = items.iter().map(one).collect();
        let boundary = items.iter().rposition(|item| item.kind == Kind::Boundary);
        let anchor = self.anchor.and_then(|(idx, usage)| {
            let at = items.iter().position(|item| matches!(item.source, Source::Entry(entry) if entry == idx))?;
            let trusted = !self.estimator.distrusts_old_usage() || boundary.is_none_or(|boundary| at > boundary);
            trusted.then_some((at, usage))
        });
        self.estimator.context(self.estimate_head, &counts, anchor)
    }
}

/// The items that a provider is sent: failed replies, excluded commands and results without a call stay behind.
fn sendable<'i>(items: &'i [Item], transcript: &Transcript) -> Vec<&'i Item> {
    let mut open: Vec<&str> = Vec::new();
    let mut sent = Vec::new();
    for item in items {
        let Some(message) = item.message(transcript) else { continue };
        match message {
            Message::Assistant(_, reply) if reply.failed() => continue,
            Message::Bash(bash) if bash.excluded => continue,
            Message::ToolResult(result) => {
                let Some(at) = open.iter().position(|id| *id == &*result.call_id) else { continue };
                open.remove(at);
            }
            _ => open.extend(call_ids(message)),
        }
        sent.push(item);
    }
    sent
}

fn call_ids(message: &Message) -> impl Iterator<Item = &str> {
    message.blocks().iter().filter_map(|block| match block {
        Block::ToolCall(call) => Some(&*call.id),
        _ => None,
    })
}

/// The rule of the strictest providers: the results of all calls of a reply follow it at once, and nothing else is a
/// result.
fn no_orphan(sent: &[&Item], transcript: &Transcript) {
    let mut open: Vec<&str> = Vec::new();
    for item in sent {
        let Some(message) = item.message(transcript) else { continue };
        if let Message::ToolResult(result) = message {
            let at = open.iter().position(|id| *id == &*result.call_id);
            open.remove(at.unwrap_or_else(|| panic!("orphan result {:?}", result.call_id)));
            continue;
        }
        assert!(open.is_empty(), "calls without a result: {open:?}");
        if matches!(message, Message::Assistant(..)) {
            open.extend(call_ids(message));
        }
    }
    assert!(open.is_empty(), "the request ends with open calls: {open:?}");
    let invented = sent.iter().filter_map(|item| item.message(transcript)).filter(|message| is_invented(message));
    assert!(invented.clone().all(|message| pieces(message).len() == 1));
}
