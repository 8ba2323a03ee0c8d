//! The bytes of a file, looked at through a window that moves forward.

use std::io::{self, Read};

/// Bytes of lines that are read and parsed together, for each thread: they are looked at several times, and so few stay in
/// its cache.
const BLOCK: usize = 256 << 10;
/// Threads for which a block is made; more find enough in it.
const MOST_THREADS: usize = 16;

/// Bytes of a block.
fn block() -> usize {
    BLOCK * rayon::current_num_threads().min(MOST_THREADS)
}

/// Where bytes come from, and how many are taken at a time.
pub(super) struct Source<'a> {
    from: From<'a>,
    /// Size of a block of lines.
    pub(super) block: usize,
}

enum From<'a> {
    /// They are all there.
    Bytes(&'a [u8]),
    /// They are read as they are needed.
    Stream(Stream<'a>),
}

/// A file that is being read.
struct Stream<'a> {
    file: Box<dyn Read + 'a>,
    /// Bytes that were read and may be looked at again.
    kept: Vec<u8>,
    /// Offset in the file of the first of them.
    begins: usize,
    ended: bool,
}

impl<'a> Source<'a> {
    /// The bytes that `file` gives.
    pub(super) fn stream(file: impl Read + 'a) -> Self {
        let stream = Stream { file: Box::new(file), kept: Vec::new(), begins: 0, ended: false };
        Self { from: From::Stream(stream), block: block() }
    }

    /// Bytes that are all there.
    pub(super) fn bytes(bytes: &'a [u8]) -> Self {
        Self { from: From::Bytes(bytes), block: block() }
    }

    /// The bytes from offset `from` on: `size` of them, or all that are left (`true`). What lies before `from` is given
    /// up.
    pub(super) fn window(&mut self, from: usize, size: usize) -> io::Result<(&[u8], bool)> {
        match &mut self.from {
            From::Bytes(bytes) => {
                let rest = bytes.get(from..).unwrap_or_default();
                Ok((&rest[..rest.len().min(size)], rest.len() <= size))
            }
            From::Stream(stream) => stream.window(from, size),
        }
    }

    /// All of it.
    pub(super) fn whole(&mut self) -> io::Result<&[u8]> {
        Ok(self.window(0, usize::MAX)?.0)
    }
}

impl Stream<'_> {
    fn window(&mut self, from: usize, size: usize) -> io::Result<(&[u8], bool)> {
        let past = from.saturating_sub(self.begins).min(self.kept.len());
        self.kept.drain(..past);
        self.begins += past;
        if self.kept.len() < size && !self.ended {
            let missing = size - self.kept.len();
            // One byte more tells whether the file ends here.
            let missing = u64::try_from(missing).unwrap_or(u64::MAX).saturating_add(1);
            if size < usize::MAX {
                self.kept.reserve_exact(size + 1 - self.kept.len());
            }
            let read = (&mut self.file).take(missing).read_to_end(&mut self.kept)?;
            self.ended = (read as u64) < missing;
        }
        Ok((&self.kept[..self.kept.len().min(size)], self.ended && self.kept.len() <= size))
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn both_kinds_show_the_same() {
        let bytes: Vec<u8> = (0..100).collect();
        let (mut whole, mut stream) = (Source::bytes(&bytes), Source::stream(bytes.as_slice()));
        for (from, size) in [(0, 10), (0, 20), (5, 10), (15, 1), (15, 85), (15, 86), (99, 1), (100, 5)] {
            let expected = (&bytes[from..(from + size).min(100)], from + size >= 100);
            assert_eq!(whole.window(from, size).unwrap(), expected, "{from} {size}");
            assert_eq!(stream.window(from, size).unwrap(), expected, "{from} {size}");
        }
        assert_eq!(Source::stream(bytes.as_slice()).whole().unwrap(), bytes);
    }
}
