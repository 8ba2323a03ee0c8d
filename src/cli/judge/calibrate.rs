//! `cutpoint judge calibrate`: a person's labels beside the judge's grades.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::CalibrateArgs;
use crate::judge::labels::{
    ALPHA_BARS, Calibration, Graded, KAPPA_BARS, Label, Uncorrected, calibrate as compare, sample,
};
use crate::judge::{Rubric, targets};
use crate::report::cache_csv;
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
}

/// A row of `judge_means.csv`. Means are shares of the highest grade; empty fields are void.
#[derive(Debug, Serialize)]
struct MeanRow {
    rubric: String,
    strategy: String,
    judge_mean: Option<f64>,
    corrected_mean: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    lineages: Option<usize>,
    labelled: Option<usize>,
    unlabelled: Option<usize>,
    void_reason: String,
}

impl MeanRow {
    fn of(rubric: &str, strategy: &str, mean: &Result<Powered, Uncorrected>) -> Self {
        let (it, interval) = (mean.as_ref().ok(), mean.as_ref().ok().and_then(|it| it.interval.as_ref().ok()));
        let no_interval = it.and_then(|it| it.interval.as_ref().err()).map(ToString::to_string);
        let void = mean.as_ref().err().map(ToString::to_string);
        Self {
            rubric: rubric.to_owned(),
            strategy: strategy.to_owned(),
            judge_mean: it.map(|it| it.judged),
            corrected_mean: it.map(|it| it.point),
            low: interval.map(|interval| interval.low),
            high: interval.map(|interval| interval.high),
            lineages: it.map(|it| it.lineages),
            labelled: it.map(|it| it.labelled),
            unlabelled: it.map(|it| it.unlabelled),
            void_reason: void.or(no_interval).unwrap_or_default(),
        }
    }
}

pub(super) fn calibrate(args: &CalibrateArgs) -> anyhow::Result<()> {
    let records = JudgementRecord::read_all(&args.run)?;
    anyhow::ensure!(!records.is_empty(), "the run has no judgements\nhint: `cutpoint judge score` makes them");
    match (&args.write, &args.read) {
        (Some(path), _) => write(args, &records, path),
        (None, Some(path)) => read(args, &records, path),
        (None, None) => Ok(()),
    }
}

fn graded(record: &JudgementRecord) -> Graded {
    Graded {
        id: record.judgement.clone(),
        arm: record.strategy.clone(),
        grade: record.grade,
        lineage: record.lineage.clone(),
        transcript: record.transcript.clone(),
    }
}

fn write(args: &CalibrateArgs, records: &[JudgementRecord], path: &Path) -> anyhow::Result<()> {
    let run = Run::read(&args.run)?;
    let rubrics: Vec<Rubric> = std::iter::once(Rubric::Strict).chain(Rubric::dimensions()).collect();
    let known: HashMap<String, _> =
        targets(&run, &rubrics).into_iter().map(|target| (target.id.clone(), target)).collect();
    let all: Vec<Graded> = records.iter().map(graded).collect();
    let row = |at: usize| {
        let target = known.get(&records[at].judgement)?;
        let grades =
            target.rubric.anchors().iter().map(|(grade, meaning)| format!("{grade}: {meaning}")).collect::<Vec<_>>();
        Some(Row {
            judgement: target.id.clone(),
            rubric: target.rubric.name().to_owned(),
            question: target.rubric.question().to_owned(),
            grades: grades.join("\n"),
            gold: target.gold.clone(),
            text: target.text.clone(),
            label: String::new(),
            second_label: String::new(),
        })
    };
    let rows: Vec<Row> = sample(&all, args.per_grade, args.seed).into_iter().filter_map(row).collect();
    let file = std::fs::File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    cache_csv(&rows, file)?;
    writeln!(
        io::stdout().lock(),
        "{} judgements to label in {}: fill `label`, and `second_label` for some by a second person",
        rows.len(),
        path.display()
    )?;
    Ok(())
}

fn read(args: &CalibrateArgs, records: &[JudgementRecord], path: &Path) -> anyhow::Result<()> {
    let labels = labels(records, path)?;
    let mut by_rubric: BTreeMap<&str, Vec<Graded>> = BTreeMap::new();
    for record in records {
        by_rubric.entry(&record.rubric).or_default().push(graded(record));
    }
    let mut out = io::stdout().lock();
    let mut rows = Vec::new();
    for (rubric, graded) in by_rubric {
        let most = Rubric::named(rubric).map_or(1, Rubric::most);
        let found = compare(&graded, &labels, most);
        print(rubric, &found, &mut out)?;
        rows.extend(found.arms.iter().map(|(strategy, mean)| MeanRow::of(rubric, strategy, mean)));
    }
    let path = args.run.join("judge_means.csv");
    let file = std::fs::File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    cache_csv(&rows, file)?;
    writeln!(out, "The means are in {} as well.", path.display())?;
    Ok(())
}

/// The labels of a filled file, by judgement.
fn labels(records: &[JudgementRecord], path: &Path) -> anyhow::Result<BTreeMap<String, Label>> {
    let file = std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let most: HashMap<&str, u8> = records.iter().map(|record| (&*record.judgement, record.most)).collect();
    let mut labels: BTreeMap<String, Label> = BTreeMap::new();
    for (line, row) in (2..).zip(csv::Reader::from_reader(file).deserialize::<Row>()) {
        let row = row.with_context(|| format!("{}:{line}", path.display()))?;
        let most = most.get(&*row.judgement).copied();
        let most =
            most.with_context(|| format!("{}:{line}: the run has no judgement {:?}", path.display(), row.judgement))?;
        let grade = |text: &str| -> anyhow::Result<Option<u8>> {
            if text.trim().is_empty() {
                return Ok(None);
            }
            let grade = text.trim().parse().ok().filter(|grade| *grade <= most);
            let told = || format!("{}:{line}: {text:?} is no grade from 0 to {most}", path.display());
            grade.map(Some).with_context(told)
        };
        labels.insert(row.judgement, Label { first: grade(&row.label)?, second: grade(&row.second_label)? });
    }
    Ok(labels)
}

fn print(rubric: &str, found: &Calibration, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{rubric}: {} labelled judgements", found.labelled)?;
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
