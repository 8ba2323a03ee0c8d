//! A program that estimates: JSON Lines on its stdin, JSON Lines on its stdout.
//!
//! One run of the program answers one batch. It is sent a line per message,
//! `{"id": 0, "role": "user", "texts": ["…"], "images": 0}`, then its stdin ends. It answers with a line per message, in any
//! order: `{"id": 0, "tokens": 12}`, or `{"id": 0, "error": "why"}`. What it writes to stderr reaches ours.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::engine::estimate::Estimator;
use crate::transcript::{Head, Message, Part, Role, Tokens, sent_parts};

/// An estimator that is a program.
#[derive(Debug)]
pub struct Program {
    command: Vec<String>,
    timeout: Duration,
    /// What went wrong first.
    fault: Mutex<Option<String>>,
}

#[derive(Serialize)]
struct Question<'q> {
    id: usize,
    role: &'q str,
    texts: Vec<String>,
    images: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    id: usize,
    tokens: Option<u64>,
    error: Option<String>,
}

impl Program {
    /// A program with its arguments, and the seconds it may take for a batch.
    pub fn new(command: &[String], timeout_seconds: u64) -> Self {
        Self { command: command.to_vec(), timeout: Duration::from_secs(timeout_seconds), fault: Mutex::default() }
    }

    fn ask(&self, questions: &[Question<'_>]) -> Result<Vec<Tokens>, String> {
        let mut lines = Vec::new();
        for question in questions {
            serde_json::to_writer(&mut lines, question).map_err(|error| error.to_string())?;
            lines.push(b'\n');
        }
        let mut child = self.start()?;
        let answered = exchange(&mut child, lines, questions.len(), self.timeout);
        if answered.is_err() {
            // It may have ended by itself.
            let _ = child.kill();
        }
        let status = child.wait().map_err(|error| error.to_string())?;
        let tokens = answered?;
        if status.success() { Ok(tokens) } else { Err(format!("it ended with {status}")) }
    }

    fn start(&self) -> Result<Child, String> {
        let (program, arguments) = self.command.split_first().ok_or("no command is given")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.spawn().map_err(|error| format!("cannot start {program:?}: {error}"))
    }

    /// Starts the program, and stops it at once.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn try_start(&self) -> Result<(), String> {
        let mut child = self.start()?;
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().map(drop).map_err(|error| error.to_string())
    }

    fn note(&self, fault: String) {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
    }
}

/// Writes the questions and reads the answers, both at once: a program may answer before it has read everything.
fn exchange(child: &mut Child, lines: Vec<u8>, count: usize, timeout: Duration) -> Result<Vec<Tokens>, String> {
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("its stdin and stdout are not open".to_owned());
    };
    // A program that stops reading shows in what it answers.
    std::thread::spawn(move || stdin.write_all(&lines));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let end = Instant::now() + timeout;
    let mut tokens = vec![None; count];
    loop {
        match receiver.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => take(&line.map_err(|error| error.to_string())?, &mut tokens)?,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => return Err(format!("no answer after {} s", timeout.as_secs())),
        }
    }
    let missing = tokens.iter().filter(|one| one.is_none()).count();
    let first = tokens.iter().position(Option::is_none);
    first.map_or_else(
        || Ok(tokens.iter().copied().flatten().collect()),
        |id| Err(format!("{missing} of {count} messages have no answer, the first is id {id}")),
    )
}

fn take(line: &str, tokens: &mut [Option<Tokens>]) -> Result<(), String> {
    if line.trim().is_empty() {
        return Ok(());
    }
    let expected = r#"expected {"id": 0, "tokens": 12} or {"id": 0, "error": "why"}"#;
    let answer: Answer = serde_json::from_str(line).map_err(|error| format!("{expected}, not {line:.200}: {error}"))?;
    let count = tokens.len();
    let place =
        tokens.get_mut(answer.id).ok_or_else(|| format!("id {} was not asked: there are {count}", answer.id))?;
    match (answer.tokens, answer.error) {
        (Some(count), None) if place.is_none() => *place = Some(Tokens(count)),
        (Some(_), None) => return Err(format!("id {} is answered twice", answer.id)),
        (_, Some(error)) => return Err(format!("id {}: {error}", answer.id)),
        (None, None) => return Err(format!("{expected}, not {line:.200}")),
    }
    Ok(())
}

