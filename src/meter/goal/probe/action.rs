//! The next tool call: what a model says it would be, against what was recorded. No judge is asked.

use serde_json::{Map, Value};

use crate::transcript::json::js;
use crate::transcript::{JsonText, Text, ToolCall, touches};

/// A tool call, as far as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextCall {
    /// The tool, in lower case.
    pub tool: String,
    /// What it is called on: a path, a command, a pattern; else all of its arguments.
    pub target: String,
    /// The target is a path.
    pub is_path: bool,
}

/// How a proposed call compares with the recorded ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionVerdict {
    /// The same tool on the same target.
    Agrees,
    /// The same tool on another target.
    SameTool,
    /// Another tool, or none.
    Differs,
    /// No call can be read from the reply; counted, and no agreement.
    Unparsed,
    /// The model refused, or said nothing.
    Refused,
    /// The prompt did not fit the reader's window.
    Overflow,
}

impl ActionVerdict {
    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::SameTool => "same_tool",
            Self::Differs => "differs",
            Self::Unparsed => "unparsed",
            Self::Refused => "refused",
            Self::Overflow => "overflow",
        }
    }
}

/// Arguments that say what a call is about, where it touches no file.
const TARGETS: [&str; 7] = ["command", "cmd", "pattern", "query", "url", "script", "path"];

impl NextCall {
    /// What is compared of a call.
    pub fn of(call: &ToolCall) -> Self {
        let arguments = call.arguments.as_str();
        let tool = call.name.as_str().to_ascii_lowercase();
        if let Some(touch) = touches(call).into_iter().next() {
            return Self { tool, target: touch.path, is_path: true };
        }
        let named = TARGETS.iter().find_map(|key| js::text_member(arguments, key));
        let target = named.or_else(|| js::stringify(arguments)).unwrap_or_default();
        Self { tool, target: target.split_whitespace().collect::<Vec<_>>().join(" "), is_path: false }
    }

    fn same_target(&self, other: &Self) -> bool {
        if self.is_path && other.is_path { same_path(&self.target, &other.target) } else { self.target == other.target }
    }
}

/// Whether one path is the end of the other, folder by folder: an agent may write it whole or from its own folder.
fn same_path(a: &str, b: &str) -> bool {
    let of = |path: &str| -> Vec<String> {
        path.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect()
    };
    let (a, b) = (of(a), of(b));
    !a.is_empty() && !b.is_empty() && (a.ends_with(&b) || b.ends_with(&a))
}

/// The call that a reply makes, and how it compares with the recorded ones, of which any will do. Of calls through the protocol,
/// as pairs of tool and arguments, the first is the next one; a reply without any may still name one in its text.
pub fn judge_calls<'c>(
    calls: impl IntoIterator<Item = (&'c str, &'c str)>,
    text: &str,
    recorded: &[NextCall],
) -> (Option<NextCall>, ActionVerdict) {
    let first = calls.into_iter().next().and_then(|(name, arguments)| named(name, arguments));
    let Some(call) = first.or_else(|| proposed(text)) else { return (None, ActionVerdict::Unparsed) };
    let same_tool = || recorded.iter().filter(|known| known.tool == call.tool);
    let verdict = if same_tool().any(|known| known.same_target(&call)) {
        ActionVerdict::Agrees
    } else if same_tool().next().is_some() {
        ActionVerdict::SameTool
    } else {
        ActionVerdict::Differs
    };
    (Some(call), verdict)
}

/// The first JSON object of a reply that names a tool, whatever stands around it.
fn proposed(reply: &str) -> Option<NextCall> {
    reply.match_indices('{').find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&reply[at..]).into_iter::<Value>();
        let Some(Ok(Value::Object(object))) = values.next() else { return None };
        call_of(&object)
    })
}

/// The names that models use for the same: of the object itself, or of one under `function`.
fn call_of(object: &Map<String, Value>) -> Option<NextCall> {
    if let Some(Value::Object(inner)) = object.get("function").or_else(|| object.get("tool_call")) {
        return call_of(inner);
    }
    let name = ["tool", "name", "tool_name", "function"].iter().find_map(|key| object.get(*key)?.as_str())?;
    let arguments = ["arguments", "args", "parameters", "input"].iter().find_map(|key| object.get(*key));
    let raw = match arguments {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "{}".to_owned(),
    };
    named(name, &raw)
}

