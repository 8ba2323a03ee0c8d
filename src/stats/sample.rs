//! From cells to one number per lineage.

use std::collections::BTreeMap;

use super::mean;

/// One cell's value. `value` is `None` where the measure is void.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation<'a> {
    /// Lineage of the transcript.
    pub lineage: &'a str,
    /// The transcript; seeds and replicates of it are averaged first.
    pub transcript: &'a str,
    /// The value, if there is one.
    pub value: Option<f64>,
}

/// One number per lineage, and what did not enter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample<'a> {
    /// Lineages that have a number, by name, with it.
    pub units: Vec<(&'a str, f64)>,
    /// Lineages all of whose cells are void.
    pub void_units: usize,
    /// Cells that have a number.
    pub cells: usize,
    /// Cells that are void.
    pub void_cells: usize,
}

impl<'a> Sample<'a> {
    /// The mean over replicates of each transcript, then the mean over transcripts of each lineage: replicates and forks never
    /// count as units. A value that is not finite counts as void.
    pub fn of(observations: impl IntoIterator<Item = Observation<'a>>) -> Self {
        let mut lineages: BTreeMap<&str, BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
        let mut sample = Self::default();
        for Observation { lineage, transcript, value } in observations {
            let transcripts = lineages.entry(lineage).or_default();
            match value.filter(|value| value.is_finite()) {
                Some(value) => {
                    transcripts.entry(transcript).or_default().push(value);
                    sample.cells += 1;
                }
                None => sample.void_cells += 1,
            }
        }
        for (lineage, transcripts) in lineages {
            let means: Vec<f64> = transcripts.values().filter_map(|values| mean(values)).collect();
            match mean(&means) {
                Some(value) => sample.units.push((lineage, value)),
                None => sample.void_units += 1,
            }
        }
        sample
    }

    /// The numbers alone, in the order of the names.
    pub fn values(&self) -> Vec<f64> {
        self.units.iter().map(|(_, value)| *value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replicates_and_forks_do_not_count_as_units() {
        let cell = |lineage, transcript, value| Observation { lineage, transcript, value };
        let sample = Sample::of([
            cell("b", "b1", Some(1.0)),
            cell("a", "a1", Some(0.0)),
            cell("a", "a1", Some(2.0)),
            cell("a", "a2", Some(4.0)),
            cell("a", "a2", None),
            cell("c", "c1", None),
            cell("c", "c1", Some(f64::NAN)),
        ]);
        // a1 is 1, a2 is 4: lineage a is 2.5, not the 2 of its three cells.
        assert_eq!(sample.units, [("a", 2.5), ("b", 1.0)]);
        assert_eq!((sample.void_units, sample.cells, sample.void_cells), (1, 4, 3));
    }
}
