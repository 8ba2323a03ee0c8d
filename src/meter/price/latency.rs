//! A model of the time to the first token. No row comes with the program: whoever has measured a server adds one.

use crate::meter::cache::Split;

/// Time to the first token as a straight line of the tokens that are computed anew and of those that are read. Queues,
/// batches and load are not in it: it compares prompts, it predicts no wait.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyRow {
    /// Its name, which every time carries.
    pub name: String,
    /// Ids of models.
    pub models: Vec<String>,
    /// Milliseconds of a prompt of nothing.
    pub base_ms: f64,
    /// Milliseconds of a thousand tokens that are not read from the cache.
    pub uncached_ms: f64,
    /// Milliseconds of a thousand tokens that are.
    pub cached_ms: f64,
    /// Where the figures come from.
    pub source: String,
    /// When they were measured.
    pub date: String,
}

impl LatencyRow {
    /// A row of three numbers, `base,uncached,cached`: milliseconds of an empty prompt, and of a thousand tokens that are not, and
    /// that are, read from the cache. Its name says so. `None`: they are no such numbers.
    pub fn given(text: &str) -> Option<Self> {
        let numbers: Vec<f64> = text.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
        let is_time = |ms: &f64| *ms >= 0.0 && ms.is_finite();
        let [base_ms, uncached_ms, cached_ms] = numbers[..] else { return None };
        numbers.iter().all(is_time).then(|| Self {
            name: format!("{base_ms} ms + {uncached_ms} ms/k uncached + {cached_ms} ms/k cached"),
            models: Vec::new(),
            base_ms,
            uncached_ms,
            cached_ms,
            source: "given by the user".to_owned(),
            date: String::new(),
        })
    }

    /// Milliseconds until the first token of the answer to a prompt that is billed like this.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn first_token_ms(&self, split: &Split) -> f64 {
        let uncached = split.prompt().saturating_sub(split.read).0;
        self.base_ms + (self.uncached_ms * uncached as f64 + self.cached_ms * split.read.0 as f64) / 1_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::PriceBook;
    use super::*;
    use crate::transcript::Tokens;

    const ROW: &str = "[[latency]]\nname='server'\nmodels=['claude-opus-4-5']\nbase_ms=200\n\
                       uncached_ms_per_1000_tokens=50.0\ncached_ms_per_1000_tokens=2.0\nsource='a stopwatch'\ndate='2026-12-01'";

    #[test]
    fn tokens_that_are_not_read_take_the_time() {
        let book = PriceBook::parse(ROW, "mine.toml").unwrap().before(PriceBook::builtin().unwrap());
        let row = book.latency("anthropic/claude-opus-4-5-20251101").unwrap();
        let split = Split { read: Tokens(40_000), write: Tokens(3_000), write_long: Tokens(500), plain: Tokens(500) };
        // 200 + 4 · 50 + 40 · 2.
        assert!((row.first_token_ms(&split) - 480.0).abs() < 1e-9);
        assert_eq!((book.latency("server").unwrap(), row.source.as_str()), (row, "a stopwatch"));
        assert_eq!(book.latency("claude-opus-5"), None);
    }

    #[test]
    fn three_numbers_are_a_row() {
        let row = LatencyRow::given("400, 60,1.5").unwrap();
        assert_eq!(row.name, "400 ms + 60 ms/k uncached + 1.5 ms/k cached");
        let split = Split { read: Tokens(2_000), plain: Tokens(500), ..Split::default() };
        assert!((row.first_token_ms(&split) - (400.0 + 30.0 + 3.0)).abs() < 1e-9);
        for wrong in ["", "400", "400,60", "400,60,-1", "400,60,inf", "400,60,1.5,2", "my-server"] {
            assert_eq!(LatencyRow::given(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn no_row_comes_with_the_program_and_faults_are_named() {
        assert_eq!(PriceBook::builtin().unwrap().latency("claude-opus-4-5"), None);
        let fault = |toml: &str| PriceBook::parse(toml, "mine.toml").unwrap_err().to_string();
        assert!(fault(&ROW.replace("=200", "=-1")).contains("\"server\": a time is negative or not finite"));
        assert!(fault(&ROW.replace("source='a stopwatch'\n", "")).contains("source"));
        assert!(fault(&ROW.replace("2026-12-01", "today")).contains("YYYY-MM-DD"));
    }
}
