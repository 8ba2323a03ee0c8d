//! A person's labels beside the judge's grades: which to label, and what they say of the judge.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::stats::{Confusion, Level, NotPowered, Powered, cohen_kappa, krippendorff_alpha, powered_mean};

/// κ from which a judge may be used (statistics notes), and from which its figures may be headlines.
pub const KAPPA_BARS: [f64; 2] = [0.6, 0.8];
/// α from which tentative claims are allowed, and claims (Krippendorff).
pub const ALPHA_BARS: [f64; 2] = [0.667, 0.8];

/// A judgement as a calibration needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graded {
    /// Its id: joins labels to judgements, and tells a person nothing.
    pub id: String,
    /// What is compared: the strategy.
    pub arm: String,
    /// The judge's grade; void ones are not compared.
    pub grade: Option<u8>,
}

/// The labels of one judgement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The first person's grade.
    pub first: Option<u8>,
    /// A second person's, where there is one.
    pub second: Option<u8>,
}

/// What to label: up to `per_grade` judgements of every grade, chosen by a digest of seed and id, in the order of the digests, so
/// that neighbours tell nothing about each other.
pub fn sample(graded: &[Graded], per_grade: usize, seed: u64) -> Vec<usize> {
    let draw =
        |id: &str| -> [u8; 32] { Sha256::new().chain_update(seed.to_le_bytes()).chain_update(id).finalize().into() };
    let mut order: Vec<(usize, [u8; 32])> = graded.iter().enumerate().map(|(at, one)| (at, draw(&one.id))).collect();
    order.sort_by_key(|(_, digest)| *digest);
    let mut taken: BTreeMap<u8, usize> = BTreeMap::new();
    let mut takes = |at: usize| {
        let Some(grade) = graded[at].grade else { return false };
        let count = taken.entry(grade).or_default();
        *count += 1;
        *count <= per_grade
    };
    order.into_iter().map(|(at, _)| at).filter(|&at| takes(at)).collect()
}

/// What labels say of a judge on one rubric.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Labelled judgements that are not void.
    pub labelled: usize,
    /// Share of equal grades.
    pub agreement: Option<f64>,
    /// Cohen's κ of the first person and the judge.
    pub kappa: Option<f64>,
    /// The same with quadratic weights.
    pub weighted_kappa: Option<f64>,
    /// Krippendorff's α, ordinal, of all persons and the judge.
    pub alpha: Option<f64>,
    /// α of the persons alone; `None` without a second one.
    pub alpha_of_persons: Option<f64>,
    /// Rows are the person's grades, columns the judge's.
    pub confusion: Confusion,
    /// Corrected means by arm, as shares of the highest grade.
    pub arms: Vec<(String, Result<Powered, NotPowered>)>,
}

/// Compares. `most` is the highest grade of the rubric.
pub fn calibrate(graded: &[Graded], labels: &BTreeMap<String, Label>, most: u8) -> Calibration {
    let known: Vec<(&Graded, u8, &Label)> = graded
        .iter()
        .filter_map(|one| Some((one, one.grade?, labels.get(&one.id)?)))
        .filter(|(_, _, label)| label.first.is_some())
        .collect();
    let pairs: Vec<(i64, i64)> =
        known.iter().filter_map(|(_, grade, label)| Some((label.first?.into(), (*grade).into()))).collect();
    let rated = |label: &Label| [label.first, label.second].into_iter().flatten().map(i64::from).collect::<Vec<_>>();
    let persons: Vec<Vec<i64>> = known.iter().map(|(_, _, label)| rated(label)).collect();
    let all: Vec<Vec<i64>> = persons
        .iter()
        .zip(&known)
        .map(|(persons, (_, grade, _))| persons.iter().copied().chain([i64::from(*grade)]).collect())
        .collect();
    let confusion = Confusion::new(&pairs);
    Calibration {
        labelled: known.len(),
        agreement: confusion.agreement(),
        kappa: cohen_kappa(&pairs, Level::Nominal),
        weighted_kappa: cohen_kappa(&pairs, Level::Interval),
        alpha: krippendorff_alpha(&all, Level::Ordinal),
        alpha_of_persons: krippendorff_alpha(&persons, Level::Ordinal),
        confusion,
        arms: arms(graded, labels, most),
    }
}

