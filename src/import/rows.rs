//! Physical lines to records, and the repair of lines that are not one record each.
//!
//! Damage that was seen in real files: two records on one line (a lost line break), a record spread over several lines
//! (raw line breaks in a string), NUL padding, an unfinished last line, and an unfinished line to which a later run
//! appended its next record.

use std::borrow::Cow;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::controls;
use super::json::leading_values;
use super::lines::{self, At, Line, Span};
use super::not_a_number;
use super::place::{Place, Report};
use super::source::Source;
use super::surrogates;
use super::value::Value;
use super::{FindingKind, ImportError};
use crate::transcript::json::read::Reader;

/// What a format does with the lines of its files.
pub(super) trait Rows {
    /// How a record begins: by it the last record of a line is found that begins with an unfinished one.
    const BEGINS: &'static [&'static str];

    /// A record, read as far as it can be without the records before it.
    type Record<'l>: Send;

    /// The record that is all of `text`, or why there is none. Lines are parsed on any thread.
    fn parse<'l>(text: &'l str, reader: &mut Reader<'l>) -> Result<Self::Record<'l>, String>;

    /// Takes the record in `text`: in the order of the file.
    fn take(&mut self, at: Place, text: &str, record: Self::Record<'_>);

    /// The counts of lines, and the findings so far.
    fn report(&mut self) -> &mut Report;
}

/// The only value in `text`.
pub(super) fn value<'t>(text: &'t str, reader: &mut Reader<'t>) -> Result<Value<'t>, String> {
    reader.start(text);
    let read = reader.raw().and_then(|_| reader.end());
    read.map(|()| Value::unchecked(text, 0)).map_err(|_| reader.fault())
}

/// The object that is all of `text`.
pub(super) fn object<'t>(text: &'t str, reader: &mut Reader<'t>) -> Result<Value<'t>, String> {
    value(text, reader)
        .and_then(|value| if value.is_object() { Ok(value) } else { Err("not a JSON object".to_owned()) })
}

/// How many lines one broken record is looked for in. Longer ones are given up, so that reading stays linear.
const MAX_JOINED: usize = 200;

/// Fewer lines than this are not worth another thread.
const MIN_LINES: usize = 64;

/// Reads all lines of `source` into `rows`, a block at a time.
///
/// # Errors
/// When the file cannot be read, is no text, or has only blank lines.
pub(super) fn read<R: Rows>(source: &mut Source<'_>, rows: &mut R) -> Result<(), ImportError> {
    let block = source.block;
    if let Some(found) = lines::foreign(source.window(0, block.max(4))?.0) {
        return Err(ImportError::NotText { found });
    }
    let (mut at, mut size, mut resumed) = (lines::START, block, false);
    let mut unused = Reader::default();
    loop {
        let (bytes, ended) = source.window(at.offset, size)?;
        let end = if ended { bytes.len() } else { memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1) };
        let (lines, early) = parsed_ahead::<R>(&bytes[..end], at);
        let mut reader = unused.again();
        let used = read_block(&lines, early, &mut reader, ended, resumed, rows);
        unused = reader.again();
        if ended && used == lines.len() {
            rows.report().counts.total = at.number - 1 + lines.len();
            break;
        }
        // A block must grow that holds no whole line, or not enough of a broken record.
        size = if used == 0 { size * 2 } else { block };
        resumed = used < lines.len() || resumed && used == 0;
        at = lines.get(used).map_or(At { offset: at.offset + end, number: at.number + lines.len() }, Line::at);
    }
    let counts = rows.report().counts;
    if counts.blank == counts.total { Err(ImportError::Empty) } else { Ok(()) }
}

/// A line that was parsed ahead, on any thread of the pool.
struct Early<'l, R: Rows> {
    text: &'l str,
    /// The record, and whether it may spell lone surrogates.
    record: Option<Result<(R::Record<'l>, bool), String>>,
}

impl<'l, R: Rows> Early<'l, R> {
    /// Lines that are blank, padded or no UTF-8 are left for later.
    fn new(reader: &mut Reader<'l>, line: &Line<'l>) -> Self {
        let Cow::Borrowed(text) = line.text else { return Self { text: "", record: None } };
        let text = text.trim();
        let plain = !text.is_empty() && !text.starts_with('\0') && !text.ends_with('\0');
        Self { text, record: plain.then(|| parse::<R>(text, reader)) }
    }
}

