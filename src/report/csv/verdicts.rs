//! The answers that the page begins with: a row per setting.

use std::io::Write;

use ::csv::Writer;

use super::columns::Fixed;
use super::{maybe, word};
use crate::report::model::Verdict;
use crate::report::{ReportError, ReportModel};

pub(super) const COLUMNS: [Fixed; 25] = [
    ("model", "text", "Name of the model."),
    ("window_tokens", "tokens", "Context window."),
    ("history", "text", "full or recorded."),
    ("mock", "true or false", "A mock wrote some of the summaries: they say nothing about a real model."),
    ("least_loss_strategy", "text", "The strategy that loses least, of those with the most lineages."),
    ("goal_loss", "score", "Its mean goal-loss; empty without one."),
    ("lineages", "count", "Lineages behind it."),
    ("compared_strategies", "count", "Others that it is compared with, in contrasts.csv."),
    ("significant_strategies", "count", "Of these, those that lose significantly more."),
    ("needed_lineages", "count", "Lineages without which so many comparisons cannot find anything significant."),
    ("per_usd_strategy", "text", "The strategy that keeps most for a dollar; empty without a price."),
    ("kept_per_usd", "score per usd", "What it does not lose (1 less goal-loss) for a dollar."),
    ("worst_class_estimator", "text", "The estimator that is farthest off on a class of content."),
    ("worst_class", "text", "That class; those below 1 % of the tokens are left out."),
    ("worst_class_error", "ratio", "Its error there, mean over lineages; below 0 it is too low."),
    ("compactions", "count", "Compactions of all cells."),
    ("mean_invalidated_tokens", "tokens per compaction", "Cached prefix that one made worthless, mean over lineages."),
    ("worst_invalidated_tokens", "tokens", "The same of the worst one."),
    ("priced_compactions", "count", "Compactions with a price."),
    ("mean_one_time_usd", "usd", "What one costs once, mean over lineages; empty without a price."),
    ("greatest_one_time_usd", "usd", "The same of the dearest one."),
    (
        "critical_losses",
        "count",
        "Critical items lost or contradicted, in all cells with a goal-loss; empty where these have none.",
    ),
    ("critical_strategies", "count", "Strategies that lost one."),
    (
        "lost_constraints",
        "count",
        "Different rules of the person that some strategy lost or contradicted; empty where none was scored.",
    ),
    ("constraint_strategies", "count", "Strategies that lost one."),
];

pub(super) fn write(model: &ReportModel, csv: &mut Writer<impl Write>) -> Result<(), ReportError> {
    for verdict in &model.verdicts {
        csv.write_record(fields(model, verdict))?;
    }
    Ok(())
}

fn fields(model: &ReportModel, verdict: &Verdict<'_>) -> [String; 25] {
    let name = |label: Option<usize>| word(label.map_or("", |label| &model.labels[label]));
    let of = |scored: usize, lost: usize| maybe((scored > 0).then_some(lost));
    let per_usd = model.most_per_usd(&verdict.setting);
    let class = verdict.worst_class.map(|at| &model.classes.rows[at]);
    let (worst, dearest) = (&verdict.worst_compaction, &verdict.dearest_compaction);
    [
        word(verdict.setting.model),
        verdict.setting.window_tokens.to_string(),
        word(verdict.setting.history),
        model.is_mock(&verdict.setting).to_string(),
        name(verdict.best),
        maybe(verdict.best_loss),
        verdict.lineages.to_string(),
        verdict.contrasts.len().to_string(),
        verdict.significant().to_string(),
        verdict.needed_lineages().to_string(),
        name(per_usd.map(|best| best.label)),
        maybe(per_usd.map(|best| best.kept_per_usd)),
        word(class.map_or("", |class| model.classes.estimators[class.estimator])),
        word(class.map_or("", |class| class.class)),
        maybe(class.and_then(|class| class.error)),
        worst.map_or(0, |worst| worst.count).to_string(),
        maybe(worst.map(|worst| worst.mean_invalidated_tokens)),
        maybe(worst.map(|worst| worst.record.invalidated_tokens)),
        dearest.map_or(0, |dearest| dearest.count).to_string(),
        maybe(dearest.map(|dearest| dearest.mean_one_time_usd)),
        maybe(dearest.map(|dearest| dearest.one_time_usd)),
        of(verdict.scored.critical, verdict.critical.len()),
        of(verdict.scored.critical, model.losers(&verdict.critical).len()),
        of(verdict.scored.constraints, model.by_item(&verdict.constraints).len()),
        of(verdict.scored.constraints, model.losers(&verdict.constraints).len()),
    ]
}
