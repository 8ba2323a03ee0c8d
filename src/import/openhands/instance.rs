//! One line of `output.jsonl`: an instance of an evaluation, or an issue that the resolver worked on.

use super::event::Events;
use crate::import::Imported;
use crate::import::chain::Stamp;
use crate::import::value::{Object, Value};

/// Whether a record is an instance. In the first bytes of a file its history may be out of sight.
pub(super) fn is(value: Value<'_>) -> bool {
    let fields = value.object();
    let any_of = |names: &[&str]| names.iter().any(|name| fields.has(name));
    let named = any_of(&["instance_id", "issue"]);
    named && (fields.has("history") || fields.object("metadata").has("agent_class"))
}

/// Reads an instance.
pub(super) fn read(line: usize, value: Value<'_>) -> Imported {
    let fields = value.object();
    let mut events = Events::default();
    let id = fields.word("instance_id").or_else(|| fields.object("issue").word("number")).unwrap_or_default();
    let chain = &mut events.chain;
    chain.transcript.meta.id.clone_from(&id);
    let metadata = fields.object("metadata");
    chain.transcript.meta.timestamp = metadata.boxed("start_time");
    events.usage.model = metadata.object("llm_config").boxed("model").unwrap_or_default();
    events.usage.responses(&fields.object("metrics"), &mut events.chain, line);
    for event in history(&fields) {
        events.take(line, event);
    }
    if let Some(error) = fields.get("error") {
        events.chain.note(line, Stamp::default(), "error", error);
    }
    events.line = line;
    events.finish(Some(id))
}

/// The events. Before 2024 a history was a list of pairs of an action and its observation.
fn history<'a>(fields: &Object<'a>) -> Vec<Value<'a>> {
    let flat = |item: Value<'a>| if item.is_list() { item.items() } else { vec![item] };
    fields.items("history").into_iter().flat_map(flat).collect()
}
