//! Faults that are put into a sound file.

/// A file of the corpus of made-up sessions.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    /// One record a line.
    pub(crate) lines: bool,
    /// Entries that hang on the last record.
    pub(crate) in_last: usize,
}

/// One of each form of each format. All hold the text `Fire the kiln` once or more.
pub(crate) const SAMPLES: &[Sample] = &[
    Sample { name: "pi/tree.jsonl", lines: true, in_last: 1 },
    Sample { name: "claude-code/session.jsonl", lines: true, in_last: 1 },
    Sample { name: "codex/rollout.jsonl", lines: true, in_last: 1 },
    Sample { name: "gemini/lines.jsonl", lines: true, in_last: 1 },
    Sample { name: "openai/lines.jsonl", lines: true, in_last: 4 },
    Sample { name: "openai/messages.jsonl", lines: true, in_last: 1 },
    Sample { name: "anthropic-messages/log.jsonl", lines: true, in_last: 2 },
    Sample { name: "openhands/events.jsonl", lines: true, in_last: 1 },
    Sample { name: "atif/stream.jsonl", lines: true, in_last: 2 },
    Sample { name: "jsonl/tree.jsonl", lines: true, in_last: 1 },
    Sample { name: "openhands/output.jsonl", lines: false, in_last: 0 },
    Sample { name: "gemini/document.json", lines: false, in_last: 0 },
    Sample { name: "openai/log.json", lines: false, in_last: 0 },
    Sample { name: "anthropic-messages/body.json", lines: false, in_last: 0 },
    Sample { name: "mini-swe-agent/trajectory.json", lines: false, in_last: 0 },
    Sample { name: "swe-agent/run.traj", lines: false, in_last: 0 },
    Sample { name: "langgraph/thread.json", lines: false, in_last: 0 },
    Sample { name: "atif/trajectory.json", lines: false, in_last: 1 },
    Sample { name: "inspect/log.json", lines: false, in_last: 0 },
];

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    TornLast,
    Glued,
    RawNewline,
    NulAround,
    NulLine,
    ByteOrderMark,
    CarriageReturns,
    InvalidUtf8,
    LoneSurrogate,
    LineSeparator,
    HugeText,
    BrokenLine,
    ForeignLine,
}

impl Fault {
    pub(crate) const ALL: &[Self] = &[
        Self::TornLast,
        Self::Glued,
        Self::RawNewline,
        Self::NulAround,
        Self::NulLine,
        Self::ByteOrderMark,
        Self::CarriageReturns,
        Self::InvalidUtf8,
        Self::LoneSurrogate,
        Self::LineSeparator,
        Self::HugeText,
        Self::BrokenLine,
        Self::ForeignLine,
    ];

    /// The file with the fault; `None` where the form of the file does not have it.
    pub(crate) fn put(self, sample: &Sample, text: &str) -> Option<Vec<u8>> {
        let bytes = |text: String| Some(text.into_bytes());
        let replaced = |new: &[u8]| -> Option<Vec<u8>> {
            let at = text.rfind("Fire the kiln")?;
            Some([&text.as_bytes()[..at], new, &text.as_bytes()[at..]].concat())
        };
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let before_last = lines.len() - 1;
        let joined = |lines: Vec<String>| bytes(lines.join("\n") + "\n");
        match self {
            Self::TornLast => bytes(text.trim_end()[..text.trim_end().len() - 9].to_owned()),
            Self::Glued if sample.lines => {
                let last = lines.pop()?;
                lines.last_mut()?.push_str(&last);
                joined(lines)
            }
            Self::Glued => bytes(format!("{}{}", text.trim_end(), text.trim_end())),
            Self::RawNewline => replaced(b"\n"),
            Self::NulAround if sample.lines => {
                lines.last_mut()?.push_str(&"\0".repeat(64));
                joined(lines)
            }
            Self::NulAround => bytes(format!("{text}{}", "\0".repeat(64))),
            Self::NulLine if sample.lines => {
                lines.insert(before_last, "\0".repeat(300));
                joined(lines)
            }
            Self::ByteOrderMark => bytes(format!("\u{feff}{text}")),
            Self::CarriageReturns => bytes(text.replace('\n', "\r\n")),
            Self::InvalidUtf8 => replaced(b"\xE6\x87"),
            Self::LoneSurrogate => replaced(b"\\ud83d"),
            Self::LineSeparator => replaced("\u{2028}".as_bytes()),
            Self::HugeText => replaced("kiln ".repeat(400_000).as_bytes()),
            Self::BrokenLine if sample.lines => {
                lines.insert(before_last, "{\"type\": oops".to_owned());
                joined(lines)
            }
            Self::ForeignLine if sample.lines => {
                lines.insert(before_last, r#"{"level":"info","msg":"a line of a log"}"#.to_owned());
                joined(lines)
            }
            Self::NulLine | Self::BrokenLine | Self::ForeignLine => None,
        }
    }
}
