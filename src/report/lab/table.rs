//! The table for a terminal.

use std::io::Write;

use super::LabReport;
use crate::lab::{ErrorRow, Group, HeadSource, Observed, Scope, SessionRow, Verdict};
use crate::report::ReportError;
use crate::report::narrow::Narrow;
use crate::report::number::{Format, counted};
use crate::report::text::{one_line, short_name, width};

/// Columns of the first column, and of the last one.
const NAME: usize = 20;
const WORST: usize = 14;

fn percent(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| Format::Percent.write(value))
}

fn signed(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), |value| Format::SignedPercent.write(value))
}

/// Right-aligned in `columns`.
fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Left-aligned in `columns`.
fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The row of a subject in a scope without groups.
pub(super) fn overall<'r>(report: &'r LabReport<'_>, subject: &str, scope: Scope) -> Option<&'r ErrorRow> {
    report.findings.errors.iter().find(|row| row.subject == *subject && row.scope == scope && row.group == Group::All)
}

/// The class that is most wrong in all, of those with a hundred messages or, failing that, of all.
fn worst_class(report: &LabReport<'_>, subject: &str) -> Option<String> {
    let classes = report.findings.errors.iter().filter(|row| {
        row.subject == *subject && row.scope == Scope::Message && row.group == Group::Class && row.total.is_some()
    });
    let worst = classes.max_by(|a, b| {
        let size = |row: &ErrorRow| row.total.unwrap_or(0.0).abs();
        (a.pairs >= 100).cmp(&(b.pairs >= 100)).then(size(a).total_cmp(&size(b)))
    })?;
    let error = signed(worst.total);
    Some(format!("{} {error}", short_name(&worst.value, WORST.saturating_sub(1 + width(&error)))))
}

/// What was compared, for the first lines.
pub(super) fn facts(report: &LabReport<'_>) -> Vec<String> {
    let sessions = report.sessions;
    let mut lineages: Vec<&str> = sessions.iter().map(|one| one.session.lineage.as_str()).collect();
    lineages.sort_unstable();
    lineages.dedup();
    let messages: usize = sessions.iter().map(|one| one.messages.len()).sum();
    let requests: usize = sessions.iter().map(|one| one.requests.len()).sum();
    let mut facts = vec![
        format!("truth {}, {} of {}", report.truth, all_sessions(sessions.len()), counted(lineages.len(), "lineage")),
        format!("{} and {} compared", counted(messages, "message"), counted(requests, "request")),
    ];
    let inferred = sessions.iter().filter(|one| one.session.head_source == HeadSource::Inferred).count();
    if inferred > 0 {
        facts.push(format!("head inferred from the first recorded request in {}", all_sessions(inferred)));
    }
    let of = |verdict| -> u64 {
        let one = |row: &&(Verdict, u64)| row.0 == verdict;
        sessions.iter().filter_map(|session| session.session.verdicts.iter().find(one)).map(|row| row.1).sum()
    };
    let left_out = Verdict::ALL.into_iter().filter(|verdict| *verdict != Verdict::Usable && of(*verdict) > 0);
    let left_out: Vec<String> = left_out.map(|verdict| format!("{} {}", of(verdict), verdict.name())).collect();
    let usable = of(Verdict::Usable);
    facts.push(match left_out.as_slice() {
        [] => format!("recorded usage: {usable} usable"),
        some => format!("recorded usage: {usable} usable; left out: {}", some.join(", ")),
    });
    facts.extend([falls(sessions), heads(sessions), signatures(sessions)].into_iter().flatten());
    facts
}

/// Recorded contexts that shrank for no recorded reason.
fn falls(sessions: &[Observed]) -> Option<String> {
    let falls = sessions.iter().flat_map(|one| &one.truths).map(|row| row.fell.0).filter(|&fell| fell > 0);
    let (number, most) = falls.fold((0, 0), |(number, most), fell| (number + 1, most.max(fell)));
    let times = if number == 1 { "once".to_owned() } else { format!("{number} times") };
    (number > 0).then(|| {
        format!("recorded usage falls {times}, by {most} tokens at most, though nothing was removed: taken as recorded")
    })
}

