//! The frame of a page: head with its policy, navigation, sections, and what is left out.

use std::fmt::Write as _;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::super::palette::COLOURS;
use super::super::text::visible;
use super::section::{Body, MAIN, Page, Section};
use super::{ReportError, overview};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

/// Writes a page with these sections.
pub(super) fn page(page: Page<'_, '_>, title: &str, sections: &[&Section]) -> Result<String, ReportError> {
    let (mut shown, mut absent) = (Vec::new(), Vec::new());
    for &section in sections {
        match (section.render)(page)? {
            Body::Shown(body) => shown.push((section, body)),
            Body::Absent(reason) => absent.push((section.title, reason)),
        }
    }
    let body = html! {
        a class="skip" href="#content" { "Skip to the content" }
        (top(page, title, &shown))
        main id="content" {
            @for (section, body) in &shown {
                section id=(section.id) aria-labelledby={ (section.id) "-head" } {
                    h2 id={ (section.id) "-head" } { (section.title) }
                    (body)
                }
            }
            @if !absent.is_empty() {
                p class="soft" id="absent" {
                    "Left out: "
                    @for (index, (title, reason)) in absent.iter().enumerate() {
                        @if index > 0 { "; " }
                        b { (title) } ", because " (reason)
                    }
                    "."
                }
            }
        }
        footer { p { "Made by " (visible(&page.model.run.manifest.generator)) " from the run folder alone." } }
        p class="sr" id="status" role="status" {}
    };
    Ok(document(page, title, &body).into_string())
}

fn top(page: Page<'_, '_>, title: &str, shown: &[(&Section, Markup)]) -> Markup {
    html! {
        header {
            p class="kicker" {
                @if page.here.is_some() { a href=(MAIN) { (visible(&page.model.run.manifest.experiment)) } }
                @else { "Context compaction" }
            }
            button id="theme" type="button" hidden { "Dark" }
            h1 { (visible(title)) }
            @if page.here.is_none() { (overview::facts(page.model)) }
            (overview::warnings(page.model))
            nav aria-label="Sections" {
                ul { @for (section, _) in shown { li { a href={ "#" (section.id) } { (section.title) } } } }
            }
        }
    }
}

fn document(page: Page<'_, '_>, title: &str, body: &Markup) -> Markup {
    let manifest = &page.model.run.manifest;
    let style = style();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy(&style));
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(visible(&manifest.generator));
                title { (visible(title)) " – context compaction report" }
                style { (PreEscaped(&style)) }
            }
            body class=[page.model.mock.then_some("mock")] {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// Nothing is loaded, and nothing runs but the page's own style and script, which are named by their hashes.
fn policy(style: &str) -> String {
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(style),
        hash(SCRIPT)
    )
}

/// Colours and style of every page, without a script.
pub(in crate::report) fn style() -> String {
    format!("{}{STYLE}", colours())
}

/// The policy of a page that has this style and no script.
pub(in crate::report) fn style_policy(style: &str) -> String {
    let hash = hash(style);
    format!("default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'")
}

/// SHA-256 in base64 (RFC 4648), as a Content-Security-Policy writes it.
fn hash(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in Sha256::digest(text).chunks(3) {
        let bits = three.iter().fold(0_usize, |bits, &byte| bits << 8 | usize::from(byte)) << (8 * (3 - three.len()));
        let letter =
            |place: usize| if place <= three.len() { char::from(LETTERS[bits >> (18 - 6 * place) & 63]) } else { '=' };
        out.extend((0..4).map(letter));
    }
    out
}

/// The palette as custom properties, for both themes.
fn colours() -> String {
    let list = |pick: fn(&(&'static str, &'static str)) -> &'static str| {
        COLOURS.iter().enumerate().fold(String::new(), |mut out, (index, colour)| {
            // Writing to a string cannot fail.
            let _ = write!(out, "--s{index}:{};", pick(colour));
            out
        })
    };
    let (light, dark) = (list(|colour| colour.0), list(|colour| colour.1));
    format!(
        ":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\
         @media screen{{:root[data-theme=dark]{{{dark}}}}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_in_base64() {
        // openssl dgst -sha256 -binary </dev/null | base64
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }

    #[test]
    fn no_style_or_script_ends_itself() {
        assert!(!STYLE.contains('<') && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    }
}
