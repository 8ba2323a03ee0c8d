//! The records of a run without secrets, for a report that is shared.

use anyhow::Context;
use serde_json::{Map, Value};

use crate::redact::Redactor;
use crate::results::{Run, Sources};

/// Runs whose texts are seen together: what one record tells is gone from all. The second is what did it, with its counts.
pub(super) fn redacted(runs: &[Run]) -> anyhow::Result<(Vec<Run>, Redactor)> {
    let mut values = runs.iter().map(to_values).collect::<Result<Vec<_>, _>>()?;
    let mut texts = Vec::new();
    values.iter().flatten().for_each(|value| collect(value, &mut texts));
    let mut redactor = Redactor::of(texts);
    values.iter_mut().flatten().for_each(|value| replace(value, &mut redactor));
    let runs = values.into_iter().map(of_values).collect::<Result<_, _>>();
    Ok((runs.context("a record has another shape without its secrets")?, redactor))
}

/// The tables of a run, in the order in which [`of_values`] takes them.
fn to_values(run: &Run) -> Result<[Value; 7], serde_json::Error> {
    Ok([
        serde_json::to_value(&run.manifest)?,
        serde_json::to_value(&run.cells)?,
        serde_json::to_value(&run.events)?,
        serde_json::to_value(&run.sources.messages)?,
        serde_json::to_value(&run.sources.annotations)?,
        serde_json::to_value(&run.sources.classes)?,
        serde_json::to_value(&run.judgements)?,
    ])
}

fn of_values(
    [manifest, cells, events, messages, annotations, classes, judgements]: [Value; 7],
) -> Result<Run, serde_json::Error> {
    Ok(Run {
        manifest: serde_json::from_value(manifest)?,
        cells: serde_json::from_value(cells)?,
        events: serde_json::from_value(events)?,
        sources: Sources {
            messages: serde_json::from_value(messages)?,
            annotations: serde_json::from_value(annotations)?,
            classes: serde_json::from_value(classes)?,
        },
        judgements: serde_json::from_value(judgements)?,
    })
}

/// Fields that hold words of the program, or figures under such words: a password that is the same word is none there.
const OURS: [&str; 19] = [
    "break_reason",
    "category",
    "checkpoint",
    "class",
    "condition",
    "event",
    "fate",
    "findings",
    "format",
    "history",
    "kind",
    "measures",
    "offered",
    "reference",
    "role",
    "rubric",
    "schema",
    "tools",
    "verdict",
];

/// The map whose names are texts: the fates of items stand under their ids.
const FATES: &str = "fates";

/// Every text that is not ours.
fn collect<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(list) => list.iter().for_each(|one| collect(one, texts)),
        Value::Object(map) => map.iter().for_each(|(name, one)| match &**name {
            FATES => texts.extend(one.as_object().into_iter().flat_map(Map::keys).map(String::as_str)),
            ours if OURS.contains(&ours) => {}
            _ => collect(one, texts),
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn replace(value: &mut Value, redactor: &mut Redactor) {
    match value {
        Value::String(text) => redactor.replace(text),
        Value::Array(list) => list.iter_mut().for_each(|one| replace(one, redactor)),
        Value::Object(map) => map.iter_mut().for_each(|(name, one)| match &**name {
            FATES => rename(one, redactor),
            ours if OURS.contains(&ours) => {}
            _ => replace(one, redactor),
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn rename(map: &mut Value, redactor: &mut Redactor) {
    let Some(map) = map.as_object_mut() else { return };
    let renamed = std::mem::take(map).into_iter().map(|(name, one)| (redactor.text(&name).unwrap_or(name), one));
    *map = renamed.collect();
}
