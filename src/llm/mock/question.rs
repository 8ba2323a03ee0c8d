//! Answers to questions: probes, searches and next actions. The mock looks for the line of the context that shares most
//! words with the question, and copies it. It reads the prompt, as a model would, and knows no right answer.

use std::collections::HashSet;

use super::conversation::{Speaker, parts};
use crate::llm::{Called, LlmResponse};

/// Share of the words of a question that a line must have, to be about it.
const LEAST_SHARED: f64 = 0.4;
/// What a word that the question lacks takes from that share.
const OWN_WORD: f64 = 0.01;
/// Longest answer in characters.
const LONGEST: usize = 240;

/// The answer to a prompt that holds a question; `None` when it asks for a summary.
pub(super) fn answer(prompt: &str) -> Option<String> {
    let end = prompt.rfind("\n</conversation>\n")?;
    let (context, ask) = prompt.split_at(end);
    let context = context.split_once("<conversation>\n").map_or(context, |(_, context)| context);
    if ask.contains("\n<tools>\n") {
        return Some(named_call(context));
    }
    let question = between(ask, "<question>\n", "\n</question>")?;
    if ask.contains("\nQUERY: ") {
        return Some(format!("QUERY: {}", words(question).into_iter().collect::<Vec<_>>().join(" ")));
    }
    let found = between(ask, "<search-result>\n", "\n</search-result>").unwrap_or_default();
    // Texts inside of arguments have their line breaks escaped; what is still long is taken sentence by sentence.
    let lines: Vec<&str> = [context, found]
        .into_iter()
        .flat_map(str::lines)
        .flat_map(|line| line.split("\\n"))
        .flat_map(|line| if line.len() > LONGEST { line.split_inclusive(". ").collect() } else { vec![line] })
        .collect();
    let said = if question.contains("\nA) ") { option(question, &lines) } else { statement(question, &lines) };
    Some(format!("ANSWER: {}", said.unwrap_or_else(|| "NOT KNOWN".to_owned())))
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let rest = &text[text.find(open)? + open.len()..];
    rest.find(close).map(|end| &rest[..end])
}

/// The words of a text, in order, each once.
fn words(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let all = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| word.chars().count() > 1);
    all.map(str::to_lowercase).filter(|word| !word.trim_matches('_').is_empty() && seen.insert(word.clone())).collect()
}

/// The line that shares most words, if it shares enough, less a little for every word of its own; of equal ones the last, which
/// is what holds now.
fn best<'l>(wanted: &[String], lines: &[&'l str]) -> Option<(f64, &'l str)> {
    let wanted: HashSet<&String> = wanted.iter().collect();
    let share = |line: &str| {
        let own = words(line);
        let shared = own.iter().filter(|word| wanted.contains(word)).count();
        real(shared) / real(wanted.len().max(1)) - OWN_WORD * real(own.len() - shared)
    };
    let all = lines.iter().map(|line| (share(line), *line));
    all.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(share, _)| *share >= LEAST_SHARED)
}

#[expect(clippy::cast_precision_loss, reason = "a few dozen words")]
fn real(count: usize) -> f64 {
    count as f64
}

fn statement(question: &str, lines: &[&str]) -> Option<String> {
    let statement = question.rsplit_once("Statement: ").map_or(question, |(_, statement)| statement);
    let (_, line) = best(&words(&statement.replace("____", " ")), lines)?;
    Some(line.trim().chars().take(LONGEST).collect())
}

/// The letter of the option that the context says most of; none when two are equally likely.
fn option(question: &str, lines: &[&str]) -> Option<String> {
    let ask = words(question.split("\nA) ").next().unwrap_or_default());
    let mut scored: Vec<(f64, &str)> = Vec::new();
    for line in question.lines().filter(|line| line.get(1..3) == Some(") ")) {
        let wanted: Vec<String> = words(&line[3..]).into_iter().filter(|word| !ask.contains(word)).collect();
        scored.push((best(&wanted, lines).map_or(0.0, |(share, _)| share), &line[..1]));
    }
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    match scored[..] {
        [(first, letter), (second, _), ..] if first > second => Some(letter.to_owned()),
        _ => None,
    }
}

