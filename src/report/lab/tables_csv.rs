//! Tidy CSV: one kind of row per file, units in the names of the columns, an empty field where there is no number.

use ::csv::WriterBuilder;

use super::LabReport;
use crate::lab::{Margin, Verdict};
use crate::report::ReportError;

/// A file's name and its bytes.
type File = (&'static str, Vec<u8>);

/// Ratios have six decimals: equal numbers give equal bytes everywhere.
fn ratio(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.6}"))
}

fn tenth(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.1}"))
}

/// Text of files: a leading sign would be a formula to a spreadsheet (OWASP on CSV injection).
fn word(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if formula { format!("'{text}") } else { text.to_owned() }
}

fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Result<Vec<u8>, ReportError> {
    let mut bytes = Vec::new();
    {
        let mut csv = WriterBuilder::new().from_writer(&mut bytes);
        csv.write_record(header)?;
        for row in rows {
            csv.write_record(row)?;
        }
        csv.flush()?;
    }
    Ok(bytes)
}

/// All files but the messages.
pub(super) fn all(report: &LabReport<'_>) -> Result<Vec<File>, ReportError> {
    Ok(vec![
        ("errors.csv", errors(report)?),
        ("triggers.csv", triggers(report)?),
        ("cuts.csv", cuts(report)?),
        ("reserves.csv", reserves(report)?),
        ("sessions.csv", sessions(report)?),
        ("requests.csv", requests(report)?),
        ("truth.csv", truth(report)?),
    ])
}

fn errors(report: &LabReport<'_>) -> Result<Vec<u8>, ReportError> {
    let rows = report.findings.errors.iter().map(|row| {
        let mut fields = vec![
            row.subject.clone(),
            row.scope.name().to_owned(),
            row.group.name().to_owned(),
            row.value.clone(),
            row.pairs.to_string(),
            row.lineages.to_string(),
        ];
        let numbers = [row.total, row.lineage_total, row.low, row.high, row.bias, row.absolute];
        fields.extend(numbers.into_iter().chain(row.under).chain(row.over).map(ratio));
        fields
    });
    let header = [
        "estimator",
        "scope",
        "group",
        "value",
        "pairs_count",
        "lineages_count",
        "total_error_ratio",
        "lineage_mean_error_ratio",
        "lineage_low_ratio",
        "lineage_high_ratio",
        "bias_ratio",
        "absolute_error_ratio",
        "under_p50_ratio",
        "under_p95_ratio",
        "under_max_ratio",
        "over_p50_ratio",
        "over_p95_ratio",
        "over_max_ratio",
    ];
    table(&header, rows)
}

fn triggers(report: &LabReport<'_>) -> Result<Vec<u8>, ReportError> {
    let rows = report.findings.triggers.iter().map(|row| {
        let counts =
            [row.window.0, row.reserve.0, row.phases, row.same, row.early, row.late, row.needless, row.overflows];
        let numbers = row.requests.into_iter().chain(row.tokens).map(tenth);
        let counts = counts.into_iter().map(|count| count.to_string());
        std::iter::once(row.subject.clone()).chain(counts).chain(numbers).collect()
    });
    let header = [
        "estimator",
        "window_tokens",
        "reserve_tokens",
        "phases_count",
        "same_request_count",
        "early_count",
        "late_count",
        "needless_count",
        "overflows_missed_count",
        "displacement_mean_requests",
        "displacement_p95_requests",
        "displacement_mean_tokens",
        "displacement_p95_tokens",
    ];
    table(&header, rows)
}

fn cuts(report: &LabReport<'_>) -> Result<Vec<u8>, ReportError> {
    let rows = report.findings.cuts.iter().map(|row| {
        let head = [row.subject.clone(), row.keep.to_string(), row.cuts.to_string()];
        head.into_iter().chain(row.messages.map(tenth)).chain(row.kept.map(ratio)).collect()
    });
    let header = [
        "estimator",
        "keep_tokens",
        "cuts_count",
        "displacement_mean_messages",
        "displacement_p95_messages",
        "kept_min_budget_ratio",
        "kept_mean_budget_ratio",
        "kept_max_budget_ratio",
    ];
    table(&header, rows)
}

fn reserves(report: &LabReport<'_>) -> Result<Vec<u8>, ReportError> {
    let rows = report.findings.reserves.iter().map(|row| {
        let window = row.window.as_ref().ok();
        let bounds = |margin: Option<&Margin>| margin.and_then(|margin| margin.interval).unzip();
        let (low, high) = bounds(window);
        let (fewest, most) = bounds(row.tokens.as_ref());
        let counts = [format!("{}", row.risk), row.requests.to_string(), row.lineages.to_string()];
        let shares = [window.map(|margin| margin.value), low, high].map(ratio);
        let tokens = [row.tokens.map(|margin| margin.value), fewest, most].map(tenth);
        let void = row.window.as_ref().err().cloned().unwrap_or_default();
        std::iter::once(row.subject.clone()).chain(counts).chain(shares).chain(tokens).chain([void]).collect()
    });
    let header = [
        "estimator",
        "risk_ratio",
        "requests_count",
        "lineages_count",
        "reserve_window_ratio",
        "low_window_ratio",
        "high_window_ratio",
        "reserve_tokens",
        "low_tokens",
        "high_tokens",
        "void_reason",
    ];
    table(&header, rows)
}

