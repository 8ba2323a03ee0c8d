//! Plain runs inside strings: bytes that are no quote, no backslash and no control character.

/// Bytes that are looked at together.
pub(super) const WIDTH: usize = 16;

/// The first byte from `from` on that ends a plain run, or the end.
#[inline]
pub(super) fn end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let run = length(chunk);
        at += run;
        if run < WIDTH {
            return at;
        }
    }
    let tail = bytes.get(at..).unwrap_or_default();
    // The last bytes in a chunk of their own, filled up with plain ones.
    let mut chunk = [b' '; WIDTH];
    chunk[..tail.len()].copy_from_slice(tail);
    bytes.len() - tail.len() + length(&chunk).min(tail.len())
}

/// How many plain bytes `chunk` begins with.
#[inline]
pub(super) fn length(chunk: &[u8; WIDTH]) -> usize {
    // The bit above the sixteen stands for "none".
    (specials(chunk) | 1 << WIDTH).trailing_zeros() as usize
}

/// [`specials`] of the first two chunks of four.
#[inline]
pub(super) fn wide(chunks: &[u8; LONG]) -> u32 {
    let (chunks, _) = chunks.as_chunks();
    specials(&chunks[0]) | specials(&chunks[1]) << WIDTH
}

/// Bytes of a string that are looked at together once it has an escape.
pub(super) const LONG: usize = 4 * WIDTH;

/// What bytes of a string are: the lowest bit is the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// `"`.
    pub(super) quotes: u64,
    /// `\`.
    pub(super) slashes: u64,
    /// `n` and `t`, the letters of the most frequent escapes.
    pub(super) letters: u64,
    /// Control characters.
    pub(super) controls: u64,
}

impl Marks {
    #[inline]
    pub(super) fn of(bytes: &[u8; LONG]) -> Self {
        let (chunks, _) = bytes.as_chunks();
        let mut marks = Self::default();
        // Backwards, so that the first chunk ends in the lowest bits.
        for chunk in chunks.iter().rev() {
            let [quotes, slashes, letters, controls] = kinds(chunk);
            marks.quotes = marks.quotes << WIDTH | u64::from(quotes);
            marks.slashes = marks.slashes << WIDTH | u64::from(slashes);
            marks.letters = marks.letters << WIDTH | u64::from(letters);
            marks.controls = marks.controls << WIDTH | u64::from(controls);
        }
        marks
    }

    /// The bytes behind a backslash that is not one of such bytes itself; the first byte is none.
    ///
    /// Without a loop over runs of backslashes: a subtraction carries through each of them ("simdjson", Langdale and
    /// Lemire, 2019, section 3.1.1, in the form of its later releases).
    #[inline]
    pub(super) fn escaped(self) -> u64 {
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        let ends = ((self.slashes << 1 | ODD).wrapping_sub(self.slashes)) ^ ODD;
        ends ^ self.slashes
    }
}

/// The four kinds of [`Marks`] in `chunk`.
#[cfg(target_arch = "x86_64")]
#[inline]
fn kinds(chunk: &[u8; WIDTH]) -> [u32; 4] {
    use safe_arch::{cmp_eq_mask_i8_m128i as equal, m128i, min_u8_m128i as least, move_mask_i8_m128i as mask};
    let bytes = m128i::from(*chunk);
    let quotes = equal(bytes, m128i::from([b'"'; WIDTH]));
    let slashes = equal(bytes, m128i::from([b'\\'; WIDTH]));
    let letters = equal(bytes, m128i::from([b'n'; WIDTH])) | equal(bytes, m128i::from([b't'; WIDTH]));
    let controls = equal(bytes, least(bytes, m128i::from([0x1F_u8; WIDTH])));
    [
        mask(quotes).cast_unsigned(),
        mask(slashes).cast_unsigned(),
        mask(letters).cast_unsigned(),
        mask(controls).cast_unsigned(),
    ]
}

/// The four kinds of [`Marks`] in `chunk`.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn kinds(chunk: &[u8; WIDTH]) -> [u32; 4] {
    portable_kinds(chunk)
}

