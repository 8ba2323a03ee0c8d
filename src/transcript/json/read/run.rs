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
    let special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    let tail = bytes.get(at..).unwrap_or_default();
    bytes.len() - tail.len() + tail.iter().position(special).unwrap_or(tail.len())
}

/// How many plain bytes `chunk` begins with.
#[inline]
pub(super) fn length(chunk: &[u8; WIDTH]) -> usize {
    // The bit above the sixteen stands for "none".
    (specials(chunk) | 1 << WIDTH).trailing_zeros() as usize
}

/// [`specials`] of two chunks.
#[inline]
pub(super) fn wide(chunks: &[u8; 2 * WIDTH]) -> u32 {
    let (chunks, _) = chunks.as_chunks();
    specials(&chunks[0]) | specials(&chunks[1]) << WIDTH
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

    use super::{WIDTH, end, length, portable, specials};

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
        fn the_end_is_the_first_special_byte(bytes in prop::collection::vec(any::<u8>(), 0..80), from in 0_usize..80) {
            let from = from.min(bytes.len());
            let expected = bytes[from..].iter().position(|&byte| special(byte)).map_or(bytes.len(), |at| from + at);
            prop_assert_eq!(end(&bytes, from), expected);
        }
    }
}
