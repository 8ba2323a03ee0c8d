//! The made-up sessions and the recorded answers of the real packages.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cutpoint::engine::langchain::{
    Call, ChatMessage, Content, Estimator, Fraction, Image, Ledger, Measure, Measured, Model, Part, Role, Size,
    tool_chars,
};
use cutpoint::transcript::Tokens;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

const NAMES: [&str; 9] = [
    "chinese_support",
    "empty_contents",
    "english_coding",
    "giant_tool_result",
    "long_session",
    "mixed_parallel",
    "trailing_orphan_tools",
    "usage_and_blocks",
    "usage_mixed_providers",
];

/// A session with its answers.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) messages: Vec<ChatMessage<'static>>,
    pub(crate) measures: Vec<Measure>,
    pub(crate) answers: Value,
}

impl Case {
    /// The answers of a section that is a list.
    pub(crate) fn list(&self, section: &str) -> &[Value] {
        self.answers[section].as_array().unwrap_or_else(|| panic!("{}: {section} is a list", self.name))
    }

    /// Unscaled tokens of each message.
    pub(crate) fn tokens(&self, estimator: &Estimator) -> Vec<Tokens> {
        self.measures.iter().map(|measure| estimator.message(measure)).collect()
    }

    /// Their running sums.
    pub(crate) fn ledger(&self, estimator: &Estimator) -> Ledger {
        Ledger::new(self.messages.iter().zip(self.tokens(estimator)))
    }
}

/// All cases whose input is at hand, read once: those above 300 kB are not in the repository.
pub(crate) fn cases() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| NAMES.into_iter().filter_map(case).collect());
    &CASES
}

fn case(name: &'static str) -> Option<Case> {
    let input = read(&format!("cases/{name}.json"))?;
    let raw: Vec<RawMessage> = serde_json::from_str(&input).unwrap();
    let messages: Vec<ChatMessage<'static>> = raw.into_iter().map(RawMessage::message).collect();
    let measures = messages.iter().map(Measure::of).collect();
    let answers = serde_json::from_str(&read(&format!("{name}.json"))?).unwrap();
    Some(Case { name, messages, measures, answers })
}

/// Characters of each tool schema, in order.
pub(crate) fn tools() -> Vec<(String, usize)> {
    let raw: Vec<Box<RawValue>> = serde_json::from_str(&read("tools.json").unwrap()).unwrap();
    let one = |tool: Box<RawValue>| {
        let name = serde_json::from_str::<Value>(tool.get()).unwrap()["name"].as_str().unwrap().to_owned();
        (name, tool_chars(tool.get()).unwrap())
    };
    raw.into_iter().map(one).collect()
}

fn read(file: &str) -> Option<String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("CUTPOINT_SHARED").map_or_else(|| package.join("../shared"), PathBuf::from);
    let places = [package.join("tests/golden/deepagents").join(file), shared.join("golden/deepagents").join(file)];
    let found = places.iter().find_map(|path| std::fs::read_to_string(path).ok());
    if found.is_none() {
        let required = std::env::var_os("CUTPOINT_REQUIRE_SHARED").is_some_and(|value| value == "1");
        assert!(!required, "{} is missing", places[1].display());
        // Written past the harness, which shows what passing tests print to nobody.
        let hint = "set CUTPOINT_SHARED to the folder that holds golden/";
        let _ = writeln!(std::io::stderr(), "SKIPPED: no {} ({hint})", places[1].display());
    }
    found
}

/// The stub models of the recording.
pub(crate) fn model(name: &str) -> Model<'static> {
    let stub = Model { limit: None, max_output: Tokens(0), provider: None, estimator: Estimator::DEFAULT };
    match name {
        "no_profile" => stub,
        "limit_8000" => Model { limit: Some(Tokens(8_000)), ..stub },
        "limit_200000" => Model { limit: Some(Tokens(200_000)), ..stub },
        "anthropic_200000_out_64000" => Model {
            limit: Some(Tokens(200_000)),
            max_output: Tokens(64_000),
            provider: Some("anthropic"),
            estimator: Estimator::ANTHROPIC,
        },
        other => panic!("unknown model {other}"),
    }
}

