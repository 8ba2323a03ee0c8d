//! The answers first: what loses least, whether that is chance, what it costs, where the estimate fails, what was lost.

use maud::{Markup, html};

use super::super::model::{ALPHA, Contrast, DearestCompaction, PerUsd, Verdict};
use super::super::number::{Format, count, real};
use super::super::text::visible;
use super::cell::{dash, datum, datum_at, mock_tag, names, scroll_fit, setting, strategy};
use super::glance::of_priced;
use super::section::{Body, Page, Section};
use super::strategies::prices;
use super::{ReportError, ReportModel, compactions, critical};

pub(super) const SECTION: Section = Section { id: "verdict", title: "Verdict", render };

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.verdicts.is_empty() {
        return Ok(Body::Absent("the run holds no cell"));
    }
    let mut first_contrast = 0;
    let mut settings = Vec::new();
    for (row, verdict) in model.verdicts.iter().enumerate() {
        settings.push(html! {
            @if model.verdicts.len() > 1 { h3 { (setting(&verdict.setting)) } }
            (cards(page, verdict, row))
            div id=(contrasts_id(row)) { (contrasts(page, verdict, first_contrast)) }
        });
        first_contrast += verdict.contrasts.len();
    }
    Ok(Body::Shown(html! { @for setting in &settings { (setting) } }))
}

/// The anchor of the differences of a setting.
pub(super) fn contrasts_id(row: usize) -> String {
    format!("contrasts-{row}")
}

/// The strategies of a setting that ask this estimator, in the order of the grid.
pub(super) fn asking(model: &ReportModel, verdict: &Verdict<'_>, estimator: usize) -> Vec<usize> {
    let name = model.classes.estimators[estimator];
    let rows = model.strategies.iter().filter(|row| row.setting == verdict.setting && row.first.estimator == name);
    rows.map(|row| row.label).collect()
}

fn cards(page: Page<'_, '_>, verdict: &Verdict<'_>, row: usize) -> Markup {
    let card = |title: &str, body: &Markup| html! { li { h3 { (title) } (body) } };
    html! {
        ul class="cards" {
            (card("Which strategy forgets least?", &least_loss(page, verdict)))
            (card("Is the difference significant?", &significance(page, verdict)))
            (card("Which loses least per dollar?", &price(page, verdict)))
            (card("Where does the estimate fail?", &estimate(page, verdict)))
            (card("What does a compaction cost?", &compaction(page, verdict, row)))
            (card("Was anything critical lost?", &critical::card(page, verdict, row)))
        }
    }
}

fn least_loss(page: Page<'_, '_>, verdict: &Verdict<'_>) -> Markup {
    let model = page.model;
    let (Some(best), Some(loss)) = (verdict.best, verdict.best_loss) else {
        return html! { p { "Unknown: goal-loss has no number in this setting. " a href=(page.main("voids")) { "Why" } } };
    };
    let row = model.strategies.iter().position(|row| row.label == best && row.setting == verdict.setting).unwrap_or(0);
    html! {
        p {
            (strategy(model, best)) @if model.strategies[row].mock { (mock_tag()) }
        }
        p {
            "Goal-loss " b { (datum_at(loss, ("strategies.csv", row, "goal_loss"), &Format::Score.write(loss))) }
            ", mean over " (verdict.lineages) @if verdict.lineages == 1 { " lineage" } @else { " lineages" }
            " (0: all annotated items kept, 1: all lost)."
            @if !verdict.incomparable.is_empty() {
                " Not compared, because they have numbers for fewer lineages: "
                (names(model, verdict.incomparable.iter().copied())) "."
            }
        }
    }
}

