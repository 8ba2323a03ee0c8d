//! One step.

use super::session::Session;
use crate::import::FindingKind;
use crate::import::chain::{Answer, Stamp};
use crate::import::chat::content::{any_arguments, call, content, thinking};
use crate::import::chat::usage::{exclusive, known_prompt};
use crate::import::value::{Object, Value};
use crate::transcript::{
    Block, Compaction, Content, Cost, Custom, EntryKind, Message, Reply, StopReason, System, Text, Usage, joined_text,
};

/// Takes a step.
pub(super) fn take(session: &mut Session, line: usize, value: Value<'_>) {
    session.chain.here = Some(value.at());
    let fields = value.object();
    let stamp = Stamp { id: fields.word("step_id"), timestamp: fields.boxed("timestamp") };
    if stamp.id.as_deref().is_some_and(|id| session.chain.is_copy(line, id, value)) {
        return;
    }
    if session.chain.transcript.meta.timestamp.is_none() {
        session.chain.transcript.meta.timestamp.clone_from(&stamp.timestamp);
    }
    let said = content(fields.get("message"), &mut session.chain, line);
    match fields.text("source").unwrap_or_default().as_ref() {
        "user" => push(session, line, stamp, Message::User(said)),
        "agent" | "assistant" => agent(session, line, &stamp, &fields, said),
        "system" if is_compaction(&fields, &said) => compaction(session, line, stamp, &fields),
        "system" => system(session, line, stamp, &fields, said),
        other => {
            // The last line of a stream may sum up.
            if !fields.has("final_metrics") {
                let fault = format!("a step of unknown source `{other}`; kept as a note");
                session.chain.fault(line, FindingKind::UnknownKind, fault);
            }
            session.chain.note(line, stamp, "step", value);
        }
    }
}

fn push(session: &mut Session, line: usize, stamp: Stamp, message: Message) {
    session.chain.push(line, stamp, EntryKind::Message(message));
}

/// The mark of the format, or the words of the agent that wrote such steps before there was one.
fn is_compaction(fields: &Object<'_>, said: &Content) -> bool {
    let marked = fields.object("extra").object("context_management").text("type").as_deref() == Some("compaction");
    marked || joined_text(said).starts_with("Performed context summarization")
}

fn compaction(session: &mut Session, line: usize, stamp: Stamp, fields: &Object<'_>) {
    let compaction = Compaction { details: fields.json("observation"), ..Compaction::default() };
    session.chain.push(line, stamp, EntryKind::Compaction(Box::new(compaction)));
}

/// A system step: the prompt, if it comes first and is no event of the harness; what it observed comes with it.
fn system(session: &mut Session, line: usize, stamp: Stamp, fields: &Object<'_>, mut said: Content) {
    let transcript = &mut session.chain.transcript;
    let results = results(fields);
    if results.is_empty() {
        let first = transcript.entries.is_empty() && transcript.head.system.is_none();
        let prompt = Text::new(joined_text(&said).into_owned());
        if first && !fields.object("extra").has("event_type") {
            transcript.head.system = Some(prompt);
            return;
        }
        let message = Message::System(Box::new(System { content: prompt, sections: Vec::new(), tools_added: None }));
        return push(session, line, stamp, message);
    }
    said.plain = false;
    let mut answers = Vec::new();
    for result in results {
        match result.object().boxed("source_call_id") {
            Some(call_id) => answers.push((call_id, shown(session, line, result))),
            None => said.blocks.extend(shown(session, line, result).blocks),
        }
    }
    if answers.is_empty() {
        let custom = Custom { kind: "observation".into(), content: said, display: true, details: None };
        return push(session, line, stamp, Message::Custom(Box::new(custom)));
    }
    for (call_id, content) in answers {
        let stamp = part(&stamp, &call_id);
        session.chain.result(line, stamp, Answer { call_id, content, ..Answer::default() });
    }
}

/// The stamp of a further entry from the same step.
fn part(stamp: &Stamp, name: &str) -> Stamp {
    Stamp { id: stamp.id.as_ref().map(|id| format!("{id}.{name}").into()), timestamp: stamp.timestamp.clone() }
}

