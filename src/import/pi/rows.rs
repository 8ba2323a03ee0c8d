//! Physical lines to records, and the repair of lines that are not one record each.
//!
//! Damage that was seen in real files: two records on one line (a lost line break), a record spread over several lines
//! (raw line breaks in a string), NUL padding, an unfinished last line, and an unfinished line to which a later run
//! appended its next record.

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::json::{Reader, leading_values};
use super::record::Record;
use super::tree::Builder;
use crate::import::FindingKind;
use crate::import::lines::Line;

/// How many lines one broken record is looked for in. Longer ones are given up, so that reading stays linear.
const MAX_JOINED: usize = 200;

/// Fewer lines than this are not worth another thread.
const MIN_LINES: usize = 64;

/// Reads all lines into `builder`.
pub(super) fn read<R: Reader>(lines: &[Line<'_>], builder: &mut Builder) {
    builder.counts.total = lines.len();
    let mut parsed = parse::<R>(lines);
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        let early = parsed[next].take();
        next += 1;
        let text = trimmed(line, builder);
        if text.is_empty() {
            let only_nul = line.text.contains('\0');
            *(if only_nul { &mut builder.counts.left_out } else { &mut builder.counts.blank }) += 1;
            continue;
        }
        if let Some(offset) = line.bad_utf8 {
            let fault = "bytes that are not UTF-8, each read as U+FFFD".to_owned();
            builder.fault((line.number, line.number), Some(offset), FindingKind::InvalidUtf8, fault);
        }
        match early.unwrap_or_else(|| R::record(text)) {
            Ok(record) => builder.push((line.number, line.number), text, record),
            Err(reason) => next += recover::<R>(&lines[next - 1..], text, &reason, builder),
        }
    }
}

/// Parses all lines at once, on all threads of the pool. Not those that are blank or padded, which are looked at first.
fn parse<'l, R: Reader>(lines: &'l [Line<'_>]) -> Vec<Option<Result<Record<'l>, String>>> {
    let record = |line: &'l Line<'_>| {
        let text = line.text.trim();
        let plain = text.starts_with('{') && !text.ends_with('\0');
        plain.then(|| R::record(text))
    };
    lines.par_iter().with_min_len(MIN_LINES).map(record).collect()
}

/// The text of a line without white space and NULs around it.
fn trimmed<'a>(line: &'a Line<'_>, builder: &mut Builder) -> &'a str {
    let text = line.text.trim();
    if !text.starts_with('\0') && !text.ends_with('\0') {
        return text;
    }
    let kept = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    let fault = format!("{} NUL or blank bytes around the record, removed", text.len() - kept.len());
    builder.fault((line.number, line.number), Some(line.offset), FindingKind::NulPadding, fault);
    kept
}

/// Saves what can be saved of `lines[0]`, which is not one record; returns how many further lines were used up.
fn recover<R: Reader>(lines: &[Line<'_>], text: &str, reason: &str, builder: &mut Builder) -> usize {
    let at = (lines[0].number, lines[0].number);
    let (values, end) = leading_values(text);
    if values.iter().any(|value| value.starts_with('{')) {
        let fault = format!("{} records on one line, taken apart", values.len());
        builder.fault(at, Some(lines[0].offset), FindingKind::GluedRecords, fault);
        for value in values {
            match R::record(value) {
                Ok(record) => builder.push(at, value, record),
                Err(reason) => malformed(&lines[0], &reason, builder),
            }
        }
        let tail = text[end..].trim();
        if !tail.is_empty() && !salvage::<R>(&lines[0], tail, builder) {
            malformed(&lines[0], reason, builder);
        }
        return 0;
    }
    let joined = if text.starts_with('{') { join::<R>(lines, builder) } else { None };
    if let Some(used) = joined {
        return used;
    }
    if !salvage::<R>(&lines[0], text, builder) {
        malformed(&lines[0], reason, builder);
        builder.counts.left_out += 1;
    }
    0
}

/// Reports a line, or the rest of one, that is not JSON.
fn malformed(line: &Line<'_>, reason: &str, builder: &mut Builder) {
    let at = (line.number, line.number);
    let (kind, what) = if line.terminated {
        (FindingKind::MalformedLine, "expected one JSON object")
    } else {
        (FindingKind::TruncatedLine, "the file ends in the middle of a record")
    };
    builder.fault(at, Some(line.offset), kind, format!("{what}; left out ({reason})"));
}

/// Reads the last record of a line that begins with an unfinished one.
fn salvage<R: Reader>(line: &Line<'_>, text: &str, builder: &mut Builder) -> bool {
    let at = (line.number, line.number);
    for (start, _) in text.match_indices("{\"type\":\"").skip_while(|&(start, _)| start == 0) {
        if let Ok(record) = R::record(&text[start..]) {
            let fault = format!("an unfinished record of {start} bytes before the last one; left out");
            builder.fault(at, Some(line.offset), FindingKind::MalformedLine, fault);
            builder.push(at, &text[start..], record);
            return true;
        }
    }
    false
}

/// Reads a record that raw line breaks spread over `lines[0]` and the next ones; returns how many of those it took.
fn join<R: Reader>(lines: &[Line<'_>], builder: &mut Builder) -> Option<usize> {
    let mut escaped = strip_cr(&lines[0].text).to_owned();
    let mut spaced = escaped.clone();
    for (used, line) in lines.iter().enumerate().skip(1).take(MAX_JOINED) {
        let piece = strip_cr(&line.text);
        // Only a line that is a record of its own begins like this, and it ends the search.
        if piece.starts_with("{\"type\":") && R::record(piece).is_ok() {
            return None;
        }
        escaped.push_str("\\n");
        escaped.push_str(piece);
        spaced.push(' ');
        spaced.push_str(piece);
        if !piece.trim_end().ends_with('}') {
            continue;
        }
        for text in [&escaped, &spaced] {
            if let Ok(record) = R::record(text) {
                let (first, last) = (lines[0].number, line.number);
                let fault = format!("lines {first} to {last} hold one record with raw line breaks in it; joined");
                builder.fault((first, last), Some(lines[0].offset), FindingKind::RawNewline, fault);
                builder.push((first, last), text.trim(), record);
                return Some(used);
            }
        }
    }
    None
}

fn strip_cr(text: &str) -> &str {
    text.strip_suffix('\r').unwrap_or(text)
}
