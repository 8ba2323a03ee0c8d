//! A person's labels beside the judge's grades: which to label, and what they say of the judge.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::stats::{
    Confusion, Judged, Level, NotPowered, Powered, Resampling, cohen_kappa, krippendorff_alpha, powered_mean,
    stands_for,
};

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
    /// Lineage of the transcript: the unit of the corrected means.
    pub lineage: String,
    /// The transcript.
    pub transcript: String,
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
    pub arms: Vec<(String, Result<Powered, Uncorrected>)>,
}

/// Why an arm has no corrected mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Uncorrected {
    /// What the judge gave so often, no person has seen: whether it is right is not known.
    #[error("no label says whether the judge's grade {grade} is right, which it gave {judgements} times")]
    Grade {
        /// The grade.
        grade: u8,
        /// How often the judge gave it on this rubric.
        judgements: usize,
    },
    /// The mean cannot be had.
    #[error(transparent)]
    NotPowered(#[from] NotPowered),
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

/// Judgements of each grade on a rubric, and how many of them are labelled: a sample takes rare grades more often.
type Strata = BTreeMap<u8, (usize, usize)>;

fn strata(graded: &[Graded], person: impl Fn(&Graded) -> Option<u8>) -> Strata {
    let mut strata = Strata::new();
    for one in graded {
        let Some(grade) = one.grade else { continue };
        let (all, labelled) = strata.entry(grade).or_default();
        *all += 1;
        *labelled += usize::from(person(one).is_some());
    }
    strata
}

fn arms(graded: &[Graded], labels: &BTreeMap<String, Label>, most: u8) -> Vec<(String, Result<Powered, Uncorrected>)> {
    let person = |one: &Graded| labels.get(&one.id).and_then(|label| label.first);
    let strata = strata(graded, person);
    let mut arms: BTreeMap<&str, Vec<(u8, &Graded)>> = BTreeMap::new();
    for one in graded {
        if let Some(grade) = one.grade {
            arms.entry(&one.arm).or_default().push((grade, one));
        }
    }
    let one = |values: Vec<(u8, &Graded)>| -> Result<Powered, Uncorrected> {
        let values: Vec<Judged<'_>> = values
            .into_iter()
            .map(|(grade, one)| judged(grade, one, person(one), &strata, most))
            .collect::<Result<_, _>>()?;
        Ok(powered_mean(&values, Resampling::default())?)
    };
    arms.into_iter().map(|(arm, values)| (arm.to_owned(), one(values))).collect()
}

/// A judgement with its label, and what it stands for, as shares of the highest grade.
fn judged<'g>(
    grade: u8,
    one: &'g Graded,
    person: Option<u8>,
    strata: &Strata,
    most: u8,
) -> Result<Judged<'g>, Uncorrected> {
    let (all, labelled) = strata.get(&grade).copied().unwrap_or_default();
    let weight = stands_for(all, labelled).ok_or(Uncorrected::Grade { grade, judgements: all })?;
    let share = |grade: u8| f64::from(grade) / f64::from(most.max(1));
    let Graded { lineage, transcript, .. } = one;
    Ok(Judged { lineage, transcript, judge: share(grade), person: person.map(share), weight })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graded(id: usize, grade: Option<u8>) -> Graded {
        let arm = if id.is_multiple_of(2) { "a" } else { "b" }.to_owned();
        // Two neighbours of an arm are one session.
        let lineage = format!("l{}", id / 4);
        Graded { id: format!("j{id}"), arm, grade, transcript: lineage.clone(), lineage }
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
        // The judge gave 2 in 13 cases, of which 5 are labelled: each stands for 2.6. Two of them are wrong, one of arm a: its
        // values, as shares, are 1 1 | 0 1 − 2.6 | 1 1 | 1 1, and its lineages 1, −0.8, 1, 1.
        let (arm, powered) = &found.arms[0];
        let powered = powered.as_ref().unwrap();
        assert_eq!((arm.as_str(), powered.lineages, powered.labelled, powered.unlabelled), ("a", 4, 4, 4));
        assert!((powered.judged - 0.875).abs() < 1e-12 && (powered.point - 0.55).abs() < 1e-12, "{powered:?}");
        assert_eq!(powered.interval, Err(crate::stats::NoInterval::TooFew { n: 4 }));
        // A grade that no person has seen is not taken to be right.
        all.push(graded(18, Some(1)));
        let found = calibrate(&all, &labels, 2);
        assert_eq!(found.arms[0].1, Err(Uncorrected::Grade { grade: 1, judgements: 1 }));
        assert!(found.arms[1].1.is_ok(), "the other arm has none of it");
    }
}
