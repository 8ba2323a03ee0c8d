//! Server-sent events, as far as models use them: `event` and `data`. The format is two pages of the HTML standard;
//! the crates that read it bring a parser generator into the build.

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Its name; empty where none is given.
    pub(super) name: String,
    /// Its data, lines joined by a line feed.
    pub(super) data: String,
}

/// Cuts a stream of bytes into events. Bytes may be cut anywhere, inside a character too.
#[derive(Debug, Default)]
pub(super) struct Events {
    rest: Vec<u8>,
    open: Event,
    has_data: bool,
    /// A carriage return ended the last line: a line feed behind it belongs to it.
    after_return: bool,
    begun: bool,
}

impl Events {
    /// Takes the next bytes; returns the events that ended.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        self.rest.extend_from_slice(bytes);
        let mut ended = Vec::new();
        let mut from = 0;
        while let Some(length) = memchr::memchr2(b'\n', b'\r', &self.rest[from..]) {
            let line = String::from_utf8_lossy(&self.rest[from..from + length]).into_owned();
            let is_return = self.rest[from + length] == b'\r';
            from += length + 1;
            let belongs = line.is_empty() && !is_return && self.after_return;
            self.after_return = is_return;
            if !belongs {
                ended.extend(self.line(&line));
            }
        }
        self.rest.drain(..from);
        ended
    }

    /// The event that was open when the stream ended without an empty line.
    pub(super) fn finish(mut self) -> Vec<Event> {
        let mut ended = self.push(b"\n");
        ended.extend(self.line(""));
        ended
    }

    fn line(&mut self, line: &str) -> Option<Event> {
        // A mark of the byte order may stand before everything.
        let line = if std::mem::replace(&mut self.begun, true) { line } else { line.trim_start_matches('\u{feff}') };
        if line.is_empty() {
            let event = std::mem::take(&mut self.open);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.open.name),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.open.data.push('\n');
                }
                self.open.data.push_str(value);
            }
            // Comments begin with a colon; `id` and `retry` are for browsers.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Event, Events};

    const STREAM: &str = "\u{feff}: hello\r\n\r\nevent: a\r\ndata: {\"x\":\"é\"}\r\n\r\ndata:1\ndata: 2\nid: 7\n\nevent: b\rdata\rdata:  3\r\r\ndata: last";

    fn all(pieces: &[&[u8]]) -> Vec<Event> {
        let mut events = Events::default();
        let mut found: Vec<Event> = pieces.iter().flat_map(|piece| events.push(piece)).collect();
        found.extend(events.finish());
        found
    }

    #[test]
    fn events_are_read() {
        let found = all(&[STREAM.as_bytes()]);
        let shown: Vec<(&str, &str)> = found.iter().map(|event| (&*event.name, &*event.data)).collect();
        assert_eq!(shown, [("a", "{\"x\":\"é\"}"), ("", "1\n2"), ("b", "\n 3"), ("", "last")]);
    }

    proptest! {
        #[test]
        fn where_a_stream_is_cut_does_not_matter(cuts in proptest::collection::vec(0..STREAM.len(), 0..6)) {
            let mut cuts = cuts;
            cuts.extend([0, STREAM.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|two| &STREAM.as_bytes()[two[0]..two[1]]).collect();
            prop_assert_eq!(all(&pieces), all(&[STREAM.as_bytes()]));
        }
    }
}
