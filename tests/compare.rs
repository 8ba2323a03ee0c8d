//! Verdicts on made-up runs whose differences are known.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::collections::BTreeMap;

use cutpoint::compare::{Comparison, Gate, Plan, Shift, Unlike, Verdict, compare};
use cutpoint::report::ComparisonForm;
use cutpoint::results::{
    CellRecord, Direction, ItemRecord, Manifest, Measure, MeasureDef, Run, SCHEMA, TranscriptRecord,
};

/// Text that would be markup, a terminal escape, or a mention.
const HOSTILE: &str = "<b>|`x`|</b> @all \u{1b}[31m & \"q\"";

fn def(name: &str, direction: Direction) -> MeasureDef {
    let about = "about".to_owned();
    MeasureDef { name: name.to_owned(), unit: "score".to_owned(), direction, about, version: 1 }
}

fn manifest(names: &[String]) -> Manifest {
    let transcript = |name: &String| TranscriptRecord {
        name: name.clone(),
        lineage: name.clone(),
        sha256: "0".repeat(64),
        format: "pi".to_owned(),
        messages: 1,
        requests: 1,
        reference_tokens: 1,
        head_tokens: None,
        findings: BTreeMap::new(),
    };
    Manifest {
        schema: SCHEMA,
        generator: "cutpoint test".to_owned(),
        experiment: "test".to_owned(),
        config: "name = \"test\"\nstrategies = [\"pi\"]\n".to_owned(),
        config_sha256: String::new(),
        history: "full".to_owned(),
        reference: "o200k_base".to_owned(),
        mock: true,
        transcripts: names.iter().map(transcript).collect(),
        cells: names.len() as u64,
        shard: None,
        measures: vec![def("goal_loss", Direction::Lower), def("kept_score", Direction::Higher)],
        caveats: Vec::new(),
    }
}

fn cell(name: &str, seed: u64, value: Measure) -> CellRecord {
    CellRecord {
        schema: SCHEMA,
        cell: format!("{name}-{seed}"),
        inputs: format!("{name}-{seed}-{value:?}"),
        strategy: "pi".to_owned(),
        mimics: None,
        transcript: name.to_owned(),
        lineage: name.to_owned(),
        model: "m".to_owned(),
        window_tokens: 1_000,
        history: "full".to_owned(),
        seed,
        replicate: 0,
        estimator: "chars/4".to_owned(),
        summarizer: "mock".to_owned(),
        mock: true,
        reference: "o200k_base".to_owned(),
        measures: BTreeMap::from([
            ("goal_loss".to_owned(), value.clone()),
            (
                "kept_score".to_owned(),
                match value {
                    Measure::Value(value) => Measure::Value(1.0 - value),
                    void @ Measure::Void(_) => void,
                },
            ),
        ]),
        items: Vec::new(),
        items_sha256: None,
        extractor: None,
        second_extractor: None,
        future: Vec::new(),
        exam: None,
        cache: String::new(),
        price: None,
        latency: None,
    }
}

/// One transcript, and lineage, per value.
fn run(values: &[f64]) -> Run {
    let names: Vec<String> = (0..values.len()).map(|index| format!("t{index:02}")).collect();
    let cells = names.iter().zip(values).map(|(name, value)| cell(name, 0, Measure::Value(*value))).collect();
    let sources = cutpoint::results::Sources::default();
    Run { manifest: manifest(&names), cells, events: Vec::new(), sources, judgements: Vec::new() }
}

fn compared(base: &[f64], head: &[f64]) -> Comparison {
    compare(&run(base), &run(head), &Plan::default()).unwrap()
}

const BASE: [f64; 10] = [0.10, 0.12, 0.20, 0.15, 0.30, 0.18, 0.22, 0.25, 0.11, 0.16];

fn shifted(by: &[f64]) -> Vec<f64> {
    BASE.iter().zip(by.iter().cycle()).map(|(value, by)| value + by).collect()
}

