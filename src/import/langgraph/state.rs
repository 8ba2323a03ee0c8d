//! Threads and the order of their messages.

use std::collections::HashSet;

use super::message::{self, Kind};
use crate::import::value::{Object, Value};
use crate::transcript::{Meta, Text};

/// A thread.
pub(super) struct Thread<'a> {
    pub(super) meta: Meta,
    /// The model of the run, for replies that name none.
    pub(super) model: Option<Box<str>>,
    pub(super) steps: Vec<Step<'a>>,
}

/// What happened in a thread.
pub(super) enum Step<'a> {
    /// A message was added.
    Message(Value<'a>),
    /// The state before was left.
    Back {
        /// Id of the message on which what follows hangs.
        shared: Option<Box<str>>,
        /// Id of the first message of the state, which may be a summary.
        first: Option<Box<str>>,
    },
    /// A message whose id stands in the same state already; of the two the later one counts.
    Repeated(Value<'a>, Box<str>),
    /// Messages gave way to a summary.
    Compaction {
        /// Id of the message that holds the summary.
        id: Option<Box<str>>,
        summary: Text,
        /// Id of the first message that stayed.
        first_kept: Option<Box<str>>,
    },
}

/// The threads of a document. States of the same thread are its history.
pub(super) fn threads(document: Value<'_>) -> Vec<Thread<'_>> {
    let items = document.items();
    match items.first() {
        None => vec![thread(&[document])],
        Some(first) if Kind::of(*first).is_some() => vec![of_messages(&items)],
        Some(_) => {
            let mut groups: Vec<(Option<Box<str>>, Vec<Value<'_>>)> = Vec::new();
            for item in items {
                let id = thread_id(&item.object());
                match groups.iter_mut().find(|(known, _)| id.is_some() && *known == id) {
                    Some((_, states)) => states.push(item),
                    None => groups.push((id, vec![item])),
                }
            }
            groups.iter().map(|(_, states)| thread(states)).collect()
        }
    }
}

pub(super) fn of_messages<'a>(messages: &[Value<'a>]) -> Thread<'a> {
    let steps = messages.iter().copied().map(Step::Message).collect();
    Thread { meta: Meta::default(), model: None, steps }
}

fn thread_id(state: &Object<'_>) -> Option<Box<str>> {
    let own = state.boxed("thread_id").or_else(|| state.object("checkpoint").boxed("thread_id"));
    own.or_else(|| state.object("metadata").boxed("thread_id"))
}

/// The values of a state: under `values`, under `channel_values` in a stored checkpoint, or the document itself.
fn values<'a>(state: &Object<'a>) -> Object<'a> {
    let inner = ["values", "channel_values"].into_iter().find_map(|name| state.get(name));
    inner.map_or_else(|| state.clone(), Value::object)
}

/// The thread whose states are `states`, in any order.
fn thread<'a>(states: &[Value<'a>]) -> Thread<'a> {
    let mut states: Vec<Object<'a>> = states.iter().map(|state| state.object()).collect();
    // Servers give a history newest first; all stamps are of one zone and width.
    states.sort_by_key(|state| state.boxed("created_at"));
    let mut steps = Vec::new();
    let mut seen = HashSet::new();
    let mut before: Vec<Box<str>> = Vec::new();
    for state in &states {
        let messages = values(state).items("messages");
        // Of a state without messages nothing is known; nothing was taken back.
        if messages.is_empty() {
            continue;
        }
        let ids: Vec<Box<str>> = messages.iter().filter_map(|message| message::id(*message)).collect();
        if ids.len() < messages.len() {
            // Messages without ids cannot be told apart: the newest state has the most of them.
            steps.clear();
            seen.clear();
            steps.extend(messages.into_iter().map(Step::Message));
            continue;
        }
        if !compacted(&before, &messages, &ids, &mut seen, &mut steps) {
            steps.extend(back(&before, &ids, &seen));
        }
        add(messages, &ids, &mut seen, &mut steps);
        before = ids;
    }
    let last = states.last().cloned().unwrap_or_default();
    steps.extend(summarization_event(&values(&last)));
    let metadata = last.object("metadata");
    let model = metadata.boxed("model_name").or_else(|| metadata.boxed("model"));
    let meta = Meta {
        id: thread_id(&last).unwrap_or_default(),
        timestamp: states.first().and_then(|state| state.boxed("created_at")),
        ..Meta::default()
    };
    Thread { meta, model, steps }
}

/// Adds the messages of a state that are new.
fn add<'a>(messages: Vec<Value<'a>>, ids: &[Box<str>], seen: &mut HashSet<Box<str>>, steps: &mut Vec<Step<'a>>) {
    let mut here = HashSet::new();
    for (message, id) in messages.into_iter().zip(ids) {
        let repeated = !here.insert(id);
        if seen.insert(id.clone()) {
            steps.push(Step::Message(message));
        } else if repeated {
            let same =
                |step: &&mut Step<'a>| matches!(step, Step::Message(known) if message::id(*known).as_ref() == Some(id));
            steps.iter_mut().find(same).into_iter().for_each(|step| *step = Step::Message(message));
            steps.push(Step::Repeated(message, id.clone()));
        }
    }
}

/// The last message that a state shares with those before it, if the state before went on otherwise: a fork.
fn back<'a>(before: &[Box<str>], ids: &[Box<str>], seen: &HashSet<Box<str>>) -> Option<Step<'a>> {
    let last = before.last()?;
    let shared = ids.iter().take_while(|id| seen.contains(*id)).last();
    (!ids.contains(last) && shared != Some(last))
        .then(|| Step::Back { shared: shared.cloned(), first: ids.first().cloned() })
}

/// A state that begins with a new message and misses old ones: the new one is their summary. Whether it is such a one.
fn compacted<'a>(
    before: &[Box<str>],
    messages: &[Value<'a>],
    ids: &[Box<str>],
    seen: &mut HashSet<Box<str>>,
    steps: &mut Vec<Step<'a>>,
) -> bool {
    let gone = before.iter().any(|id| !ids.contains(id));
    let (Some(first), Some(id)) = (messages.first(), ids.first()) else { return false };
    if !gone || seen.contains(id) {
        return false;
    }
    seen.insert(id.clone());
    let first_kept = ids.iter().find(|id| before.contains(id)).cloned();
    steps.push(Step::Compaction { id: Some(id.clone()), summary: message::text(*first), first_kept });
    true
}

/// The last compaction of Deep Agents: `{cutoff_index, summary_message}`.
fn summarization_event<'a>(values: &Object<'a>) -> Option<Step<'a>> {
    let event = values.get("_summarization_event")?;
    let fields = event.object();
    let messages = values.items("messages");
    let cutoff = fields.u64("cutoff_index").and_then(|index| usize::try_from(index).ok());
    let first_kept = cutoff.and_then(|index| messages.get(index)).and_then(|message| message::id(*message));
    let summary = fields.get("summary_message").map(message::text).unwrap_or_default();
    Some(Step::Compaction { id: None, summary, first_kept })
}