/// A line, and its record if it is plainly one.
fn ahead<'l, R: Rows>(reader: &mut Reader<'l>, span: &Span<'l>) -> (Line<'l>, Early<'l, R>) {
    let line = span.line();
    let early = Early::new(reader, &line);
    (line, early)
}

/// All lines, checked and parsed by all threads. A single thread parses each when it is taken, with the line still at hand.
fn parsed_ahead<R: Rows>(bytes: &[u8], at: At) -> (Vec<Line<'_>>, Vec<Early<'_, R>>) {
    if rayon::current_num_threads() == 1 {
        return (lines::split_from(bytes, at), Vec::new());
    }
    let spans = lines::spans(bytes, at);
    spans.par_iter().with_min_len(MIN_LINES).map_init(Reader::default, ahead::<R>).unzip()
}

fn parse<'l, R: Rows>(text: &'l str, reader: &mut Reader<'l>) -> Result<(R::Record<'l>, bool), String> {
    R::parse(text, reader).map(|record| (record, reader.saw_surrogates()))
}

/// Whether `text` is one record and nothing else.
fn is_record<R: Rows>(text: &str) -> bool {
    R::parse(text, &mut Reader::default()).is_ok()
}

/// Takes the record in `text`, or says why there is none.
fn record<R: Rows>(at: Place, text: &str, rows: &mut R) -> Result<(), String> {
    parse::<R>(text, &mut Reader::default()).map(|parsed| take(at, text, parsed, rows))
}

fn take<R: Rows>(at: Place, text: &str, (record, surrogates): (R::Record<'_>, bool), rows: &mut R) {
    let known = rows.report().findings.len();
    if surrogates && let Some(fault) = surrogates::fault(text) {
        rows.report().fault_in(at, text, fault);
    }
    rows.report().see(at);
    rows.take(at, text, record);
    rows.report().settle(at, known);
}

/// Takes lines, which may have been parsed `early`, and returns how many: fewer than all where a broken record may go on
/// behind them. `last`: no more follow. `resumed`: the first one was left over, and its other faults are known.
fn read_block<'l, R: Rows>(
    lines: &'l [Line<'_>],
    mut early: Vec<Early<'_, R>>,
    reader: &mut Reader<'l>,
    last: bool,
    resumed: bool,
    rows: &mut R,
) -> usize {
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        // What was parsed early is plain text without a fault of its bytes.
        let ahead = early.get_mut(next).and_then(|early| Some((early.text, early.record.take()?)));
        let (text, taken) = match ahead {
            Some((text, parsed)) => (text, parsed.map(|parsed| take(line.place(text), text, parsed, rows))),
            None => match text_of(line, resumed && next == 0, rows) {
                Some(text) => (text, parse::<R>(text, reader).map(|parsed| take(line.place(text), text, parsed, rows))),
                None => {
                    next += 1;
                    continue;
                }
            },
        };
        match taken {
            Ok(()) => {}
            Err(reason) => match recover(&lines[next..], last, text, &reason, rows) {
                Some(further) => next += further,
                None => return next,
            },
        }
        next += 1;
    }
    next
}

/// The record in a line, whose faults are reported unless they are `known`. `None` where there is none, which is counted.
fn text_of<'a>(line: &'a Line<'_>, known: bool, rows: &mut impl Rows) -> Option<&'a str> {
    let text = trimmed(line, known, rows);
    if text.is_empty() {
        let only_nul = line.text.contains('\0');
        let counts = &mut rows.report().counts;
        *(if only_nul { &mut counts.left_out } else { &mut counts.blank }) += 1;
        return None;
    }
    if let Some(offset) = line.bad_utf8().filter(|_| !known) {
        let fault = "bytes that are not UTF-8, each read as U+FFFD";
        rows.report().fault(line.place("").further(offset - line.offset), FindingKind::InvalidUtf8, fault);
    }
    Some(text)
}

