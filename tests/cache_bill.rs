//! Bills of replays: invariants over presets and strategies, and numbers that can be worked out by hand.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use cutpoint::experiment::{CacheConfig, Experiment, ModelConfig, Prepared, StrategyConfig, grid, load, run_cell};
use cutpoint::llm::{Blocking, Mock, MockKnobs};
use cutpoint::measure::Measure;
use cutpoint::meter::cache::PRESETS;
use cutpoint::replay::CountCache;
use cutpoint::results::{CellRecord, EventRecord};
use cutpoint::tokens::Reference;

/// Runs strategies on the embedded sessions.
fn cells(strategies: &[&str], window: u64, cache: &CacheConfig) -> Vec<(CellRecord, Vec<EventRecord>)> {
    let corpus = load(&[]).unwrap();
    let experiment = Experiment {
        strategies: strategies.iter().map(|&name| StrategyConfig::Preset(name.to_owned())).collect(),
        models: vec![ModelConfig::window(window)],
        cache: cache.clone(),
        ..Experiment::default_experiment()
    };
    let llm = Blocking::new(Mock::new(MockKnobs::default()).unwrap());
    let counts = CountCache::new(Reference::O200kBase);
    let cells = grid(&experiment, &corpus.sessions).unwrap();
    let run = |cell: &cutpoint::experiment::Cell| {
        let session = &corpus.sessions[cell.session];
        let prepared =
            Prepared::new(session, Reference::O200kBase, std::iter::once(cell)).unwrap().with_cache(&experiment.cache);
        run_cell(cell, &prepared.unwrap(), &experiment, &counts, &llm).unwrap()
    };
    cells.iter().map(run).collect()
}

fn config(provider: &str, price: &str) -> CacheConfig {
    CacheConfig { provider: Some(provider.to_owned()), price: Some(price.to_owned()), ..CacheConfig::default() }
}

fn value(cell: &CellRecord, name: &str) -> f64 {
    match cell.measures.get(name) {
        Some(Measure::Value(value)) => *value,
        other => panic!("{} {}: {name} is {other:?}", cell.strategy, cell.transcript),
    }
}

#[test]
fn the_classes_of_every_request_are_its_prompt_and_the_kinds_of_dollars_the_bill() {
    for preset in PRESETS {
        for (cell, events) in cells(&["pi", "drop-tool-results"], 40_000, &config(preset.name, "claude-opus-4-5")) {
            let mut usd = 0.0;
            let mut before = 0;
            for event in &events {
                let EventRecord::Request(request) = event else { continue };
                let cache = request.cache.as_ref().unwrap();
                let classes = cache.read_tokens + cache.write_tokens + cache.plain_tokens;
                assert_eq!(classes, request.reference_tokens, "{} request {}", preset.name, request.request);
                // No cache serves what no request had.
                assert!(cache.read_tokens <= request.reference_tokens.min(before), "{}", preset.name);
                before = before.max(request.reference_tokens + 10_000);
                usd += cache.cost_usd.unwrap();
            }
            let kinds = ["read", "write", "plain", "output"].map(|kind| value(&cell, &format!("cost_{kind}_usd")));
            assert!((kinds.iter().sum::<f64>() - usd).abs() < 1e-9, "{}", preset.name);
            let summaries = value(&cell, "cost_summary_usd");
            assert!((value(&cell, "cost_usd") - usd - summaries).abs() < 1e-9, "{}", preset.name);
            assert_eq!(cell.price.as_deref(), Some("claude-opus-4-5"));
        }
    }
}

#[test]
fn no_strategy_is_cheaper_than_one_who_knows_the_future_and_never_compacting_costs_nothing_more() {
    for (cell, _) in cells(&["none", "pi", "deepagents"], 1_000_000, &config("anthropic-5m", "claude-opus-4-5")) {
        // Nothing compacts in so large a window: the bill is that of no compaction, and no schedule is dearer than none.
        assert!(value(&cell, "cost_over_none_usd").abs() < 1e-9, "{} {}", cell.strategy, cell.transcript);
        assert!(value(&cell, "cost_over_oracle_usd") > -1e-9, "{} {}", cell.strategy, cell.transcript);
    }
    for (cell, _) in cells(&["pi"], 40_000, &config("anthropic-5m", "claude-opus-4-5")) {
        assert!(value(&cell, "cost_over_oracle_usd") > 0.0, "{}", cell.transcript);
        assert!(value(&cell, "cache_invalidated_tokens") > 0.0, "{}", cell.transcript);
    }
}

#[test]
fn an_ideal_cache_reads_what_the_prefix_meter_counts() {
    for (cell, events) in cells(&["pi", "tail-only", "none"], 40_000, &config("ideal", "claude-opus-4-5")) {
        let reused: u64 =
            events.iter().map(|event| if let EventRecord::Request(one) = event { one.reused_tokens } else { 0 }).sum();
        let read = value(&cell, "cache_read_tokens");
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let reused = reused as f64;
        assert!(read >= reused && read <= reused * 1.01, "{}: {read} {reused}", cell.strategy);
    }
}

