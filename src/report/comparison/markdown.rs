//! Markdown for the comment of a pull request. Text of transcripts and experiments cannot become markup.

use std::fmt::Write;

use super::super::text::for_markdown as safe;
use super::{MOCK, difference, format, lines, number, title};
use crate::compare::{Comparison, Verdict};

/// Rows of a table that are shown; the rest is counted.
const SHOWN: usize = 30;

pub(super) fn render(comparison: &Comparison) -> String {
    let mut out = String::new();
    let mark = match comparison.verdict {
        Verdict::Pass => "✅",
        Verdict::Regress => "❌",
        Verdict::Inconclusive => "❔",
        Verdict::Void => "⚪",
    };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "### {mark} Compaction: {}\n\n{}.", comparison.verdict.name(), safe(&comparison.reason));
    if comparison.mock {
        let _ = writeln!(out, "\n> **MOCK.** {MOCK}");
    }
    gates(comparison, &mut out);
    lost(comparison, &mut out);
    let changes = comparison.changes.iter().map(|change| {
        let value = |value: &Option<String>| value.as_deref().map_or_else(|| "–".to_owned(), safe);
        format!("| {} | {} | {} |", safe(&change.field), value(&change.base), value(&change.head))
    });
    table(&mut out, "Changed in the experiment", "| field | base | head |\n|---|---|---|", changes);
    let moved = comparison.moved.iter().map(|moved| {
        let [base, head] = [moved.base, moved.head].map(|value| format(&moved.measure, &moved.unit, value));
        format!("| {} | {} | {base} | {head} | {} |", safe(&moved.strategy), safe(&moved.measure), moved.n)
    });
    let head = "| strategy | measure | base | head | n |\n|---|---|---:|---:|---:|";
    table(&mut out, "Means that moved", head, moved);
    let Comparison { pairs, same_pairs, missing_in_head, missing_in_base, .. } = comparison;
    let _ = writeln!(
        out,
        "\n{pairs} pairs of cells, {same_pairs} the same; {missing_in_head} only in the base, {missing_in_base} only in the \
         head. n counts lineages; positive is worse."
    );
    out
}

fn gates(comparison: &Comparison, out: &mut String) {
    out.push_str("\n| strategy | gate | verdict | base → head | worse by, 95 % interval | n | void pairs | why |\n");
    out.push_str("|---|---|---|---|---|---:|---:|---|\n");
    for gate in &comparison.gates {
        let void = || "–".to_owned();
        let of = |value: Option<f64>| value.map_or_else(void, |value| number(gate, value));
        let _ = writeln!(
            out,
            "| {} | {} ≤ {} | **{}** | {} → {} | {} | {} | {} | {} |",
            safe(&title(gate)),
            safe(&gate.measure),
            of(gate.margin),
            gate.verdict.name(),
            of(gate.base_mean),
            of(gate.head_mean),
            difference(gate).unwrap_or_else(void),
            gate.n,
            gate.void_pairs + gate.half_void_pairs,
            safe(&gate.reason),
        );
    }
}

fn lost(comparison: &Comparison, out: &mut String) {
    let rows = comparison.newly_lost.iter().map(|item| {
        let critical = if item.critical { "**critical** " } else { "" };
        format!(
            "| {} | {}, {} | {critical}{} | {} | {} → {} | {} of {} |",
            safe(&item.strategy),
            safe(&item.transcript),
            lines(item),
            safe(&item.category),
            safe(&item.text),
            safe(&item.base_fate),
            safe(&item.head_fate),
            item.lost_in,
            item.repetitions
        )
    });
    let head = "| strategy | where | item | in words | fate | repetitions |\n|---|---|---|---|---|---|";
    table(out, "Newly lost items", head, rows);
}

fn table(out: &mut String, title: &str, head: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "\n<details{}><summary>{title} ({})</summary>\n\n{head}\n",
        if rows.len() < 9 { " open" } else { "" },
        rows.len()
    );
    for row in rows.iter().take(SHOWN) {
        out.push_str(row);
        out.push('\n');
    }
    if rows.len() > SHOWN {
        let _ = writeln!(out, "\nand {} more.", rows.len() - SHOWN);
    }
    out.push_str("\n</details>\n");
}
