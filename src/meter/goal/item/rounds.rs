//! How long items live when the context is compacted again and again.

use super::Fate;

/// What became of an item over the rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetime {
    /// Scored cuts from the one that dropped its source on, up to the one that lost it or to the last one seen.
    pub rounds: u32,
    /// It was lost or wrong in the last of those rounds. Otherwise its life is censored: it was still there.
    pub lost: bool,
    /// It is no longer followed: lost, or replaced by another item.
    closed: bool,
}

/// The lives of all items, followed cut by cut.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    lives: Vec<Lifetime>,
}

impl Rounds {
    /// Takes in the fates at one more cut.
    pub(super) fn add(&mut self, fates: &[Fate]) {
        self.lives.resize(fates.len(), Lifetime::default());
        for (life, fate) in self.lives.iter_mut().zip(fates).filter(|(life, _)| !life.closed) {
            match fate {
                Fate::Kept | Fate::Partly => life.rounds += 1,
                Fate::Lost | Fate::Wrong => {
                    life.rounds += 1;
                    (life.lost, life.closed) = (true, true);
                }
                // Its source came back, or was never gone: nothing was asked of the summary in this round.
                Fate::InTail | Fate::OffPath => {}
                Fate::Superseded => life.closed = true,
            }
        }
    }

    /// In the order of the items.
    pub(super) fn lives(&self) -> &[Lifetime] {
        &self.lives
    }
}

#[cfg(test)]
mod tests {
    use super::{Fate, Rounds};

    #[test]
    fn a_life_ends_with_the_round_that_loses_it() {
        let mut rounds = Rounds::default();
        let cuts = [
            [Fate::Kept, Fate::InTail, Fate::Kept],
            [Fate::Lost, Fate::Kept, Fate::Superseded],
            [Fate::Kept, Fate::Partly, Fate::Superseded],
        ];
        cuts.iter().for_each(|fates| rounds.add(fates));
        let lives: Vec<_> = rounds.lives().iter().map(|life| (life.rounds, life.lost)).collect();
        // What comes back after a loss was lost all the same; what was replaced is censored.
        assert_eq!(lives, [(2, true), (2, false), (1, false)]);
    }
}
