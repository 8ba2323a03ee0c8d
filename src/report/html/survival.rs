//! The share of annotated items that is still known after each cut.

use maud::{Markup, html};

use super::super::model::{Setting, Survival};
use super::super::number::Format;
use super::cell::{datum, how_to, scroll_fit, setting, strategy};
use super::section::{Body, Page, Section};
use super::{ReportError, ReportModel};

pub(super) const SECTION: Section = Section { id: "survival", title: "Survival over rounds", render };

/// Rounds that the table shows; `survival.csv` has all.
const ROUNDS: usize = 12;

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.survivals.is_empty() {
        return Ok(Body::Absent("no annotated item was dropped and scored"));
    }
    let how = html! {
        "Column k: of the items that were dropped, the share that the context still says after k cuts, counted from the one \
         that dropped its source (Kaplan–Meier: an item whose session ends early counts as long as it was seen). Below it: \
         how many items saw that cut. Later columns rest on few items."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        @for setting in model.settings() { (table(model, &setting)) }
    }))
}

fn table(model: &ReportModel, now: &Setting<'_>) -> Markup {
    let mut first = 0;
    let rows: Vec<(usize, &Survival<'_>)> = model
        .survivals
        .iter()
        .map(|survival| {
            let at = first;
            first += survival.rounds.len();
            (at, survival)
        })
        .filter(|(_, survival)| survival.setting == *now)
        .collect();
    let last = rows.iter().map(|(_, survival)| survival.rounds.len()).max().unwrap_or(0).min(ROUNDS);
    if last == 0 {
        return html! {};
    }
    let table = html! {
        table class="sortable" data-csv="survival.csv" {
            caption { b { "Items still known after k cuts." } " " (setting(now)) }
            thead { tr {
                th scope="col" { "Strategy" }
                @for round in 1..=last { th scope="col" class="num" { (round) span class="unit" { "share, n" } } }
            } }
            tbody { @for (at, survival) in &rows { tr {
                th scope="row" { (strategy(model, survival.label)) }
                @for place in 0..last { (field(survival, place, at + place)) }
            } } }
        }
    };
    scroll_fit(&format!("Items still known after k cuts: {}", setting(now)), &table)
}

fn field(survival: &Survival<'_>, place: usize, row: usize) -> Markup {
    html! {
        @match survival.rounds.get(place) {
            Some(round) => td class="num" data-row=(row) {
                (datum(round.share, "known_share", &Format::Score.write(round.share)))
                span class="n" { "n " (datum(round.at_risk, "items_at_risk", &round.at_risk.to_string())) }
            },
            None => td class="num void" { abbr title="void: no item saw so many cuts" { "–" } },
        }
    }
}