#[test]
fn worse_on_every_lineage_is_a_regression() {
    let found = compared(&BASE, &shifted(&[0.10, 0.12, 0.09, 0.11]));
    assert_eq!((found.verdict, found.gates.len()), (Verdict::Regress, 1));
    let gate = &found.gates[0];
    let difference = gate.difference.as_ref().unwrap();
    assert_eq!((difference.better, difference.ties, difference.worse, gate.n), (0, 0, 10, 10));
    // 0.10 · 3 + 0.12 · 3 + 0.09 · 2 + 0.11 · 2 over 10; all ten of one sign: 2 / 2^10.
    assert!((difference.mean - 0.106).abs() < 1e-9 && (difference.p - 2.0 / 1_024.0).abs() < 1e-12, "{difference:?}");
    let [low, high] = difference.interval.unwrap();
    assert!(low > 0.09 && high < 0.12, "{low} {high}");
}

#[test]
fn better_or_barely_worse_passes() {
    assert_eq!(compared(&BASE, &shifted(&[-0.10, -0.05])).verdict, Verdict::Pass);
    assert_eq!(compared(&BASE, &shifted(&[0.004, 0.006, 0.005])).verdict, Verdict::Pass);
}

#[test]
fn a_higher_measure_is_worse_when_it_falls() {
    let plan = Plan { gates: vec!["kept_score=0.02".parse().unwrap()], ..Plan::default() };
    let head = shifted(&[0.10, 0.12, 0.09, 0.11]);
    assert_eq!(compare(&run(&BASE), &run(&head), &plan).unwrap().verdict, Verdict::Regress);
    assert_eq!(compare(&run(&head), &run(&BASE), &plan).unwrap().verdict, Verdict::Pass);
}

#[test]
fn noise_is_inconclusive_and_so_are_too_few_lineages() {
    assert_eq!(compared(&BASE, &shifted(&[0.2, -0.2, 0.15, -0.1])).verdict, Verdict::Inconclusive);
    let few = compared(&BASE[..3], &shifted(&[0.3])[..3]);
    assert_eq!(few.verdict, Verdict::Inconclusive);
    assert_eq!(few.gates[0].reason, "3 lineages cannot be significant; it takes 6");
    // One loss among eight: no interval is honest.
    let mut head = BASE[..8].to_vec();
    head[3] += 0.5;
    let lone = compared(&BASE[..8], &head);
    assert_eq!(lone.verdict, Verdict::Inconclusive);
    assert!(lone.gates[0].difference.as_ref().unwrap().fallback);
}

#[test]
fn the_same_run_passes_whatever_its_size() {
    let found = compared(&BASE[..3], &BASE[..3]);
    assert_eq!((found.verdict, found.same_pairs), (Verdict::Pass, 3));
    assert_eq!(found.gates[0].reason, "no cell changed");
}

#[test]
fn void_never_passes() {
    let mut void = run(&BASE);
    for cell in &mut void.cells {
        cell.measures.values_mut().for_each(|measure| *measure = Measure::void("nothing was compacted"));
    }
    let found = compare(&void, &void, &Plan::default()).unwrap();
    assert_eq!(found.verdict, Verdict::Void);
    assert_eq!(found.gates[0].reason, "nothing was compacted");
    // Numbers in one run only: the head may have become better or worse.
    assert_eq!(compare(&void, &run(&BASE), &Plan::default()).unwrap().verdict, Verdict::Inconclusive);
    let mut other = run(&BASE);
    other.cells.iter_mut().for_each(|cell| cell.cell.push('x'));
    assert_eq!(compare(&run(&BASE), &other, &Plan::default()).unwrap().verdict, Verdict::Void);
}

#[test]
fn other_annotated_items_are_another_measure() {
    let annotated = |digest: &str| {
        let mut run = run(&BASE);
        run.cells[0].items_sha256 = Some(digest.repeat(32));
        run
    };
    let of = |head| compare(&annotated("aa"), &head, &Plan::default()).unwrap();
    assert_eq!(of(annotated("aa")).verdict, Verdict::Pass);
    let found = of(annotated("bb"));
    assert_eq!((found.verdict, found.changed_transcripts.as_slice()), (Verdict::Inconclusive, &["t00".to_owned()][..]));
}

