//! One cell: a replay with its meters.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::exam::examine;
use super::record::record;
use super::watch::{Watch, Watched};
use super::{CacheConfig, CacheSetup, Cell, ConfigError, Experiment, MeterName, Session};
use crate::engine::estimate::Estimator;
use crate::engine::spec::{SpecError, SummarizerSpec};
use crate::engine::summarize::Completer;
use crate::engine::summarize::extract::{Extract, Fact, Pick};
use crate::meter::Measures;
use crate::meter::cache::BlockTable;
use crate::meter::goal::entity::{EXTRACTOR, Extractor};
use crate::meter::goal::probe::Sight;
use crate::meter::goal::{EntityIndex, Frequencies, GoalItem, KindUse, Presence, with_probes};
use crate::outside::System;
use crate::replay::{CountCache, EstimateTable, History, Outline, ReplayInput, replay};
use crate::results::{CellRecord, EventRecord, ExamRecord, FutureRecord, SCHEMA};
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
    /// What the bills by each cache and price share; none: nothing is billed.
    pub bills: Vec<CacheSetup>,
    /// The blocks of its prompts, hashed for the first bill.
    blocks: Option<Arc<BlockTable>>,
    /// Its entities.
    pub entities: EntityIndex,
    /// Its entities by the second extractor.
    pub second: EntityIndex,
    /// How many sessions of the corpus say each entity, by the first and by the second extractor.
    pub frequencies: Option<[Arc<Frequencies>; 2]>,
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
            bills: Vec::new(),
            blocks: None,
            entities: EntityIndex::new(&session.transcript),
            second: EntityIndex::by(Extractor::Chunks, &session.transcript),
            frequencies: None,
        })
    }

    /// Lets the sessions of a corpus know what is common among them.
    pub fn share_frequencies(all: &mut [Self]) {
        let first = Arc::new(Frequencies::new(all.iter().map(|one| &one.entities)));
        let second = Arc::new(Frequencies::new(all.iter().map(|one| &one.second)));
        for one in all {
            one.frequencies = Some([Arc::clone(&first), Arc::clone(&second)]);
        }
    }

    /// With a head inferred from the first recorded request in the bills, where the file has none.
    #[must_use]
    pub fn with_inferred_head(mut self) -> Self {
        let bills = std::mem::take(&mut self.bills).into_iter();
        self.bills = bills.map(|bill| bill.with_inferred_head(self.session, &self.path, &self.reference)).collect();
        self
    }

    /// What the bill of a cell is made with; `None`: it is not billed.
    pub fn bill(&self, cell: &Cell) -> Option<&CacheSetup> {
        self.bills.iter().find(|bill| bill.config == cell.cache)
    }

    /// With the bills of these cells, where the experiment wants bills.
    ///
    /// # Errors
    /// When their configuration names what does not exist.
    pub fn with_bills<'c>(
        mut self,
        experiment: &Experiment,
        cells: impl Iterator<Item = &'c Cell>,
    ) -> Result<Self, ConfigError> {
        for cell in cells.filter(|_| experiment.meters.contains(&MeterName::Cache)) {
            self = self.with_cache(&cell.cache)?;
        }
        Ok(self)
    }

    /// With bills by this cache and these prices too.
    ///
    /// # Errors
    /// When the configuration names what does not exist.
    pub fn with_cache(mut self, config: &CacheConfig) -> Result<Self, ConfigError> {
        if self.bills.iter().all(|bill| bill.config != *config) {
            let made = || Arc::new(BlockTable::new(&self.session.transcript, &self.reference));
            let blocks = Arc::clone(self.blocks.get_or_insert_with(made));
            self.bills.push(CacheSetup::new(self.session, &self.path, blocks, config)?);
        }
        Ok(self)
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
    let model = cell.model.model();
    let mut strategy = cell.spec.build_with(&cell.strategy, &System)?;
    if let SummarizerSpec::OracleExtract { tokens } = cell.spec.summarizer {
        strategy.summarizer = Box::new(Extract { pick: Pick::Oracle(facts(session)), budget: Tokens(tokens) });
    }
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
    let mut watch = Watch::new(cell, prepared, experiment, counts, history)?;
    let mut events = Vec::new();
    replay(input, &mut strategy, llm, &mut |event| {
        watch.observe(event);
        let mut recorded = record(cell, &session.transcript, event);
        if let EventRecord::Compaction(compaction) = &mut recorded {
            let fates = session.items.items.iter().zip(watch.goal().fates().unwrap_or_default());
            compaction.fates = fates.map(|(item, fate)| (item.id.clone(), fate.name().to_owned())).collect();
        }
        events.push(recorded);
    });
    check(&*strategy.estimator)?;
    let Watched { mut measures, items, by_kind, sight } = watch.finish(prepared, experiment, &mut events);
    let exam = sight.map(|sight| examined(cell, prepared, experiment, sight, counts, llm, &mut measures));
    let record = CellRecord {
        estimator: strategy.estimator_name.clone(),
        measures: measures.into_iter().map(|(name, measure)| (name.to_owned(), measure)).collect(),
        items,
        future: by_kind.into_iter().map(future_record).collect(),
        exam,
        ..told(cell, prepared, experiment, llm)
    };
    Ok((record, events))
}

