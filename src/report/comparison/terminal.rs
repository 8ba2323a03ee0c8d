//! Plain text of at most 80 columns.

use super::super::terminal::wrap;
use super::super::text::one_line;
use super::{MOCK, difference, format, lines, number, signed, title};
use crate::compare::{Comparison, Judged, LostItem};

const WIDTH: usize = 80;

/// Items, changes and moved means that are shown; the rest is counted.
const SHOWN: usize = 12;

pub(super) fn render(comparison: &Comparison) -> String {
    let mut out = Vec::new();
    wrap(&mut out, &format!("{}: {}.", comparison.verdict.name().to_uppercase(), comparison.reason), WIDTH);
    if comparison.mock {
        wrap(&mut out, &format!("MOCK: {MOCK}"), WIDTH);
    }
    counts(comparison, &mut out);
    for gate in &comparison.gates {
        out.push(String::new());
        judged(gate, &mut out);
    }
    list(&mut out, "Newly lost items", &comparison.newly_lost, item);
    if comparison.regained_count > 0 {
        out.push(format!("Items regained: {}", comparison.regained_count));
    }
    list(&mut out, "Changed in the experiment", &comparison.changes, |change| {
        let value = |value: &Option<String>| value.as_deref().map_or_else(|| "–".to_owned(), one_line);
        format!("{}: {} → {}", one_line(&change.field), value(&change.base), value(&change.head))
    });
    list(&mut out, "Means that moved", &comparison.moved, |moved| {
        let [base, head] = [moved.base, moved.head].map(|value| format(&moved.measure, &moved.unit, value));
        let (strategy, model) = (one_line(&moved.strategy), one_line(&moved.model));
        format!("{strategy} · {model} · {}: {base} → {head} (n {})", moved.measure, moved.n)
    });
    out.join("\n") + "\n"
}

fn counts(comparison: &Comparison, out: &mut Vec<String>) {
    let Comparison { pairs, same_pairs, missing_in_head, missing_in_base, .. } = comparison;
    let mut text = format!("{pairs} pairs of cells, {same_pairs} of them the same");
    if *missing_in_head > 0 {
        text += &format!("; {missing_in_head} only in the base");
    }
    if *missing_in_base > 0 {
        text += &format!("; {missing_in_base} only in the head");
    }
    if !comparison.changed_transcripts.is_empty() {
        text += &format!("; transcripts that differ: {}", one_line(&comparison.changed_transcripts.join(", ")));
    }
    wrap(out, &format!("{text}."), WIDTH);
}

fn judged(gate: &Judged, out: &mut Vec<String>) {
    let margin = gate.margin.map_or_else(|| "–".to_owned(), |margin| number(gate, margin));
    wrap(out, &format!("{} · {}, at most {margin} worse", title(gate), gate.measure), WIDTH);
    wrap(out, &format!("{}: {}", gate.verdict.name(), gate.reason), WIDTH);
    if let (Some(base), Some(head), Some(text), Some(found)) =
        (gate.base_mean, gate.head_mean, difference(gate), &gate.difference)
    {
        wrap(out, &format!("mean {} → {}, worse by {text}", number(gate, base), number(gate, head)), WIDTH);
        let p = found.p_holm.map_or_else(String::new, |p| format!(", {p:.3} after Holm"));
        wrap(
            out,
            &format!(
                "n {} lineages: {} better, {} same, {} worse; worst {} in {}; p {:.3}{p}",
                gate.n,
                found.better,
                found.ties,
                found.worse,
                signed(gate, found.worst),
                one_line(&found.worst_lineage),
                found.p
            ),
            WIDTH,
        );
        if let Some(least) = found.minimum_detectable.filter(|_| !gate.unchanged) {
            wrap(out, &format!("such a set finds a difference of {} in 4 of 5 cases", number(gate, least)), WIDTH);
        }
        if found.fallback {
            wrap(out, "the interval is of percentiles, which are too narrow", WIDTH);
        }
    }
    if gate.void_pairs > 0 {
        wrap(out, &format!("void in both runs: {} pairs ({})", gate.void_pairs, gate.void_reasons.join("; ")), WIDTH);
    }
}

fn item(item: &LostItem) -> String {
    let critical = if item.critical { "CRITICAL " } else { "" };
    let draws =
        if item.repetitions > 1 { format!(", in {} of {}", item.lost_in, item.repetitions) } else { String::new() };
    let (transcript, id, text) = (one_line(&item.transcript), one_line(&item.item), one_line(&item.text));
    let (strategy, category) = (one_line(&item.strategy), &item.category);
    format!(
        "{critical}{strategy} · {transcript}, {}: {id} ({category}) {} → {}{draws}: {text}",
        lines(item),
        item.base_fate,
        item.head_fate
    )
}

fn list<T>(out: &mut Vec<String>, title: &str, all: &[T], show: impl Fn(&T) -> String) {
    if all.is_empty() {
        return;
    }
    out.push(String::new());
    out.push(format!("{title} ({})", all.len()));
    for one in all.iter().take(SHOWN) {
        wrap(out, &format!("- {}", show(one)), WIDTH);
    }
    if all.len() > SHOWN {
        out.push(format!("- and {} more; --json shows all", all.len() - SHOWN));
    }
}