/// The last call of the conversation again, as a call; in words where there is none.
pub(super) fn next_call(prompt: &str) -> LlmResponse {
    let (_, context) = prompt.split_once("<conversation>\n").unwrap_or(("", prompt));
    let context = context.rsplit_once("\n</conversation>\n").map_or(context, |(context, _)| context);
    let call = last_call(context).map(|(tool, arguments)| Called { name: tool.into(), arguments: arguments.into() });
    let text = if call.is_none() { UNKNOWN } else { "" };
    LlmResponse { text: text.into(), calls: call.into_iter().collect(), truncated: false, usage: None }
}

const UNKNOWN: &str = "I cannot tell.";

/// Tool and arguments of the last call of a conversation.
fn last_call(context: &str) -> Option<(&str, &str)> {
    let last = parts(context).into_iter().rev().find(|part| part.speaker == Speaker::Calls);
    last.and_then(|part| part.text.trim().strip_suffix(')')?.split_once('('))
}

/// The same where tools are told in words.
fn named_call(context: &str) -> String {
    match last_call(context) {
        Some((tool, arguments)) => format!("{{\"tool\": \"{tool}\", \"arguments\": {arguments}}}"),
        None => UNKNOWN.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{answer, next_call};

    const CONTEXT: &str = "[User]: The default of lock_timeout is 45 s.\nDo not tag the release.\n\n\
        [Assistant tool calls]: read({\"path\":\"src/a.rs\"})\n\n[Tool result]: fine";

    fn ask(context: &str, rest: &str) -> Option<String> {
        answer(&format!("It follows.\n\n<conversation>\n{context}\n</conversation>\n\n{rest}\n"))
    }

    #[test]
    fn a_gap_is_filled_with_the_line_that_is_about_it() {
        let question =
            "<question>\nWhat is it?\nStatement: The default of lock_timeout is ____.\n</question>\n\nANSWER: …";
        let known = ask(CONTEXT, question).unwrap();
        assert_eq!(known, "ANSWER: [User]: The default of lock_timeout is 45 s.");
        assert_eq!(ask("", question).as_deref(), Some("ANSWER: NOT KNOWN"));
        let searched = format!("<search-result>\nlock_timeout: the default is 30 s\n</search-result>\n\n{question}");
        assert_eq!(ask("", &searched).as_deref(), Some("ANSWER: lock_timeout: the default is 30 s"));
    }

    #[test]
    fn an_option_is_chosen_by_what_was_said() {
        let question =
            "<question>\nWhich holds?\nA) You may tag the release.\nB) Do not tag the release.\n</question>\n";
        assert_eq!(ask(CONTEXT, question).as_deref(), Some("ANSWER: B"));
        assert_eq!(ask("", question).as_deref(), Some("ANSWER: NOT KNOWN"));
    }

    #[test]
    fn a_query_and_the_next_call_come_from_the_prompt() {
        let query = "<question>\nStatement: the port is ____\n</question>\n\nReply:\nQUERY: words";
        assert_eq!(ask(CONTEXT, query).as_deref(), Some("QUERY: statement the port is"));
        let call = ask(CONTEXT, "<tools>\nread(path)\n</tools>\n").unwrap();
        assert_eq!(call, "{\"tool\": \"read\", \"arguments\": {\"path\":\"src/a.rs\"}}");
        assert_eq!(ask("", "<tools>\nread(path)\n</tools>\n").as_deref(), Some("I cannot tell."));
        let called = next_call(&format!("<conversation>\n{CONTEXT}\n</conversation>\n\nCall the next tool.\n"));
        let calls: Vec<(&str, &str)> = called.calls.iter().map(|call| (&*call.name, &*call.arguments)).collect();
        assert_eq!((&*called.text, &calls[..]), ("", &[("read", "{\"path\":\"src/a.rs\"}")][..]));
        assert_eq!(&*next_call("<conversation>\n\n</conversation>\n").text, "I cannot tell.");
    }
}
