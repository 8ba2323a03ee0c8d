//! One sample: its calls sorted into lines, and what its end state adds.

use super::attachments::Attachments;
use super::content::{Output, key, stop_reason, usage};
use super::thread::{Input, Thread, stamp};
use crate::import::chain::Stamp;
use crate::import::chat::message::tools;
use crate::import::value::{Object, Value};
use crate::import::{FindingKind, Imported};

/// Events that are kept as notes.
const NOTES: &[&str] = &["score", "error", "sample_limit", "info", "interrupt", "approval"];

/// A sample as it is read.
struct Sample<'a> {
    attachments: Attachments<'a>,
    pool: Vec<Value<'a>>,
    provider: Box<str>,
    threads: Vec<Thread>,
    /// A compaction of which the next call has not been seen.
    compaction: Option<Value<'a>>,
}

/// Appends the sessions of a sample. `several`: there are other samples.
pub(super) fn read(value: Value<'_>, eval: &Object<'_>, several: bool, out: &mut Vec<Imported>) {
    let fields = value.object();
    let provider = eval.text("model").unwrap_or_default();
    let mut sample = Sample {
        attachments: Attachments::of(fields.get("attachments")),
        pool: fields.object("events_data").items("messages"),
        provider: provider.split_once('/').map_or("", |(provider, _)| provider).into(),
        threads: Vec::new(),
        compaction: None,
    };
    let events = fields.items("events");
    for event in &events {
        let fields = event.object();
        match fields.text("event").as_deref() {
            Some("model") => sample.call(&fields),
            Some("compaction") => sample.compaction = Some(*event),
            _ => {}
        }
    }
    let main = sample.end_state(&fields);
    let name: Box<str> = name(&fields).into();
    let notes =
        events.iter().filter(|event| event.object().text("event").is_some_and(|kind| NOTES.contains(&kind.as_ref())));
    for note in notes {
        let fields = note.object();
        let chain = &mut sample.threads[main].chain;
        let line = chain.transcript.entries.len() + 1;
        chain.note(line, stamp(&fields), &fields.text("event").unwrap_or_default(), *note);
    }
    if let Some(error) = fields.get("error") {
        let chain = &mut sample.threads[main].chain;
        let line = chain.transcript.entries.len() + 1;
        chain.note(line, Stamp::default(), "error", error);
    }
    let main = sample.threads.remove(main);
    let others = std::mem::take(&mut sample.threads);
    for (mut thread, number) in std::iter::once(main).chain(others).zip(1..) {
        let meta = &mut thread.chain.transcript.meta;
        meta.id = fields.boxed("uuid").unwrap_or_else(|| name.clone());
        meta.timestamp = eval.boxed("created");
        let part = match number {
            1 => several.then(|| name.clone()),
            other => Some(format!("{name} calls {other}").into()),
        };
        out.push(thread.chain.finish(part));
    }
}

/// The sample's name in the log.
fn name(fields: &Object<'_>) -> String {
    let id = fields.word("id").unwrap_or_default();
    format!("{id} epoch {}", fields.u64("epoch").unwrap_or(1))
}

impl<'a> Sample<'a> {
    /// Takes a model call.
    fn call(&mut self, event: &Object<'a>) {
        if event.flag("pending") {
            return;
        }
        let input = self.input(event);
        let at = self.thread_of(&input);
        let compaction = self.compaction.take();
        let fresh = at == self.threads.len();
        if fresh {
            self.threads.push(Thread::default());
        }
        let thread = &mut self.threads[at];
        if let Some(list) = event.get("tools").filter(|_| fresh) {
            let raw = self.attachments.resolve(list.raw());
            tools(&mut thread.chain, 1, Value::unchecked(&raw, list.at()));
        }
        match compaction.filter(|_| !fresh) {
            Some(compaction) => thread.compact(&input, compaction, &self.attachments),
            None => thread.extend(&input, &self.attachments),
        }
        let output = event.object("output");
        let choice = output.items("choices").first().map(|choice| choice.object()).unwrap_or_default();
        let error = event.boxed("error").or_else(|| output.boxed("error"));
        let line = thread.chain.transcript.entries.len();
        let Some(message) = choice.get("message").or_else(|| error.is_some().then(failed)) else {
            thread.chain.fault(line, FindingKind::BadField, "a call without a choice in its output; no reply was read");
            return;
        };
        let read = Output {
            provider: self.provider.clone(),
            model: output.boxed("model").or_else(|| event.boxed("model")).unwrap_or_default(),
            stop: choice.text("stop_reason").map(|word| stop_reason(&word)),
            usage: usage(&output.object("usage"), &mut thread.chain, line),
            error,
        };
        thread.reply(key(message, &self.attachments), message, &self.attachments, stamp(event), read);
    }

    /// The messages that were sent.
    fn input(&self, event: &Object<'a>) -> Input<'a> {
        let mut messages = event.items("input");
        if messages.is_empty() {
            for reference in event.items("input_refs") {
                let ends: Vec<usize> = reference.items().iter().filter_map(|end| end.u64()?.try_into().ok()).collect();
                let range = match (ends.as_slice(), reference.u64().and_then(|at| usize::try_from(at).ok())) {
                    (&[from, to], _) => from..to,
                    (_, Some(at)) => at..at.saturating_add(1),
                    _ => continue,
                };
                messages.extend(self.pool.get(range).unwrap_or_default());
            }
        }
        messages.into_iter().map(|message| (key(message, &self.attachments), message)).collect()
    }

    /// The line that a call goes on from; one more than there are, when it begins one.
    fn thread_of(&self, input: &Input<'_>) -> usize {
        let common = |thread: &Thread| match self.compaction {
            Some(_) => thread.overlap(input),
            None => thread.shared(input),
        };
        let best = (0..self.threads.len()).max_by_key(|&at| (common(&self.threads[at]), usize::MAX - at));
        match best {
            Some(at) if common(&self.threads[at]) > 0 => at,
            _ => self.threads.len(),
        }
    }

    /// Adds what came after the last call; returns the line that the sample's messages belong to.
    fn end_state(&mut self, fields: &Object<'a>) -> usize {
        let messages = fields.items("messages");
        let keys: Vec<u64> = messages.iter().map(|message| key(*message, &self.attachments)).collect();
        if self.threads.is_empty() {
            self.threads.push(Thread::default());
        }
        let threads = 0..self.threads.len();
        let met = |at: usize| self.threads[at].meets(&keys);
        // Of equals the first.
        let main = threads.max_by_key(|&at| (met(at).0, usize::MAX - at)).unwrap_or_default();
        let (_, from) = met(main);
        for (key, message) in keys.into_iter().zip(messages).skip(from) {
            self.threads[main].append(key, message, &self.attachments);
        }
        main
    }
}

/// Stands for the reply of a call that failed.
fn failed() -> Value<'static> {
    Value::unchecked(r#"{"role":"assistant","content":""}"#, 0)
}
