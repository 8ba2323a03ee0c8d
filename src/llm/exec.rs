//! A program that answers: one JSON object on its standard input, one on its standard output.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::failure::{CallError, short};

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// Runs the program once and returns the object it printed. It gets no key and no shell.
pub(super) fn run(command: &[String], request: &Value, most: Duration) -> Result<Value, CallError> {
    let (program, arguments) = command.split_first().ok_or_else(|| CallError::Never("no program".to_owned()))?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| CallError::Never(format!("{program} cannot be started: {error}")))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let line = format!("{request}\n");
    // Each pipe has its thread: a program may write before it has read everything. They are not waited for when time is
    // up, because what the program has started may keep its pipes open.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(line.as_bytes())));
    let (out, errors) = (all(stdout), all(stderr));
    let is_in_time = wait(&mut child, most);
    if !is_in_time {
        return Err(CallError::again(format!("{program} did not end within {} s", most.as_secs_f64())));
    }
    let status = child.wait().map_err(|error| CallError::again(format!("{program}: {error}")))?;
    let text = |pipe: &Receiver<String>| pipe.recv_timeout(most).unwrap_or_default();
    let (out, errors) = (text(&out), text(&errors));
    let last = errors.trim().lines().last().unwrap_or_default();
    if !status.success() {
        return Err(CallError::again(format!("{program} failed ({status}): {}", short(last))));
    }
    serde_json::from_str(out.trim())
        .map_err(|error| CallError::again(format!("{program} did not print one JSON object: {error}; {}", short(last))))
}

/// Waits for the end; kills what takes too long.
fn wait(child: &mut Child, most: Duration) -> bool {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => return true,
            Ok(None) if start.elapsed() < most => thread::sleep(LOOK),
            Ok(None) | Err(_) => {
                // It may have ended by now.
                let _ = child.kill();
                return false;
            }
        }
    }
}

/// Reads a pipe to its end, in a thread of its own.
fn all(pipe: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read until an error is kept: it may say why.
            let _ = pipe.read_to_end(&mut bytes);
        }
        // Nobody listens any more when time is up.
        let _ = send.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receive
}
