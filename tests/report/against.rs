//! Two runs in one report.

use cutpoint::compare::{Comparison, Plan, compare};
use cutpoint::report::{CsvFile, Html, Json, Markdown, ReportModel, Reporter, write_model};
use cutpoint::results::{Measure, Run};

use super::fixture;

/// What came before a run: its first cell, `pi`, still kept the item that it now contradicts, and lost less.
pub(crate) fn base_of(head: &Run) -> Run {
    let mut base = head.clone();
    let before = &mut base.cells[0];
    "kept".clone_into(&mut before.items[3].fate);
    before.measures.insert("goal_loss".to_owned(), Measure::Value(0.125));
    before.measures.insert("kept_tokens".to_owned(), Measure::Value(25_000.0));
    base.manifest.config.push_str("replicates = 2\n");
    base
}

/// The fixture, where it also lost the critical constraint.
pub(crate) fn head() -> Run {
    let mut head = fixture::run();
    // That of the fixture is no TOML, so nothing could be told of it.
    "name = \"first-look\"\n".clone_into(&mut head.manifest.config);
    "lost".clone_into(&mut head.cells[0].items[1].fate);
    head
}

/// The base of the head, where the constraint was kept.
fn base() -> Run {
    let mut base = base_of(&head());
    "kept".clone_into(&mut base.cells[0].items[1].fate);
    base
}

pub(crate) fn compared(base: &Run, head: &Run) -> Comparison {
    compare(base, head, &Plan::default()).unwrap()
}

fn rendered(reporter: &dyn Reporter, model: &ReportModel) -> String {
    let mut out = Vec::new();
    reporter.render(model, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn what_was_newly_lost_leads_to_the_line_that_said_it() {
    let (base, head) = (base(), head());
    let comparison = compared(&base, &head);
    let page = rendered(&Html, &ReportModel::new(&head).against(&base.manifest, &comparison));
    let section = page.split_once("<section id=\"against\"").unwrap().1.split_once("</section>").unwrap().0;
    assert!(page.find("id=\"against\"").unwrap() < page.find("id=\"verdict\"").unwrap(), "it comes first");
    assert!(section.contains("✕ regress</b>: 1 critical items are newly lost."), "{section:.400}");
    let lost = section.split_once("<h3>Newly lost</h3>").unwrap().1.split_once("<h3>").unwrap().0;
    assert!(lost.contains("the text of never-touch-generated-files") && lost.contains(">critical</span>"));
    // The item is stated on line 2 of the first transcript.
    assert!(lost.contains("<a class=\"said\" href=\"#t0-line-2\">line 2</a>"), "{lost}");
    assert!(lost.contains("kept → <span class=\"fate lost\">lost</span>"));
    assert!(section.contains("<code>replicates</code>"), "the experiments differ in it");
}

#[test]
fn what_moved_is_in_the_page_and_in_the_files() {
    let (base, head) = (base(), head());
    let comparison = compared(&base, &head);
    let model = ReportModel::new(&head).against(&base.manifest, &comparison);
    let moved: Vec<csv::StringRecord> =
        csv::Reader::from_reader(rendered(&CsvFile::Moved, &model).as_bytes()).records().map(Result::unwrap).collect();
    // goal_loss has one lineage: 0.125 → 0.25. kept_tokens has two: (25,000 + 24,000) / 2 → 24,000.
    let found: Vec<Vec<&str>> = moved.iter().map(|row| [0, 3, 6, 7, 8].map(|at| &row[at]).to_vec()).collect();
    assert_eq!(found, [["pi", "kept_tokens", "24500", "24000", "-500"], ["pi", "goal_loss", "0.125", "0.25", "0.125"]]);
    assert!(moved.iter().all(|row| row[9].is_empty()), "two lineages have no interval");
    assert_eq!([&moved[0][15], &moved[1][15]], ["neutral", "unclear"]);
    let gates = rendered(&CsvFile::Gates, &model);
    assert_eq!(gates.lines().count(), 1 + 3, "one gate in three strategies");
    assert!(gates.contains("pi,pi,example-large,100000,full,goal_loss,score,lower,0.02,inconclusive,"), "{gates}");
    let lost = rendered(&CsvFile::NewlyLost, &model);
    assert!(lost.contains(
        "never-touch-generated-files,constraint,true,the text of never-touch-generated-files,2,kept,lost,1,1"
    ));
    let json: serde_json::Value = serde_json::from_str(&rendered(&Json, &model)).unwrap();
    assert_eq!(json["against"]["comparison"]["verdict"], "regress");
    assert!(rendered(&Markdown, &model).contains("Newly lost items (2)"));
}

#[test]
fn the_same_run_moved_nothing() {
    let run = fixture::run();
    let comparison = compared(&run, &run);
    let page = rendered(&Html, &ReportModel::new(&run).against(&run.manifest, &comparison));
    assert!(
        page.contains("Nothing: every mean is that of the base.")
            && page.contains("no annotated item that the base kept")
    );
}

#[test]
fn the_files_about_a_base_are_written_only_with_one() {
    let run = fixture::run();
    let comparison = compared(&run, &run);
    let folder = tempfile::tempdir().unwrap();
    let names = |model: &ReportModel| -> Vec<String> {
        let paths = write_model(model, folder.path()).unwrap();
        paths.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
    };
    let about = ["gates.csv", "moved.csv", "newly_lost.csv"];
    let alone = names(&ReportModel::new(&run));
    assert!(about.iter().all(|name| !alone.contains(&(*name).to_owned())), "{alone:?}");
    let both = names(&ReportModel::new(&run).against(&run.manifest, &comparison));
    assert!(about.iter().all(|name| both.contains(&(*name).to_owned())), "{both:?}");
    assert!(!rendered(&CsvFile::Columns, &ReportModel::new(&run)).contains("gates.csv"));
}
