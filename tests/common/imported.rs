//! What every importer's test asks of a transcript.

use cutpoint::engine::preset::preset;
use cutpoint::engine::summarize::{Completer, LlmError, LlmRequest, LlmResponse};
use cutpoint::import::{Finding, FindingKind, Imported};
use cutpoint::replay::{CountCache, EstimateTable, History, Model, Outline, ReplayInput, replay};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{Block, EntryKind, Message, Tokens, Transcript, Usage};

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
        panic!("nothing compacts here")
    }
}

/// Replays a transcript without any compaction. Returns how many of its tool results would not be sent, because no call
/// before them is open.
pub fn orphans(transcript: &Transcript, history: History) -> usize {
    let mut strategy = preset("none").unwrap().spec.build("none").unwrap();
    let reference = MessageTable::new(transcript, Reference::O200kBase);
    let estimates = EstimateTable::new(transcript, &*strategy.estimator);
    let counts = CountCache::new(Reference::O200kBase);
    let model = Model::new("", Tokens(100_000_000), Tokens(0));
    let path = transcript.path();
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
    let live = replay(input, &mut strategy, &Silent, &mut |_| {});
    let results = |messages: &mut dyn Iterator<Item = &Message>| {
        messages.filter(|message| matches!(message, Message::ToolResult(_))).count()
    };
    let view = live.view();
    let all = results(&mut (0..view.len()).filter_map(|at| view.message(at)));
    all - results(&mut live.sent())
}

/// All messages, in the order of the file.
pub fn messages(transcript: &Transcript) -> Vec<&Message> {
    let messages = transcript.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Message(message) => Some(message),
        _ => None,
    });
    messages.collect()
}

/// All recorded usage, in the order of the file.
pub fn usages(transcript: &Transcript) -> Vec<Usage> {
    messages(transcript).into_iter().filter_map(|message| message.reply()?.usage).collect()
}

/// Sum of the recorded prompts.
pub fn prompts(transcript: &Transcript) -> u64 {
    usages(transcript).iter().map(|usage| usage.prompt().0).sum()
}

/// How many entries `test` accepts.
pub fn count(transcript: &Transcript, test: impl Fn(&EntryKind) -> bool) -> usize {
    transcript.entries.iter().filter(|entry| test(&entry.kind)).count()
}

/// How many recorded compactions there are.
pub fn compactions(transcript: &Transcript) -> usize {
    count(transcript, |kind| matches!(kind, EntryKind::Compaction(_)))
}

/// How many blocks of messages `test` accepts.
pub fn blocks(transcript: &Transcript, test: impl Fn(&Block) -> bool) -> usize {
    messages(transcript).iter().flat_map(|message| message.blocks()).filter(|block| test(block)).count()
}

/// Line and kind of every finding.
pub fn kinds(imported: &Imported) -> Vec<(usize, FindingKind)> {
    imported.findings.iter().map(|Finding { line, kind, .. }| (*line, *kind)).collect()
}

/// The text blocks of a message, joined.
pub fn said(message: &Message) -> String {
    let texts = message.blocks().iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// The word for a message, for short comparisons.
pub fn roles(transcript: &Transcript) -> Vec<&'static str> {
    let word = |message: &&Message| match message {
        Message::User(_) => "user",
        Message::Assistant(..) => "assistant",
        Message::ToolResult(_) => "result",
        Message::Custom(_) => "custom",
        Message::System(_) => "system",
        _ => "other",
    };
    messages(transcript).iter().map(word).collect()
}
