//! `stats` against numpy, scipy and statsmodels (`scripts/golden/statistics.py`), against scikit-learn, krippendorff and ppi-python
//! (`scripts/golden/agreement.py`), and the coverage of its intervals.

#![expect(clippy::unwrap_used, reason = "a golden file that cannot be read is a failed test")]

use std::collections::BTreeMap;

use cutpoint::stats::{
    Draws, Judged, Level, Method, Resampling, benjamini_hochberg, cohen_kappa, describe, holm, interval,
    krippendorff_alpha, mean, powered_mean, sign_flip, sign_test, wilson,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    generator: Generator,
    samples: BTreeMap<String, Answers>,
    families: Vec<Family>,
    wilson: Vec<Rate>,
}

#[derive(Deserialize)]
struct Generator {
    seed: u64,
    outputs: Vec<String>,
}

#[derive(Deserialize)]
struct Answers {
    values: Vec<f64>,
    mean: f64,
    deviation: f64,
    standard_error: f64,
    quartiles: [f64; 3],
    intervals: BTreeMap<String, [f64; 2]>,
    sign_test: f64,
    sign_flip: Option<f64>,
}

#[derive(Deserialize)]
struct Family {
    p: Vec<f64>,
    holm: Vec<f64>,
    benjamini_hochberg: Vec<f64>,
}

#[derive(Deserialize)]
struct Rate {
    hits: usize,
    n: usize,
    interval: [f64; 2],
}

fn golden() -> Golden {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/statistics.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn close(what: &str, found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{what}: {found}, expected {expected} within {within}");
}

#[test]
fn the_generator_is_xoshiro256_plus_plus() {
    let Generator { seed, outputs } = golden().generator;
    let mut draws = Draws::new(seed);
    let found: Vec<String> = outputs.iter().map(|_| draws.bits().to_string()).collect();
    assert_eq!(found, outputs);
}

#[test]
fn descriptions_are_those_of_numpy() {
    for (name, answers) in golden().samples {
        let found = describe(&answers.values).unwrap();
        let quartiles = [found.lower_quartile, found.median, found.upper_quartile];
        close(&name, found.mean, answers.mean, 1e-12);
        close(&name, found.deviation.unwrap(), answers.deviation, 1e-12);
        close(&name, found.standard_error.unwrap(), answers.standard_error, 1e-12);
        quartiles.iter().zip(answers.quartiles).for_each(|(found, expected)| close(&name, *found, expected, 1e-12));
    }
}

#[test]
fn intervals_are_those_of_scipy_within_the_error_of_resampling() {
    for (name, answers) in golden().samples {
        for (method, key, within) in [
            (Method::BootstrapT, "bootstrap_t", 0.05),
            (Method::Percentile, "percentile", 0.03),
            (Method::Bca, "bca", 0.04),
            (Method::StudentT, "student", 1e-9),
        ] {
            let expected = answers.intervals[key];
            // A bound that scipy's many resamples find infinite is no bound: ours falls back, and says so.
            let found =
                interval(&answers.values, Resampling { method, draws: 19_999, ..Resampling::default() }).unwrap();
            assert!(!found.is_fallback(), "{name} {key}");
            let scale = expected[1] - expected[0];
            close(&format!("{name} {key} low"), found.low, expected[0], scale * within);
            close(&format!("{name} {key} high"), found.high, expected[1], scale * within);
        }
    }
}

#[test]
fn tests_of_signs_are_those_of_scipy() {
    for (name, answers) in golden().samples {
        let (above, below) = answers.values.iter().fold((0, 0), |(above, below), value| {
            (above + usize::from(*value > 0.0), below + usize::from(*value < 0.0))
        });
        close(&name, sign_test(above, below), answers.sign_test, 1e-12);
        let Some(expected) = answers.sign_flip else { continue };
        close(&name, sign_flip(&answers.values, 0).unwrap().p, expected, 1e-12);
    }
}

#[test]
fn corrections_and_rates_are_those_of_statsmodels_and_scipy() {
    let golden = golden();
    for Family { p, holm: by_holm, benjamini_hochberg: by_bh } in golden.families {
        holm(&p).iter().zip(by_holm).for_each(|(found, expected)| close("Holm", *found, expected, 1e-12));
        benjamini_hochberg(&p).iter().zip(by_bh).for_each(|(found, expected)| close("BH", *found, expected, 1e-12));
    }
    for Rate { hits, n, interval: [low, high] } in golden.wilson {
        let found = wilson(hits, n).unwrap();
        close("Wilson", found.0, low, 1e-12);
        close("Wilson", found.1, high, 1e-12);
    }
}

#[derive(Deserialize)]
struct Agreement {
    kappa: Vec<Kappa>,
    alpha: Vec<Alpha>,
    powered: Vec<Corrected>,
}

#[derive(Deserialize)]
struct Kappa {
    name: String,
    pairs: Vec<(i64, i64)>,
    nominal: f64,
    quadratic: f64,
}

#[derive(Deserialize)]
struct Alpha {
    name: String,
    units: Vec<Vec<i64>>,
    nominal: f64,
    interval: f64,
    ordinal: f64,
}

#[derive(Deserialize)]
struct Corrected {
    name: String,
    labelled: Vec<(f64, f64)>,
    unlabelled: Vec<f64>,
    point: f64,
}

#[test]
fn agreement_and_corrected_means_are_those_of_their_programs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/agreement.json");
    let golden: Agreement = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    for Kappa { name, pairs, nominal, quadratic } in golden.kappa {
        close(&name, cohen_kappa(&pairs, Level::Nominal).unwrap(), nominal, 1e-12);
        close(&name, cohen_kappa(&pairs, Level::Interval).unwrap(), quadratic, 1e-12);
    }
    for Alpha { name, units, nominal, interval, ordinal } in golden.alpha {
        for (level, expected) in [(Level::Nominal, nominal), (Level::Interval, interval), (Level::Ordinal, ordinal)] {
            close(&name, krippendorff_alpha(&units, level).unwrap(), expected, 1e-12);
        }
    }
    // That program knows no lineages, and adds its correction to the judge's mean over the rest alone: with every value a lineage
    // of its own, the correction is the same.
    for Corrected { name, labelled, unlabelled, point } in golden.powered {
        let names: Vec<String> = (0..labelled.len() + unlabelled.len()).map(|at| at.to_string()).collect();
        #[expect(clippy::cast_precision_loss, reason = "some dozens")]
        let weight = names.len() as f64 / labelled.len() as f64;
        let known = labelled.iter().map(|(person, judge)| (Some(*person), *judge));
        let all = known.chain(unlabelled.iter().map(|judge| (None, *judge))).zip(&names);
        let values: Vec<Judged<'_>> = all
            .map(|((person, judge), name)| Judged { lineage: name, transcript: name, judge, person, weight })
            .collect();
        let found = powered_mean(&values, Resampling::default()).unwrap();
        let rest = mean(&unlabelled).unwrap();
        close(&name, found.point - found.judged, point - rest, 1e-12);
        assert_eq!((found.labelled, found.unlabelled), (labelled.len(), unlabelled.len()));
    }
}

