//! What reading looks things up by, in little memory: a long session has many ids, and each is kept in its entry already.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU32;

use rustc_hash::FxHashMap;

/// An id by 128 bits of its hash: so many that two ids of one file never share them.
pub(super) type Key = [u64; 2];

/// What each id stands for. Keys are hashes already, and no file chooses them.
pub(super) type ByKey<T> = FxHashMap<Key, T>;

/// Makes keys. Its hashes are seeded by chance, so that no file can be made to have two ids with one key.
#[derive(Default)]
pub(super) struct Keys(RandomState, RandomState);

impl Keys {
    /// The key of `id`.
    pub(super) fn of(&self, id: &str) -> Key {
        [self.0.hash_one(id), self.1.hash_one(id)]
    }
}

/// A place in a list, in half a word even where there may be none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Index(NonZeroU32);

impl Index {
    /// `at`, which stays below 2^32 - 1: so many items fit in no memory.
    pub(super) fn new(at: usize) -> Self {
        let above = u32::try_from(at).ok().and_then(|at| NonZeroU32::MIN.checked_add(at));
        Self(above.unwrap_or(NonZeroU32::MAX))
    }

    /// The place.
    pub(super) fn get(self) -> usize {
        self.0.get() as usize - 1
    }
}

#[cfg(test)]
mod tests {
    use super::{Index, Keys};

    #[test]
    fn places_come_back_and_take_half_a_word() {
        for at in [0, 1, 77, 4_000_000_000] {
            assert_eq!(Index::new(at).get(), at);
        }
        assert_eq!(size_of::<Option<Index>>(), 4);
    }

    #[test]
    fn keys_are_equal_for_equal_ids_only() {
        let keys = Keys::default();
        let [a, b, other] = ["u1", "u1", "u2"].map(|id| keys.of(id));
        assert!(a == b && a != other && a[0] != a[1]);
    }
}
