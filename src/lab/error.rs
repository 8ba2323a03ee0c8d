//! How wrong: signed relative errors, by group.

use std::collections::BTreeMap;

use super::observe::Observed;
use crate::stats::{Resampling, interval, mean, quantile, real};
use crate::transcript::{Role, Tokens};

/// What one pair of estimate and truth is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// One message, against the tokenizer.
    Message,
    /// The messages of one request, against the truth.
    Request,
}

impl Scope {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Request => "request",
        }
    }
}

/// By what pairs are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// All of them.
    All,
    /// By content class.
    Class,
    /// By who speaks.
    Role,
    /// By script, which stands for the language.
    Script,
    /// By format of the file, that is by agent.
    Format,
}

impl Group {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Class => "class",
            Self::Role => "role",
            Self::Script => "script",
            Self::Format => "format",
        }
    }
}

/// The errors of one estimator in one group. Ratios are parts of the truth; an empty number means that there was no such
/// pair, or that there are too few lineages for an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorRow {
    /// The estimator.
    pub subject: String,
    /// What was compared.
    pub scope: Scope,
    /// How the pairs are grouped.
    pub group: Group,
    /// The group.
    pub value: String,
    /// Pairs.
    pub pairs: u64,
    /// Lineages they come from.
    pub lineages: u64,
    /// All estimated tokens over all true ones, less 1.
    pub total: Option<f64>,
    /// Mean over lineages of that error, and its interval (bootstrap-t over lineages, 95 %).
    pub lineage_total: Option<f64>,
    /// Lower bound.
    pub low: Option<f64>,
    /// Upper bound.
    pub high: Option<f64>,
    /// Mean signed error of the pairs: the bias.
    pub bias: Option<f64>,
    /// Mean absolute error of the pairs.
    pub absolute: Option<f64>,
    /// Median, 95 % quantile and largest of the under-estimates, as positive parts of the truth.
    pub under: [Option<f64>; 3],
    /// The same of the over-estimates.
    pub over: [Option<f64>; 3],
}

/// Pairs of estimate and truth of one group.
#[derive(Clone, Debug, Default)]
struct Pairs<'l> {
    errors: Vec<f64>,
    /// Sums of estimates and truths.
    lineages: BTreeMap<&'l str, (f64, f64)>,
}

impl<'l> Pairs<'l> {
    fn push(&mut self, lineage: &'l str, estimate: f64, truth: f64) {
        if truth > 0.0 {
            self.errors.push((estimate - truth) / truth);
            let sums = self.lineages.entry(lineage).or_default();
            *sums = (sums.0 + estimate, sums.1 + truth);
        }
    }

    fn row(&self, subject: &str, scope: Scope, group: Group, value: &str) -> ErrorRow {
        let sums = self.lineages.values().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let totals: Vec<f64> = self.lineages.values().map(|(estimate, truth)| estimate / truth - 1.0).collect();
        let bounds = interval(&totals, Resampling::default()).ok();
        let part = |sign: f64| {
            let mut part: Vec<f64> =
                self.errors.iter().map(|error| error * sign).filter(|error| *error > 0.0).collect();
            part.sort_by(f64::total_cmp);
            [quantile(&part, 0.5), quantile(&part, 0.95), part.last().copied()]
        };
        let absolute: Vec<f64> = self.errors.iter().map(|error| error.abs()).collect();
        ErrorRow {
            subject: subject.to_owned(),
            scope,
            group,
            value: value.to_owned(),
            pairs: self.errors.len() as u64,
            lineages: self.lineages.len() as u64,
            total: (sums.1 > 0.0).then(|| sums.0 / sums.1 - 1.0),
            lineage_total: mean(&totals),
            low: bounds.map(|bounds| bounds.low),
            high: bounds.map(|bounds| bounds.high),
            bias: mean(&self.errors),
            absolute: mean(&absolute),
            under: part(-1.0),
            over: part(1.0),
        }
    }
}

/// A count as a number.
pub(super) fn number(tokens: Tokens) -> f64 {
    real(usize::try_from(tokens.0).unwrap_or(usize::MAX))
}

/// The word for a role.
fn role(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::ToolResult => "tool_result",
        Role::BashExecution => "shell_command",
        Role::Custom => "extension",
        Role::BranchSummary => "branch_summary",
        Role::CompactionSummary => "compaction_summary",
        Role::System => "system",
    }
}

/// The errors of the subject with this index and name.
pub(super) fn rows(sessions: &[Observed], index: usize, subject: &str) -> Vec<ErrorRow> {
    let mut groups: BTreeMap<(Scope, Group, &str), Pairs<'_>> = BTreeMap::new();
    for observed in sessions {
        let (lineage, format) = (observed.session.lineage.as_str(), observed.session.format.as_str());
        for message in &observed.messages {
            let (estimate, truth) = (number(message.estimates[index]), number(message.truth));
            let keys = [
                (Group::All, "all"),
                (Group::Class, message.class.name()),
                (Group::Role, role(message.role)),
                (Group::Script, message.script.name()),
                (Group::Format, format),
            ];
            for (group, value) in keys {
                groups.entry((Scope::Message, group, value)).or_default().push(lineage, estimate, truth);
            }
        }
        for request in &observed.requests {
            let head = number(request.head);
            let (estimate, truth) = (number(request.estimates[index].0) - head, number(request.truth) - head);
            for key in [(Group::All, "all"), (Group::Format, format)] {
                groups.entry((Scope::Request, key.0, key.1)).or_default().push(lineage, estimate, truth);
            }
        }
    }
    groups.iter().map(|(&(scope, group, value), pairs)| pairs.row(subject, scope, group, value)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Group, Pairs, Scope};

    #[test]
    fn errors_are_signed_parts_of_the_truth() {
        let mut pairs = Pairs::default();
        for (lineage, estimate, truth) in [("a", 50.0, 100.0), ("a", 90.0, 100.0), ("b", 30.0, 20.0), ("b", 5.0, 0.0)] {
            pairs.push(lineage, estimate, truth);
        }
        let row = pairs.row("x", Scope::Message, Group::All, "all");
        assert_eq!((row.pairs, row.lineages), (3, 2));
        let near = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-12;
        // 170 / 220 - 1; a: 140 / 200 - 1 = -0.3, b: 0.5, mean 0.1; errors -0.5, -0.1, 0.5.
        assert!(near(row.total, 170.0 / 220.0 - 1.0) && near(row.lineage_total, 0.1));
        assert!(near(row.bias, -0.1 / 3.0) && near(row.absolute, 1.1 / 3.0));
        assert!(near(row.under[0], 0.3) && near(row.under[1], 0.48) && near(row.under[2], 0.5));
        assert!(near(row.over[2], 0.5));
        // Two lineages have no interval.
        assert_eq!((row.low, row.high), (None, None));
    }
}
