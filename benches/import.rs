//! Reading a session the whole way to a transcript, beside `serde_json::Value` a line: one thread, bytes in memory.

#![allow(missing_docs, reason = "the macros of criterion make public functions")]

#[path = "../tests/common/mod.rs"]
#[allow(clippy::print_stderr, reason = "it belongs to the tests, which may")]
mod common;
mod session;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use session::{IMPORTED, values};

fn all(criterion: &mut Criterion) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread");
    for (name, format) in IMPORTED {
        let Some(bytes) = session::bytes(name) else { return };
        let mut group = criterion.benchmark_group(format!("import {}", format.name()));
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        // Both pay for the drop of what they made.
        group.bench_function("transcript", |bencher| {
            pool.install(|| bencher.iter(|| format.read(black_box(&bytes)).expect("a session")));
        });
        group.bench_function("serde_json Value per line", |bencher| {
            bencher.iter(|| values(black_box(&bytes)).for_each(drop));
        });
        group.finish();
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
