//! Transcripts to files of other programs, and what those cannot hold.
//!
//! [`write`](write()) gives a [`Report`]: nothing is lost, changed or added without being counted there.

mod context;
mod openai;
mod report;

use std::io;
use std::str::FromStr;

use crate::import::{neutral, pi};
use crate::transcript::Transcript;

pub use context::{Past, context};
pub use openai::body;
pub use report::{Change, Fate, Report};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A Pi session of version 3.
    Pi,
    /// The body of a chat-completions request that holds the session's context.
    OpenAi,
    /// The program's own JSON Lines, see [`neutral`].
    Jsonl,
}

/// There is no such target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no target is called {0:?}; there are pi, openai and jsonl")]
pub struct UnknownTarget(pub String);

impl Target {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pi, Self::OpenAi, Self::Jsonl];

    /// Its name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pi => "pi",
            Self::OpenAi => "openai",
            Self::Jsonl => "jsonl",
        }
    }

    /// How its files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Pi | Self::Jsonl => "jsonl",
            Self::OpenAi => "json",
        }
    }
}

impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|one| one.name() == name).ok_or_else(|| UnknownTarget(name.to_owned()))
    }
}

/// Writes `transcript` for `target`. `past` says which context an OpenAI body holds; the other targets hold all of it.
/// `tokens` are counts of entries for the neutral form.
///
/// # Errors
/// Those of `out`.
pub fn write(
    transcript: &Transcript,
    target: Target,
    past: Past,
    tokens: neutral::Sizes<'_>,
    out: &mut impl io::Write,
) -> io::Result<Report> {
    match target {
        Target::Pi => pi::write(transcript, out).map(|()| report::of_pi(transcript)),
        Target::Jsonl => neutral::write(transcript, tokens, out).map(|()| report::of_neutral(transcript)),
        Target::OpenAi => {
            let mut report = report::of_openai(transcript, past);
            let body = body(transcript, past, &mut report);
            serde_json::to_writer(&mut *out, &body)?;
            out.write_all(b"\n")?;
            Ok(report)
        }
    }
}
