//! Whole replays, with everything warm that a run counts once. Their cost grows with the session, not faster.

#![allow(missing_docs, reason = "the macros of criterion make public functions")]

#[path = "../tests/common/mod.rs"]
#[allow(clippy::print_stderr, reason = "it belongs to the tests, which may")]
mod common;
mod session;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

use session::{Case, Warm};

/// One session, two windows. The bar is 5 ms.
fn pi(criterion: &mut Criterion) {
    let Some(bytes) = session::large_session() else { return };
    let warm = Warm::new(session::load(&bytes), &["pi"]);
    let mut group = criterion.benchmark_group("pi replay (bar 5 ms)");
    group.throughput(Throughput::Elements(warm.messages()));
    for window in [64_000, 200_000] {
        warm.replay("pi", window);
        group.bench_function(BenchmarkId::from_parameter(window), |bencher| bencher.iter(|| warm.replay("pi", window)));
    }
    group.finish();
}

/// 1 to 32 sessions on one path, with the compactions of each. What can be expected of a doubled one is said at
/// [`Case::steady`].
fn doubling(criterion: &mut Criterion) {
    let Some(bytes) = session::large_session() else { return };
    let one = session::load(&bytes);
    let presets = session::STRATEGIES.map(|name| Case::preset(name, 64_000));
    let cases: Vec<Case> = [Case::steady(), Case::steady_ralph()].into_iter().chain(presets).collect();
    for times in [1, 2, 4, 8, 16, 32] {
        let warm = Warm::new(session::repeated(&one, times), &session::STRATEGIES);
        for case in &cases {
            let mut group = criterion.benchmark_group(format!("doubling/{}", case.name));
            group.throughput(Throughput::Elements(warm.messages()));
            let id = BenchmarkId::from_parameter(session::size(times, warm.run(case)));
            group.bench_function(id, |bencher| bencher.iter(|| warm.run(case)));
            group.finish();
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = pi, doubling
}
criterion_main!(benches);
