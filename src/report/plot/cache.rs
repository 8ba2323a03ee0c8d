//! Plots of a prompt cache: what of every request was read, written and plain; the bill against the threshold; when a
//! compaction has paid for itself.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::super::ReportError;
use super::super::number::{counted, real, short};
use super::super::palette::Style;
use super::super::text::visible;
use super::svg::{GRID, INK, finish, line_colour, standalone};
use super::{Area, Figure, axes, cross, failed, marker, text};
use crate::results::{CacheRequestRecord, CacheSweepRecord};

const SIZE: (u32, u32) = (960, 580);
/// Read, written, plain: places in the palette.
const CLASSES: [(usize, &str); 3] = [(2, "read"), (1, "written"), (0, "plain")];

/// Draws the requests of a session as stacked bars: recorded usage where there is some, otherwise what was simulated.
/// A cross stands over a break, a circle over a compaction.
///
/// # Errors
/// When plotters fails.
pub fn cache_requests(records: &[CacheRequestRecord]) -> Result<String, ReportError> {
    let session = records.first().map_or("", |record| &record.session);
    let breaks = records.iter().filter(|record| broke(record)).count();
    let compactions = records.iter().filter(|record| record.after_compaction).count();
    let figure = Figure {
        id: "cache-requests",
        title: format!("Prompt tokens by cache class: {}", visible(session)),
        about: [(records.len(), "request"), (breaks, "break"), (compactions, "compaction")]
            .map(|(number, of)| counted(number, of))
            .join(", "),
        size: SIZE,
    };
    Ok(standalone(&drawn(&figure, |area| stack(area, records))?))
}

fn drawn(figure: &Figure<'_>, draw: impl FnOnce(&Area<'_>) -> Result<(), ReportError>) -> Result<String, ReportError> {
    let mut raw = String::new();
    {
        let area = SVGBackend::with_string(&mut raw, SIZE).into_drawing_area();
        draw(&area)?;
        area.present().map_err(failed)?;
    }
    Ok(finish(&raw, figure))
}

fn broke(record: &CacheRequestRecord) -> bool {
    record.recorded_break.is_some() || record.recorded_read_tokens.is_none() && record.simulated_break.is_some()
}

/// Read, written and plain tokens.
fn classes(record: &CacheRequestRecord) -> [f64; 3] {
    let written = |short: Option<u64>, long: Option<u64>| short.unwrap_or(0) + long.unwrap_or(0);
    match record.recorded_read_tokens {
        Some(read) => [
            read,
            written(record.recorded_write_tokens, record.recorded_write_long_tokens),
            record.recorded_plain_tokens.unwrap_or(0),
        ],
        None => [
            record.simulated_read_tokens,
            record.simulated_write_tokens + record.simulated_write_long_tokens,
            record.simulated_plain_tokens,
        ],
    }
    .map(real)
}

fn stack(area: &Area<'_>, records: &[CacheRequestRecord]) -> Result<(), ReportError> {
    let top = records.iter().map(|record| classes(record).iter().sum::<f64>()).fold(1.0, f64::max);
    let last = records.iter().map(|record| real(record.request)).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .margin_top(44)
        .margin_right(26)
        .x_label_area_size(86)
        .y_label_area_size(118)
        .build_cartesian_2d(0.5..last + 0.5, 0.0..top * 1.1)
        .map_err(failed)?;
    axes!(chart, "Request", "Prompt (tokens)", &|request: &f64| format!("{request:.0}"), &|tokens: &f64| short(
        *tokens
    ))?;
    let place = |request: f64, tokens: f64| chart.plotting_area().map_coordinate(&(request, tokens));
    for record in records {
        let request = real(record.request);
        let mut base = 0.0;
        for ((colour, _), tokens) in CLASSES.into_iter().zip(classes(record)) {
            if tokens > 0.0 {
                let corners = [place(request - 0.5, base), place(request + 0.5, base + tokens)];
                area.draw(&Rectangle::new(corners, line_colour(colour).filled())).map_err(failed)?;
            }
            base += tokens;
        }
        let (x, y) = place(request, base);
        if record.after_compaction {
            marker(area, Style::of(0), (x, y - 16), 9)?;
        }
        if broke(record) {
            cross(area, (x, y - 16), 8)?;
        }
    }
    legend(area, &CLASSES)
}

