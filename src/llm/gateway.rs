//! Between the engine and a real model: what is stored is not asked again, and what is asked keeps to limits and budget.

mod attempts;

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

use super::api::Reply;
use super::client::Client;
use super::config::{LlmConfig, LlmConfigError};
use super::limits::Pace;
use super::spend::{Ledger, Spent};
use super::store::{Key, Store};
use super::{Completer, LlmError, LlmRequest, LlmResponse};
use attempts::Turns;

/// Where answers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// From the model alone; nothing is stored.
    Live,
    /// From the store; what is not there is asked, and stored.
    Record,
    /// From the store alone. Nothing is ever asked, and no connection can be opened.
    Replay,
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "live" => Ok(Self::Live),
            "record" => Ok(Self::Record),
            "replay" => Ok(Self::Replay),
            _ => Err(format!("{text:?} is no mode: live, record or replay")),
        }
    }
}

/// Calls, and what they took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Answers that came from the store.
    pub stored: u64,
    /// Attempts that failed and were made again.
    pub retries: u64,
    /// Calls that are being made.
    pub in_flight: u64,
    /// What the model was paid for, by this process.
    pub spent: Spent,
}

/// Why there will be no further answer. Cells that need one are not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Halt(String);

/// A real model with its store. It is shared by all threads.
pub struct Gateway {
    config: LlmConfig,
    name: String,
    mode: Mode,
    store: Option<Store>,
    /// `None` in a replay: what does not exist opens no socket.
    line: Option<Line>,
    known: Mutex<HashMap<Key, Result<LlmResponse, LlmError>>>,
    asking: Mutex<HashMap<Key, Arc<Mutex<()>>>>,
    ledger: Ledger,
    halt: Mutex<Option<Halt>>,
    stop: Arc<AtomicBool>,
    stored: AtomicU64,
    retries: AtomicU64,
}

/// The way to the model.
struct Line {
    client: Client,
    runtime: Runtime,
    slots: Semaphore,
    turns: Mutex<Turns>,
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gateway").field("name", &self.name).field("mode", &self.mode).finish_non_exhaustive()
    }
}

impl Gateway {
    /// A gateway. `store` is not used by [`Mode::Live`]; when `stop` becomes true no further call is begun, and those in
    /// flight are waited for.
    ///
    /// # Errors
    /// When the configuration is faulty, or, unless it is a replay, its key is not in the environment.
    pub fn new(
        config: &LlmConfig,
        mode: Mode,
        store: impl Into<PathBuf>,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, LlmConfigError> {
        config.check()?;
        let line = if mode == Mode::Replay { None } else { Some(Line::new(config)?) };
        Ok(Self {
            name: config.name(),
            mode,
            store: (mode != Mode::Live).then(|| Store::new(store)),
            line,
            known: Mutex::default(),
            asking: Mutex::default(),
            ledger: Ledger::new(config.budget, config.price),
            halt: Mutex::default(),
            stop,
            stored: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            config: config.clone(),
        })
    }

    /// What was called so far.
    pub fn traffic(&self) -> Traffic {
        let free = self.line.as_ref().map_or(0, |line| line.slots.available_permits());
        let slots = if self.line.is_some() { self.config.limits.concurrency } else { 0 };
        Traffic {
            stored: self.stored.load(Ordering::Relaxed),
            retries: self.retries.load(Ordering::Relaxed),
            in_flight: slots.saturating_sub(free) as u64,
            spent: self.ledger.spent(),
        }
    }

    fn known(&self, key: &Key) -> Option<Result<LlmResponse, LlmError>> {
        lock(&self.known).get(key).cloned()
    }

    /// The store's answer, or the model's.
    fn find(&self, key: &Key, request: &LlmRequest) -> Result<Reply, Halt> {
        let stored = match &self.store {
            Some(store) => store.get(key).map_err(|error| Halt(error.to_string()))?,
            None => None,
        };
        if let Some(stored) = stored {
            self.stored.fetch_add(1, Ordering::Relaxed);
            return Ok(stored.reply);
        }
        let Some(line) = &self.line else { return Err(self.missing(request)) };
        if let Some(halt) = lock(&self.halt).clone() {
            return Err(halt);
        }
        let reply = line.runtime.block_on(self.ask(line, request))?;
        if let Some(store) = &self.store {
            store.put(&self.config, request, &reply).map_err(|error| Halt(error.to_string()))?;
        }
        Ok(reply)
    }

    /// A replay that lacks an answer says what was asked for, and how it differs from what is there.
    fn missing(&self, request: &LlmRequest) -> Halt {
        let folder = self.store.as_ref().map(|store| store.folder().display().to_string()).unwrap_or_default();
        let nearest = self.store.as_ref().and_then(|store| store.nearest(&self.config, request));
        let why = nearest.map_or_else(
            || "it holds no answer at all".to_owned(),
            |diff| format!("this differs from the nearest stored request:\n{diff}"),
        );
        Halt(format!("the store {folder} has no answer to a request; {why}\nhint: record it with --llm-mode record"))
    }

    fn answer(&self, key: Key, request: &LlmRequest) -> Result<Result<LlmResponse, LlmError>, Halt> {
        // One request is asked once, whoever else wants it at the same time.
        let turn = Arc::clone(lock(&self.asking).entry(key.clone()).or_default());
        let _turn = lock(&turn);
        if let Some(known) = self.known(&key) {
            return Ok(known);
        }
        let outcome = self.find(&key, request)?.outcome;
        lock(&self.asking).remove(&key);
        lock(&self.known).insert(key, outcome.clone());
        Ok(outcome)
    }
}

impl Completer for Gateway {
    fn name(&self) -> &str {
        &self.name
    }

    fn is_mock(&self) -> bool {
        false
    }

    fn complete(&self, request: &LlmRequest) -> Result<LlmResponse, LlmError> {
        let key = Key::of(&self.config, request);
        if let Some(known) = self.known(&key) {
            return known;
        }
        self.answer(key, request).unwrap_or_else(|halt| {
            // The first reason is the one to tell.
            let reason = lock(&self.halt).get_or_insert(halt).0.clone();
            Err(LlmError::Failed(reason))
        })
    }

    fn halted(&self) -> Option<String> {
        lock(&self.halt).as_ref().map(|halt| halt.0.clone())
    }
}

impl Line {
    fn new(config: &LlmConfig) -> Result<Self, LlmConfigError> {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|error| {
            let what = format!("no threads for calls: {error}");
            LlmConfigError { field: "limits", what, hint: "see the limits of the system (ulimit -u)".to_owned() }
        })?;
        let pace = |units: Option<u64>| units.map(Pace::per_minute);
        let limits = &config.limits;
        Ok(Self {
            client: Client::new(config)?,
            runtime,
            slots: Semaphore::new(limits.concurrency),
            turns: Mutex::new(Turns::new(pace(limits.requests_per_minute), pace(limits.tokens_per_minute))),
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
