//! The mean of what a person would say, from a judge's word on everything and a person's on a part
//! (Angelopoulos and others 2023, "Prediction-powered inference"), with the lineage as the unit.

use super::interval::{Interval, NoInterval, Resampling, interval};
use super::{Observation, Sample, mean, real};

/// One judged value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged<'a> {
    /// Lineage of the transcript: the unit.
    pub lineage: &'a str,
    /// The transcript.
    pub transcript: &'a str,
    /// What the judge says.
    pub judge: f64,
    /// What a person says; `None` without a label.
    pub person: Option<f64>,
    /// How many judged values this one stands for, where it is labelled: those of its stratum by the labelled ones of it.
    pub weight: f64,
}

impl Judged<'_> {
    /// The judge's value, and where there is a label, the correction of all that it stands for. Its mean over a sample that was
    /// drawn by chance is the person's.
    fn corrected(&self) -> f64 {
        self.judge + self.person.map_or(0.0, |person| self.weight * (person - self.judge))
    }
}

/// A mean, corrected.
#[derive(Clone, Debug, PartialEq)]
pub struct Powered {
    /// The judge's mean over lineages, as it is.
    pub judged: f64,
    /// The corrected mean over lineages.
    pub point: f64,
    /// Its interval; lineages are drawn, with all that belongs to them.
    pub interval: Result<Interval, NoInterval>,
    /// Lineages.
    pub lineages: usize,
    /// Labelled values.
    pub labelled: usize,
    /// Values without a label.
    pub unlabelled: usize,
}

/// Why there is no corrected mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotPowered {
    /// Nothing corrects the judge.
    #[error("none of {unlabelled} values is labelled")]
    NoLabel {
        /// Values without a label.
        unlabelled: usize,
    },
    /// A value is not finite.
    #[error("a value is not finite")]
    NotFinite,
}

/// The corrected mean: the judge's over everything, and the weighted mean of (person − judge) over the labelled part. Both are
/// brought down to one number per lineage first, so that values of one session do not count as independent.
///
/// # Errors
/// Without a label, or with a value that is not finite.
pub fn powered_mean(values: &[Judged<'_>], resampling: Resampling) -> Result<Powered, NotPowered> {
    let labelled = values.iter().filter(|value| value.person.is_some()).count();
    let unlabelled = values.len() - labelled;
    if labelled == 0 {
        return Err(NotPowered::NoLabel { unlabelled });
    }
    if !values.iter().all(|value| value.corrected().is_finite()) {
        return Err(NotPowered::NotFinite);
    }
    let judged = by_lineage(values, values.iter().map(|value| value.judge));
    let corrected = by_lineage(values, values.iter().map(Judged::corrected));
    let (Some(judged), Some(point)) = (mean(&judged), mean(&corrected)) else { return Err(NotPowered::NotFinite) };
    Ok(Powered {
        judged,
        point,
        interval: interval(&corrected, resampling),
        lineages: corrected.len(),
        labelled,
        unlabelled,
    })
}

/// One number per lineage, in the order of their names.
fn by_lineage(values: &[Judged<'_>], numbers: impl Iterator<Item = f64>) -> Vec<f64> {
    let observed = values.iter().zip(numbers).map(|(value, number)| Observation {
        lineage: value.lineage,
        transcript: value.transcript,
        value: Some(number),
    });
    Sample::of(observed).values()
}

/// Values that a labelled one of a stratum stands for; `None` when none is labelled.
pub fn stands_for(all: usize, labelled: usize) -> Option<f64> {
    (labelled > 0).then(|| real(all) / real(labelled))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

    fn judged(lineage: &'static str, judge: f64, person: Option<f64>, weight: f64) -> Judged<'static> {
        Judged { lineage, transcript: lineage, judge, person, weight }
    }

    #[test]
    fn by_hand() {
        // Six lineages of two values each; one of each is labelled and stands for two. The judge says 0.5 everywhere; persons say 1,
        // 0.5, 0.5, 0.5, 0.5, 0: values 0.5 + 2 · 0.5 = 1.5, 0.5 … −0.5, and lineages 1, 0.5 × 4, 0. Mean 0.5.
        let persons = [1.0, 0.5, 0.5, 0.5, 0.5, 0.0];
        let values: Vec<Judged<'_>> = NAMES
            .into_iter()
            .zip(persons)
            .flat_map(|(name, person)| [judged(name, 0.5, Some(person), 2.0), judged(name, 0.5, None, 2.0)])
            .collect();
        let found = powered_mean(&values, Resampling::default()).unwrap();
        assert!((found.judged - 0.5).abs() < 1e-12 && (found.point - 0.5).abs() < 1e-12);
        assert_eq!((found.lineages, found.labelled, found.unlabelled), (6, 6, 6));
        let same = interval(&[1.0, 0.5, 0.5, 0.5, 0.5, 0.0], Resampling::default()).unwrap();
        assert_eq!(found.interval, Ok(same));
    }

    #[test]
    fn many_values_of_one_session_are_one_unit() {
        // A person is sure that the judge is 0.5 too low, in one session of a hundred values and one of two.
        let long = (0..100).map(|_| judged("a", 0.0, Some(0.5), 1.0));
        let values: Vec<Judged<'_>> = long.chain((0..2).map(|_| judged("b", 1.0, Some(1.0), 1.0))).collect();
        let found = powered_mean(&values, Resampling::default()).unwrap();
        assert!((found.judged - 0.5).abs() < 1e-12, "not 2 / 102");
        assert!((found.point - 0.75).abs() < 1e-12);
        assert_eq!(found.interval, Err(NoInterval::TooFew { n: 2 }));
    }

    #[test]
    fn a_label_of_a_rare_grade_corrects_no_more_than_its_stratum() {
        // Of ten values the judge grades nine 1 and one 0. Two of the nine are labelled, one of them is wrong; the 0 is right.
        let mut values =
            vec![judged("a", 1.0, Some(0.0), 4.5), judged("a", 1.0, Some(1.0), 4.5), judged("a", 0.0, Some(0.0), 1.0)];
        values.extend((0..7).map(|_| judged("a", 1.0, None, 4.5)));
        // 0.9 − 4.5 / 10, where an unweighted mean of the three corrections would take a third.
        assert!((powered_mean(&values, Resampling::default()).unwrap().point - 0.45).abs() < 1e-12);
        assert_eq!((stands_for(9, 2), stands_for(3, 0)), (Some(4.5), None));
    }

    #[test]
    fn without_a_label_there_is_nothing() {
        let none = [judged("a", 1.0, None, 1.0)];
        assert_eq!(powered_mean(&none, Resampling::default()), Err(NotPowered::NoLabel { unlabelled: 1 }));
        let odd = [judged("a", f64::NAN, Some(1.0), 1.0)];
        assert_eq!(powered_mean(&odd, Resampling::default()), Err(NotPowered::NotFinite));
    }
}
