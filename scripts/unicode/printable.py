#!/usr/bin/env python3
"""Writes src/transcript/json/printable.rs: which characters Python's str.isprintable accepts.

Run it from the top of the repository with the Python whose Unicode version is wanted (3.11 has 14.0):
    python3 scripts/unicode/printable.py && cargo fmt
"""

import pathlib
import unicodedata

HEAD = '''//! Which characters Python prints as they are. Made by `scripts/unicode/printable.py`; do not edit.

/// Where printability changes, in Unicode {version}: code points from an even place to the next odd one are not printable.
#[rustfmt::skip]
#[allow(clippy::unreadable_literal, reason = "code points are written as the standard writes them")]
const CHANGES: [u32; {count}] = [
'''

TAIL = '''];

/// `str.isprintable` of one character: not in the general categories Cc, Cf, Cs, Co, Cn, Zl, Zp or Zs, or the space.
pub(super) fn is_printable(character: char) -> bool {
    match character {
        // ASCII, and Chinese, Japanese and Korean, as most text outside ASCII is, need no search.
        ' '..='~' | '\\u{4e00}'..='\\u{9fff}' | '\\u{ac00}'..='\\u{d7a3}' => true,
        '\\0'..='\\u{9f}' => false,
        _ => searched(character),
    }
}

fn searched(character: char) -> bool {
    CHANGES.partition_point(|&change| change <= character.into()).is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::{is_printable, searched};

    #[test]
    fn the_search_agrees_with_what_needs_none() {
        for character in '\\0'..=char::MAX {
            assert_eq!(is_printable(character), searched(character), "{character:?}");
        }
    }

    #[test]
    fn categories_by_example() {
        for character in [' ', '~', '¡', 'é', '\\u{301}', '界', '😀', '\\u{ad00}'] {
            assert!(is_printable(character), "{character:?}");
        }
        // Cc, Cc, Zs, Cf, Zl, Zs, Co, Cn, Cf, Cn.
        for character in [
            '\\n', '\\u{7f}', '\\u{a0}', '\\u{ad}', '\\u{2028}', '\\u{3000}', '\\u{e000}', '\\u{378}', '\\u{e0001}',
            '\\u{10ffff}',
        ] {
            assert!(!is_printable(character), "{character:?}");
        }
    }
}
'''

changes, printable = [], True
for code in range(0x110000):
    if chr(code).isprintable() != printable:
        changes.append(code)
        printable = not printable

lines, line = [], "   "
for change in changes:
    item = f" 0x{change:x},"
    if len(line) + len(item) > 118:
        lines.append(line)
        line = "   "
    line += item
lines.append(line)

head = HEAD.replace("{version}", unicodedata.unidata_version).replace("{count}", str(len(changes)))
path = pathlib.Path("src/transcript/json/printable.rs")
path.write_text(head + "\n".join(lines) + "\n" + TAIL, encoding="utf-8")
