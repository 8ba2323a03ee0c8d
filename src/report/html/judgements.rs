//! What a judge said of the summaries: grades, and the words that they rest on.

use maud::{Markup, html};

use super::super::model::{CellJudgements, Evidence, Judged};
use super::super::text::visible;
use super::ReportError;
use super::cell::{dash, datum, how_to, mock_tag, scroll, strategy};
use super::section::{Body, Page, Section};

pub(super) const SECTION: Section = Section { id: "judgements", title: "Judgements", render };

/// Judgements of a cell that are shown; the rest stands in `judgements.csv`.
const ROWS: usize = 200;

#[expect(clippy::unnecessary_wraps, reason = "the signature of a section")]
fn render(page: Page<'_, '_>) -> Result<Body, ReportError> {
    let model = page.model;
    if model.run.judgements.is_empty() {
        return Ok(Body::Absent("no judge graded the summaries (judge score)"));
    }
    let cells = page.details().flat_map(|(_, detail)| detail.cells.iter().copied());
    let own: Vec<(usize, &CellJudgements<'_>)> =
        cells.map(|cell| (cell, &model.judgements[cell])).filter(|(_, own)| own.stale + own.judged.len() > 0).collect();
    if own.is_empty() {
        return Ok(Body::Absent("each transcript has a page of its own, see Transcripts"));
    }
    let how = html! {
        "A judge that passed a set of known cases graded the last summary of a cell. It saw neither the strategy nor the headings. \
         A grade above 0 needs words of the summary as evidence, and is void when they stand nowhere in it. Grades are not corrected: "
        code { "judge calibrate" } " says how far a person agrees."
    };
    Ok(Body::Shown(html! {
        (how_to(&how))
        @for (cell, judgements) in own { (of_cell(page, cell, judgements)) }
    }))
}

fn of_cell(page: Page<'_, '_>, cell: usize, own: &CellJudgements<'_>) -> Markup {
    let (model, record) = (page.model, page.model.cells[cell].record);
    let void = own.judged.iter().filter(|one| one.record.grade.is_none()).count();
    html! {
        details {
            summary {
                (strategy(model, model.cells[cell].label)) " on " b { (visible(&record.transcript)) }
                @if let Some(first) = own.judged.first() {
                    span class="soft" { " · judged by " (visible(&first.record.judge)) ": " (own.judged.len()) " judgements, " (void) " void" }
                    @if first.record.mock { (mock_tag()) }
                }
            }
            @if own.stale > 0 {
                p class="soft" { (own.stale) " judgements are of a summary that the run no longer has, and are left out: the cell was run again." }
            }
            @if !own.judged.is_empty() { (table(page, cell, &own.judged)) }
        }
    }
}

fn table(page: Page<'_, '_>, cell: usize, judged: &[Judged<'_>]) -> Markup {
    let table = html! {
        table class="sortable filtered" data-csv="judgements.csv" {
            caption { b { "Judgements." } " As in " code { "judgements.csv" } "." }
            thead { tr {
                th scope="col" { "Dimension" }
                th scope="col" { "Item" }
                th scope="col" class="num" { "Grade" span class="unit" { "of the highest" } }
                th scope="col" { "Evidence" }
                th scope="col" { "Evidence checked" }
            } }
            tbody { @for one in judged.iter().take(ROWS) { (row(page, cell, one)) } }
        }
    };
    html! {
        (scroll("Judgements", &table))
        @if judged.len() > ROWS { p class="soft" { (judged.len() - ROWS) " more are in " code { "judgements.csv" } "." } }
    }
}

fn row(page: Page<'_, '_>, cell: usize, one: &Judged<'_>) -> Markup {
    let record = one.record;
    let annotations = page.model.details[page.model.detail_of[cell]].annotations;
    let known = |item: &str| annotations.iter().find(|known| known.item == item).map(|known| &known.text);
    html! {
        tr data-row=(one.row) {
            th scope="row" { (visible(&record.rubric.replace('_', " "))) }
            td class="answer" { @if let Some(item) = &record.item {
                @if let Some(text) = known(item) { (visible(text)) span class="unit" { code { (visible(item)) } } } @else { code { (visible(item)) } }
            } @else { span class="soft" { "the whole summary" } } }
            @match record.grade {
                Some(grade) => td class="num" {
                    (datum(grade, "grade", &grade.to_string())) " of " (datum(record.most, "most", &record.most.to_string()))
                },
                None => td class="num void" { (dash(&[record.void.as_deref().unwrap_or("no grade")])) },
            }
            td class="answer" { @if record.evidence.is_empty() { span class="soft" { "none" } } @else { "“" (visible(&record.evidence)) "”" } }
            td { (checked(one)) }
        }
    }
}

fn checked(one: &Judged<'_>) -> Markup {
    let why = one.record.void.as_deref().filter(|_| one.record.grade.is_none());
    html! {
        @match one.evidence {
            Evidence::Stands => "● stands in the summary",
            Evidence::AcrossHeadings => "● stood in the text that was judged, across a heading",
            Evidence::NotNeeded => "– a grade of 0 needs none",
            Evidence::NotGiven => "– no evidence was given",
            Evidence::Nowhere => "✕ stands nowhere in the summary",
            Evidence::Unknown => "– not found; which summary was judged is not recorded",
        }
        @if let Some(why) = why { span class="unit" { "void: " (visible(why)) } }
    }
}
