//! One cell: a replay with its meters.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::record::record;
use super::{Cell, ConfigError, Experiment, Session};
use crate::engine::estimate::Estimator;
use crate::engine::spec::SpecError;
use crate::engine::summarize::Completer;
use crate::meter::goal::{Goal, Presence};
use crate::meter::{Cache, Estimation, Meter, Structure};
use crate::outside::System;
use crate::replay::{CountCache, EstimateTable, History, Model, Outline, ReplayInput, replay};
use crate::results::{CellRecord, EventRecord, ItemRecord, SCHEMA};
use crate::tokens::{MessageTable, Reference};
use crate::transcript::{EntryIdx, Tokens};

/// What all cells of a session share: everything that is counted once.
#[derive(Debug)]
pub struct Prepared<'s> {
    /// The session.
    pub session: &'s Session,
    /// Its path.
    pub path: Vec<EntryIdx>,
    /// What a replay asks of every entry.
    pub outline: Outline,
    /// Reference counts.
    pub reference: MessageTable,
    /// Estimates, by name of the estimator.
    pub estimates: HashMap<String, EstimateTable>,
    /// Where the annotated items are said.
    pub presence: Presence,
}

impl<'s> Prepared<'s> {
    /// Counts everything that `cells` will need.
    ///
    /// # Errors
    /// When an estimator that is a file or a program cannot be had, or fails.
    pub fn new<'c>(
        session: &'s Session,
        reference: Reference,
        cells: impl Iterator<Item = &'c Cell>,
    ) -> Result<Self, ConfigError> {
        let mut estimates = HashMap::new();
        for cell in cells {
            if let Entry::Vacant(vacant) = estimates.entry(cell.spec.estimator.name()) {
                let estimator = cell.spec.estimator.build(&System).map_err(SpecError::from)?;
                vacant.insert(EstimateTable::new(&session.transcript, &*estimator));
                check(&*estimator)?;
            }
        }
        Ok(Self {
            session,
            path: session.transcript.path(),
            outline: Outline::new(&session.transcript),
            reference: MessageTable::new(&session.transcript, reference),
            estimates,
            presence: Presence::new(&session.transcript, &session.items),
        })
    }
}

/// An estimator that failed has no numbers.
fn check(estimator: &dyn Estimator) -> Result<(), ConfigError> {
    estimator.fault().map_or(Ok(()), |fault| Err(ConfigError::Value(format!("the estimator failed: {fault}"))))
}

/// Runs one cell.
///
/// # Errors
/// When the strategy cannot be built.
pub fn run_cell(
    cell: &Cell,
    prepared: &Prepared<'_>,
    experiment: &Experiment,
    counts: &CountCache,
    llm: &dyn Completer,
) -> Result<(CellRecord, Vec<EventRecord>), ConfigError> {
    let session = prepared.session;
    let history: History = experiment.history.parse().map_err(ConfigError::Value)?;
    let window = Tokens(cell.model.window_tokens);
    let model = Model { name: cell.model.name.clone(), window, max_output: Tokens(cell.model.max_output_tokens) };
    let mut strategy = cell.spec.build_with(&cell.strategy, &System)?;
    let estimates = prepared
        .estimates
        .get(&strategy.estimator_name)
        .ok_or_else(|| ConfigError::Value(format!("no estimates of {} were made", strategy.estimator_name)))?;
    let input = ReplayInput {
        transcript: &session.transcript,
        path: &prepared.path,
        outline: &prepared.outline,
        reference: &prepared.reference,
        estimates,
        counts,
        model: &model,
        history,
        manual: &experiment.manual,
        seed: cell.seed,
    };
    let mut goal = Box::new(Goal::new(&session.items, &prepared.presence, window));
    let mut meters: Vec<Box<dyn Meter>> =
        vec![Box::new(Structure::default()), Box::new(Estimation::default()), Box::new(Cache::default())];
    let mut events = Vec::new();
    replay(input, &mut strategy, llm, &mut |event| {
        goal.observe(event);
        for meter in &mut meters {
            meter.observe(event);
        }
        events.push(record(&cell.id, &session.transcript, event));
    });
    check(&*strategy.estimator)?;
    let items = fates(session, &goal);
    meters.push(goal);
    let measures = meters.into_iter().flat_map(Meter::finish);
    let asks = cell.spec.summarizer.asks_model();
    let record = CellRecord {
        schema: SCHEMA,
        cell: cell.id.clone(),
        strategy: cell.strategy.clone(),
        mimics: cell.mimics.clone(),
        transcript: session.name.clone(),
        lineage: session.lineage.clone(),
        model: model.name.clone(),
        window_tokens: window.0,
        history: history.name().to_owned(),
        seed: cell.seed,
        estimator: strategy.estimator_name.clone(),
        summarizer: if asks { llm.name().to_owned() } else { "none".to_owned() },
        mock: asks && llm.is_mock(),
        reference: prepared.reference.reference().name().to_owned(),
        measures: measures.map(|(name, measure)| (name.to_owned(), measure)).collect(),
        items,
    };
    Ok((record, events))
}

fn fates(session: &Session, goal: &Goal<'_>) -> Vec<ItemRecord> {
    let fates = goal.fates().unwrap_or_default();
    let record = |(item, fate): (&crate::meter::goal::GoalItem, &crate::meter::goal::Fate)| ItemRecord {
        item: item.id.clone(),
        category: item.category.name().to_owned(),
        weight: item.weight,
        critical: item.critical,
        fate: fate.name().to_owned(),
        score: fate.score(),
    };
    session.items.items.iter().zip(fates).map(record).collect()
}
