//! Facts about imported sessions, for tables of what each file holds.

use std::collections::HashSet;

use cutpoint::engine::preset::preset;
use cutpoint::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse};
use cutpoint::import::{Format, Imported, read_all};
use cutpoint::replay::{CountCache, EstimateTable, History, Model, Outline, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{Block, EntryKind, Message, Role, Tokens, Transcript, Usage};

/// The sessions of `file` under `transcripts` of the shared folder. `None` when that folder is not there.
pub fn shared_sessions(file: &str) -> Option<(Format, Vec<Imported>)> {
    let path = super::shared()?.join("transcripts").join(file);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    Some(read_all(&bytes).unwrap_or_else(|error| panic!("{file}: {error}")))
}

/// What a table of files states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    pub users: usize,
    pub replies: usize,
    pub results: usize,
    /// Messages of any other role.
    pub others: usize,
    pub calls: usize,
    pub images: usize,
    pub compactions: usize,
    pub notes: usize,
    /// Replies with usage.
    pub usages: usize,
    /// Sum of the recorded prompts.
    pub prompt_tokens: u64,
    /// Sum of the recorded outputs.
    pub output_tokens: u64,
}

/// The facts about a session.
pub fn facts(transcript: &Transcript) -> Facts {
    let mut facts = Facts::default();
    for entry in &transcript.entries {
        match &entry.kind {
            EntryKind::Message(message) => {
                *match message.role() {
                    Role::User => &mut facts.users,
                    Role::Assistant => &mut facts.replies,
                    Role::ToolResult => &mut facts.results,
                    _ => &mut facts.others,
                } += 1;
                let count = |wanted: fn(&Block) -> bool| message.blocks().iter().filter(|block| wanted(block)).count();
                facts.calls += count(|block| matches!(block, Block::ToolCall(_)));
                facts.images += count(|block| matches!(block, Block::Image(_)));
            }
            EntryKind::Compaction(_) => facts.compactions += 1,
            EntryKind::Note { .. } => facts.notes += 1,
            _ => {}
        }
    }
    let recorded = usages(transcript);
    facts.usages = recorded.len();
    facts.prompt_tokens = recorded.iter().map(|usage| usage.prompt().0).sum();
    facts.output_tokens = recorded.iter().map(|usage| usage.output).sum();
    facts
}

/// The recorded usages in order.
pub fn usages(transcript: &Transcript) -> Vec<Usage> {
    let replies = messages(transcript).filter_map(Message::reply);
    replies.filter_map(|reply| reply.usage).collect()
}

/// All messages in the order of the file.
pub fn messages(transcript: &Transcript) -> impl Iterator<Item = &Message> {
    transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message(message) => Some(message),
        _ => None,
    })
}

/// Replays the session without compacting, and checks that no request holds a result without its call or a call
/// without its result.
pub fn assert_replays(transcript: &Transcript, name: &str) {
    let mut strategy = preset("none").unwrap().spec.build("none").unwrap();
    let reference = MessageTable::new(transcript, Reference::O200kBase);
    let estimates = EstimateTable::new(transcript, &*strategy.estimator);
    let counts = CountCache::new(Reference::O200kBase);
    let model = Model::new("", Tokens(10_000_000), Tokens(0));
    let path = transcript.path();
    for history in [History::Full, History::Recorded] {
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
        let mut requests = 0;
        replay(input, &mut strategy, &Silent, &mut |event| {
            if let cutpoint::replay::ReplayEvent::Request(request) = event {
                requests += 1;
                assert_eq!(orphans(request.live.sent()), 0, "{name}: request {requests}");
            }
        });
        let replies = messages(transcript).filter(|message| message.role() == Role::Assistant).count();
        assert_eq!(requests, replies, "{name}: every reply is a request");
    }
}

fn orphans<'m>(messages: impl Iterator<Item = &'m Message>) -> usize {
    let mut open: HashSet<&str> = HashSet::new();
    let mut orphans = 0;
    for message in messages {
        if let Message::ToolResult(result) = message {
            orphans += usize::from(!open.remove(&*result.call_id));
        }
        open.extend(message.blocks().iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(&*call.id),
            _ => None,
        }));
    }
    orphans + open.len()
}

/// A model that is never asked.
struct Silent;

impl Completer for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }

    fn is_mock(&self) -> bool {
        true
    }

    fn complete(&self, _: &LlmRequest) -> Result<LlmResponse, LlmError> {
        panic!("without compaction nothing is summarized")
    }
}
