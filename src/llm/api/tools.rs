//! Tools as the protocols want them: short names of few characters, each once, and schemas that are objects.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::Called;
use crate::transcript::ToolSchema;

/// Longest name of a tool (`OpenAI` and Anthropic: letters, digits, `_`, `-`, at most 64).
const LONGEST: usize = 64;
/// What must not stand at the top of a schema: both makers refuse it there.
const REFUSED: [&str; 5] = ["oneOf", "anyOf", "allOf", "enum", "not"];

/// A tool as it is sent.
#[derive(Clone, Debug, PartialEq)]
struct Sent {
    name: String,
    description: String,
    parameters: Value,
}

/// The name that stands for a recorded one, and is not yet taken.
fn allowed(recorded: &str, taken: &HashSet<String>) -> String {
    let of = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = recorded.chars().map(of).take(LONGEST).collect();
    let name = if name.is_empty() { "tool".to_owned() } else { name };
    let other = |number: usize| {
        let end = format!("_{number}");
        format!("{}{end}", &name[..name.len().min(LONGEST - end.len())])
    };
    let mut names = std::iter::once(name.clone()).chain((2..).map(other));
    names.find(|name| !taken.contains(name)).unwrap_or(name)
}

/// Names as they are sent, one for each tool, in order; `None` for a tool whose name was there before.
fn names(tools: &[ToolSchema]) -> Vec<Option<String>> {
    let (mut seen, mut taken) = (HashSet::new(), HashSet::new());
    let of = |tool: &ToolSchema| {
        seen.insert(tool.name.clone()).then(|| {
            let name = allowed(&tool.name, &taken);
            taken.insert(name.clone());
            name
        })
    };
    tools.iter().map(of).collect()
}

/// The schema, if it is one of an object; else that of any object.
fn parameters(schema: &str) -> Value {
    let known = serde_json::from_str(schema).ok().filter(|value: &Map<String, Value>| !value.is_empty());
    let Some(mut known) = known else { return json!({"type": "object", "properties": {}}) };
    for word in REFUSED {
        known.remove(word);
    }
    known.insert("type".to_owned(), "object".into());
    if !known.get("properties").is_some_and(Value::is_object) {
        known.insert("properties".to_owned(), json!({}));
    }
    Value::Object(known)
}

fn sent(tools: &[ToolSchema]) -> impl Iterator<Item = Sent> {
    let named = names(tools).into_iter().zip(tools);
    named.filter_map(|(name, tool)| {
        let (description, parameters) = (tool.description.to_string(), parameters(&tool.parameters));
        Some(Sent { name: name?, description, parameters })
    })
}

/// `tools` of chat completions.
pub(super) fn chat(tools: &[ToolSchema]) -> Value {
    let of = |tool: Sent| {
        let Sent { name, description, parameters } = tool;
        json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
    };
    sent(tools).map(of).collect()
}

/// `tools` of Responses, which are strict unless they say otherwise: recorded schemas are not.
pub(super) fn responses(tools: &[ToolSchema]) -> Value {
    let of = |tool: Sent| {
        let Sent { name, description, parameters } = tool;
        json!({"type": "function", "name": name, "description": description, "parameters": parameters, "strict": false})
    };
    sent(tools).map(of).collect()
}

/// `tools` of Messages.
pub(super) fn messages(tools: &[ToolSchema]) -> Value {
    let of = |tool: Sent| {
        let Sent { name, description, parameters } = tool;
        json!({"name": name, "description": description, "input_schema": parameters})
    };
    sent(tools).map(of).collect()
}

/// Tools for a program: as they were recorded.
pub(super) fn exec(tools: &[ToolSchema]) -> Value {
    let of = |tool: &ToolSchema| {
        let schema = serde_json::from_str(&tool.parameters).unwrap_or(Value::Null);
        json!({"name": &*tool.name, "description": &*tool.description, "parameters": schema})
    };
    tools.iter().map(of).collect()
}

/// Gives the calls of an answer the names of the recording again.
pub(in crate::llm) fn restore(calls: &mut [Called], tools: &[ToolSchema]) {
    let names = names(tools);
    for call in calls {
        let is_it = |name: &Option<String>| name.as_deref() == Some(&*call.name);
        if let Some(at) = names.iter().position(is_it) {
            call.name = tools[at].name.as_ref().into();
        }
    }
}

