//! The page.

use std::fs;
use std::path::Path;

use cutpoint::report::{CsvFile, Html, ReportModel, Reporter, write_all};
use cutpoint::results::Run;

use super::fixture;

fn page(run: &Run) -> String {
    let mut out = Vec::new();
    Html.render(&ReportModel::new(run), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Tags that have no end in HTML.
const VOID: [&str; 3] = ["meta", "br", "hr"];

/// Walks all tags: each that opens must be closed, in order. Returns how many there are.
fn tags(page: &str) -> usize {
    let mut open: Vec<&str> = Vec::new();
    let mut count = 0;
    let mut rest = page.strip_prefix("<!DOCTYPE html>").unwrap();
    while let Some(at) = rest.find('<') {
        let end = rest[at..].find('>').unwrap() + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        count += 1;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed out of order, near {rest:.80}");
        } else if !tag.ends_with('/') {
            let name = tag.split([' ', '\n']).next().unwrap();
            if !VOID.contains(&name) {
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
    count
}

#[test]
fn every_tag_is_closed() {
    assert!(tags(&page(&fixture::run())) > 1_000);
}

#[test]
fn the_page_stands_alone() {
    let page = page(&fixture::run());
    for outside in ["http:", "https:", "src=", "<link", "<script", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("Content-Security-Policy"));
}

#[test]
fn hostile_text_is_shown_and_never_run() {
    let page = page(&fixture::run());
    assert!(!page.contains("<script") && !page.contains("<b>not bold") && !page.contains("</pre><b>"));
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'));
    assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;⟨U+202E⟩⟨U+001B⟩[31m &amp; 'x'"));
}

#[test]
fn hostile_strategies_are_escaped_in_drawings() {
    let mut run = fixture::run();
    for cell in &mut run.cells {
        cell.strategy.insert_str(0, "<i a=\"#010101\">&");
    }
    let page = page(&run);
    assert!(!page.contains("<i a="));
    tags(&page);
}

#[test]
fn a_mock_is_marked_and_only_a_mock() {
    let mut run = fixture::run();
    assert!(page(&run).contains("MOCK summaries"));
    run.manifest.mock = false;
    assert!(page(&run).contains("MOCK summaries"), "a cell says so");
    run.cells.iter_mut().for_each(|cell| cell.mock = false);
    let page = page(&run);
    assert!(!page.contains("MOCK summaries") && !page.contains(">MOCK<") && !page.contains("class=\"mock\""));
}

#[test]
fn a_void_is_a_dash_with_a_footnote() {
    let run = fixture::run();
    let page = page(&run);
    let number = ReportModel::new(&run).footnote("the strategy asks no estimator").unwrap();
    assert!(page.contains("<abbr title=\"void: the strategy asks no estimator\">–</abbr>"));
    assert!(page.contains(&format!("href=\"#void-{number}\"")) && page.contains(&format!("<li id=\"void-{number}\">")));
    assert!(page.contains("n 1/2"));
}

#[test]
fn tables_and_drawings_can_be_heard() {
    let page = page(&fixture::run());
    let count = |text: &str| page.matches(text).count();
    assert_eq!(count("<table>"), count("<caption>"));
    assert_eq!(count("role=\"img\""), 3);
    assert_eq!(count("role=\"img\""), count("<desc id="));
    assert_eq!(count("<th>"), 0, "every header has a scope");
}

#[test]
fn an_incomplete_run_says_so() {
    let mut run = fixture::run();
    assert!(page(&run).contains("6 of 8 cells"));
    run.manifest.cells = 6;
    assert!(!page(&run).contains("not complete"));
}

#[test]
fn an_empty_run_has_a_page() {
    let mut run = fixture::run();
    run.cells.clear();
    run.events.clear();
    tags(&page(&run));
}

#[test]
fn equal_runs_give_equal_bytes_and_no_partial_files() {
    // Kept after the test, to be looked at.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report-fixture");
    let run = fixture::through_a_folder();
    let first = write_all(&run, &folder).unwrap();
    let bytes: Vec<Vec<u8>> = first.iter().map(|path| fs::read(path).unwrap()).collect();
    let second = write_all(&fixture::run(), &folder).unwrap();
    assert_eq!(first, second);
    assert_eq!(first.len(), 1 + CsvFile::ALL.len());
    for (path, before) in second.iter().zip(bytes) {
        assert_eq!(fs::read(path).unwrap(), before, "{}", path.display());
    }
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().ends_with(".partial")));
}
