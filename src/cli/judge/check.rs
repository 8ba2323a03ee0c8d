//! `cutpoint judge check`: does the judge grade what is known to be right and wrong?

use std::io::{self, Write};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{Bench, CheckArgs};
use crate::judge::{Checked, Regression};
use crate::llm::Completer;

/// The judge failed, so nothing that it says is used.
#[derive(Debug, thiserror::Error)]
#[error(
    "{judge} grades {wrong} of {cases} known cases wrong\nhint: use another judge; `cutpoint judge check` lists the cases"
)]
pub(in crate::cli) struct Unfit {
    judge: String,
    wrong: usize,
    cases: usize,
}

pub(super) fn check(args: &CheckArgs) -> anyhow::Result<()> {
    let bench = Bench::new(&args.llm)?;
    let (_, checked) = cases(&bench)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}", bench.name())?;
    for one in &checked {
        let mark = if one.passes() { "ok   " } else { "WRONG" };
        let said = one.judgement.grade.as_ref().map_or_else(|why| format!("void: {why}"), u8::to_string);
        let allowed = match (one.case.least, one.case.most) {
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least} to {most}"),
        };
        writeln!(out, "  {mark} {:<22} {said}, expected {allowed}: {}", one.case.id, one.case.why)?;
    }
    bench.model.report();
    fit(&bench, &checked)
}

/// Asks about every case; the second is what came of them.
pub(super) fn cases(bench: &Bench) -> anyhow::Result<(Regression, Vec<Checked>)> {
    let set = Regression::builtin()?;
    let checked =
        bench.pool.install(|| set.cases.par_iter().map(|case| Regression::check(case, &bench.model)).collect());
    match bench.model.halted() {
        Some(reason) => Err(super::JudgeHalted { reason }.into()),
        None => Ok((set, checked)),
    }
}

/// An error unless every case is graded right.
pub(super) fn fit(bench: &Bench, checked: &[Checked]) -> anyhow::Result<()> {
    let wrong = checked.iter().filter(|one| !one.passes()).count();
    let unfit = Unfit { judge: bench.model.name().to_owned(), wrong, cases: checked.len() };
    if wrong == 0 { Ok(()) } else { Err(unfit.into()) }
}
