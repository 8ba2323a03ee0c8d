//! The strategy table for a terminal.

use std::io::Write;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::model::{Aggregate, Column, StrategyRow};
use super::number::{Format, count, short};
use super::text::{one_line, short_name, visible, width};
use super::{ReportError, ReportModel, Reporter};

/// Longest name of a strategy.
const NAME: usize = 22;
/// Columns between two columns of the table.
const GAP: usize = 2;

/// The strategy table, at most `width` columns wide. Columns that do not fit are named below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Columns that there are; at least 40 are used.
    pub width: usize,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { width: 80 }
    }
}

impl Reporter for Terminal {
    fn render(&self, model: &ReportModel, out: &mut dyn Write) -> Result<(), ReportError> {
        let width = self.width.max(40);
        let mut lines = Vec::new();
        if model.mock {
            wrap(&mut lines, "MOCK: mock summaries, they say nothing about a real model.", width);
        }
        for setting in model.settings() {
            let rows: Vec<&StrategyRow> = model.strategies.iter().filter(|row| row.setting == setting).collect();
            let title = format!(
                "{}, window {} tokens, history {}",
                one_line(setting.model),
                count(setting.window_tokens),
                one_line(setting.history)
            );
            wrap(&mut lines, &title, width);
            table(model, &rows, width, &mut lines);
        }
        for line in lines {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}

fn table(model: &ReportModel, rows: &[&StrategyRow<'_>], width: usize, lines: &mut Vec<String>) {
    let names: Vec<String> =
        rows.iter().map(|row| short_name(&one_line(&model.labels[row.label]), NAME.min(width / 2))).collect();
    let (shown, left_out) = fitting(model, rows, &names, width);
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let head = shown.iter().map(|column| column.short.to_owned());
    table.set_header(std::iter::once("strategy".to_owned()).chain(head));
    for (row, name) in rows.iter().zip(names) {
        let fields = shown.iter().map(|column| row.measures.get(column.measure).map_or_else(void, field));
        table.add_row(std::iter::once(name).chain(fields));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if index == 0 { 0 } else { 2 }, 0));
        column.set_cell_alignment(if index == 0 { CellAlignment::Left } else { CellAlignment::Right });
    }
    lines.extend(table.lines().map(|line| line.trim_end().to_owned()));
    if rows.iter().any(|row| shown.iter().any(|column| is_partial(row, column))) {
        wrap(lines, "* fewer cells than the rest of the row: the others are void. – no number in any cell.", width);
    }
    if !left_out.is_empty() {
        wrap(lines, &format!("Not shown: {}.", left_out.join(", ")), width);
    }
}

/// The columns that fit, the most important first to be taken, in the order of the table, and the names of the others.
fn fitting(
    model: &ReportModel,
    rows: &[&StrategyRow<'_>],
    names: &[String],
    available: usize,
) -> (Vec<Column>, Vec<&'static str>) {
    let first = names.iter().map(|name| width(name)).max().unwrap_or(0).max("strategy".len());
    let mut ranked: Vec<&Column> = model.columns.iter().collect();
    ranked.sort_by_key(|column| column.rank);
    let (mut used, mut shown) = (first, Vec::new());
    for column in ranked {
        let fields = rows.iter().filter_map(|row| row.measures.get(column.measure)).map(|value| width(&field(value)));
        let needed = fields.max().unwrap_or(1).max(width(column.short)) + GAP;
        if used + needed > available {
            continue;
        }
        used += needed;
        shown.push(column.measure);
    }
    let (shown, left_out): (Vec<Column>, Vec<Column>) =
        model.columns.iter().copied().partition(|column| shown.contains(&column.measure));
    (shown, left_out.into_iter().map(|column| column.short).collect())
}

fn is_partial(row: &StrategyRow<'_>, column: &Column) -> bool {
    row.measures.get(column.measure).is_some_and(|value| value.voids > 0)
}

fn void() -> String {
    "–".to_owned()
}

fn field(aggregate: &Aggregate<'_>) -> String {
    let Some(value) = aggregate.value else { return void() };
    let text = match aggregate.format {
        Format::Whole => short(value),
        format @ (Format::Percent | Format::SignedPercent) => format.write(value) + "%",
        format => format.write(value),
    };
    if aggregate.voids > 0 { text + "*" } else { text }
}

/// Breaks a sentence at spaces; a longer word is shortened in the middle.
pub(super) fn wrap(lines: &mut Vec<String>, sentence: &str, columns: usize) {
    let mut line = String::new();
    for word in sentence.split_whitespace() {
        let word = short_name(&visible(word), columns);
        if !line.is_empty() && width(&line) + 1 + width(&word) > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    lines.push(line);
}
