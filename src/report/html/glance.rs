//! At a glance: the questions that a reader comes with, each with its answer in a sentence and a way to the evidence.

use maud::{Markup, html};

use super::super::model::{StrategyRow, Verdict};
use super::super::number::{Format, count};
use super::super::text::visible;
use super::cell::{datum_at, mock_tag, names, setting, strategy};
use super::critical;
use super::section::{Body, Page, Section};
use super::{ReportError, verdict};

pub(super) const SECTION: Section = Section { id: "glance", title: "At a glance", render };

/// Lost rules that are told; the rest stands in the table of all.
const RULES: usize = 3;

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let verdicts = &page.model.verdicts;
    if verdicts.is_empty() {
        return Ok(Body::Absent("the run holds no cell"));
    }
    Ok(Body::Shown(html! {
        @for (row, verdict) in verdicts.iter().enumerate() {
            @if verdicts.len() == 1 { (answers(page, verdict, row)) }
            @else { details open[row == 0] { summary { (setting(&verdict.setting)) } (answers(page, verdict, row)) } }
        }
    }))
}

fn answers(page: Page<'_, '_>, verdict: &Verdict<'_>, row: usize) -> Markup {
    let is_mock = page.model.is_mock(&verdict.setting);
    let one = |question: &str, is_mock: bool, answer: &Markup| {
        html! { div { dt { (question) @if is_mock { (mock_tag()) } } dd { (answer) } } }
    };
    html! {
        dl class="glance" {
            (one("Which strategy forgets least?", is_mock, &least(page, verdict, row)))
            (one("Which loses least per dollar?", is_mock, &per_dollar(page, verdict)))
            (one("Is the difference significant?", is_mock, &significance(page, verdict, row)))
            (one("Where does the estimate fail?", false, &estimate(page, verdict)))
            (one("What does a compaction cost?", is_mock, &compaction(page, verdict, row)))
            (one("Which rule was lost, and where was it said?", is_mock, &rules(page, verdict, row)))
        }
    }
}

fn least(page: Page<'_, '_>, verdict: &Verdict<'_>, row: usize) -> Markup {
    let (Some(best), Some(loss)) = (verdict.best, verdict.best_loss) else {
        return html! { "Unknown: goal-loss has no number. " a href=(page.main("voids")) { "Why" } };
    };
    let at = |column| ("verdicts.csv", row, column);
    html! {
        b { (strategy(page.model, best)) } ": goal-loss " b { (datum_at(loss, at("goal_loss"), &Format::Score.write(loss))) }
        " (0: all annotated items kept, 1: all lost), mean over "
        (datum_at(verdict.lineages, at("lineages"), &count(verdict.lineages as u64)))
        @if verdict.lineages == 1 { " lineage" } @else { " lineages" } " (sessions of one origin are one). "
        (not_compared(page, verdict))
        a href=(page.main("strategies")) { "All strategies" }
    }
}

/// Strategies that the answer leaves out.
fn not_compared(page: Page<'_, '_>, verdict: &Verdict<'_>) -> Markup {
    html! {
        @if !verdict.incomparable.is_empty() {
            "Not compared, because they were scored on fewer lineages: " (names(page.model, verdict.incomparable.iter().copied())) ". "
        }
    }
}

fn per_dollar(page: Page<'_, '_>, verdict: &Verdict<'_>) -> Markup {
    let Some(best) = page.model.most_per_usd(&verdict.setting) else {
        return html! { "Unknown: no strategy has both a goal-loss and a price. " a href=(page.main("pareto")) { "By tokens" } };
    };
    let number = |value: f64, column: &str, format: Format| {
        datum_at(value, ("pareto.csv", best.row, column), &format.write(value))
    };
    html! {
        b { (strategy(page.model, best.label)) } ": goal-loss " b { (number(best.goal_loss, "goal_loss", Format::Score)) } " for "
        b { "$" (number(best.cost, "cost", Format::Dollars)) } " a session. It keeps most for a dollar: (1 − goal-loss) per dollar is "
        b { (number(best.kept_per_usd, "kept_per_usd", Format::Score)) } ". " a href=(page.main("pareto")) { "Cost against loss" }
    }
}

fn significance(page: Page<'_, '_>, verdict: &Verdict<'_>, row: usize) -> Markup {
    let Some(best) = verdict.best.filter(|_| !verdict.contrasts.is_empty()) else {
        return html! { "There is nothing to compare." };
    };
    let (all, sure, needed) = (verdict.contrasts.len(), verdict.significant(), verdict.needed_lineages());
    let number = |value: usize, column: &str| datum_at(value, ("verdicts.csv", row, column), &count(value as u64));
    let others = if all == 1 { " other" } else { " others" };
    let (all_shown, sure_shown) = (number(all, "compared_strategies"), number(sure, "significant_strategies"));
    html! {
        @match sure {
            0 => { b { "No." } " None of the " (all_shown) (others) " loses significantly more than " b { (visible(&page.model.labels[best])) } " (" },
            _ if sure == all => { b { "Yes." } " Each of the " (all_shown) (others) " loses significantly more than " b { (visible(&page.model.labels[best])) } " (" },
            _ => { b { "In part." } " Of the " (all_shown) (others) ", " (sure_shown) " lose significantly more than " b { (visible(&page.model.labels[best])) } " (" },
        }
        "sign-flip test, 5 %, Holm)."
        @if verdict.lineages < needed {
            " The sample is too small to show any: " (number(verdict.lineages, "lineages")) " of at least "
            (number(needed, "needed_lineages")) " lineages."
        }
        " " a href=(page.main(&verdict::contrasts_id(row))) { "Each difference" }
    }
}