fn sessions(report: &LabReport<'_>) -> Result<Vec<u8>, ReportError> {
    let rows = report.sessions.iter().map(|one| {
        let session = &one.session;
        let mut fields = vec![
            word(&session.name),
            word(&session.lineage),
            session.format.clone(),
            one.messages.len().to_string(),
            one.requests.len().to_string(),
            session.head.to_string(),
            session.head_source.name().to_owned(),
            session.system.map_or_else(String::new, |tokens| tokens.to_string()),
            session.tools.map_or_else(String::new, |tokens| tokens.to_string()),
            one.messages.iter().map(|row| row.truth.0).sum::<u64>().to_string(),
            session.signature_chars.to_string(),
            one.truths.iter().filter(|row| row.fell.0 > 0).count().to_string(),
        ];
        fields.extend(session.verdicts.iter().map(|(_, count)| count.to_string()));
        fields
    });
    let verdicts = Verdict::ALL.map(|verdict| format!("usage_{}_count", verdict.name()));
    let mut header = vec![
        "session",
        "lineage",
        "format",
        "messages_count",
        "compared_requests_count",
        "head_tokens",
        "head_source",
        "system_tokens",
        "tools_json_tokens",
        "messages_tokens",
        "signature_characters",
        "usage_falls_count",
    ];
    header.extend(verdicts.iter().map(String::as_str));
    table(&header, rows)
}

fn requests(report: &LabReport<'_>) -> Result<Vec<u8>, ReportError> {
    let rows = report.sessions.iter().flat_map(|one| {
        one.requests.iter().flat_map(move |row| {
            row.estimates.iter().zip(&report.findings.subjects).map(move |((estimate, anchored), subject)| {
                vec![
                    word(&one.session.name),
                    row.request.to_string(),
                    row.phase.to_string(),
                    row.head.to_string(),
                    row.truth.to_string(),
                    subject.clone(),
                    estimate.to_string(),
                    anchored.to_string(),
                ]
            })
        })
    });
    let header =
        ["session", "request", "phase", "head_tokens", "truth_tokens", "estimator", "estimate_tokens", "anchored"];
    table(&header, rows)
}

fn truth(report: &LabReport<'_>) -> Result<Vec<u8>, ReportError> {
    let rows = report.sessions.iter().flat_map(|one| {
        one.truths.iter().map(move |row| {
            let usage = &row.usage;
            let place = [row.entry.0 as u64, u64::from(row.on_path)];
            let counts = [usage.prompt().0, usage.input, usage.cache_read, usage.cache_write, usage.output];
            let counts = place.into_iter().chain(counts).map(|count| count.to_string());
            std::iter::once(word(&one.session.name))
                .chain(counts)
                .chain([row.verdict.name().to_owned(), row.fell.to_string()])
                .collect()
        })
    });
    let header = [
        "session",
        "entry",
        "on_path",
        "prompt_tokens",
        "input_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "output_tokens",
        "verdict",
        "fell_tokens",
    ];
    table(&header, rows)
}

/// The signed error as a part of the truth: below 0 the message is under-estimated. None where there was nothing to count.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn error(estimate: u64, truth: u64) -> Option<f64> {
    (truth > 0).then(|| estimate as f64 / truth as f64 - 1.0)
}

/// A row per message and estimator.
pub(super) fn messages(report: &LabReport<'_>) -> Result<Vec<u8>, ReportError> {
    let rows = report.sessions.iter().flat_map(|one| {
        one.messages.iter().flat_map(move |row| {
            row.estimates.iter().zip(&report.findings.subjects).enumerate().map(move |(at, (estimate, subject))| {
                vec![
                    word(&one.session.name),
                    row.entry.0.to_string(),
                    format!("{:?}", row.role),
                    row.class.name().to_owned(),
                    row.script.name().to_owned(),
                    row.truth.to_string(),
                    subject.clone(),
                    estimate.to_string(),
                    ratio(error(estimate.0, row.truth.0)),
                    row.signature_chars.to_string(),
                    row.with_signature.get(at).map_or_else(String::new, ToString::to_string),
                ]
            })
        })
    });
    let header = [
        "session",
        "entry",
        "role",
        "class",
        "script",
        "truth_tokens",
        "estimator",
        "estimate_tokens",
        "error_ratio",
        "signature_characters",
        "estimate_with_signature_tokens",
    ];
    table(&header, rows)
}
