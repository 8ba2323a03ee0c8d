//! Goal meters: entities in one pass, a thousand items in one pass, and whole replays with all goal meters on sessions of
//! 1, 2 and 4 times the length. `tests/goal/bench_inputs.rs` checks that what is timed is right.

#![allow(missing_docs, reason = "the macros of criterion make public functions")]

#[path = "../tests/common/mod.rs"]
#[allow(clippy::print_stderr, reason = "it belongs to the tests, which may")]
mod common;
mod session;

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cutpoint::meter::Meter;
use cutpoint::meter::goal::entity::{Extractor, extract};
use cutpoint::meter::goal::{
    Artifacts, Claims, EntityIndex, Faith, Future, FutureInput, Goal, ItemSet, Presence, Second,
};
use cutpoint::tokens::{MessageTable, Reference};
use cutpoint::transcript::{Tokens, Transcript};

use session::Warm;

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

fn doubling(criterion: &mut Criterion) {
    let Some(bytes) = session::large_session() else { return };
    let one = session::load(&bytes);
    let mut group = criterion.benchmark_group("doubling/all goal meters");
    for times in [1, 2, 4] {
        let transcript = session::repeated(&one, times);
        let path = transcript.path();
        let items = items(&transcript, 200);
        let (presence, index) = (Presence::new(&transcript, &items), EntityIndex::new(&transcript));
        let chunks = EntityIndex::by(Extractor::Chunks, &transcript);
        let reference = MessageTable::new(&transcript, Reference::O200kBase);
        let warm = Warm::new(transcript.clone(), &["pi"]);
        group.sample_size(10).throughput(Throughput::Elements(warm.messages()));
        let window = 64_000;
        let run = || {
            let mut goal = Box::new(Goal::new(&items, &presence, Tokens(window)).on_path(&path, &transcript));
            let input = FutureInput {
                transcript: &transcript,
                path: &path,
                index: &index,
                reference: &reference,
                frequencies: None,
                window: Tokens(window),
                contaminated: false,
            };
            let mut future = Box::new(Future::new(input));
            let mut second = Box::new(Second(Future::new(FutureInput { index: &chunks, ..input })));
            let mut claims = Box::new(Claims::new(&transcript, &path));
            let mut faith = Box::new(Faith::new(&transcript, &path, &index));
            let mut artifacts = Box::new(Artifacts::new(&transcript));
            warm.observe("pi", window, &mut |event| {
                goal.observe(event);
                future.observe(event);
                second.observe(event);
                claims.observe(event);
                faith.observe(event);
                artifacts.observe(event);
            });
            let meters: [Box<dyn Meter + '_>; 6] = [goal, future, second, claims, faith, artifacts];
            meters.into_iter().flat_map(Meter::finish).count()
        };
        run();
        group.bench_function(BenchmarkId::from_parameter(format!("{times}x")), |bencher| bencher.iter(run));
    }
    group.finish();
}

criterion_group!(benches, passes, doubling);
criterion_main!(benches);
