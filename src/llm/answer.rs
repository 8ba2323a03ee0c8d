//! The body of an answer: bytes as they come, what they are, and what they say.

use std::io::Write;

use flate2::write::{GzDecoder, ZlibDecoder};
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::Incoming;
use serde_json::Value;

use super::api::{Fold, Reply, data, malformed};
use super::failure::{CallError, page, told};
use super::sse::{Event, Events};

/// Longest answer, in bytes: an endless one shall not fill the memory.
const LARGEST: usize = 64 << 20;
/// Packed bytes that are unpacked at once: a thousand times as many at most, as the format has it.
const PIECE: usize = 16 << 10;

/// What a body is packed in.
enum Packing {
    Plain,
    Gzip(GzDecoder<Vec<u8>>),
    Zlib(ZlibDecoder<Vec<u8>>),
}

/// A body that is being read.
pub(super) struct Answer {
    incoming: Incoming,
    packing: Packing,
    read: usize,
}

impl Answer {
    /// The body of an answer; an error when it is packed in a way that was not asked for.
    pub(super) fn of(answer: Response<Incoming>) -> Result<Self, CallError> {
        let header = answer.headers().get("content-encoding").and_then(|value| value.to_str().ok());
        let packing = match header.unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Packing::Plain,
            "gzip" | "x-gzip" => Packing::Gzip(GzDecoder::new(Vec::new())),
            "deflate" => Packing::Zlib(ZlibDecoder::new(Vec::new())),
            other => return Err(CallError::Never(format!("the answer is packed as {other}, which was not asked for"))),
        };
        Ok(Self { incoming: answer.into_body(), packing, read: 0 })
    }

    /// The next bytes, unpacked; `None` at the end. They may be none.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, CallError> {
        let Some(frame) = self.incoming.frame().await else { return Ok(None) };
        let frame = frame.map_err(|error| CallError::again(format!("the answer broke off: {error}")))?;
        let packed = frame.into_data().unwrap_or_default();
        let bytes = self.packing.unpack(&packed, LARGEST - self.read)?;
        self.read += bytes.len();
        Ok(Some(bytes))
    }

    /// All that is left of it.
    pub(super) async fn whole(mut self) -> Result<Vec<u8>, CallError> {
        let mut all = Vec::new();
        while let Some(bytes) = self.next().await? {
            all.extend(bytes);
        }
        Ok(all)
    }
}

impl Packing {
    /// The next bytes, no more than `most`.
    fn unpack(&mut self, packed: &[u8], most: usize) -> Result<Vec<u8>, CallError> {
        match self {
            Self::Plain => within(packed.len(), most).map(|()| packed.to_vec()),
            Self::Gzip(decoder) => unpacked(decoder, GzDecoder::get_mut, packed, most),
            Self::Zlib(decoder) => unpacked(decoder, ZlibDecoder::get_mut, packed, most),
        }
    }
}

fn within(bytes: usize, most: usize) -> Result<(), CallError> {
    if bytes <= most { Ok(()) } else { Err(CallError::again(format!("the answer is larger than {LARGEST} bytes"))) }
}

/// What a decoder makes of the next bytes; it gets them in pieces, so that a few that unpack to very many are noticed in time.
fn unpacked<D: Write>(
    decoder: &mut D,
    out: fn(&mut D) -> &mut Vec<u8>,
    packed: &[u8],
    most: usize,
) -> Result<Vec<u8>, CallError> {
    let broken = |error: std::io::Error| CallError::again(format!("the answer cannot be unpacked: {error}"));
    for piece in packed.chunks(PIECE) {
        decoder.write_all(piece).and_then(|()| decoder.flush()).map_err(broken)?;
        within(out(decoder).len(), most)?;
    }
    Ok(std::mem::take(out(decoder)))
}

/// What the first bytes of an answer say of the rest. Headers are not asked: proxies and small servers get them wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One document: JSON, or a page of a proxy.
    Whole,
    /// Events.
    Events,
}

impl Shape {
    /// `None` until there is more than white space.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace())?;
        Some(if matches!(first, b'{' | b'[' | b'<') { Self::Whole } else { Self::Events })
    }
}

/// Events that become an answer.
pub(super) struct Folding {
    fold: Box<dyn Fold>,
    events: Events,
    began: bool,
    is_whole: bool,
}

impl Folding {
    pub(super) fn new(fold: Box<dyn Fold>) -> Self {
        Self { fold, events: Events::default(), began: false, is_whole: false }
    }

    /// Whether some bytes were taken.
    pub(super) fn began(&self) -> bool {
        self.began
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), CallError> {
        self.began = true;
        let events = self.events.push(bytes);
        events.iter().try_for_each(|event| self.take(event))
    }

    /// What comes after the whole answer may tell its usage; otherwise it does not matter.
    fn take(&mut self, event: &Event) -> Result<(), CallError> {
        match one(&mut *self.fold, event) {
            Ok(is_whole) => self.is_whole |= is_whole,
            Err(error) if !self.is_whole => return Err(error),
            Err(_) => {}
        }
        Ok(())
    }

    /// The answer, when nothing comes any more; `end` is what broke the stream off.
    pub(super) fn finish(mut self, end: Option<CallError>) -> Result<Reply, CallError> {
        let rest = std::mem::take(&mut self.events).finish();
        let last = rest.iter().try_for_each(|event| self.take(event));
        if self.is_whole {
            return self.fold.reply();
        }
        // A piece of an event is no fault of its own where the stream broke off.
        if let Some(end) = end {
            return Err(end);
        }
        last?;
        Err(CallError::again("the stream ended before the answer was whole"))
    }
}

fn one(fold: &mut dyn Fold, event: &Event) -> Result<bool, CallError> {
    if event.data.trim().is_empty() {
        return Ok(false);
    }
    match data(event)? {
        Some(value) if event.name == "error" => Err(told(value.get("error").unwrap_or(&value))),
        Some(value) => fold.push(&value),
        None => Ok(fold.is_ended()),
    }
}

/// What a whole body says: JSON, or events that were not asked for.
pub(super) fn understood(
    bytes: &[u8],
    fold: Option<Box<dyn Fold>>,
    read: impl FnOnce(&Value) -> Result<Reply, CallError>,
) -> Result<Reply, CallError> {
    if let (Some(fold), Some(Shape::Events)) = (fold, Shape::of(bytes)) {
        let mut folding = Folding::new(fold);
        folding.push(bytes)?;
        return folding.finish(None);
    }
    let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match serde_json::from_slice(json) {
        Ok(body) => read(&body),
        Err(_) if json.trim_ascii().is_empty() => Err(CallError::again("the answer is empty")),
        Err(_) if json.trim_ascii_start().starts_with(b"<") => {
            Err(CallError::again(format!("the answer is no JSON but {}", page(&String::from_utf8_lossy(json)))))
        }
        Err(error) => Err(malformed(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bomb_is_noticed_before_it_fills_the_memory() {
        const MANY: usize = 64 << 20;
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&vec![0; MANY]).unwrap();
        let bomb = packer.finish().unwrap();
        assert!(bomb.len() > PIECE);
        let mut decoder = GzDecoder::new(Vec::new());
        let error = unpacked(&mut decoder, GzDecoder::get_mut, &bomb, 1 << 20).unwrap_err();
        assert!(format!("{error:?}").contains("larger than"), "{error:?}");
        assert!(decoder.get_ref().len() < MANY / 2, "{}", decoder.get_ref().len());
        assert_eq!(Packing::Gzip(GzDecoder::new(Vec::new())).unpack(&bomb, MANY).unwrap().len(), MANY);
    }
}
