//! The price book: rows by model and date. A user's file stands before the built-in one.

use serde::Deserialize;

use super::latency::LatencyRow;
use crate::meter::model_id::canonical;
use crate::transcript::Tokens;

/// The built-in rows.
const BUILTIN: &str = include_str!("prices.toml");

/// Prices in USD per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Plain input.
    pub input: f64,
    /// Cached input; `None`: nothing is cached.
    pub read: Option<f64>,
    /// Writes for the short lifetime; `None`: they cost what input costs.
    pub write: Option<f64>,
    /// Writes for the long lifetime; `None`: there is none.
    pub write_long: Option<f64>,
    /// Output.
    pub output: f64,
}

/// Prices of a whole request beyond a length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tier {
    /// Prompts longer than this.
    pub tokens: Tokens,
    /// Their prices.
    pub rates: Rates,
}

/// The prices of some models in some time.
#[derive(Clone, Debug, PartialEq)]
pub struct PriceRow {
    /// Its name, which every dollar carries.
    pub name: String,
    /// Ids of models.
    pub models: Vec<String>,
    /// The prices.
    pub rates: Rates,
    /// Those of long prompts.
    pub above: Option<Tier>,
    /// First day, `YYYY-MM-DD`.
    pub since: Option<String>,
    /// Last day.
    pub until: Option<String>,
    /// Where it is from.
    pub source: String,
    /// When that was read.
    pub date: String,
}

impl PriceRow {
    /// The prices of a request with this prompt.
    pub fn rates_for(&self, prompt: Tokens) -> &Rates {
        self.above.as_ref().filter(|tier| prompt > tier.tokens).map_or(&self.rates, |tier| &tier.rates)
    }

    fn holds_on(&self, day: Option<&str>) -> bool {
        match day {
            // Days are written so that their order is that of their texts.
            Some(day) => {
                self.since.as_deref().is_none_or(|since| since <= day)
                    && self.until.as_deref().is_none_or(|until| day <= until)
            }
            None => self.until.is_none(),
        }
    }
}

/// A price book cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    /// The file has another shape.
    #[error("{origin}: {source}")]
    Shape {
        /// The file.
        origin: String,
        /// Why.
        source: Box<toml::de::Error>,
    },
    /// A price is no price.
    #[error("{origin}: row {row:?}: {what}")]
    Row {
        /// The file.
        origin: String,
        /// The row.
        row: String,
        /// What is wrong.
        what: &'static str,
    },
}