#[test]
fn missing_cells_and_changed_transcripts_do_not_pass() {
    let mut head = run(&BASE);
    head.cells.pop();
    let found = compare(&run(&BASE), &head, &Plan::default()).unwrap();
    assert_eq!((found.verdict, found.missing_in_head), (Verdict::Inconclusive, 1));
    let mut head = run(&BASE);
    head.manifest.transcripts[0].sha256 = "1".repeat(64);
    let found = compare(&run(&BASE), &head, &Plan::default()).unwrap();
    assert_eq!((found.verdict, found.changed_transcripts.as_slice()), (Verdict::Inconclusive, &["t00".to_owned()][..]));
    assert_eq!(found.pairs, 9);
}

#[test]
fn unlike_measures_are_refused() {
    let plan = Plan::default();
    let mut head = run(&BASE);
    head.manifest.measures[0].version = 2;
    let error = compare(&run(&BASE), &head, &plan).unwrap_err();
    assert!(error.to_string().contains("version 1") && error.to_string().contains("version 2"), "{error}");
    let mut head = run(&BASE);
    head.manifest.reference = "cl100k_base".to_owned();
    assert!(matches!(compare(&run(&BASE), &head, &plan), Err(Unlike::Reference { .. })));
    let gate = |text: &str| Plan { gates: vec![text.parse::<Gate>().unwrap()], ..Plan::default() };
    let error = compare(&run(&BASE), &run(&BASE), &gate("goal_los=0.1")).unwrap_err();
    assert_eq!(error.hint(), "did you mean \"goal_loss\"?");
    let mut neutral = run(&BASE);
    neutral.manifest.measures[0].direction = Direction::Neutral;
    assert!(matches!(compare(&neutral, &neutral, &plan), Err(Unlike::Neutral(_))));
}

fn with_item(fates: [&str; 3]) -> Run {
    let mut run = run(&BASE[..1]);
    run.cells = (0_u64..3).map(|seed| cell("t00", seed, Measure::Value(0.1))).collect();
    for (cell, fate) in run.cells.iter_mut().zip(fates) {
        cell.items.push(ItemRecord {
            item: "c1".to_owned(),
            category: "constraint".to_owned(),
            weight: 1.0,
            critical: true,
            fate: fate.to_owned(),
            score: None,
            text: HOSTILE.to_owned(),
            source_lines: vec![14, 20],
            rounds_count: 1,
            lost: matches!(fate, "lost" | "wrong"),
        });
    }
    run
}

#[test]
fn a_critical_item_lost_in_two_of_three_draws_is_a_regression_at_once() {
    let base = with_item(["kept", "in_tail", "kept"]);
    let of = |fates| compare(&base, &with_item(fates), &Plan::default()).unwrap();
    let two = of(["lost", "wrong", "kept"]);
    assert_eq!((two.verdict, two.newly_lost.len()), (Verdict::Regress, 1));
    assert_eq!((two.newly_lost[0].lost_in, two.newly_lost[0].repetitions, two.newly_lost[0].lines.len()), (2, 3, 2));
    let one = of(["lost", "kept", "kept"]);
    assert!(one.verdict == Verdict::Inconclusive && one.newly_lost.is_empty(), "{:?}", one.reason);
    let back = compare(&with_item(["lost", "lost", "kept"]), &base, &Plan::default()).unwrap();
    assert_eq!((back.regained_count, back.newly_lost.len()), (1, 0));
}

