//! Which cache and which prices a run is billed with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::cache_audit::{first_model, read_time};
use super::grid::digest;
use super::{ConfigError, Session};
use crate::meter::cache::guess_head;
use crate::meter::cache::{
    BillInput, BlockTable, Clock, CompactionLedger, PRESETS, Preset, ProviderBill, RequestLedger, Rules, Seconds,
    minimum, preset, preset_of, reasoning,
};
use crate::meter::price::{LatencyRow, PriceBook, PriceError, PriceRow};
use crate::replay::{CountCache, History};
use crate::results::{CompactionCache, EventRecord, RequestCache};
use crate::tokens::MessageTable;
use crate::transcript::{EntryIdx, Tokens};

/// The part of an experiment that decides its bills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CacheConfig {
    /// A cache, by name; without it that of the recorded model, or else the ideal one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// A row of the price book, or a model; without it the recorded model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
    /// A price book whose rows count before the built-in ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prices: Option<PathBuf>,
    /// A model of the time to the first token: a latency row of the price book, or `base,uncached,cached` in ms, the latter two for
    /// a thousand tokens; without it the row of the model, if the price book has one. Whatever is made of it is called a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<String>,
    /// Seconds between requests where a file has no times; 30 without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_seconds: Option<u64>,
}

impl CacheConfig {
    /// The cache; `None`: that of the recorded model.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn preset(&self) -> Result<Option<&'static Preset>, ConfigError> {
        let unknown = |name: &str| {
            let names = PRESETS.iter().map(|preset| (strsim::damerau_levenshtein(name, preset.name), preset.name));
            let near = names.min().filter(|(far, _)| *far <= 3).map(|(_, near)| format!("did you mean {near:?}? "));
            let hint = format!("{}`cutpoint list caches` names all", near.unwrap_or_default());
            ConfigError::entry(name, format!("no cache is called {name:?}"), hint)
        };
        self.provider.as_deref().map(|name| preset(name).ok_or_else(|| unknown(name))).transpose()
    }

    /// The latency model that is named or given; `None`: none is.
    ///
    /// # Errors
    /// When the book has no row of this name, and it is no row itself.
    pub fn latency(&self, book: &PriceBook) -> Result<Option<LatencyRow>, ConfigError> {
        self.latency.as_deref().map(|name| named_latency(book, name)).transpose()
    }

    /// Looks whether all that it names is there.
    ///
    /// # Errors
    /// When it is not.
    pub fn check(&self) -> Result<(), ConfigError> {
        self.preset()?;
        let book = self.book()?;
        self.latency(&book)?;
        self.price.as_deref().map_or(Ok(()), |name| book.find(name, None).map(|_| ()).ok_or_else(|| no_price(name)))
    }

    /// The prices.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn book(&self) -> Result<PriceBook, ConfigError> {
        let wrong = |error: PriceError| ConfigError::entry(self.prices_name(), error.to_string(), error.hint());
        let builtin = PriceBook::builtin().map_err(wrong)?;
        let (Some(path), Some(text)) = (&self.prices, self.prices_text()?) else { return Ok(builtin) };
        Ok(PriceBook::parse(&text, &path.display().to_string()).map_err(wrong)?.before(builtin))
    }

    /// What decides a bill, as text: the prices themselves, not where they lie.
    ///
    /// # Errors
    /// When the file of prices cannot be read.
    pub(super) fn identity(&self) -> Result<String, ConfigError> {
        let prices = self.prices_text()?.map(|text| digest(&[text]));
        Ok(format!("{:?}", Self { prices: None, ..self.clone() }) + &prices.unwrap_or_default())
    }

    fn prices_text(&self) -> Result<Option<String>, ConfigError> {
        let Some(path) = &self.prices else { return Ok(None) };
        let unread = |error| {
            let problem = format!("cannot read the price book {}: {error}", path.display());
            let hint = "check the path; in an experiment file it is meant from where that file lies";
            ConfigError::entry(self.prices_name(), problem, hint)
        };
        std::fs::read_to_string(path).map(Some).map_err(unread)
    }

    /// The file of prices as an experiment file names it, wherever that lies.
    fn prices_name(&self) -> String {
        let name = self.prices.as_deref().and_then(Path::file_name);
        name.unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// A latency row of the price book, or one that is given as three numbers.
///
/// # Errors
/// When it is neither.
pub fn named_latency(book: &PriceBook, name: &str) -> Result<LatencyRow, ConfigError> {
    LatencyRow::given(name).or_else(|| book.latency(name).cloned()).ok_or_else(|| {
        let hint = "give three numbers, such as 400,60,1.5 (ms of an empty prompt, of 1,000 tokens that are computed, of 1,000 that \
                    are read), or the name of a [[latency]] row in the price book (--prices FILE)";
        ConfigError::entry(name, format!("no latency is called {name:?}"), hint)
    })
}

fn no_price(name: &str) -> ConfigError {
    ConfigError::entry(name, format!("no price is called {name:?}"), "`cutpoint list prices` names all")
}

/// What the bills of a session's cells share.
#[derive(Debug)]
pub struct CacheSetup {
    /// What was asked for.
    pub config: CacheConfig,
    /// The cache.
    pub provider: &'static Preset,
    /// The row of the price book, or why there is none.
    pub price: Result<PriceRow, String>,
    /// The latency row of the user's price book, if it has one for the model.
    pub latency: Option<LatencyRow>,
    rules: Rules,
    model: String,
    table: Arc<BlockTable>,
    clock: Clock,
    inferred: bool,
}

impl CacheSetup {
    /// Reads the times of a session, whose blocks are in `table`.
    ///
    /// # Errors
    /// When the configuration names what does not exist.
    pub fn new(
        session: &Session,
        path: &[EntryIdx],
        table: Arc<BlockTable>,
        config: &CacheConfig,
    ) -> Result<Self, ConfigError> {
        let transcript = &session.transcript;
        let model = first_model(transcript, path).to_owned();
        let ideal = || ConfigError::Value("there is no ideal cache".to_owned());
        let provider = config.preset()?.or_else(|| preset_of(&model)).or_else(|| preset("ideal")).ok_or_else(ideal)?;
        let wanted = config.price.as_deref().unwrap_or(&model);
        let book = config.book()?;
        let row = book.find(wanted, None).cloned();
        if let (Some(name), None) = (&config.price, &row) {
            return Err(no_price(name));
        }
        let interval = Seconds(config.interval_seconds.unwrap_or(30));
        Ok(Self {
            config: config.clone(),
            provider,
            latency: config.latency(&book)?.or_else(|| book.latency(wanted).cloned()),
            price: row.ok_or_else(|| format!("no price of the recorded model {model:?} is known, and none is chosen")),
            rules: Rules { minimum: minimum(&model).unwrap_or(provider.rules.minimum), ..provider.rules },
            table,
            clock: Clock::new(transcript, path, interval, read_time),
            model,
            inferred: false,
        })
    }

    pub(super) fn with_inferred_head(mut self, session: &Session, path: &[EntryIdx], reference: &MessageTable) -> Self {
        if let Some(head) = guess_head(&session.transcript, path, reference).inferred {
            self.table = Arc::new(BlockTable::clone(&self.table).with_inferred_head(head));
            self.inferred = true;
        }
        self
    }

    /// The latency row behind times to the first token; `None`: none was chosen.
    pub fn latency_row(&self) -> Option<String> {
        self.latency.as_ref().map(|row| row.name.clone())
    }

    /// Tokens of the head in the bills, and whether it was inferred.
    pub(super) fn head(&self) -> (Tokens, bool) {
        (self.table.head().iter().map(|block| block.tokens).sum(), self.inferred)
    }

    /// A meter for one cell.
    pub fn bill<'s>(
        &'s self,
        path: &'s [EntryIdx],
        counts: &'s CountCache,
        window: Tokens,
        history: History,
    ) -> ProviderBill<'s> {
        ProviderBill::new(BillInput {
            table: &self.table,
            path,
            counts,
            clock: &self.clock,
            rules: self.rules,
            placement: self.provider.placement,
            reasoning: reasoning(&self.model),
            price: self.price.as_ref().map_err(String::as_str),
            latency: self.latency.as_ref(),
            window,
            full: history == History::Full,
        })
    }
}