impl PriceError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        "a row has name, models, input, output, source and date, and may have read, write, write_long, above, since and \
         until; prices are USD per million tokens, days are YYYY-MM-DD; a latency has name, models, base_ms, \
         uncached_ms_per_1000_tokens, cached_ms_per_1000_tokens, source and date"
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileFields {
    #[serde(default)]
    row: Vec<RowFields>,
    #[serde(default)]
    latency: Vec<LatencyFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LatencyFields {
    name: String,
    models: Vec<String>,
    base_ms: f64,
    uncached_ms_per_1000_tokens: f64,
    cached_ms_per_1000_tokens: f64,
    source: String,
    date: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowFields {
    name: String,
    models: Vec<String>,
    input: f64,
    read: Option<f64>,
    write: Option<f64>,
    write_long: Option<f64>,
    output: f64,
    above: Option<TierFields>,
    since: Option<String>,
    until: Option<String>,
    source: String,
    date: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TierFields {
    tokens: u64,
    input: f64,
    read: Option<f64>,
    write: Option<f64>,
    write_long: Option<f64>,
    output: f64,
}

/// Rows, the first of two that fit counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PriceBook {
    rows: Vec<PriceRow>,
    latencies: Vec<LatencyRow>,
}

impl PriceBook {
    /// The rows that come with the program.
    ///
    /// # Errors
    /// Never, but for a fault of the program: the rows are checked by a test.
    pub fn builtin() -> Result<Self, PriceError> {
        Self::parse(BUILTIN, "built-in prices")
    }

    /// Reads a book; `origin` names it in errors.
    ///
    /// # Errors
    /// When it has another shape, a negative price, or a day that is none.
    pub fn parse(toml: &str, origin: &str) -> Result<Self, PriceError> {
        let file: FileFields = toml::from_str(toml)
            .map_err(|source| PriceError::Shape { origin: origin.to_owned(), source: Box::new(source) })?;
        let rows = file.row.into_iter().map(|fields| row(fields, origin)).collect::<Result<_, _>>()?;
        let latencies = file.latency.into_iter().map(|fields| latency(fields, origin)).collect::<Result<_, _>>()?;
        Ok(Self { rows, latencies })
    }

    /// This book before `other`: its rows count first.
    #[must_use]
    pub fn before(mut self, other: Self) -> Self {
        self.rows.extend(other.rows);
        self.latencies.extend(other.latencies);
        self
    }

    /// The row of a model, or of this name, on a day; without a day the one that holds now. An id may have a provider
    /// before it (`anthropic/`, `us.anthropic.`), a date or a tag behind it, and dots in Claude's version.
    pub fn find(&self, model: &str, day: Option<&str>) -> Option<&PriceRow> {
        let id = canonical(model);
        let fits = |row: &&PriceRow| row.name == model || is_one_of(&id, &row.name, &row.models);
        self.rows.iter().filter(|row| row.holds_on(day)).find(fits)
    }

    /// The latency model for a row or a model of this name; `None`: there is none, as without a user's book.
    pub fn latency(&self, model: &str) -> Option<&LatencyRow> {
        let id = canonical(model);
        self.latencies.iter().find(|row| row.name == model || is_one_of(&id, &row.name, &row.models))
    }

    /// All rows.
    pub fn rows(&self) -> &[PriceRow] {
        &self.rows
    }
}

/// Whether a canonical id is the name of a row, as it stands, or one of its models.
fn is_one_of(id: &str, name: &str, models: &[String]) -> bool {
    name == id || models.iter().any(|known| is_model(id, &canonical(known)))
}

/// Whether `id` is the model `known`, perhaps with a date (`-20251101`, `-2025-11-01`) or a tag (`:free`, `@latest`).
fn is_model(id: &str, known: &str) -> bool {
    let Some(rest) = id.strip_prefix(known) else { return false };
    let is_date = |rest: &str| rest.len() >= 8 && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    rest.is_empty()
        || rest.starts_with([':', '@'])
        || rest.strip_prefix('-').is_some_and(|rest| rest == "latest" || is_date(rest))
}

fn row(fields: RowFields, origin: &str) -> Result<PriceRow, PriceError> {
    let RowFields { name, models, input, read, write, write_long, output, above, since, until, source, date } = fields;
    let wrong = |what| PriceError::Row { origin: origin.to_owned(), row: name.clone(), what };
    let rates = rates(Rates { input, read, write, write_long, output }).map_err(wrong)?;
    let tier = |tier: TierFields| {
        let TierFields { tokens, input, read, write, write_long, output } = tier;
        Ok(Tier { tokens: Tokens(tokens), rates: self::rates(Rates { input, read, write, write_long, output })? })
    };
    let above = above.map(tier).transpose().map_err(wrong)?;
    for day in [&since, &until, &Some(date.clone())].into_iter().flatten() {
        if !is_day(day) {
            return Err(wrong("a day is not written as YYYY-MM-DD"));
        }
    }
    Ok(PriceRow { name, models, rates, above, since, until, source, date })
}

fn latency(fields: LatencyFields, origin: &str) -> Result<LatencyRow, PriceError> {
    let LatencyFields { name, models, base_ms, source, date, .. } = fields;
    let (uncached_ms, cached_ms) = (fields.uncached_ms_per_1000_tokens, fields.cached_ms_per_1000_tokens);
    let what = match () {
        () if [base_ms, uncached_ms, cached_ms].into_iter().any(|time| !time.is_finite() || time < 0.0) => {
            "a time is negative or not finite"
        }
        () if !is_day(&date) => "a day is not written as YYYY-MM-DD",
        () => return Ok(LatencyRow { name, models, base_ms, uncached_ms, cached_ms, source, date }),
    };
    Err(PriceError::Row { origin: origin.to_owned(), row: name, what })
}

fn rates(rates: Rates) -> Result<Rates, &'static str> {
    let Rates { input, read, write, write_long, output } = rates;
    let all = [Some(input), read, write, write_long, Some(output)];
    let is_price = |price: f64| price.is_finite() && price >= 0.0;
    if all.into_iter().flatten().all(is_price) { Ok(rates) } else { Err("a price is negative or not finite") }
}

fn is_day(day: &str) -> bool {
    day.len() == 10
        && day
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name<'b>(book: &'b PriceBook, model: &str, day: Option<&str>) -> Option<&'b str> {
        book.find(model, day).map(|row| row.name.as_str())
    }

    #[test]
    fn a_model_finds_its_row() {
        let book = PriceBook::builtin().unwrap();
        assert_eq!(name(&book, "claude-opus-4-5-20251101", None), Some("claude-opus-4-5"));
        assert_eq!(name(&book, "anthropic/claude-opus-5-5", None), Some("claude-opus-5-5"));
        for id in
            ["anthropic/claude-opus-4.5", "us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5@20251101"]
        {
            assert_eq!(name(&book, id, None), Some("claude-opus-4-5"), "{id}");
        }
        assert_eq!(name(&book, "gpt-5.1-codex", None), Some("gpt-5"));
        // Another model with a longer name is not this one.
        assert_eq!(name(&book, "gpt-5.1-codex-mini", None), None);
        assert_eq!(name(&book, "gpt-5.3-codex-spark", None), None);
        assert_eq!(name(&book, "deepseek-flash-peak", None), Some("deepseek-flash-peak"));
    }

    #[test]
    fn prices_change() {
        let book = PriceBook::builtin().unwrap();
        assert_eq!(name(&book, "claude-sonnet-5-5", Some("2026-10-06")), Some("claude-sonnet-5-5-first-weeks"));
        assert_eq!(name(&book, "claude-sonnet-5-5", Some("2026-10-07")), Some("claude-sonnet-5-5"));
        assert_eq!(name(&book, "claude-sonnet-5-5", None), Some("claude-sonnet-5-5"));
        assert_eq!(name(&book, "claude-opus-5-5", Some("2026-01-01")), None);
    }

    #[test]
    fn rows_have_names_of_their_own() {
        let book = PriceBook::builtin().unwrap();
        let mut names: Vec<&str> = book.rows().iter().map(|row| row.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), book.rows().len());
    }

    #[test]
    fn a_users_row_counts_first_and_faults_are_named() {
        let own =
            "[[row]]\nname='mine'\nmodels=['claude-opus-5']\ninput=1.0\noutput=1.0\nsource='me'\ndate='2026-01-01'";
        let book = PriceBook::parse(own, "mine.toml").unwrap().before(PriceBook::builtin().unwrap());
        assert_eq!(name(&book, "claude-opus-5", None), Some("mine"));
        assert_eq!(name(&book, "claude-opus-4-5", None), Some("claude-opus-4-5"));
        // A name with a provider before it is chosen as it stands, and is no other model's.
        let of = |name: &str| own.replace("mine", name).replace("'claude-opus-5'", "");
        let two = format!("{}\n{}", of("azure/gpt-5"), of("openrouter/gpt-5"));
        let book = PriceBook::parse(&two, "mine.toml").unwrap().before(PriceBook::builtin().unwrap());
        assert_eq!(name(&book, "gpt-5", None), Some("gpt-5"));
        assert_eq!(name(&book, "openrouter/gpt-5", None), Some("openrouter/gpt-5"));
        let fault = |toml: &str| PriceBook::parse(toml, "mine.toml").unwrap_err().to_string();
        assert!(fault(&own.replace("input=1.0", "input=-1.0")).contains("\"mine\": a price is negative"));
        assert!(fault(&own.replace("2026-01-01", "today")).contains("YYYY-MM-DD"));
        assert!(fault(&own.replace("input", "inptu")).contains("inptu"));
    }
}
