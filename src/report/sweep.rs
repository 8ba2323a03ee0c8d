//! The report of a sweep: the bill of each session against the threshold, and when a compaction has paid for itself.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::ReportError;
use super::html::{style, style_policy};
use super::number::count;
use super::plot::{BreakEvenLine, break_even_figure, cache_sweep_figure};
use super::text::visible;
use crate::results::CacheSweepRecord;

/// What the page is made of.
#[derive(Clone, Copy, Debug)]
pub struct SweepReport<'a> {
    /// The command that made it, without paths.
    pub command: &'a str,
    /// Name and version of the program.
    pub generator: &'a str,
    /// The thresholds of each session.
    pub sweeps: &'a [Vec<CacheSweepRecord>],
}

/// The mean compaction of the cheapest threshold, as its summary was made and with a summary call that rides. None where
/// the cheapest is not to compact at all.
pub fn break_even_lines(records: &[CacheSweepRecord]) -> Vec<BreakEvenLine> {
    let Some(best) = records.iter().find(|record| record.optimum) else { return Vec::new() };
    let line = |label: &str, one_time: Option<f64>| {
        let (one_time_tokens, saving_tokens) = (one_time?, best.saving_tokens?);
        Some(BreakEvenLine { label: label.to_owned(), one_time_tokens, saving_tokens })
    };
    let made = line("as made", best.one_time_tokens);
    made.into_iter().chain(line("summary call riding", best.one_time_riding_tokens)).collect()
}

impl SweepReport<'_> {
    /// The page as text.
    ///
    /// # Errors
    /// When a plot cannot be drawn.
    pub fn page(&self) -> Result<String, ReportError> {
        let sections = self.sweeps.iter().zip(1..).map(|(records, number)| section(records, number));
        let sections = sections.collect::<Result<Vec<_>, _>>()?;
        let style = style();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy" content=(style_policy(&style));
                    meta name="color-scheme" content="light dark";
                    meta name="generator" content=(self.generator);
                    title { "Bill against threshold – context compaction report" }
                    style { (PreEscaped(&style)) }
                }
                body class="mock" {
                    header {
                        p class="kicker" { "Context compaction" }
                        h1 { "The bill against the threshold" }
                        p { "Summaries are a MOCK's: shorter or longer than a model's. The recorded future is kept." }
                        p { code { (visible(self.command)) } }
                    }
                    main { @for section in &sections { (section) } }
                    footer { p { "Made by " (self.generator) ". Every number is in cache-sweep.csv beside this page." } }
                }
            }
        };
        Ok(page.into_string())
    }
}

fn section(records: &[CacheSweepRecord], number: usize) -> Result<Markup, ReportError> {
    let Some(first) = records.first() else { return Ok(html! {}) };
    let id = format!("session-{number}");
    let bill = cache_sweep_figure(&format!("{id}-bill"), records)?;
    let lines = break_even_lines(records);
    let even = if lines.is_empty() { None } else { Some(break_even_figure(&format!("{id}-even"), &lines)?) };
    let head = if first.head_inferred { "inferred" } else { "known" };
    Ok(html! {
        section id=(id) aria-labelledby={ (id) "-head" } {
            h2 id={ (id) "-head" } { (visible(&first.session)) }
            p {
                (visible(&first.strategy)) ", cache " (visible(&first.provider)) ", prices "
                (visible(&first.price_row)) "; head of " (count(first.head_tokens)) " tokens, " (head) "."
            }
            (PreEscaped(bill))
            @match even {
                Some(even) => {
                    p { "What the mean compaction of the cheapest threshold has saved after so many requests:" }
                    (PreEscaped(even))
                }
                None => p class="soft" { "No compaction is cheapest, so none pays for itself." }
            }
            (table(records))
        }
    })
}

fn table(records: &[CacheSweepRecord]) -> Markup {
    let latency = records.iter().find_map(|record| record.latency_row.as_deref());
    let usd = |usd: f64| format!("{usd:.4}");
    html! {
        div class="scroll" tabindex="0" {
            table {
                thead {
                    tr {
                        th { "Threshold, tokens" }
                        @for name in ["Compactions", "Invalidated, tokens", "Rewritten, tokens", "Bill, $", "Summaries, $", "Riding, $"] {
                            th class="num" { (name) }
                        }
                        @if let Some(row) = latency { th class="num" { "First token, ms: MODEL " (visible(row)) ", not measured" } }
                    }
                }
                tbody {
                    @for record in records {
                        tr {
                            th scope="row" {
                                @match record.threshold_tokens { Some(tokens) => (count(tokens)), None => "never" }
                                @if record.optimum { " (cheapest)" }
                            }
                            td class="num" { (count(record.compactions)) }
                            td class="num" { (count(record.invalidated_tokens)) }
                            td class="num" { (count(record.rewritten_tokens)) }
                            td class="num" { (usd(record.cost_usd)) }
                            td class="num" { (usd(record.summary_usd)) }
                            td class="num" { (usd(record.riding_usd)) }
                            @if latency.is_some() {
                                td class="num" {
                                    @match record.model_first_token_ms { Some(ms) => (format!("{ms:.0}")), None => "–" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(threshold_tokens: Option<u64>, cost_usd: f64, optimum: bool) -> CacheSweepRecord {
        let priced = threshold_tokens.is_some();
        CacheSweepRecord {
            session: "<s>".to_owned(),
            threshold_tokens,
            cost_usd,
            riding_usd: cost_usd,
            optimum,
            one_time_tokens: priced.then_some(100.0),
            one_time_riding_tokens: priced.then_some(60.0),
            saving_tokens: priced.then_some(30.0),
            ..CacheSweepRecord::default()
        }
    }

    #[test]
    fn a_session_has_its_bill_its_break_even_and_its_table() {
        let sweeps = [
            vec![point(Some(40_000), 1.5, true), point(None, 3.0, false)],
            vec![point(Some(40_000), 4.0, false), point(None, 3.0, true)],
        ];
        let page = SweepReport { command: "cutpoint cache", generator: "g", sweeps: &sweeps }.page().unwrap();
        // 100 / 30 and 60 / 30; the second session is cheapest without a compaction, so it has no such plot.
        assert_eq!(page.matches("as made: after 4 requests; summary call riding: after 2 requests").count(), 1);
        assert_eq!((page.matches("<svg").count(), page.matches("none pays for itself").count()), (3, 1));
        assert!(page.contains("&lt;s&gt;") && page.contains("40,000 (cheapest)") && page.contains("MOCK"), "{page}");
        assert!(page.contains("session-1-bill-title") && page.contains("session-2-bill-title"));
        assert!(!page.contains("First token"), "no latency row was chosen");
        let mut timed = sweeps[0].clone();
        for record in &mut timed {
            (record.latency_row, record.model_first_token_ms) = (Some("server".to_owned()), Some(812.4));
        }
        let page = SweepReport { command: "c", generator: "g", sweeps: &[timed] }.page().unwrap();
        assert!(page.contains("MODEL server, not measured") && page.contains("812"), "{page}");
    }
}
