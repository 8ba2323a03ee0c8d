//! The numbers.

use cutpoint::report::ReportModel;
use cutpoint::report::model::Aggregation;
use cutpoint::results::Measure;

use super::fixture;

#[test]
fn the_fixture_survives_its_folder() {
    assert_eq!(fixture::through_a_folder(), fixture::run());
}

#[test]
fn rows_aggregate_by_unit() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    assert_eq!(model.labels, ["pi", "tail-only", "none"]);
    let pi = &model.strategies[0];
    // 60 requests: 4,000 + 2,500 per request passes 80,000 before request 32, then 25,200 + 2,500 before request 54;
    // 24 requests: never.
    let compactions = &pi.measures["compactions_count"];
    assert_eq!((compactions.how, compactions.value, compactions.n), (Aggregation::Sum, Some(2.0), 2));
    assert_eq!(pi.measures["invalidated_tokens"].value, Some(157_000.0));
    let kept = &pi.measures["kept_tokens"];
    assert_eq!((kept.how, kept.value, kept.n), (Aggregation::Mean, Some(24_000.0), 2));
}

#[test]
fn a_void_never_enters_a_mean() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let loss = &model.strategies[0].measures["goal_loss"];
    assert_eq!((loss.value, loss.n, loss.voids), (Some(0.25), 1, 1));
    assert_eq!(loss.reasons, ["the transcript has no annotations"]);
    let none = &model.strategies[2].measures["goal_loss"];
    assert_eq!((none.value, none.n, none.voids), (None, 0, 2));
    assert_eq!(none.reasons, ["nothing was compacted", "the transcript has no annotations"]);
}

#[test]
fn what_is_not_finite_is_void() {
    let mut run = fixture::run();
    run.cells[0].measures.insert("kept_tokens".to_owned(), Measure::Value(f64::NAN));
    let model = ReportModel::new(&run);
    let kept = &model.strategies[0].measures["kept_tokens"];
    assert_eq!((kept.value, kept.n, kept.voids), (Some(24_000.0), 1, 1));
    assert!(model.footnote("not a finite number").is_some());
}

#[test]
fn the_pareto_set_uses_cells_with_both_numbers() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let panel = &model.pareto[0];
    let points: Vec<_> = panel
        .points
        .iter()
        .map(|point| (point.label, point.kept_tokens, point.goal_loss, point.n, point.in_set))
        .collect();
    assert_eq!(points, [(0, 24_000.0, 0.25, 1, true), (1, 20_000.0, 0.625, 1, true)]);
    assert_eq!(panel.absent, [2]);
}

#[test]
fn a_compaction_falls_between_two_requests() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    assert_eq!(model.contexts.len(), 2);
    let line = &model.contexts[0].lines[0];
    let near: Vec<(f64, f64)> = line
        .points
        .iter()
        .map(|point| (point.request, point.tokens))
        .filter(|(at, _)| (31.0..=32.0).contains(at))
        .collect();
    assert_eq!(near, [(31.0, 79_000.0), (31.5, 81_500.0), (31.5, 25_200.0), (32.0, 25_200.0)]);
    assert_eq!(line.compactions.len(), 2);
}

#[test]
fn a_strategy_with_two_estimators_gets_two_names() {
    let mut run = fixture::run();
    run.cells[1].estimator = "chars/3".to_owned();
    let model = ReportModel::new(&run);
    assert_eq!(model.labels, ["pi (chars/4, mock)", "pi (chars/3, mock)", "tail-only", "none"]);
}
