//! A section of a page: one file each, named in the lists of `mod.rs`.

use maud::Markup;

use super::super::model::TranscriptDetail;
use super::{ReportError, ReportModel};

/// A page that is being written.
#[derive(Clone, Copy)]
pub(super) struct Page<'m, 'run> {
    pub(super) model: &'m ReportModel<'run>,
    /// The file name of a sibling page; `None` is the main page.
    pub(super) here: Option<&'m str>,
}

/// The name of the main page.
pub(super) const MAIN: &str = "index.html";

impl<'m, 'run> Page<'m, 'run> {
    /// The transcripts whose detail lies on this page.
    pub(super) fn details(self) -> impl Iterator<Item = (usize, &'m TranscriptDetail<'run>)> {
        self.model.details.iter().enumerate().filter(move |(_, detail)| detail.page.as_deref() == self.here)
    }

    /// A link to a place in the detail of a transcript.
    pub(super) fn link(self, detail: usize, anchor: &str) -> String {
        let page = self.model.details[detail].page.as_deref();
        if page == self.here { format!("#{anchor}") } else { format!("{}#{anchor}", page.unwrap_or(MAIN)) }
    }

    /// A link to a place on the main page.
    pub(super) fn main(self, anchor: &str) -> String {
        if self.here.is_none() { format!("#{anchor}") } else { format!("{MAIN}#{anchor}") }
    }

    /// The anchor of a message.
    pub(super) fn message(detail: usize, line: u64) -> String {
        format!("t{detail}-line-{line}")
    }

    /// The anchor of a compaction: the cell, and which of its compactions, from 0.
    pub(super) fn compaction(cell: usize, nth: usize) -> String {
        format!("c{cell}-compaction-{}", nth + 1)
    }

    /// The anchor of all that happened in a cell.
    pub(super) fn cell(cell: usize) -> String {
        format!("c{cell}")
    }
}

/// What a section shows, or why it is left out.
pub(super) enum Body {
    Shown(Markup),
    Absent(&'static str),
}

/// A section.
pub(super) struct Section {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) render: fn(Page<'_, '_>) -> Result<Body, ReportError>,
}
