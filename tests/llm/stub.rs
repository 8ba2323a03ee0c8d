//! A small server that answers as it is told: whole, in pieces, late, or not to the end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// What came in.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What goes out.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// A whole answer: status, headers, body.
    Whole(u16, Vec<(&'static str, String)>, String),
    /// A stream of these pieces, each after so many milliseconds; `true` ends it as a stream should.
    Stream(Vec<(u64, String)>, bool),
    /// The same of raw bytes, at once: a chunk each.
    Bytes(Vec<Vec<u8>>, bool),
    /// A whole answer with this `content-encoding`.
    Packed(u16, &'static str, Vec<u8>),
}

impl Act {
    pub(crate) fn json(body: &Value) -> Self {
        Self::Whole(200, Vec::new(), body.to_string())
    }

    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self::Whole(status, Vec::new(), body.to_owned())
    }

    /// Events without names, as chat completions have them.
    pub(crate) fn events(events: &[Value], is_whole: bool) -> Self {
        Self::Stream(events.iter().map(|event| (0, format!("data: {event}\n\n"))).collect(), is_whole)
    }
}

type Script = dyn Fn(usize, &Asked) -> Act + Send + Sync;

/// A server on a port of its own. It lives as long as the test.
#[derive(Clone)]
pub(crate) struct Stub {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Stub {
    /// `script` gets the number of the request, from 0.
    pub(crate) fn new(script: impl Fn(usize, &Asked) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (script, number): (Arc<Script>, _) = (Arc::new(script), Arc::new(AtomicUsize::new(0)));
        let known = Arc::clone(&asked);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (script, number, known) = (Arc::clone(&script), Arc::clone(&number), Arc::clone(&known));
                thread::spawn(move || serve(&connection, &*script, &number, &known));
            }
        });
        Self { url, asked }
    }

    /// The same acts in order, and the last one for ever.
    pub(crate) fn acts(acts: Vec<Act>) -> Self {
        Self::new(move |number, _| acts[number.min(acts.len() - 1)].clone())
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(connection: &TcpStream, script: &Script, number: &AtomicUsize, known: &Mutex<Vec<Asked>>) {
    connection.set_nodelay(true).unwrap();
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    while let Some(asked) = read(&mut reader) {
        known.lock().unwrap().push(asked.clone());
        let act = script(number.fetch_add(1, Ordering::SeqCst), &asked);
        // A client that went away ends the connection.
        if write(connection, &act).is_err() || matches!(act, Act::Stream(_, false) | Act::Bytes(_, false)) {
            return;
        }
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { path, headers, body: serde_json::from_slice(&body).ok()? })
}

fn write(mut connection: &TcpStream, act: &Act) -> std::io::Result<()> {
    match act {
        Act::Whole(status, headers, body) => {
            let more: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let head = format!("HTTP/1.1 {status} X\r\n{}content-length: {}\r\n\r\n", more.concat(), body.len());
            connection.write_all(format!("{head}{body}").as_bytes())
        }
        Act::Packed(status, packing, body) => {
            let head =
                format!("HTTP/1.1 {status} X\r\ncontent-encoding: {packing}\r\ncontent-length: {}\r\n\r\n", body.len());
            connection.write_all(&[head.as_bytes(), body].concat())
        }
        Act::Bytes(pieces, is_whole) => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
            let chunk = |bytes: &Vec<u8>| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
            let chunks: Vec<Vec<u8>> = pieces.iter().map(chunk).collect();
            let end: &[u8] = if *is_whole { b"0\r\n\r\n" } else { b"" };
            connection.write_all(&[head.as_bytes(), &chunks.concat(), end].concat())
        }
        Act::Stream(pieces, is_whole) => {
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
            connection.write_all(head.as_bytes())?;
            for (wait, piece) in pieces {
                thread::sleep(Duration::from_millis(*wait));
                connection.write_all(format!("{:x}\r\n{piece}\r\n", piece.len()).as_bytes())?;
            }
            if *is_whole { connection.write_all(b"0\r\n\r\n") } else { Ok(()) }
        }
    }
}