/// Names with a square of their colour, above the plot.
fn legend(area: &Area<'_>, names: &[(usize, &str)]) -> Result<(), ReportError> {
    let mut x = 130;
    for &(colour, name) in names {
        area.draw(&Rectangle::new([(x, 12), (x + 22, 32)], line_colour(colour).filled())).map_err(failed)?;
        area.draw_text(name, &text(HPos::Left, VPos::Center), (x + 30, 22)).map_err(failed)?;
        x += 60 + super::text_width(name);
    }
    Ok(())
}

/// Draws the bill of a session against the threshold: as the summaries were made, and as if their calls had read the old
/// prompt from the cache. The cheapest threshold is marked; a level line is the bill without any compaction.
///
/// # Errors
/// When plotters fails.
pub fn cache_sweep(records: &[CacheSweepRecord]) -> Result<String, ReportError> {
    Ok(standalone(&cache_sweep_figure("cache-sweep", records)?))
}

/// The same for a page, which has the colours; `id` is the drawing's own.
pub(in crate::report) fn cache_sweep_figure(id: &str, records: &[CacheSweepRecord]) -> Result<String, ReportError> {
    let session = records.first().map_or("", |record| &record.session);
    let best = records.iter().find(|record| record.optimum);
    let about = match best.map(|best| (best.threshold_tokens, best.cost_usd)) {
        Some((Some(tokens), usd)) => format!("cheapest at {} tokens: ${usd:.4}", short(real(tokens))),
        Some((None, usd)) => format!("cheapest without any compaction: ${usd:.4}"),
        None => "no threshold".to_owned(),
    };
    let title = format!("Bill against threshold: {}", visible(session));
    drawn(&Figure { id, title, about, size: SIZE }, |area| bill(area, records))
}

fn bill(area: &Area<'_>, records: &[CacheSweepRecord]) -> Result<(), ReportError> {
    let with = || records.iter().filter_map(|record| Some((real(record.threshold_tokens?), record)));
    let right = with().map(|(threshold, _)| threshold).fold(1.0, f64::max);
    let top = records.iter().map(|record| record.cost_usd.max(record.riding_usd)).fold(0.01, f64::max);
    let mut chart = ChartBuilder::on(area)
        .margin_top(44)
        .margin_right(30)
        .x_label_area_size(86)
        .y_label_area_size(118)
        .build_cartesian_2d(0.0..right * 1.05, 0.0..top * 1.12)
        .map_err(failed)?;
    axes!(
        chart,
        "Threshold (tokens of messages)",
        "Bill (USD)",
        &|tokens: &f64| short(*tokens),
        &|usd: &f64| format!("{usd:.2}")
    )?;
    let place = |threshold: f64, usd: f64| chart.plotting_area().map_coordinate(&(threshold, usd));
    let line =
        |usd: fn(&CacheSweepRecord) -> f64| with().map(|(threshold, record)| place(threshold, usd(record))).collect();
    let lines: [(usize, Vec<(i32, i32)>); 2] =
        [(0, line(|record| record.cost_usd)), (1, line(|record| record.riding_usd))];
    for (style, points) in lines {
        area.draw(&PathElement::new(points, line_colour(style).stroke_width(4))).map_err(failed)?;
    }
    for record in records.iter().filter(|record| record.threshold_tokens.is_none()) {
        let ends = vec![place(0.0, record.cost_usd), place(right * 1.05, record.cost_usd)];
        area.draw(&PathElement::new(ends, line_colour(2).stroke_width(4))).map_err(failed)?;
    }
    if let Some(best) = records.iter().find(|record| record.optimum) {
        let at = place(best.threshold_tokens.map_or(right * 1.05, real), best.cost_usd);
        marker(area, Style::of(0), at, 13)?;
        let label = format!("${:.2}", best.cost_usd);
        area.draw_text(&label, &text(HPos::Center, VPos::Top), (at.0, at.1 + 16)).map_err(failed)?;
    }
    legend(area, &[(0, "as made"), (1, "summary call riding"), (2, "no compaction")])
}

/// A compaction for a break-even plot.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakEvenLine {
    /// What it is.
    pub label: String,
    /// What it costs once, in tokens of plain input.
    pub one_time_tokens: f64,
    /// What every later request saves.
    pub saving_tokens: f64,
}

/// Draws what compactions have saved after so many requests; where a line crosses zero it has paid for itself.
///
/// # Errors
/// When plotters fails.
pub fn break_even(lines: &[BreakEvenLine]) -> Result<String, ReportError> {
    Ok(standalone(&break_even_figure("break-even", lines)?))
}

