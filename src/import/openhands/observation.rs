//! Observations of V0: what came back.

use std::fmt::Write as _;

use super::event::Events;
use crate::import::chain::Answer;
use crate::import::chat::content::image;
use crate::import::value::{Object, Value};
use crate::transcript::{Block, Content, Custom, Message, Text};

/// Takes an observation.
pub(super) fn take(events: &mut Events, line: usize, value: Value<'_>, fields: &Object<'_>) {
    let word = fields.text("observation").unwrap_or_default();
    let extras = fields.object("extras");
    if matches!(word.as_ref(), "agent_state_changed" | "null" | "condense") {
        return events.note(line, &word, value);
    }
    let mut content = if word == "recall" { recalled(&extras) } else { shown(fields, &extras) };
    add_images(&mut content, &extras);
    let stamp = Events::stamp(fields);
    let metadata = fields.object("tool_call_metadata");
    let made = || events.made_calls.get(&fields.word("cause")?).cloned();
    // Without ids an observation answers the action before it.
    let unnamed = || events.last_made_call.clone().filter(|_| !fields.has("cause") && !fields.has("id"));
    let call = metadata.boxed("tool_call_id").or_else(made).or_else(unnamed);
    if let Some(call_id) = call {
        events.last_made_call = None;
        let is_error = word == "error";
        let answer = Answer { call_id, tool: metadata.boxed("function_name"), content, is_error };
        events.chain.result(line, stamp, answer);
    } else if content.blocks.iter().all(|block| matches!(block, Block::Text(text) if text.is_empty())) {
        events.note(line, &word, value);
    } else {
        let custom = Custom { kind: word.as_ref().into(), content, display: true, details: None };
        events.message(line, stamp, Message::Custom(Box::new(custom)));
    }
}

/// The content as the model was shown it.
fn shown(fields: &Object<'_>, extras: &Object<'_>) -> Content {
    let mut text = fields.text("content").unwrap_or_default().into_owned();
    terminal(&mut text, &extras.object("metadata"));
    Content { blocks: vec![Block::Text(Text::new(text))], plain: true }
}

/// Puts around the output of a command what its record keeps apart, in the words of its class, `CmdOutputObservation`.
pub(super) fn terminal(text: &mut String, metadata: &Object<'_>) {
    if metadata.0.is_empty() {
        return;
    }
    text.insert_str(0, &metadata.text("prefix").unwrap_or_default());
    text.push_str(&metadata.text("suffix").unwrap_or_default());
    for (name, words) in [("working_dir", "Current working directory"), ("py_interpreter_path", "Python interpreter")] {
        if let Some(path) = metadata.text(name).filter(|path| !path.is_empty()) {
            let _ = write!(text, "\n[{words}: {path}]");
        }
    }
    // -1 says that the command still runs.
    if let Some(code) = metadata.get("exit_code").map(Value::raw).filter(|&code| code != "-1") {
        let _ = write!(text, "\n[Command finished with exit code {code}]");
    }
}

/// What was recalled into the context: instructions of the repository and knowledge that a word triggered.
fn recalled(extras: &Object<'_>) -> Content {
    let knowledge = extras.items("microagent_knowledge").into_iter().filter_map(|item| item.object().boxed("content"));
    let names = ["repo_instructions", "additional_agent_instructions"];
    let texts = names.into_iter().filter_map(|name| extras.boxed(name)).chain(knowledge);
    let blocks = texts.filter(|text| !text.is_empty()).map(|text| Block::Text(Text::new(text))).collect();
    Content { blocks, plain: false }
}

/// Appends the pictures under `image_urls`.
pub(super) fn add_images(content: &mut Content, fields: &Object<'_>) {
    let urls = fields.items("image_urls");
    content.plain &= urls.is_empty();
    content.blocks.extend(urls.into_iter().filter_map(Value::text).map(|url| image(&url)));
}