fn significance(page: Page<'_, '_>, verdict: &Verdict<'_>) -> Markup {
    if verdict.contrasts.is_empty() {
        return html! { p { "There is nothing to compare with." } };
    }
    let comparisons = verdict.contrasts.len();
    let (sure, unsure): (Vec<&Contrast>, Vec<&Contrast>) =
        verdict.contrasts.iter().partition(|contrast| contrast.is_significant());
    let needed = verdict.needed_lineages();
    html! {
        @if sure.is_empty() {
            p { b { "No." } " No difference to another strategy is significant at " (ALPHA * 100.0) " %, corrected for "
                (comparisons) @if comparisons == 1 { " comparison." } @else { " comparisons." } }
        } @else {
            p { b { "In part." } " It loses significantly less than " (names(page.model, sure.iter().map(|one| one.label))) "." }
            @if !unsure.is_empty() {
                p { "Chance could explain the difference to " (names(page.model, unsure.iter().map(|one| one.label))) "." }
            }
        }
        @if verdict.lineages < needed {
            p { (verdict.lineages) " lineages could not show it whatever happened: " (comparisons)
                @if comparisons == 1 { " comparison needs" } @else { " comparisons need" } " at least " (needed) "." }
        }
    }
}

fn price(page: Page<'_, '_>, verdict: &Verdict<'_>) -> Markup {
    let model = page.model;
    let panels: Vec<_> = model.pareto.iter().filter(|panel| panel.setting == verdict.setting).collect();
    let Some(first) = panels.first() else {
        return html! { p { "Unknown: no strategy has both a goal-loss and a cost." } };
    };
    let best = model.most_per_usd(&verdict.setting);
    html! {
        @if let Some(best) = best { (per_dollar(page, verdict, best)) }
        @for panel in &panels {
            p {
                "Not beaten in goal-loss and " (panel.axis.words) ": "
                (names(model, panel.points.iter().filter(|point| point.in_set).map(|point| point.label))) "."
            }
        }
        @if best.is_none() { p class="soft" { "This run has no dollars; tokens stand for them." } }
        p { a href=(page.main("pareto")) { "The plots" } " show what " (first.points.len()) " strategies trade." }
    }
}

/// Who keeps most for a dollar, and by which prices.
fn per_dollar(page: Page<'_, '_>, verdict: &Verdict<'_>, best: PerUsd) -> Markup {
    let model = page.model;
    let number = |value: f64, column: &str, format: Format| {
        datum_at(value, ("pareto.csv", best.row, column), &format.write(value))
    };
    let others =
        model.pareto.iter().find(|panel| panel.setting == verdict.setting && panel.axis.measure.ends_with("_usd"));
    let fewer = others.iter().flat_map(|panel| &panel.points).filter(|point| !point.is_comparable);
    let fewer: Vec<usize> = fewer.map(|point| point.label).collect();
    html! {
        p {
            (strategy(model, best.label)) " keeps most for a dollar: goal-loss "
            b { (number(best.goal_loss, "goal_loss", Format::Score)) } " for "
            b { "$" (number(best.cost, "cost", Format::Dollars)) } " a session: (1 − goal-loss) per dollar is "
            (number(best.kept_per_usd, "kept_per_usd", Format::Score)) (prices(model, &verdict.setting)) "."
        }
        @if !fewer.is_empty() {
            p class="soft" { "Not compared, because they have both numbers for fewer lineages: " (names(model, fewer)) "." }
        }
    }
}

fn estimate(page: Page<'_, '_>, verdict: &Verdict<'_>) -> Markup {
    let model = page.model;
    let (Some(worst), Some(best)) = (verdict.estimators.first(), verdict.estimators.last()) else {
        return html! { p { "Unknown: no strategy asked an estimator." } };
    };
    let row = |label| model.strategies.iter().position(|row| row.label == label && row.setting == verdict.setting);
    let absolute = |error: f64, label| {
        let at = ("strategies.csv", row(label).unwrap_or(0), "estimation_abs_error_ratio");
        html! { b { (datum_at(error, at, &Format::Percent.write(error))) " %" } }
    };
    html! {
        p {
            (strategy(model, worst.label)) " is off by " (absolute(worst.absolute, worst.label)) " on average"
            @if let Some(signed) = worst.signed {
                @let at = ("strategies.csv", row(worst.label).unwrap_or(0), "estimation_error_ratio");
                " (" (datum_at(signed, at, &Format::SignedPercent.write(signed))) " %: it "
                @if signed < 0.0 { "under" } @else { "over" } "estimates)"
            }
            "."
        }
        (worst_class(page, worst.label))
        @if best.label != worst.label {
            p { "The nearest is " b { (visible(&model.labels[best.label])) } ", off by " (absolute(best.absolute, best.label)) "." }
        }
    }
}

