//! Runs all cells, on all threads, and writes them in the order of the grid.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelBridge, ParallelIterator};

use super::quoted::sources;
use super::{Cell, ConfigError, Corpus, Experiment, Prepared, grid, run_cell};
use crate::digest::sha256;
use crate::engine::summarize::Completer;
use crate::meter::definitions;
use crate::redact::{Redacted, Redactor};
use crate::replay::CountCache;
use crate::results::{
    CellRecord, EventRecord, Manifest, RunError, RunFolder, SCHEMA, Shard, Stored, StoredCell, TranscriptRecord,
};
use crate::tokens::Reference;
use crate::transcript::{EntryKind, Message, Tokens};

/// How a run is carried out; none of it changes a result.
pub struct RunOptions<'o> {
    /// Called when a cell is on disk.
    pub progress: &'o (dyn Fn(&CellRecord) + Sync),
    /// Asked between cells; true ends the run early, and keeps what is finished.
    pub stop: &'o (dyn Fn() -> bool + Sync),
    /// Take over finished cells of an earlier run in the folder whose inputs are the same.
    pub reuse: bool,
    /// Run only this part of the grid.
    pub shard: Option<Shard>,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunOutcome {
    /// Cells on disk.
    pub cells: usize,
    /// Of these, cells taken over from an earlier run.
    pub reused: usize,
    /// Cells of the grid, or of the shard.
    pub planned: usize,
}

