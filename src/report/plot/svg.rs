//! From the SVG that plotters writes to the SVG that the page holds.

use maud::{PreEscaped, html};
use plotters::style::RGBColor;

use super::super::palette::{COLOURS, Style, outline};
use super::Figure;

// Place-holders: near-black colours that nothing else uses.

/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(1, 1, 1);
/// Grid lines.
pub(super) const GRID: RGBColor = RGBColor(1, 1, 2);
/// The line of the context window.
pub(super) const WINDOW: RGBColor = RGBColor(1, 1, 3);
/// The last byte of a marker in the ink.
const INK_MARK: u8 = 255;
/// The Pareto front.
pub(super) const FRONT: RGBColor = RGBColor(1, 1, 4);

/// A marker in one of the colours of the palette, or in the ink.
pub(super) fn mark_colour(colour: Option<usize>) -> RGBColor {
    RGBColor(1, 2, colour.map_or(INK_MARK, |colour| u8::try_from(colour).unwrap_or(0)))
}

/// The colour of the page for one of the palette, or for the ink.
fn page_colour(colour: Option<usize>) -> String {
    colour.map_or_else(|| "currentColor".to_owned(), |colour| format!("var(--s{})", colour % COLOURS.len()))
}

/// The line of the strategy with this index. It stands for a colour and a dash.
pub(super) fn line_colour(index: usize) -> RGBColor {
    RGBColor(1, 3, u8::try_from(index % 210).unwrap_or(0))
}

/// An area in one of the colours of the palette.
pub(super) fn area_colour(colour: usize) -> RGBColor {
    RGBColor(1, 4, u8::try_from(colour).unwrap_or(0))
}

/// Puts the page's colours in, and a head that screen readers understand.
pub(super) fn finish(raw: &str, figure: &Figure<'_>) -> String {
    let body = raw.split_once(">\n").map_or("", |(_, body)| body);
    let body = body.trim_end().trim_end_matches("</svg>");
    let mut drawing = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find("=\"#01") {
        let (before, from) = rest.split_at(at);
        let name_at = before.rfind(' ').map_or(0, |space| space + 1);
        let (before, name) = before.split_at(name_at);
        // `="#RRGGBB"` is ten bytes.
        let (value, after) = from.split_at_checked(10).unwrap_or((from, ""));
        drawing.push_str(before);
        drawing.push_str(&attribute(name, &value[3..value.len().min(9)]));
        rest = after;
    }
    drawing.push_str(rest);
    let drawing = drawing.replace(" opacity=\"1\"", "").replace(" font-family=\"sans-serif\"", "");
    let (title, about) = (format!("{}-title", figure.id), format!("{}-about", figure.id));
    let (width, height) = figure.size;
    html! {
        svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-labelledby=(title) aria-describedby=(about) {
            title id=(title) { (figure.title) }
            desc id=(about) { (figure.about) }
            (PreEscaped(drawing))
        }
    }
    .into_string()
}

/// A drawing as a file of its own, with the colours that it would take from the page.
pub(super) fn standalone(svg: &str) -> String {
    let theme = |pick: fn(&(&str, &str)) -> String, paper: &str, ink: &str, grid: &str| {
        let colours = COLOURS.iter().map(pick).zip(0..);
        let colours = colours.fold(String::new(), |all, (colour, at)| all + &format!("--s{at}:{colour};"));
        format!("svg{{{colours}--paper:{paper};--grid:{grid};--alarm:#b3261e;color:{ink};background:{paper}}}")
    };
    let light = theme(|colour| colour.0.to_owned(), "#fff", "#1b1f24", "#e4e8ec");
    let dark = theme(|colour| colour.1.to_owned(), "#14171b", "#e3e7eb", "#262c33");
    let style =
        format!("<style>{light}@media(prefers-color-scheme:dark){{{dark}}}text{{font-family:sans-serif}}</style>");
    let svg = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    svg.replacen('>', &format!(">{style}"), 1)
}

/// The attribute for a place-holder: `name` is `fill` or `stroke`, `hex` is `RRGGBB`.
fn attribute(name: &str, hex: &str) -> String {
    let index = hex.get(4..).and_then(|digits| usize::from_str_radix(digits, 16).ok()).unwrap_or(0);
    match (hex.get(2..4), index) {
        (Some("02"), _) => {
            let colour = page_colour((index != usize::from(INK_MARK)).then_some(index));
            format!("{name}=\"{colour}\" stroke=\"var(--paper)\" stroke-width=\"3\"")
        }
        (Some("04"), _) => format!("{name}=\"var(--s{index})\" stroke=\"var(--paper)\" stroke-width=\"2\""),
        (Some("03"), _) => {
            let style = Style::of(index);
            let dash = match style.dash {
                "" => String::new(),
                dash => format!(" stroke-dasharray=\"{dash}\""),
            };
            format!("{name}=\"{}\" stroke-linejoin=\"round\"{dash}", page_colour(style.colour))
        }
        (_, 2) => format!("{name}=\"var(--grid)\""),
        (_, 3) => format!("{name}=\"var(--alarm)\" stroke-dasharray=\"20 10\""),
        (_, 4) => format!("{name}=\"currentColor\" stroke-opacity=\"0.45\" stroke-dasharray=\"4 8\""),
        _ => format!("{name}=\"currentColor\""),
    }
}

/// A piece of an area, for a legend.
pub(in super::super) fn band(colour: usize) -> String {
    let colour = page_colour(Some(colour));
    html! {
        svg class="swatch" viewBox="0 0 104 32" aria-hidden="true" {
            rect x="24" y="2" width="56" height="28" fill=(colour) {}
        }
    }
    .into_string()
}

/// A short piece of a strategy's line with its marker, for a legend; of what has no line, the marker.
pub(in super::super) fn swatch(style: Style) -> String {
    let colour = page_colour(style.colour);
    let corners: Vec<String> =
        outline(style.marker, 12).into_iter().map(|(x, y)| format!("{},{}", 52 + x, 16 + y)).collect();
    html! {
        svg class="swatch" viewBox="0 0 104 32" aria-hidden="true" {
            @if style.colour.is_some() {
                line x1="2" y1="16" x2="102" y2="16" stroke=(colour) stroke-width="5"
                    stroke-dasharray=[(!style.dash.is_empty()).then_some(style.dash)] {}
            }
            polygon points=(corners.join(" ")) fill=(colour) stroke="var(--paper)" stroke-width="3" {}
        }
    }
    .into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_holders_become_page_colours() {
        let raw = "<svg width=\"9\">\n<line opacity=\"1\" stroke=\"#010102\" x1=\"1\"/>\n<text fill=\"#010101\">a</text>\n\
                   <polyline stroke=\"#010301\" points=\"1,2\"/>\n</svg>\n";
        let figure = Figure { id: "p", title: "<t>".to_owned(), about: "a".to_owned(), size: (9, 8) };
        let done = finish(raw, &figure);
        assert!(done.starts_with("<svg viewBox=\"0 0 9 8\" role=\"img\" aria-labelledby=\"p-title\""), "{done}");
        assert!(done.contains("<title id=\"p-title\">&lt;t&gt;</title>"), "{done}");
        assert!(done.contains("<line stroke=\"var(--grid)\" x1=\"1\"/>"), "{done}");
        assert!(done.contains("<text fill=\"currentColor\">a</text>"), "{done}");
        assert!(
            done.contains("stroke=\"var(--s1)\" stroke-linejoin=\"round\" stroke-dasharray=\"14 7\" points"),
            "{done}"
        );
        assert!(done.ends_with("</svg>") && !done.contains("#01"), "{done}");
    }
}
