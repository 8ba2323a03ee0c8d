//! Items of the Responses API, which Codex and mini-swe-agent record.

use super::content::{any_arguments, call, content, free_text, thinking};
use crate::import::chain::Chain;
use crate::import::value::Object;
use crate::transcript::Block;

/// Reasoning: its text where it is open, else its summary; the encrypted form is the signature.
pub(in crate::import) fn reasoning(fields: &Object<'_>, chain: &mut Chain, line: usize) -> Block {
    let open = fields.get("content").filter(|list| !list.items().is_empty());
    let parts = content(open.or_else(|| fields.get("summary")), chain, line);
    let texts: Vec<&str> = parts
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    thinking(&texts.join("\n\n"), fields.boxed("encrypted_content"))
}

/// A call, of an item of type `kind`.
pub(in crate::import) fn tool_call(kind: &str, fields: &Object<'_>) -> Block {
    let id = fields.boxed("call_id").or_else(|| fields.boxed("id")).unwrap_or_default();
    let name = fields.boxed("name").unwrap_or_else(|| kind.trim_end_matches("_call").into());
    let arguments = match fields.text("input") {
        Some(input) => free_text(&input),
        None => any_arguments(fields.get("arguments").or_else(|| fields.get("action"))),
    };
    call(id, &name, arguments)
}
