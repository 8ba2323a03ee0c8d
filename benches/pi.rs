//! What Pi does itself, on the session that its own figures are for. The name of each group holds Pi's figure: medians
//! of release 1.6.0 on Node 20, on one 2-core machine. `benches/README.md` has both side by side.

#![allow(missing_docs, reason = "the macros of criterion make public functions")]

#[path = "../tests/common/mod.rs"]
#[allow(clippy::print_stderr, reason = "it belongs to the tests, which may")]
mod common;
mod session;

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use cutpoint::engine::pi::{Path, Rules, find_cut_point, prepare, serialize};
use cutpoint::transcript::{Block, Message, Tokens, Transcript, json::js};

const RULES: &Rules = &Rules::V1_6;
const KEEP: Tokens = Tokens(20_000);

/// Bytes to transcript, and its drop.
fn load(criterion: &mut Criterion, bytes: &[u8]) {
    let mut group = criterion.benchmark_group("load (Pi 3.8 ms)");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("large-session", |bencher| bencher.iter(|| session::load(black_box(bytes))));
    group.finish();
}

fn estimate_and_cut(criterion: &mut Criterion, transcript: &Transcript) {
    let indices = transcript.path();
    criterion.benchmark_group("estimate all, then cut (Pi 560 us)").bench_function("large-session", |bencher| {
        bencher.iter(|| {
            let path = Path::new(black_box(transcript), &indices, RULES);
            find_cut_point(&path, 0..path.len(), KEEP, RULES)
        });
    });
    let path = Path::new(transcript, &indices, RULES);
    criterion.benchmark_group("a further cut (Pi 110 us)").bench_function("large-session", |bencher| {
        bencher.iter(|| find_cut_point(black_box(&path), 0..path.len(), KEEP, RULES));
    });
    criterion.benchmark_group("prepare a compaction (Pi 530 us)").bench_function("large-session", |bencher| {
        bencher.iter(|| prepare(black_box(&path), KEEP));
    });
}

fn texts(criterion: &mut Criterion, transcript: &Transcript) {
    let indices = transcript.path();
    let path = Path::new(transcript, &indices, RULES);
    let context = path.context();
    let serialized = || serialize(context.iter().map(|item| &*item.message), RULES);
    let mut group = criterion.benchmark_group("serialize the context (Pi 1.5 ms)");
    group.throughput(Throughput::Bytes(serialized().len() as u64));
    group.bench_function("large-session", |bencher| bencher.iter(serialized));
    group.finish();
    let arguments = arguments(transcript);
    let mut group = criterion.benchmark_group("JSON.stringify length of all arguments");
    group.throughput(Throughput::Bytes(arguments.iter().map(|raw| raw.len() as u64).sum()));
    group.bench_function("large-session", |bencher| {
        bencher.iter(|| arguments.iter().filter_map(|raw| js::stringified_utf16_len(black_box(raw))).sum::<usize>());
    });
    group.finish();
}

fn arguments(transcript: &Transcript) -> Vec<&str> {
    session::messages(transcript)
        .flat_map(Message::blocks)
        .filter_map(|block| match block {
            Block::ToolCall(call) => Some(call.arguments.as_str()),
            _ => None,
        })
        .collect()
}

fn all(criterion: &mut Criterion) {
    let Some(bytes) = session::large_session() else { return };
    let transcript = session::load(&bytes);
    load(criterion, &bytes);
    estimate_and_cut(criterion, &transcript);
    texts(criterion, &transcript);
}

criterion_group!(benches, all);
criterion_main!(benches);