/// Whether a file is JSON Lines and not one document: the first line is a whole value, and more follow. Where the first one
/// is damaged, most of the others are whole objects.
pub(super) fn several(bytes: &[u8]) -> bool {
    if lines::foreign(bytes).is_some() {
        return false;
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut filled = bytes.split(|&byte| byte == b'\n').map(String::from_utf8_lossy);
    let mut filled = filled.by_ref().filter(|text| !text.trim().is_empty());
    let is_whole = |text: &str| value(text.trim(), &mut Reader::default()).is_ok();
    if filled.next().is_some_and(|text| is_whole(&text)) {
        return filled.next().is_some();
    }
    let is_object = |text: &str| text.trim().starts_with('{') && is_whole(text);
    let (all, good) = filled.fold((0, 0), |(all, good), text| (all + 1, good + usize::from(is_object(&text))));
    good * 2 > all
}

/// The text of a line without white space and NULs around it.
fn trimmed<'a>(line: &'a Line<'_>, known: bool, builder: &mut impl Rows) -> &'a str {
    let text = line.text.trim();
    if !text.starts_with('\0') && !text.ends_with('\0') {
        return text;
    }
    let kept = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    if known {
        return kept;
    }
    let fault = format!("{} NUL or blank bytes around the record, removed", text.len() - kept.len());
    let nul = text.find('\0').unwrap_or_default();
    builder.report().fault(line.place(&text[nul..]), FindingKind::NulPadding, fault);
    kept
}

/// Saves what can be saved of `lines[0]`, which is not one record; returns how many further lines were used up. `None`:
/// that depends on what follows the lines, which are not the `last`.
fn recover<R: Rows>(lines: &[Line<'_>], last: bool, text: &str, reason: &str, builder: &mut R) -> Option<usize> {
    let element = text.trim_start_matches(LIST);
    let used = if element.is_empty() {
        builder.report().counts.left_out += 1;
        Some(0)
    } else if apart(&lines[0], element, reason, builder) {
        Some(0)
    } else {
        mended(lines, last, element, reason, builder)
    };
    if used.is_some() {
        of_list(&lines[0], text[..text.len() - element.len()].trim(), builder);
    }
    used
}

/// A text as it may have been meant, with what was wrong and where.
type Mended = (String, Vec<(usize, &'static str)>);

/// A text with its control characters escaped, with its numbers that are none read as null, and with both.
fn ways(text: &str) -> [Option<Mended>; 3] {
    let controls = "bare control characters inside of a string; read as if they were escaped";
    let numbers = "`NaN` or `Infinity`, which are no JSON; read as null";
    let escaped = controls::escaped(text).map(|(mended, first)| (mended, vec![(first, controls)]));
    let named = not_a_number::mended(text).map(|mended| (mended.text, vec![(mended.first, numbers)]));
    let both = escaped.as_ref().zip(named.as_ref()).and_then(|((escaped, control), (_, number))| {
        let mended = not_a_number::mended(escaped)?.text;
        let mut faults = [control.as_slice(), number].concat();
        faults.sort_by_key(|(at, _)| *at);
        Some((mended, faults))
    });
    [escaped, named, both]
}

/// [`recover`] of a line that does not begin with a whole record.
fn mended<R: Rows>(lines: &[Line<'_>], last: bool, text: &str, reason: &str, builder: &mut R) -> Option<usize> {
    if text.starts_with('{') {
        let whole = ways(text).into_iter().flatten().find(|(mended, _)| is_record::<R>(mended));
        if let Some((mended, faults)) = whole {
            for &(at, fault) in &faults {
                builder.report().fault(lines[0].place(&text[at..]), FindingKind::MalformedLine, fault);
            }
            let straight = faults.iter().map(|(at, _)| *at).min().unwrap_or_default();
            let at = Place { straight, ..lines[0].place(text) };
            return record(at, &mended, builder).ok().map(|()| 0);
        }
        match join(lines, last, builder) {
            Joined::Lines(used) => return Some(used),
            Joined::Open => return None,
            Joined::Nothing => {}
        }
    }
    if !salvage(&lines[0], text, builder) {
        malformed(&lines[0], text, reason, builder);
        builder.report().counts.left_out += 1;
    }
    Some(0)
}

/// Takes several records on one line apart, if `text` begins with a whole one.
fn apart<R: Rows>(line: &Line<'_>, text: &str, reason: &str, builder: &mut R) -> bool {
    let (values, end) = leading_values(text);
    if !values.iter().any(|value| value.starts_with('{')) {
        return false;
    }
    let tail = text[end..].trim();
    // It goes wrong where the second record begins, or what stands there instead.
    let second = values.get(1).copied().unwrap_or(tail);
    if values.len() > 1 || tail.starts_with('{') {
        let fault = format!("{} records on one line, taken apart", values.len());
        builder.report().fault(line.place(second), FindingKind::GluedRecords, fault);
    }
    for value in values {
        if let Err(reason) = record(line.place(value), value, builder) {
            malformed(line, value, &reason, builder);
        }
    }
    if tail.trim_matches(LIST).is_empty() {
        of_list(line, tail, builder);
    } else if !salvage(line, tail, builder) {
        malformed(line, tail, reason, builder);
    }
    true
}

/// What stands around the records of a list.
const LIST: [char; 4] = ['[', ']', ',', ' '];

/// Reports what a list has around its elements.
fn of_list(line: &Line<'_>, text: &str, builder: &mut impl Rows) {
    if !text.is_empty() {
        let fault = format!("`{text}` of a list around the records, left out");
        builder.report().fault(line.place(text), FindingKind::MalformedLine, fault);
    }
}

/// The byte at which a line stops being JSON; the first one when all of it is.
fn broken_at(text: &str) -> usize {
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        // Columns count bytes here, from 1. Most faults are seen at the byte after the last good one.
        Err(error) => error.column().saturating_sub(1).min(text.len()),
        Ok(_) => 0,
    }
}

/// Reports `text`, which is a line or the rest of one and not a record.
fn malformed(line: &Line<'_>, text: &str, reason: &str, builder: &mut impl Rows) {
    let (kind, what) = if line.terminated {
        (FindingKind::MalformedLine, "expected one JSON object")
    } else {
        (FindingKind::TruncatedLine, "the file ends in the middle of a record")
    };
    let mut broken = broken_at(text);
    while !text.is_char_boundary(broken) {
        broken -= 1;
    }
    builder.report().fault(line.place(&text[broken..]), kind, format!("{what}; left out ({reason})"));
}

/// Reads the last record of a line that begins with an unfinished one.
fn salvage<R: Rows>(line: &Line<'_>, text: &str, builder: &mut R) -> bool {
    let mut starts: Vec<usize> =
        R::BEGINS.iter().flat_map(|begin| text.match_indices(begin)).map(|(start, _)| start).collect();
    starts.sort_unstable();
    for start in starts.into_iter().filter(|&start| start > 0) {
        if is_record::<R>(&text[start..]) {
            let fault = if text[..start].chars().all(|before| before == '\u{FEFF}') {
                "a byte order mark in front of the record; left out".to_owned()
            } else {
                format!("an unfinished record of {start} bytes before the last one; left out")
            };
            builder.report().fault(line.place(text), FindingKind::MalformedLine, fault);
            return record(line.place(&text[start..]), &text[start..], builder).is_ok();
        }
    }
    false
}

/// What became of a search for a record over several lines.
enum Joined {
    /// It took so many further lines.
    Lines(usize),
    /// There is none.
    Nothing,
    /// It may go on behind the lines at hand.
    Open,
}

/// Reads a record that raw line breaks spread over `lines[0]` and the next ones.
fn join<R: Rows>(lines: &[Line<'_>], last: bool, builder: &mut R) -> Joined {
    let mut escaped = strip_cr(&lines[0].text).trim_start_matches(LIST).to_owned();
    let mut spaced = escaped.clone();
    for (used, line) in lines.iter().enumerate().skip(1).take(MAX_JOINED) {
        let piece = strip_cr(&line.text);
        // Only a line that is a record of its own begins like this, and it ends the search.
        if R::BEGINS.iter().any(|begin| piece.starts_with(begin)) && is_record::<R>(piece) {
            return Joined::Nothing;
        }
        escaped.push_str("\\n");
        escaped.push_str(piece);
        spaced.push(' ');
        spaced.push_str(piece);
        if !piece.trim_end_matches(LIST).ends_with('}') {
            continue;
        }
        for text in [&escaped, &spaced].map(|text| text.trim().trim_end_matches(LIST)) {
            if is_record::<R>(text) {
                let (first, last) = (lines[0].number, line.number);
                let fault = format!("lines {first} to {last} hold one record with raw line breaks in it; joined");
                let begun = strip_cr(&lines[0].text).trim_start().trim_start_matches(LIST);
                let whole = Place { lines: (first, last), ..lines[0].place(begun) };
                let at = Place { straight: begun.len(), ..whole };
                builder.report().fault(whole.further(begun.len()), FindingKind::RawNewline, fault);
                let joined = record(at, text, builder);
                return joined.map_or(Joined::Nothing, |()| Joined::Lines(used));
            }
        }
    }
    if last || lines.len() > MAX_JOINED { Joined::Nothing } else { Joined::Open }
}

fn strip_cr(text: &str) -> &str {
    text.strip_suffix('\r').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::Source;
    use crate::import::{Imported, claude_code, pi};

    /// A file as it is read in blocks of `size` bytes.
    fn in_blocks(bytes: &[u8], name: &str, size: usize) -> Result<Vec<Imported>, String> {
        let mut source = Source::stream(bytes);
        source.block = size;
        let read = if name.contains("claude") || name.starts_with("cc-") {
            claude_code::read_from(&mut source)
        } else {
            pi::read_from(&mut source).map(|one| vec![one])
        };
        read.map_err(|error| error.to_string())
    }

    fn files() -> Vec<PathBuf> {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let shared = std::env::var_os("CUTPOINT_SHARED").map_or_else(|| package.join("../shared"), PathBuf::from);
        let folders = [package.join("tests/field-cases"), package.join("tests/golden/pi/cases")];
        let folders =
            folders.into_iter().chain(["pi", "claude-code"].map(|name| shared.join("transcripts").join(name)));
        let files = folders.filter(|folder| folder.is_dir()).flat_map(|folder| std::fs::read_dir(folder).unwrap());
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort();
        files
    }

    #[test]
    fn blocks_of_any_size_are_the_same_session() {
        let files = files();
        assert!(files.len() >= 33, "{} files", files.len());
        for path in files {
            let (bytes, name) = (std::fs::read(&path).unwrap(), path.file_name().unwrap().to_string_lossy());
            let whole = in_blocks(&bytes, &name, usize::MAX);
            let sizes: &[usize] = if bytes.len() < 100_000 { &[1, 100, 4096] } else { &[10_000, 1_000_000] };
            for &size in sizes {
                let blocks = in_blocks(&bytes, &name, size);
                let found = |all: &Result<Vec<Imported>, String>| all.clone().map(|all| all[0].findings.clone());
                assert_eq!(found(&blocks), found(&whole), "{name} in blocks of {size}");
                assert!(blocks == whole, "{name} in blocks of {size}");
            }
        }
    }

    /// Every repair, with a border at every place: raw line breaks, glued records, a torn line, padding, bad bytes.
    #[test]
    fn repairs_work_across_borders() {
        let note = |id: &str, text: &str| format!(r#"{{"type":"label","id":"{id}","parentId":null,"label":"{text}"}}"#);
        let parts = [
            r#"{"type":"session","version":3,"id":"s","cwd":"/"}"#.to_owned(),
            note("1", "raw\nline\nbreak"),
            note("2", "a") + &note("3", "b"),
            r#"{"type":"label","id":"4","label":"unfini"#.to_owned() + &note("5", "c"),
            "\0\0".to_owned() + &note("6", "\0torn"),
            note("7", "bad \u{FFFD}"),
            String::new(),
            r#"{"type":"label","id":"8","#.to_owned(),
        ];
        let mut bytes = parts.join("\n").replace("bad \u{FFFD}", "bad ?").into_bytes();
        let bad = bytes.iter().position(|&byte| byte == b'?').unwrap();
        bytes[bad] = 0xFF;
        let whole = in_blocks(&bytes, "pi", usize::MAX).unwrap();
        let kinds: Vec<_> = whole[0].findings.iter().map(|finding| finding.kind).collect();
        assert!(kinds.len() >= 6, "{kinds:?}");
        for size in 1..bytes.len() {
            assert_eq!(in_blocks(&bytes, "pi", size).as_ref(), Ok(&whole), "blocks of {size}");
        }
    }

    #[test]
    fn marks_and_control_characters_inside_of_a_file_cost_nothing() {
        let note = |id: &str, text: &str| format!(r#"{{"type":"label","id":"{id}","parentId":null,"label":"{text}"}}"#);
        let header = r#"{"type":"session","version":3,"id":"s","cwd":"/"}"#.to_owned();
        let lines = [header, note("1", "a"), "\u{FEFF}".to_owned() + &note("2", "b"), note("3", "c\0d\te")];
        let read = in_blocks(lines.join("\n").as_bytes(), "pi", usize::MAX).unwrap();
        let ids: Vec<&str> = read[0].transcript.entries.iter().map(|entry| &*entry.id).collect();
        assert_eq!((ids, read[0].lines.left_out), (vec!["1", "2", "3"], 0));
        let found = &read[0].findings;
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].line == 3 && found[0].message.contains("byte order mark"), "{found:?}");
        // `{"type":"label","id":"3","parentId":null,"label":"c` are 51 characters.
        assert_eq!((found[1].line, found[1].column), (4, Some(52)), "{found:?}");
    }

    #[test]
    fn nothing_is_empty_whatever_the_block() {
        for bytes in [&b""[..], b"\n \n\r\n", b"\xEF\xBB\xBF\n"] {
            for size in [1, 2, 100] {
                assert_eq!(in_blocks(bytes, "pi", size), Err("the file is empty".to_owned()));
            }
        }
    }
}
