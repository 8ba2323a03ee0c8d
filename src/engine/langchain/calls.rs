//! Tool calls as Python prints them.

use super::message::{Call, Part};
use crate::transcript::json::python;

/// `len(repr(tool_calls))`: a list of `{'name', 'args', 'id', 'type': 'tool_call'}` in that order of keys. 0 without any call.
pub(super) fn repr_chars(calls: &[Call<'_>]) -> usize {
    listed_chars(calls.iter().map(|call| call_repr_chars(&call.name, json_repr_chars(&call.arguments), &call.id)))
}

/// `len(repr(call))` of one of `tool_calls`, whose arguments have so many characters.
pub(super) fn call_repr_chars(name: &str, arguments: usize, id: &str) -> usize {
    const FRAME: usize = "{'name': , 'args': , 'id': , 'type': 'tool_call'}".len();
    FRAME + python::repr_str_char_len(name) + arguments + python::repr_str_char_len(id)
}

/// Characters of a list of what has `lengths`. An agent has no list without calls.
pub(super) fn listed_chars(lengths: impl Iterator<Item = usize>) -> usize {
    // Brackets around all, and a comma with a space behind all but the last.
    lengths.map(|length| ", ".len() + length).reduce(|sum, one| sum + one).unwrap_or(0)
}

/// `repr(tool_calls)`.
pub(super) fn repr(calls: &[Call<'_>]) -> String {
    let one = |call: &Call<'_>| {
        let arguments = python::repr(&call.arguments).unwrap_or_else(|| call.arguments.to_string());
        let (name, id) = (python::repr_str(&call.name), python::repr_str(&call.id));
        format!("{{'name': {name}, 'args': {arguments}, 'id': {id}, 'type': 'tool_call'}}")
    };
    format!("[{}]", calls.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// `len(repr(block))` of a block that is neither text nor picture.
pub(super) fn block_repr_chars(part: &Part<'_>) -> usize {
    match part {
        Part::Thinking { text, signature } => thinking_repr_chars(text, signature.as_deref()),
        Part::ToolUse(call) => tool_use_repr_chars(&call.name, json_repr_chars(&call.arguments), &call.id),
        Part::Other(raw) => json_repr_chars(raw),
        Part::Plain(_) | Part::Text(_) | Part::Image(_) => 0,
    }
}

/// `len(repr(block))` of reasoning.
pub(super) fn thinking_repr_chars(text: &str, signature: Option<&str>) -> usize {
    let signature = signature.map_or(0, |signature| ", 'signature': ".len() + python::repr_str_char_len(signature));
    "{'type': 'thinking', 'thinking': }".len() + python::repr_str_char_len(text) + signature
}

/// `len(repr(block))` of a call among the blocks, whose arguments have so many characters.
pub(super) fn tool_use_repr_chars(name: &str, arguments: usize, id: &str) -> usize {
    const FRAME: usize = "{'type': 'tool_use', 'id': , 'name': , 'input': }".len();
    FRAME + python::repr_str_char_len(id) + python::repr_str_char_len(name) + arguments
}

/// `len(repr(json.loads(raw)))`; what cannot be read as JSON (nested too deep) counts as it stands.
fn json_repr_chars(raw: &str) -> usize {
    python::repr_char_len(raw).unwrap_or_else(|| bytecount::num_chars(raw.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{Call, repr, repr_chars};

    #[test]
    fn keys_come_in_the_order_of_the_package() {
        let call = Call { id: "c1".into(), name: "check".into(), arguments: r#"{"n":1,"ok":true}"#.into() };
        let text = "[{'name': 'check', 'args': {'n': 1, 'ok': True}, 'id': 'c1', 'type': 'tool_call'}]";
        assert_eq!(repr(std::slice::from_ref(&call)), text);
        assert_eq!(repr_chars(&[call]), text.len());
    }
}
