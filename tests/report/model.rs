//! The numbers.

use cutpoint::report::ReportModel;
use cutpoint::report::model::ItemLoss;
use cutpoint::results::Measure;

use super::fixture;

#[test]
fn the_fixture_survives_its_folder() {
    assert_eq!(fixture::through_a_folder(), fixture::run());
}

#[test]
fn a_number_is_a_mean_over_lineages() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    assert_eq!(model.labels, ["pi", "tail-only", "none"]);
    let pi = &model.strategies[0];
    // 60 requests: 4,000 + 2,500 per request passes 80,000 before request 32, then 25,200 + 2,500 before request 54;
    // 24 requests: never. Two compactions on one lineage and none on the other: 1 on average, 2 together.
    let compactions = &pi.measures["compactions_count"];
    assert_eq!((compactions.value, compactions.sum, compactions.n), (Some(1.0), Some(2.0), 2));
    assert_eq!(compactions.range(), Some((0.0, 2.0)));
    assert_eq!(compactions.interval, Err("2 lineages; an interval needs 5".to_owned()));
    assert_eq!(pi.measures["invalidated_tokens"].sum, Some(157_000.0));
    let kept = &pi.measures["kept_tokens"];
    assert_eq!((kept.value, kept.sum, kept.n), (Some(24_000.0), None, 2), "levels do not add up");
}

#[test]
fn seeds_and_forks_are_no_evidence() {
    let mut run = fixture::run();
    // A second seed of the first transcript, and the second transcript as a fork of it.
    let mut again = run.cells[0].clone();
    (again.cell, again.seed) = ("again".to_owned(), 2);
    again.measures.insert("compactions_count".to_owned(), Measure::Value(6.0));
    run.cells.push(again);
    for cell in &mut run.cells {
        "one".clone_into(&mut cell.lineage);
    }
    let model = ReportModel::new(&run);
    // (2 + 6) / 2 = 4 on the first transcript, 0 on the second: 2 on their only lineage.
    let compactions = &model.strategies[0].measures["compactions_count"];
    assert_eq!((compactions.value, compactions.units.len(), compactions.n), (Some(2.0), 1, 3));
}

#[test]
fn the_verdict_compares_what_can_be_compared() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let verdict = &model.verdicts[0];
    assert_eq!((verdict.best, verdict.best_loss, verdict.lineages), (Some(0), Some(0.25), 1));
    let contrast = &verdict.contrasts[0];
    let paired = contrast.paired.as_ref().unwrap();
    // 0.625 - 0.25, on one lineage: nothing can be significant.
    assert_eq!((contrast.label, paired.differences.mean, paired.sign_flip.p), (1, 0.375, 1.0));
    assert!(!contrast.is_significant());
    let worst = verdict.worst_compaction.unwrap();
    assert_eq!((worst.cell, worst.nth, worst.record.invalidated_tokens, worst.count), (0, 0, 78_500, 4));
    let lost: Vec<_> = verdict.critical.iter().map(|loss| (loss.cell, loss.item)).collect();
    assert_eq!(lost, [(2, "never-touch-generated-files")]);
    // It is a rule of the person; the other losses are a decision and a value.
    assert_eq!(verdict.constraints, verdict.critical);
    // Before requests 32 and 54 with pi, 32 and 56 without a summary: (78,500 + 77,200 + 78,500 + 78,200) / 4 on the only lineage
    // that is compacted, and $ (0.08 + 0.125) / 2.
    assert!((worst.mean_invalidated_tokens - 78_100.0).abs() < 1e-9);
    let dearest = verdict.dearest_compaction.unwrap();
    assert!((dearest.mean_one_time_usd - 0.1025).abs() < 1e-12 && dearest.count == 4);
    // 2^(1 - 6) is below 5 %, and 2^(1 - 5) is not.
    assert_eq!((verdict.significant(), verdict.needed_lineages()), (0, 6));
    // (1 - 0.25) / 0.5 and (1 - 0.625) / 0.25 are both 1.5: the first stays.
    let best = model.most_per_usd(&verdict.setting).unwrap();
    assert_eq!((best.label, best.row, best.kept_per_usd), (0, 0, 1.5));
}

#[test]
fn an_estimator_fails_where_there_is_enough_to_fail_on() {
    let mut run = fixture::run();
    // Logs are half too low, code a tenth on the mean of two lineages.
    let worst = |run: &cutpoint::results::Run| {
        let model = ReportModel::new(run);
        let row = &model.classes.rows[model.verdicts[0].worst_class.unwrap()];
        (row.class.to_owned(), row.error.unwrap())
    };
    assert_eq!(worst(&run), ("log".to_owned(), -0.5));
    // 30 of 3,030 tokens are less than one in a hundred.
    (run.sources.classes[1].reference_tokens, run.sources.classes[1].estimate_tokens) = (30, 15);
    assert_eq!(worst(&run).0, "code");
    // Nobody asks this one.
    run.sources.classes.iter_mut().for_each(|one| "other".clone_into(&mut one.estimator));
    assert_eq!(ReportModel::new(&run).verdicts[0].worst_class, None);
}