fn estimate(page: Page<'_, '_>, verdict: &Verdict<'_>) -> Markup {
    let errors = &page.model.classes;
    let Some((at, error)) = verdict.worst_class.and_then(|at| Some((at, errors.rows[at].error?))) else {
        return match verdict.estimators.first() {
            Some(_) => html! {
                a href=(page.main("verdict")) { "By strategy" }
                @if errors.rows.is_empty() { "; the run did not record estimates by class." }
                @else { "; no class of content has an error of these estimators." }
            },
            None => html! { "Unknown: no strategy asked an estimator." },
        };
    };
    let row = &errors.rows[at];
    let tied: Vec<usize> = errors.tied(at).into_iter().map(|at| errors.rows[at].estimator).collect();
    let others = errors.rows.iter().filter(|other| other.class == row.class && !tied.contains(&other.estimator));
    let others: Vec<f64> = others.filter_map(|other| other.error).collect();
    let asking = tied.iter().flat_map(|&estimator| verdict::asking(page.model, verdict, estimator));
    html! {
        "On " b { (visible(row.class)) } ": "
        @for (nth, &estimator) in tied.iter().enumerate() {
            @if nth > 0 { " and " } code { (visible(errors.estimators[estimator])) }
        }
        @if tied.len() == 1 { " counts " } @else { " count " }
        b { (datum_at(error, ("classes.csv", at, "error"), &Format::SignedPercent.write(error))) " %" }
        @if error < 0.0 { ", too few tokens" } @else { ", too many tokens" }
        " (used by " (names(page.model, asking)) "). "
        @if !others.is_empty() && others.iter().all(|other| other * error > 0.0) { "The other estimators err there in the same direction. " }
        (whole_requests(page, verdict))
        a href=(page.main("classes")) { "Every class and estimator" }
    }
}

/// The strategy whose estimates of whole requests are farthest off: an estimator that is anchored to usage errs only on what came since.
fn whole_requests(page: Page<'_, '_>, verdict: &Verdict<'_>) -> Markup {
    let model = page.model;
    let Some(worst) = verdict.estimators.first() else { return html! {} };
    let is_it = |row: &StrategyRow<'_>| row.label == worst.label && row.setting == verdict.setting;
    let row = model.strategies.iter().position(is_it).unwrap_or(0);
    let at = ("strategies.csv", row, "estimation_abs_error_ratio");
    html! {
        "Over whole requests " b { (visible(&model.labels[worst.label])) } " is off most, by "
        b { (datum_at(worst.absolute, at, &Format::Percent.write(worst.absolute))) " %" } " on average. "
    }
}

/// Over how many compactions a mean of dollars is, where it is not over all.
pub(super) fn of_priced(verdict: &Verdict<'_>, row: usize) -> Markup {
    html! {
        @if let Some(priced) = verdict.priced_in_part() {
            " (of " (datum_at(priced, ("verdicts.csv", row, "priced_compactions"), &count(priced as u64))) " with a price)"
        }
    }
}

fn compaction(page: Page<'_, '_>, verdict: &Verdict<'_>, row: usize) -> Markup {
    let Some(worst) = &verdict.worst_compaction else { return html! { "Nothing was compacted." } };
    let number =
        |value: f64, column: &str, format: Format| datum_at(value, ("verdicts.csv", row, column), &format.write(value));
    html! {
        "On average "
        @if let Some(dearest) = &verdict.dearest_compaction {
            b { "$" (number(dearest.mean_one_time_usd, "mean_one_time_usd", Format::Dollars)) }
            " once" (of_priced(verdict, row)) " (at most $" (number(dearest.one_time_usd, "greatest_one_time_usd", Format::Dollars)) "), and "
        }
        b { (number(worst.mean_invalidated_tokens, "mean_invalidated_tokens", Format::Whole)) }
        " tokens of the cached prefix made worthless, over "
        (datum_at(worst.count, ("verdicts.csv", row, "compactions"), &count(worst.count as u64)))
        @if worst.count == 1 { " compaction. " } @else { " compactions. " }
        a href=(page.main("compactions")) { "Each of them" }
    }
}

fn rules(page: Page<'_, '_>, verdict: &Verdict<'_>, row: usize) -> Markup {
    let items = page.model.by_item(&verdict.constraints);
    if items.is_empty() {
        return html! {
            @if verdict.best.is_none() { "Unknown: nothing was scored." }
            @else if verdict.scored.constraints == 0 { "Unknown: no rule was annotated in a scored cell." }
            @else { b { "None" } " of the person's rules was lost." }
        };
    }
    let all = datum_at(items.len(), ("verdicts.csv", row, "lost_constraints"), &count(items.len() as u64));
    html! {
        @if items.len() > RULES { (all) " rules were lost, such as: " }
        ul {
            @for losses in items.iter().take(RULES) {
                li { @if losses[0].critical { b { "Critical: " } } (critical::sentence(page, losses)) }
            }
        }
        a href=(page.main("critical")) { "All rules and critical items that were lost" }
    }
}
