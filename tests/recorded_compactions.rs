//! Does Pi's trigger, asked along the recorded history, fire where the recording agent compacted?
//!
//! Three compactions are recorded in the real sessions. What the files say about each, and what the trigger of Pi 1.6.0
//! (window 200,000, reserve 16,384, so more than 183,616 tokens) does there:
//!
//! | file, line | tokensBefore | what happened | Pi 1.6.0 |
//! |---|---|---|---|
//! | `pi-v1-before-compaction`, 360 | 175,004 | `/compact` by hand: 8,612 tokens below the threshold, 78 s after a reply that ended the turn; the next words of the person are "i hope i haven't lobotimized you by compacting" | never fires before it: right, because it was no automatic compaction |
//! | `pi-v1-before-compaction`, 629 | 185,014 | automatic: this is the first reply whose usage is above 183,616 (the reply before had 182,858). It came in the middle of a turn: its call has no result | fires once, between the results of the reply before and this reply: usage 182,858 and 1,344 for the result, 184,202 |
//! | `pi-v3-openclaw-lru-main`, 83 | 81,290 | by hand, 29 minutes after the last reply: "I've just compacted the transcript. To check this worked". It keeps nothing (`firstKeptEntryId` is its own id) | never fires: right. An automatic one would need a threshold from 72,288 to 81,289, a window of 88,672 to 97,673, and the model has 200,000 or more |
//!
//! So the trigger is one request early at line 629, and the reason is the release: this session is of 2025-12-08, and, as the file shows, the
//! release of that day compared the usage of every reply alone. Since 0.84.4 (2026-08-28) Pi looks between the turns of a
//! run, before the next request, and adds the results that the usage does not cover yet. Between 0.17.0 (2025-12-09) and
//! then it looked only after a run, and the rule of 0.58.3 therefore never fires in this file. With the comparison of the
//! recording release the moment is exact: of 484 replies the one before line 629 is the only one above the threshold.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod common;

use cutpoint::engine::pi::Rules;
use cutpoint::engine::preset::preset;
use cutpoint::engine::trigger::Checkpoint;
use cutpoint::import::read_file;
use cutpoint::llm::{Blocking, Mock, MockKnobs};
use cutpoint::replay::{
    CountCache, EstimateTable, FiredEvent, History, Model, Outline, ReplayEvent, ReplayInput, replay,
};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{EntryKind, Message, Tokens, Transcript, Usage};

const WINDOW: u64 = 200_000;

fn session(name: &str) -> Option<Transcript> {
    let file = common::shared()?.join("transcripts/pi").join(name);
    Some(read_file(&file).unwrap().transcript)
}

/// Where the trigger of a preset fires along the recorded history, with the line of the reply to the next request.
fn fires(transcript: &Transcript, strategy: &str, window: u64) -> Vec<(usize, FiredEvent)> {
    let mut strategy = preset(strategy).unwrap().spec.build(strategy).unwrap();
    let path = transcript.path();
    let reference = MessageTable::new(transcript, Reference::O200kBase);
    let estimates = EstimateTable::new(transcript, &*strategy.estimator);
    let counts = CountCache::new(Reference::O200kBase);
    let model = Model::new("", Tokens(window), Tokens(8_192));
    let input = ReplayInput {
        transcript,
        path: &path,
        outline: &Outline::new(transcript),
        reference: &reference,
        estimates: &estimates,
        counts: &counts,
        model: &model,
        history: History::Recorded,
        manual: &[],
        seed: 0,
    };
    let llm = Blocking::new(Mock::new(MockKnobs::default()).unwrap());
    let (mut fired, mut lines) = (Vec::new(), Vec::new());
    replay(input, &mut strategy, &llm, &mut |event| match event {
        ReplayEvent::Fired(event) => fired.push(event.clone()),
        ReplayEvent::Request(request) => lines.push(transcript.entry(request.entry).line),
        ReplayEvent::Stuck(stuck) => panic!("a followed history is never stuck: {stuck:?}"),
        _ => {}
    });
    let line =
        |event: &FiredEvent| lines.get(usize::try_from(event.request).unwrap() - 1).copied().unwrap_or(usize::MAX);
    fired.into_iter().map(|event| (line(&event), event)).collect()
}