/// A run failed.
#[derive(Debug, thiserror::Error)]
pub enum FailedRun {
    /// The experiment.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The run folder.
    #[error(transparent)]
    Folder(#[from] RunError),
}

/// Runs `experiment` on `corpus` and writes the records to `folder`.
///
/// # Errors
/// When the experiment names something that does not exist, or the folder cannot be written.
pub fn run(
    experiment: &Experiment,
    corpus: &Corpus,
    llm: &dyn Completer,
    folder: &Path,
    options: &RunOptions<'_>,
) -> Result<RunOutcome, FailedRun> {
    let reference: Reference = experiment.reference.parse().map_err(|error| ConfigError::Value(format!("{error}")))?;
    if experiment.redact && corpus.redacted.is_none() {
        let problem = "the experiment wants its sessions redacted, and they are not".to_owned();
        return Err(ConfigError::entry("redact", problem, "call `Corpus::redact` before the run").into());
    }
    let cells = grid(experiment, &corpus.sessions)?;
    let of = |index| cells.iter().filter(move |cell: &&Cell| cell.session == index);
    let ready = |(index, session)| Prepared::new(session, reference, of(index))?.with_bills(experiment, of(index));
    let ready: Vec<Result<Prepared<'_>, ConfigError>> = corpus.sessions.par_iter().enumerate().map(ready).collect();
    // Of several errors the first is told, whichever thread was faster.
    let mut prepared = ready.into_iter().collect::<Result<Vec<_>, _>>()?;
    Prepared::share_frequencies(&mut prepared);
    let mut manifest = manifest(experiment, &prepared, &cells, llm);
    if let Some(redacted) = &corpus.redacted {
        tell_redacted(&mut manifest, redacted);
    }
    manifest.shard = options.shard;
    let planned = part(&cells, options.shard);
    let (mut out, stored) = if options.reuse {
        RunFolder::resume(folder, &manifest)?
    } else {
        (RunFolder::create(folder, &manifest)?, Stored::default())
    };
    let known = Known::of(planned, stored);
    out.write_sources(&sources(&prepared))?;
    let counts = CountCache::new(reference);
    let one = |cell: &Cell| run_cell(cell, &prepared[cell.session], experiment, &counts, llm);
    let (send, receive) = mpsc::channel();
    let written = std::thread::scope(|scope| {
        let writer = scope.spawn(|| write_in_order(&mut out, receive, options));
        // Each thread takes the next cell: what waits for an earlier one, and would be lost with a kill, is what is in flight.
        planned.iter().enumerate().par_bridge().for_each_with(send, |send, (index, cell)| {
            // The writer only goes away after an error, which it reports itself.
            let _ = if let Some(old) = known.cells.get(index).and_then(Option::as_ref) {
                send.send((index, Ok(Finished::Before(old.clone()))))
            } else if (options.stop)() || llm.halted().is_some() {
                Ok(())
            } else {
                let result = one(cell).map(|(record, events)| Finished::Now(Box::new(record), events));
                // A cell that lacked an answer is no result.
                if llm.halted().is_some() { Ok(()) } else { send.send((index, result)) }
            };
        });
        writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    out.finish()?;
    Ok(RunOutcome { cells: written, reused: known.count, planned: planned.len() })
}

/// The cells of a shard.
fn part(cells: &[Cell], shard: Option<Shard>) -> &[Cell] {
    let Some(shard) = shard else { return cells };
    let range = shard.range(cells.len() as u64);
    let at = |position: u64| usize::try_from(position).unwrap_or(cells.len());
    &cells[at(range.start)..at(range.end)]
}

/// Cells that need not be run, by their place in the grid.
struct Known {
    cells: Vec<Option<StoredCell>>,
    count: usize,
}

impl Known {
    fn of(planned: &[Cell], mut stored: Stored) -> Self {
        let cells: Vec<Option<StoredCell>> = planned.iter().map(|cell| stored.take(&cell.inputs)).collect();
        let count = cells.iter().flatten().count();
        Self { cells, count }
    }
}

/// A cell to be written.
enum Finished {
    /// It was run.
    Now(Box<CellRecord>, Vec<EventRecord>),
    /// It was there.
    Before(StoredCell),
}

/// Cells end in any order and are written in the order of the grid; a stopped run keeps those that wait, in that order.
fn write_in_order(
    out: &mut RunFolder,
    finished: mpsc::Receiver<(usize, Result<Finished, ConfigError>)>,
    options: &RunOptions<'_>,
) -> Result<usize, FailedRun> {
    let mut waiting = BTreeMap::new();
    let mut written = 0;
    for (index, result) in finished {
        waiting.insert(index, result?);
        while let Some(next) = waiting.remove(&written) {
            write(out, next, options)?;
            written += 1;
        }
    }
    let late = waiting.len();
    waiting.into_values().try_for_each(|next| write(out, next, options))?;
    Ok(written + late)
}

fn write(out: &mut RunFolder, cell: Finished, options: &RunOptions<'_>) -> Result<(), FailedRun> {
    match cell {
        Finished::Now(record, events) => {
            out.push(&record, &events)?;
            (options.progress)(&record);
        }
        Finished::Before(StoredCell { record, events }) => {
            out.push_lines(&record, &events)?;
            // It was read from a run folder before; what cannot be shown is still kept.
            if let Ok(record) = serde_json::from_str(&record) {
                (options.progress)(&record);
            }
        }
    }
    Ok(())
}

fn manifest(experiment: &Experiment, prepared: &[Prepared<'_>], cells: &[Cell], llm: &dyn Completer) -> Manifest {
    let config = experiment.to_toml();
    let config_sha256 = sha256(&config);
    let mock = llm.is_mock() && cells.iter().any(|cell| cell.spec.summarizer.asks_model());
    Manifest {
        schema: SCHEMA,
        generator: concat!("cutpoint ", env!("CARGO_PKG_VERSION")).to_owned(),
        experiment: experiment.name.clone(),
        config,
        config_sha256,
        history: experiment.history.clone(),
        reference: experiment.reference.clone(),
        mock,
        transcripts: prepared.iter().map(transcript_record).collect(),
        cells: cells.len() as u64,
        shard: None,
        measures: definitions(),
        caveats: caveats(experiment, prepared, mock, llm.is_mock()),
    }
}

/// The configuration names paths; what was replaced in the sessions is counted for the reader.
fn tell_redacted(manifest: &mut Manifest, redacted: &Redacted) {
    Redactor::default().replace(&mut manifest.config);
    manifest.caveats.push(format!(
        "Secrets, e-mail addresses and names in home paths were replaced before the replay ({}): exact token counts differ there.",
        redacted.in_words()
    ));
}

fn transcript_record(prepared: &Prepared<'_>) -> TranscriptRecord {
    let session = prepared.session;
    let kinds = || prepared.path.iter().map(|&idx| &session.transcript.entry(idx).kind);
    TranscriptRecord {
        name: session.name.clone(),
        lineage: session.lineage.clone(),
        sha256: session.sha256.clone(),
        format: session.format.to_owned(),
        messages: kinds().filter(|kind| matches!(kind, EntryKind::Message(_))).count() as u64,
        requests: kinds().filter(|kind| matches!(kind, EntryKind::Message(Message::Assistant(..)))).count() as u64,
        reference_tokens: prepared.path.iter().map(|&idx| prepared.reference.entry(idx)).sum::<Tokens>().0,
        head_tokens: prepared.reference.head().map(|tokens| tokens.0),
        findings: session.finding_counts(),
    }
}

/// What a reader must know.
fn caveats(experiment: &Experiment, prepared: &[Prepared<'_>], mock: bool, is_mock: bool) -> Vec<String> {
    let mut caveats = vec![
        "A replay is counterfactual after the first compaction: the recorded future was produced by an agent that saw another context.".to_owned(),
        "Goal-loss counts the survival of text. It is an upper bound of what an agent remembers.".to_owned(),
    ];
    if mock {
        caveats.push(
            "Summaries were written by a mock LLM, by rule: they say nothing about the quality of a real model."
                .to_owned(),
        );
    }
    if experiment.probes.is_some() && is_mock {
        caveats.push("Probes were answered by a mock LLM, by rule: they say nothing about a real reader.".to_owned());
    }
    if experiment.history == "full" {
        caveats.push(
            "Usage that anchors an estimate is simulated: the reference count of the request and its reply.".to_owned(),
        );
    }
    let headless: Vec<&str> =
        prepared.iter().filter(|one| one.reference.head().is_none()).map(|one| &*one.session.name).collect();
    if !headless.is_empty() {
        caveats
            .push(format!("System prompt and tool schemas are unknown, and not counted, in: {}.", headless.join(", ")));
    }
    caveats
}
