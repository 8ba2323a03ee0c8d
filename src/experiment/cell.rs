//! One cell: a replay with its meters.

use std::collections::HashMap;

use super::cache::annotate;
use super::record::record;
use super::{CacheConfig, CacheSetup, Cell, ConfigError, Experiment, Session};
use crate::engine::summarize::Completer;
use crate::meter::goal::{Goal, Presence};
use crate::meter::{Cache, Estimation, Meter, Structure};
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
    /// What the bills share; `None`: nothing is billed.
    pub cache: Option<CacheSetup>,
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
            cache: None,
        }
    }

    /// With a head inferred from the first recorded request in the bills, where the file has none.
    #[must_use]
    pub fn with_inferred_head(mut self) -> Self {
        self.cache = self.cache.map(|cache| cache.with_inferred_head(self.session, &self.path, &self.reference));
        self
    }

    /// Tokens of the head in the bills, and whether it was inferred.
    pub fn billed_head(&self) -> (Tokens, bool) {
        self.cache.as_ref().map_or_else(Default::default, CacheSetup::head)
    }

    /// With bills by this cache and these prices.
    ///
    /// # Errors
    /// When the configuration names what does not exist.
    pub fn with_cache(mut self, config: &CacheConfig) -> Result<Self, ConfigError> {
        self.cache = Some(CacheSetup::new(self.session, &self.path, &self.reference, config)?);
        Ok(self)
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
        seed: cell.seed,
    };
    let mut goal = Box::new(Goal::new(&session.items, &prepared.presence, window));
    let mut meters: Vec<Box<dyn Meter>> =
        vec![Box::new(Structure::default()), Box::new(Estimation::default()), Box::new(Cache::default())];
    let setup = prepared.cache.as_ref();
    let mut bill = setup.map(|setup| Box::new(setup.bill(&prepared.path, counts, window, history)));
    let mut events = Vec::new();
    replay(input, &mut strategy, llm, &mut |event| {
        goal.observe(event);
        if let Some(bill) = &mut bill {
            bill.observe(event);
        }
        for meter in &mut meters {
            meter.observe(event);
        }
        events.push(record(&cell.id, &session.transcript, event));
    });
    let items = fates(session, &goal);
    let billed = bill.map_or_else(Vec::new, |bill| {
        annotate(&mut events, &bill);
        bill.finish()
    });
    meters.push(goal);
    let measures = meters.into_iter().flat_map(Meter::finish).chain(billed);
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
        cache: setup.map_or_else(String::new, |setup| setup.provider.name.to_owned()),
        price: setup.and_then(|setup| Some(setup.price.as_ref().ok()?.name.clone())),
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
