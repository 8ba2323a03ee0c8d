//! Records told apart by how they are spelled.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A digest for comparison within one run; the hasher has no random key.
pub(super) fn digest(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
