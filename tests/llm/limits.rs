//! Many calls at once, budgets, and stopping.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cutpoint::llm::{Api, Completer, Gateway, LlmConfig, Mode};

use super::stub::{Act, Stub};
use super::{chat, config, live, request};

fn slow(milliseconds: u64) -> Stub {
    Stub::new(move |_, _| {
        std::thread::sleep(Duration::from_millis(milliseconds));
        Act::json(&chat("done."))
    })
}

/// Seconds for `each` calls on each of `threads` threads, all different.
fn seconds(config: &LlmConfig, threads: u64, each: u64) -> f64 {
    let gateway = live(config);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let gateway = &gateway;
            scope.spawn(move || {
                (0..each).for_each(|call| assert!(gateway.complete(&request("x", thread * each + call)).is_ok()));
            });
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(gateway.traffic().spent.calls, threads * each);
    seconds
}

/// The bound is loose, because shared machines keep no time; what a quiet one does is in `benches/README.md`.
#[test]
fn sixty_four_calls_go_at_once() {
    let mut config = config(Api::Chat, &slow(200), false);
    config.limits.concurrency = 64;
    let took = seconds(&config, 64, 5);
    assert!(took < 10.0, "{took:.2} s, where one after another takes 64 s and the ideal is 1 s");
    let rate = 1.0 / took;
    // With --nocapture it is a measurement.
    std::io::Write::write_all(&mut std::io::stderr(), format!("{:.1} % of the ideal rate\n", rate * 100.0).as_bytes())
        .unwrap();
}

#[test]
fn no_more_calls_at_once_than_allowed() {
    let busy = Arc::new((AtomicBool::new(false), AtomicBool::new(false)));
    let seen = Arc::clone(&busy);
    let stub = Stub::new(move |_, _| {
        if seen.0.swap(true, Ordering::SeqCst) {
            seen.1.store(true, Ordering::SeqCst);
        }
        std::thread::sleep(Duration::from_millis(10));
        seen.0.store(false, Ordering::SeqCst);
        Act::json(&chat("done."))
    });
    let mut config = config(Api::Chat, &stub, false);
    config.limits.concurrency = 1;
    seconds(&config, 4, 3);
    assert!(!busy.1.load(Ordering::SeqCst), "two calls overlapped");
}

#[test]
fn calls_per_minute_are_kept() {
    let mut config = config(Api::Chat, &slow(0), false);
    config.limits.requests_per_minute = Some(600);
    // 60 at once, then one each tenth of a second.
    let took = seconds(&config, 4, 17);
    assert!(took >= 0.7, "68 calls took {took} s");
}

#[test]
fn a_budget_stops_before_it_is_passed() {
    let stub = slow(0);
    let mut config = config(Api::Chat, &stub, false);
    (config.max_output_tokens, config.budget.tokens) = (100, Some(500));
    let gateway = live(&config);
    // The worst case of a call is 8 tokens of prompt and 100 of answer; each takes 120.
    let answers: Vec<bool> = (0..6).map(|seed| gateway.complete(&request("x", seed)).is_ok()).collect();
    assert_eq!(answers, [true, true, true, true, false, false]);
    assert_eq!((stub.asked().len(), gateway.traffic().spent.input_tokens), (4, 400));
    let why = gateway.halted().unwrap();
    assert!(why.contains("the budget is used up") && why.contains("500 allowed"), "{why}");
}

#[test]
fn a_stop_ends_the_waiting_and_keeps_what_is_under_way() {
    let folder = tempfile::tempdir().unwrap();
    let stub = slow(500);
    let mut config = config(Api::Chat, &stub, false);
    config.limits.concurrency = 1;
    let stop = Arc::new(AtomicBool::new(false));
    let gateway = Gateway::new(&config, Mode::Record, folder.path(), Arc::clone(&stop)).unwrap();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| gateway.complete(&request("x", 0)));
        std::thread::sleep(Duration::from_millis(200));
        stop.store(true, Ordering::Relaxed);
        assert!(gateway.complete(&request("x", 1)).is_err());
        assert!(first.join().unwrap().is_ok(), "it was paid for");
    });
    assert_eq!(gateway.halted().as_deref(), Some("stopped"));
    assert_eq!(stub.asked().len(), 1);
    let replay = super::gateway(&config, Mode::Replay, folder.path());
    assert!(replay.complete(&request("x", 0)).is_ok());
}

#[test]
fn the_same_request_is_asked_once_by_all_threads() {
    let stub = slow(50);
    let gateway = super::gateway(&config(Api::Chat, &stub, false), Mode::Live, Path::new("unused"));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert!(gateway.complete(&request("x", 0)).is_ok()));
        }
    });
    assert_eq!(stub.asked().len(), 1);
}
