//! `cutpoint judge calibrate`: a person's labels beside the judge's grades.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::CalibrateArgs;
use crate::judge::labels::{
    ALPHA_BARS, Calibration, Graded, KAPPA_BARS, Label, Uncorrected, calibrate as compare, sample,
};
use crate::judge::{Rubric, Target, targets};
use crate::report::{Narrow, records_csv, short_name};
use crate::results::{JudgementRecord, Run};
use crate::stats::Powered;

/// A line of the file that a person fills.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    judgement: String,
    rubric: String,
    question: String,
    grades: String,
    gold: String,
    text: String,
    label: String,
    second_label: String,
    /// Of the summary that was shown; a file that was written without it is taken to be about the run as it is.
    #[serde(default)]
    summary_sha256: Option<String>,
}

/// A row of `judge_means.csv`. Means are shares of the highest grade; empty fields are void.
#[derive(Debug, Serialize)]
struct MeanRow {
    rubric: String,
    strategy: String,
    mock: bool,
    judge_mean_ratio: Option<f64>,
    corrected_mean_ratio: Option<f64>,
    corrected_low_ratio: Option<f64>,
    corrected_high_ratio: Option<f64>,
    lineages_count: Option<usize>,
    labelled_count: Option<usize>,
    unlabelled_count: Option<usize>,
    void_reason: String,
}

impl MeanRow {
    fn of(rubric: &str, mock: bool, strategy: &str, mean: &Result<Powered, Uncorrected>) -> Self {
        let (it, interval) = (mean.as_ref().ok(), mean.as_ref().ok().and_then(|it| it.interval.as_ref().ok()));
        let no_interval = it.and_then(|it| it.interval.as_ref().err()).map(ToString::to_string);
        let void = mean.as_ref().err().map(ToString::to_string);
        Self {
            rubric: rubric.to_owned(),
            strategy: strategy.to_owned(),
            mock,
            judge_mean_ratio: it.map(|it| it.judged),
            corrected_mean_ratio: it.map(|it| it.point),
            corrected_low_ratio: interval.map(|interval| interval.low),
            corrected_high_ratio: interval.map(|interval| interval.high),
            lineages_count: it.map(|it| it.lineages),
            labelled_count: it.map(|it| it.labelled),
            unlabelled_count: it.map(|it| it.unlabelled),
            void_reason: void.or(no_interval).unwrap_or_default(),
        }
    }
}

/// A judgement of a summary that the run still has, with that summary.
struct Current {
    record: JudgementRecord,
    target: Target,
}

pub(super) fn calibrate(args: &CalibrateArgs) -> anyhow::Result<()> {
    let run = Run::read(&args.run)?;
    let hint = "hint: `cutpoint judge score` makes them";
    anyhow::ensure!(!run.judgements.is_empty(), "the run has no judgements\n{hint}");
    let judged = current(&run);
    tell_left_out(run.judgements.len() - judged.len(), "judgements");
    anyhow::ensure!(!judged.is_empty(), "no judgement is of a summary that the run still has\n{hint}");
    match (&args.write, &args.read) {
        (Some(path), _) => write(args, &judged, path),
        (None, Some(path)) => read(&run, &judged, path, &args.run.join("judge_means.csv")),
        (None, None) => Ok(()),
    }
}

/// The judgements whose summary is still that of their cell.
fn current(run: &Run) -> Vec<Current> {
    let rubrics: Vec<Rubric> = std::iter::once(Rubric::Strict).chain(Rubric::dimensions()).collect();
    let known: HashMap<String, Target> =
        targets(run, &rubrics).into_iter().map(|target| (target.id.clone(), target)).collect();
    let one = |record: &JudgementRecord| {
        let target = known.get(&record.judgement).filter(|target| record.is_of(&target.summary_sha256))?;
        Some(Current { record: record.clone(), target: target.clone() })
    };
    run.judgements.iter().filter_map(one).collect()
}

fn graded(Current { record, .. }: &Current) -> Graded {
    Graded {
        id: record.judgement.clone(),
        arm: record.strategy.clone(),
        grade: record.grade,
        lineage: record.lineage.clone(),
        transcript: record.transcript.clone(),
    }
}

fn row(Current { target, .. }: &Current) -> Row {
    let grades: Vec<String> =
        target.rubric.anchors().iter().map(|(grade, meaning)| format!("{grade}: {meaning}")).collect();
    Row {
        judgement: target.id.clone(),
        rubric: target.rubric.name().to_owned(),
        question: target.rubric.question().to_owned(),
        grades: grades.join("\n"),
        gold: target.gold.clone(),
        text: target.text.clone(),
        label: String::new(),
        second_label: String::new(),
        summary_sha256: Some(target.summary_sha256.clone()),
    }
}

fn write(args: &CalibrateArgs, judged: &[Current], path: &Path) -> anyhow::Result<()> {
    let all: Vec<Graded> = judged.iter().map(graded).collect();
    let rows: Vec<Row> = sample(&all, args.per_grade, args.seed).into_iter().map(|at| row(&judged[at])).collect();
    let file = std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    records_csv(&rows, file)?;
    let mut out = Narrow::new(io::stdout().lock());
    writeln!(
        out,
        "{} judgements to label: fill `label`, and `second_label` for some by a second person, in",
        rows.len()
    )?;
    out.whole(&path.display().to_string())?;
    Ok(())
}

