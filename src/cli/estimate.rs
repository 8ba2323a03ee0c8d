//! `cutpoint estimate`: how wrong is each estimator, and what does the error cause?

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Arc;

use anyhow::Context;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::args::EstimateArgs;
use crate::engine::estimate::calibrated::Calibrated;
use crate::engine::estimate::named::{COMPARED, named};
use crate::engine::estimate::outside::Outside;
use crate::engine::estimate::spec::EstimatorSpec;
use crate::experiment::{Session, load};
use crate::lab::{Bench, Observed, Settings, Subject, Truth, fit, judge};
use crate::outside::System;
use crate::report::{LabReport, write_lab};
use crate::tokens::{CountTokens, Reference};
use crate::transcript::Tokens;

const GENERATOR: &str = concat!("cutpoint ", env!("CARGO_PKG_VERSION"));

pub(super) fn estimate(args: &EstimateArgs) -> anyhow::Result<()> {
    let truth = truth(&args.truth)?;
    let mut subjects = subjects(args, &truth)?;
    let corpus = load(&args.sources)?;
    for (_, reason) in &corpus.skipped {
        writeln!(io::stderr(), "skipped: {reason}")?;
    }
    let settings = Settings {
        windows: args.window.iter().copied().map(Tokens).collect(),
        reserve: Tokens(args.reserve),
        keep: Tokens(args.keep),
        ..Settings::default()
    };
    let mut sessions: Vec<&Session> = corpus.sessions.iter().collect();
    if args.calibrate {
        let calibrated = calibrate(&mut sessions, &truth)?;
        subjects.push(Subject { name: "calibrated".to_owned(), estimator: Arc::new(calibrated) });
    }
    let observed = observe(&sessions, &subjects, &truth, settings.keep)?;
    let names: Vec<String> = subjects.iter().map(|subject| subject.name.clone()).collect();
    let findings = judge(&observed, &names, &settings);
    let truth = truth.name();
    let command = command(args, &names, &truth);
    let report =
        LabReport { truth: &truth, command: &command, generator: GENERATOR, sessions: &observed, findings: &findings };
    report.table(&mut io::stdout().lock())?;
    if let Some(folder) = &args.out {
        for path in write_lab(&report, folder, args.messages)? {
            writeln!(io::stderr(), "wrote {}", path.display())?;
        }
    }
    Ok(())
}

/// The command without the names of folders, which say more about a person than about a report.
fn command(args: &EstimateArgs, names: &[String], truth: &str) -> String {
    let windows: Vec<String> = args.window.iter().map(u64::to_string).collect();
    let calibrate = if args.calibrate { " --calibrate" } else { "" };
    let chosen: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != "calibrated").collect();
    format!(
        "cutpoint estimate SRC… --truth {truth} --estimator {} --window {} --reserve {} --keep {}{calibrate}",
        chosen.join(","),
        windows.join(","),
        args.reserve,
        args.keep
    )
}

fn truth(name: &str) -> anyhow::Result<Truth> {
    let exact = |reference: Reference| -> Arc<dyn CountTokens> { Arc::new(reference) };
    Ok(match name {
        "recorded" => Truth::Recorded(exact(Reference::O200kBase)),
        "o200k" => Truth::Tokenizer(exact(Reference::O200kBase)),
        "cl100k" => Truth::Tokenizer(exact(Reference::Cl100kBase)),
        other => match other.parse() {
            Ok(reference) => Truth::Tokenizer(exact(reference)),
            Err(_) => Truth::Tokenizer(System.tokenizer(other).with_context(|| {
                format!(
                    "--truth is o200k, cl100k, recorded, or the path of a tokenizer.json, and {other:?} is none of them"
                )
            })?),
        },
    })
}

fn subjects(args: &EstimateArgs, truth: &Truth) -> anyhow::Result<Vec<Subject>> {
    let mut specs: Vec<EstimatorSpec> = Vec::new();
    if args.estimator.is_empty() {
        // The truth itself has no error.
        let compared = COMPARED.iter().filter(|name| truth.is_recorded() || **name != truth.name());
        specs = compared.map(|name| named(name)).collect::<Result<_, _>>()?;
    }
    for name in &args.estimator {
        specs.push(named(name)?);
    }
    let mut seen = BTreeSet::new();
    specs.retain(|spec| seen.insert(spec.name()));
    let subject = |spec: EstimatorSpec| {
        let estimator = spec.build(&System)?;
        anyhow::Ok(Subject { name: spec.name(), estimator })
    };
    specs.into_iter().map(subject).collect()
}

fn observe(sessions: &[&Session], subjects: &[Subject], truth: &Truth, keep: Tokens) -> anyhow::Result<Vec<Observed>> {
    let one = |session: &&Session| {
        let bench = Bench {
            name: &session.name,
            lineage: &session.lineage,
            format: session.format,
            transcript: &session.transcript,
        };
        Observed::new(bench, subjects, truth, keep)
    };
    let observed = sessions.par_iter().map(one).collect();
    for subject in subjects {
        if let Some(fault) = subject.estimator.fault() {
            anyhow::bail!("the estimator {} failed: {fault}", subject.name);
        }
    }
    if let Some(fault) = truth.tokenizer().fault() {
        anyhow::bail!("the truth failed: {fault}\nhint: take a tokenizer with an unknown token or a byte fall-back");
    }
    Ok(observed)
}

/// Fits on every other lineage, in the order of their names, prints the coefficients, and leaves the other lineages to be
/// judged.
fn calibrate(sessions: &mut Vec<&Session>, truth: &Truth) -> anyhow::Result<Calibrated> {
    let lineages: BTreeSet<&str> = sessions.iter().map(|session| session.lineage.as_str()).collect();
    let fitted_on: BTreeSet<&str> = lineages.iter().copied().step_by(2).collect();
    let (fitting, judged): (Vec<&Session>, Vec<&Session>) =
        sessions.iter().copied().partition(|session| fitted_on.contains(session.lineage.as_str()));
    anyhow::ensure!(
        !judged.is_empty(),
        "--calibrate needs sessions of two lineages or more: one part is fitted on, one judged"
    );
    let observed = observe(&fitting, &[], truth, Tokens(0))?;
    let fit = fit(fitting.iter().map(|session| &session.transcript).zip(&observed))?;
    let mut stderr = io::stderr().lock();
    writeln!(
        stderr,
        "calibrated on {} messages of {} lineages, {:.1} tokens off on average; the other {} lineages are judged",
        fit.messages,
        fitted_on.len(),
        fit.deviation_tokens,
        lineages.len() - fitted_on.len()
    )?;
    let spec = EstimatorSpec::Calibrated(fit.coefficients);
    writeln!(stderr, "[estimator]\n{}", toml::to_string(&spec)?.trim_end())?;
    *sessions = judged;
    Ok(Calibrated(fit.coefficients))
}