/// Arguments are a text of JSON in chat completions and Responses, an object in Messages and on some servers.
pub(super) fn arguments(value: Option<&Value>) -> Arc<str> {
    match value {
        Some(Value::String(text)) => text.as_str().into(),
        None | Some(Value::Null) => "".into(),
        Some(other) => other.to_string().into(),
    }
}

/// Calls of a stream, piece by piece.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: Vec<(Option<u64>, String, String)>,
}

impl Calls {
    /// A piece of a call. One with a name begins a call unless its number is that of an open one; one without goes on.
    pub(super) fn piece(&mut self, number: Option<u64>, name: Option<&str>, arguments: &str) {
        let name = name.filter(|name| !name.is_empty());
        let known = match number {
            Some(_) => self.open.iter().rposition(|(known, ..)| *known == number),
            None if name.is_none() => self.open.len().checked_sub(1),
            None => None,
        };
        match known {
            Some(at) => {
                // Some servers say the name with every piece, none cuts it.
                if let (true, Some(name)) = (self.open[at].1.is_empty(), name) {
                    name.clone_into(&mut self.open[at].1);
                }
                self.open[at].2.push_str(arguments);
            }
            None => self.open.push((number, name.unwrap_or_default().to_owned(), arguments.to_owned())),
        }
    }

    /// Whether any has begun.
    pub(super) fn are_there(&self) -> bool {
        !self.open.is_empty()
    }

    /// The calls, in the order of their beginning. One without a name is none.
    pub(super) fn finish(self) -> Vec<Called> {
        let named = self.open.into_iter().filter(|(_, name, _)| !name.is_empty());
        named.map(|(_, name, arguments)| Called { name: name.into(), arguments: arguments.into() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, parameters: &str) -> ToolSchema {
        ToolSchema { name: name.into(), description: "d".into(), parameters: parameters.into() }
    }

    #[test]
    fn names_are_made_fit_stay_apart_and_come_back() {
        let long = "x".repeat(70);
        let tools = [tool("mcp.read", ""), tool("mcp:read", ""), tool("mcp.read", ""), tool("", ""), tool(&long, "")];
        let tools = [&tools[..], &[tool(&format!("{long}y"), "")]].concat();
        let sent: Vec<String> = sent(&tools).map(|tool| tool.name).collect();
        let cut = "x".repeat(64);
        assert_eq!(sent, ["mcp_read", "mcp_read_2", "tool", &cut, &format!("{}_2", "x".repeat(62))]);
        let call = |name: &str| Called { name: name.into(), arguments: "{}".into() };
        let mut calls = [call("mcp_read_2"), call("mcp_read"), call("made_up"), call(&cut)];
        restore(&mut calls, &tools);
        let names: Vec<&str> = calls.iter().map(|call| &*call.name).collect();
        assert_eq!(names, ["mcp:read", "mcp.read", "made_up", &long]);
    }

    #[test]
    fn a_schema_that_providers_refuse_is_an_open_object() {
        let open = json!({"type": "object", "properties": {}});
        for unfit in ["", "null", "[1]", "{", "\"x\"", "{}", r#"{"type":"string"}"#, r#"{"anyOf":[{"type":"object"}]}"#]
        {
            assert_eq!(parameters(unfit), open, "{unfit}");
        }
        let known = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"oneOf":[]}"#;
        let fit = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
        assert_eq!(parameters(known), fit);
    }

    #[test]
    fn pieces_of_calls_are_put_together_by_number_or_in_order() {
        let called = |pieces: &[(Option<u64>, Option<&str>, &str)]| -> Vec<(String, String)> {
            let mut calls = Calls::default();
            pieces.iter().for_each(|(number, name, arguments)| calls.piece(*number, *name, arguments));
            calls.finish().iter().map(|call| (call.name.to_string(), call.arguments.to_string())).collect()
        };
        let pair = |name: &str, arguments: &str| (name.to_owned(), arguments.to_owned());
        let numbered = [
            (Some(0), Some("a"), ""),
            (Some(1), Some("b"), "{"),
            (Some(0), None, "{\"x\":"),
            (Some(0), Some("a"), "1}"),
            (Some(1), None, "}"),
        ];
        assert_eq!(called(&numbered), [pair("a", "{\"x\":1}"), pair("b", "{}")]);
        let unnumbered = [(None, Some("a"), "{"), (None, None, "}"), (None, Some("a"), "{\"y\":2}")];
        assert_eq!(called(&unnumbered), [pair("a", "{}"), pair("a", "{\"y\":2}")]);
        assert_eq!(called(&[(Some(0), None, "{}"), (Some(1), Some(""), "")]), []);
    }
}