fn role(message: &Message) -> &'static str {
    match message.role() {
        Role::User | Role::BashExecution | Role::Custom | Role::BranchSummary | Role::CompactionSummary => "user",
        Role::Assistant => "assistant",
        Role::ToolResult => "tool",
        Role::System => "system",
    }
}

fn question(id: usize, message: &Message) -> Question<'_> {
    let mut question = Question { id, role: role(message), texts: Vec::new(), images: 0 };
    sent_parts(message, |part| match part {
        Part::Text(text) => question.texts.push(text.into_owned()),
        Part::Image(_) => question.images += 1,
    });
    question
}

impl Estimator for Program {
    fn message(&self, message: &Message) -> Tokens {
        self.messages(&[message]).into_iter().next().unwrap_or_default()
    }

    fn messages(&self, messages: &[&Message]) -> Vec<Tokens> {
        let questions: Vec<_> = messages.iter().enumerate().map(|(id, message)| question(id, message)).collect();
        self.ask(&questions).unwrap_or_else(|fault| {
            self.note(fault);
            vec![Tokens(0); messages.len()]
        })
    }

    fn head(&self, head: &Head) -> Option<Tokens> {
        let mut texts = vec![head.system.as_ref()?.as_str().to_owned()];
        for tool in head.tools.as_ref()? {
            texts.extend([&tool.name, &tool.description, &tool.parameters].map(ToString::to_string));
        }
        let answer = self.ask(&[Question { id: 0, role: "head", texts, images: 0 }]);
        answer.map_err(|fault| self.note(fault)).ok()?.into_iter().next()
    }

    fn fault(&self) -> Option<String> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::Program;
    use crate::engine::estimate::Estimator;
    use crate::engine::estimate::outside::Outside;
    use crate::outside::System;
    use crate::transcript::{Block, Content, Message, Text, Tokens};

    fn said(text: &str) -> Message {
        Message::User(Content { blocks: vec![Block::Text(Text::from(text))], plain: true })
    }

    /// With time enough on any machine.
    fn shell(script: &str) -> Program {
        timed(script, 60)
    }

    fn timed(script: &str, timeout_seconds: u64) -> Program {
        Program::new(&["sh".to_owned(), "-c".to_owned(), script.to_owned()], timeout_seconds)
    }

    /// A program that hangs is waited for two seconds.
    fn fault(script: &str) -> String {
        let program = timed(script, 2);
        assert_eq!(program.messages(&[&said("a"), &said("b")]), [Tokens(0); 2]);
        program.fault().unwrap()
    }

    #[test]
    fn a_batch_is_answered_in_any_order() {
        let program = shell(r#"cat >/dev/null; echo '{"id":1,"tokens":7}'; echo '{"id":0,"tokens":3}'"#);
        assert_eq!(program.messages(&[&said("a"), &said("b")]), [Tokens(3), Tokens(7)]);
        assert_eq!(program.fault(), None);
    }

    #[test]
    fn what_goes_wrong_is_named() {
        assert!(fault(r#"cat >/dev/null; echo '{"id":0,"tokens":3}'"#).contains("the first is id 1"));
        assert!(fault(r#"cat >/dev/null; echo '{"id":0,"error":"too long"}'"#).contains("id 0: too long"));
        assert!(fault("cat >/dev/null; echo three").contains("not three"));
        assert!(fault(r#"cat >/dev/null; echo '{"id":5,"tokens":3}'"#).contains("id 5 was not asked"));
        assert!(fault(r#"for i in 0 0; do echo '{"id":0,"tokens":3}'; done"#).contains("twice"));
        let ends = r#"cat >/dev/null; for i in 0 1; do echo "{\"id\":$i,\"tokens\":3}"; done; exit 3"#;
        assert!(fault(ends).contains("exit status: 3"));
    }

    #[test]
    fn a_program_that_does_not_end_is_stopped() {
        assert!(fault("exec sleep 60").contains("no answer after 2 s"));
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error_at_once() {
        let Err(error) = System.program(&["no-such-program-here".to_owned()], 2) else { panic!("it started") };
        assert!(error.to_string().contains("cannot start"), "{error}");
    }

    #[test]
    fn a_large_batch_does_not_block() {
        let text = "x".repeat(1_000);
        let messages: Vec<Message> = (0..500).map(|_| said(&text)).collect();
        let program = shell(r#"i=0; while read -r line; do echo "{\"id\":$i,\"tokens\":1}"; i=$((i+1)); done"#);
        let counts = program.messages(&messages.iter().collect::<Vec<_>>());
        assert_eq!((counts.len(), program.fault()), (500, None));
    }
}
