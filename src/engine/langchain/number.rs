//! Python's arithmetic between counts and floats.

use crate::transcript::Tokens;

/// `float(count)`; exact below 2^53, which no count reaches.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub(super) fn float(count: u64) -> f64 {
    count as f64
}

/// `int(value)` of a value that is not negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "truncation is what Python's int does")]
pub(super) fn int(value: f64) -> u64 {
    value as u64
}

/// `math.ceil(value)` of a value that is not negative. Not [`f64::ceil`], which is a call where the processor may be an old one.
pub(super) fn ceil(value: f64) -> u64 {
    let whole = int(value);
    whole + u64::from(float(whole) < value)
}

/// `int(limit * factor)`.
pub(super) fn share(limit: Tokens, factor: f64) -> Tokens {
    Tokens(int(float(limit.0) * factor))
}

/// A `usize` as a token count.
pub(super) fn tokens(count: usize) -> Tokens {
    Tokens(u64::try_from(count).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::{ceil, share};
    use crate::transcript::Tokens;

    #[test]
    fn rounding_is_that_of_python() {
        // math.ceil(100 / 3.3) = 31; int(8000 * 0.85) = 6800; int(1_048_576 * 0.95) = 996_147.
        assert_eq!(ceil(100.0 / 3.3), 31);
        assert_eq!([0.0, 0.25, 1.0, 1.000_001, 4_503_599_627_370_495.5].map(ceil), [0, 1, 1, 2, 4_503_599_627_370_496]);
        assert_eq!(share(Tokens(8_000), 0.85), Tokens(6_800));
        assert_eq!(share(Tokens(1_048_576), 0.95), Tokens(996_147));
    }
}