/// What the known heads count, beside the messages of those sessions.
fn heads(sessions: &[Observed]) -> Option<String> {
    let known: Vec<_> = sessions.iter().filter(|one| one.session.system.or(one.session.tools).is_some()).collect();
    let part = |of: fn(&SessionRow) -> Option<u64>| known.iter().map(|one| of(&one.session)).collect::<Vec<_>>();
    let system = in_part(&part(|session| session.system.map(|tokens| tokens.0)), " tokens");
    let tools = in_part(
        &part(|session| session.tools.map(|tokens| tokens.0)),
        " as JSON (an estimate: providers render them in their own way)",
    );
    let messages: u64 = known.iter().flat_map(|one| &one.messages).map(|row| row.truth.0).sum();
    (!known.is_empty()).then(|| {
        let heads = all_sessions(known.len());
        format!("heads in {heads}: system prompts {system}, tools {tools}, beside messages of {messages}")
    })
}

fn all_sessions(number: usize) -> String {
    counted(number, "session")
}

/// A sum of what is known, and of how many it is known.
fn in_part(all: &[Option<u64>], unit: &str) -> String {
    let known: Vec<u64> = all.iter().flatten().copied().collect();
    let sum: u64 = known.iter().sum();
    match known.len() {
        0 => "unknown".to_owned(),
        some if some < all.len() => format!("{sum}{unit}, known for {some} of {}", all.len()),
        _ => format!("{sum}{unit}"),
    }
}

/// Signatures of reasoning, which are in no estimate.
fn signatures(sessions: &[Observed]) -> Option<String> {
    let chars: u64 = sessions.iter().map(|one| one.session.signature_chars).sum();
    (chars > 0).then(|| format!("signatures of reasoning: {chars} characters, in no estimate; --messages shows both"))
}

pub(super) fn write(report: &LabReport<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
    let out = &mut Narrow::new(out);
    for fact in facts(report) {
        writeln!(out, "{fact}")?;
    }
    writeln!(out)?;
    writeln!(
        out,
        "{:<NAME$} {:>7} {:>14} {:>6} {:>6} {:>6}  worst class",
        "", "error", "95 %", "|err|", "under", "keep"
    )?;
    writeln!(
        out,
        "{:<NAME$} {:>7} {:>14} {:>6} {:>6} {:>6}  in all, %",
        "estimator", "%", "interval", "%", "p95 %", "free %"
    )?;
    for subject in &report.findings.subjects {
        let Some(row) = overall(report, subject, Scope::Request).or_else(|| overall(report, subject, Scope::Message))
        else {
            continue;
        };
        let interval = match (row.low, row.high) {
            (Some(low), Some(high)) => format!("{} {}", signed(Some(low)), signed(Some(high))),
            _ => "–".to_owned(),
        };
        let reserve = report.findings.reserves.iter().find(|one| one.subject == *subject);
        let reserve = percent(reserve.and_then(|row| row.window.as_ref().ok().map(|margin| margin.value)));
        writeln!(
            out,
            "{} {} {} {} {} {}  {}",
            left(&short_name(&one_line(subject), NAME), NAME),
            right(&signed(row.lineage_total), 7),
            right(&interval, 14),
            right(&percent(row.absolute), 6),
            right(&percent(row.under[1]), 6),
            right(&reserve, 6),
            worst_class(report, subject).unwrap_or_default()
        )?;
    }
    writeln!(out, "\nerror: mean over lineages; under: 95 % quantile of the under-estimated requests;")?;
    writeln!(out, "keep free: part of the window that 99 % of the requests do not exceed")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::in_part;

    #[test]
    fn what_is_known_of_some_is_no_sum_of_all() {
        let part = |all: &[Option<u64>]| in_part(all, " tokens");
        assert_eq!(part(&[None, None]), "unknown");
        assert_eq!(part(&[Some(7), None, Some(0)]), "7 tokens, known for 2 of 3");
        assert_eq!(part(&[Some(0)]), "0 tokens");
    }
}
