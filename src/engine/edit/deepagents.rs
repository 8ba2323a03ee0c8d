//! What Deep Agents shortens in place: large results and messages move to files, old write arguments are cut.

use super::{Edit, Rewrite};
use crate::engine::langchain::{Call, ChatMessage, Content, Eviction, Role, TruncateArguments, chat_message};
use crate::engine::trigger::{Checkpoint, TriggerView};
use crate::engine::view::{ContextView, Kind, Source};
use crate::transcript::{self, Block, JsonText, Message, Text, Tokens, ToolCall};

/// Eviction to the filesystem and argument truncation.
///
/// The tools of the recording agent stand for those of Deep Agents: `read`, `write` and `edit` for `read_file`,
/// `write_file` and `edit_file`. Deep Agents cuts arguments anew for every request and keeps them in its state; here
/// what was cut stays cut, which a request cannot tell apart.
#[derive(Clone, Debug)]
pub struct DeepAgents {
    /// When results and messages move.
    pub eviction: Eviction,
    /// When arguments are cut; `None` never.
    pub arguments: Option<TruncateArguments>,
    /// The model has a profile that states its input limit: the window.
    pub profile: bool,
}

/// Deep Agents' name for a tool of the recording agent.
fn tool_name(name: &str) -> &str {
    match name {
        "read" => "read_file",
        "write" => "write_file",
        "edit" => "edit_file",
        "find" => "glob",
        other => other,
    }
}

impl Edit for DeepAgents {
    fn edit(&mut self, _: Checkpoint, now: &TriggerView<'_, '_>) -> Vec<Rewrite> {
        let mut rewrites = self.evict(now.context);
        rewrites.extend(self.cut_arguments(now));
        rewrites
    }
}

impl DeepAgents {
    /// Looks at what came since the last reply only: earlier results have had their turn.
    fn evict(&self, view: &ContextView<'_>) -> Vec<Rewrite> {
        let newest = (0..view.len()).rev().take_while(|&at| !view.kind(at).is(transcript::Role::Assistant));
        newest.filter_map(|at| Some(Rewrite { at, message: self.evicted(view, at)? })).collect()
    }

    fn evicted(&self, view: &ContextView<'_>, at: usize) -> Option<Message> {
        if !matches!(view.items()[at].source, Source::Entry(_)) {
            return None;
        }
        let message = view.message(at)?;
        let chat = chat_message(message)?;
        let evicted = match message {
            Message::ToolResult(result) if self.eviction.takes(&chat, tool_name(&result.tool)) => {
                Eviction::evict(&chat, "")
            }
            Message::User(_) if self.eviction.takes_human(&chat) => {
                Eviction::evict_human(&chat, "/conversation_history/message.md".to_owned())
            }
            _ => return None,
        };
        let text = evicted.message.content.joined("\n").into_owned();
        let pictures = message.blocks().iter().filter(|block| matches!(block, Block::Image(_))).cloned();
        let blocks = [Block::Text(Text::new(text))].into_iter().chain(pictures).collect();
        Some(message.with_content(transcript::Content { blocks, plain: false }))
    }

    fn cut_arguments(&self, now: &TriggerView<'_, '_>) -> Vec<Rewrite> {
        let (view, limit) = (now.context, self.profile.then_some(now.window));
        let Some(settings) = &self.arguments else { return Vec::new() };
        if !settings.fires(view.message_count(), now.estimate.tokens, limit) {
            return Vec::new();
        }
        let places: Vec<usize> = (0..view.len()).filter(|&at| matches!(view.kind(at), Kind::Message(_))).collect();
        let tokens = |index: usize| places.get(index).map_or_else(Tokens::default, |&at| view.estimates().at(at));
        let end = settings.cutoff(places.len(), limit, tokens).min(places.len());
        let rewritten = |&at: &usize| Some(Rewrite { at, message: truncated(settings, view.message(at)?)? });
        places[..end].iter().filter_map(rewritten).collect()
    }
}

/// The reply with its large arguments cut; `None` when none is large.
fn truncated(settings: &TruncateArguments, message: &Message) -> Option<Message> {
    let Message::Assistant(content, reply) = message else { return None };
    let mut blocks = Vec::new();
    let mut changed = false;
    for block in &content.blocks {
        let cut = if let Block::ToolCall(call) = block { truncated_call(settings, call) } else { None };
        changed |= cut.is_some();
        blocks.push(cut.map_or_else(|| block.clone(), Block::ToolCall));
    }
    changed.then(|| Message::Assistant(transcript::Content { blocks, plain: content.plain }, reply.clone()))
}

fn truncated_call(settings: &TruncateArguments, call: &ToolCall) -> Option<ToolCall> {
    let mut message = ChatMessage::new(Role::Ai, Content::text(""));
    let name = tool_name(call.name.as_str());
    message.calls.push(Call { id: (&*call.id).into(), name: name.into(), arguments: call.arguments.as_str().into() });
    let cut = settings.message(&message)?;
    let arguments = cut.message.calls.first()?.arguments.clone().into_owned();
    Some(ToolCall { arguments: JsonText::new(arguments)?, ..call.clone() })
}
