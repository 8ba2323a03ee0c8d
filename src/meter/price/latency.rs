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
    fn no_row_comes_with_the_program_and_faults_are_named() {
        assert_eq!(PriceBook::builtin().unwrap().latency("claude-opus-4-5"), None);
        let fault = |toml: &str| PriceBook::parse(toml, "mine.toml").unwrap_err().to_string();
        assert!(fault(&ROW.replace("=200", "=-1")).contains("\"server\": a time is negative or not finite"));
        assert!(fault(&ROW.replace("source='a stopwatch'\n", "")).contains("source"));
        assert!(fault(&ROW.replace("2026-12-01", "today")).contains("YYYY-MM-DD"));
    }
}
