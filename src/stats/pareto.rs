//! Choices that no other choice beats.

/// Which points are in the Pareto set; less is better in every coordinate. A point is outside when another is at most as
/// large in all coordinates and smaller in one; equal points are all inside, and a point with a coordinate that is not a
/// number is outside.
pub fn pareto<const D: usize>(points: &[[f64; D]]) -> Vec<bool> {
    let is_number = |point: &[f64; D]| point.iter().all(|value| !value.is_nan());
    let beats =
        |a: &[f64; D], b: &[f64; D]| a.iter().zip(b).all(|(a, b)| a <= b) && a.iter().zip(b).any(|(a, b)| a < b);
    points.iter().map(|point| is_number(point) && !points.iter().any(|other| beats(other, point))).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::pareto;

    #[test]
    fn dominated_points_are_outside() {
        let points = [[10.0, 0.9], [20.0, 0.5], [30.0, 0.5], [40.0, 0.1], [40.0, 0.1], [1.0, f64::NAN]];
        assert_eq!(pareto(&points), [true, true, false, true, true, false]);
        assert!(pareto::<2>(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn every_point_outside_is_beaten_by_one_inside(points in prop::collection::vec([0_u8..5, 0_u8..5, 0_u8..5], 1..20)) {
            let points: Vec<[f64; 3]> = points.into_iter().map(|point| point.map(f64::from)).collect();
            let inside = pareto(&points);
            prop_assert!(inside.iter().any(|&is_in| is_in));
            for (point, _) in points.iter().zip(&inside).filter(|(_, is_in)| !**is_in) {
                #[expect(clippy::float_cmp, reason = "small whole numbers are exact")]
                let beaten = points.iter().zip(&inside).any(|(other, is_in)| {
                    *is_in && other != point && other.iter().zip(point).all(|(a, b)| a <= b)
                });
                prop_assert!(beaten);
            }
        }
    }
}
