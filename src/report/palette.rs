//! How the strategies are told apart: colour, dash and marker together, so that no two depend on colour alone.

/// Colours, as `(light theme, dark theme)`. The light ones are Okabe and Ito's palette (2008) without yellow, which
/// vanishes on white, and without black, which is the ink; the dark ones are the same hues, lightened.
pub(super) const COLOURS: [(&str, &str); 6] = [
    ("#0072b2", "#5cb3ea"),
    ("#d55e00", "#f58a3c"),
    ("#009e73", "#3cc79f"),
    ("#b0568b", "#e29ac4"),
    ("#b57d00", "#f0b93a"),
    ("#3a93c6", "#9bd4f5"),
];

/// Dash patterns, in the units of the plot (two units are about a pixel). The first is solid.
const DASHES: [&str; 5] = ["", "14 7", "4 6", "18 6 4 6", "26 8"];

/// The mark at a compaction or of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Inverted,
    Pentagon,
    Star,
}

const MARKERS: [Marker; 7] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Inverted,
    Marker::Pentagon,
    Marker::Star,
];

/// The look of one strategy, or of something else beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// Index into [`COLOURS`]; `None` is the ink.
    pub(super) colour: Option<usize>,
    /// A `stroke-dasharray`; empty is solid.
    pub(super) dash: &'static str,
    /// Its mark.
    pub(super) marker: Marker,
}

impl Style {
    /// The look of the strategy with this index in the report. The lists have 6, 5 and 7 members, which share no
    /// factor, so that the first 210 strategies all differ.
    pub(super) fn of(index: usize) -> Self {
        Self {
            colour: Some(index % COLOURS.len()),
            dash: DASHES[index % DASHES.len()],
            marker: MARKERS[index % MARKERS.len()],
        }
    }

    /// The look of what is no strategy, so that it is not taken for one: a mark in the ink. It repeats after 7.
    pub(super) fn neutral(index: usize) -> Self {
        Self { colour: None, dash: "", marker: MARKERS[index % MARKERS.len()] }
    }
}

/// The outline of a marker around `(0, 0)`, in units of `radius`.
pub(super) fn outline(marker: Marker, radius: i32) -> Vec<(i32, i32)> {
    // Corners in thousandths of the radius: regular figures whose area is near that of the circle.
    let corners: &[(i32, i32)] = match marker {
        Marker::Circle => &[
            (1000, 0),
            (866, 500),
            (500, 866),
            (0, 1000),
            (-500, 866),
            (-866, 500),
            (-1000, 0),
            (-866, -500),
            (-500, -866),
            (0, -1000),
            (500, -866),
            (866, -500),
        ],
        Marker::Square => &[(-890, -890), (890, -890), (890, 890), (-890, 890)],
        Marker::Triangle => &[(0, -1200), (1100, 800), (-1100, 800)],
        Marker::Diamond => &[(0, -1300), (1150, 0), (0, 1300), (-1150, 0)],
        Marker::Inverted => &[(0, 1200), (1100, -800), (-1100, -800)],
        Marker::Pentagon => &[(0, -1150), (1094, -355), (676, 930), (-676, 930), (-1094, -355)],
        Marker::Star => &[
            (0, -1400),
            (370, -510),
            (1330, -430),
            (600, 195),
            (823, 1133),
            (0, 630),
            (-823, 1133),
            (-600, 195),
            (-1330, -430),
            (-370, -510),
        ],
    };
    corners.iter().map(|(x, y)| (x * radius / 1000, y * radius / 1000)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_strategies_look_different() {
        let styles: Vec<Style> = (0..210).map(Style::of).collect();
        for (index, style) in styles.iter().enumerate() {
            assert!(!styles[..index].contains(style), "strategy {index} looks like an earlier one");
        }
    }
}
