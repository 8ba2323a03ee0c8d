//! The CSV files.

use std::collections::BTreeMap;

use cutpoint::report::{CsvFile, ReportModel, Reporter};
use cutpoint::results::Measure;

use super::fixture;

fn text(file: CsvFile) -> String {
    let run = fixture::run();
    let mut out = Vec::new();
    file.render(&ReportModel::new(&run), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn rows(file: CsvFile) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(text(file).as_bytes()).deserialize().map(Result::unwrap).collect()
}

#[test]
fn cells() {
    insta::assert_snapshot!(text(CsvFile::Cells));
}

#[test]
fn compactions() {
    insta::assert_snapshot!(text(CsvFile::Compactions));
}

#[test]
fn incidents() {
    insta::assert_snapshot!(text(CsvFile::Incidents));
}

#[test]
fn items() {
    insta::assert_snapshot!(text(CsvFile::Items));
}

#[test]
fn columns() {
    insta::assert_snapshot!(text(CsvFile::Columns));
}

#[test]
fn a_row_per_request() {
    // Three strategies, each on 60 and on 24 requests.
    let rows = rows(CsvFile::Requests);
    assert_eq!(rows.len(), 3 * (60 + 24));
    assert_eq!(rows[0]["reference_tokens"], "4000");
    assert_eq!(rows[0]["estimate_tokens"], "3600");
    assert_eq!(rows[0]["recorded_tokens"], "");
}

#[test]
fn a_void_is_empty_with_its_reason_and_never_zero() {
    let measures = rows(CsvFile::Measures);
    assert_eq!(measures.len(), 6 * 16);
    let voids: Vec<_> = measures.iter().filter(|row| !row["void_reason"].is_empty()).collect();
    assert!(voids.iter().all(|row| row["value"].is_empty()));
    assert!(measures.iter().all(|row| row["value"].is_empty() != row["void_reason"].is_empty()));
    // 4 scored measures and critical items void in 4 of 6 cells; 2 estimates and kept tokens in 2 of 6.
    assert_eq!(voids.len(), 5 * 4 + 3 * 2);
    let cells = rows(CsvFile::Cells);
    assert_eq!(cells[1]["goal_loss"], "");
    assert_eq!(cells[0]["goal_loss"], "0.25");
}

#[test]
fn every_column_is_described_once() {
    let described = rows(CsvFile::Columns);
    let run = fixture::run();
    for file in CsvFile::of(&ReportModel::new(&run)) {
        let text = text(file);
        let header = text.lines().next().unwrap();
        let of_file: Vec<&str> =
            described.iter().filter(|row| row["file"] == file.name()).map(|row| row["column"].as_str()).collect();
        assert_eq!(header.split(',').collect::<Vec<_>>(), of_file, "{}", file.name());
    }
}

#[test]
fn losses_are_compared_with_what_a_reader_knows_over_lineages() {
    let mut run = fixture::run();
    let cell = run.cells.iter().find(|cell| cell.exam.is_some()).unwrap().clone();
    // Nine lineages: the item loss orders them as the probes do, the future loss the other way round; a tenth lacks a probe.
    run.cells = (0..10_u32)
        .map(|at| {
            let mut cell = cell.clone();
            (cell.lineage, cell.transcript) = (format!("l{at}"), format!("t{at}"));
            cell.cell = format!("cell-{at}");
            let mut put = |name: &str, measure| cell.measures.insert(name.to_owned(), measure);
            put("goal_loss", Measure::Value(f64::from(at * at)));
            put("future_loss", Measure::Value(-f64::from(at)));
            put("probe_loss", if at < 9 { Measure::Value(f64::from(at)) } else { Measure::void("no probe") });
            put("goal_offline_loss", Measure::void("no items"));
            cell
        })
        .collect();
    run.events.clear();
    let mut out = Vec::new();
    CsvFile::Validity.render(&ReportModel::new(&run), &mut out).unwrap();
    let rows: Vec<BTreeMap<String, String>> =
        csv::Reader::from_reader(out.as_slice()).deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 6, "all strategies, and the one that there is");
    let told = |row: &BTreeMap<String, String>| {
        ["loss", "spearman", "low", "high", "lineages", "void_reason"].map(|name| row[name].clone()).join(" ")
    };
    let expected =
        ["goal_loss 1   9 ", "future_loss -1   9 ", "goal_offline_loss     0 lineages have both; 8 are needed"];
    for (strategy, rows) in ["(all)", &cell.strategy].into_iter().zip(rows.chunks(3)) {
        assert_eq!(rows.iter().map(told).collect::<Vec<_>>(), expected);
        assert!(rows.iter().all(|row| row["strategy"] == strategy && row["mock"] == "true"), "{rows:?}");
    }
}

#[test]
fn a_formula_is_not_run() {
    let items = rows(CsvFile::Items);
    assert!(items.iter().any(|row| row["item"] == format!("'{}", fixture::FORMULA)));
    assert!(items.iter().all(|row| !row["item"].starts_with('=')));
    // Numbers are written as they are.
    assert!(items.iter().any(|row| row["score"] == "-0.5"));
}
