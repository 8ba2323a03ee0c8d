//! `cutpoint run --dry-run`: what an experiment would ask of a model, by strategy. Nothing is asked and nothing written.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::model::{price_row, priced};
use crate::experiment::{Cell, ConfigError, Corpus, Experiment, Prepared, grid, run_cell};
use crate::llm::{Blocking, Completer, LlmConfig, LlmError, LlmRequest, LlmResponse, Memo, Mock};
use crate::replay::CountCache;
use crate::report::{Narrow, short_name};
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
    /// Dollars of the calls, each at the price of its own prompt.
    usd: f64,
    /// The same if every answer is as long as it may be, and every prompt is written to a cache, where that is dearer.
    most_usd: f64,
}

/// The mock, and what it is asked by one cell.
struct Tally<'r> {
    mock: &'r Memo<Blocking<Mock>>,
    counts: &'r CountCache,
    config: Option<&'r LlmConfig>,
    asked: Mutex<Asked>,
}

impl Completer for Tally<'_> {
    fn name(&self) -> &str {
        self.mock.name()
    }

    fn is_mock(&self) -> bool {
        true
    }

    fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        let answer = self.mock.complete(request);
        let input = self.counts.request(request).0;
        let output = answer.as_ref().map_or(0, |answer| self.counts.response(answer).0);
        let longest = request.max_output.map(|limit| limit.0).or(self.config.map(|config| config.max_output_tokens));
        let price = self.config.and_then(|config| config.price);
        let usd = price.map_or(0.0, |price| price.of(&Usage { input, output, ..Usage::default() }));
        let most_usd = price.map_or(0.0, |price| price.at_most(input, longest.unwrap_or(0)));
        let call = Asked { cells: 0, calls: 1, input, output, usd, most_usd };
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).add(&call);
        answer
    }
}

pub(super) fn dry_run(experiment: &Experiment, corpus: &Corpus) -> anyhow::Result<()> {
    let reference: Reference = experiment.reference.parse()?;
    let cells = grid(experiment, &corpus.sessions)?;
    let of = |index| cells.iter().filter(move |cell: &&Cell| cell.session == index);
    let prepared: Vec<Prepared<'_>> = corpus
        .sessions
        .iter()
        .enumerate()
        .map(|(index, session)| Prepared::new(session, reference, of(index))?.with_bills(experiment, of(index)))
        .collect::<Result<_, _>>()?;
    let counts = CountCache::new(reference);
    let mock = Memo::new(Blocking::new(Mock::new(experiment.mock)?));
    let config = experiment.llm.as_ref().map(priced).transpose()?;
    let one = |cell: &Cell| -> Result<(String, Asked), ConfigError> {
        let asked = Mutex::new(Asked { cells: 1, ..Asked::default() });
        let tally = Tally { mock: &mock, counts: &counts, config: config.as_ref(), asked };
        run_cell(cell, &prepared[cell.session], experiment, &counts, &tally)?;
        Ok((cell.strategy.clone(), tally.asked.into_inner().unwrap_or_else(PoisonError::into_inner)))
    };
    let all: Vec<(String, Asked)> = cells.par_iter().map(one).collect::<Result<_, _>>()?;
    let mut by_strategy: BTreeMap<String, Asked> = BTreeMap::new();
    for (strategy, cell) in all {
        by_strategy.entry(strategy).or_default().add(&cell);
    }
    let row = experiment
        .llm
        .as_ref()
        .filter(|model| model.price.is_none())
        .map(|model| price_row(&model.model))
        .transpose()?;
    Ok(print(&by_strategy, config.as_ref(), row.flatten().as_deref())?)
}

impl Asked {
    fn add(&mut self, other: &Self) {
        self.cells += other.cells;
        self.calls += other.calls;
        self.input += other.input;
        self.output += other.output;
        self.usd += other.usd;
        self.most_usd += other.most_usd;
    }
}

/// `priced` is the row of the price book, where the price is from there.
fn print(by_strategy: &BTreeMap<String, Asked>, config: Option<&LlmConfig>, priced: Option<&str>) -> io::Result<()> {
    let mut out = Narrow::new(io::stdout().lock());
    let name = config.map_or_else(|| "the mock, which costs nothing".to_owned(), LlmConfig::name);
    writeln!(out, "Nothing was asked. With {name}, this experiment would ask:")?;
    let head = ["strategy", "cells", "calls", "input_tokens", "output_tokens", "cost_usd", "most_usd"];
    row(&mut out, head.map(str::to_owned))?;
    let mut total = Asked::default();
    for (strategy, asked) in by_strategy {
        total.add(asked);
        row(&mut out, cells(strategy, asked, config))?;
    }
    row(&mut out, cells("all", &total, config))?;
    if let Some(name) = priced {
        writeln!(out, "Prices: row {name} of the price book (`cutpoint list prices`).")?;
    }
    writeln!(
        out,
        "Output is as long as the mock's, which is short; at most (most_usd) it is as long as allowed, and prompts are written to a cache where that is dearer. A real summary moves later cuts. Equal prompts are asked once, and counted for every cell."
    )
}

fn cells(strategy: &str, asked: &Asked, config: Option<&LlmConfig>) -> [String; 7] {
    let is_priced = config.is_some_and(|config| config.price.is_some());
    let shown = |usd: f64| if is_priced { format!("{usd:.4}") } else { "–".to_owned() };
    let Asked { cells, calls, input, output, usd, most_usd } = *asked;
    let [cells, calls, input, output] = [cells, calls, input, output].map(|number| number.to_string());
    [strategy.to_owned(), cells, calls, input, output, shown(usd), shown(most_usd)]
}

fn row(out: &mut impl Write, cells: [String; 7]) -> io::Result<()> {
    let [strategy, cells, calls, input, output, usd, most_usd] = cells;
    let strategy = short_name(&strategy, 19);
    writeln!(out, "{strategy:<19} {cells:>5} {calls:>6} {input:>12} {output:>13} {usd:>9} {most_usd:>10}")
}