/// Writes what a bill says of each request and compaction into the events of its cell.
pub(super) fn annotate(events: &mut [EventRecord], bill: &ProviderBill<'_>, price: Option<&PriceRow>) {
    let mut requests = bill.requests().iter();
    let mut compactions = bill.compactions().iter().peekable();
    let mut ordinal = 0;
    for event in events {
        match event {
            EventRecord::Request(record) => record.cache = requests.next().map(request),
            EventRecord::Compaction(record) => {
                record.cache =
                    compactions.next_if(|one| one.ordinal == ordinal).map(|one| compaction(one, bill, price));
                ordinal += 1;
            }
            _ => {}
        }
    }
}

fn request(one: &RequestLedger) -> RequestCache {
    RequestCache {
        read_tokens: one.split.read.0,
        write_tokens: (one.split.write + one.split.write_long).0,
        plain_tokens: one.split.plain.0,
        break_reason: one.missed.map(|missed| missed.reason.name().to_owned()),
        cost_usd: one.usd.map(|usd| usd.0),
        model_first_token_ms: one.first_token_ms,
    }
}

fn compaction(one: &CompactionLedger, bill: &ProviderBill<'_>, row: Option<&PriceRow>) -> CompactionCache {
    let losses = one.missed;
    let one_time = one.price.map(|price| one.episode.one_time(&price));
    CompactionCache {
        cached_before_tokens: one.cached_before.0,
        reusable_tokens: one.episode.reused.0,
        invalidated_tokens: one.invalidated.0,
        rewritten_tokens: one.rewritten.0,
        lost_content_tokens: losses.map_or(0, |lost| lost.content.0),
        lost_lifetime_tokens: losses.map_or(0, |lost| lost.lifetime.0),
        lost_granularity_tokens: losses.map_or(0, |lost| lost.granularity.0),
        lost_placement_tokens: losses.map_or(0, |lost| lost.placement.0),
        idle_ms: one.idle_ms,
        one_time_tokens: one_time,
        // Rows hold dollars per million tokens.
        one_time_usd: one_time.zip(row).map(|(tokens, row)| tokens * row.rates.input / 1e6),
        one_time_riding_tokens: one.price.map(|price| one.episode.riding().one_time(&price)),
        saving_tokens: one.price.map(|price| one.episode.saving(&price)),
        break_even_requests: one.break_even,
        break_even_riding_requests: one.break_even_riding,
        warmup_requests: bill.warmup(one),
        regrowth_requests: bill.regrowth(one),
        summary_usd: one.summary_usd.map(|[made, _]| made.0),
        summary_riding_usd: one.summary_usd.map(|[_, riding]| riding.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Prepared, load};
    use crate::tokens::Reference;

    #[test]
    fn bills_of_one_session_share_its_blocks() {
        let corpus = load(&[PathBuf::from("embedded:debug-flaky-cache")]).unwrap();
        let of = |name: &str| CacheConfig { provider: Some(name.to_owned()), ..CacheConfig::default() };
        let prepared = Prepared::new(&corpus.sessions[0], Reference::default(), std::iter::empty()).unwrap();
        let prepared = prepared.with_cache(&of("ideal")).unwrap().with_cache(&of("anthropic-5m")).unwrap();
        assert_eq!(prepared.bills.len(), 2);
        assert!(Arc::ptr_eq(&prepared.bills[0].table, &prepared.bills[1].table));
    }

    #[test]
    fn prices_count_wherever_they_lie() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            CacheConfig { prices: Some(path), ..CacheConfig::default() }.identity().unwrap()
        };
        assert_eq!(of("a.toml", "1"), of("b.toml", "1"));
        assert_ne!(of("a.toml", "1"), of("b.toml", "2"));
        assert_ne!(of("a.toml", "1"), CacheConfig::default().identity().unwrap());
    }
}
