//! The records of a rollout, in their order.

use super::compacted;
use crate::import::chain::{Chain, Stamp};
use crate::import::chat::usage::{exclusive, whole};
use crate::import::place::{Place, Report};
use crate::import::rows::{self, Rows};
use crate::import::value::{Object, Value};
use crate::import::{FindingKind, ImportError, Imported};
use crate::transcript::json::read::Reader;
use crate::transcript::{EntryKind, JsonText, Message, Meta, Text, Usage};

/// What `type` says of a record with a payload.
pub(super) const KINDS: &[&str] = &[
    "session_meta",
    "turn_context",
    "response_item",
    "event_msg",
    "compacted",
    "world_state",
    "inter_agent_communication_metadata",
];

/// A rollout as it is read.
#[derive(Default)]
pub(super) struct Session {
    pub(super) chain: Chain,
    header: bool,
    records: usize,
    pub(super) provider: Box<str>,
    pub(super) model: Box<str>,
    effort: Option<Box<str>>,
    /// The entry of the reply that further items belong to.
    pub(super) open: Option<usize>,
    /// The last reply, until its usage has come.
    pub(super) unpaid: Option<usize>,
    /// Usage that no reply before it is there for: that of a summary request, if a compaction follows.
    pub(super) waiting: Option<Usage>,
    /// The last running total, as spelled.
    total: Option<Box<str>>,
    /// Size of the context after the last call.
    pub(super) context: Option<u64>,
}

impl Rows for Session {
    const BEGINS: &'static [&'static str] = &["{\"timestamp\":", "{\"type\":", "{\"record_type\":"];

    fn report(&mut self) -> &mut Report {
        &mut self.chain.report
    }

    type Record<'l> = Value<'l>;

    fn parse<'l>(text: &'l str, reader: &mut Reader<'l>) -> Result<Value<'l>, String> {
        rows::object(text, reader)
    }

    fn take(&mut self, at: Place, _: &str, value: Value<'_>) {
        self.push(at.line(), value.in_record(at));
    }
}

impl Session {
    fn push(&mut self, line: usize, raw: Value<'_>) {
        self.chain.here = Some(raw.at());
        let record = raw.object();
        let stamp = Stamp { id: None, timestamp: record.boxed("timestamp") };
        let kind = record.boxed("type").unwrap_or_default();
        self.records += 1;
        let Some(payload) = record.get("payload").filter(|payload| payload.is_object()) else {
            return self.bare(line, stamp, &kind, raw);
        };
        let fields = payload.object();
        match &*kind {
            "session_meta" if !self.header => self.take_header(line, &fields),
            "response_item" => self.item(line, stamp, payload, raw),
            "turn_context" => {
                self.turn(line, &stamp, &fields);
                self.chain.note(line, stamp, &kind, raw);
            }
            "event_msg" => {
                match fields.text("type").as_deref() {
                    Some("token_count") => self.tokens(line, &fields.object("info")),
                    Some("thread_rolled_back") => self.roll_back(line, &fields),
                    _ => {}
                }
                self.chain.note(line, stamp, &kind, raw);
            }
            "compacted" => compacted::push(self, line, stamp, &fields),
            known if KINDS.contains(&known) => self.chain.note(line, stamp, known, raw),
            _ => self.unknown(line, stamp, &kind, raw),
        }
    }

    /// A record without a payload: the header or an item of the oldest dialect.
    fn bare(&mut self, line: usize, stamp: Stamp, kind: &str, raw: Value<'_>) {
        let record = raw.object();
        if kind.is_empty() && !self.header && record.has("id") && record.has("timestamp") {
            self.take_header(line, &record);
        } else if record.has("record_type") {
            self.chain.note(line, stamp, "state", raw);
        } else if super::item::KINDS.contains(&kind) {
            self.item(line, stamp, raw, raw);
        } else {
            self.unknown(line, stamp, kind, raw);
        }
    }

    fn unknown(&mut self, line: usize, stamp: Stamp, kind: &str, raw: Value<'_>) {
        let message = format!("a record of unknown type `{kind}`; kept as a note");
        self.chain.fault(line, FindingKind::UnknownKind, message);
        self.chain.note(line, stamp, kind, raw);
    }

