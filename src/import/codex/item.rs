//! Response items: what went to the model, and what came from it.

use super::session::Session;
use crate::import::FindingKind;
use crate::import::chain::{Answer, Stamp};
use crate::import::chat::content::{content, plain};
use crate::import::chat::responses::{reasoning, tool_call};
use crate::import::value::{Object, Value};
use crate::transcript::{Block, Content, Custom, EntryKind, Image, Message, Reply, StopReason};

/// The types of items, as the oldest dialect has them at the top of a line.
pub(super) const KINDS: &[&str] = &[
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "local_shell_call",
    "custom_tool_call",
    "custom_tool_call_output",
    "web_search_call",
];

impl Session {
    /// One item; `raw` is its whole record.
    pub(super) fn item(&mut self, line: usize, stamp: Stamp, item: Value<'_>, raw: Value<'_>) {
        let fields = item.object();
        let stamp = Stamp { id: fields.boxed("id"), ..stamp };
        let kind = fields.boxed("type").unwrap_or_default();
        match &*kind {
            "message" => self.message(line, stamp, &fields),
            "reasoning" => {
                let block = reasoning(&fields, &mut self.chain, line);
                self.reply(line, stamp, vec![block]);
            }
            "function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call" => {
                let block = tool_call(&kind, &fields);
                self.reply(line, stamp, vec![block]);
            }
            // The provider runs it: there is no answer to it in the file.
            "web_search_call" => self.reply(line, stamp, item.json().map(Block::Other).into_iter().collect()),
            "image_generation_call" => {
                let data = fields.boxed("result").unwrap_or_default();
                self.reply(line, stamp, vec![Block::Image(Image { data, media_type: "image/png".into() })]);
            }
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => {
                self.output(line, stamp, &fields);
            }
            "agent_message" => {
                let content = content(fields.get("content"), &mut self.chain, line);
                self.beside(line, stamp, &kind, content);
            }
            // State of the working folder, and the encrypted summary.
            "ghost_snapshot" | "compaction" | "compaction_summary" | "context_compaction" => {
                self.chain.note(line, stamp, &kind, raw);
            }
            other => {
                let message = format!("an item of unknown type `{other}`; kept as a note");
                self.chain.fault(line, FindingKind::UnknownKind, message);
                self.chain.note(line, stamp, other, raw);
            }
        }
    }

    fn message(&mut self, line: usize, stamp: Stamp, fields: &Object<'_>) {
        let said = content(fields.get("content"), &mut self.chain, line);
        match &*fields.text("role").unwrap_or_default() {
            "assistant" => self.reply(line, stamp, said.blocks),
            "user" => {
                self.open = None;
                self.chain.push(line, stamp, EntryKind::Message(Message::User(said)));
            }
            // Instructions of the harness: they stand among the messages, and a compaction writes them anew.
            role => self.beside(line, stamp, role, said),
        }
    }

    /// Text that neither the person nor the model wrote.
    fn beside(&mut self, line: usize, stamp: Stamp, kind: &str, content: Content) {
        self.open = None;
        let custom = Custom { kind: kind.into(), content, display: false, details: None };
        self.chain.push(line, stamp, EntryKind::Message(Message::Custom(Box::new(custom))));
    }

    /// Blocks of a reply: the open one, or a new one.
    fn reply(&mut self, line: usize, stamp: Stamp, blocks: Vec<Block>) {
        for block in &blocks {
            self.chain.know(block);
        }
        let at = self.open.unwrap_or_else(|| {
            self.forget_waiting(line);
            let reply = Reply {
                api: "openai-responses".into(),
                provider: (&*self.provider).into(),
                model: (&*self.model).into(),
                stop: StopReason::Stop,
                usage: None,
                error: None,
            };
            let message = Message::Assistant(Content::default(), Box::new(reply));
            self.chain.push(line, stamp, EntryKind::Message(message))
        });
        (self.open, self.unpaid) = (Some(at), Some(at));
        if let EntryKind::Message(Message::Assistant(content, reply)) = &mut self.chain.transcript.entries[at].kind {
            if blocks.iter().any(|block| matches!(block, Block::ToolCall(_))) {
                reply.stop = StopReason::ToolUse;
            }
            content.blocks.extend(blocks);
        }
    }

    fn output(&mut self, line: usize, stamp: Stamp, fields: &Object<'_>) {
        self.open = None;
        let call_id = fields.boxed("call_id").unwrap_or_else(|| {
            self.chain.fault(line, FindingKind::MissingId, "an answer has no `call_id`; read as empty");
            "".into()
        });
        let (content, is_error) = match fields.get("output").or_else(|| fields.get("tools")) {
            // Some versions wrap the text: `{content, success}`.
            Some(output) if output.is_object() && !output.object().has("type") => {
                let wrapped = output.object();
                let said =
                    content(wrapped.get("content_items").or_else(|| wrapped.get("content")), &mut self.chain, line);
                (said, wrapped.get("success").and_then(Value::bool) == Some(false))
            }
            Some(output) if fields.has("tools") => (plain(output.raw()), false),
            output => (content(output, &mut self.chain, line), false),
        };
        self.chain.result(line, stamp, Answer { call_id, tool: None, content, is_error });
    }
}