type Values = (Vec<(f64, f64)>, Vec<f64>);

fn arms(graded: &[Graded], labels: &BTreeMap<String, Label>, most: u8) -> Vec<(String, Result<Powered, NotPowered>)> {
    let share = |grade: u8| f64::from(grade) / f64::from(most.max(1));
    let mut arms: BTreeMap<&str, Values> = BTreeMap::new();
    for one in graded {
        let Some(judge) = one.grade else { continue };
        let (labelled, rest) = arms.entry(&one.arm).or_default();
        match labels.get(&one.id).and_then(|label| label.first) {
            Some(person) => labelled.push((share(person), share(judge))),
            None => rest.push(share(judge)),
        }
    }
    let one = |(arm, (labelled, rest)): (&str, Values)| (arm.to_owned(), powered_mean(&labelled, &rest, 0.95));
    arms.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graded(id: usize, grade: Option<u8>) -> Graded {
        Graded { id: format!("j{id}"), arm: if id.is_multiple_of(2) { "a" } else { "b" }.to_owned(), grade }
    }

    #[test]
    fn a_sample_has_every_grade_and_no_void_one() {
        let all: Vec<Graded> =
            (0..30_u8).map(|id| graded(id.into(), [Some(0), Some(2), None][usize::from(id) % 3])).collect();
        let taken = sample(&all, 4, 1);
        let count = |grade| taken.iter().filter(|&&at| all[at].grade == grade).count();
        assert_eq!((count(Some(0)), count(Some(2)), count(None)), (4, 4, 0));
        assert_eq!(taken, sample(&all, 4, 1));
        assert_ne!(taken, sample(&all, 4, 2), "the seed decides");
        assert_eq!(sample(&all, 50, 1).len(), 20);
    }

    #[test]
    fn labels_say_how_good_the_judge_is() {
        // Person against judge, by hand: (2,2) ×3, (0,0) ×3, (0,2) ×2. Agreement 6/8. Chance: person 3/8 and 5/8, judge 5/8 and
        // 3/8: 15/64 + 15/64 = 0.46875. κ = (0.75 − 0.46875) / 0.53125 = 0.529412.
        let grades = [2, 2, 2, 0, 0, 0, 2, 2];
        let person = [2, 2, 2, 0, 0, 0, 0, 0];
        let mut all: Vec<Graded> = grades.iter().enumerate().map(|(id, &grade)| graded(id, Some(grade))).collect();
        let of = |(id, &first): (usize, &u8)| (format!("j{id}"), Label { first: Some(first), second: None });
        let labels: BTreeMap<String, Label> = person.iter().enumerate().map(of).collect();
        all.extend((8..16).map(|id| graded(id, Some(2))));
        all.push(graded(16, None));
        let found = calibrate(&all, &labels, 2);
        assert_eq!((found.labelled, found.agreement), (8, Some(0.75)));
        assert!((found.kappa.unwrap() - 0.529_412).abs() < 1e-6 && found.alpha_of_persons.is_none());
        // Two grades alone: weights change nothing.
        assert!((found.weighted_kappa.unwrap() - found.kappa.unwrap()).abs() < 1e-12);
        assert_eq!(found.confusion.counts, [[3, 2], [0, 3]]);
        // Arm a: labelled 2 2 0 2 → persons 2 2 0 0: one of four is 1 too high in shares: 1 − 0.25.
        let (arm, powered) = &found.arms[0];
        assert_eq!(arm, "a");
        assert!((powered.as_ref().unwrap().point - 0.75).abs() < 1e-12);
    }
}
