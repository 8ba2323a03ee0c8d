//! Goal meters: entities in one pass, a thousand items in one pass, and whole replays with all goal meters on sessions of
//! up to 16 times the length. `tests/goal/bench_inputs.rs` checks that what is timed is right.

#![allow(missing_docs, reason = "the macros of criterion make public functions")]

#[path = "../tests/common/mod.rs"]
#[allow(clippy::print_stderr, reason = "it belongs to the tests, which may")]
mod common;
mod session;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cutpoint::meter::goal::entity::{Extractor, extract};
use cutpoint::meter::goal::{EntityIndex, ItemSet, Presence};
use cutpoint::transcript::Transcript;

use session::{Case, Indices, Warm};

/// Items whose spellings are names of the session, so that they are found.
fn items(transcript: &Transcript, count: usize) -> ItemSet {
    let index = EntityIndex::new(transcript);
    let id = &transcript.entries[0].id;
    let keys = index.keys().filter(|key| !key.contains(['\'', '\\', '\n']) && key.len() > 3);
    let item = |(at, key): (usize, &str)| {
        format!("{{ id = 'i{at}', category = 'value', text = '', source = ['{id}'], must = [['{key}']] }}")
    };
    let rows: Vec<String> = keys.take(count).enumerate().map(item).collect();
    ItemSet::parse(&format!("item = [{}]", rows.join(",\n")), transcript).expect("items")
}

fn passes(criterion: &mut Criterion) {
    let Some(bytes) = session::large_session() else { return };
    let transcript = session::load(&bytes);
    let texts = session::texts(&transcript);
    let size = texts.iter().map(|text| text.len() as u64).sum();
    let mut group = criterion.benchmark_group("one pass (bar 100 MB/s)");
    group.sample_size(20).throughput(Throughput::Bytes(size));
    group.bench_function("entities", |bencher| {
        bencher.iter(|| {
            let mut found = 0;
            texts.iter().for_each(|text| extract(black_box(text), |_| found += 1));
            found
        });
    });
    group.bench_function("chunks (second extractor)", |bencher| {
        bencher.iter(|| {
            let mut found = 0;
            texts.iter().for_each(|text| Extractor::Chunks.extract(black_box(text), |_| found += 1));
            found
        });
    });
    group.bench_function("index of entities", |bencher| bencher.iter(|| EntityIndex::new(black_box(&transcript))));
    let items = items(&transcript, 1_000);
    assert_eq!(items.items.len(), 1_000);
    group.bench_function("1,000 items", |bencher| bencher.iter(|| Presence::new(black_box(&transcript), &items)));
    group.finish();
}

/// What a session says of its items, and its entities: what it is read for once. Never inlined, so that a profiler can count
/// it.
#[inline(never)]
fn read(warm: &Warm, items: &ItemSet) -> (Presence, Indices) {
    (Presence::new(warm.transcript(), items), Indices::new(warm.transcript()))
}

/// 1 to 16 sessions on one path, with the compactions of each: with everything read that a session is read for once, and
/// with that reading. What can be expected of a doubled session is said at [`Case::steady`].
fn doubling(criterion: &mut Criterion) {
    let Some(bytes) = session::large_session() else { return };
    let one = session::load(&bytes);
    for case in [Case::steady(), Case::preset("pi", 64_000), Case::preset("drop-tool-results", 64_000)] {
        let mut group = criterion.benchmark_group(format!("doubling/all goal meters/{}", case.name));
        for times in [1, 2, 4, 8, 16] {
            let warm = Warm::new(session::repeated(&one, times), &[case.preset]);
            let items = items(warm.transcript(), 200);
            let (presence, indices) = read(&warm, &items);
            group.sample_size(10).throughput(Throughput::Elements(warm.messages()));
            let id = session::size(times, warm.run(&case));
            group.bench_function(BenchmarkId::new("warm", &id), |bencher| {
                bencher.iter(|| warm.goal(&case, (&items, &presence), &indices));
            });
            group.bench_function(BenchmarkId::new("with the reading", &id), |bencher| {
                bencher.iter(|| {
                    let (presence, indices) = read(&warm, &items);
                    warm.goal(&case, (&items, &presence), &indices)
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, passes, doubling);
criterion_main!(benches);