fn read(run: &Run, judged: &[Current], path: &Path, means: &Path) -> anyhow::Result<()> {
    let labels = labels(run, judged, path)?;
    let mut by_rubric: BTreeMap<&str, Vec<&Current>> = BTreeMap::new();
    for one in judged {
        by_rubric.entry(&one.record.rubric).or_default().push(one);
    }
    let mut out = Narrow::new(io::stdout().lock());
    let mut rows = Vec::new();
    for (rubric, judged) in by_rubric {
        let most = judged.iter().map(|one| one.record.most).max().unwrap_or_default();
        let mock = judged.iter().any(|one| one.record.mock);
        let found = compare(&judged.iter().copied().map(graded).collect::<Vec<_>>(), &labels, most);
        let by_mock = if mock { ", by a MOCK that knows words and not what they mean" } else { "" };
        writeln!(out, "{rubric}: {} labelled judgements{by_mock}", found.labelled)?;
        print(&found, &mut out)?;
        rows.extend(found.arms.iter().map(|(strategy, mean)| MeanRow::of(rubric, mock, strategy, mean)));
    }
    let file = std::fs::File::create(means).with_context(|| format!("cannot write {}", means.display()))?;
    records_csv(&rows, file)?;
    writeln!(out, "The means, as a table:")?;
    out.whole(&means.display().to_string())?;
    Ok(())
}

/// The labels of a filled file, by judgement; those of summaries that the run no longer has are left out, and counted on stderr.
fn labels(run: &Run, judged: &[Current], path: &Path) -> anyhow::Result<BTreeMap<String, Label>> {
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let known: BTreeSet<&str> = run.judgements.iter().map(|record| &*record.judgement).collect();
    let judged: HashMap<&str, &Current> = judged.iter().map(|one| (&*one.record.judgement, one)).collect();
    let (mut labels, mut stale) = (BTreeMap::new(), 0);
    for (line, row) in (2..).zip(csv::Reader::from_reader(file).deserialize::<Row>()) {
        let place = format!("{}:{line}", path.display());
        let row = row.with_context(|| place.clone())?;
        anyhow::ensure!(known.contains(&*row.judgement), "{place}: the run has no judgement {:?}", row.judgement);
        let is_shown = |one: &&&Current| row.summary_sha256.as_ref().is_none_or(|it| *it == one.target.summary_sha256);
        let Some(one) = judged.get(&*row.judgement).filter(is_shown) else {
            stale += usize::from(!(row.label.trim().is_empty() && row.second_label.trim().is_empty()));
            continue;
        };
        let grade = |text: &str| grade(text, one.record.most).with_context(|| place.clone());
        labels.insert(row.judgement, Label { first: grade(&row.label)?, second: grade(&row.second_label)? });
    }
    tell_left_out(stale, "labels");
    Ok(labels)
}

/// The grade in a field; none in an empty one.
fn grade(text: &str, most: u8) -> anyhow::Result<Option<u8>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let grade = text.trim().parse().ok().filter(|grade| *grade <= most);
    grade.map(Some).with_context(|| format!("{text:?} is no grade from 0 to {most}"))
}

/// On stderr, because it is no result.
fn tell_left_out(count: usize, what: &str) {
    if count > 0 {
        // With no stderr there is nobody to tell.
        let _ = writeln!(io::stderr(), "left out: {count} {what} of summaries that the run no longer has");
    }
}

fn print(found: &Calibration, out: &mut impl Write) -> io::Result<()> {
    let number = |value: Option<f64>| value.map_or_else(|| "void".to_owned(), |value| format!("{value:.3}"));
    let [use_it, headline] = KAPPA_BARS;
    let [tentative, claim] = ALPHA_BARS;
    writeln!(out, "  equal grades          {}", number(found.agreement))?;
    writeln!(
        out,
        "  Cohen's κ             {} ({use_it} to use a judge, {headline} for headlines)",
        number(found.kappa)
    )?;
    writeln!(out, "  κ, quadratic weights  {}", number(found.weighted_kappa))?;
    writeln!(
        out,
        "  Krippendorff's α      {} ({tentative} for tentative claims, {claim} for claims)",
        number(found.alpha)
    )?;
    writeln!(out, "  α of two persons      {}", number(found.alpha_of_persons))?;
    writeln!(out, "  person \\ judge {}", aligned(&found.confusion.categories))?;
    for (grade, counts) in found.confusion.categories.iter().zip(&found.confusion.counts) {
        writeln!(out, "  {grade:>14} {}", aligned(counts))?;
    }
    writeln!(out, "  Means over lineages, as shares of the highest grade, corrected by the labels; 95 %:")?;
    for (arm, powered) in &found.arms {
        let arm = short_name(arm, 22);
        match powered {
            Ok(it) => {
                let interval = match &it.interval {
                    Ok(interval) => format!("[{:.3}, {:.3}]", interval.low, interval.high),
                    Err(why) => format!("[void: {why}]"),
                };
                writeln!(out, "    {arm:<22} judge {:.3}, corrected {:.3} {interval}", it.judged, it.point)?;
                let Powered { lineages, labelled, unlabelled, .. } = it;
                writeln!(out, "    {:<22} {lineages} lineages; {labelled} labelled, {unlabelled} not", "")?;
            }
            Err(why) => writeln!(out, "    {arm:<22} void: {why}")?,
        }
    }
    Ok(())
}

/// Numbers in columns of six.
fn aligned(numbers: &[impl std::fmt::Display]) -> String {
    numbers.iter().map(|number| format!("{number:>6}")).collect::<Vec<_>>().concat()
}
