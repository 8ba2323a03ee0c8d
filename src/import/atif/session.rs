//! What stands around the steps.

use crate::import::FindingKind;
use crate::import::chain::{Chain, Stamp};
use crate::import::chat::message::tools;
use crate::import::extra::quoted;
use crate::import::value::{Object, Value};
use crate::transcript::JsonText;

/// Fields of the header that are kept with the session.
const KEPT: &[&str] = &["schema_version", "continued_trajectory_ref", "trajectory_id"];

/// A trajectory as it is read.
#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) chain: Chain,
    /// The agent's model, for steps that name none.
    pub(super) model: Box<str>,
}

impl Session {
    /// Reads the header: the document itself, or the first line of a stream.
    pub(super) fn header(&mut self, line: usize, fields: &Object<'_>) {
        let agent = fields.object("agent");
        self.model = agent.boxed("model_name").unwrap_or_default();
        let version = fields.boxed("schema_version").unwrap_or_default();
        let number = version.strip_prefix("ATIF-").unwrap_or(&version);
        if !number.strip_prefix('v').unwrap_or(number).starts_with("1.") {
            let fault = format!("version `{version}`; read as ATIF 1");
            self.chain.fault(line, FindingKind::UnknownVersion, fault);
        }
        if let Some(list) = agent.get("tool_definitions") {
            tools(&mut self.chain, line, list);
        }
        let continuation = agent.object("extra").get("continuation_index");
        let meta = &mut self.chain.transcript.meta;
        meta.id = fields.boxed("session_id").unwrap_or_default();
        let mut kept: Vec<(&str, Value<'_>)> =
            KEPT.iter().filter_map(|&name| Some((name, fields.get(name)?))).collect();
        kept.extend(continuation.map(|index| ("continuation_index", index)));
        let kept: Vec<String> = kept.iter().map(|(name, value)| format!("{}:{}", quoted(name), value.raw())).collect();
        meta.extra = JsonText::new(format!("{{{}}}", kept.join(",")));
        if continuation.is_some() {
            meta.parent_session = Some(meta.id.clone());
            if let Some(agent) = fields.get("agent") {
                self.chain.note(line, Stamp::default(), "continuation after a compaction", agent);
            }
        }
    }

    /// Reads what comes after the steps.
    pub(super) fn end(&mut self, fields: &Object<'_>) {
        let line = fields.items("steps").len();
        if let Some(metrics) = fields.get("final_metrics") {
            self.chain.note(line, Stamp::default(), "final_metrics", metrics);
        }
    }
}
