//! `cutpoint run --dry-run`: what an experiment would ask of a model, by strategy. Nothing is asked and nothing written.

use std::collections::BTreeMap;
use std::io::{self, Write};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::model::priced;
use crate::experiment::{Cell, ConfigError, Corpus, Experiment, Prepared, grid, run_cell};
use crate::llm::{Blocking, LlmConfig, Memo, Mock};
use crate::replay::CountCache;
use crate::results::EventRecord;
use crate::tokens::Reference;
use crate::transcript::Usage;

/// What the cells of a strategy ask.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    cells: u64,
    calls: u64,
    input: u64,
    /// Tokens of the mock's answers: what a short summary has.
    output: u64,
    /// Tokens if every answer is as long as it may be.
    most: u64,
}

pub(super) fn dry_run(experiment: &Experiment, corpus: &Corpus) -> anyhow::Result<()> {
    let reference: Reference = experiment.reference.parse()?;
    let cells = grid(experiment, &corpus.sessions)?;
    let of = |index| cells.iter().filter(move |cell: &&Cell| cell.session == index);
    let prepared: Vec<Prepared<'_>> = corpus
        .sessions
        .iter()
        .enumerate()
        .map(|(index, session)| Prepared::new(session, reference, of(index))?.with_bills(of(index)))
        .collect::<Result<_, _>>()?;
    let counts = CountCache::new(reference);
    let mock = Memo::new(Blocking::new(Mock::new(experiment.mock)?));
    let config = experiment.llm.as_ref().map(priced).transpose()?;
    let longest = config.as_ref().map_or(0, |config| config.max_output_tokens);
    let one = |cell: &Cell| -> Result<(String, Asked), ConfigError> {
        let (record, events) = run_cell(cell, &prepared[cell.session], experiment, &counts, &mock)?;
        let mut asked = asked(&events, longest);
        if let (Some(exam), Some(config)) = (&record.exam, &experiment.probes) {
            asked.calls += exam.requests_count;
            asked.input += exam.input_tokens;
            asked.output += exam.output_tokens;
            asked.most += exam.requests_count * config.max_output_tokens;
        }
        Ok((cell.strategy.clone(), asked))
    };
    let all: Vec<(String, Asked)> = cells.par_iter().map(one).collect::<Result<_, _>>()?;
    let mut by_strategy: BTreeMap<String, Asked> = BTreeMap::new();
    for (strategy, cell) in all {
        by_strategy.entry(strategy).or_default().add(&cell);
    }
    Ok(print(&by_strategy, config.as_ref())?)
}

fn asked(events: &[EventRecord], longest: u64) -> Asked {
    let mut asked = Asked { cells: 1, ..Asked::default() };
    for event in events {
        if let EventRecord::Compaction(compaction) = event {
            asked.calls += compaction.summary_requests;
            asked.input += compaction.summary_input_tokens;
            asked.output += compaction.summary_output_tokens;
            asked.most += compaction.summary_requests * longest;
        }
    }
    asked
}

impl Asked {
    fn add(&mut self, other: &Self) {
        self.cells += other.cells;
        self.calls += other.calls;
        self.input += other.input;
        self.output += other.output;
        self.most += other.most;
    }
}

fn print(by_strategy: &BTreeMap<String, Asked>, config: Option<&LlmConfig>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let name = config.map_or_else(|| "the mock, which costs nothing".to_owned(), LlmConfig::name);
    writeln!(out, "Nothing was asked. With {name}, this experiment would ask:")?;
    let head = ["strategy", "cells", "calls", "input_tokens", "output_tokens", "cost_usd", "cost_usd_at_most"];
    row(&mut out, head.map(str::to_owned))?;
    let mut total = Asked::default();
    for (strategy, asked) in by_strategy {
        total.add(asked);
        row(&mut out, cells(strategy, asked, config))?;
    }
    row(&mut out, cells("all", &total, config))?;
    writeln!(
        out,
        "Output is as long as the mock's, which is short; at most it is as long as allowed. A real summary moves later cuts. Equal prompts are asked once, and counted for every cell."
    )
}

fn cells(strategy: &str, asked: &Asked, config: Option<&LlmConfig>) -> [String; 7] {
    let price = config.and_then(|config| config.price);
    let usd = |output| {
        let usage = Usage { input: asked.input, output, ..Usage::default() };
        price.map_or_else(|| "–".to_owned(), |price| format!("{:.4}", price.of(&usage)))
    };
    let Asked { cells, calls, input, output, most } = *asked;
    let numbers = [cells, calls, input, output].map(|number| number.to_string());
    let [cells, calls, input, output_text] = numbers;
    [strategy.to_owned(), cells, calls, input, output_text, usd(output), usd(most)]
}

fn row(out: &mut impl Write, cells: [String; 7]) -> io::Result<()> {
    let [strategy, rest @ ..] = cells;
    write!(out, "{strategy:<24}")?;
    for cell in rest {
        write!(out, " {cell:>16}")?;
    }
    writeln!(out)
}
