//! A replay's bill at one provider: what is read, written and plain, what a compaction invalidates, and the dollars.

use super::block::{Digest, Prompt, Settings};
use super::clock::Clock;
use super::economics::{Episode, Multiples};
use super::feed::{Feed, Reasoning};
use super::ledger::{CompactionLedger, RequestLedger};
use super::oracle::{Step, Terms, cheapest};
use super::outcome::{Cause, Outcome, Split};
use super::placement::Placement;
use super::rules::Rules;
use super::simulator::{Request, Simulator};
use super::table::BlockTable;
use crate::meter::price::{Bill, LatencyRow, PriceRow, Usd};
use crate::meter::{Measures, Meter};
use crate::replay::{CompactionEvent, CountCache, ReplayEvent, RequestEvent, SummaryCall};
use crate::transcript::{EntryIdx, Tokens};

/// What a bill is made with.
#[derive(Clone, Copy, Debug)]
pub struct BillInput<'t> {
    /// The blocks of the session.
    pub table: &'t BlockTable,
    /// Its path.
    pub path: &'t [EntryIdx],
    /// Counts of made texts.
    pub counts: &'t CountCache,
    /// When requests start.
    pub clock: &'t Clock,
    /// The rules of the cache.
    pub rules: Rules,
    /// Where the agent puts breakpoints.
    pub placement: Placement,
    /// What becomes of reasoning.
    pub reasoning: Reasoning,
    /// The prices; or why there are none.
    pub price: Result<&'t PriceRow, &'t str>,
    /// A model of the time to the first token, if one was chosen.
    pub latency: Option<&'t LatencyRow>,
    /// Context window before the first change of the model, for the oracle.
    pub window: Tokens,
    /// Whether the replay is of all messages: only then is there a bill without compaction to compare with.
    pub full: bool,
}

/// The meter.
#[derive(Debug)]
pub struct ProviderBill<'t> {
    pub(super) input: BillInput<'t>,
    feed: Feed<'t>,
    cache: Simulator,
    cause: Option<Cause>,
    /// Compactions since the last request, with their numbers.
    open: Vec<Open>,
    /// What the last prompt had beyond its reference count: a head that was inferred, less reasoning that was left out.
    unseen: i64,
    compacted: usize,
    pub(super) requests: Vec<RequestLedger>,
    pub(super) compactions: Vec<CompactionLedger>,
    pub(super) bill: Bill,
    pub(super) summary: Bill,
    pub(super) summary_riding: Bill,
    pub(super) summary_output: Tokens,
    pub(super) none: NeverCompacted,
}

/// A compaction that no request has met yet.
#[derive(Clone, Debug)]
struct Open {
    ordinal: usize,
    episode: Episode,
    calls: Vec<SummaryCall>,
    /// Its summary calls, as they were made and riding on the old prefix.
    summary: [Bill; 2],
}

/// The session as it would be without any compaction, in a window without end.
#[derive(Debug)]
pub(super) struct NeverCompacted {
    prompt: Prompt,
    cache: Simulator,
    next: usize,
    pub(super) steps: Vec<Step>,
    pub(super) bill: Bill,
}

impl<'t> ProviderBill<'t> {
    /// A bill over nothing.
    pub fn new(input: BillInput<'t>) -> Self {
        let mut prompt = Prompt::new(Settings::default());
        input.table.head().iter().for_each(|&block| prompt.push(block));
        Self {
            feed: Feed::new(input.table, input.counts, input.reasoning),
            cache: Simulator::new(input.rules),
            cause: None,
            open: Vec::new(),
            unseen: 0,
            compacted: 0,
            requests: Vec::new(),
            compactions: Vec::new(),
            bill: Bill::default(),
            summary: Bill::default(),
            summary_riding: Bill::default(),
            summary_output: Tokens(0),
            none: NeverCompacted {
                prompt,
                cache: Simulator::new(input.rules),
                next: 0,
                steps: Vec::new(),
                bill: Bill::default(),
            },
            input,
        }
    }

    /// What each request was billed as, in order.
    pub fn requests(&self) -> &[RequestLedger] {
        &self.requests
    }

    /// What each compaction did to the cache, in order.
    pub fn compactions(&self) -> &[CompactionLedger] {
        &self.compactions
    }

    fn price(&self, split: &Split, output: Tokens) -> Bill {
        self.input.price.map_or_else(|_| Bill::default(), |row| row.bill(split, output))
    }

    fn request(&mut self, event: &RequestEvent<'_, '_>) {
        let answer: Vec<Digest> = self.input.table.entry(event.entry).iter().map(|block| block.digest).collect();
        let output: Tokens = self.input.table.entry(event.entry).iter().map(|block| block.tokens).sum();
        let exact = (self.input.reasoning == Reasoning::Kept).then_some(event.reused);
        let prompt = self.feed.request(event.live, Settings::default());
        self.unseen = signed(prompt.total()) - signed(event.reference);
        let marks = self.input.placement.place(prompt);
        let at = self.input.clock.start(event.entry).at;
        let outcome = self.cache.send(&Request {
            answer: &answer,
            cause: self.cause.take(),
            shared: exact.filter(|_| !self.requests.is_empty()),
            ..Request::new(at, prompt, &marks)
        });
        let bill = self.price(&outcome.split, output);
        self.bill = self.bill + bill;
        self.close(&outcome, at.0);
        self.requests.push(RequestLedger {
            request: event.number,
            at,
            split: outcome.split,
            missed: outcome.missed,
            cached: outcome.cached,
            usd: self.input.price.ok().map(|_| bill.total()),
            first_token_ms: self.input.latency.map(|row| row.first_token_ms(&outcome.split)),
        });
        if self.input.full {
            self.without(event.entry, output, at, &answer);
        }
    }