#[test]
fn without_a_price_dollars_are_void_and_tokens_are_not() {
    let unknown = CacheConfig { provider: Some("anthropic-5m".to_owned()), ..CacheConfig::default() };
    for (cell, _) in cells(&["none"], 1_000_000, &unknown) {
        if cell.price.is_none() {
            assert!(matches!(cell.measures.get("cost_usd"), Some(Measure::Void(why)) if why.contains("no price")));
        }
        assert!(value(&cell, "cache_read_tokens") > 0.0);
    }
    let wrong = CacheConfig { price: Some("nobody".to_owned()), ..CacheConfig::default() };
    let corpus = load(&[]).unwrap();
    let prepared = Prepared::new(&corpus.sessions[0], Reference::O200kBase, std::iter::empty()).unwrap();
    assert!(prepared.with_cache(&wrong).unwrap_err().to_string().contains("no price is called \"nobody\""));
}

#[test]
fn every_compaction_says_when_it_is_warm_again_and_what_its_summary_cost() {
    let book = tempfile::NamedTempFile::new().unwrap();
    let row = "[[latency]]\nname='server'\nmodels=['claude-opus-4-5']\nbase_ms=100\nuncached_ms_per_1000_tokens=10\n\
               cached_ms_per_1000_tokens=1\nsource='a stopwatch'\ndate='2026-12-01'\n";
    std::fs::write(book.path(), row).unwrap();
    let config = CacheConfig { prices: Some(book.path().to_owned()), ..config("anthropic-5m", "claude-opus-4-5") };
    let (mut seen, mut warmed) = (0, 0);
    for (cell, events) in cells(&["pi"], 40_000, &config) {
        assert_eq!(cell.latency.as_deref(), Some("server"));
        let prompts: Vec<u64> = events
            .iter()
            .filter_map(|event| if let EventRecord::Request(one) = event { Some(one.reference_tokens) } else { None })
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
        let share = |event: &EventRecord| match event {
            EventRecord::Request(one) => Some(one.cache.as_ref()?.read_tokens as f64 / one.reference_tokens as f64),
            _ => None,
        };
        let shares: Vec<f64> = events.iter().filter_map(share).collect();
        let (mut next, mut summaries) = (0, 0.0);
        for event in &events {
            match event {
                EventRecord::Request(one) => {
                    next += 1;
                    let cache = one.cache.as_ref().unwrap();
                    let anew = cache.write_tokens + cache.plain_tokens;
                    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
                    let expected = 100.0 + (anew * 10 + cache.read_tokens) as f64 / 1_000.0;
                    assert!((cache.model_first_token_ms.unwrap() - expected).abs() < 1e-9);
                }
                EventRecord::Compaction(one) => {
                    let Some(cache) = &one.cache else { continue };
                    seen += 1;
                    // When 95 % of what was read before are read again: at once, if little was read before.
                    let warm = shares[next..].iter().position(|share| *share >= 0.95 * shares[next - 1]);
                    assert_eq!(
                        cache.warmup_requests.map(|requests| requests.to_string()),
                        warm.map(|at| at.to_string())
                    );
                    warmed += usize::from(warm.is_some_and(|at| at > 0));
                    // Reads at a tenth: what the context shrank by, and nothing that was said afterwards.
                    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
                    let saving = (one.before_tokens as f64 - one.after_tokens as f64) * 0.1;
                    assert!((cache.saving_tokens.unwrap() - saving).abs() < 1e-6, "{}", cell.transcript);
                    let grown = prompts[next..].iter().position(|&later| later >= one.before_tokens);
                    assert_eq!(
                        cache.regrowth_requests.map(|requests| requests.to_string()),
                        grown.map(|at| at.to_string())
                    );
                    // Plain input at $5 and output at $25 a million; riding, the old prompt is read at $0.50.
                    #[expect(clippy::cast_precision_loss, reason = "far below 2^52")]
                    let usd =
                        |input: u64, price: f64| (input as f64 * price + one.summary_output_tokens as f64 * 25.0) / 1e6;
                    summaries += cache.summary_usd.unwrap();
                    assert!((cache.summary_usd.unwrap() - usd(one.summary_input_tokens, 5.0)).abs() < 1e-9);
                    assert!((cache.summary_riding_usd.unwrap() - usd(one.before_tokens, 0.5)).abs() < 1e-9);
                }
                _ => {}
            }
        }
        assert!(summaries <= value(&cell, "cost_summary_usd") + 1e-9, "{}", cell.transcript);
    }
    assert!(seen > 0 && warmed > 0, "{warmed} of {seen} compactions made the next request write");
}