fn agent(session: &mut Session, line: usize, stamp: &Stamp, fields: &Object<'_>, mut said: Content) {
    let plain = said.plain;
    if let Some(thought) = fields.text("reasoning_content").filter(|thought| !thought.is_empty()) {
        said.blocks.insert(0, thinking(&thought, None));
        said.plain = false;
    }
    // An empty text beside calls or reasoning is how none is spelled.
    said.blocks.retain(|block| !matches!(block, Block::Text(text) if text.is_empty()));
    let mut ids = Vec::new();
    for outer in fields.items("tool_calls") {
        let outer = outer.object();
        let function = outer.object("function");
        let id = outer.boxed("tool_call_id").or_else(|| outer.boxed("id")).unwrap_or_default();
        let name = outer.text("function_name").or_else(|| outer.text("name")).or_else(|| function.text("name"));
        let arguments = any_arguments(outer.get("arguments").or_else(|| function.get("arguments")));
        ids.push(id.clone());
        said.blocks.push(call(id, &name.unwrap_or_default(), arguments));
    }
    said.plain = plain && ids.is_empty() && said.plain;
    let copied = fields.flag("is_copied_context");
    let reply = Reply {
        api: "".into(),
        provider: "".into(),
        model: fields.boxed("model_name").unwrap_or_else(|| session.model.clone()).into(),
        stop: if ids.is_empty() { StopReason::Stop } else { StopReason::ToolUse },
        usage: if copied { None } else { usage(session, line, &fields.object("metrics")) },
        error: None,
    };
    push(session, line, stamp.clone(), Message::Assistant(said, Box::new(reply)));
    answers(session, line, stamp, fields, &ids);
}

/// What came back in the step of a reply.
fn answers(session: &mut Session, line: usize, stamp: &Stamp, fields: &Object<'_>, ids: &[Box<str>]) {
    let results = results(fields);
    // Without ids, as many results as calls belong to them in order.
    let in_order = results.len() == ids.len();
    for (at, result) in results.into_iter().enumerate() {
        let inner = result.object();
        let own = inner.boxed("source_call_id").or_else(|| ids.get(at).filter(|_| in_order).cloned());
        let content = shown(session, line, result);
        let Some(call_id) = own else {
            let custom = Custom {
                kind: "observation".into(),
                content,
                display: true,
                details: inner.json("subagent_trajectory_ref"),
            };
            push(session, line, part(stamp, &format!("observation {}", at + 1)), Message::Custom(Box::new(custom)));
            continue;
        };
        let stamp = part(stamp, &call_id);
        session.chain.result(line, stamp, Answer { call_id, content, ..Answer::default() });
        if let Some(EntryKind::Message(Message::ToolResult(pushed))) =
            session.chain.transcript.entries.last_mut().map(|entry| &mut entry.kind)
        {
            pushed.details = inner.json("subagent_trajectory_ref");
        }
    }
}

/// The results of a step: `observation.results`, or an observation that is a list or the only result.
fn results<'a>(fields: &Object<'a>) -> Vec<Value<'a>> {
    let Some(observation) = fields.get("observation") else { return Vec::new() };
    match observation.object().get("results") {
        Some(results) if results.is_list() => results.items(),
        Some(result) => vec![result],
        None if observation.is_list() => observation.items(),
        None => vec![observation],
    }
}

/// What the model was shown of a result: its content, and of an object the JSON.
fn shown(session: &mut Session, line: usize, result: Value<'_>) -> Content {
    if !result.is_object() {
        return content(Some(result), &mut session.chain, line);
    }
    let fields = result.object();
    let inner = fields.get("content").or_else(|| fields.get("output"));
    match inner {
        Some(inner) if inner.is_object() && !inner.object().has("type") => {
            Content { blocks: vec![Block::Text(Text::from(inner.raw()))], plain: true }
        }
        Some(_) => content(inner, &mut session.chain, line),
        None if fields.has("subagent_trajectory_ref") || fields.has("content") => Content::default(),
        None => Content { blocks: vec![Block::Text(Text::from(result.raw()))], plain: true },
    }
}

/// `metrics`: the prompt includes what came from the cache.
fn usage(session: &mut Session, line: usize, metrics: &Object<'_>) -> Option<Usage> {
    let mut count = |fields: &Object<'_>, name: &str| session.chain.count(fields, name, line);
    let (prompt, output) = (count(metrics, "prompt_tokens"), count(metrics, "completion_tokens"));
    let prompt = known_prompt(prompt, output, &mut session.chain, line)?;
    let mut count = |fields: &Object<'_>, name: &str| session.chain.count(fields, name, line);
    let cache_read = count(metrics, "cached_tokens").unwrap_or_default();
    let extra = metrics.object("extra");
    // Not part of the format; converters put the provider's own figure here, and count it into the prompt.
    let written = count(&extra, "cache_creation_input_tokens").unwrap_or_default();
    let reasoning = count(&extra, "reasoning_tokens");
    let cache_write = if cache_read + written <= prompt { written } else { 0 };
    let cost = metrics.get("cost_usd").and_then(Value::f64);
    Some(Usage {
        input: exclusive(prompt, cache_read + cache_write, &mut session.chain, line),
        output: output.unwrap_or_default(),
        cache_read,
        cache_write,
        reasoning,
        cost: cost.map(|total| Cost { total, ..Cost::default() }),
        ..Usage::default()
    })
}
