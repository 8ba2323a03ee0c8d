//! Everything that watches the replay of one cell, and what it has to say at the end.

use super::cache::annotate;
use super::cell::Prepared;
use super::{CacheSetup, Cell, ConfigError, Experiment, MeterName, Session};
use crate::engine::spec::{Access, SpecError, StrategySpec};
use crate::engine::summarize::Purpose;
use crate::engine::template::{Choice, Template};
use crate::meter::cache::ProviderBill;
use crate::meter::goal::probe::Sight;
use crate::meter::goal::{
    Artifacts, Claims, Faith, Fate, Future, FutureInput, Goal, GoalItem, KindUse, Reach, Second, Shape, combined,
};
use crate::meter::{Cache, Estimation, Measures, Meter, Structure};
use crate::replay::{CountCache, History, ReplayEvent};
use crate::results::{EventRecord, ItemRecord};
use crate::transcript::{EntryIdx, Tokens};

/// The meters of one replay.
pub(super) struct Watch<'p> {
    goal: Box<Goal<'p>>,
    future: Box<Future<'p>>,
    bill: Option<(&'p CacheSetup, Box<ProviderBill<'p>>)>,
    others: Vec<Box<dyn Meter + 'p>>,
    sight: Option<Sight<'p>>,
}

/// What they saw.
pub(super) struct Watched<'p> {
    /// The measures.
    pub(super) measures: Measures,
    /// What became of the annotated items; nothing unless goal-loss is wanted.
    pub(super) items: Vec<ItemRecord>,
    /// Future use by kind of entity.
    pub(super) by_kind: Vec<KindUse>,
    /// What probes are made of.
    pub(super) sight: Option<Sight<'p>>,
}

impl<'p> Watch<'p> {
    /// Everything that the experiment wants to know of a cell.
    ///
    /// # Errors
    /// When a template cannot be read.
    pub(super) fn new(
        cell: &Cell,
        prepared: &'p Prepared<'p>,
        experiment: &Experiment,
        counts: &'p CountCache,
        history: History,
    ) -> Result<Self, ConfigError> {
        let (session, window) = (prepared.session, Tokens(cell.model.window_tokens));
        let goal = Goal::new(&session.items, &prepared.presence, window).on_path(&prepared.path, &session.transcript);
        let billed = |setup: &'p CacheSetup| (setup, Box::new(setup.bill(&prepared.path, counts, window, history)));
        Ok(Self {
            goal: Box::new(goal.reaching(reach(&cell.spec), &prepared.reference)),
            future: Box::new(future(prepared, 0, window, history)),
            bill: prepared.bill(cell).map(billed),
            others: chosen(cell, prepared, experiment, history)?,
            sight: experiment.probes.as_ref().map(|probes| probes.sight(prepared, window)),
        })
    }

    /// Shows an event to all.
    pub(super) fn observe(&mut self, event: &ReplayEvent<'_, '_>) {
        self.sight.iter_mut().for_each(|sight| sight.observe(event));
        self.goal.observe(event);
        self.future.observe(event);
        self.bill.iter_mut().for_each(|(_, bill)| bill.observe(event));
        self.others.iter_mut().for_each(|meter| meter.observe(event));
    }

    /// What became of the annotated items so far.
    pub(super) fn goal(&self) -> &Goal<'p> {
        &self.goal
    }

    /// All measures; writes into the events what the bill says of each.
    pub(super) fn finish(
        mut self,
        prepared: &Prepared<'_>,
        experiment: &Experiment,
        events: &mut [EventRecord],
    ) -> Watched<'p> {
        let session = prepared.session;
        let wants_goal = experiment.meters.contains(&MeterName::Goal);
        self.goal.settle(&session.transcript);
        let items = if wants_goal { fates(session, &self.goal) } else { Vec::new() };
        let by_kind = self.future.by_kind();
        if wants_goal {
            self.others.push(self.goal);
            self.others.push(self.future);
        }
        let mut measures: Measures = self.others.into_iter().flat_map(Meter::finish).collect();
        if let Some((setup, bill)) = self.bill {
            annotate(events, &bill, setup.price.as_ref().ok());
            measures.extend(bill.finish());
        }
        if wants_goal {
            measures.extend(combined(&measures, experiment.goal));
        }
        Watched { measures, items, by_kind, sight: self.sight }
    }
}

/// Future use by one extractor of entities: the first (0) or the second (1).
fn future<'p>(prepared: &'p Prepared<'p>, which: usize, window: Tokens, history: History) -> Future<'p> {
    Future::new(FutureInput {
        transcript: &prepared.session.transcript,
        path: &prepared.path,
        index: [&prepared.entities, &prepared.second][which],
        reference: &prepared.reference,
        frequencies: prepared.frequencies.as_ref().map(|both| &*both[which]),
        window,
        contaminated: history == History::Recorded,
    })
}

/// The meters that an experiment wants, but for those that need more than events.
fn chosen<'p>(
    cell: &Cell,
    prepared: &'p Prepared<'p>,
    experiment: &Experiment,
    history: History,
) -> Result<Vec<Box<dyn Meter + 'p>>, ConfigError> {
    let wants = |meter| experiment.meters.contains(&meter);
    let mut meters: Vec<Box<dyn Meter + 'p>> = Vec::new();
    if wants(MeterName::Structure) {
        meters.push(Box::new(Structure::default()));
    }
    if wants(MeterName::Estimation) {
        meters.push(Box::new(Estimation::default()));
    }
    if wants(MeterName::Cache) {
        meters.push(Box::new(Cache::default()));
    }
    if wants(MeterName::Goal) {
        meters.push(Box::new(Faith::new(&prepared.session.transcript, &prepared.path, &prepared.entities)));
        meters.push(Box::new(Second(future(prepared, 1, Tokens(cell.model.window_tokens), history))));
        meters.push(Box::new(Claims::new(&prepared.session.transcript, &prepared.path)));
        meters.push(Box::new(Artifacts::new(&prepared.session.transcript)));
        meters.push(Box::new(Shape::new(headings(&cell.spec)?)));
    }
    Ok(meters)
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
