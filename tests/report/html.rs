//! The page.

use std::fs;
use std::path::Path;

use cutpoint::compare::{Plan, compare};
use cutpoint::report::{ComparisonForm, CsvFile, Html, Markdown, ReportModel, Reporter, Sibling, Terminal, write_all};
use cutpoint::results::Run;

use super::fixture;

pub(super) fn page(run: &Run) -> String {
    let mut out = Vec::new();
    Html.render(&ReportModel::new(run), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The page of two runs that differ in what the first cell keeps; of one, where the gate's measure is not there.
fn page_against(run: &Run) -> String {
    let base = super::against::base_of(run);
    let mut out = Vec::new();
    let Ok(comparison) = compare(&base, run, &Plan::default()) else { return page(run) };
    Html.render(&ReportModel::new(run).against(&base.manifest, &comparison), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Tags that have no end in HTML.
const VOID: [&str; 3] = ["meta", "br", "hr"];

/// The page without its own style and script, and both of them.
fn apart(page: &str) -> (String, String) {
    let (head, rest) = page.split_once("<style>").unwrap();
    let (style, rest) = rest.split_once("</style>").unwrap();
    let (body, rest) = rest.split_once("<script>").unwrap();
    let (script, end) = rest.split_once("</script>").unwrap();
    (format!("{head}<style></style>{body}{end}"), format!("{style}{script}"))
}

/// Walks all tags: each that opens must be closed, in order. Returns how many there are.
fn tags(page: &str) -> usize {
    let mut open: Vec<&str> = Vec::new();
    let mut count = 0;
    let (page, _) = apart(page);
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
    for outside in ["http:", "https:", "src=", "<link", "@import", "url(", "<iframe", "<form"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let (body, own) = apart(&page);
    assert!(!body.contains("<script") && !body.contains(" style=") && !body.contains(" onclick="));
    for call in ["fetch(", "XMLHttpRequest", "innerHTML", "eval(", "document.write", "import("] {
        assert!(!own.contains(call), "{call}");
    }
    let policy = page.split_once("Content-Security-Policy").unwrap().1;
    assert!(policy.starts_with("\" content=\"default-src 'none'; style-src 'sha256-"), "{policy:.90}");
    assert!(!policy.split_once('>').unwrap().0.contains("unsafe"));
}

#[test]
fn hostile_text_is_shown_and_never_run() {
    let (page, _) = apart(&page(&fixture::run()));
    assert!(!page.contains("<script") && !page.contains("<b>not bold") && !page.contains("</pre><b>"));
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'));
    assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;⟨U+202E⟩⟨U+001B⟩[31m &amp; 'x'"));
}

/// Every text of a run is replaced, one field at a time, by an attack that names the field.
#[test]
fn no_field_of_a_run_can_attack() {
    let attack = "\"'><script>run()</script>\u{202e}\u{2066}\u{2028}\0\u{feff}\u{e0041}\u{3164}\r</pre></style><img onerror=x>|`x`\n|";
    let clean = tags(&page(&fixture::run()));
    let document = serde_json::json!({
        "manifest": fixture::run().manifest, "cells": fixture::run().cells, "events": fixture::run().events,
        "messages": fixture::run().sources.messages, "annotations": fixture::run().sources.annotations, "classes": fixture::run().sources.classes,
        "judgements": fixture::run().judgements,
    });
    let mut fields = std::collections::BTreeSet::new();
    texts(&document, "", &mut fields);
    // Names of enumerations that no transcript can set.
    fields.retain(|field| !field.ends_with("/direction") && !field.ends_with("/event"));
    assert!(fields.len() > 40, "{fields:?}");
    let mut two_runs = 0;
    for field in fields {
        let mut attacked = document.clone();
        plant(&mut attacked, "", &field, attack);
        let run = run_of(attacked);
        let page = page_against(&run);
        let (body, _) = apart(&page);
        two_runs += usize::from(body.contains("id=\"against\""));
        assert!(tags(&page) > clean / 4, "{field}: the page is whole");
        assert!(!body.contains("<script") && !body.contains("<img") && !body.contains("'><"), "{field}");
        let hidden = ['\u{202e}', '\u{2066}', '\u{2028}', '\0', '\u{feff}', '\u{e0041}', '\u{3164}'];
        assert!(!body.contains(hidden), "{field}");
        for (form, text) in other_forms(&run) {
            // In HTML and XML a carriage return is a line break like any other; a terminal writes over what it shows.
            assert!(!text.contains(hidden) && (form == "xml" || !text.contains('\r')), "{form}, {field}");
            // On a terminal a tag is a text like any other; what it must not do is to begin a line.
            let is_plain = form == "terminal" || !text.contains("<script") && !text.contains("<img");
            assert!(is_plain && !text.contains("\n|\n"), "{form}, {field}");
            if form == "md" {
                rows_are_whole(&text, &field);
            }
        }
    }
    assert!(two_runs > 30, "{two_runs}");
}

/// The report as Markdown, on a terminal, and a comparison as both and as `JUnit` XML.
fn other_forms(run: &Run) -> Vec<(&'static str, String)> {
    let model = ReportModel::new(run);
    let rendered = |reporter: &dyn Reporter| {
        let mut out = Vec::new();
        reporter.render(&model, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let mut all = vec![("md", rendered(&Markdown)), ("terminal", rendered(&Terminal::default()))];
    if let Ok(comparison) = compare(&super::against::base_of(run), run, &Plan::default()) {
        all.extend([
            ("md", ComparisonForm::Markdown.render(&comparison)),
            ("terminal", ComparisonForm::Terminal.render(&comparison)),
            ("xml", ComparisonForm::Junit.render(&comparison)),
        ]);
    }
    all
}

/// Every row of a table has as many fields as its header, and no code begins that does not end.
fn rows_are_whole(markdown: &str, field: &str) {
    let plain = markdown.replace("\\|", "").replace("\\`", "");
    assert!(!plain.contains('`'), "{field}: {plain}");
    let mut fields = None;
    for line in plain.lines() {
        let own = line.starts_with('|').then(|| line.matches('|').count());
        assert!(own.is_none() || fields.is_none() || own == fields, "{field}: {line}");
        fields = own;
    }
}

/// The paths of all texts; entries of lists share one path, and so do the names of maps.
fn texts(value: &serde_json::Value, path: &str, out: &mut std::collections::BTreeSet<String>) {
    match value {
        serde_json::Value::String(_) => drop(out.insert(path.to_owned())),
        serde_json::Value::Array(list) => list.iter().for_each(|one| texts(one, &format!("{path}/*"), out)),
        serde_json::Value::Object(map) => map.iter().for_each(|(name, one)| texts(one, &format!("{path}/{name}"), out)),
        _ => {}
    }
}

fn plant(value: &mut serde_json::Value, path: &str, field: &str, attack: &str) {
    match value {
        serde_json::Value::String(text) if path == field => {
            // The original stays in front, so that cells and events still find each other.
            *text = format!("{text}{attack}");
        }
        serde_json::Value::Array(list) => {
            list.iter_mut().for_each(|one| plant(one, &format!("{path}/*"), field, attack));
        }
        serde_json::Value::Object(map) => {
            map.iter_mut().for_each(|(name, one)| plant(one, &format!("{path}/{name}"), field, attack));
        }
        _ => {}
    }
}

fn run_of(mut document: serde_json::Value) -> Run {
    Run {
        manifest: serde_json::from_value(document["manifest"].take()).unwrap(),
        cells: serde_json::from_value(document["cells"].take()).unwrap(),
        events: serde_json::from_value(document["events"].take()).unwrap(),
        sources: cutpoint::results::Sources {
            messages: serde_json::from_value(document["messages"].take()).unwrap(),
            annotations: serde_json::from_value(document["annotations"].take()).unwrap(),
            classes: serde_json::from_value(document["classes"].take()).unwrap(),
        },
        judgements: serde_json::from_value(document["judgements"].take()).unwrap(),
    }
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
    assert!(page(&run).contains(">MOCK<"), "the reader is one");
    run.cells.iter_mut().filter_map(|cell| cell.exam.as_mut()).for_each(|exam| exam.mock = false);
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
    assert_eq!(count("<table"), count("<caption>"));
    // Two contexts; goal-loss against dollars, kept and invalidated tokens; four cells with a cache; errors by class.
    assert_eq!(count("role=\"img\""), 2 + 3 + 4 + 1);
    assert_eq!(count("role=\"img\""), count("<desc id="));
    assert_eq!(count("<th>"), 0, "every header has a scope");
}

#[test]
fn a_loss_leads_to_the_message_that_said_it() {
    let page = page(&fixture::run());
    let critical = page.split_once("id=\"critical\"").unwrap().1;
    assert!(critical.contains("href=\"#t0-line-4\">line 4</a>"));
    assert!(page.contains("<li id=\"t0-line-4\""));
    // The spelling stands in the message with other white space and case, and is marked in it.
    assert!(page.contains("<mark>never touch</mark> <mark>generated</mark> files"));
    assert!(page.contains("<mark>Rewrite the parser</mark>."), "the evidence in the summary");
    // A line that no message stands on is named without a link.
    assert!(page.contains("line 500") && !page.contains("line-500"));
}

#[test]
fn the_answers_stand_first_with_their_evidence() {
    let page = page(&fixture::run());
    let glance = page.split_once("<section id=\"glance\"").unwrap().1.split_once("</section>").unwrap().0;
    assert!(page.find("id=\"glance\"").unwrap() < page.find("id=\"verdict\"").unwrap());
    let text = text_of(glance);
    for answer in [
        "forgets least?MOCKpi: goal-loss 0.250 (0: all annotated items kept, 1: all lost), mean over 1 lineage (sessions of one origin are one).",
        "per dollar?MOCKpi: goal-loss 0.250 for $0.5000 a session. It keeps most for a dollar: (1 − goal-loss) per dollar is 1.500.",
        "significant?MOCKNo. None of the 1 other loses significantly more than pi (sign-flip test, 5 %, Holm). The sample is too small to show any: 1 of at least 6 lineages.",
        "fail?On log: chars/4 counts \u{2212}50.0 %, too few tokens (used by pi, tail-only). Over whole requests pi is off most, by 10.0 % on average.",
        "cost?MOCKOn average $0.1025 once (at most $0.1250), and 78,100 tokens of the cached prefix made worthless, over 4 compactions.",
        "said?MOCKCritical: “what never-touch-generated-files means”, said at line 4 of refactor-parser, lost by tail-only.",
    ] {
        assert!(text.contains(answer), "{answer}\n{text}");
    }
    assert_eq!(glance.matches("href=\"#").count(), 7, "a way to the evidence of each, and to the message");
}

/// The text of a part of the page, without its tags.
pub(super) fn text_of(part: &str) -> String {
    part.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| text).collect()
}

#[test]
fn questions_stand_with_what_was_expected_and_answered() {
    let page = page(&fixture::run());
    let section = page.split_once("<section id=\"questions\"").unwrap().1.split_once("</section>").unwrap().0;
    let text = text_of(section);
    let hostile = "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;⟨U+202E⟩⟨U+001B⟩[31m &amp; 'x'";
    for part in [
        &format!("Statement: {hostile} is ____."),
        &format!("the parser or {hostile}"),
        "●right ×2: “the parser”?unparsed",
        "✕wrong: “=cmd|' /C calc'!A0”",
        "○abstained: “NOT KNOWN”",
        "recall◆ yesthe parser or",
        "said at line 4",
        &format!("◐same toolread src/a.rsread src/b.rsread {hostile}"),
        "asked: mockMOCK",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(section.contains("href=\"#t0-line-67\">line 67</a>"), "the recorded call");
    // What was not asked has no column.
    assert!(!section.contains("With one search"));
}

#[test]
fn judgements_stand_with_their_evidence() {
    let page = page(&fixture::run());
    let section = page.split_once("<section id=\"judgements\"").unwrap().1.split_once("</section>").unwrap().0;
    let text = text_of(section);
    for part in [
        "3 judgements, 1 void",
        "1 judgements are of a summary that the run no longer has",
        "strictwhat goal-1 meansgoal-12 of 2“rewrite THE parser”● stands in the summary",
        "0 of 2none– a grade of 0 needs none",
        "accuracythe whole summary–“=cmd|' /C calc'!A0”✕ stands nowhere in the summaryvoid: its evidence stands nowhere in the text",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("old words"));
    let mut run = fixture::run();
    run.judgements.clear();
    run.cells.iter_mut().for_each(|cell| cell.exam = None);
    let page = self::page(&run);
    assert!(
        page.contains("<b>Judgements</b>, because no judge")
            && page.contains("<b>Questions and answers</b>, because no reader")
    );
}

/// The session goes on with a smaller model: said in words, and drawn as a step with both sizes.
#[test]
fn a_change_of_the_window_is_a_step_and_is_said() {
    let page = page(&crate::fixture::run());
    let captions: Vec<String> =
        page.split("<figcaption>").skip(1).map(|part| text_of(part.split("</figcaption>").next().unwrap())).collect();
    let changed: Vec<&String> =
        captions.iter().filter(|text| text.contains("from request 12 on, window 80,000 tokens")).collect();
    assert_eq!(changed.len(), 1, "{captions:#?}");
    let drawing = page.split("<figure>").find(|part| part.contains("from request 12 on")).unwrap();
    let labels: Vec<&str> = ["window 100k", "window 80k"].into_iter().filter(|label| drawing.contains(label)).collect();
    assert_eq!(labels, ["window 100k", "window 80k"]);
    // So does the heading of each cell that it happened in: that is something, also where nothing was compacted.
    let switched =
        |event: &&cutpoint::results::EventRecord| matches!(event, cutpoint::results::EventRecord::Switched { .. });
    let cells = crate::fixture::run().events.iter().filter(switched).count();
    assert_eq!(page.matches("from request 12 on, window 80,000 tokens, seed").count(), cells);
}

#[test]
fn only_our_stale_files_are_removed() {
    let (folder, run) = (tempfile::tempdir().unwrap(), super::against::head());
    let base = super::against::base_of(&run);
    let comparison = super::against::compared(&base, &run);
    let there = |name: &str| folder.path().join(name).exists();
    cutpoint::report::write_model(&ReportModel::new(&run).against(&base.manifest, &comparison), folder.path()).unwrap();
    assert!(there("gates.csv") && there("moved.csv") && there("newly_lost.csv"));
    // A page of a larger report, one that is not ours, and a table of somebody else's.
    fs::copy(folder.path().join("index.html"), folder.path().join("cells-2.html")).unwrap();
    fs::write(folder.path().join("cells-3.html"), "<title>mine</title>").unwrap();
    fs::write(folder.path().join("moved.csv"), "mine\n").unwrap();
    let ours = "PAR1 of before \u{8}cutpoint\0PAR1";
    for (name, bytes) in [("cells.parquet", ours), ("items.parquet", "PAR1, by another PAR1"), ("mine.parquet", ours)] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    write_all(&run, folder.path()).unwrap();
    assert!(!there("gates.csv") && !there("newly_lost.csv") && !there("cells-2.html"));
    assert!(there("moved.csv") && there("cells-3.html") && there("cells.csv"));
    assert!(!there("cells.parquet") && there("items.parquet") && there("mine.parquet"));
}

#[test]
fn every_link_within_a_page_leads_somewhere() {
    let page = page(&fixture::run());
    let mut links = 0;
    for link in page.split("href=\"#").skip(1) {
        let anchor = link.split_once('"').unwrap().0;
        assert!(page.contains(&format!("id=\"{anchor}\"")), "{anchor}");
        links += 1;
    }
    assert!(links > 50, "{links}");
    let ids: Vec<&str> = page.split(" id=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0).collect();
    let unique: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "ids are unique");
}

#[test]
fn what_is_absent_is_named_with_its_reason() {
    let mut run = fixture::run();
    assert!(!page(&run).contains("Left out:"));
    run.sources = cutpoint::results::Sources::default();
    assert!(page(&run).contains("<b>Messages</b>, because the run did not record them"));
}

#[test]
fn an_incomplete_run_says_so() {
    let mut run = fixture::run();
    assert!(page(&run).contains("6 of 8 cells"));
    run.manifest.cells = 6;
    assert!(!page(&run).contains("not complete"));
}

#[test]
fn a_run_of_voids_has_no_answer_and_says_so() {
    let mut run = fixture::run();
    run.sources.classes.clear();
    for cell in &mut run.cells {
        cell.measures
            .values_mut()
            .for_each(|measure| *measure = cutpoint::results::Measure::void("nothing was scored"));
    }
    run.events.retain(|event| matches!(event, cutpoint::results::EventRecord::Request(_)));
    let page = page(&run);
    tags(&page);
    let glance = text_of(page.split_once("<section id=\"glance\"").unwrap().1.split_once("</section>").unwrap().0);
    for answer in [
        "Unknown: goal-loss has no number.",
        "Unknown: no strategy has both",
        "There is nothing to compare.",
        "Unknown: no strategy asked an estimator.",
        "Nothing was compacted.",
        "Unknown: nothing was scored.",
    ] {
        assert!(glance.contains(answer), "{answer}\n{glance}");
    }
    // One cell alone has its answers too, and nothing to be compared with.
    let mut run = fixture::run();
    run.cells.truncate(1);
    run.events.retain(|event| event.cell() == run.cells[0].cell);
    let page = self::page(&run);
    tags(&page);
    assert!(page.contains("There is nothing to compare.") && page.contains("All 1 cells"));
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
    assert_eq!(first.len(), 3 + CsvFile::of(&ReportModel::new(&run)).len());
    for (path, before) in second.iter().zip(bytes) {
        assert_eq!(fs::read(path).unwrap(), before, "{}", path.display());
    }
    let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().ends_with(".partial")));
}

#[test]
fn many_cells_have_pages_of_their_own() {
    let mut run = fixture::run();
    let cells = run.cells.clone();
    run.events.clear();
    run.cells =
        (0..601).map(|at| cutpoint::results::CellRecord { cell: format!("c{at}"), ..cells[at % 6].clone() }).collect();
    let model = ReportModel::new(&run);
    let siblings = Sibling::all(&model);
    let names: Vec<&str> = siblings.iter().map(|sibling| sibling.name).collect();
    assert_eq!(names, ["cells-1.html", "cells-2.html", "cells-3.html"]);
    assert!(page(&run).contains("<a href=\"cells-3.html\">601 to 601</a>"));
    let mut out = Vec::new();
    siblings[1].render(&model, &mut out).unwrap();
    let second = String::from_utf8(out).unwrap();
    tags(&second);
    assert_eq!(second.matches("<tr data-row=").count(), 300);
    assert!(second.contains("<tr data-row=\"300\">") && second.contains("<tr data-row=\"599\">"));
    assert!(second.contains("<b>301 to 600</b>"));
}