/// The class of content on which the estimator of a strategy is farthest off.
fn worst_class(page: Page<'_, '_>, label: usize) -> Markup {
    let (model, errors) = (page.model, &page.model.classes);
    let asked = model.cells.iter().find(|cell| cell.label == label).map(|cell| &*cell.record.estimator);
    let own = errors.rows.iter().enumerate().filter(|(_, row)| Some(errors.estimators[row.estimator]) == asked);
    let worst =
        own.filter_map(|(at, row)| Some((at, row.class, row.error?))).max_by(|a, b| a.2.abs().total_cmp(&b.2.abs()));
    let Some((at, class, error)) = worst else { return html! {} };
    html! {
        p {
            "By content its estimator, " code { (visible(asked.unwrap_or_default())) } ", fails most on " b { (visible(class)) } ": "
            (datum_at(error, ("classes.csv", at, "error"), &Format::SignedPercent.write(error))) " %. "
            a href=(page.main("classes")) { "All classes" }
        }
    }
}

fn compaction(page: Page<'_, '_>, verdict: &Verdict<'_>, row: usize) -> Markup {
    let model = page.model;
    let Some(worst) = &verdict.worst_compaction else {
        return html! { p { "Nothing was compacted." } };
    };
    let worst_row = compactions::first_rows(model)[worst.cell] + worst.nth;
    let at =
        |value: f64, column: &str, format: Format| datum_at(value, ("verdicts.csv", row, column), &format.write(value));
    let link = page.link(model.detail_of[worst.cell], &Page::compaction(worst.cell, worst.nth));
    html! {
        @if let Some(dearest) = &verdict.dearest_compaction {
            p {
                "On average " b { "$" (at(dearest.mean_one_time_usd, "mean_one_time_usd", Format::Dollars)) }
                (of_priced(verdict, row)) " at once, for the summary, where one is written, and for writing the cache anew."
            }
            (dollars(page, dearest))
        }
        p {
            "On average it made "
            b { (at(worst.mean_invalidated_tokens, "mean_invalidated_tokens", Format::Whole)) }
            " tokens of the cached prefix worthless (" (at(real(worst.count as u64), "compactions", Format::Whole))
            @if worst.count == 1 { " compaction" } @else { " compactions" } ", mean over lineages)."
        }
        p {
            "The one that invalidated most: " (datum_at(worst.record.invalidated_tokens, ("compactions.csv", worst_row, "invalidated_tokens"), &count(worst.record.invalidated_tokens))) " tokens, "
            a href=(link) { (visible(&model.labels[model.cells[worst.cell].label])) " before request " (worst.record.request) }
            " on " (visible(&model.cells[worst.cell].record.transcript)) "."
        }
    }
}