#[test]
fn an_interval_that_cannot_be_had_says_so() {
    let resampling = Resampling::default();
    assert_eq!(interval(&[1.0; 4], resampling).unwrap_err().to_string(), "4 units; an interval needs 5");
    assert!(interval(&[1.0, 2.0, 3.0, 4.0, f64::NAN], resampling).is_err());
    // No spread at all: the mean is all there is to say.
    let equal = interval(&[0.1; 8], resampling).unwrap();
    assert!(equal.low.to_bits() == equal.high.to_bits() && !equal.is_fallback(), "{equal:?}");
    // One unit in eight differs: a third of the resamples have no spread, and bootstrap-t no bound.
    let lone = interval(&[0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], resampling).unwrap();
    assert!(lone.is_fallback() && lone.low >= 0.0 && lone.high <= 0.5, "{lone:?}");
    assert_eq!(lone.to_string(), "95 % interval by percentile, 1999 draws, seed 0");
}

#[test]
fn the_seed_decides_alone() {
    let values: Vec<f64> = (1..=12).map(|at| f64::from(at).sqrt()).collect();
    let of = |seed| interval(&values, Resampling { seed, ..Resampling::default() }).unwrap();
    assert_eq!(of(3), of(3));
    assert!((of(3).low - of(4).low).abs() > 1e-12);
}

/// Share of simulated samples of `n` normal numbers whose 95 % interval holds their true mean.
fn coverage(n: usize) -> f64 {
    const SAMPLES: u32 = 1_500;
    let mut draws = Draws::new(n as u64);
    let held = |seed: u32| {
        let values: Vec<f64> = (0..n).map(|_| 2.0 + 3.0 * draws.normal()).collect();
        let resampling = Resampling { draws: 399, seed: u64::from(seed), ..Resampling::default() };
        let found = interval(&values, resampling).unwrap();
        u32::from(found.low <= 2.0 && 2.0 <= found.high)
    };
    let held: u32 = (0..SAMPLES).map(held).sum();
    f64::from(held) / f64::from(SAMPLES)
}

/// 1,500 samples estimate a coverage of 0.95 with a standard error of 0.6 points.
fn covers(n: usize) {
    let found = coverage(n);
    close(&format!("coverage at n = {n}"), found, 0.95, 0.02);
}

#[test]
fn intervals_of_8_units_cover_what_they_say() {
    covers(8);
}

#[test]
fn intervals_of_12_units_cover_what_they_say() {
    covers(12);
}

#[test]
fn intervals_of_20_units_cover_what_they_say() {
    covers(20);
}

#[test]
fn intervals_of_30_units_cover_what_they_say() {
    covers(30);
}