/// The same for a page.
pub(in crate::report) fn break_even_figure(id: &str, lines: &[BreakEvenLine]) -> Result<String, ReportError> {
    let even = |line: &BreakEvenLine| (line.saving_tokens > 0.0).then(|| line.one_time_tokens / line.saving_tokens);
    let named = lines.iter().map(|line| match even(line) {
        Some(requests) => format!("{}: after {:.0} requests", line.label, requests.ceil()),
        None => format!("{}: never", line.label),
    });
    let about = named.collect::<Vec<_>>().join("; ");
    let title = "Break-even of a compaction".to_owned();
    drawn(&Figure { id, title, about, size: SIZE }, |area| {
        let last = lines.iter().filter_map(even).fold(10.0, f64::max) * 1.4;
        let saved = |line: &BreakEvenLine, requests: f64| line.saving_tokens * requests - line.one_time_tokens;
        let all = || lines.iter().flat_map(|line| [saved(line, 0.0), saved(line, last)]);
        let (low, high) = (all().fold(0.0, f64::min), all().fold(1.0, f64::max));
        let mut chart = ChartBuilder::on(area)
            .margin_top(44)
            .margin_right(30)
            .x_label_area_size(86)
            .y_label_area_size(118)
            .build_cartesian_2d(0.0..last, low * 1.05..high * 1.05)
            .map_err(failed)?;
        axes!(
            chart,
            "Requests after it",
            "Saved (tokens of plain input)",
            &|requests: &f64| format!("{requests:.0}"),
            &|tokens: &f64| short(*tokens)
        )?;
        let place = |requests: f64, tokens: f64| chart.plotting_area().map_coordinate(&(requests, tokens));
        area.draw(&PathElement::new(vec![place(0.0, 0.0), place(last, 0.0)], INK.stroke_width(2))).map_err(failed)?;
        for (index, line) in lines.iter().enumerate() {
            let ends = vec![place(0.0, saved(line, 0.0)), place(last, saved(line, last))];
            area.draw(&PathElement::new(ends, line_colour(index).stroke_width(4))).map_err(failed)?;
            if let Some(requests) = even(line) {
                marker(area, Style::of(index), place(requests, 0.0), 11)?;
            }
        }
        legend(area, &lines.iter().enumerate().map(|(index, line)| (index, &*line.label)).collect::<Vec<_>>())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_the_recorded_classes_and_marks() {
        let record = |request, read, write, broken: bool| CacheRequestRecord {
            session: "<s>".to_owned(),
            request,
            recorded_read_tokens: Some(read),
            recorded_write_tokens: Some(write),
            recorded_plain_tokens: Some(10),
            recorded_break: broken.then(|| "expired".to_owned()),
            after_compaction: broken,
            ..CacheRequestRecord::default()
        };
        let svg =
            cache_requests(&[record(1, 0, 900, false), record(2, 900, 100, false), record(3, 0, 500, true)]).unwrap();
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{svg}");
        assert!(svg.contains("3 requests, 1 break, 1 compaction") && svg.contains("&lt;s&gt;"));
        // One read bar, three written and three plain ones, and a square of each in the legend.
        let bars = |colour: &str| svg.matches("<rect x").count().min(svg.matches(colour).count());
        assert_eq!(
            ["var(--s2)", "var(--s1)", "var(--s0)"].map(bars),
            [2, 4, 5],
            "the compaction has a marker of the first colour"
        );
    }

    #[test]
    fn the_cheapest_threshold_and_the_break_even_are_named() {
        let point = |threshold_tokens, cost_usd, optimum| CacheSweepRecord {
            threshold_tokens,
            cost_usd,
            riding_usd: cost_usd,
            optimum,
            ..CacheSweepRecord::default()
        };
        let svg =
            cache_sweep(&[point(Some(40_000), 2.0, false), point(Some(80_000), 1.5, true), point(None, 3.0, false)])
                .unwrap();
        assert!(
            svg.contains("cheapest at 80k tokens: $1.5000") || svg.contains("cheapest at 80 k tokens: $1.5000"),
            "{svg}"
        );
        let line = |saving_tokens| BreakEvenLine { label: "a".to_owned(), one_time_tokens: 100.0, saving_tokens };
        let svg = break_even(&[line(30.0), line(0.0)]).unwrap();
        assert!(svg.contains("a: after 4 requests; a: never"), "{svg}");
    }
}