#[test]
fn two_strategies_of_one_run_are_compared() {
    let mut both = run(&BASE);
    let mut other = run(&shifted(&[0.10, 0.12, 0.09]));
    for cell in &mut other.cells {
        cell.strategy = "other".to_owned();
        cell.cell.push('o');
    }
    both.cells.extend(other.cells);
    let plan = Plan { strategies: Some(("pi".to_owned(), "other".to_owned())), ..Plan::default() };
    let found = compare(&both, &both, &plan).unwrap();
    assert_eq!((found.verdict, found.pairs), (Verdict::Regress, 10));
    assert_eq!((found.gates[0].strategy.as_str(), found.gates[0].head_strategy.as_str()), ("pi", "other"));
}

#[test]
fn holm_counts_every_gate_of_every_strategy() {
    // Six lineages reach p = 0.031, which two gates double.
    let (base, head) = (run(&BASE[..6]), run(&shifted(&[0.10, 0.12, 0.09])[..6]));
    let plan =
        |gates: &[&str]| Plan { gates: gates.iter().map(|gate| gate.parse().unwrap()).collect(), ..Plan::default() };
    assert_eq!(compare(&base, &head, &plan(&["goal_loss=0.02"])).unwrap().verdict, Verdict::Regress);
    let two = compare(&base, &head, &plan(&["goal_loss=0.02", "kept_score=0.02"])).unwrap();
    assert_eq!(two.verdict, Verdict::Inconclusive);
    assert!(two.gates[0].reason.contains("Holm"), "{}", two.gates[0].reason);
}

#[test]
fn what_changed_is_named() {
    let mut head = run(&BASE);
    head.manifest.config = "name = \"test\"\nstrategies = [\"pi\", \"none\"]\n".to_owned();
    let found = compare(&run(&BASE), &head, &Plan::default()).unwrap();
    assert_eq!(found.changes.len(), 1);
    assert_eq!(found.changes[0].field, "strategies");
    let moved = compared(&BASE, &shifted(&[0.1])).moved;
    assert_eq!(moved.iter().map(|moved| moved.measure.as_str()).collect::<Vec<_>>(), ["goal_loss", "kept_score"]);
    // 0.1 more is lost and 0.1 less is kept: both are worse by 0.1, on every lineage.
    assert!(moved.iter().all(|moved| (moved.difference.mean - 0.1).abs() < 1e-9), "{moved:?}");
    assert!(
        moved.iter().all(|moved| moved.shift() == Shift::Worse && moved.difference.worse == BASE.len()),
        "{moved:?}"
    );
    let better = compared(&BASE, &shifted(&[-0.1])).moved;
    assert!(better.iter().all(|moved| moved.shift() == Shift::Better), "{better:?}");
}

#[test]
fn every_form_shows_the_loss_and_is_safe() {
    let found = compare(&with_item(["kept"; 3]), &with_item(["lost"; 3]), &Plan::default()).unwrap();
    for form in [ComparisonForm::Terminal, ComparisonForm::Markdown, ComparisonForm::Json, ComparisonForm::Junit] {
        let text = form.render(&found);
        assert!(text.to_lowercase().contains("mock") || form == ComparisonForm::Junit, "{text}");
        assert!(!text.contains('\u{1b}') && text.ends_with('\n'), "{text}");
        assert!(form == ComparisonForm::Json || text.contains("lines 14, 20"), "{text}");
        assert!(matches!(form, ComparisonForm::Terminal | ComparisonForm::Json) || !text.contains("<b>"), "{text}");
    }
    let terminal = ComparisonForm::Terminal.render(&found);
    assert!(terminal.starts_with("REGRESS: 1 critical items are newly lost."), "{terminal}");
    assert!(terminal.lines().all(|line| line.chars().count() <= 80), "{terminal}");
    assert!(!ComparisonForm::Markdown.render(&found).contains("@all"));
    let json: serde_json::Value = serde_json::from_str(&ComparisonForm::Json.render(&found)).unwrap();
    assert_eq!((&json["verdict"], &json["newly_lost"][0]["lines"][1]), (&"regress".into(), &20.into()));
    let junit = ComparisonForm::Junit.render(&found);
    assert!(junit.contains("failures=\"1\"") && junit.contains("<skipped"), "{junit}");
}