/// Line and usage of every reply.
fn replies(transcript: &Transcript) -> Vec<(usize, Usage)> {
    let entries = transcript.path().into_iter().map(|idx| transcript.entry(idx));
    let usage = |entry: &cutpoint::transcript::Entry| match &entry.kind {
        EntryKind::Message(Message::Assistant(_, reply)) => Some((entry.line, reply.usage?)),
        _ => None,
    };
    entries.filter_map(usage).collect()
}

/// Line and `tokensBefore` of every recorded compaction.
fn compactions(transcript: &Transcript) -> Vec<(usize, u64)> {
    let entries = transcript.path().into_iter().map(|idx| transcript.entry(idx));
    let one = |entry: &cutpoint::transcript::Entry| match &entry.kind {
        EntryKind::Compaction(compaction) => Some((entry.line, compaction.tokens_before?)),
        _ => None,
    };
    entries.filter_map(one).collect()
}

/// What the person says next after a line.
fn said_after(transcript: &Transcript, line: usize) -> String {
    let entries = transcript.path().into_iter().map(|idx| transcript.entry(idx));
    let words = entries.filter(|entry| entry.line > line).find_map(|entry| match &entry.kind {
        EntryKind::Message(Message::User(content)) => Some(cutpoint::transcript::joined_text(content).into_owned()),
        _ => None,
    });
    words.unwrap_or_default()
}

#[test]
fn pi_fires_in_the_step_of_the_automatic_compaction_and_nowhere_else() {
    let Some(transcript) = session("pi-v1-before-compaction.jsonl") else { return };
    assert_eq!(compactions(&transcript), [(360, 175_004), (629, 185_014)]);
    let fired = fires(&transcript, "pi", WINDOW);
    let [(line, event)] = fired.as_slice() else { panic!("{fired:?}") };
    // Line 628 is the last reply before the compaction at 629. Line 627 holds 5,374 characters: 1,344 tokens.
    assert_eq!((*line, event.checkpoint), (628, Checkpoint::BeforeRequest));
    assert_eq!((event.estimate.anchored, event.estimate.tokens), (Some(Tokens(182_858)), Tokens(182_858 + 1_344)));
}

#[test]
fn the_releases_between_looked_only_after_a_run() {
    let Some(transcript) = session("pi-v1-before-compaction.jsonl") else { return };
    assert_eq!(fires(&transcript, "pi@0.58", WINDOW), []);
}

#[test]
fn the_recording_release_compared_the_usage_of_every_reply() {
    let Some(transcript) = session("pi-v1-before-compaction.jsonl") else { return };
    let above = |&(_, usage): &(usize, Usage)| usage.context() > Tokens(WINDOW).saturating_sub(Rules::V1_6.reserve);
    let above: Vec<_> = replies(&transcript).into_iter().filter(above).collect();
    assert_eq!(above.iter().map(|(line, usage)| (*line, usage.context().0)).collect::<Vec<_>>(), [(628, 185_014)]);
}

#[test]
fn the_other_compactions_were_asked_for_by_hand() {
    let Some(transcript) = session("pi-v1-before-compaction.jsonl") else { return };
    assert!(said_after(&transcript, 360).contains("haven't lobotimized you by compacting"));
    let Some(transcript) = session("pi-v3-openclaw-lru-main.jsonl") else { return };
    assert_eq!(compactions(&transcript), [(83, 81_290)]);
    assert!(said_after(&transcript, 83).starts_with("I've just compacted the transcript."));
    assert_eq!(fires(&transcript, "pi", WINDOW), []);
    // The largest contexts before it: a threshold between them is the only one that would fire there first.
    let mut before: Vec<u64> =
        replies(&transcript).iter().filter(|(line, _)| *line < 83).map(|(_, usage)| usage.context().0).collect();
    before.sort_unstable();
    assert_eq!(before[before.len() - 2..], [72_288, 81_290]);
}

#[test]
fn a_window_that_fits_the_recorded_size_fires_at_the_recorded_place() {
    let Some(transcript) = session("pi-v3-openclaw-lru-main.jsonl") else { return };
    // 81,290 > 97,673 - 16,384 = 81,289; with one token more it does not fire at that reply.
    let fired = fires(&transcript, "pi", 97_673);
    let at_turn_end: Vec<_> = fired.iter().filter(|(_, event)| event.checkpoint == Checkpoint::TurnEnd).collect();
    let [(line, event)] = at_turn_end.as_slice() else { panic!("{fired:?}") };
    assert_eq!((*line, event.estimate.tokens), (85, Tokens(81_290)));
    assert_eq!(fires(&transcript, "pi", 97_674), []);
}
