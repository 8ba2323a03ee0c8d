//! Where a request asks to be cached: its `cache_control` marks.
//!
//! The next request repeats the messages with other marks, so a mark is no field of a message. The marks of a request are
//! kept together, as the field `cache_marks` of its reply, or, where it has none, of the header: a list of
//! `{"tools": n}` (behind the first n tools), `{"system": n, "of": m}` (behind n of the m blocks of the system prompt) and
//! `{"behind": n}` (n blocks of the messages follow, reasoning not counted), each with its `ttl`.

use super::exchange::elements;
use crate::import::extra::quoted;
use crate::import::object::Rest;
use crate::import::slot::Slot;
use crate::transcript::json::read::Raw;

/// The field of a block that marks it.
const FIELD: &str = "cache_control";

/// The lifetime of a mark that names none.
const DEFAULT: &str = "5m";

/// The marks of a request as JSON; `messages` are the elements of its list.
pub(super) fn marks(body: &Rest<'_>, messages: &[Raw<'_>]) -> String {
    let mut found = Vec::new();
    let list = |name: &str| body.get(name).and_then(|raw| elements(raw.text())).unwrap_or_default();
    for (tool, at) in list("tools").iter().zip(1_usize..) {
        found.extend(ttl(*tool).map(|ttl| format!("{{\"tools\":{at},\"ttl\":{ttl}}}")));
    }
    let system = list("system");
    for (block, at) in system.iter().zip(1_usize..) {
        found.extend(ttl(*block).map(|ttl| format!("{{\"system\":{at},\"of\":{},\"ttl\":{ttl}}}", system.len())));
    }
    found.extend(of_messages(messages).into_iter().rev().map(|(behind, ttl)| mark_behind(behind, &ttl)));
    // Automatic caching: the last block that can be marked.
    found.extend(body.get(FIELD).and_then(lifetime).map(|ttl| mark_behind(0, &ttl)));
    format!("[{}]", found.join(","))
}

fn mark_behind(behind: usize, ttl: &str) -> String {
    format!("{{\"behind\":{behind},\"ttl\":{ttl}}}")
}

/// The marks of the messages, the last one first: how many blocks follow each, and its lifetime.
fn of_messages(messages: &[Raw<'_>]) -> Vec<(usize, String)> {
    let (mut found, mut behind) = (Vec::new(), 0);
    // Before the first message that has one, nothing needs to be counted.
    let first = messages.iter().position(|raw| raw.text().contains(FIELD)).unwrap_or(messages.len());
    for raw in messages[first..].iter().rev() {
        let Some(mut message) = Rest::of(raw.text()) else { continue };
        let Some(list) = message.take("content").and_then(|content| elements(content.text())) else {
            behind += 1;
            continue;
        };
        let mut blocks: Vec<Marked> = list.into_iter().map(Marked::of).collect();
        // As they are read: the tool results of a message stand before what else it says.
        blocks.sort_by_key(|block| !block.is_result);
        for block in blocks.into_iter().rev() {
            found.extend(block.ttl.map(|ttl| (behind, ttl)));
            behind += usize::from(!block.is_thinking);
        }
    }
    found
}

/// A block of a message, as far as marks are concerned.
struct Marked {
    is_result: bool,
    is_thinking: bool,
    ttl: Option<String>,
}

impl Marked {
    fn of(raw: Raw<'_>) -> Self {
        let kind = Rest::of(raw.text()).map(|mut block| block.scalar::<Box<str>>("type"));
        let kind = if let Some(Slot::Good(kind)) = kind { kind } else { "".into() };
        Self { is_result: &*kind == "tool_result", is_thinking: kind.contains("thinking"), ttl: ttl(raw) }
    }
}

/// The lifetime of the mark of an object, as JSON.
fn ttl(raw: Raw<'_>) -> Option<String> {
    if !raw.text().contains(FIELD) {
        return None;
    }
    lifetime(Rest::of(raw.text())?.take(FIELD)?)
}

fn lifetime(control: Raw<'_>) -> Option<String> {
    let mut control = Rest::of(control.text())?;
    let word = control.scalar::<Box<str>>("ttl");
    Some(quoted(if let Slot::Good(word) = &word { word } else { DEFAULT }))
}