    /// The first header names the session; later ones, which a fork copies from its parent, are notes.
    fn take_header(&mut self, line: usize, fields: &Object<'_>) {
        if self.records > 1 {
            let message = format!("the header is not the first record; {} before it", self.records - 1);
            self.chain.fault(line, FindingKind::LateHeader, message);
        }
        self.header = true;
        self.provider = fields.boxed("model_provider").unwrap_or_else(|| "openai".into());
        let kept = ["originator", "cli_version", "source", "model_provider", "git", "agent_nickname", "agent_role"];
        let kept = kept.into_iter().filter_map(|key| Some(format!("\"{key}\":{}", fields.get(key)?.raw())));
        let extra = format!("{{{}}}", kept.collect::<Vec<_>>().join(","));
        self.chain.transcript.meta = Meta {
            id: fields.boxed("id").or_else(|| fields.boxed("session_id")).unwrap_or_default(),
            version: None,
            timestamp: fields.boxed("timestamp"),
            cwd: fields.boxed("cwd"),
            parent_session: fields.boxed("forked_from_id").or_else(|| fields.boxed("parent_thread_id")),
            extra: Some(extra).filter(|extra| extra != "{}").and_then(JsonText::new),
        };
        // Before there were base instructions, `instructions` were the person's own part of the system prompt.
        let base = fields.object("base_instructions").boxed("text").or_else(|| fields.boxed("base_instructions"));
        let system = base.or_else(|| fields.boxed("instructions"));
        self.chain.transcript.head.system = system.map(Text::new);
    }

    /// The settings of a turn.
    fn turn(&mut self, line: usize, stamp: &Stamp, fields: &Object<'_>) {
        self.open = None;
        if let Some(model) = fields.boxed("model").filter(|model| *model != self.model) {
            self.model = model.clone();
            let kind = EntryKind::ModelChange { provider: self.provider.clone(), model };
            self.chain.push(line, stamp.clone(), kind);
        }
        let effort = fields.boxed("effort").or_else(|| fields.boxed("reasoning_effort"));
        if let Some(level) = effort.filter(|level| Some(level) != self.effort.as_ref()) {
            self.effort = Some(level.clone());
            self.chain.push(line, stamp.clone(), EntryKind::ThinkingLevelChange(level));
        }
    }

    /// A `token_count`: `info` has the usage of the last call and the running total.
    fn tokens(&mut self, line: usize, info: &Object<'_>) {
        self.open = None;
        let last = info.object("last_token_usage");
        self.context = last.u64("total_tokens").or(self.context);
        let total = info.get("total_token_usage").map(Value::raw);
        if total.is_some() && total == self.total.as_deref() {
            return;
        }
        self.total = total.map(Into::into);
        let mut count = |name| self.chain.count(&last, name, line);
        let Some(prompt) = count("input_tokens") else { return };
        let output = count("output_tokens").unwrap_or_default();
        // After a compaction: no call, only the estimated size of the new history.
        if prompt == 0 && output == 0 {
            return;
        }
        let [cache_read, cache_write] =
            ["cached_input_tokens", "cache_write_input_tokens"].map(|name| count(name).unwrap_or_default());
        let [reasoning, total] = ["reasoning_output_tokens", "total_tokens"].map(count);
        let usage = Usage {
            input: exclusive(prompt, cache_read + cache_write, &mut self.chain, line),
            output,
            cache_read,
            cache_write,
            cache_write_1h: None,
            reasoning,
            total: whole(total, cache_read + cache_write + output),
            cost: None,
        };
        self.pay(line, usage);
    }

    fn pay(&mut self, line: usize, usage: Usage) {
        let reply = self.unpaid.take().map(|at| &mut self.chain.transcript.entries[at].kind);
        if let Some(EntryKind::Message(Message::Assistant(_, reply))) = reply {
            reply.usage = Some(usage);
        } else if self.waiting.replace(usage).is_some() {
            self.lost(line);
        }
    }

    /// Reports usage that neither a reply nor a compaction can be found for.
    fn lost(&mut self, line: usize) {
        let message = "usage of a call before this line whose reply is not in the file; kept as a note only";
        self.chain.fault(line, FindingKind::MissingTarget, message);
    }

    /// Usage that waits is that of a failed call once another reply begins.
    pub(super) fn forget_waiting(&mut self, line: usize) {
        if self.waiting.take().is_some() {
            self.lost(line);
        }
    }

    /// An empty session of the same model, for items that are no part of this one.
    pub(super) fn beside_it(&self) -> Self {
        Self { provider: self.provider.clone(), model: self.model.clone(), ..Self::default() }
    }

    pub(super) fn finish(mut self) -> Result<Imported, ImportError> {
        let line = self.chain.report.counts.total;
        self.chain.here = None;
        self.forget_waiting(line);
        let read = self.chain.transcript.entries.iter().any(|entry| !matches!(entry.kind, EntryKind::Note { .. }));
        if !self.header {
            if !read {
                let first = self.chain.report.findings.first();
                let found = first.map_or_else(|| "no record of one".to_owned(), |first| first.message.clone());
                let line = first.map_or(1, |first| first.line);
                return Err(ImportError::NoRecord { line, expected: "the records of a Codex rollout", found });
            }
            let message = "no header (`session_meta`): id, folder and system prompt are unknown";
            self.chain.fault(0, FindingKind::MissingHeader, message);
        }
        Ok(self.chain.finish(None))
    }
}
