//! `cutpoint judge score`: grades for the summaries of a run.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};

use anyhow::Context;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::check::{cases, fit};
use super::{Bench, ScoreArgs};
use crate::cli::model::priced;
use crate::judge::{Judgement, Subject, Target, judge, request, targets};
use crate::llm::Completer;
use crate::report::{CsvFile, Narrow, judgements_csv, short_name};
use crate::results::{JudgementRecord, Run};
use crate::stats::mean;
use crate::tokens::Reference;
use crate::transcript::Usage;

/// The judge gave no further answer.
#[derive(Debug, thiserror::Error)]
#[error("{reason}\nno judgement was written; what was answered is stored, so the same command goes on from there")]
pub(in crate::cli) struct JudgeHalted {
    pub(super) reason: String,
}

pub(super) fn score(args: &ScoreArgs) -> anyhow::Result<()> {
    let run = Run::read(&args.run)?;
    let targets = targets(&run, &args.rubric.rubrics());
    anyhow::ensure!(
        !targets.is_empty(),
        "there is nothing to judge: no cell has a summary and annotated items that its cut dropped"
    );
    let bench = Bench::new(&args.llm)?;
    if args.dry_run {
        return dry_run(&bench, &targets);
    }
    let (set, checked) = cases(&bench)?;
    fit(&bench, &checked)?;
    let one = |target: &Target| {
        let subject = Subject { rubric: target.rubric, gold: &target.gold, text: &target.text };
        record(target, judge(subject, 0, &bench.model), &bench, &set.sha256)
    };
    let records: Vec<JudgementRecord> = bench.pool.install(|| targets.par_iter().map(one).collect());
    bench.model.report();
    if let Some(reason) = bench.model.halted() {
        return Err(JudgeHalted { reason }.into());
    }
    JudgementRecord::write_all(&records, &args.run)?;
    let path = args.run.join(CsvFile::Judgements.name());
    let file = fs::File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
    judgements_csv(&records, file)?;
    print(&bench, &records)?;
    writeln!(io::stdout().lock(), "`cutpoint report {}` shows each in the page", args.run.display())?;
    Ok(())
}

fn record(target: &Target, judgement: Judgement, bench: &Bench, set: &str) -> JudgementRecord {
    JudgementRecord {
        judgement: target.id.clone(),
        cell: target.cell.clone(),
        strategy: target.strategy.clone(),
        transcript: target.transcript.clone(),
        lineage: target.lineage.clone(),
        rubric: target.rubric.name().to_owned(),
        item: target.item.clone(),
        judge: bench.model.name().to_owned(),
        grade: judgement.grade.as_ref().ok().copied(),
        most: target.rubric.most(),
        void: judgement.grade.err(),
        evidence: judgement.evidence,
        mock: bench.model.is_mock(),
        summary_sha256: Some(target.summary_sha256.clone()),
        regression_sha256: set.to_owned(),
    }
}

fn print(bench: &Bench, records: &[JudgementRecord]) -> anyhow::Result<()> {
    let mut groups: BTreeMap<(&str, &str), Vec<&JudgementRecord>> = BTreeMap::new();
    for record in records {
        groups.entry((&record.rubric, &record.strategy)).or_default().push(record);
    }
    let mut out = Narrow::new(io::stdout().lock());
    writeln!(
        out,
        "Mean grades of {}, not corrected: `cutpoint judge calibrate` compares them with a person's.",
        bench.name()
    )?;
    writeln!(out, "{:<24} {:<22} {:>9} {:>7} {:>5}", "rubric", "strategy", "grade", "graded", "void")?;
    for ((rubric, strategy), records) in groups {
        let grades: Vec<f64> = records.iter().filter_map(|record| record.grade).map(f64::from).collect();
        let most = records.first().map_or(0, |record| record.most);
        let grade = mean(&grades).map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2} / {most}"));
        let void = records.len() - grades.len();
        let strategy = short_name(strategy, 22);
        writeln!(out, "{rubric:<24} {strategy:<22} {grade:>9} {:>7} {void:>5}", grades.len())?;
    }
    Ok(())
}

/// Calls, tokens and dollars; the cases that the judge must pass come first.
fn dry_run(bench: &Bench, targets: &[Target]) -> anyhow::Result<()> {
    let set = crate::judge::Regression::builtin()?;
    let mut tokens = 0;
    let mut most = 0;
    let subjects =
        targets.iter().map(|target| Subject { rubric: target.rubric, gold: &target.gold, text: &target.text });
    let known = set.cases.iter().filter_map(|case| {
        let rubric = crate::judge::Rubric::named(&case.rubric)?;
        Some(Subject { rubric, gold: &case.gold, text: &case.text })
    });
    let calls = targets.len() + set.cases.len();
    for subject in known.chain(subjects) {
        let call = request(subject, 0);
        tokens += Reference::default().count(&call.prompt).0;
        tokens += call.system.as_deref().map_or(0, |system| Reference::default().count(system).0);
        most += call.max_output.map_or(0, |limit| limit.0);
    }
    let price = bench.config.as_ref().map(priced).transpose()?.and_then(|config| config.price);
    let usd = price.map_or_else(
        || "dollars not known".to_owned(),
        |price| format!("{:.4} USD at most", price.of(&Usage { input: tokens, output: most, ..Usage::default() })),
    );
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "Nothing was asked. {} would be asked {calls} times, {} of them cases that it must pass: {tokens} input tokens, at most {most} output tokens, {usd}",
        bench.name(),
        set.cases.len()
    )?;
    Ok(())
}
