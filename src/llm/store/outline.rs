//! A long text, small enough to be committed: its begin and end as they are, and between them one line for each block
//! of lines, with the block's hash. Blocks end where the text says so, not where a count does, so that a line that is
//! inserted changes one block and no other.

use sha2::{Digest, Sha256};

/// Lines kept as they are, at the begin and at the end: instructions stand there.
const KEPT: usize = 40;
/// A text of at most so many bytes is kept whole.
const SHORT: usize = 8_000;
/// A block ends at one line in so many.
const BLOCK: u32 = 32;
/// Longest line that is kept, in bytes.
const WIDEST: usize = 400;
/// Bytes of a block's first line that are shown.
const SHOWN: usize = 48;

/// The text as lines. Two different texts have different outlines, but for a collision of 64 bits.
pub(super) fn outline(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    if text.len() <= SHORT || lines.len() <= 2 * KEPT {
        return lines.into_iter().map(line).collect();
    }
    let (head, rest) = lines.split_at(KEPT);
    let (middle, tail) = rest.split_at(rest.len() - KEPT);
    let mut outline: Vec<String> = head.iter().map(|text| line(text)).collect();
    outline.extend(middle.split_inclusive(|text| ends_block(text)).map(block));
    outline.extend(tail.iter().map(|text| line(text)));
    outline
}

fn line(text: &str) -> String {
    if text.len() <= WIDEST {
        return text.to_owned();
    }
    let begin = &text[..text.floor_char_boundary(WIDEST)];
    format!("{begin}… [{} bytes, sha256 {}]", text.len(), short_hash([text].into_iter()))
}

fn block(lines: &[&str]) -> String {
    let first = lines.iter().find(|line| !line.trim().is_empty()).map_or("", |line| line.trim());
    let shown = &first[..first.floor_char_boundary(SHOWN)];
    format!("[{} lines, sha256 {}: {shown}…]", lines.len(), short_hash(lines.iter().copied()))
}

fn ends_block(line: &str) -> bool {
    let digest = Sha256::digest(line);
    u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]).is_multiple_of(BLOCK)
}

fn short_hash<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut hasher = Sha256::new();
    for line in lines {
        hasher.update(line);
        hasher.update("\n");
    }
    crate::digest::hex(&hasher.finalize()[..8])
}

#[cfg(test)]
mod tests {
    use super::outline;

    fn text(lines: usize) -> String {
        (0..lines).map(|number| format!("line {number} of the conversation\n")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn short_texts_are_whole_and_long_ones_small() {
        assert_eq!(outline("a\nb\n"), ["a", "b", ""]);
        let long = text(20_000);
        let size: usize = outline(&long).iter().map(String::len).sum();
        assert!(size * 10 < long.len(), "{size} of {}", long.len());
    }

    #[test]
    fn one_line_more_changes_one_block() {
        let old = text(5_000);
        let new = old.replacen("line 2500 ", "line 2500½ ", 1);
        let (old, new) = (outline(&old), outline(&new));
        let differ = new.iter().filter(|line| !old.contains(line)).count();
        assert!((1..=2).contains(&differ), "{differ}");
    }
}
