//! What a list of messages comes in.

use super::message::{Around, push, stop, tools};
use super::usage::usage;
use crate::import::chain::{Chain, Stamp};
use crate::import::extra::quoted;
use crate::import::value::{Object, Value};
use crate::import::{FindingKind, Imported};
use crate::transcript::{EntryKind, JsonText, Message, Meta};

/// Where a record keeps its messages.
const LISTS: &[&str] = &["messages", "traj", "request.messages", "kwargs.messages"];

/// One session of a file.
pub(super) struct Session {
    pub(super) imported: Imported,
    /// Its own name.
    pub(super) name: Option<Box<str>>,
}

/// The field at a path of keys.
pub(super) fn at<'a>(object: &Object<'a>, path: &str) -> Option<Value<'a>> {
    match path.split_once('.') {
        Some((first, rest)) => at(&object.object(first), rest),
        None => object.get(path),
    }
}

/// The messages of a record, if it carries any.
pub(super) fn messages<'a>(record: &Object<'a>) -> Option<Vec<Value<'a>>> {
    LISTS.iter().find_map(|path| at(record, path).filter(|list| list.is_list())).map(Value::items)
}

/// The request bodies of a record that is a sequence of them.
pub(super) fn bodies<'a>(record: &Object<'a>) -> Option<Vec<Value<'a>>> {
    let bodies = record.items("requests");
    bodies.first().is_some_and(|body| messages(&body.object()).is_some()).then_some(bodies)
}

/// Reads a bare list of messages. `line` is that of all of them in a file of JSON Lines; in one document a message has
/// its ordinal, from 1.
pub(super) fn bare(list: &[Value<'_>], line: Option<usize>) -> Imported {
    let mut chain = Chain::default();
    for (index, message) in list.iter().enumerate() {
        push(&mut chain, line.unwrap_or(index + 1), *message, Around::default());
    }
    chain.finish(None)
}

/// Reads a record: a request body, an entry of a log with its `response`, or a dialogue of a data set. Usage belongs to
/// the reply in `response`; without one, to the last reply in the list.
pub(super) fn record(record: &Object<'_>, line: Option<usize>) -> Option<Session> {
    let list = messages(record)?;
    let mut chain = Chain::default();
    let about = About::of(record);
    let first = line.unwrap_or(1);
    for path in ["tools", "request.tools", "functions"] {
        if let Some(schemas) = at(record, path) {
            tools(&mut chain, first, schemas);
        }
    }
    let mut ordinal = 0;
    for message in list {
        ordinal += 1;
        let line = line.unwrap_or(ordinal);
        simulated(&mut chain, line, message, about.around(&message.object()));
    }
    let line = line.unwrap_or(ordinal + 1);
    response(&mut chain, line, record, &about);
    let name =
        ["id", "instance_id", "task_id", "conversation_id", "uuid", "name"].iter().find_map(|key| record.word(key));
    let id = name.clone().unwrap_or_default();
    chain.transcript.meta = Meta { id, timestamp: sent_at(record), extra: extra(record), ..Meta::default() };
    // A file with several trials of one task tells them apart by this.
    let trial = record.u64("trial").filter(|&trial| trial > 0);
    let name = name.map(|name| trial.map_or(name.clone(), |trial| format!("{name}.{trial}").into()));
    Some(Session { imported: chain.finish(None), name })
}

/// When a body of a sequence was sent: in seconds since the first one, or since 1970.
pub(super) fn sent_at(record: &Object<'_>) -> Option<Box<str>> {
    Stamp::at_seconds(record.get("at_s").and_then(Value::f64)).timestamp
}

/// The plain fields of a record: reward, settings, times. Objects and lists repeat the request or the task.
fn extra(record: &Object<'_>) -> Option<JsonText> {
    let plain = |value: Value<'_>| !value.is_object() && !value.is_list();
    let fields = record.0.iter().filter(|(_, value)| plain(*value));
    let fields: Vec<String> = fields.map(|(key, value)| format!("{}:{}", quoted(key), value.raw())).collect();
    (!fields.is_empty()).then(|| format!("{{{}}}", fields.join(","))).and_then(JsonText::new)
}

/// What a record says of all its messages.
struct About {
    model: Box<str>,
    provider: Box<str>,
}

impl About {
    fn of(record: &Object<'_>) -> Self {
        let word = |paths: &[&str]| paths.iter().find_map(|path| at(record, path)?.boxed()).unwrap_or_default();
        Self {
            model: word(&["response.model", "model", "request.model", "kwargs.model", "llm"]),
            provider: word(&["provider", "custom_llm_provider", "request.provider"]),
        }
    }

    /// tau2 keeps time and usage with each message.
    fn around(&self, message: &Object<'_>) -> Around {
        let stamp = Stamp { id: None, timestamp: message.boxed("timestamp") };
        Around { stamp, provider: self.provider.clone(), model: self.model.clone(), ..Around::default() }
    }
}

/// Appends a message. A simulated user (tau2) may call tools of its own: those calls and answers are of another model's
/// context, and its usage too, so they are notes here.
fn simulated(chain: &mut Chain, line: usize, message: Value<'_>, mut around: Around) {
    let fields = message.object();
    let of_user = fields.text("requestor").as_deref() == Some("user");
    let role = fields.text("role").unwrap_or_default();
    if of_user && role == "tool" || role == "user" && !fields.items("tool_calls").is_empty() {
        return chain.note(line, around.stamp, "simulated_user", message);
    }
    chain.here = Some(message.at());
    if role == "assistant" && fields.has("usage") {
        around.usage = usage(&fields.object("usage"), fields.get("cost").and_then(Value::f64), chain, line);
    }
    push(chain, line, message, around);
}

/// The reply to the request, and its usage.
fn response(chain: &mut Chain, line: usize, record: &Object<'_>, about: &About) {
    let response = record.object("response");
    chain.here = record.get("response").or_else(|| record.get("usage")).map(Value::at).or(chain.here);
    let cost = record.get("cost").and_then(Value::f64);
    let counted = [response.get("usage"), record.get("usage")].into_iter().flatten().next();
    let counted = counted.and_then(|value| usage(&value.object(), cost, chain, line));
    let choices = response.items("choices");
    if choices.len() > 1 {
        let message = format!("{} choices in the response; the first is read", choices.len());
        chain.fault(line, FindingKind::UnknownKind, message);
    }
    if let Some(choice) = choices.first().map(|choice| choice.object()) {
        let stamp = Stamp::at_seconds(record.get("timestamp").and_then(Value::f64));
        let stop = choice.text("finish_reason").map(|word| stop(&word));
        let around = Around { stop, usage: counted, stamp, ..about.around(&Object::default()) };
        if let Some(message) = choice.get("message") {
            push(chain, line, message, around);
        }
        return;
    }
    let last = chain.transcript.entries.iter_mut().rev().find_map(|entry| match &mut entry.kind {
        EntryKind::Message(Message::Assistant(_, reply)) => Some(reply),
        _ => None,
    });
    match (last, counted) {
        (Some(reply), Some(counted)) if reply.usage.is_none() => reply.usage = Some(counted),
        (_, Some(_)) => chain.fault(line, FindingKind::MissingTarget, "usage without a reply; left out"),
        _ => {}
    }
}
