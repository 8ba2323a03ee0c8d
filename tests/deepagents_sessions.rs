//! Recorded Pi sessions run through the rules of Deep Agents.

mod common;

use std::collections::HashSet;

use cutpoint::engine::langchain::{
    AgentCall, ChatMessage, Dialect, Effective, Estimator, Fraction, Ledger, Measure, Model, Overflowed, Role,
    Services, Settings, Size, SummaryInput, chat_message, cut, from_transcript, safe_point,
};
use cutpoint::import::{read_all_of, read_file};
use cutpoint::transcript::{EntryKind, Message, Tokens, Transcript};

/// The messages of the current conversation.
fn converted(transcript: &Transcript, dialect: Dialect) -> Vec<ChatMessage<'_>> {
    let entries = transcript.path().into_iter().map(|index| &transcript.entry(index).kind);
    let messages = entries.filter_map(|kind| match kind {
        EntryKind::Message(message) => Some(message),
        _ => None,
    });
    messages.filter_map(|message| from_transcript(message, dialect)).collect()
}

fn for_each_session(mut check: impl FnMut(&str, &[ChatMessage<'_>])) {
    for path in common::pi_files() {
        let Ok(imported) = read_file(&path) else { continue };
        for dialect in [Dialect::Plain, Dialect::Blocks] {
            check(&format!("{} {dialect:?}", path.display()), &converted(&imported.transcript, dialect));
        }
    }
}

#[test]
fn sums_of_any_slice_are_the_packages_sums() {
    for_each_session(|name, messages| {
        let measures: Vec<Measure> = messages.iter().map(Measure::of).collect();
        for estimator in [Estimator::DEFAULT, Estimator::ANTHROPIC] {
            let ledger = Ledger::new(messages.iter().zip(measures.iter().map(|measure| estimator.message(measure))));
            let middle = messages.len() / 2;
            for range in [0..messages.len(), 0..middle, middle..messages.len()] {
                assert_eq!(ledger.plain(range.clone()), estimator.total(&measures[range.clone()]), "{name}");
                let slice = Ledger::new(messages[range.clone()].iter().map(|message| (message, estimator.of(message))));
                let whole = slice.scaled(0..range.len(), Tokens(7), 1);
                assert_eq!(ledger.scaled(range, Tokens(7), 1), whole, "{name}");
            }
        }
    });
}

#[test]
fn a_message_is_measured_where_it_stands_as_if_it_had_been_built() {
    let mut kinds = HashSet::new();
    for path in common::all_files() {
        let small = path.metadata().is_ok_and(|file| file.len() < 3_000_000);
        let Some((_, all)) = read_all_of(&path).ok().filter(|_| small) else { continue };
        for entry in all.iter().flat_map(|one| &one.transcript.entries) {
            let EntryKind::Message(message) = &entry.kind else { continue };
            let built = chat_message(message).map(|message| Measure::of(&message));
            assert_eq!(Measure::recorded(message), built, "{} line {}", path.display(), entry.line);
            kinds.insert((message.role(), message.blocks().len().min(3), built.is_some()));
        }
    }
    // Fewer kinds stand in the made-up sessions alone.
    let least = if common::shared().is_some() { 15 } else { 10 };
    assert!(kinds.len() >= least, "{kinds:?}");
}

#[test]
fn a_cut_never_parts_a_call_from_its_results() {
    for_each_session(|name, messages| {
        let ledger = Ledger::new(messages.iter().map(|message| (message, Estimator::DEFAULT.of(message))));
        let limit = Some(Tokens(200_000));
        for len in (0..=messages.len()).rev().step_by(1 + messages.len() / 60) {
            let seen = Effective { summary: None, kept: &messages[..len] };
            for keep in [Size::Messages(6), Size::Tokens(Tokens(20_000)), Size::Fraction(Fraction::new(0.1).unwrap())] {
                let total = ledger.scaled(0..len, Tokens(0), 0);
                let at = cut(&seen, keep, limit, total, |index| ledger.plain(index..len)).unwrap();
                assert_eq!(safe_point(&seen, at), at, "{name}: a safe cut is safe");
                assert!(at == len || is_whole(&messages[..len], at), "{name}: {len} messages cut at {at}");
            }
        }
    });
}

/// Every kept result whose call is on record keeps it, for runs that follow their calls directly.
fn is_whole(messages: &[ChatMessage<'_>], at: usize) -> bool {
    let kept_calls: HashSet<&str> = ids(&messages[at..]);
    let lost_calls: HashSet<&str> = ids(&messages[..at]);
    let results = messages[at..].iter().filter_map(|message| message.answers.as_deref());
    results.into_iter().all(|id| kept_calls.contains(id) || !lost_calls.contains(id))
}

fn ids<'m>(messages: &'m [ChatMessage<'_>]) -> HashSet<&'m str> {
    messages.iter().flat_map(|message| message.calls.iter().map(|call| call.id.as_ref())).collect()
}

struct Short;

impl Services for Short {
    fn send(&mut self, _: &[ChatMessage<'_>], _: Tokens) -> Result<(), Overflowed> {
        Ok(())
    }

    fn summarize(&mut self, _: &SummaryInput<'_, '_>) -> String {
        "short".into()
    }

    fn history_path(&self) -> String {
        "/conversation_history/session_0.md".into()
    }

    fn time(&self) -> String {
        "2026-12-01T00:00:00+00:00".into()
    }
}

#[test]
fn the_middleware_makes_every_long_session_smaller() {
    let mut compactions = 0;
    for_each_session(|name, messages| {
        let settings = Settings::factory(Some(Tokens(40_000)));
        let model = Model {
            limit: Some(Tokens(40_000)),
            max_output: Tokens(4_000),
            provider: None,
            estimator: Estimator::DEFAULT,
        };
        let call = AgentCall { model, settings: &settings, system: None, messages, tool_chars: 0, event: None };
        let report = call.run(&mut Short).unwrap();
        let before = call.count(messages);
        if let Some(event) = report.event {
            compactions += 1;
            assert!(report.answered.tokens < before, "{name}: {before} to {}", report.answered.tokens);
            assert!(event.cut > 0 && report.section.is_some(), "{name}");
            assert_eq!(report.answered.messages[0].role, Role::Human, "{name}");
        } else {
            assert!(report.answered.tokens <= before, "{name}");
        }
    });
    assert!(compactions > 0 || common::shared().is_none(), "no session was long enough");
}

#[test]
fn excluded_commands_are_not_sent() {
    let bash = cutpoint::transcript::Bash {
        command: "ls".into(),
        output: "a".into(),
        exit_code: Some(0),
        cancelled: false,
        truncated: false,
        full_output_path: None,
        excluded: true,
    };
    assert!(from_transcript(&Message::Bash(Box::new(bash)), Dialect::Plain).is_none());
}
