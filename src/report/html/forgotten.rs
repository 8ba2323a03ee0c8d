//! What is forgotten: controls, future use, faithfulness, survival over rounds, and how far the order can be trusted.

use maud::{Markup, html};

use super::super::model::{AtBudget, ForgottenPanel, Rounds, Weighing};
use super::super::text::visible;
use super::cell::{aggregate, head, how_to, names, scroll, scroll_fit, setting, strategy};
use super::section::{Body, Page, Section};
use super::{ReportError, ReportModel};

/// Measures beside each other: a caption, and the columns with their headers.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

const GROUPS: [Group; 3] = [
    (
        "Annotated items, between their controls",
        &[
            ("goal_loss_full_history", "Full history"),
            ("goal_loss_oracle_extract", "Best extract"),
            ("goal_loss", "Goal-loss"),
            ("goal_loss_random_extract", "Random extract"),
            ("goal_loss_nothing_kept", "Nothing kept"),
            ("goal_loss_with_recovery", "With recovery"),
            ("recovery_price_tokens", "Its price"),
            ("goal_loss_hidden_items", "Hidden items"),
            ("vetoes_count", "Vetoes"),
        ],
    ),
    (
        "Use by the recorded continuation",
        &[
            ("future_loss", "Future loss"),
            ("future_loss_second", "By second extractor"),
            ("future_recall_best", "Best extract"),
            ("future_recall", "Recall"),
            ("future_recall_random", "Random extract"),
            ("future_facts_count", "Facts"),
            ("dead_end_facts_count", "In dead ends"),
            ("refetched_facts_count", "Fetched again"),
            ("refetch_tokens", "At the price of"),
            ("reissued_calls_count", "Calls made again"),
            ("goal_offline_loss", "Combined"),
        ],
    ),
    (
        "Faithfulness and form of the summaries",
        &[
            ("fabrication_ratio", "Fabricated"),
            ("foreseen_count", "Foreseen"),
            ("inverted_constraints_count", "Rules turned"),
            ("unsupported_rules_count", "Rules made up"),
            ("copied_ratio", "Copied"),
            ("summary_to_dropped_ratio", "Size"),
            ("summary_entity_ratio", "Names"),
            ("kept_unused_ratio", "Names unused"),
            ("artifact_f1", "Files F1"),
            ("template_filled_ratio", "Headings"),
        ],
    ),
];

pub(super) const SECTION: Section = Section { id: "forgotten", title: "Controls, future use and survival", render };

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    let known = |name: &str| model.run.cells.iter().any(|cell| cell.measures.contains_key(name));
    if !GROUPS.iter().flat_map(|(_, columns)| *columns).any(|(name, _)| known(name)) {
        return Ok(Body::Absent("goal-loss was not measured"));
    }
    let how = html! {
        "Survival of text is an upper bound of what an agent remembers. The controls are measured on the same cut: the \
         full history, the best and a random extract of the dropped part in as many bytes as the strategy used, and \
         nothing but the kept tail. Goal-loss is closed-book; with recovery it counts what the strategy put back or \
         leaves within reach. Future use is use by the recorded continuation: another agent might have gone another \
         way. Vetoes stand outside of every mean."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        @for panel in &model.forgotten { (one(model, panel)) }
    }))
}

fn one(model: &ReportModel, panel: &ForgottenPanel<'_>) -> Markup {
    html! {
        @for (caption, columns) in GROUPS { (group(model, panel, caption, columns)) }
        @if let Some(extractors) = &panel.extractors {
            p {
                "Does future loss depend on the rules that find names? Of " (extractors.pairs) " pairs of strategies a second, \
                 independent extractor orders " (extractors.pairs - extractors.turned) " alike; the best one is "
                @if extractors.same_winner { "the same." } @else { "another: trust neither order." }
            }
        }
        @if !panel.rounds.is_empty() { (survival(model, &panel.rounds)) }
        @if let Some(weighing) = &panel.weighing { (weights(model, weighing)) }
        @if !panel.pareto.is_empty() {
            p {
                "Pareto set over " (panel.coordinates.join(", ")) ": "
                @for (index, label) in panel.pareto.iter().enumerate() {
                    @if index > 0 { ", " }
                    (visible(&model.labels[*label]))
                }
                "."
            }
        }
        @if !panel.at_budget.is_empty() { (budgets(model, panel)) }
    }
}

fn group(model: &ReportModel, panel: &ForgottenPanel<'_>, caption: &str, columns: &[(&str, &str)]) -> Markup {
    let table = html! {
        table {
            caption { b { (caption) "." } " " (setting(&panel.setting)) }
            thead {
                tr {
                    th scope="col" { "Strategy" }
                    @for (name, title) in columns { (head(model.definition(name), title, "")) }
                }
            }
            tbody {
                @for row in model.strategies.iter().filter(|row| row.setting == panel.setting) {
                    tr {
                        th scope="row" { (strategy(model, row.label)) }
                        @for (name, _) in columns { (aggregate(model, name, row.measures.get(*name), "")) }
                    }
                }
            }
        }
    };
    scroll(&format!("{caption}: {}", setting(&panel.setting)), &table)
}

