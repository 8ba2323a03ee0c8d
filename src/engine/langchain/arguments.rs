//! Cutting the large arguments of old file-writing calls.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::cut::Messages;
use super::message::{Call, ChatMessage, Role};
use super::trigger::{NoLimit, Size, Trigger};
use crate::transcript::Tokens;

/// The tools whose arguments are cut.
const TOOLS: [&str; 2] = ["write_file", "edit_file"];

/// Characters of a cut argument that stay.
const HEAD: usize = 20;

/// What follows them.
const SUFFIX: &str = "...(argument truncated)";

/// Settings of argument truncation.
#[derive(Clone, Debug, PartialEq)]
pub struct TruncateArguments {
    /// When.
    pub trigger: Size,
    /// The newest messages that are left alone.
    pub keep: Size,
    /// Longest argument, in characters, that stays whole.
    pub max_length: usize,
}

/// A message some of whose arguments were cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Truncated<'a> {
    /// The new message.
    pub message: ChatMessage<'a>,
    /// Tool, argument and former length of each cut, in order.
    pub cuts: Vec<(Cow<'a, str>, String, usize)>,
}

impl TruncateArguments {
    /// Default of `max_length`.
    pub const MAX_LENGTH: usize = 2_000;

    /// Whether to cut at all. Reported usage plays no part, and a fraction without a limit never fires.
    pub fn fires(&self, messages: usize, total: Tokens, limit: Option<Tokens>) -> bool {
        let now = super::Reading { messages, total, reported: None };
        Trigger::from(self.trigger).fires(&now, limit)
    }

    /// Messages before this index may be cut. `tokens(i)` is the unscaled count of message `i`; only the messages of the
    /// kept window and one more are asked for.
    pub fn cutoff(&self, len: usize, limit: Option<Tokens>, tokens: impl Fn(usize) -> Tokens) -> usize {
        let by_count = |count: usize| if len <= count { len } else { len - count };
        let budget = match (self.keep, self.keep.budget(limit)) {
            (Size::Messages(count), _) => return by_count(count),
            (_, Ok(Some(budget))) => budget,
            // The package falls back to twenty messages when it has no limit to take a share of.
            (_, Err(NoLimit) | Ok(None)) => return by_count(20),
        };
        let mut kept = Tokens(0);
        let mut index = len;
        while index > 0 && kept + tokens(index - 1) <= budget {
            index -= 1;
            kept = kept + tokens(index);
        }
        index
    }

    /// `message` with its large arguments cut; `None` when there is nothing to cut. A pure function of the message.
    ///
    /// Copies of the call among the content blocks stay as they are. Arguments that cannot be read (a lone surrogate in
    /// a key) stay whole.
    pub fn message<'a>(&self, message: &ChatMessage<'a>) -> Option<Truncated<'a>> {
        if message.role != Role::Ai {
            return None;
        }
        let mut cuts = Vec::new();
        let calls = message.calls.iter().map(|call| self.call(call, &mut cuts)).collect();
        (!cuts.is_empty()).then(|| Truncated { message: ChatMessage { calls, ..message.clone() }, cuts })
    }

    /// Which messages change, with their new form.
    pub fn apply<'a>(&self, messages: &(impl Messages<'a> + ?Sized), cutoff: usize) -> Vec<(usize, Truncated<'a>)> {
        let changed = |index| Some((index, self.message(messages.at(index))?));
        (0..cutoff.min(messages.len())).filter_map(changed).collect()
    }

    fn call<'a>(&self, call: &Call<'a>, cuts: &mut Vec<(Cow<'a, str>, String, usize)>) -> Call<'a> {
        // No string in it is longer than the text it stands in.
        if !TOOLS.contains(&call.name.as_ref()) || call.arguments.len() <= self.max_length {
            return call.clone();
        }
        let Ok(Fields(fields)) = serde_json::from_str(&call.arguments) else { return call.clone() };
        let before = cuts.len();
        let mut printed = Vec::with_capacity(fields.len());
        for (key, raw) in fields {
            let cut = serde_json::from_str::<String>(raw.get()).ok().and_then(|text| self.cut(&text));
            let value = match cut {
                Some((chars, short)) => {
                    cuts.push((call.name.clone(), key.clone(), chars));
                    json_string(&short)
                }
                None => raw.get().to_owned(),
            };
            printed.push(format!("{}:{value}", json_string(&key)));
        }
        if cuts.len() == before {
            return call.clone();
        }
        Call { arguments: format!("{{{}}}", printed.join(",")).into(), ..call.clone() }
    }

    fn cut(&self, text: &str) -> Option<(usize, String)> {
        let chars = bytecount::num_chars(text.as_bytes());
        (chars > self.max_length).then(|| (chars, text.chars().take(HEAD).chain(SUFFIX.chars()).collect()))
    }
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The fields of an object in Python's order: where a key comes twice, the place of the first and the value of the last.
struct Fields<'r>(Vec<(String, &'r RawValue)>);

impl<'de> serde::Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields: Vec<(String, &'de RawValue)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    match fields.iter_mut().find(|(known, _)| *known == key) {
                        Some(field) => field.1 = value,
                        None => fields.push((key, value)),
                    }
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

#[cfg(test)]
mod tests {
    use super::TruncateArguments;
    use crate::engine::langchain::{Call, ChatMessage, Content, Role, Size};
    use crate::transcript::Tokens;

    #[test]
    fn only_long_strings_of_file_tools_are_cut() {
        let settings = TruncateArguments { trigger: Size::Messages(1), keep: Size::Messages(1), max_length: 30 };
        let long = "y".repeat(31);
        let with = |name: &'static str| {
            let mut message = ChatMessage::new(Role::Ai, Content::text(""));
            let arguments = format!(r#"{{"path":"a","n": 1.0,"content":"{long}"}}"#).into();
            message.calls.push(Call { id: "c".into(), name: name.into(), arguments });
            message
        };
        let cut = settings.message(&with("write_file")).unwrap();
        let want = format!(r#"{{"path":"a","n":1.0,"content":"{}...(argument truncated)"}}"#, "y".repeat(20));
        assert_eq!(cut.message.calls[0].arguments, want);
        assert_eq!(cut.cuts, [("write_file".into(), "content".to_owned(), 31)]);
        assert_eq!(settings.message(&with("execute")), None);
    }

    #[test]
    fn the_window_is_counted_back_message_by_message() {
        let keep = |keep| TruncateArguments { trigger: Size::Messages(1), keep, max_length: 30 };
        let ten = |_| Tokens(10);
        assert_eq!(keep(Size::Tokens(Tokens(29))).cutoff(5, None, ten), 3);
        assert_eq!(keep(Size::Tokens(Tokens(9))).cutoff(5, None, ten), 5);
        assert_eq!(keep(Size::Tokens(Tokens(50))).cutoff(5, None, ten), 0);
        // Too few messages to have old ones: nothing is kept back, and nothing fires either way.
        assert_eq!(keep(Size::Messages(20)).cutoff(5, None, ten), 5);
    }
}
