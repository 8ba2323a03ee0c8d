//! The pages: one self-contained file, and siblings for the detail that it has no room for. No network; the only script
//! is the page's own, for sorting, filtering and the theme, and everything can be read without it.
//!
//! A section is one file with a `SECTION`, and its name in one of the two lists here.

mod against;
mod cell;
mod cells;
mod classes;
mod compactions;
mod context;
mod critical;
mod forgotten;
mod glance;
mod glossary;
mod heat;
mod items;
mod judgements;
mod measures;
mod messages;
mod opened;
mod overview;
mod page;
mod pareto;
mod questions;
mod section;
mod stack;
mod strategies;
mod transcripts;
mod verdict;
mod voids;

use std::io::Write;

use super::{ReportError, ReportModel, Reporter};
pub(super) use page::{style, style_policy};
use section::{Page, Section};

/// The sections of the main page, in order.
const SECTIONS: [Section; 21] = [
    glance::SECTION,
    verdict::SECTION,
    strategies::SECTION,
    pareto::SECTION,
    classes::SECTION,
    heat::SECTION,
    critical::SECTION,
    forgotten::SECTION,
    transcripts::SECTION,
    context::SECTION,
    stack::SECTION,
    items::SECTION,
    compactions::SECTION,
    questions::SECTION,
    judgements::SECTION,
    messages::SECTION,
    cells::SECTION,
    measures::SECTION,
    voids::SECTION,
    overview::SECTION,
    glossary::SECTION,
];

/// The sections that tell about single transcripts: those of a sibling page.
const DETAIL: [Section; 7] = [
    context::SECTION,
    stack::SECTION,
    items::SECTION,
    compactions::SECTION,
    questions::SECTION,
    judgements::SECTION,
    messages::SECTION,
];

/// The main page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Html;

impl Reporter for Html {
    fn render(&self, model: &ReportModel, out: &mut dyn Write) -> Result<(), ReportError> {
        let title = &model.run.manifest.experiment;
        let against = model.against.is_some().then_some(&against::SECTION);
        let sections: Vec<&Section> = against.into_iter().chain(&SECTIONS).collect();
        out.write_all(page::page(Page { model, here: None }, title, &sections)?.as_bytes())?;
        Ok(())
    }
}

/// A sibling of the main page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sibling<'a> {
    /// Its file name.
    pub name: &'a str,
    title: &'a str,
}

impl<'a> Sibling<'a> {
    /// The siblings that a report has.
    pub fn all(model: &'a ReportModel) -> Vec<Self> {
        let details =
            model.details.iter().filter_map(|detail| Some(Self { name: detail.page.as_deref()?, title: detail.name }));
        let cells = model.cell_pages.iter().map(|name| Self { name, title: "Cells" });
        details.chain(cells).collect()
    }
}

impl Reporter for Sibling<'_> {
    fn render(&self, model: &ReportModel, out: &mut dyn Write) -> Result<(), ReportError> {
        let is_of_cells = model.cell_pages.iter().any(|name| name == self.name);
        let sections: &[Section] = if is_of_cells { &[cells::SECTION, voids::SECTION] } else { &DETAIL };
        let sections: Vec<&Section> = sections.iter().collect();
        out.write_all(page::page(Page { model, here: Some(self.name) }, self.title, &sections)?.as_bytes())?;
        Ok(())
    }
}
