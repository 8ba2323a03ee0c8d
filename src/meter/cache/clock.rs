//! When requests start. Time comes from the entries, never from this machine.

use super::rules::{Millis, Seconds};
use crate::transcript::{EntryIdx, EntryKind, Message, Transcript};

/// The start of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// When.
    pub at: Millis,
    /// The file says so; otherwise the interval was added to the request before.
    pub known: bool,
}

/// The starts of all requests of a path.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    starts: Vec<Moment>,
    last: Moment,
    unknown: usize,
}

impl Clock {
    /// Reads the time stamps of a path. `read` understands a stamp; where a file has none, requests are `interval` apart.
    ///
    /// A request starts at its reply's message time, where the format has one (Pi); otherwise when the entry before was
    /// written, because a reply's own stamp is taken when it has begun to arrive.
    pub fn new(
        transcript: &Transcript,
        path: &[EntryIdx],
        interval: Seconds,
        read: impl Fn(&str) -> Option<Millis>,
    ) -> Self {
        let mut clock = Self { starts: vec![Moment::default(); transcript.entries.len()], ..Self::default() };
        let stamp = |stamp: &Option<Box<str>>| stamp.as_deref().and_then(&read);
        let mut before = stamp(&transcript.meta.timestamp);
        let mut asked = false;
        for &idx in path {
            let entry = transcript.entry(idx);
            let own = entry.message_time_ms.map(Millis);
            let written = stamp(&entry.timestamp).or(own);
            let EntryKind::Message(message) = &entry.kind else { continue };
            if matches!(message, Message::Assistant(..)) {
                let start = own.or(before.filter(|_| asked)).or(written);
                clock.last = clock.next(start, interval);
                clock.unknown += usize::from(!clock.last.known);
                clock.starts[idx.0] = clock.last;
            }
            asked = true;
            before = written.or(before);
        }
        let end = before.filter(|&before| before > clock.last.at);
        clock.last = clock.next(end, interval);
        clock
    }

    /// A start that is not before the last one.
    fn next(&self, start: Option<Millis>, interval: Seconds) -> Moment {
        match start {
            Some(start) => Moment { at: start.max(self.last.at), known: true },
            None => Moment { at: self.last.at.plus(interval), known: false },
        }
    }

    /// The start of the request that this entry answers.
    pub fn start(&self, reply: EntryIdx) -> Moment {
        self.starts[reply.0]
    }

    /// The start of the request that the file ends before.
    pub fn end(&self) -> Moment {
        self.last
    }

    /// Requests whose time is not known.
    pub fn unknown(&self) -> usize {
        self.unknown
    }
}
