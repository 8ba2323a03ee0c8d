//! Mutations that are likely to reach another branch of an importer.

/// Words that importers look at, and values that are wrong in most places.
const WORDS: &[&str] = &[
    "null",
    "true",
    "{}",
    "[]",
    "\"\"",
    "0",
    "-1",
    "1e999",
    "18446744073709551616",
    "9007199254740993",
    "\"id\":",
    "\"type\":",
    "\"parentId\":",
    "\"parentUuid\":",
    "\"message\":",
    "\"content\":",
    "\"role\":",
    "\"usage\":",
    "\"tool_calls\":",
    "\"timestamp\":",
    "\\ud83d",
    "\\u0000",
    "\u{2028}",
    "\u{feff}",
    "\u{fffd}",
    "\r\n",
    "\n",
    "\0\0\0",
    "\\\"",
    "\\",
    "{\"",
    "[[[[[[[[",
    "data: ",
    "event: ",
    "界",
    "😀",
    "attachment://ab",
    "\"isCompactSummary\":true",
    "\"compaction\"",
    "\"replacement_history\":[",
    "\"events\":[",
    "\"firstKeptEntryId\":",
    "\"isSidechain\":true",
    ":",
    ",",
    "}",
    "]",
    "}{",
];

/// A small generator: its numbers follow from its seed alone (xorshift64*, Vigna 2016).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or_default() % end.max(1)
    }
}

/// `seed` with one to six changes; `other` lends a piece.
pub(crate) fn mutated(seed: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=random.below(6) {
        change(&mut bytes, other, random);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + random.below(40)).min(bytes.len());
    match random.below(10) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..end)),
        2 => {
            let piece = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, piece);
        }
        3 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        4 if at < bytes.len() => bytes[at] = u8::try_from(random.below(256)).unwrap_or_default(),
        5 => {
            let from = random.below(other.len() + 1);
            let to = (from + random.below(400)).min(other.len());
            bytes.splice(at..end, other[from..to].iter().copied());
        }
        6 => swap_lines(bytes, random),
        7 => value(bytes, at, random),
        _ => {
            let word = WORDS[random.below(WORDS.len())].bytes();
            bytes.splice(at..if random.below(2) == 0 { at } else { end }, word);
        }
    }
}

/// Writes a line where another one was.
fn swap_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let (from, to) = (random.below(lines.len()), random.below(lines.len()));
    let line = lines[from].clone();
    lines.insert(to, line);
    *bytes = lines.concat();
}

/// Replaces what follows the next colon by another value.
fn value(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let Some(colon) = bytes[at..].iter().position(|&byte| byte == b':').map(|step| at + step + 1) else { return };
    let length = bytes[colon..].iter().position(|byte| matches!(byte, b',' | b'}' | b'\n')).unwrap_or(0);
    bytes.splice(colon..colon + length, WORDS[random.below(8)].bytes());
}
