//! Telling an Inspect log by its first bytes.

use super::archive;
use crate::import::Confidence;
use crate::import::document::beginning;
use crate::import::value::Value;

/// Sure of a log with a version, a status and an evaluation, and of an archive whose first member is one of a log.
pub(in crate::import) fn sniff(head: &[u8]) -> Confidence {
    if archive::is(head) {
        let name = archive::first_name(head).unwrap_or_default();
        let ours = ["_journal/", "samples/", "header.json", "summaries.json", "reductions.json"];
        return if ours.iter().any(|begin| name.starts_with(begin)) { Confidence::Sure } else { Confidence::No };
    }
    let text = beginning(head);
    let fields = Value::unchecked(&text, 0).object();
    let eval = fields.object("eval");
    match fields.has("version") && fields.has("status") && eval.has("task") {
        true => Confidence::Sure,
        false if fields.has("samples") && eval.has("model") => Confidence::Sure,
        false => Confidence::No,
    }
}