/// [`kinds`] on any machine.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn portable_kinds(chunk: &[u8; WIDTH]) -> [u32; 4] {
    let which = |is: fn(u8) -> bool| chunk.iter().rev().fold(0, |bits, &byte| bits << 1 | u32::from(is(byte)));
    [
        which(|byte| byte == b'"'),
        which(|byte| byte == b'\\'),
        which(|byte| matches!(byte, b'n' | b't')),
        which(|byte| byte < 0x20),
    ]
}

/// Which bytes of `chunk` are special: the lowest bit is the first byte.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn specials(chunk: &[u8; WIDTH]) -> u32 {
    // SSE2, which every x86-64 has.
    use safe_arch::{cmp_eq_mask_i8_m128i as equal, m128i, min_u8_m128i as least, move_mask_i8_m128i as mask};
    let bytes = m128i::from(*chunk);
    // Three names: the compiler leaves the `map` of an array as a call, which costs as much as all the rest.
    let quote = m128i::from([b'"'; WIDTH]);
    let slash = m128i::from([b'\\'; WIDTH]);
    let control = m128i::from([0x1F_u8; WIDTH]);
    let special = equal(bytes, quote) | equal(bytes, slash) | equal(bytes, least(bytes, control));
    mask(special).cast_unsigned()
}

/// Which bytes of `chunk` are special: the lowest bit is the first byte.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(super) fn specials(chunk: &[u8; WIDTH]) -> u32 {
    portable(chunk)
}

/// [`specials`] on any machine: a byte is zero exactly when neither it nor its low seven bits plus 127 set the top bit.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn portable(chunk: &[u8; WIDTH]) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW: u64 = ONES * 0x7F;
    let zeros = |word: u64| !(((word & LOW) + LOW) | word | LOW);
    let (words, _) = chunk.as_chunks::<8>();
    let [low, high] = [words[0], words[1]].map(u64::from_le_bytes).map(|word| {
        let marks = zeros(word ^ (ONES * 0x22)) | zeros(word ^ (ONES * 0x5C)) | zeros(word & (ONES * 0xE0));
        // The top bits of the eight bytes, gathered in the top byte of a product.
        u32::from((marks >> 7).wrapping_mul(0x0102_0408_1020_4080).to_be_bytes()[0])
    });
    low | high << 8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LONG, Marks, WIDTH, end, kinds, length, portable, portable_kinds, specials};

    fn special(byte: u8) -> bool {
        byte < 0x20 || byte == b'"' || byte == b'\\'
    }

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=u8::MAX {
            for at in 0..WIDTH {
                let mut chunk = [b'a'; WIDTH];
                chunk[at] = byte;
                let expected = if special(byte) { at } else { WIDTH };
                let mask = u32::from(special(byte)) << at;
                assert_eq!((length(&chunk), specials(&chunk)), (expected, mask), "{byte:#x} at {at}");
            }
        }
    }

    proptest! {
        #[test]
        fn every_special_byte_has_its_bit(chunk in any::<[u8; WIDTH]>()) {
            let expected = chunk.iter().rev().fold(0, |bits, &byte| bits << 1 | u32::from(special(byte)));
            prop_assert_eq!((specials(&chunk), portable(&chunk)), (expected, expected));
        }

        #[test]
        fn every_kind_has_its_bit(bytes in prop::array::uniform16(prop::sample::select(b"\"\\nt\x1f\0 a\x80\xff".as_slice()))) {
            prop_assert_eq!(kinds(&bytes), portable_kinds(&bytes));
        }

        #[test]
        fn each_second_backslash_is_escaped(text in "[\\\\\\\\an\"]{64}") {
            let bytes: [u8; LONG] = text.as_bytes().try_into().unwrap();
            let (mut expected, mut behind) = (0, false);
            for (at, &byte) in bytes.iter().enumerate() {
                expected |= u64::from(behind) << at;
                behind = byte == b'\\' && !behind;
            }
            prop_assert_eq!(Marks::of(&bytes).escaped(), expected);
        }

        #[test]
        fn the_end_is_the_first_special_byte(bytes in prop::collection::vec(any::<u8>(), 0..80), from in 0_usize..80) {
            let from = from.min(bytes.len());
            let expected = bytes[from..].iter().position(|&byte| special(byte)).map_or(bytes.len(), |at| from + at);
            prop_assert_eq!(end(&bytes, from), expected);
        }
    }
}
