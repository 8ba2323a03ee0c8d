//! Plain runs inside strings: bytes that are no quote, no backslash and no control character.

/// Bytes that are looked at together.
pub(super) const WIDTH: usize = 16;

/// The first byte from `from` on that ends a plain run, or the end.
#[inline]
pub(super) fn end(bytes: &[u8], from: usize) -> usize {
    let (chunks, tail) = bytes.get(from..).unwrap_or_default().as_chunks::<WIDTH>();
    for (nth, chunk) in chunks.iter().enumerate() {
        let run = length(chunk);
        if run < WIDTH {
            return from + nth * WIDTH + run;
        }
    }
    let special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    bytes.len() - tail.len() + tail.iter().position(special).unwrap_or(tail.len())
}

/// How many plain bytes `chunk` begins with.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn length(chunk: &[u8; WIDTH]) -> usize {
    // SSE2, which every x86-64 has.
    use safe_arch::{cmp_eq_mask_i8_m128i as equal, m128i, min_u8_m128i as least, move_mask_i8_m128i as mask};
    let bytes = m128i::from(*chunk);
    let [quote, slash, control] = [b'"', b'\\', 0x1F].map(|byte| m128i::from([byte; WIDTH]));
    let special = equal(bytes, quote) | equal(bytes, slash) | equal(bytes, least(bytes, control));
    // The bit above the sixteen stands for "none".
    (mask(special) | 1 << WIDTH).trailing_zeros() as usize
}

/// How many plain bytes `chunk` begins with.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn length(chunk: &[u8; WIDTH]) -> usize {
    portable(chunk)
}

/// [`length`] on any machine ("determine if a word has a byte less than n", Bit Twiddling Hacks). Of the bits that mark
/// a special byte only the lowest is certain: a borrow may set further ones above it.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn portable(chunk: &[u8; WIDTH]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, _) = chunk.as_chunks::<8>();
    let special = [words[0], words[1]].map(u64::from_le_bytes).map(|word| {
        let (quote, slash) = (word ^ (ONES * 0x22), word ^ (ONES * 0x5C));
        let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
        (below(word, 0x20) | below(quote, 1) | below(slash, 1)) & (ONES << 7)
    });
    match special {
        [0, 0] => WIDTH,
        [0, high] => 8 + high.trailing_zeros() as usize / 8,
        [low, _] => low.trailing_zeros() as usize / 8,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{WIDTH, end, length, portable};

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
                assert_eq!((length(&chunk), portable(&chunk)), (expected, expected), "{byte:#x} at {at}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_end_is_the_first_special_byte(bytes in prop::collection::vec(any::<u8>(), 0..80), from in 0_usize..80) {
            let from = from.min(bytes.len());
            let expected = bytes[from..].iter().position(|&byte| special(byte)).map_or(bytes.len(), |at| from + at);
            prop_assert_eq!(end(&bytes, from), expected);
        }
    }
}
