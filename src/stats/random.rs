//! The source of all draws.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Draws from xoshiro256++ (Blackman and Vigna 2021), seeded through `SplitMix64`: the same seed gives the same draws on
/// every machine.
#[derive(Clone, Debug)]
pub struct Draws(Xoshiro256PlusPlus);

impl Draws {
    /// Draws of this seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// An index below `len`, by multiplication (Lemire 2019); the bias is below `len` / 2^64. 0 when `len` is 0.
    pub fn index(&mut self, len: usize) -> usize {
        let wide = u128::from(self.bits()) * (len as u128);
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// A number from 0 up to, and without, 1: the upper 53 bits.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double")]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A standard normal number, by the method of Box and Muller (1958); its twin is thrown away.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::Draws;
    use crate::stats::{mean, real};

    #[test]
    fn the_stream_is_the_published_one() {
        // The first outputs of xoshiro256++ from the state that SplitMix64 makes of 0; scripts/golden/statistics.py computes
        // both algorithms from their definitions.
        let mut draws = Draws::new(0);
        assert_eq!([draws.bits(), draws.bits()], [5_987_356_902_031_041_503, 7_051_070_477_665_621_255]);
    }

    #[test]
    fn indices_are_even_and_in_range() {
        let mut draws = Draws::new(7);
        let mut seen = [0_usize; 5];
        (0..10_000).for_each(|_| seen[draws.index(5)] += 1);
        // 2,000 expected with a standard deviation of 40.
        assert!(seen.iter().all(|&count| count.abs_diff(2_000) < 200), "{seen:?}");
        assert_eq!(draws.index(0), 0);
        assert_eq!(draws.index(1), 0);
    }

    #[test]
    fn normal_numbers_have_mean_0_and_variance_1() {
        let mut draws = Draws::new(1);
        let values: Vec<f64> = (0..20_000).map(|_| draws.normal()).collect();
        let middle = mean(&values).unwrap();
        let variance = values.iter().map(|value| (value - middle).powi(2)).sum::<f64>() / real(values.len());
        assert!(middle.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{middle} {variance}");
    }
}
