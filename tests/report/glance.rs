//! What the page says where a run knows less than all: first in the answers that it begins with.

use cutpoint::report::{CsvFile, Markdown, ReportModel, Reporter};
use cutpoint::results::{CellRecord, ClassRecord, EventRecord, LeftOutRecord, Run};

use super::fixture;
use super::html::{page, text_of};

/// A section with its tags.
fn marked_up(run: &Run, id: &str) -> String {
    let page = page(run);
    let (_, rest) = page.split_once(&format!("<section id=\"{id}\"")).unwrap();
    rest.split_once("</section>").unwrap().0.to_owned()
}

fn section(run: &Run, id: &str) -> String {
    text_of(&marked_up(run, id))
}

fn rendered(run: &Run, form: &dyn Reporter) -> String {
    let mut out = Vec::new();
    form.render(&ReportModel::new(run), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn field(run: &Run, column: &str) -> String {
    let csv = rendered(run, &CsvFile::Verdicts);
    let mut lines = csv.lines().map(|line| line.split(','));
    let at = lines.next().unwrap().position(|name| name == column).unwrap();
    lines.next().unwrap().nth(at).unwrap().to_owned()
}

/// A run whose cells are changed, and only in that.
fn with_cells(change: impl FnMut(&mut CellRecord)) -> Run {
    let mut run = fixture::run();
    run.cells.iter_mut().for_each(change);
    run
}

#[test]
fn what_was_not_annotated_was_not_kept() {
    let run = with_cells(|cell| cell.items.retain(|item| !item.critical && item.category != "constraint"));
    assert!(section(&run, "glance").contains("Unknown: no rule was annotated in a scored cell."));
    assert!(section(&run, "verdict").contains("Unknown: no critical item was annotated in a scored cell."));
    assert!(page(&run).contains("lost</b>, because no critical item and no rule was annotated in a scored cell"));
    for column in ["critical_losses", "critical_strategies", "lost_constraints", "constraint_strategies"] {
        assert_eq!(field(&run, column), "", "{column}");
    }
    let kept = with_cells(|cell| cell.items.iter_mut().for_each(|item| "kept".clone_into(&mut item.fate)));
    assert!(section(&kept, "glance").contains("None of the person's rules was lost."));
    assert!(section(&kept, "verdict").contains("No. Every critical item survived."));
    assert_eq!((&*field(&kept, "critical_losses"), &*field(&kept, "lost_constraints")), ("0", "0"));
}

#[test]
fn a_mean_over_priced_compactions_says_over_how_many() {
    let mut run = fixture::run();
    assert!(!section(&run, "glance").contains("with a price") && !rendered(&run, &Markdown).contains("with a price"));
    let first = run.events.iter_mut().find_map(|event| match event {
        EventRecord::Compaction(one) => one.cache.as_mut(),
        _ => None,
    });
    first.unwrap().one_time_usd = None;
    for text in [section(&run, "glance"), section(&run, "verdict"), rendered(&run, &Markdown)] {
        assert!(text.contains(" (of 3 with a price)"), "{text}");
    }
}

fn class_of(run: &mut Run, estimator: &str, reference_tokens: u64, estimate_tokens: u64) {
    let like = run.sources.classes.iter().find(|one| one.class == "log").unwrap().clone();
    run.sources.classes.push(ClassRecord {
        estimator: estimator.to_owned(),
        reference_tokens,
        estimate_tokens,
        ..like
    });
}

#[test]
fn estimators_that_fail_alike_are_all_named() {
    let mut run = with_cells(|cell| {
        if cell.strategy == "tail-only" {
            "chars/4 of another".clone_into(&mut cell.estimator);
        }
    });
    class_of(&mut run, "chars/4 of another", 500, 250);
    let glance = section(&run, "glance");
    let told = "On log: chars/4 and chars/4 of another count \u{2212}50.0 %, too few tokens (used by pi, tail-only).";
    assert!(glance.contains(told), "{glance}");
    assert!(!glance.contains("other estimators"), "there is none");
    let told = "**log**: chars/4 and chars/4 of another count \u{2212}50.0 %.";
    assert!(rendered(&run, &Markdown).contains(told));
}

#[test]
fn what_other_estimators_do_is_said_from_their_errors() {
    let mut run = fixture::run();
    class_of(&mut run, "of nothing", 0, 0);
    assert!(!section(&run, "glance").contains("other estimators"), "it has no error");
    class_of(&mut run, "a little off", 500, 400);
    assert!(section(&run, "glance").contains("The other estimators err there in the same direction."));
    class_of(&mut run, "too high", 500, 600);
    assert!(!section(&run, "glance").contains("other estimators"));
    run.sources.classes.iter_mut().for_each(|class| class.reference_tokens = 0);
    assert!(section(&run, "glance").contains("no class of content has an error of these estimators"));
    run.sources.classes.clear();
    assert!(section(&run, "glance").contains("the run did not record estimates by class"));
}

#[test]
fn a_reader_is_told_of_intervals_where_there_are_some() {
    let mut run = fixture::run();
    let (strategies, classes) = (section(&run, "strategies"), section(&run, "classes"));
    assert!(
        strategies.contains("the least … the greatest of them") && !strategies.contains("in brackets"),
        "{strategies}"
    );
    assert!(!classes.contains("A bar is"));
    let cell = run.cells[0].clone();
    let class = run.sources.classes[0].clone();
    for at in 0..5 {
        let (name, lineage) = (format!("t{at}"), format!("l{at}"));
        let measures = cell.measures.clone();
        run.cells.push(CellRecord { cell: name.clone(), lineage: lineage.clone(), measures, ..cell.clone() });
        let estimate_tokens = 700 + at;
        run.sources.classes.push(ClassRecord { transcript: name, lineage, estimate_tokens, ..class.clone() });
    }
    assert!(section(&run, "strategies").contains("in brackets, or, with fewer than five"));
    assert!(section(&run, "classes").contains("A bar is its 95 % interval."));
    run.cells.truncate(1);
    let strategies = section(&run, "strategies");
    assert!(!strategies.contains("in brackets") && !strategies.contains("of them"), "{strategies}");
}

#[test]
fn an_estimator_does_not_look_like_a_strategy() {
    let run = fixture::run();
    assert!(marked_up(&run, "strategies").contains("var(--s0)"));
    let classes = marked_up(&run, "classes");
    assert!(!classes.contains("var(--s") && classes.contains("<polygon") && classes.contains("<svg class=\"swatch\""));
}

#[test]
fn every_table_is_linked() {
    let run = fixture::run();
    let section = marked_up(&run, "run");
    for file in CsvFile::of(&ReportModel::new(&run)) {
        let name = file.name();
        assert!(section.contains(&format!("<a href=\"{name}\">{name}</a>")), "{name}");
    }
}

#[test]
fn items_without_a_question_are_shown_in_part() {
    let left_out = |number| {
        let one = |at| LeftOutRecord { item: format!("item-{at}"), reason: "no slot".to_owned() };
        let run = with_cells(|cell| {
            if let Some(exam) = &mut cell.exam {
                exam.left_out = (0..number).map(one).collect();
            }
        });
        section(&run, "questions")
    };
    assert!(left_out(200).contains("item-199") && !left_out(200).contains("more are in cells.jsonl"));
    assert!(!left_out(201).contains("item-200") && left_out(201).contains("1 more are in cells.jsonl"));
}
