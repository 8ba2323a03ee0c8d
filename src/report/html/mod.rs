//! One self-contained page: no network, no script. Its Content-Security-Policy allows nothing but its own style.

mod cell;
mod charts;
mod compactions;
mod items;
mod notes;
mod overview;
mod strategies;

use std::fmt::Write as _;
use std::io::Write;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::palette::COLOURS;
use super::text::visible;
use super::{ReportError, ReportModel, Reporter};

pub(super) const STYLE: &str = include_str!("style.css");
pub(super) const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// What the sections of the page are called, with their ids.
const SECTIONS: [(&str, &str); 9] = [
    ("run", "What was run"),
    ("strategies", "Strategies"),
    ("pareto", "Kept against lost"),
    ("context", "Context size"),
    ("items", "Annotated items"),
    ("compactions", "Compactions"),
    ("cells", "Cells"),
    ("measures", "Measures"),
    ("voids", "Missing numbers"),
];

/// The HTML page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Html;

impl Reporter for Html {
    fn render(&self, model: &ReportModel, out: &mut dyn Write) -> Result<(), ReportError> {
        let sections = [
            ("run", Some(overview::section(model))),
            ("strategies", Some(strategies::section(model))),
            ("pareto", charts::pareto(model)?),
            ("context", charts::contexts(model)?),
            ("items", items::section(model)),
            ("compactions", compactions::section(model)),
            ("cells", strategies::cells(model)),
            ("measures", notes::measures(model)),
            ("voids", notes::voids(model)),
        ];
        out.write_all(page(model, &sections).into_string().as_bytes())?;
        Ok(())
    }
}

fn page(model: &ReportModel, sections: &[(&str, Option<Markup>)]) -> Markup {
    let experiment = visible(&model.run.manifest.experiment);
    let present = SECTIONS.iter().filter_map(|(id, title)| {
        let (_, body) = sections.iter().find(|(name, _)| name == id)?;
        Some((*id, *title, body.as_ref()?))
    });
    let present: Vec<(&str, &str, &Markup)> = present.collect();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(visible(&model.run.manifest.generator));
                title { (experiment) " – context compaction report" }
                style { (PreEscaped(colours())) (PreEscaped(STYLE)) }
            }
            body class=[model.mock.then_some("mock")] {
                a class="skip" href="#strategies" { "Skip to the results" }
                header {
                    p class="kicker" { "Context compaction" }
                    h1 { (experiment) }
                    (overview::facts(model))
                    @if model.mock { (overview::mock_banner()) }
                    nav aria-label="Sections" {
                        ul { @for (id, title, _) in &present { li { a href={ "#" (id) } { (title) } } } }
                    }
                }
                main {
                    @for (id, title, body) in &present {
                        section id=(id) aria-labelledby={ (id) "-head" } {
                            h2 id={ (id) "-head" } { (title) }
                            (body)
                        }
                    }
                }
                footer { p { "Made by " (visible(&model.run.manifest.generator)) " from the run folder alone." } }
            }
        }
    }
}

/// The palette as custom properties, for both themes.
pub(super) fn colours() -> String {
    let list = |pick: fn(&(&'static str, &'static str)) -> &'static str| {
        COLOURS.iter().enumerate().fold(String::new(), |mut out, (index, colour)| {
            // Writing to a string cannot fail.
            let _ = write!(out, "--s{index}:{};", pick(colour));
            out
        })
    };
    let (light, dark) = (list(|colour| colour.0), list(|colour| colour.1));
    format!(":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n")
}
