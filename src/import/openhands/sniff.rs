//! Telling an `OpenHands` file by its first bytes.

use super::{event, instance};
use crate::import::Confidence;
use crate::import::document::beginning;
use crate::import::value::Value;

/// Lines looked at.
const LINES: usize = 20;

/// Sure of an instance with a history or an agent, of SDK events and of events with their source.
pub(in crate::import) fn sniff(head: &[u8]) -> Confidence {
    let text = beginning(head);
    if text.starts_with('[') {
        let first = Value::unchecked(&text, 0).items().first().copied();
        return first.map_or(Confidence::No, record);
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(LINES);
    let lines = lines.map(|line| record(Value::unchecked(line, 0))).max();
    // A document may be spread over several lines.
    lines.unwrap_or(Confidence::No).max(record(Value::unchecked(&text, 0)))
}

fn record(value: Value<'_>) -> Confidence {
    if instance::is(value) || event::is(value) { Confidence::Sure } else { Confidence::No }
}
