//! One cell: a replay with its meters.

use std::collections::HashMap;
use std::sync::Arc;

use super::record::record;
use super::{Cell, ConfigError, Experiment, MeterName, Session};
use crate::engine::spec::{Access, SpecError, StrategySpec};
use crate::engine::summarize::{Completer, Purpose};
use crate::engine::template::{Choice, Template};
use crate::meter::goal::entity::EXTRACTOR;
use crate::meter::goal::{
    Artifacts, EntityIndex, Faith, Fate, Frequencies, Future, FutureInput, Goal, GoalItem, KindUse, Presence, Reach,
    Shape, combined,
};
use crate::meter::{Cache, Estimation, Measures, Meter, Structure};
use crate::replay::{CountCache, EstimateTable, History, Model, Outline, ReplayInput, replay};
use crate::results::{CellRecord, EventRecord, FutureRecord, ItemRecord, SCHEMA};
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
    /// Its entities.
    pub entities: EntityIndex,
    /// How many sessions of the corpus say each entity.
    pub frequencies: Option<Arc<Frequencies>>,
}

impl<'s> Prepared<'s> {
    /// Counts everything that `cells` will need.
    pub fn new<'c>(session: &'s Session, reference: Reference, cells: impl Iterator<Item = &'c Cell>) -> Self {
        let mut estimates = HashMap::new();
        for cell in cells {
            let table = || EstimateTable::new(&session.transcript, &*cell.spec.estimator.build());
            estimates.entry(cell.spec.estimator.name()).or_insert_with(table);
        }
        Self {
            session,
            path: session.transcript.path(),
            outline: Outline::new(&session.transcript),
            reference: MessageTable::new(&session.transcript, reference),
            estimates,
            presence: Presence::new(&session.transcript, &session.items),
            entities: EntityIndex::new(&session.transcript),
            frequencies: None,
        }
    }

    /// Lets the sessions of a corpus know what is common among them.
    pub fn share_frequencies(all: &mut [Self]) {
        let frequencies = Arc::new(Frequencies::new(all.iter().map(|one| &one.entities)));
        for one in all {
            one.frequencies = Some(Arc::clone(&frequencies));
        }
    }
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
    let mut strategy = cell.spec.build(&cell.strategy)?;
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
        seed: cell.draws(),
    };
    let measured = |meter| experiment.meters.contains(&meter);
    let goal = Goal::new(&session.items, &prepared.presence, window).on_path(&prepared.path, &session.transcript);
    let mut goal = Box::new(goal.reaching(reach(&cell.spec), &prepared.reference));
    let mut future = Box::new(Future::new(FutureInput {
        transcript: &session.transcript,
        path: &prepared.path,
        index: &prepared.entities,
        reference: &prepared.reference,
        frequencies: prepared.frequencies.as_deref(),
        window,
        contaminated: history == History::Recorded,
    }));
    let mut meters: Vec<Box<dyn Meter>> = Vec::new();
    if measured(MeterName::Structure) {
        meters.push(Box::new(Structure::default()));
    }
    if measured(MeterName::Estimation) {
        meters.push(Box::new(Estimation::default()));
    }
    if measured(MeterName::Cache) {
        meters.push(Box::new(Cache::default()));
    }
    if measured(MeterName::Goal) {
        meters.push(Box::new(Faith::new(&session.transcript, &prepared.path, &prepared.entities)));
        meters.push(Box::new(Artifacts::new(&session.transcript)));
        meters.push(Box::new(Shape::new(headings(&cell.spec)?)));
    }
    let mut events = Vec::new();
    replay(input, &mut strategy, llm, &mut |event| {
        goal.observe(event);
        future.observe(event);
        for meter in &mut meters {
            meter.observe(event);
        }
        events.push(record(&cell.id, &session.transcript, event));
    });
    goal.settle(&session.transcript);
    let items = if measured(MeterName::Goal) { fates(session, &goal) } else { Vec::new() };
    let by_kind = future.by_kind();
    if measured(MeterName::Goal) {
        meters.push(goal);
        meters.push(future);
    }
    let mut measures: Measures = meters.into_iter().flat_map(Meter::finish).collect();
    if measured(MeterName::Goal) {
        measures.extend(combined(&measures, experiment.goal));
    }
    let asks = cell.spec.summarizer.asks_model();
    let record = CellRecord {
        schema: SCHEMA,
        cell: cell.id.clone(),
        inputs: cell.inputs.clone(),
        strategy: cell.strategy.clone(),
        mimics: cell.mimics.clone(),
        transcript: session.name.clone(),
        lineage: session.lineage.clone(),
        model: model.name.clone(),
        window_tokens: window.0,
        history: history.name().to_owned(),
        seed: cell.seed,
        replicate: cell.replicate,
        estimator: strategy.estimator_name.clone(),
        summarizer: if asks { llm.name().to_owned() } else { "none".to_owned() },
        mock: asks && llm.is_mock(),
        reference: prepared.reference.reference().name().to_owned(),
        measures: measures.into_iter().map(|(name, measure)| (name.to_owned(), measure)).collect(),
        items,
        items_sha256: session.items.sha256(),
        extractor: Some(EXTRACTOR.to_owned()),
        future: by_kind.into_iter().map(future_record).collect(),
    };
    Ok((record, events))
}

fn future_record(one: KindUse) -> FutureRecord {
    FutureRecord { kind: one.kind.name().to_owned(), needed_count: one.needed, kept_count: one.kept }
}

/// The headings that the templates of a strategy ask for, list by list.
fn headings(spec: &StrategySpec) -> Result<Vec<Vec<String>>, ConfigError> {
    const PURPOSES: [Purpose; 4] = [Purpose::Summary, Purpose::Update, Purpose::TurnPrefix, Purpose::Branch];
    let Some(name) = spec.template() else { return Ok(Vec::new()) };
    let choice = Choice::named(name).map_err(SpecError::from)?;
    let of = |template: &Template| {
        let list = |purpose| template.headings(purpose).iter().map(|heading| heading.print.to_string()).collect();
        PURPOSES.map(list).to_vec()
    };
    Ok(choice.templates().iter().flat_map(of).collect())
}

/// What the strategy leaves within reach, in the words of the meter.
fn reach(spec: &StrategySpec) -> Reach {
    match spec.access() {
        Access::Nothing => Reach::Nothing,
        Access::File => Reach::History,
        Access::Search { excerpt } => Reach::Search { excerpt },
    }
}

fn fates(session: &Session, goal: &Goal<'_>) -> Vec<ItemRecord> {
    let fates = goal.fates().unwrap_or_default();
    let lives = goal.lives();
    let line = |idx: &EntryIdx| session.transcript.entry(*idx).line as u64;
    let record = |(index, (item, fate)): (usize, (&GoalItem, &Fate))| ItemRecord {
        item: item.id.clone(),
        category: item.category.name().to_owned(),
        weight: item.weight,
        critical: item.critical,
        fate: fate.name().to_owned(),
        score: fate.score(),
        source_lines: item.source.iter().map(line).collect(),
        rounds_count: lives.get(index).map_or(0, |life| life.rounds),
        lost: lives.get(index).is_some_and(|life| life.lost),
        text: item.text.clone(),
    };
    session.items.items.iter().zip(fates).enumerate().map(record).collect()
}
