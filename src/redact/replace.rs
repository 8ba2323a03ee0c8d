//! What stands in the place of a secret.

use std::collections::{HashMap, HashSet};

/// The two signs of a replacement by their length in UTF-8: all pairs have as many bytes and UTF-16 units as what they
/// replace.
const SIGNS: [[char; 2]; 4] = [['x', 'X'], ['х', 'Х'], ['ｘ', 'Ｘ'], ['𝐱', '𝐗']];

/// Whether a sign could come from a replacement.
pub(super) fn is_replacement(sign: char) -> bool {
    SIGNS.iter().flatten().any(|&one| one == sign)
}

/// Replacements of one transcript: equal secrets get equal ones, and different secrets different ones as far as their
/// length allows.
#[derive(Debug, Default)]
pub(super) struct Replacements {
    known: HashMap<Box<str>, Box<str>>,
    taken: HashSet<Box<str>>,
}

/// How often another replacement is tried when one is taken.
const TRIES: u64 = 32;

impl Replacements {
    /// Whether a secret has a replacement.
    pub(super) fn has(&self, secret: &str) -> bool {
        self.known.contains_key(secret)
    }

    /// The replacement of a secret.
    pub(super) fn of(&mut self, secret: &str) -> &str {
        if !self.known.contains_key(secret) {
            let mut tried = (0..TRIES).map(|salt| masked(secret, salt));
            let first = tried.next().unwrap_or_default();
            let free =
                std::iter::once(first.clone()).chain(tried).find(|one| !self.taken.contains(one)).unwrap_or(first);
            self.taken.insert(free.clone());
            self.known.insert(secret.into(), free);
        }
        &self.known[secret]
    }
}

/// `secret` with every letter and digit replaced.
fn masked(secret: &str, salt: u64) -> Box<str> {
    // FNV-1a, whose constants are published; the digest must not change between releases of the compiler.
    let mut digest = 0xCBF2_9CE4_8422_2325_u64 ^ salt.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for byte in secret.bytes() {
        digest = (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    }
    let signs = secret.chars().map(|sign| {
        if !sign.is_alphanumeric() {
            return sign;
        }
        digest = digest.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        SIGNS[sign.len_utf8() - 1][usize::from(digest >> 63 == 1)]
    });
    signs.collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::Replacements;

    #[test]
    fn lengths_and_other_signs_stay() {
        let mut replacements = Replacements::default();
        for secret in ["sk-ant_AbC.9/=", "é窯𝐀a1", "mara@kiln.museum"] {
            let replaced = replacements.of(secret).to_owned();
            assert_eq!(replaced.len(), secret.len(), "{replaced}");
            assert_eq!(replaced.encode_utf16().count(), secret.encode_utf16().count());
            assert_eq!(replaced.chars().count(), secret.chars().count());
            let rest = |text: &str| text.chars().filter(|sign| !sign.is_alphanumeric()).collect::<String>();
            assert_eq!(rest(&replaced), rest(secret));
            assert_eq!(replacements.of(secret), replaced);
        }
    }

    #[test]
    fn different_secrets_stay_different() {
        let mut replacements = Replacements::default();
        // Sixteen forms of four letters: ten secrets must find ten of them.
        let all: std::collections::HashSet<String> =
            (0..10).map(|number| replacements.of(&format!("ab{number}c")).to_owned()).collect();
        assert_eq!(all.len(), 10);
    }
}