    /// The compactions before this request have met the cache.
    fn close(&mut self, outcome: &Outcome, at: i64) {
        let split = &outcome.split;
        let Some(last) = self.requests.last() else { return self.open.clear() };
        let (cached, idle_ms) = (last.cached, at - last.at.0);
        for Open { ordinal, episode, calls, summary } in std::mem::take(&mut self.open) {
            // What was said since then would be written in any case.
            let episode = Episode { reused: split.read.min(episode.after), ..episode };
            let summary_usd = self.input.price.ok().map(|_| summary.map(|bill| bill.total()));
            let between = |row| Multiples::between(row, episode.before, episode.after, &calls);
            let multiples = self.input.price.ok().and_then(between);
            self.compactions.push(CompactionLedger {
                ordinal,
                price: multiples,
                missed: outcome.missed,
                next: self.requests.len(),
                idle_ms,
                cached_before: cached,
                invalidated: cached.saturating_sub(split.read),
                rewritten: split.prompt().saturating_sub(split.read),
                summary_usd,
                break_even: multiples.and_then(|price| episode.break_even(&price)),
                break_even_riding: multiples.and_then(|price| episode.riding().break_even(&price)),
                episode,
            });
        }
    }

    fn compaction(&mut self, event: &CompactionEvent<'_, '_>) {
        self.cause = Some(Cause::Compaction);
        let (input, output) = (event.summary_input(), event.summary_output());
        let sent = |tokens: Tokens| Tokens(u64::try_from(signed(tokens) + self.unseen).unwrap_or(0));
        let (before, after) = (sent(event.before_tokens()), sent(event.after.request_tokens()));
        let episode = Episode { before, after, summary_input: input, summary_output: output, ..Episode::default() };
        let call = |call: &SummaryCall| self.price(&Split { plain: call.input, ..Split::default() }, call.output);
        let made: Bill = event.summary_calls.iter().map(call).sum();
        // Without a summary call none can ride.
        let read = if input > Tokens(0) { before } else { Tokens(0) };
        let riding = self.price(&Split { read, ..Split::default() }, output);
        let calls = event.summary_calls.to_vec();
        self.open.push(Open { ordinal: self.compacted, episode, calls, summary: [made, riding] });
        self.compacted += 1;
        self.summary_output = self.summary_output + output;
        self.summary = self.summary + made;
        self.summary_riding = self.summary_riding + riding;
    }

    /// The same request of a session that is never compacted.
    fn without(&mut self, entry: EntryIdx, output: Tokens, at: super::Millis, answer: &[Digest]) {
        let none = &mut self.none;
        while none.next < self.input.path.len() && self.input.path[none.next] != entry {
            for &block in self.input.table.entry(self.input.path[none.next]) {
                none.prompt.push(block);
            }
            none.next += 1;
        }
        let marks = self.input.placement.place(&none.prompt);
        let outcome = none.cache.send(&Request { answer, ..Request::new(at, &none.prompt, &marks) });
        let head: Tokens = self.input.table.head().iter().map(|block| block.tokens).sum();
        let warm = outcome.missed.is_none_or(|missed| missed.lifetime == Tokens(0));
        none.steps.push(Step {
            messages: none.prompt.total().saturating_sub(head),
            output,
            warm,
            window: self.input.window,
        });
        if let Ok(row) = self.input.price {
            none.bill = none.bill + row.bill(&outcome.split, output);
        }
    }

    /// The bill of one who knows the future.
    pub(super) fn oracle(&self) -> Option<Usd> {
        let row = self.input.price.ok()?;
        let made =
            u64::try_from(self.compactions.iter().filter(|one| one.episode.summary_output > Tokens(0)).count()).ok()?;
        let summary = self.summary_output.0.checked_div(made).map_or(SUMMARY, Tokens);
        let head = self.input.table.head().iter().map(|block| block.tokens).sum();
        cheapest(&self.none.steps, &Terms { head, summary, rates: row.rates }).map(|found| found.0)
    }
}

fn signed(tokens: Tokens) -> i64 {
    i64::try_from(tokens.0).unwrap_or(i64::MAX)
}

/// The oracle's summary where the strategy made none.
const SUMMARY: Tokens = Tokens(1_500);

impl Meter for ProviderBill<'_> {
    fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        match event {
            ReplayEvent::Request(request) => self.request(request),
            ReplayEvent::Compaction(compaction) => self.compaction(compaction),
            ReplayEvent::Edit(_) => self.cause = self.cause.or(Some(Cause::Masking)),
            ReplayEvent::Switch(switch) => self.input.window = switch.limits.window,
            ReplayEvent::Overflow(_) | ReplayEvent::Stuck(_) | ReplayEvent::Fired(_) => {}
        }
    }

    fn finish(self: Box<Self>) -> Measures {
        self.measures()
    }
}