/// A call by name and arguments; those that are no JSON, as where the answer was cut, are none.
fn named(name: &str, arguments: &str) -> Option<NextCall> {
    let arguments = JsonText::new(arguments).or_else(|| JsonText::new("{}"))?;
    Some(NextCall::of(&ToolCall { id: "".into(), name: Text::from(name).into(), arguments }))
}

#[cfg(test)]
mod tests {
    use super::{ActionVerdict, NextCall, judge_calls};

    fn call(tool: &str, target: &str, is_path: bool) -> NextCall {
        NextCall { tool: tool.to_owned(), target: target.to_owned(), is_path }
    }

    fn verdict(reply: &str) -> ActionVerdict {
        let recorded = [call("read", "/home/dev/larder/loader.py", true), call("bash", "cargo test -q", false)];
        judge_calls([], reply, &recorded).1
    }

    #[test]
    fn a_call_is_read_whatever_stands_around_it() {
        assert_eq!(verdict(r#"{"tool": "read", "arguments": {"path": "larder/loader.py"}}"#), ActionVerdict::Agrees);
        let fenced = "I would look {again}:\n```json\n{\"name\": \"Read\", \"input\": {\"file_path\": \"./larder/loader.py\"}}\n```";
        assert_eq!(verdict(fenced), ActionVerdict::Agrees);
        let nested = r#"{"type":"function","function":{"name":"bash","arguments":"{\"command\":\"cargo  test -q\"}"}}"#;
        assert_eq!(verdict(nested), ActionVerdict::Agrees);
        assert_eq!(verdict(r#"{"tool": "bash", "arguments": {"command": "ls"}}"#), ActionVerdict::SameTool);
        assert_eq!(verdict(r#"{"tool": "read"}"#), ActionVerdict::SameTool);
        assert_eq!(verdict(r#"{"tool": "write", "arguments": {"path": "a"}}"#), ActionVerdict::Differs);
    }

    #[test]
    fn what_is_no_call_is_unparsed() {
        for reply in ["", "read the file", "{\"path\": \"a\"}", "{\"tool\": ", "[1, 2]"] {
            assert_eq!(verdict(reply), ActionVerdict::Unparsed, "{reply}");
        }
    }

    #[test]
    fn the_first_call_of_a_protocol_counts_and_text_only_without_one() {
        let recorded = [call("bash", "cargo test -q", false)];
        let judged =
            |calls: &[(&'static str, &'static str)], text: &str| judge_calls(calls.iter().copied(), text, &recorded).1;
        let right = ("bash", r#"{"command":"cargo test  -q"}"#);
        assert_eq!(judged(&[right, ("read", "{}")], ""), ActionVerdict::Agrees);
        assert_eq!(judged(&[("read", "{}"), right], ""), ActionVerdict::Differs);
        assert_eq!(judged(&[("Bash", r#"{"command":"cargo te"#)], ""), ActionVerdict::SameTool, "cut arguments");
        assert_eq!(judged(&[], r#"{"tool":"bash","arguments":{"command":"cargo test -q"}}"#), ActionVerdict::Agrees);
        assert_eq!(judged(&[], "I would run the tests."), ActionVerdict::Unparsed);
    }

    #[test]
    fn a_name_is_no_path_of_another_folder() {
        let recorded = [call("read", "src/loader.py", true)];
        let asked = |path: &str| {
            judge_calls([], &format!("{{\"tool\":\"read\",\"arguments\":{{\"path\":\"{path}\"}}}}"), &recorded).1
        };
        assert_eq!(asked("tests/loader.py"), ActionVerdict::SameTool);
        assert_eq!(asked("xsrc/loader.py"), ActionVerdict::SameTool);
        assert_eq!(asked("/repo/src/loader.py"), ActionVerdict::Agrees);
    }
}