#[test]
fn what_most_lost_is_told_first() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let loss = |cell, item, critical| cutpoint::report::model::ItemLoss {
        cell,
        item,
        category: "constraint",
        critical,
        fate: "lost",
    };
    let losses = [loss(0, "a", false), loss(0, "b", false), loss(2, "b", false), loss(2, "c", true)];
    let order: Vec<_> = model.by_item(&losses).iter().map(|losses| (losses[0].item, model.losers(losses))).collect();
    assert_eq!(order, [("c", vec![1]), ("b", vec![0, 1]), ("a", vec![0])]);
}

#[test]
fn eight_lineages_can_show_a_difference() {
    let mut run = fixture::run();
    let pair: Vec<_> = [&run.cells[0], &run.cells[2]].into_iter().cloned().collect();
    run.cells.clear();
    for (lineage, cell) in (0..8).flat_map(|lineage| pair.iter().map(move |cell| (lineage, cell))) {
        let mut cell = cell.clone();
        cell.cell = format!("{}-{lineage}", cell.cell);
        cell.lineage = format!("lineage-{lineage}");
        run.cells.push(cell);
    }
    let model = ReportModel::new(&run);
    let contrast = &model.verdicts[0].contrasts[0];
    // All eight differences have one sign: p = 2 / 2^8.
    assert_eq!(contrast.adjusted_p, Some(0.007_812_5));
    assert!(contrast.is_significant());
    assert!(model.strategies[0].measures["goal_loss"].interval.is_ok());
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
    let panel = &model.pareto[1];
    let points: Vec<_> =
        panel.points.iter().map(|point| (point.label, point.cost, point.goal_loss, point.n, point.in_set)).collect();
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

#[test]
fn what_a_dollar_keeps() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let panel = &model.pareto[0];
    assert_eq!(panel.axis.measure, "cost_usd");
    // (1 - 0.25) / 0.5 and (1 - 0.625) / 0.25 are both 1.5: the first one is named.
    let kept: Vec<Option<f64>> = panel.points.iter().map(|point| panel.kept_per_usd(point)).collect();
    assert_eq!(kept, [Some(1.5), Some(1.5)]);
    assert_eq!(panel.most_per_usd().map(|(at, _)| panel.points[at].label), Some(0));
    assert_eq!(model.price_rows(&panel.setting), ["example-row"]);
    let dearest = model.verdicts[0].dearest_compaction.unwrap();
    assert_eq!((dearest.cell, dearest.nth, dearest.one_time_usd, dearest.break_even_requests), (0, 1, 0.125, None));
}

#[test]
fn a_prompt_is_stacked_by_how_the_cache_served_it() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let stack = model.stacks[0].as_ref().unwrap();
    assert_eq!((stack.points.len(), stack.compactions.as_slice()), (60, [32, 54].as_slice()));
    // The first request holds 4,000 tokens: nine tenths read, 100 at the end neither.
    let first = stack.points[0];
    assert_eq!((first.read, first.write, first.plain, first.prompt()), (3_600, 300, 100, 4_000));
    assert_eq!(stack.peak_tokens(), 79_000);
    assert!(model.stacks[4].is_none(), "nothing was simulated");
}

#[test]
fn estimator_errors_are_means_over_lineages() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let errors = &model.classes;
    assert_eq!(
        (errors.estimators.as_slice(), errors.classes.as_slice()),
        (["chars/4"].as_slice(), ["code", "log"].as_slice())
    );
    let code = &errors.rows[0];
    // 800 of 1,000 and 2,000 of 2,000: -0.2 and 0, so -0.1; the sums alone would say -0.067.
    assert!((code.error.unwrap() + 0.1).abs() < 1e-9, "{code:?}");
    assert_eq!((code.messages, code.reference_tokens, code.estimate_tokens, code.lineages), (14, 3_000, 2_800, 2));
    assert_eq!(code.interval, Err("2 lineages; an interval needs 5".to_owned()));
    assert_eq!((errors.rows[1].error, errors.rows[1].lineages), (Some(-0.5), 1));
}

#[test]
fn losses_of_very_many_items_are_put_together() {
    let run = fixture::run();
    let model = ReportModel::new(&run);
    let names: Vec<String> = (0..60_000).map(|at| format!("item-{at}")).collect();
    let loss = |item| ItemLoss { cell: 0, item, category: "goal", critical: item == "item-7", fate: "lost" };
    let mut losses: Vec<ItemLoss<'_>> = names.iter().map(|name| loss(name)).collect();
    losses.push(ItemLoss { cell: 2, ..loss("item-9") });
    let items = model.by_item(&losses);
    let firsts: Vec<&str> = items.iter().take(4).map(|losses| losses[0].item).collect();
    // The critical one, the one that two strategies lost, and the rest in order.
    assert_eq!((items.len(), firsts.as_slice()), (60_000, ["item-7", "item-9", "item-0", "item-1"].as_slice()));
    assert_eq!(items[1].len(), 2);
}
