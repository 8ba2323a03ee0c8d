//! Physical lines to records, and the repair of lines that are not one record each.
//!
//! Damage that was seen in real files: two records on one line (a lost line break), a record spread over several lines
//! (raw line breaks in a string), NUL padding, an unfinished last line, and an unfinished line to which a later run
//! appended its next record.

use super::json::leading_values;
use super::lines::{self, Line};
use super::surrogates;
use super::value::Value;
use super::{FindingKind, LineCounts};

/// What a format does with the lines of its files.
pub(super) trait Rows {
    /// How a record begins: by it the last record of a line is found that begins with an unfinished one.
    const BEGINS: &'static [&'static str];

    /// The counts of lines.
    fn counts(&mut self) -> &mut LineCounts;

    /// Notes a fault on the lines `at.0` to `at.1`.
    fn fault(&mut self, at: (usize, usize), offset: Option<usize>, kind: FindingKind, message: String);

    /// Whether `text` is one record and nothing else.
    fn is_record(text: &str) -> bool;

    /// Takes the record in `text`, or says why there is none. Anything after the record is an error.
    fn record(&mut self, at: (usize, usize), text: &str) -> Result<(), String>;
}

/// The object in `text`, with a fault for the lone surrogates that it spells.
pub(super) fn object<'t>(rows: &mut impl Rows, at: (usize, usize), text: &'t str) -> Result<Value<'t>, String> {
    let value = Value::read(text, 0).map_err(|error| error.to_string())?;
    if !value.is_object() {
        return Err("not a JSON object".to_owned());
    }
    if let Some((kind, fault)) = surrogates::fault(text) {
        rows.fault(at, None, kind, fault);
    }
    Ok(value)
}

/// How many lines one broken record is looked for in. Longer ones are given up, so that reading stays linear.
const MAX_JOINED: usize = 200;

/// Reads all lines into `builder`.
pub(super) fn read<R: Rows>(lines: &[Line<'_>], builder: &mut R) {
    builder.counts().total = lines.len();
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        next += 1;
        let text = trimmed(line, builder);
        if text.is_empty() {
            let only_nul = line.text.contains('\0');
            let counts = builder.counts();
            *(if only_nul { &mut counts.left_out } else { &mut counts.blank }) += 1;
            continue;
        }
        if let Some(offset) = line.bad_utf8 {
            let fault = "bytes that are not UTF-8, each read as U+FFFD".to_owned();
            builder.fault((line.number, line.number), Some(offset), FindingKind::InvalidUtf8, fault);
        }
        if let Err(reason) = builder.record((line.number, line.number), text) {
            next += recover(&lines[next - 1..], text, &reason, builder);
        }
    }
}

/// The lines of a file that is JSON Lines and not one document: the first one is a whole value, and more follow. Where the
/// first one is damaged, most of the others are whole objects.
pub(super) fn several(bytes: &[u8]) -> Option<Vec<Line<'_>>> {
    if lines::foreign(bytes).is_some() {
        return None;
    }
    let lines = lines::split(bytes);
    let mut filled = lines.iter().map(|line| line.text.trim()).filter(|text| !text.is_empty());
    let first = filled.next().is_some_and(|text| Value::read(text, 0).is_ok());
    let several = if first {
        filled.next().is_some()
    } else {
        let whole = |text: &str| text.starts_with('{') && Value::read(text, 0).is_ok();
        let (all, good) = filled.fold((0, 0), |(all, good), text| (all + 1, good + usize::from(whole(text))));
        good * 2 > all
    };
    several.then_some(lines)
}

/// The text of a line without white space and NULs around it.
fn trimmed<'a>(line: &'a Line<'_>, builder: &mut impl Rows) -> &'a str {
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
fn recover(lines: &[Line<'_>], text: &str, reason: &str, builder: &mut impl Rows) -> usize {
    let at = (lines[0].number, lines[0].number);
    let (values, end) = leading_values(text);
    if values.iter().any(|value| value.starts_with('{')) {
        let fault = format!("{} records on one line, taken apart", values.len());
        builder.fault(at, Some(lines[0].offset), FindingKind::GluedRecords, fault);
        for value in values {
            if let Err(reason) = builder.record(at, value) {
                malformed(&lines[0], &reason, builder);
            }
        }
        let tail = text[end..].trim();
        if !tail.is_empty() && !salvage(&lines[0], tail, builder) {
            malformed(&lines[0], reason, builder);
        }
        return 0;
    }
    let joined = if text.starts_with('{') { join(lines, builder) } else { None };
    if let Some(used) = joined {
        return used;
    }
    if !salvage(&lines[0], text, builder) {
        malformed(&lines[0], reason, builder);
        builder.counts().left_out += 1;
    }
    0
}

/// The byte at which a line stops being JSON; the first one when all of it is.
fn broken_at(text: &str) -> usize {
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        // Columns count bytes here, from 1. Most faults are seen at the byte after the last good one.
        Err(error) => error.column().saturating_sub(1).min(text.len()),
        Ok(_) => 0,
    }
}

/// Reports a line, or the rest of one, that is not JSON.
fn malformed(line: &Line<'_>, reason: &str, builder: &mut impl Rows) {
    let at = (line.number, line.number);
    let (kind, what) = if line.terminated {
        (FindingKind::MalformedLine, "expected one JSON object")
    } else {
        (FindingKind::TruncatedLine, "the file ends in the middle of a record")
    };
    builder.fault(at, Some(line.offset + broken_at(&line.text)), kind, format!("{what}; left out ({reason})"));
}

/// Reads the last record of a line that begins with an unfinished one.
fn salvage<R: Rows>(line: &Line<'_>, text: &str, builder: &mut R) -> bool {
    let at = (line.number, line.number);
    let mut starts: Vec<usize> =
        R::BEGINS.iter().flat_map(|begin| text.match_indices(begin)).map(|(start, _)| start).collect();
    starts.sort_unstable();
    for start in starts.into_iter().filter(|&start| start > 0) {
        if R::is_record(&text[start..]) {
            let fault = format!("an unfinished record of {start} bytes before the last one; left out");
            builder.fault(at, Some(line.offset), FindingKind::MalformedLine, fault);
            return builder.record(at, &text[start..]).is_ok();
        }
    }
    false
}

/// Reads a record that raw line breaks spread over `lines[0]` and the next ones; returns how many of those it took.
fn join<R: Rows>(lines: &[Line<'_>], builder: &mut R) -> Option<usize> {
    let mut escaped = strip_cr(&lines[0].text).to_owned();
    let mut spaced = escaped.clone();
    for (used, line) in lines.iter().enumerate().skip(1).take(MAX_JOINED) {
        let piece = strip_cr(&line.text);
        // Only a line that is a record of its own begins like this, and it ends the search.
        if R::BEGINS.iter().any(|begin| piece.starts_with(begin)) && R::is_record(piece) {
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
            if R::is_record(text) {
                let (first, last) = (lines[0].number, line.number);
                let fault = format!("lines {first} to {last} hold one record with raw line breaks in it; joined");
                builder.fault((first, last), Some(lines[0].offset), FindingKind::RawNewline, fault);
                return builder.record((first, last), text.trim()).is_ok().then_some(used);
            }
        }
    }
    None
}

fn strip_cr(text: &str) -> &str {
    text.strip_suffix('\r').unwrap_or(text)
}