/// The dearest compaction in dollars, and when it has paid for itself.
fn dollars(page: Page<'_, '_>, dearest: &DearestCompaction<'_>) -> Markup {
    let model = page.model;
    let row = compactions::first_rows(model)[dearest.cell] + dearest.nth;
    let number = |value: f64, column: &str, format: Format| {
        datum_at(value, ("compactions.csv", row, column), &format.write(value))
    };
    let link = page.link(model.detail_of[dearest.cell], &Page::compaction(dearest.cell, dearest.nth));
    // Requests are numbered from 1, and the compaction lies before one of them.
    let left = (model.histories[dearest.cell].requests + 1).saturating_sub(dearest.record.request);
    html! {
        p {
            "Up to " b { "$" (number(dearest.one_time_usd, "one_time_usd", Format::Dollars)) }
            " (" a href=(link) { (visible(&model.labels[model.cells[dearest.cell].label]))
            " before request " (dearest.record.request) } " on " (visible(&model.cells[dearest.cell].record.transcript)) "). "
            @match dearest.break_even_requests {
                Some(requests) => {
                    "It pays for itself after " b { (number(requests, "break_even_requests", Format::Whole)) } " more requests; the session had "
                    (count(left)) "."
                },
                None => { "It never pays for itself." },
            }
        }
    }
}

fn contrasts(page: Page<'_, '_>, verdict: &Verdict<'_>, first_row: usize) -> Markup {
    let Some(best) = verdict.best.filter(|_| !verdict.contrasts.is_empty()) else { return html! {} };
    let name = visible(&page.model.labels[best]).into_owned();
    let table = html! {
        table class="sortable" data-csv="contrasts.csv" {
            caption {
                b { "Goal-loss against " (name) ". " } "Paired by lineage; p by sign-flip, adjusted by Holm. "
                "Above 0: it loses more than " (name) "."
            }
            thead { tr {
                th scope="col" { "Strategy" }
                th scope="col" class="num" { "Difference" span class="unit" { "mean, score" } }
                th scope="col" class="num" { "95 % interval" span class="unit" { "or least … greatest" } }
                th scope="col" class="num" { "Lineages" span class="unit" { "better / tie / worse" } }
                th scope="col" class="num" { "p" }
                th scope="col" class="num" { "p, adjusted" }
                th scope="col" class="num" { "Detectable" span class="unit" { "score, 80 % power" } }
                th scope="col" { "Significant" }
            } }
            tbody {
                @for (index, contrast) in verdict.contrasts.iter().enumerate() { (contrast_row(page, contrast, first_row + index)) }
            }
        }
    };
    scroll_fit(&format!("Goal-loss against {name}"), &table)
}

fn contrast_row(page: Page<'_, '_>, contrast: &Contrast, row: usize) -> Markup {
    let score = |value: f64, column: &str| datum(value, column, &Format::Score.write(value));
    let nothing = || html! { td class="num void" { (dash(&["no lineage in common"])) } };
    html! {
        tr data-row=(row) {
            th scope="row" { (strategy(page.model, contrast.label)) }
            @if let Some(paired) = &contrast.paired {
                td class="num" { (score(paired.differences.mean, "difference")) }
                td class="num" {
                    @match &paired.interval {
                        Ok(interval) => { "[" (score(interval.low, "low")) ", " (score(interval.high, "high")) "]" },
                        Err(reason) => span class="soft" title={ "no interval: " (reason) } {
                            (score(paired.differences.least, "least")) " … " (score(paired.differences.greatest, "greatest"))
                        },
                    }
                }
                td class="num" {
                    (datum(paired.below, "better_lineages", &paired.below.to_string())) " / "
                    (datum(paired.ties, "tied_lineages", &paired.ties.to_string())) " / "
                    (datum(paired.above, "worse_lineages", &paired.above.to_string()))
                }
                td class="num" { (score(paired.sign_flip.p, "p")) }
                (maybe_score(contrast.adjusted_p, "adjusted_p", "not tested"))
                (maybe_score(paired.minimum_detectable, "minimum_detectable", "too few lineages to show any difference"))
                td { @if contrast.is_significant() { "◆ yes" } @else { "no" } }
            } @else {
                @for _ in 0..6 { (nothing()) }
                td { "no" }
            }
        }
    }
}

fn maybe_score(value: Option<f64>, column: &str, why_not: &str) -> Markup {
    match value {
        Some(value) => html! { td class="num" { (datum(value, column, &Format::Score.write(value))) } },
        None => html! { td class="num void" { (dash(&[why_not])) } },
    }
}