/// What is known of a cell before it runs.
fn told(cell: &Cell, prepared: &Prepared<'_>, experiment: &Experiment, llm: &dyn Completer) -> CellRecord {
    let session = prepared.session;
    let asks = cell.spec.summarizer.asks_model();
    let setup = prepared.bill(cell);
    CellRecord {
        schema: SCHEMA,
        cell: cell.id.clone(),
        inputs: cell.inputs.clone(),
        strategy: cell.strategy.clone(),
        mimics: cell.mimics.clone(),
        transcript: session.name.clone(),
        lineage: session.lineage.clone(),
        model: cell.model.name.clone(),
        window_tokens: cell.model.window_tokens,
        history: experiment.history.clone(),
        seed: cell.seed,
        replicate: cell.replicate,
        estimator: String::new(),
        summarizer: if asks { llm.name().to_owned() } else { "none".to_owned() },
        mock: asks && llm.is_mock(),
        reference: prepared.reference.reference().name().to_owned(),
        cache: setup.map_or_else(String::new, |setup| setup.provider.name.to_owned()),
        latency: setup.and_then(CacheSetup::latency_row),
        price: setup.and_then(|setup| Some(setup.price.as_ref().ok()?.name.clone())),
        measures: BTreeMap::new(),
        items: Vec::new(),
        items_sha256: session.items.sha256(),
        extractor: Some(EXTRACTOR.to_owned()),
        second_extractor: Some(Extractor::Chunks.version().to_owned()),
        future: Vec::new(),
        exam: None,
    }
}

/// Asks the reader, and adds what it is worth to the measures.
fn examined(
    cell: &Cell,
    prepared: &Prepared<'_>,
    experiment: &Experiment,
    sight: Sight<'_>,
    counts: &CountCache,
    llm: &dyn Completer,
    measures: &mut Measures,
) -> Box<ExamRecord> {
    let config = experiment.probes.clone().unwrap_or_default();
    let (exam, answered) = examine(cell, prepared, &config, sight, counts, llm);
    measures.extend(answered);
    if experiment.meters.contains(&MeterName::Goal) {
        measures.extend(with_probes(measures));
    }
    Box::new(exam)
}

fn future_record(one: KindUse) -> FutureRecord {
    FutureRecord { kind: one.kind.name().to_owned(), needed_count: one.needed, kept_count: one.kept }
}

/// The annotations as the oracle is told them: one spelling of everything that an item must show.
fn facts(session: &Session) -> Vec<Fact> {
    let items = &session.items.items;
    let fact = |item: &GoalItem| {
        let words: Vec<&str> = item.must.iter().filter_map(|slot| slot.first()).map(String::as_str).collect();
        let until = item.superseded_by.and_then(|newer| items[newer].source.iter().max().copied());
        Some(Fact { from: item.source.iter().max().copied()?, until, text: words.join(" ") })
    };
    items.iter().filter_map(fact).filter(|fact| !fact.text.is_empty()).collect()
}