/// `["messages" | "tokens" | "fraction", n]`.
pub(crate) fn size(pair: &Value) -> Size {
    match pair[0].as_str().unwrap() {
        "messages" => Size::Messages(usize::try_from(pair[1].as_u64().unwrap()).unwrap()),
        "tokens" => Size::Tokens(Tokens(pair[1].as_u64().unwrap())),
        "fraction" => Size::Fraction(Fraction::new(pair[1].as_f64().unwrap()).unwrap()),
        other => panic!("unknown size {other}"),
    }
}

#[derive(Deserialize)]
struct RawMessage {
    role: String,
    content: Option<Box<RawValue>>,
    name: Option<String>,
    tool_call_id: Option<String>,
    tool_calls: Option<Vec<RawCall>>,
    usage: Option<RawUsage>,
    model_provider: Option<String>,
}

#[derive(Deserialize)]
struct RawUsage {
    total_tokens: u64,
}

#[derive(Deserialize)]
struct RawCall {
    id: String,
    name: String,
    arguments: Option<Box<RawValue>>,
}

impl RawMessage {
    fn message(self) -> ChatMessage<'static> {
        let role = match self.role.as_str() {
            "system" => Role::System,
            "user" => Role::Human,
            "assistant" => Role::Ai,
            "tool" => Role::Tool,
            other => panic!("unknown role {other}"),
        };
        let mut message =
            ChatMessage::new(role, self.content.map_or(Content::Text(Vec::new()), |raw| content(raw.get())));
        for call in self.tool_calls.unwrap_or_default() {
            let (call, valid) = call.call();
            if valid { message.calls.push(call) } else { message.invalid_calls.push(call) }
        }
        message.name = self.name.map(Into::into);
        message.answers = self.tool_call_id.map(Into::into);
        message.usage = self.usage.map(|usage| Tokens(usage.total_tokens));
        message.provider = self.model_provider.map(Into::into);
        message
    }
}

impl RawCall {
    /// Arguments are an object, or a string that may hold one; null stands for none.
    fn call(self) -> (Call<'static>, bool) {
        let arguments = self.arguments.map_or_else(|| "{}".to_owned(), |raw| raw.get().to_owned());
        let arguments = serde_json::from_str::<String>(&arguments).unwrap_or(arguments);
        let valid = serde_json::from_str::<serde_json::Map<String, Value>>(&arguments).is_ok();
        (Call { id: self.id.into(), name: self.name.into(), arguments: arguments.into() }, valid)
    }
}

fn content(raw: &str) -> Content<'static> {
    match serde_json::from_str::<Vec<Box<RawValue>>>(raw) {
        Ok(blocks) => Content::Parts(blocks.iter().map(|block| part(block.get())).collect()),
        Err(_) => Content::text(serde_json::from_str::<String>(raw).unwrap()),
    }
}

fn part(raw: &str) -> Part<'static> {
    let value: Value = serde_json::from_str(raw).unwrap();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(plain) = text(&value) {
        return Part::Plain(Measured::new(plain));
    }
    match value["type"].as_str() {
        Some("text") => Part::Text(Measured::new(text(&value["text"]).unwrap())),
        Some("image_url") => Part::Image(Image::Link(text(&value["image_url"]["url"]).unwrap().into())),
        Some("image") => Part::Image(match text(&value["base64"]) {
            Some(data) => Image::Inline { data: data.into(), media_type: text(&value["mime_type"]).unwrap().into() },
            None => Image::Link(text(&value["url"]).unwrap().into()),
        }),
        _ => Part::Other(raw.to_owned().into()),
    }
}