/// Rounds that a table shows.
const MOST_ROUNDS: u32 = 5;

fn survival(model: &ReportModel, rounds: &[Rounds]) -> Markup {
    let table = html! {
        table {
            caption {
                b { "Survival of items over rounds of compaction." }
                " Kaplan–Meier; in brackets the 95 % interval (Greenwood). Items of one transcript share its summaries, so \
                 the intervals are too narrow."
            }
            thead {
                tr {
                    th scope="col" { "Strategy" }
                    th scope="col" class="num" { "Items" }
                    @for round in 1..=MOST_ROUNDS { th scope="col" class="num" { "Round " (round) } }
                    th scope="col" class="num" { "Half-life" span class="unit" { "rounds" } }
                    th scope="col" class="num" { "Cliff" span class="unit" { "round" } }
                }
            }
            tbody {
                @for one in rounds {
                    tr {
                        th scope="row" { (strategy(model, one.label)) }
                        td class="num" { (one.items) }
                        @for round in 1..=MOST_ROUNDS { (at(one, round)) }
                        td class="num" { @if let Some(round) = one.half_life { (round) } @else { "not reached" } }
                        td class="num" {
                            @if let Some((round, fall)) = one.cliff { (round) " (−" (format!("{fall:.2}")) ")" }
                            @else { "none" }
                        }
                    }
                }
            }
        }
    };
    scroll_fit("Survival of items over rounds", &table)
}

/// The curve at a round: that of the last round before it, while items are still followed.
fn at(rounds: &Rounds, round: u32) -> Markup {
    let last = rounds.curve.last().map_or(0, |point| point.round);
    let point = rounds.curve.iter().rev().find(|point| point.round <= round).filter(|_| round <= last);
    match point {
        Some(point) => html! {
            td class="num" {
                (format!("{:.2}", point.share))
                span class="n" { (format!("[{:.2}, {:.2}]", point.low, point.high)) }
            }
        },
        None if round <= last => html! { td class="num" { "1.00" } },
        None => html! { td class="num void" { abbr title="void: no item was followed so long" { "–" } } },
    }
}

fn weights(model: &ReportModel, weighing: &Weighing) -> Markup {
    let stability = &weighing.stability;
    let changes = stability.best[stability.winner] < 1.0;
    let table = html! {
        table {
            caption {
                b { "Does the order depend on the weights?" }
                " " (weighing.draws) " Dirichlet draws around the weights of " (weighing.parts.join(", ")) ". The winner, "
                (visible(&model.labels[weighing.labels[stability.winner]]))
                @if changes { ", changes." } @else { ", stays." }
                @if !weighing.left_out.is_empty() {
                    " Not ranked, because they have numbers for fewer lineages or none: " (names(model, weighing.left_out.iter().copied())) "."
                }
            }
            thead {
                tr {
                    th scope="col" { "Strategy" }
                    th scope="col" class="num" { "Best in" span class="unit" { "% of the draws" } }
                    th scope="col" class="num" { "Ranks" }
                }
            }
            tbody {
                @for (index, label) in weighing.labels.iter().enumerate() {
                    tr {
                        th scope="row" { (strategy(model, *label)) }
                        td class="num" { (format!("{:.0}", 100.0 * stability.best[index])) }
                        td class="num" { (stability.ranks[index].0) "–" (stability.ranks[index].1) }
                    }
                }
            }
        }
    };
    scroll_fit("Stability of the order", &table)
}

fn budgets(model: &ReportModel, panel: &ForgottenPanel<'_>) -> Markup {
    let first = model.strategies.iter().find(|row| row.setting == panel.setting);
    let table = html! {
        table {
            caption {
                b { "Goal-loss at equal size" }
                @if let Some(first) = first { ", against " (visible(&model.labels[first.label])) }
                ". Only transcripts where both keep the same tokens within 10 %; differences by lineage."
            }
            thead {
                tr {
                    th scope="col" { "Strategy" }
                    th scope="col" class="num" { "Matched" }
                    th scope="col" class="num" { "Mean difference" }
                    th scope="col" class="num" { "95 % interval" }
                    th scope="col" class="num" { "Sign-flip p" }
                }
            }
            tbody { @for one in &panel.at_budget { (budget(model, one)) } }
        }
    };
    scroll_fit("Goal-loss at equal size", &table)
}

fn budget(model: &ReportModel, one: &AtBudget) -> Markup {
    html! {
        tr {
            th scope="row" { (strategy(model, one.label)) }
            td class="num" { (one.matched) "/" (one.scored) }
            @if let Some(paired) = &one.paired {
                td class="num" { (format!("{:+.3}", paired.differences.mean)) }
                @match &paired.interval {
                    Ok(interval) => td class="num" { (format!("[{:+.3}, {:+.3}]", interval.low, interval.high)) },
                    Err(why) => td class="num void" { abbr title={ "void: " (why) } { "–" } },
                }
                td class="num" { (format!("{:.3}", paired.sign_flip.p)) }
            } @else {
                @for _ in 0..3 {
                    td class="num void" { abbr title="void: no transcript where both keep as much" { "–" } }
                }
            }
        }
    }
}
